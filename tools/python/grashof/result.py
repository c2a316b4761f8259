"""Results of runs as arrays, and plots of them."""

from __future__ import annotations

import json
import os
from typing import Any, List, Optional, Sequence, Union

from ._core import CallError, InputError, Trajectory
from .records import Array, Record, RecordedContacts


class Result:
    """What `grashof run` or run() left in a folder, by the engine's own reader: a run that goes on or was killed can be read, too.

    result = Result("results/fourbar")
    result["joint.crank.effort.0"]              # one value a record, SI
    result.plot("joint.crank.effort.0", "joint.pin.reaction")
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """`path`: the folder, or its trajectory.h5. Raises InputError."""
        self._recorded = Trajectory(os.fspath(path))
        self._poses: Optional[Sequence[Array]] = None

    @property
    def file(self) -> str:
        """The trajectory.h5."""
        return self._recorded.file

    @property
    def name(self) -> str:
        """Of the scenario."""
        return self._recorded.name

    @property
    def timestep(self) -> float:
        """s"""
        return self._recorded.timestep

    @property
    def times(self) -> Array:
        """Of the records, s."""
        return self._recorded.times

    @property
    def bodies(self) -> List[str]:
        """Names."""
        return self._recorded.bodies

    @property
    def joints(self) -> List[str]:
        """Names."""
        return self._recorded.joints

    @property
    def channels(self) -> List[str]:
        """Names of all that was recorded; assets/schema.md tells what they are."""
        return self._recorded.channels

    def __getitem__(self, channel: str) -> Array:
        """The values of a channel, one a record. Raises InputError with names like it."""
        return self._recorded.series(channel)

    def unit(self, channel: str) -> str:
        """Of a channel, as "N m"; empty: it has none."""
        return self._recorded.unit(channel)

    def redundant(self, channel: str) -> bool:
        """Whether statics left a load open: other values would give the same motion."""
        return self._recorded.redundant(channel)

    @property
    def positions(self) -> Array:
        """(n, bodies, 3), m: of the frames in which the bodies were described."""
        return self._all_poses()[0]

    @property
    def quaternions(self) -> Array:
        """(n, bodies, 4), x y z w, body to world."""
        return self._all_poses()[1]

    @property
    def contacts(self) -> RecordedContacts:
        """Every contact of every record. Raises InputError for a run without --contacts."""
        return self._recorded.contacts()

    @property
    def summary(self) -> Record:
        """summary.json, which a run writes at its end. Raises InputError where there is none."""
        path = os.path.join(os.path.dirname(self.file), "summary.json")
        try:
            with open(path, encoding="utf-8") as file:
                values: Any = json.load(file)
        except (OSError, ValueError) as error:
            raise InputError(f"{path}: cannot be read ({error}); the run has not ended, or was killed") from None
        if not isinstance(values, dict):
            raise InputError(f"{path}: is no summary of a run")
        return Record(values)

    def _all_poses(self) -> Sequence[Array]:
        if self._poses is None:
            self._poses = self._recorded.poses()
        return self._poses

    def plot(self, *channels: str, axes: Any = None) -> Any:
        """Draws channels over time with matplotlib and returns the axes. Loads that statics leaves open are dashed."""
        axes = _axes(axes)
        for channel in channels:
            dashed = self.redundant(channel)
            axes.plot(self.times, self[channel], linestyle="--" if dashed else "-", label=channel + (" (not unique)" if dashed else ""))
        axes.set_xlabel("time, s")
        units = {self.unit(channel) for channel in channels}
        if len(units) == 1 and "" not in units:
            axes.set_ylabel(units.pop())
        axes.legend()
        return axes

    def plot_path(self, body: str, point: Sequence[float] = (0.0, 0.0, 0.0), plane: str = "xz", axes: Any = None) -> Any:
        """Draws the path of a point of a body, in its frame, seen in a plane of the world, and returns the axes."""
        axes = _axes(axes)
        if body not in self.bodies:
            raise CallError(f"there is no body '{body}' (there are: {', '.join(self.bodies)})")
        if len(plane) != 2 or any(letter not in "xyz" for letter in plane):
            raise CallError(f"plane '{plane}': needs two of x, y, z")
        path = self.path(body, point)
        across, up = ("xyz".index(letter) for letter in plane)
        axes.plot(path[:, across], path[:, up], label=body)
        axes.set_xlabel(plane[0] + ", m")
        axes.set_ylabel(plane[1] + ", m")
        axes.set_aspect("equal")
        return axes

    def path(self, body: str, point: Sequence[float] = (0.0, 0.0, 0.0)) -> Array:
        """Where a point of a body, in its frame, was: (n, 3), m."""
        import numpy as np

        at = self.bodies.index(body)
        q, p = self.quaternions[:, at], np.asarray(point, dtype=float)
        cross = 2.0 * np.cross(q[:, :3], p)
        return self.positions[:, at] + p + q[:, 3:] * cross + np.cross(q[:, :3], cross)

    def __repr__(self) -> str:
        return f"Result({self.name}, {len(self.times)} records, {len(self.channels)} channels)"


def _axes(axes: Any) -> Any:
    if axes is not None:
        return axes
    try:
        import matplotlib.pyplot
    except ImportError:
        raise ImportError("plots need matplotlib (python3-matplotlib, or pip install matplotlib)") from None
    return matplotlib.pyplot.figure().add_subplot()
