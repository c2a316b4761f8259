"""The Python module: what it hands out is the engine's own, and what it says is true."""

import gc
import math
import os
import pickle
import resource
import subprocess
import sys
import threading

import numpy as np
import pytest

import grashof
from grashof.env import MechanismEnv, MechanismVectorEnv

SOURCE = os.path.join(os.path.dirname(__file__), "..", "..")


def scenario(name, **set):
    return grashof.load(os.path.join(SOURCE, "assets", "scenarios", name + ".xml"), set)


def pendulum(mass=1.0, **actuator):
    figure = grashof.Figure("pendulum", duration=1.0, timestep=1e-3)
    figure.add("motion", name="u", type="constant", value=0)
    figure.body("bob", mass=mass, inertia=[0.01, 0.01, 0.01], position=[0.3, 0, 0])
    pivot = figure.joint("pivot", "revolute", "bob", position=[0, 0, 0], axis=[0, 1, 0])
    if actuator:
        pivot.add("actuator", motion="u", **actuator)
    return figure.scenario()


def test_arrays_are_the_engines_memory():
    world = grashof.World(scenario("fourbar-fixed"))
    positions, twists, q = world.positions, world.twists, world.coordinates
    before = positions.copy()
    world.step(100)
    assert not np.array_equal(positions, before)
    assert np.array_equal(positions, world.positions)
    assert np.shares_memory(positions, world.positions)
    assert np.shares_memory(twists, world.twists) and np.shares_memory(q, world.coordinates)
    assert np.shares_memory(world.controls, world.controls) or world.controls.size == 0
    assert not positions.flags.owndata and not q.flags.writeable
    # Written through the array, read by the engine.
    world.twists[:] = 0.0
    world.update()
    assert world.energy["kinetic"] == 0.0


def test_arrays_keep_their_world_alive():
    positions = grashof.World(scenario("fourbar-fixed")).positions
    gc.collect()
    assert np.all(np.isfinite(positions))


def test_a_written_state_moves_the_bodies():
    world = grashof.World(pendulum())
    world.twists[0] = 0.0
    world.positions[0] = [0.0, 0.0, 0.3]
    world.quaternions[0] = [0.0, -np.sin(np.pi / 4), 0.0, np.cos(np.pi / 4)]
    world.project()
    assert world.coordinates[0] == pytest.approx(-np.pi / 2)
    world.positions[0, 0] = np.nan
    with pytest.raises(grashof.CallError, match="body 'bob'"):
        world.step()


def test_it_is_the_same_run_as_in_c_plus_plus(tmp_path):
    program = os.environ.get("GRASHOF_PROGRAM")
    if not program:
        pytest.skip("GRASHOF_PROGRAM is not set")
    path = os.path.join(SOURCE, "assets", "scenarios", "fourbar-fixed.xml")
    subprocess.run([program, "run", path, "--csv", "--quiet", "--duration", "0.5", "--out", tmp_path], check=True)
    table = np.genfromtxt(tmp_path / "fourbar-fixed" / "trajectory.csv", delimiter=",", names=True, deletechars="")
    world = grashof.World(grashof.load(path))
    world.step(500)
    assert table["joint.A.q.0"][-1] == world.coordinates[0]
    assert table["energy.total"][-1] == world.channel("energy.total")


def test_a_pendulum_built_in_code_has_the_right_period():
    figure = grashof.Figure("pendulum", duration=10.0, timestep=5e-4)
    figure.body("bob", mass=1.0, inertia=[0.01] * 3, position=[0, 0, -0.5], angular_velocity=[0, 0.01, 0],
                velocity=[-0.005, 0, 0])
    figure.joint("pivot", "revolute", "bob", position=[0, 0, 0], axis=[0, 1, 0])
    world = grashof.World(figure.scenario())
    crossings, last = [], world.coordinates[0]
    for _ in range(20000):
        world.step()
        now = world.coordinates[0]
        if last < 0.0 <= now:
            crossings.append(world.time - 5e-4 * now / (now - last))
        last = now
    period = np.mean(np.diff(crossings))
    assert period == pytest.approx(2 * np.pi * np.sqrt((0.01 + 0.25) / (9.81 * 0.5)), rel=1e-5)


