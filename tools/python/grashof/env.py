"""Reinforcement learning: a mechanism as an environment with the interface of Gymnasium.

Gymnasium is used when it is installed; else spaces are the small Box of this file, and everything else is the same.
"""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence, Union

import numpy as np

from ._core import Batch, Diverged, Scenario, World, WorldView

try:
    from gymnasium.vector import AutoresetMode, VectorEnv as _VectorBase  # type: ignore[import]

    _NEXT_STEP: Any = AutoresetMode.NEXT_STEP
except ImportError:
    _NEXT_STEP = "NextStep"

    class _VectorBase:  # type: ignore[no-redef]
        """What Gymnasium's VectorEnv keeps: a generator of random numbers."""

        np_random = np.random.default_rng()

        def reset(self, *, seed: Optional[int] = None, options: Optional[dict] = None) -> Any:
            if seed is not None:
                self.np_random = np.random.default_rng(seed)

        def close(self) -> None:
            pass


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


class MechanismVectorEnv(_VectorBase):
    """Many worlds as one environment with the interface of Gymnasium's VectorEnv: arrays with a row a world.

    `scenarios` is a list, one of each world, which may differ in masses, lengths, friction (so are worlds randomized),
    or one scenario for `num_envs` worlds. `reward(batch, actions)` and `done(batch)` give an array with a value a world,
    `observe(batch)` one with a row a world. `perturb(world, random)` may change the state of one world at the start of
    an episode, which is then projected onto the joints; each world has its own generator of random numbers, so that
    what it draws does not depend on the others. A world whose episode has ended is reset by the next step(), which
    ignores its action and gives no reward ("NextStep").
    """

    metadata: dict = {"render_modes": [], "autoreset_mode": _NEXT_STEP}

    def __init__(
        self,
        scenarios: Union[Scenario, Sequence[Scenario]],
        reward: Callable[[Batch, np.ndarray], np.ndarray],
        num_envs: int = 1,
        bounds: Sequence[float] = (-1.0, 1.0),
        frame_skip: int = 10,
        observe: Optional[Callable[[Batch], np.ndarray]] = None,
        done: Optional[Callable[[Batch], np.ndarray]] = None,
        perturb: Optional[Callable[[WorldView, np.random.Generator], None]] = None,
        threads: int = 1,
    ):
        all_scenarios = [scenarios] * num_envs if isinstance(scenarios, Scenario) else list(scenarios)
        self.batch = Batch(all_scenarios)
        if not all_scenarios[0].actuators:
            raise ValueError(f"scenario '{all_scenarios[0].name}' has no actuators that an agent could drive")
        if frame_skip < 1:
            raise ValueError("frame_skip must be at least 1")
        self.num_envs = len(self.batch)
        self.frame_skip, self.threads = frame_skip, threads
        self._reward, self._observe, self._done, self._perturb = reward, observe, done, perturb
        self._durations = np.array([s.duration for s in all_scenarios])
        self._ended = np.zeros(self.num_envs, bool)
        self._randoms = [np.random.default_rng(i) for i in range(self.num_envs)]
        n = self.batch.controls.shape[1]
        self.single_action_space = Box(np.full(n, bounds[0], float), np.full(n, bounds[1], float), dtype=np.float64)
        self.action_space = self._rows_of(self.single_action_space)
        size = self._observation().shape[1]
        self.single_observation_space = Box(np.full(size, -np.inf), np.full(size, np.inf), dtype=np.float64)
        self.observation_space = self._rows_of(self.single_observation_space)

    def _rows_of(self, space: Any) -> Any:
        repeated = (self.num_envs, 1)
        return Box(np.tile(space.low, repeated), np.tile(space.high, repeated), dtype=np.float64)

    def _observation(self) -> np.ndarray:
        if self._observe:
            return np.array(self._observe(self.batch), dtype=np.float64)
        return np.concatenate([self.batch.coordinates, self.batch.rates], axis=1)

    def _start(self, which: Sequence[int]) -> None:
        self.batch.reset(which)
        if self._perturb:
            for i in which:
                self._perturb(self.batch[i], self._randoms[i])
                self.batch[i].project()
            self.batch.step(0)  # coordinates and rates of the new states
        self._ended[list(which)] = False

    def reset(self, *, seed: Any = None, options: Optional[dict] = None) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed if seed is None or isinstance(seed, int) else None)
        if seed is not None:
            seeds = [seed + i for i in range(self.num_envs)] if isinstance(seed, int) else seed
            self._randoms = [np.random.default_rng(s) for s in seeds]
        self._start(range(self.num_envs))
        return self._observation(), {}

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict]:
        actions = np.clip(np.asarray(actions, dtype=np.float64), self.action_space.low, self.action_space.high)
        renewed = np.flatnonzero(self._ended)
        going = ~self._ended
        self.batch.controls[:] = actions
        self.batch.step(self.frame_skip, self.threads)
        self._start([int(i) for i in renewed])  # whatever they did in this step
        diverged = np.array(self.batch.diverged)
        done = np.asarray(self._done(self.batch), bool) if self._done else np.zeros(self.num_envs, bool)
        times = np.array([self.batch[i].time for i in range(self.num_envs)])
        terminated = going & (diverged | done)
        truncated = going & (times >= self._durations - 1e-9)
        rewards = np.where(going, np.asarray(self._reward(self.batch, actions), float), 0.0)
        self._ended = terminated | truncated
        return self._observation(), rewards, terminated, truncated, {"diverged": diverged}
