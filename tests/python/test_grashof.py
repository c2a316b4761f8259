"""The Python module: what it hands out is the engine's own, and what it says is true."""

import gc
import os
import pickle
import resource
import subprocess
import threading

import numpy as np
import pytest

import grashof

from models import SOURCE, pendulum, scenario


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
    with pytest.raises(KeyError, match="no joint 'nobody'"):
        pendulum().joint("nobody")
    joint = pendulum().joints[0]
    with pytest.raises(KeyError, match=f"did you mean '{joint}'"):
        pendulum().joint(joint + "x")
    with pytest.raises(KeyError, match="no body 'nobody'"):
        grashof.World(pendulum()).point("nobody")
    with pytest.raises(grashof.InputError, match="known"):
        grashof.World(pendulum()).channel("energy.lost")
    with pytest.raises(grashof.InputError, match="ADMM"):
        world = grashof.World(scenario("fourbar-fixed"))
        world.step()
        world.problem().solve("MAGIC")
    with pytest.raises(TypeError, match=r"World\(grashof.load\('fourbar.xml'\)\)"):
        grashof.World("fourbar.xml")
    with pytest.raises(TypeError, match="whole number of steps"):
        grashof.World(pendulum()).step(1.5)


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


def test_callbacks_that_are_none_or_step_again_are_refused():
    world = grashof.World(scenario("fourbar-fixed"))
    with pytest.raises(TypeError, match=r"on_step\(5\): needs a function of the world, or None"):
        world.on_step(5)
    world.on_step(lambda w: w.step())
    with pytest.raises(grashof.CallError, match="within a callback of the step"):
        world.step()
    world.on_step(None)
    world.step()
    with pytest.raises(ValueError, match="steps=-3: must not be negative"):
        grashof.Rollout(world, steps=-3)


def test_paths_and_arrays_are_taken_wherever_texts_are(tmp_path):
    file = tmp_path / "ball.xml"
    file.write_text('<scenario><options gravity="0 0 -1"/><parameter name="r" value="0.1"/><body name="b">'
                    '<shape type="sphere" radius="r" mass="1"/></body></scenario>')
    made = grashof.load(file, set={"options.gravity": np.array([0.0, 1.0, -2.5]), "param.r": np.float64(0.25)})
    assert np.array_equal(made.gravity, [0.0, 1.0, -2.5])
    assert made.parameters["r"]["value"] == 0.25
    assert np.array_equal(grashof.load(file, set={"options.gravity": [1, 2, 3]}).gravity, [1, 2, 3])
    made.write(tmp_path / "copy.xml")
    assert grashof.parse(file.read_text(), tmp_path / "other.xml").path == str(tmp_path / "other.xml")
    assert grashof.run(made, tmp_path / "run").steps == 1000
    assert grashof.evaluate(file, ["max:time"])
    with pytest.raises(TypeError):
        grashof.load(5)


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
