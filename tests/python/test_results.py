"""Recorded runs, read by Python."""

import math
import os
import pickle

import numpy as np
import pytest

import grashof

from models import scenario


def test_contacts_of_a_recorded_run_carry_the_weight(tmp_path):
    box = grashof.parse(
        """<scenario><options timestep="0.001" duration="0.1"/><output interval="0" contacts="true"/><shape name="ground" type="plane"/>
        <body name="box" position="0 0 0.1"><inertial mass="2" inertia="0.02 0.02 0.02"/><shape type="box" size="0.2 0.2 0.2"/></body></scenario>"""
    )
    grashof.run(box, str(tmp_path / "out"))
    contacts = grashof.read_contacts(str(tmp_path / "out"))
    start = contacts["start"]
    assert contacts["body_names"] == ["box"] and len(start) == len(contacts["times"]) + 1 == 102
    rows = slice(start[100], start[101])
    assert np.sort(contacts["bodies"][rows]).tolist() == [[-1, 0]] * 4 and contacts["modes"][rows].tolist() == [1] * 4
    sign = np.where(contacts["bodies"][rows, 1:] == 0, 1, -1)  # of what acts on the box
    np.testing.assert_allclose((sign * contacts["impulses"][rows]).sum(axis=0) / contacts["timestep"], [0, 0, 2 * 9.81], atol=1e-5)
    np.testing.assert_allclose(sign * contacts["normals"][rows], [[0, 0, 1]] * 4, atol=1e-9)
    assert abs(contacts["gaps"][rows]).max() < 1e-4 and abs(contacts["slips"][rows]).max() < 1e-7
    for name in ("points", "normals", "slips", "impulses"):
        assert contacts[name].shape == (start[-1], 3)
    grashof.run(scenario("fourbar-fixed", **{"options.duration": 0.1}), str(tmp_path / "other"))
    with pytest.raises(grashof.InputError, match="--contacts"):
        grashof.read_contacts(str(tmp_path / "other"))


def test_a_run_is_resumed_with_its_controller(tmp_path):
    class Counter:
        def __init__(self):
            self.steps = 0

        def __call__(self, world):
            self.steps += 1
            world.wrenches[0, 0] = 0.01 * math.sin(self.steps)
            if self.steps == self.end:
                raise KeyboardInterrupt

        def save(self):
            return str(self.steps).encode()

        def restore(self, memory):
            self.steps = int(memory)

    def run(folder, end, **options):
        counter = Counter()
        counter.end = end
        grashof.run(scenario("fourbar-free", **{"options.duration": 5.0}), str(tmp_path / folder), controller=counter, **options)
        return (tmp_path / folder / "trajectory.h5").read_bytes()

    whole = run("whole", 0)
    with pytest.raises(KeyboardInterrupt):
        run("parts", 4500, checkpoint=0)
    assert run("parts", 0, resume=True) == whole


def test_results_are_read_as_arrays(tmp_path):
    h5py = pytest.importorskip("h5py")
    grashof.run(scenario("fourbar-fixed", **{"options.duration": 0.2}), str(tmp_path / "out"))
    result = grashof.Result(tmp_path / "out")
    world = grashof.World(scenario("fourbar-fixed"))
    world.step(round(0.2 / world.timestep))
    assert result.times[-1] == pytest.approx(world.time)
    assert result["energy.kinetic"][-1] == pytest.approx(world.energy.kinetic, rel=1e-9)
    assert result.joints == world.scenario.joints and result.summary.steps == world.step_count
    with h5py.File(tmp_path / "out" / "trajectory.h5") as file:
        pose = np.asarray(file["bodies/pose"])
    np.testing.assert_array_equal(result.positions, pose[:, :, :3])
    np.testing.assert_allclose(result.quaternions[:, :, [3, 0, 1, 2]], pose[:, :, 3:], atol=1e-15)
    assert any(result.redundant(c) for c in result.channels if c.startswith("joint."))
    assert result.unit("energy.total") == "J" and result.unit("nothing") == ""
    units = world.channels()
    assert units == {c: result.unit(c) for c in result.channels if not c.startswith("contact.")}
    # A point of a body, by its channels and by rotation matrices of SciPy.
    rotation = pytest.importorskip("scipy.spatial.transform").Rotation
    body, point = result.bodies[1], [0.1, -0.2, 0.3]
    expected = np.stack([result[f"body.{body}.position.{axis}"] for axis in "xyz"], axis=1)
    expected = expected + rotation.from_quat(result.quaternions[:, 1]).apply(point)
    np.testing.assert_allclose(result.path(body, point), expected, atol=1e-12)
    with pytest.raises(grashof.InputError, match="energy.kinetic"):
        result["energy.kinetik"]
    with pytest.raises(grashof.InputError, match="contacts"):
        result.contacts
    os.remove(tmp_path / "out" / "summary.json")
    with pytest.raises(grashof.InputError, match="summary.json"):
        result.summary
    (tmp_path / "out" / "trajectory.h5").write_bytes(b"no trajectory")
    with pytest.raises(grashof.InputError):
        grashof.Result(tmp_path / "out")


