"""Reinforcement learning: a mechanism as an environment with the interface of Gymnasium.

Gymnasium is used when it is installed; else spaces are the small Box of this file, and everything else is the same.
"""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence

import numpy as np

from ._core import Diverged, Scenario, World

try:
    from gymnasium import Env as _Base  # type: ignore[import]
    from gymnasium.spaces import Box  # type: ignore[import]
except ImportError:

    class _Base:  # type: ignore[no-redef]
        """What Gymnasium's Env does without rendering: it keeps a generator of random numbers."""

        np_random = np.random.default_rng()

        def reset(self, *, seed: Optional[int] = None, options: Optional[dict] = None) -> None:
            if seed is not None:
                self.np_random = np.random.default_rng(seed)

        def close(self) -> None:
            pass

    class Box:  # type: ignore[no-redef]
        """Arrays between two bounds."""

        def __init__(self, low: np.ndarray, high: np.ndarray, dtype: type = np.float64):
            self.low: np.ndarray = np.asarray(low, dtype)
            self.high: np.ndarray = np.asarray(high, dtype)
            self.dtype: np.dtype = np.dtype(dtype)
            self.shape = self.low.shape

        def contains(self, x: np.ndarray) -> bool:
            return x.shape == self.shape and bool(np.all((x >= self.low) & (x <= self.high)))

        def sample(self) -> np.ndarray:
            low, high = np.nan_to_num(self.low, neginf=-1.0), np.nan_to_num(self.high, posinf=1.0)
            return np.random.default_rng().uniform(low, high).astype(self.dtype)


class MechanismEnv(_Base):
    """A scenario whose actuators an agent drives.

    Actions are the actuators' references within `bounds`; observations are all joint coordinates and rates, or
    `observe(world)`; the reward is `reward(world, action)`. An episode is terminated where `done(world)` says so,
    or, with info["diverged"], where the run blows up; it is truncated after the scenario's duration.
    `perturb(world, random)` may change the state at the start of an episode; it is projected onto the joints then.
    """

    metadata: dict = {"render_modes": []}

    def __init__(
        self,
        scenario: Scenario,
        reward: Callable[[World, np.ndarray], float],
        bounds: Sequence[float] = (-1.0, 1.0),
        frame_skip: int = 10,
        observe: Optional[Callable[[World], np.ndarray]] = None,
        done: Optional[Callable[[World], bool]] = None,
        perturb: Optional[Callable[[World, np.random.Generator], None]] = None,
    ):
        if not scenario.actuators:
            raise ValueError(f"scenario '{scenario.name}' has no actuators that an agent could drive")
        if frame_skip < 1:
            raise ValueError("frame_skip must be at least 1")
        self.world = World(scenario)
        self.frame_skip = frame_skip
        self._reward, self._observe, self._done, self._perturb = reward, observe, done, perturb
        n = len(scenario.actuators)
        self.action_space = Box(np.full(n, bounds[0], float), np.full(n, bounds[1], float), dtype=np.float64)
        size = self._observation().shape
        self.observation_space = Box(np.full(size, -np.inf), np.full(size, np.inf), dtype=np.float64)

    def _observation(self) -> np.ndarray:
        if self._observe:
            return np.array(self._observe(self.world), dtype=np.float64)
        return np.concatenate([self.world.coordinates, self.world.rates()])

    def reset(self, *, seed: Optional[int] = None, options: Optional[dict] = None) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed)
        self.world.reset()
        if self._perturb:
            self._perturb(self.world, self.np_random)
            self.world.project()
        return self._observation(), {}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict]:
        action = np.asarray(action, dtype=np.float64)
        self.world.controls[:] = np.clip(action, self.action_space.low, self.action_space.high)
        info: dict = {}
        terminated = False
        try:
            self.world.step(self.frame_skip)
        except Diverged as error:
            info["diverged"] = str(error)
            terminated = True
        terminated = terminated or bool(self._done and self._done(self.world))
        truncated = self.world.time >= self.world.scenario.duration - 1e-9
        return self._observation(), float(self._reward(self.world, action)), terminated, truncated, info