def test_errors_are_exceptions_with_the_same_messages():
    with pytest.raises(grashof.InputError, match="cannot be read"):
        grashof.load("/nowhere.xml")
    with pytest.raises(ValueError) as caught:
        grashof.parse("<scenario>\n<body nme='a'/></scenario>", "figure.xml")
    assert "figure.xml:2: " in str(caught.value)
    file, line, element, message = caught.value.diagnostics[0]
    assert file == "figure.xml" and line == 2 and element and message
    figure = grashof.Figure("wrong")
    figure.body("bob", mass=-1.0, inertia=[1, 1, 1])
    with pytest.raises(grashof.InputError, match=r"^body\[bob\]/inertial: mass=") as caught:
        figure.scenario()
    assert caught.value.diagnostics[0][:3] == ("", 0, "body[bob]/inertial")
    with pytest.raises(KeyError):
        pendulum().joint("nobody")
    with pytest.raises(grashof.InputError, match="known"):
        grashof.World(pendulum()).channel("energy.lost")
    with pytest.raises(grashof.InputError, match="ADMM"):
        world = grashof.World(scenario("fourbar-fixed"))
        world.step()
        world.problem().solve("MAGIC")
    with pytest.raises(TypeError):
        grashof.World("fourbar.xml")


def test_errors_tell_causes_apart(tmp_path):
    for kind, builtin in ((grashof.InputError, ValueError), (grashof.FileError, OSError), (grashof.AssemblyError, RuntimeError),
                          (grashof.CallError, ValueError), (grashof.Diverged, RuntimeError)):
        assert issubclass(kind, grashof.Error) and issubclass(kind, builtin)
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where a folder is wanted")
    with pytest.raises(OSError, match="cannot be written") as unwritable:
        pendulum().write(str(blocked / "pendulum.xml"))
    assert unwritable.value.path == str(blocked / "pendulum.xml")
    torn = grashof.Figure("torn")
    torn.body("bob", mass=1.0, inertia=[0.01, 0.01, 0.01])
    torn.joint("pivot", "spherical", "bob", position=[0, 0, 0])
    other = torn.joint("other", "spherical", "bob")
    other.add("base-frame", position=[0, 0, 2])
    other.add("follower-frame", position=[0, 0, 0])
    with pytest.raises(grashof.AssemblyError, match="do not fit") as apart:
        grashof.World(torn.scenario())
    assert apart.value.violation > 0.1


def test_a_run_that_blows_up_raises_and_keeps_the_state_before():
    world = grashof.World(pendulum())
    world.step(10)
    world.wrenches[0, 3:] = 1e12
    with pytest.raises(grashof.Diverged, match="moves at") as caught:
        world.step(10)
    assert caught.value.time == pytest.approx(0.01)
    assert world.diverged and np.all(np.isfinite(world.twists))
    world.reset()
    world.step(10)
    assert world.diverged is None


def test_callbacks_steer_and_their_errors_come_through():
    world = grashof.World(pendulum(type="effort"))
    seen = []

    def hold(w):
        seen.append(w is world)
        w.controls[0] = -60 * w.coordinates[0] - 6 * w.rates()[0] + 0.0

    world.on_step(hold)
    world.step(3000)
    assert len(seen) == 3000 and all(seen)
    weight = 9.81 * 0.3
    assert 60 * world.coordinates[0] == pytest.approx(weight * np.cos(world.coordinates[0]), rel=1e-3)
    assert world.efforts()[0] == pytest.approx(-60 * world.coordinates[0], rel=1e-3)

    def broken(w):
        raise RuntimeError("the controller gave up")

    world.on_step(broken)
    with pytest.raises(RuntimeError, match="gave up"):
        world.step(5)
    world.on_step(None)
    world.step(5)


def test_a_callback_does_not_keep_its_world_alive():
    import weakref

    class Watcher:
        pass

    watcher = Watcher()
    gone = weakref.ref(watcher)
    world = grashof.World(pendulum())
    world.on_step(lambda w, kept=watcher: None)
    del watcher, world
    gc.collect()
    assert gone() is None


