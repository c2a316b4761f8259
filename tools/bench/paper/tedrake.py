"""Examples of [Tedrake 2020], its appendix on multi-body dynamics: commands and judgements by their closed forms."""

import math
import tempfile

from paper.common import Experiment, records_of

RUN = "grashof run assets/scenarios/{}.xml --csv --quiet"
CART = RUN.format("cart-and-wall")
BRICK_SOLVERS = ("auto", "LCP-LEMKE")
BRICK = {solver: f"{RUN.format('pushed-brick')} --solver {solver}" for solver in BRICK_SOLVERS}
# Inertia over m r² and friction: hollow or solid, sticking or sliding.
SPHERES = [(k, mu) for k in ("2/3", "2/5") for mu in (2.0, 0.2)]
SHELL = {sphere: f"{RUN.format('thrown-shell')} --set param.k={sphere[0]} --set material[default].friction={sphere[1]:g}" for sphere in SPHERES}
WEIGHT, STEP_OF_CART, STEP_OF_BRICK, BRICK_FRICTION = 9.81, 0.1, 0.01, 0.5  # N, s, s


def commands():
    yield from (CART, *BRICK.values(), *SHELL.values())


def table(run, command):
    with tempfile.TemporaryDirectory() as folder:
        run(command, "--out", folder)
        return records_of(folder, command)


# What each part of the data takes.
MEASURES = {
    "cart": lambda run, _: table(run, CART),
    "brick": lambda run, _: {solver: table(run, command) for solver, command in BRICK.items()},
    "shell": lambda run, _: {sphere: table(run, command) for sphere, command in SHELL.items()},
}


def worst(errors):
    """Largest size; NaN stays."""
    errors = [abs(e) for e in errors]
    return math.nan if any(math.isnan(e) for e in errors) else max(errors)


def cart_on_wall(data):
    """q' = max(0, q + h v + h² u/m), f = (q' - q - h v - h² u/m) m/h² of each step; u as in the scenario, in its middle."""
    records = data["cart"]
    if len(records) < 3:
        return None
    h, way, force, held = STEP_OF_CART, [], [], 0
    for a, b in zip(records, records[1:]):
        push = -1.0 if b["time"] < 2.0 + 0.5 * h else 1.0
        free = a["body.cart.position.x"] - 0.05 + h * a["body.cart.velocity.x"] + h * h * push
        end = max(0.0, free)
        way.append(b["body.cart.position.x"] - 0.05 - end)
        force.append(b["contact.world.cart.normal"] - (end - free) / (h * h))
        held += end > free
    return (worst(way) < 1e-8 and worst(force) < 1e-5 and held > 5,
            f"positions to {worst(way):.0e} m, forces to {worst(force):.0e} N, over {len(way)} steps, {held} of them with the wall")


def brick_with_friction(data):
    """v' = w - clamp(w, ±h μ g) with w = v + h u/m."""
    if set(data["brick"]) != set(BRICK_SOLVERS) or min(map(len, data["brick"].values())) < 3:
        return None
    h, numbers, held = STEP_OF_BRICK, {}, True
    for solver, records in data["brick"].items():
        errors, forces, stuck = [], [], 0
        for a, b in zip(records, records[1:]):
            free = a["body.brick.velocity.x"] + h * 10.0 * math.sin(math.pi * (b["time"] - 0.5 * h))
            most = h * BRICK_FRICTION * WEIGHT
            friction = -min(max(free, -most), most)
            errors.append(b["body.brick.velocity.x"] - free - friction)
            forces.append(b["contact.world.brick.force.x"] - friction / h)
            stuck += abs(free) < most
        numbers[solver] = (worst(errors), worst(forces), stuck, len(errors))
        held = held and numbers[solver][0] < 1e-6 and numbers[solver][1] < 1e-4 and 0 < stuck < len(errors)
    return held, "; ".join(f"{solver} velocities to {v:.0e} m/s, forces to {f:.0e} N, {stuck} of {steps} steps stick" for solver, (v, f, stuck, steps) in numbers.items())


