"""Minimal coordinates, derivatives and inverse dynamics from Python."""

import numpy as np
import pytest

import grashof

from models import pendulum, scenario


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
        assert m.velocity_map @ v == pytest.approx(world.twists.ravel(), abs=1e-6)
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