def test_commanded_forces_of_elements_replace_their_motions_and_are_pickled():
    world = grashof.World(scenario("force-elements"))
    motor = world.scenario.forces.index("motor")
    assert world.forces.shape == (len(world.scenario.forces),) and np.all(np.isnan(world.forces))
    world.forces[motor] = 10.0
    world.step(3000)
    # 8 N m at 1 rad and 32 at 2 rad: 10 N m at 1 + 2/24 rad.
    assert world.channel("joint.axle.angle") == pytest.approx(1.0 + 2.0 / 24.0, abs=1e-6)
    assert world.channel("element.motor.force") == pytest.approx(10.0)
    assert pickle.loads(pickle.dumps(world)).forces[motor] == 10.0
    world.reset()
    assert np.isnan(world.forces[motor])


def test_worlds_and_scenarios_are_pickled():
    world = grashof.World(scenario("slider-crank", **{"options.timestep": 5e-4}))
    world.step(137)
    world.controls[:] = 1.25
    world.wrenches[0, 2] = 3.5
    copy = pickle.loads(pickle.dumps(world))
    assert copy.timestep == 5e-4 and copy.step_count == 137
    assert np.array_equal(copy.positions, world.positions)
    assert np.array_equal(copy.twists, world.twists)
    assert np.array_equal(copy.controls, world.controls) and copy.wrenches[0, 2] == 3.5
    again = pickle.loads(pickle.dumps(world.scenario))
    assert again.bodies == world.scenario.bodies
    world.step(50)
    copy.step(50)
    assert np.array_equal(copy.positions, world.positions)
    state = world.save()
    end = (world.step(50), world.positions.copy())[1]
    world.controls[:] = 7.0
    world.restore(state)
    assert np.all(world.controls == 1.25)
    world.step(50)
    assert np.array_equal(world.positions, end)
    with pytest.raises(grashof.InputError):
        grashof.World(pendulum()).restore(state)
    with pytest.raises(grashof.InputError):
        world.restore(b"nonsense")


def test_problems_are_sparse_matrices_that_fit_together():
    sparse = pytest.importorskip("scipy.sparse")
    world = grashof.World(scenario("ten-cube-stack"))
    world.step(20)
    p = world.problem()
    assert p.contacts > 0 and p.rows == p.joint_rows + p.interval_rows + 3 * p.contacts
    j, d = p.jacobian(), p.delassus()
    assert sparse.issparse(j) and j.shape == (p.rows, 6 * p.bodies) and d.shape == (p.rows, p.rows)
    assert abs(p.mass() @ p.inverse_mass() - sparse.identity(6 * p.bodies)).max() < 1e-12
    solution = p.solve("IPM-NCP", tolerance=1e-9)
    assert solution["solved"]
    # v = D λ + v_f is what the twists say, too.
    v = d @ solution["impulse"] + p.free_velocity()
    assert np.allclose(v, j @ solution["twist"].ravel() + p.bias, atol=1e-12)
    r = p.residuals(solution.impulse)
    assert max(r.primal, r.dual, r.complementarity, r.natural_map) < 1e-7
    assert p.residuals(np.zeros(p.rows))["dual"] > 1e-3
    forces = world.contacts()["forces"]
    assert forces[:, 2].sum() > 0 and forces.shape == (p.contacts, 3)
    with pytest.raises(ValueError):
        p.residuals(np.zeros(3))


