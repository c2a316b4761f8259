"""What calls return that is more than one value: attributes by name, r.kinetic, and as of a mapping, r["kinetic"] and dict(r).

Arrays are NumPy's; units are SI, wrenches and points in world axes where nothing else is said.
"""

from typing import Any, Dict, ItemsView, Iterator, KeysView, List, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Integers = NDArray[np.int32]
Booleans = NDArray[np.bool_]


class Record:
    """Values with names. They do not change."""

    __slots__ = ("_values",)
    _values: Dict[str, Any]

    def __init__(self, values: Dict[str, Any]) -> None:
        object.__setattr__(self, "_values", dict(values))

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in self._values:
            return self._values[name]
        raise AttributeError(f"{type(self).__name__} has no '{name}' (it has {', '.join(() if name.startswith('_') else self._values)})")

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} does not change")

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Record, dict)):
            return NotImplemented
        return dict(self.items()) == dict(other.items())

    __hash__ = None  # type: ignore[assignment]

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def keys(self) -> KeysView[str]:
        return self._values.keys()

    def items(self) -> ItemsView[str, Any]:
        return self._values.items()

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self._values]

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (self._values,)

    def __repr__(self) -> str:
        def short(value: Any) -> str:
            if isinstance(value, np.ndarray) and value.size > 6:
                return f"<array {' x '.join(map(str, value.shape))}>"
            if isinstance(value, (list, dict)) and len(value) > 6:
                return f"<{len(value)} values>"
            return repr(value)

        return f"{type(self).__name__}({', '.join(f'{name}={short(value)}' for name, value in self._values.items())})"


class Energy(Record):
    """Energy of a world, J: now, what flowed since the start, and what is unaccounted for."""

    kinetic: float
    potential: float
    elastic: float
    total: float
    actuators: float
    external: float
    dissipated: float
    drift: float


class StepReport(Record):
    """How the last step went: residuals (m, rad, m), counts, the solver's residual and status."""

    joint_residual: float
    limit_violation: float
    penetration: float
    contacts: int
    interval_rows: int
    iterations: int
    factorizations: int
    solver_residual: float
    solved: bool
    at_rounding: bool
    worse_than_none: bool


class Contacts(Record):
    """Contacts of the last step: pairs of bodies (n, 2; -1: the world), points (n, 3), frames (n, 3, 3; columns t, o, n), gaps (n,), forces on the second
    body (n, 3), N."""

    bodies: Integers
    points: Array
    frames: Array
    gaps: Array
    forces: Array


class RecordedContacts(Record):
    """All contacts of a recorded run; those of record r are the rows start[r] to start[r + 1]. modes: 0 open, 1 sticking, 2 sliding. impulses: N·s a
    step, on the second body; slips: m/s, of the second body's surface; normals: from the first body into the second."""

    times: Array
    timestep: float
    body_names: List[str]
    start: NDArray[np.int64]
    bodies: Integers
    points: Array
    normals: Array
    gaps: Array
    slips: Array
    impulses: Array
    modes: Integers


class Loads(Record):
    """What joints transmit, by cause: joints (n, causes, 6) in N, N m in the joint's frame; redundant (n, 6): what statics leaves open; efforts of
    couplings at both joints (n, 2)."""

    causes: List[str]
    joints: Array
    redundant: Booleans
    couplings: List[str]
    coupling_efforts: Array
    coupling_redundant: Booleans


class BodyInfo(Record):
    """A body of a scenario: mass (kg), inertia (3, 3) about the centre of mass, and the user's frame seen from it."""

    index: int
    name: str
    mass: float
    inertia: Array
    frame_position: Array
    frame_quaternion: Array


class JointInfo(Record):
    """A joint of a scenario; base and follower are None for the world. coordinates: where its own stand among all."""

    index: int
    name: str
    type: str
    base: Optional[str]
    follower: Optional[str]
    coordinates: slice
    limits: List[Tuple[float, float]]


class ParameterInfo(Record):
    """A parameter of a scenario, in its unit, with how far parts may be below and above it."""

    value: float
    unit: str
    below: float
    above: float
    spread: str


class Mobility(Record):
    """How a mechanism can move at its pose; redundancy by joint; modes (mobility, coordinates)."""

    mobility: int
    kutzbach: int
    rank: int
    redundant: int
    nearby: int
    regularity: float
    redundancy: Dict[str, float]
    modes: Array


class Reach(Record):
    """How far a joint coordinate moves alone, what ends it, and positions (n, bodies, 3) at values (n,) on the way."""

    lower: float
    upper: float
    lower_end: str
    upper_end: str
    full_turn: bool
    values: Array
    positions: Array


class InverseDynamics(Record):
    """Efforts (n, joints) at times (n,) that realize prescribed motions; indeterminate: how many statics leaves open.

    contacts: where a normal force was given, normal_force and residual_force (N), change (m/s, rad/s), twist_error, force_error (relative) of a run
    with the efforts, and unsolved (s): the first step without a solution, or None.
    """

    joints: List[str]
    times: Array
    efforts: Array
    indeterminate: int
    diverged: Optional[str]
    contacts: Optional[Dict[str, Any]]


class ContactInverseStep(Record):
    """Efforts (actuators,), NaN where none is commanded, and contact forces (contacts, 3), t, o, n on body B, of one step.

    residual (bodies, 6): what no drive exerts; twists (bodies, 6) and rates that they bring about; change: of the rates asked for; violation: velocity
    that joints and contacts lack because they contradict each other; impulse of all rows; unsolved: indices of contacts.
    """

    efforts: Array
    forces: Array
    residual: Array
    twists: Array
    rates: Array
    change: float
    violation: float
    impulse: Array
    solved: bool
    iterations: int
    unsolved: Integers


class RunResult(Record):
    """A run: what its summary says first. expectations: (text, passed, value, time) each."""

    steps: int
    wall_time: float
    max_joint_residual: float
    max_penetration: float
    max_relative_drift: float
    solved: int
    passed: bool
    expectations: List[Tuple[str, bool, float, float]]
    warnings: List[str]
    diverged: Optional[str]


class Rollout(Record):
    """Of a batch: coordinates, rates and channels, (worlds, rows, columns) each."""

    coordinates: Array
    rates: Array
    channels: Array


class Solution(Record):
    """Of a problem: impulse and velocity of all rows, twist of all bodies (n, 6), and how the solver got there. residual: judged independently."""

    impulse: Array
    velocity: Array
    twist: Array
    solved: bool
    iterations: int
    factorizations: int
    residual: float
    worse_than_none: bool


class Residuals(Record):
    """How far impulses are from a solution, in the unit asked for."""

    primal: float
    dual: float
    complementarity: float
    natural_map: float