def impact(k, friction):
    """Rates (v along the ground, v_n, ω about -y) after the impact of a sphere of 0.1 m, 0.3 kg, e = 0.6, that had (2 m/s, -1 m/s, 10 rad/s)."""
    mass, radius, e, before = 0.3, 0.1, 0.6, (2.0, -1.0, 10.0)
    inertia = k * mass * radius ** 2
    normal = mass * (1.0 + e) * -before[1]
    slip = before[0] + radius * before[2]
    along = -slip / (1.0 / mass + radius ** 2 / inertia)
    if abs(along) > friction * normal:
        along = -math.copysign(friction * normal, slip)
    return before[0] + along / mass, -e * before[1], before[2] + radius * along / inertia


def ball_with_spin(data):
    if set(data["shell"]) != set(SPHERES) or not all(data["shell"].values()):
        return None
    errors, found = {}, {}
    for (k, friction), records in data["shell"].items():
        end = records[-1]
        rates = (end["body.shell.velocity.x"], end["body.shell.velocity.z"], -end["body.shell.angular-velocity.y"])
        errors[k, friction] = worst(0.1 ** (i == 2) * (a - b) for i, (a, b) in enumerate(zip(rates, impact(eval_ratio(k), friction))))
        found[k, friction] = rates
    return (worst(errors.values()) < 1e-7,
            "; ".join(f"{'hollow' if k == '2/3' else 'solid'}, μ {friction:g}: {', '.join(f'{rate:.4g}' for rate in found[k, friction])}" for k, friction in SPHERES)
            + f"; to {worst(errors.values()):.0e} m/s")


def eval_ratio(text):
    over, under = text.split("/")
    return float(over) / float(under)


EXPERIMENTS = [
    Experiment("[Tedrake 2020, cart and wall]", "With semi-implicit Euler, a cart that is pushed against a wall is the complementarity problem q' ≥ 0, f ≥ 0, q' f = 0 of each step.",
               "every step's q' = max(0, q + h v + h² u/m) within 1e-8 m, and f = (m/h²)(q' - q - h v - h² u/m) within 1e-5 N, at 0.1 s; the wall acts in more than 5 steps",
               "any beyond", "", CART, cart_on_wall),
    Experiment("[Tedrake 2020, brick]", "Friction of a brick is a linear complementarity problem with slack variables: it sticks, or brakes with μ m g.",
               "v' = w - clamp(w, ±h μ g) with w = v + h u/m in every step within 1e-6 m/s, and the force of friction within 1e-4 N, with " + " and ".join(BRICK_SOLVERS) + "; some steps stick, some slide",
               "any beyond", "", BRICK["LCP-LEMKE"], brick_with_friction),
    Experiment("[Tedrake 2020, ball]", "A hollow sphere that hits the ground with spin leaves it with v = (3 v - 2 r ω)/5, -e v_n, ω = (2 ω - 3 v/r)/5.",
               "rates (m/s, m/s, rad/s) after the impact, within 1e-7 m/s of the closed form at the surface: for it, for the solid one, and for both where friction 0.2 is too low to stick; thrown with 2, -1, 10, 0.1 m, e = 0.6",
               "any beyond", "", SHELL[SPHERES[0]], ball_with_spin),
]

REASONS = {}

# What is not shown here, and why.
ABSENT = [
    ("[Tedrake 2020]", "hybrid models: impacts located in time, reset maps, switching of active sets",
     "time stepping only: a step of fixed length finds by itself which contacts close, stick and slide in it, with restitution as the reset map. Among many contacts events "
     "accumulate (a ball with e < 1 has infinitely many in finite time) and two at one time have no unique order. An impact is up to a step early or late, which is an error of the first order"),
    ("[Tedrake 2020]", "integrators with error control for stiff contact",
     "elastic contacts are implicit, so that their stiffness does not bound the step (the clutter above: 1e3 to 1e11 N/m at one step); the step is fixed, which keeps runs, islands and derivatives deterministic. "
     "`grashof bench convergence` measures the error of a step instead"),
    ("[Tedrake 2020]", "Todorov's and MuJoCo's relaxation on the cart", "the source gives no numbers; impedances are compared with MuJoCo itself (tests/tools/test_convert_mjcf_contacts.cpp)"),
]