def test_a_solution_is_a_fixed_point_of_the_projection():
    pytest.importorskip("scipy.sparse")
    world = grashof.World(grashof.parse("""<scenario><shape type="plane"/>
      <body name="box" position="0 0 0.05" velocity="1 0 0"><shape type="box" size="0.2 0.2 0.1" mass="2"/></body>
      <body name="arm" position="0 0 2"><inertial mass="1" inertia="1 1 1"/></body>
      <joint name="hinge" type="revolute" follower="arm" position="0 0 2" axis="0 1 0"><dynamics friction="0.5"/></joint></scenario>"""))
    world.step(5)
    p = world.problem()
    assert p.joint_rows == 5 and p.interval_rows == 1 and p.contacts == 4
    impulse = p.solve("IPM-NCP", tolerance=1e-10).impulse
    velocity = p.delassus() @ impulse + p.free_velocity()
    shifted = p.de_saxce(velocity)
    slip = np.linalg.norm(velocity[6:].reshape(-1, 3)[:, :2], axis=1)
    assert slip.min() > 0.5
    assert shifted[6:].reshape(-1, 3)[:, 2] - velocity[6:].reshape(-1, 3)[:, 2] == pytest.approx(p.friction * slip)
    assert shifted[:6] == pytest.approx(velocity[:6])
    assert p.project(impulse - shifted) == pytest.approx(impulse, abs=1e-8)
    # Without the term sliding contacts are none of its fixed points.
    assert abs(p.project(impulse - velocity) - impulse).max() > 1e-3
    far = np.full(p.rows, 3.0)
    near = p.project(far)
    assert near[:5] == pytest.approx(far[:5]) and near[5] == p.bounds[5 - p.joint_rows][1] < 3.0
    t = near[6:].reshape(-1, 3)
    assert np.linalg.norm(t[:, :2], axis=1) == pytest.approx(p.friction * t[:, 2])
    assert p.project(near) == pytest.approx(near)
    with pytest.raises(ValueError, match="one number a row"):
        p.project(np.zeros(3))


def test_problems_go_through_files(tmp_path):
    world = grashof.World(scenario("fourbar-fixed"))
    world.step(5)
    p = world.problem()
    p.write(str(tmp_path / "p.h5"), "four-bar")
    q = grashof.read_problem(str(tmp_path / "p.h5"))
    d = p.delassus()
    assert q.rows == p.rows and abs(q.delassus() - d).max() < 1e-14 * abs(d).max()


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


@pytest.mark.parametrize("solver", [s for s in grashof.solvers()])
def test_every_solver_can_be_called(solver):
    world = grashof.World(scenario("boxes-fixed"))
    world.step(5)
    p = world.problem()
    s = p.solve(solver, tolerance=1e-6, max_iterations=20000)
    assert np.all(np.isfinite(s["impulse"])) and s["iterations"] >= 0


def test_solvers_take_the_options_of_scenarios():
    world = grashof.World(scenario("box-on-plane"))
    world.step(60)
    p = world.problem()
    few = p.solve("ADMM-NCP-SA", tolerance=1e-6, max_iterations=20000, set={"solver.penalty-step": 0.0})
    many = p.solve("ADMM-NCP-SA", tolerance=1e-6, max_iterations=20000, set={"solver.penalty-exponent": -0.5})
    assert few["factorizations"] == 1 < many["factorizations"]
    with pytest.raises(grashof.Error, match="penalty-stepp"):
        p.solve(set={"solver.penalty-stepp": 1})


def test_mobility_and_reach_of_the_four_bar():
    world = grashof.World(scenario("fourbar-fixed"))
    m = grashof.mobility(world)
    assert m["mobility"] == 1 and m["kutzbach"] == -2 and m["redundant"] == 3
    assert sum(m["redundancy"].values()) == pytest.approx(3.0)
    mode = m["modes"][0]
    # The relative turns around a planar loop add up to none.
    assert mode[0] + mode[1] + mode[2] - mode[3] == pytest.approx(0.0, abs=1e-9)
    r = grashof.reach(world, "A")
    assert r["full_turn"] and r["positions"].shape == (len(r["values"]), 3, 3)
    assert not grashof.reach(world, "D")["full_turn"]


