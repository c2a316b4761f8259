"""Batches and environments."""

import numpy as np
import pytest

import grashof
from grashof.env import MechanismEnv, MechanismVectorEnv

from models import pendulum, scenario


def test_batches_are_worlds_side_by_side():
    s = pendulum(type="effort")
    batch = grashof.Batch(s, 16)
    batch.controls[:, 0] = np.linspace(-2, 2, 16)
    batch.step(200, threads=2)
    for i in (0, 7, 15):
        world = grashof.World(s)
        world.controls[0] = batch.controls[i, 0]
        world.step(200)
        assert np.array_equal(world.coordinates, batch.coordinates[i])
        assert np.array_equal(world.rates(), batch.rates[i])
    assert len(batch) == 16 and batch[-1].time == pytest.approx(0.2)
    assert not any(batch.diverged)
    batch.reset([3])
    assert batch[3].time == 0.0 and batch[4].time > 0.0 and np.isnan(batch.controls[3, 0])
    with pytest.raises(IndexError):
        batch[16]
    with pytest.raises(IndexError):
        batch.reset([99])
    with pytest.raises(ValueError):
        batch.step(1, threads=0)


def test_batches_of_different_scenarios_roll_out_to_arrays():
    batch = grashof.Batch([pendulum(type="effort"), pendulum(2.0, type="effort")])
    controls = np.random.default_rng(1).normal(size=(2, 40, 1))
    out = batch.rollout(controls, steps=5, channels=["energy.total"], threads=2)
    assert out["coordinates"].shape == (2, 40, 1) and out["channels"].shape == (2, 40, 1)
    for i, s in enumerate([pendulum(type="effort"), pendulum(2.0, type="effort")]):
        world = grashof.World(s)
        for r in range(40):
            world.controls[:] = controls[i, r]
            world.step(5)
            assert np.array_equal(out["coordinates"][i, r], world.coordinates)
            assert np.array_equal(out["rates"][i, r], world.rates())
            assert out["channels"][i, r, 0] == world.channel("energy.total")
    assert not np.array_equal(out["coordinates"][0], out["coordinates"][1])
    states = batch.save()
    end = batch.rollout(controls)["coordinates"]
    batch.restore(states)
    assert np.array_equal(batch.controls, controls[:, -1])
    assert np.array_equal(batch.rollout(controls)["coordinates"], end)
    batch.restore(states[:1], [0])
    with pytest.raises(ValueError, match="2 states for 1 worlds"):
        batch.restore(states, [0])
    with pytest.raises(ValueError, match=r"\(2, rows, 1\)"):
        batch.rollout(controls[:1])
    with pytest.raises(grashof.InputError, match="nobody"):
        batch.rollout(controls, channels=["body.nobody.speed"])
    with pytest.raises(ValueError, match="world 1 has other numbers"):
        grashof.Batch([pendulum(), scenario("fourbar-fixed")])


def test_forces_of_contacts_add_up_to_weights():
    stack = scenario("ten-cube-stack")
    batch = grashof.Batch(stack, 2)
    batch.step(400)
    forces = batch.contact_forces
    assert forces.shape == (2, 10, 3) and np.array_equal(forces[0], forces[1])
    weights = [stack.body(name)["mass"] * 9.81 for name in stack.bodies]
    assert forces[0, :, 2] == pytest.approx(weights, rel=1e-3)


def test_an_environment_has_gymnasiums_interface():
    env = MechanismEnv(
        pendulum(type="effort"),
        reward=lambda w, a: -abs(w.coordinates[0]),
        bounds=(-5, 5),
        perturb=lambda w, random: w.twists.__setitem__((0, slice(None)), random.normal(size=6) * 0.1),
    )
    first, info = env.reset(seed=3)
    again, _ = env.reset(seed=3)
    other, _ = env.reset(seed=4)
    assert np.array_equal(first, again) and not np.array_equal(first, other)
    assert env.observation_space.shape == first.shape == (2,) and info == {}
    steps, truncated = 0, False
    while not truncated:
        observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
        assert env.observation_space.contains(observation) and reward <= 0.0 and not terminated
        steps += 1
    assert steps == 100
    with pytest.raises(ValueError, match="no actuators"):
        MechanismEnv(scenario("fourbar-fixed"), reward=lambda w, a: 0.0)


def test_many_worlds_are_one_environment():
    def make(n, threads):
        return MechanismVectorEnv(
            [pendulum(1.0 + 0.1 * i, type="effort") for i in range(n)],
            reward=lambda batch, actions: -np.abs(batch.coordinates[:, 0]),
            bounds=(-5, 5),
            done=lambda batch: np.abs(batch.coordinates[:, 0]) > 3.3,
            perturb=lambda w, random: w.twists.__setitem__((0, slice(None)), random.normal(size=6) * 0.1),
            threads=threads,
        )

    one, two = make(6, 1), make(6, 2)
    first, _ = one.reset(seed=5)
    again, _ = two.reset(seed=5)
    assert first.shape == one.observation_space.shape == (6, 2) and np.array_equal(first, again)
    assert len({tuple(row) for row in first}) == 6
    random = np.random.default_rng(2)
    ended = np.zeros(6, bool)
    seen = np.zeros(2, int)
    for _ in range(230):
        actions = random.uniform(-5, 5, size=(6, 1)) * 0.2 + np.linspace(-2, 2, 6)[:, None]
        a, b = one.step(actions), two.step(actions)
        for x, y in zip(a[:4], b[:4]):
            assert np.array_equal(x, y)
        observation, rewards, terminated, truncated, info = a
        assert np.all(rewards[ended] == 0.0) and not np.any(terminated[ended] | truncated[ended])
        assert np.all(np.abs(observation[ended, 0]) < 0.1)  # they begin anew
        assert not info["diverged"].any()
        ended = terminated | truncated
        seen += [terminated.sum(), truncated.sum()]
    assert seen.min() > 0
    # A world draws what it would draw alone.
    alone = MechanismVectorEnv(pendulum(type="effort"), lambda b, a: b.rates[:, 0], perturb=one._perturb)
    assert np.array_equal(alone.reset(seed=5)[0][0], first[0])
    with pytest.raises(ValueError, match="no actuators"):
        MechanismVectorEnv(scenario("fourbar-fixed"), lambda b, a: np.zeros(1))
