"""Dual problems and solvers from Python."""

import numpy as np
import pytest

import grashof

from models import scenario


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