def test_minimal_coordinates_of_a_pendulum_and_a_loop():
    world = grashof.World(pendulum())
    m = grashof.MinimalCoordinates(world)
    assert len(m) == len(m.names) == 1 and m.coordinate_map.shape == (1, 1)
    j = m.jacobian(0)
    assert m.jacobian(world.scenario.bodies[0], [0, 0, 0]) == pytest.approx(j)
    body = world.scenario.body(world.scenario.bodies[0])
    # Free from rest it accelerates by -h/M: the efforts for that are none.
    a = -m.bias() / m.mass_matrix()[0, 0]
    assert m.inverse_dynamics([0.0], a) == pytest.approx([0.0], abs=1e-12)
    assert m.mass_matrix()[0, 0] > body["mass"] * (j[:3, 0] @ j[:3, 0]) - 1e-9
    world.wrenches[0, :3] = [3.0, 0.0, 0.0]
    assert m.inverse_dynamics([0.0], a) == pytest.approx(-j[0] * 3.0, abs=1e-12)

    world = grashof.World(scenario("fourbar-fixed"))
    m = grashof.MinimalCoordinates(world)
    assert len(m) == 1
    for _ in range(3):
        world.step(50)
        m.update()
        v = m.rates()
        assert 0.5 * v @ m.mass_matrix() @ v == pytest.approx(world.energy["kinetic"], rel=1e-6)
        assert m.velocity_map @ v == pytest.approx(world.twists.ravel(), abs=1e-7)
        assert m.bias() == pytest.approx(m.inverse_dynamics(v, [0.0]))
    m.choose()
    with pytest.raises(grashof.CallError, match="2 rates given"):
        m.inverse_dynamics([0.0, 1.0], [0.0])
    with pytest.raises(KeyError):
        m.jacobian("nobody")


def test_points_of_bodies_move_as_their_jacobians_say():
    world = grashof.World(scenario("fourbar-fixed"))
    world.step(100)
    m = grashof.MinimalCoordinates(world)
    name, at = world.scenario.bodies[1], [0.05, 0.02, 0.1]
    before, speed = world.point(name, at), (m.jacobian(name, at) @ m.rates())[:3]
    world.step()
    m.update()
    speed = 0.5 * (speed + (m.jacobian(name, at) @ m.rates())[:3])
    assert np.linalg.norm(speed) > 0.1
    assert (world.point(name, at) - before) / world.timestep == pytest.approx(speed, abs=1e-2 * np.linalg.norm(speed))
    assert np.linalg.norm(world.point(1, at) - world.point(1)) == pytest.approx(np.linalg.norm(at))
    with pytest.raises(KeyError):
        world.point("nobody")
    with pytest.raises(grashof.CallError, match="no body 9"):
        world.point(9)


def test_derivatives_of_a_step_are_differences_of_steps():
    world = grashof.World(pendulum(type="effort"))
    world.controls[0] = 0.5
    world.step(100)
    a, b = grashof.linearize(world)
    assert a.shape == (12, 12) and b.shape == (12, 1)
    start, ends = world.save(), []
    for sign in (1, -1):
        world.restore(start)
        world.controls[0] = 0.5 + sign * 0.1
        world.step()
        ends.append(np.concatenate([world.positions[0], world.twists[0]]))
    slope = (ends[0] - ends[1]) / 0.2
    assert b[[0, 1, 2, 6, 7, 8, 9, 10, 11], 0] == pytest.approx(slope, rel=1e-6, abs=1e-11)
    with pytest.raises(grashof.CallError, match="force elements"):
        grashof.linearize(grashof.World(scenario("andrews-squeezer")))


SLIDING = """<scenario><options gravity="0 0 -9.81"/><material name="m" friction="0.3"/><shape type="plane" material="m"/>
  <body name="box" position="0 0 0.05" velocity="2 0.3 0"><shape type="box" size="0.2 0.2 0.1" mass="2" material="m"/></body></scenario>"""


def test_pullback_through_contact_gives_the_gradient_of_a_run():
    # The way of a sliding box over 100 steps, by the velocity and the friction at its start.
    world = grashof.World(grashof.parse(SLIDING))
    less, more = (grashof.parse(SLIDING, set={"material[m].friction": mu}) for mu in (0.2999, 0.3001))
    steps, by_friction = [], np.zeros(12)
    for _ in range(100):
        d = grashof.StepDerivative(world)
        a, _ = d.matrices()
        by_friction = a @ by_friction + d.by_parameter(less, more, 2e-4)
        steps.append(d)
        world.step()
    y = np.zeros(12)
    y[0] = 1.0
    for d in reversed(steps):
        y, by_control = d.pullback(y)
    assert by_control.shape == (0,)
    # v = v₀ - μ g t e along its direction e, x = v₀ t - ½ μ g t² e.
    t, speed = 0.1, np.hypot(2.0, 0.3)
    assert y[6] == pytest.approx(t - 0.5 * 0.3 * 9.81 * t**2 * 0.3**2 / speed**3, rel=1e-2)
    assert by_friction[0] == pytest.approx(-0.5 * 9.81 * t**2 * 2.0 / speed, rel=2e-2)
    ends = []
    for mu in (0.299, 0.301):
        other = grashof.World(grashof.parse(SLIDING, set={"material[m].friction": mu}))
        other.step(100)
        ends.append(other.positions[0, 0])
    assert by_friction[0] == pytest.approx((ends[1] - ends[0]) / 2e-3, rel=1e-5)
    with pytest.raises(grashof.CallError, match="needs a finite number, not 0"):
        d.by_parameter(less, more, 0.0)
    with pytest.raises(grashof.CallError, match="3 entries instead of 12"):
        d.pullback(np.zeros(3))


