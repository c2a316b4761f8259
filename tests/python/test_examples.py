"""The examples that differentiate: what they find is what they say."""

import importlib.util
import os

import numpy as np
import pytest

import grashof

SOURCE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))


def example(name, folder="python/examples"):
    spec = importlib.util.spec_from_file_location(name, os.path.join(SOURCE, "tools", folder, f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_friction_and_stiffness_come_back_from_a_noisy_record():
    identify = example("identify")
    truth = np.array([0.22, 2.5e4])
    record = identify.way(truth, slopes=False)[0]
    record += identify.NOISE * np.random.default_rng(4).standard_normal(record.shape)
    values, errors = identify.identify(record, np.array([0.5, 5e3]))
    assert np.all(errors < 2e-3)
    assert np.all(np.abs(np.log(values / truth)) < 4.0 * errors)


def test_slopes_of_a_bounce_by_friction_and_stiffness_are_differences_of_runs():
    identify = example("identify")
    values = np.array([0.22, 2.5e4])
    _, by = identify.way(values)
    for k, unit in enumerate(np.eye(2)):
        more, less = (identify.way(values * np.exp(sign * 1e-3 * unit), slopes=False)[0] for sign in (1.0, -1.0))
        # Between the bounces: kinks of single steps are averaged by the differences.
        assert by[-1, :, k] == pytest.approx((more[-1] - less[-1]) / 2e-3, rel=0.05, abs=2e-4)


def test_a_finger_learns_to_flick_a_wheel():
    flick = example("flick")
    first = np.tile([0.015, 0.0], (flick.STEPS, 1))
    begin = flick.rollout(first)
    cost, torques, world = flick.optimize(first, iterations=12)
    assert begin[0] > 25.0
    assert cost < 2.0
    assert world.twists[flick.WHEEL, 5] == pytest.approx(flick.WANTED, abs=1.0)
    # The torques alone give the run again, and no touch no turn.
    assert flick.rollout(torques)[0] == pytest.approx(cost, rel=1e-9)
    assert flick.rollout(np.zeros_like(first))[6].twists[flick.WHEEL, 5] == 0.0


@pytest.mark.parametrize("ground", ["flat", "bumpy"])
def test_a_quadruped_trots_at_the_speed_asked_for(ground, tmp_path):
    trot = example("trot")
    scenario = trot.scene(str(tmp_path), ground, "auto", 3.0)
    rows = trot.walk(scenario, trot.Trot(scenario, trot.FEET, (0.5, 0.0), 0.7 * trot.GROUNDS[ground]))
    summary = trot.summary(rows, 3.0)
    assert summary["walked_s"] == pytest.approx(2.999)
    assert summary["velocity"] == pytest.approx(0.5, rel=0.2)
    assert summary["ncp_worst"] < 1e-6
    assert summary["unsolved"] == 0.0
    assert abs(rows[rows[:, 0] > 2.0, 2].mean()) < 0.1  # across
    # Without motors it does not walk.
    scenario = trot.scene(str(tmp_path), ground, "auto", 0.8)
    limp = trot.walk(scenario, trot.Trot(scenario, trot.FEET, (0.5, 0.0), 0.5, limit=0.0))
    assert trot.summary(limp, 0.8)["velocity"] != pytest.approx(0.5, rel=0.2)


SOLO = os.path.join(SOURCE, "..", "shared", "zoo", "example-robot-data", "robots", "solo_description", "robots", "solo12.urdf")


@pytest.mark.skipif(not os.path.exists(SOLO), reason="the model of Solo-12 is not beside the project")
@pytest.mark.skipif(not os.environ.get("GRASHOF_PROGRAM"), reason="GRASHOF_PROGRAM names no program")
def test_solo12_trots_on_bumpy_slippery_ground(tmp_path):
    solo = example("solo12", "bench")
    make = solo.maker(solo.prepare(os.environ["GRASHOF_PROGRAM"], SOLO, str(tmp_path)), 0.3)
    summary = solo.trot.summary(solo.trot.walk(*make(str(tmp_path), "bumpy", "auto", 3.0)), 3.0)
    assert summary["velocity"] == pytest.approx(0.3, rel=0.2)
    assert summary["ncp_worst"] < 1e-6
