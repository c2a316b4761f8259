"""Tangent coordinates of states: poses have quaternions, their derivatives do not."""

from typing import TYPE_CHECKING, Tuple, Union

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ._core import WorldView

Array = NDArray[np.float64]
# (positions, quaternions x y z w, twists) of all bodies, as Rollout.state() gives them, or a world.
State = Union[Tuple[Array, Array, Array], "WorldView"]


def _parts(state: State) -> Tuple[Array, Array, Array]:
    if isinstance(state, tuple):
        return state
    return state.positions, state.quaternions, state.twists


def tangent(start: State, end: State) -> Array:
    """The tangent coordinates (12 bodies,) of `end` seen from `start`, see StepDerivative: for each body the displacement
    (m) and the rotation vector (rad) from one pose to the other, then for each body the change of its twist; world axes."""
    r0, q0, u0 = _parts(start)
    r1, q1, u1 = _parts(end)
    back = q0 * [-1.0, -1.0, -1.0, 1.0]
    scalar = q1[:, 3] * back[:, 3] - np.sum(q1[:, :3] * back[:, :3], axis=1)
    vector = q1[:, 3:] * back[:, :3] + back[:, 3:] * q1[:, :3] + np.cross(q1[:, :3], back[:, :3])
    size = np.linalg.norm(vector, axis=1, keepdims=True)
    angle = 2.0 * np.arctan2(size, np.abs(scalar)[:, None])
    sign = np.where(scalar < 0.0, -1.0, 1.0)[:, None]
    turned = np.where(size > 1e-12, angle / np.maximum(size, 1e-12), 2.0) * vector * sign
    return np.concatenate([np.hstack([r1 - r0, turned]).ravel(), (u1 - u0).ravel()])