def test_tangent_coordinates_are_turns_and_displacements_from_one_state_to_another():
    world = grashof.World(grashof.parse(SLIDING))
    start = (world.positions.copy(), world.quaternions.copy(), world.twists.copy())
    assert grashof.tangent(start, world) == pytest.approx(np.zeros(12))
    half = 0.3
    for sign in (1.0, -1.0):  # both quaternions of the turn by 0.6 rad about z
        turned = sign * np.array([[0.0, 0.0, np.sin(half), np.cos(half)]])
        end = (start[0] + [0.1, 0.2, 0.3], turned, start[2] + [1, 2, 3, 4, 5, 6])
        assert grashof.tangent(start, end) == pytest.approx([0.1, 0.2, 0.3, 0, 0, 0.6, 1, 2, 3, 4, 5, 6])


def test_a_rollout_has_the_gradient_of_its_steps_and_says_what_does_not_fit():
    world = grashof.World(grashof.parse(SLIDING))
    rollout = grashof.Rollout(world, steps=100)
    assert len(rollout) == 100 and world.time == 0.0
    y = np.zeros(12)
    y[0] = 1.0
    gradient, by_controls = rollout.pullback(y)
    assert by_controls.shape == (100, 0)
    steps = []
    for _ in range(100):
        steps.append(grashof.StepDerivative(world))
        world.step()
    assert rollout.state(-1)[0] == pytest.approx(world.positions, abs=1e-9)
    assert rollout.state(0)[0][0] == pytest.approx([0.0, 0.0, 0.05], abs=1e-6)
    expected = y
    for d in reversed(steps):
        expected, _ = d.pullback(expected)
    assert gradient == pytest.approx(expected, rel=1e-5, abs=1e-8)
    # A function of all states is the sum of functions of each.
    each = np.zeros((100, 12))
    each[-1] = y
    assert rollout.pullback(each)[0] == pytest.approx(gradient)
    with pytest.raises(IndexError):
        rollout.state(101)
    with pytest.raises(grashof.CallError, match="instead of 100 x 12"):
        rollout.pullback(np.zeros((3, 12)))
    with pytest.raises(grashof.CallError, match="columns instead of 0"):
        grashof.Rollout(world, np.zeros((3, 2)))


def test_inverse_dynamics_carries_the_motion():
    s = scenario("slider-crank")
    r = grashof.inverse_dynamics(s, duration=0.3)
    assert r["joints"] == ["main"] and r["efforts"].shape == (len(r["times"]), 1)
    with pytest.raises(grashof.InputError):
        grashof.inverse_dynamics(pendulum())


def test_inverse_dynamics_presses_as_asked():
    s = scenario("arm-on-wall", **{"param.c": 0})
    r = grashof.inverse_dynamics(s, duration=0.2, normal_force=20.0)
    assert r.contacts["unsolved"] is None and r.contacts["twist_error"] < 1e-6 and r.contacts["force_error"] < 1e-6
    assert r.contacts["normal_force"] == pytest.approx(20.0)
    assert grashof.inverse_dynamics(scenario("slider-crank"), duration=0.01).contacts is None