def test_results_are_drawn_where_matplotlib_is(tmp_path):
    grashof.run(scenario("fourbar-fixed", **{"options.duration": 0.05}), str(tmp_path / "out"))
    result = grashof.Result(tmp_path / "out")
    try:
        import matplotlib
    except ImportError:
        with pytest.raises(ImportError, match="python3-matplotlib"):
            result.plot("energy.kinetic")
        return
    matplotlib.use("Agg")
    loose = next(c for c in result.channels if c.startswith("joint.") and result.redundant(c))
    lines = result.plot("energy.kinetic", loose).get_lines()
    np.testing.assert_array_equal(lines[0].get_ydata(), result["energy.kinetic"])
    assert lines[1].get_linestyle() == "--" and "not unique" in lines[1].get_label()
    path = result.plot_path(result.bodies[0], [0.1, 0, 0]).get_lines()[0]
    np.testing.assert_array_equal(path.get_xdata(), result.path(result.bodies[0], [0.1, 0, 0])[:, 0])
    for body, plane in (("nobody", "xz"), (result.bodies[0], "xyz")):
        with pytest.raises(grashof.CallError):
            result.plot_path(body, plane=plane)


def test_records_have_the_attributes_that_their_classes_name():
    box = grashof.World(scenario("box-on-plane"))
    box.step()
    bars = scenario("fourbar-fixed")
    world = grashof.World(bars)
    world.step()
    problem = box.problem()
    found = [box.contacts(), box.loads(), box.energy, box.report, bars.body(bars.bodies[0]), bars.joint(bars.joints[0]), grashof.mobility(world),
             grashof.reach(world, bars.joints[0]), problem.solve(), problem.residuals(box.impulses()),
             grashof.run(scenario("box-on-plane", **{"options.duration": 0.01})),
             grashof.inverse_dynamics(scenario("slider-crank"), 0.01), scenario("toleranced-fourbar").parameters["a"]]
    assert len({type(r) for r in found}) == len(found)
    for r in found:
        assert set(type(r).__annotations__) == set(r), type(r)
        for name in r:
            assert getattr(r, name) is r[name]
        with pytest.raises(AttributeError, match=next(iter(r))):
            r.nothing
        with pytest.raises(AttributeError):
            r.nothing = 1
        copy = pickle.loads(pickle.dumps(r))
        assert type(copy) is type(r) and list(copy) == list(r) and type(r).__name__ in repr(r)


def test_quaternions_are_x_y_z_w_in_python_and_w_x_y_z_in_files(tmp_path):
    turn = [0.5**0.5, 0.0, 0.0, 0.5**0.5]  # w x y z: a quarter about z
    figure = grashof.Figure("turned", duration=0.002, timestep=1e-3, gravity=[0, 0, 0])
    figure.body("a", mass=1.0, inertia=[0.01, 0.02, 0.03], quaternion=turn)
    turned = figure.scenario()
    expected = [0.0, 0.0, 0.5**0.5, 0.5**0.5]
    np.testing.assert_allclose(grashof.World(turned).quaternions[0], expected, atol=1e-15)
    np.testing.assert_allclose(grashof.Batch(turned, 2)[1].quaternions[0], expected, atol=1e-15)
    np.testing.assert_allclose(turned.body("a").frame_quaternion, [0, 0, 0, 1], atol=1e-15)
    grashof.run(turned, str(tmp_path / "out"))
    result = grashof.Result(tmp_path / "out")
    np.testing.assert_allclose(result.quaternions[-1, 0], expected, atol=1e-15)
    assert result["body.a.quaternion.w"][-1] == pytest.approx(0.5**0.5)