def test_contact_inverse_of_a_step():
    text = '''<scenario><motion name="zero" type="constant" value="0"/><material name="default" friction="0.4"/><shape type="plane"/>
      <body name="slide" position="0 0 0.5" velocity="0.4 0 0"><inertial mass="0.5" inertia="0.01 0.01 0.01"/></body>
      <body name="block" position="0 0 0.1" velocity="0.4 0 0"><shape type="box" size="0.3 0.2 0.2" mass="2"/></body>
      <joint name="rail" type="prismatic" follower="slide" position="0 0 0.5" axis="1 0 0"><actuator type="effort" motion="zero"/></joint>
      <joint name="lift" type="prismatic" base="slide" follower="block" position="0 0 0.1" axis="0 0 1"/></scenario>'''
    world = grashof.World(grashof.parse(text))
    inverse = grashof.ContactInverseDynamics(world)
    assert len(inverse) == 4 and inverse.points.shape == (4, 3) and inverse.frames.shape == (4, 3, 3)
    assert inverse.problem().contacts == 4 and all(-1 in pair and 1 in pair for pair in inverse.bodies)
    weight = 2.0 * 9.81
    step = inverse.solve(rates=[0.4, 0.0], forces=[[0.0, 0.0, weight / 4]] * 4)
    assert step.solved and step.change < 1e-12
    assert step.efforts == pytest.approx([0.4 * weight], rel=1e-9)
    assert step.forces[:, 2] == pytest.approx([weight / 4] * 4)
    assert abs(step.residual).max() < 1e-9
    half = inverse.solve(rates=[0.4, 0.0], forces=[[0.0, 0.0, weight / 8]] * 4)
    assert half.residual[1][2] == pytest.approx(weight / 2)
    convex = inverse.solve(rates=[0.4, 0.0], forces=[[0.0, 0.0, weight / 4]] * 4, model="ccp")
    assert not convex.solved and list(convex.unsolved) == [0, 1, 2, 3]
    world.controls[0] = step.efforts[0]
    world.step()
    assert world.twists[1] == pytest.approx(step.twists[1], abs=1e-7)
    inverse.prepare()
    assert inverse.solve(rates=[0.4, 0.0], forces=[]).solved
    with pytest.raises(grashof.CallError, match="rates instead of 2"):
        inverse.solve(rates=[1.0])
    with pytest.raises(ValueError):
        inverse.solve(forces=[1.0, 2.0])
    with pytest.raises(ValueError):
        inverse.solve(model="pyramid")


def test_runs_are_judged(tmp_path):
    result = grashof.run(scenario("fourbar-fixed", **{"options.duration": 0.2}), str(tmp_path))
    assert result["passed"] and result["steps"] == 200 and (tmp_path / "trajectory.h5").exists()
    calls = []
    grashof.run(pendulum(type="effort"), controller=lambda w: calls.append(w.time))
    assert len(calls) == 1000 and calls[1] == pytest.approx(1e-3)


def test_a_motor_bounds_its_joint_and_has_channels():
    figure = grashof.Figure("wheel", duration=1.0, timestep=1e-3)
    figure.add("motion", name="full", type="constant", value=100)
    figure.add("motor", name="m", gear_ratio=5, stall_torque=0.5, no_load_speed=100, torque_constant=0.05, resistance=2)
    figure.body("wheel", mass=1.0, inertia=[0.02] * 3)
    hub = figure.joint("hub", "revolute", "wheel", position=[0, 0, 0], axis=[0, 0, 1])
    hub.add("actuator", type="effort", motion="full", motor="m")
    world = grashof.World(figure.scenario())
    world.step(2000)
    assert world.rates()[0] == pytest.approx(20.0, rel=1e-4)
    assert world.channel("joint.hub.motor-speed.0") == pytest.approx(100.0, rel=1e-4)
    # The time constant is J ω0 / Ts = 0.16 s, and the current at the start 10 A.
    assert world.energy["actuators"] == pytest.approx(0.5 * 0.02 * 20.0**2, rel=0.01)
    assert world.channel("joint.hub.motor-heat.0") == pytest.approx(10.0**2 * 2 * 0.5 * 0.16, rel=0.01)


def test_reactions_carry_the_weight():
    figure = grashof.Figure("hang")
    figure.body("bob", mass=2.0, inertia=[0.1] * 3, position=[0, 0, -1])
    figure.joint("weld", "fixed", "bob", position=[0, 0, 0])
    world = grashof.World(figure.scenario())
    world.step(10)
    assert world.reactions()[0] == pytest.approx([0, 0, 2 * 9.81, 0, 0, 0], abs=1e-9)


def test_loads_by_cause_add_up_to_reactions():
    world = grashof.World(scenario("gear-train"))
    world.step(50)
    loads = world.loads()
    assert loads["causes"] == ["constraint", "drive", "spring", "friction", "limit", "coupling"]
    assert loads["joints"].sum(axis=1) == pytest.approx(world.reactions(), abs=1e-9)
    assert loads["redundant"].shape == (len(world.reactions()), 6)
    assert len(loads["couplings"]) == len(loads["coupling_efforts"]) > 0
    name = loads["couplings"][0]
    assert loads["coupling_efforts"][0, 0] == world.channel(f"coupling.{name}.effort.a")
    four_bar = grashof.World(scenario("fourbar-fixed"))
    four_bar.step(5)
    assert four_bar.loads()["redundant"].any()


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


def test_other_threads_run_while_it_steps():
    world = grashof.World(scenario("fourbar-fixed"))
    ticks = 0
    done = threading.Event()

    def work():
        world.step(20000)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.wait(0.001):
        ticks += 1
    thread.join()
    assert ticks > 5


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


def test_a_function_is_a_solver():
    calls = []

    def borrowed(problem, start, tolerance, max_iterations):
        calls.append(len(start))
        found = problem.solve("NEWTON-NCP", tolerance, max_iterations, start)
        return found["impulse"], found["iterations"]

    grashof.register_solver("BORROWED", borrowed, summary="NEWTON-NCP in disguise")
    assert grashof.solvers()["BORROWED"] == "NEWTON-NCP in disguise"
    world = grashof.World(scenario("fourbar-free", **{"solver.name": "BORROWED"}))
    reference = grashof.World(scenario("fourbar-free", **{"solver.name": "NEWTON-NCP"}))
    world.step(300)
    reference.step(300)
    assert calls and world.report["solved"]
    assert world.positions == pytest.approx(reference.positions, abs=1e-7)
    grashof.register_solver("LAZY", lambda problem, start, tolerance, most: np.zeros_like(start))
    problem = world.problem()
    lazy = problem.solve("LAZY")
    assert not lazy["solved"] and lazy["residual"] > 1e-3  # whatever it says of itself

    def angry(problem, start, tolerance, most):
        raise KeyError("no")

    grashof.register_solver("ANGRY", angry)
    grashof.register_solver("SHORT", lambda *of: [1.0])
    with pytest.raises(KeyError):
        problem.solve("ANGRY")
    with pytest.raises(KeyError):
        grashof.World(scenario("fourbar-free", **{"solver.name": "ANGRY"})).step(300)
    with pytest.raises(ValueError, match="one for each row"):
        problem.solve("SHORT")
    for name, model in (("ADMM", "ncp"), ("a b", "ncp"), ("NEW", "lcp")):
        with pytest.raises(ValueError):
            grashof.register_solver(name, borrowed, model)


def test_a_million_steps_leak_nothing():
    world = grashof.World(pendulum(type="effort"))
    world.on_step(lambda w: None)

    def some(n):
        for _ in range(n):
            world.step()
            world.positions, world.controls, world.contacts(), world.reactions()

    some(20000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    some(int(os.environ.get("GRASHOF_LEAK_STEPS", "100000")))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2048  # KiB


def test_everything_public_is_documented_and_typed():
    stub = open(os.path.join(os.path.dirname(grashof.__file__), "_core.pyi")).read()
    for owner in (grashof, grashof.World, grashof.WorldView, grashof.Batch, grashof.DualProblem, grashof.Scenario, grashof.Study,
                  grashof.StudyResults):
        for name in dir(owner):
            if name.startswith("_") or name in ("figure", "env", "study"):
                continue
            member = getattr(owner, name)
            assert getattr(member, "__doc__", None), f"{owner.__name__}.{name} has no docstring"
            assert name in stub or name in ("Figure", "sweep"), f"{name} is not in the stub"


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
