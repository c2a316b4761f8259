"""A quadruped trots under a whole-body controller, on flat and on bumpy, slippery ground, with one solver after the other.

Usage: trot.py [--out FOLDER] [--speed 0.5] [--duration 10] [--solvers auto,ADMM-NCP-SA,PGS-NCP,RAISIM,ADMM-CCP] [--grounds flat,bumpy]

Writes FOLDER/trot.csv (by ground and solver: mean velocity, residuals, iterations), FOLDER/velocity-GROUND.csv (the velocity of the torso
over time, by solver), and records each walk: `grashof view FOLDER/flat-auto`.

The controller asks for accelerations of the torso and of the four feet, which fix those of all 18 coordinates; the feet in
stance share what M a + h leaves on the six rows of the torso, inside of their cones; the motors do the rest. Feet swing in
diagonal pairs, to where the hip will be in the middle of the next stance [Raibert 1986]. It is told nothing of the ground but
which feet are loaded.
"""

import argparse
import csv
import os

import numpy as np
from scipy.optimize import nnls

import grashof

LEGS = {"left-fore": (0.24, 1), "right-fore": (0.24, -1), "left-hind": (-0.24, 1), "right-hind": (-0.24, -1)}
LEG = """
  <body name="{leg}-hip" position="{x} {y:.2f} 0.5"><inertial mass="0.4" inertia="3.3e-4 4.3e-4 3.3e-4"/><shape type="box" size="0.08 0.06 0.08" collides="false"/></body>
  <body name="{leg}-thigh" position="{thigh:.2f} {z:.2f} 0.39"><inertial mass="0.5" inertia="2.5e-3 2.55e-3 2.5e-4"/><shape type="box" size="0.06 0.05 0.24" collides="false"/></body>
  <body name="{leg}-shank" position="{thigh:.2f} {z:.2f} 0.15">
    <inertial mass="0.2" inertia="1.14e-3 1.14e-3 3e-5"/>
    <shape type="sphere" radius="0.02" position="0.03 0 -0.13"/><shape type="box" size="0.03 0.03 0.26" collides="false"/>
  </body>
  <joint name="{leg}-hip-joint" type="revolute" base="torso" follower="{leg}-hip" position="{x} {a:.2f} 0.5" axis="1 0 0"><limit lower="-1.2" upper="1.2"/><actuator type="effort" motion="none"/></joint>
  <joint name="{leg}-thigh-joint" type="revolute" base="{leg}-hip" follower="{leg}-thigh" position="{x} {z:.2f} 0.5" axis="0 1 0"><limit lower="-1.2" upper="1.2"/><actuator type="effort" motion="none"/></joint>
  <joint name="{leg}-shank-joint" type="revolute" base="{leg}-thigh" follower="{leg}-shank" position="{knee:.2f} {z:.2f} 0.28" axis="0 1 0"><limit lower="-0.5" upper="1.8"/><actuator type="effort" motion="none"/></joint>"""
SCENE = """<scenario>
  <options timestep="0.001" duration="{duration}"/>
  <solver name="{solver}"/>
  <material name="default" friction="{friction}"/>
  {ground}
  <motion name="none" type="constant" value="0"/>
  <body name="torso" position="0 0 0.5"><inertial mass="5.8" inertia="0.04 0.18 0.2"/><shape type="box" size="0.6 0.25 0.14"/></body>{legs}
</scenario>"""
FEET = [(f"{leg}-shank", (0.03, 0.0, -0.13)) for leg in LEGS]
GROUNDS = {"flat": 0.9, "bumpy": 0.3}  # friction


def ground_of(folder, name, level=0.0):
    """The ground, at this height (m) where a walk begins: even, or heights within 0.1 m on a grid of 0.1 m, in a file in the folder."""
    if name == "flat":
        return f'<shape name="ground" type="plane" position="0 0 {level:.6f}"/>'
    x, y = np.meshgrid(np.arange(-2.0, 10.0, 0.1), np.arange(-2.0, 2.01, 0.1))
    waves = np.random.default_rng(2).uniform(-1.0, 1.0, (6, 4))
    heights = sum(np.sin(9.0 * a * x + 9.0 * b * y + 3.0 * c) * d for a, b, c, d in waves)
    heights *= np.clip(np.hypot(x, y) - 0.6, 0.0, 1.0)  # even where it begins
    heights *= 0.1 / np.ptp(heights)
    np.savetxt(os.path.join(folder, "bumps.txt"), heights - heights.min(), fmt="%.5f")
    return f'<shape name="ground" type="height-field" file="bumps.txt" spacing="0.1" position="4 0 {level + heights.min():.6f}"/>'


def scene(folder, ground, solver, duration):
    """The scenario, from a file in the folder."""
    legs = "".join(LEG.format(leg=leg, x=x, y=0.19 * s, a=0.16 * s, z=0.22 * s, thigh=x - 0.03, knee=x - 0.06) for leg, (x, s) in LEGS.items())
    path = os.path.join(folder, f"{ground}-{solver}.xml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(SCENE.format(duration=duration, solver=solver, friction=GROUNDS[ground], ground=ground_of(folder, ground), legs=legs))
    return grashof.load(path)


class Trot:
    """The controller. feet: (body, point of its frame) of left fore, right fore, left hind, right hind; velocity: m/s in the world.

    height: of the torso over the feet, m; grip: the friction that it counts on; limit: of a motor, N m."""

    period, duty, lift, begin = 0.4, 0.55, 0.07, 0.3

    def __init__(self, scenario, feet, velocity, grip, limit=60.0):
        self.scenario, self.feet, self.velocity, self.limit = scenario, feet, np.append(velocity, 0.0), limit
        self.rays = np.array([[grip / np.sqrt(2.0) * a, grip / np.sqrt(2.0) * b, 1.0] for a in (-1, 1) for b in (-1, 1)]).T
        self.m = None
        self.rows = []

    def points(self, world):
        result = []
        for body, (_, point) in zip(self.bodies, self.feet):
            q, v = world.quaternions[body], np.asarray(point)
            turned = 2.0 * np.cross(q[:3], v)
            result.append(world.positions[body] + v + q[3] * turned + np.cross(q[:3], turned))
        return np.array(result)

    def take(self, world):
        """What the figure is, from its first state."""
        scenario = self.scenario
        self.m = grashof.MinimalCoordinates(world)
        self.bodies = [scenario.body(body).index for body, _ in self.feet]
        self.base = scenario.body(self.m.names[0].rpartition(".")[0]).index
        self.legs = [self.m.names.index(name) for name in scenario.actuators]
        points = self.points(world)
        self.home = points - world.positions[self.base]
        self.wish = world.positions[self.base].copy()
        self.left, self.swinging, self.stood = points.copy(), [False] * 4, points[:, 2].copy()

    def swing(self, i, share, point, p, twist, wanted):
        """Where a foot should be, and how fast, in its swing."""
        stance, flight = self.duty * self.period, (1.0 - self.duty) * self.period
        goal = (p + self.home[i] + ((1.0 - share) * flight + 0.5 * stance) * twist + 0.12 * (twist - wanted))[:2]
        way = np.append(goal - self.left[i][:2], 0.0)
        target = self.left[i] + share**2 * (3.0 - 2.0 * share) * way
        speed = 6.0 * share * (1.0 - share) / flight * way
        target[2] += self.lift * np.sin(np.pi * share) - (0.02 * share if share > 0.5 else 0.0)
        speed[2] = self.lift * np.pi * np.cos(np.pi * share) / flight
        return target, speed

    def __call__(self, world):
        if self.m is None:
            self.take(world)
        m = self.m
        m.update()
        rates, points = m.rates(), self.points(world)
        jacobians = [m.jacobian(body, point)[:3] for body, point in self.feet]
        p, twist = world.positions[self.base].copy(), rates[:6]
        wanted = self.velocity * np.clip(world.time - self.begin, 0.0, 1.0)
        contacts = world.contacts()
        loaded = set(contacts.bodies[np.linalg.norm(contacts.forces, axis=1) > 0.0].ravel())
        asked, stance = np.zeros(18), []
        for i in range(4):
            phase = (world.time / self.period + (0.0 if i in (0, 3) else 0.5)) % 1.0
            speed = jacobians[i] @ rates
            if phase >= self.duty and world.time > self.begin:
                share = (phase - self.duty) / (1.0 - self.duty)
                if not self.swinging[i]:
                    self.left[i], self.swinging[i] = points[i], True
                if share < 0.5 or self.bodies[i] not in loaded:  # else it has come down early
                    target, wish = self.swing(i, share, points[i], p, twist[:3], wanted)
                    asked[6 + 3 * i:9 + 3 * i] = 900.0 * (target - points[i]) + 50.0 * (wish - speed)
                    continue
            else:
                self.swinging[i] = False
            stance.append(i)
            self.stood[i] = points[i, 2]
            asked[6 + 3 * i:9 + 3 * i] = -20.0 * speed
        # The torso: at the velocity wanted, at its height over the feet, upright, straight ahead.
        self.wish += world.timestep * wanted
        self.wish = p + np.clip(self.wish - p, -0.15, 0.15)
        self.wish[2] = self.stood.mean() - self.home[:, 2].mean()
        x, y, z, w = world.quaternions[self.base]
        turned = 2.0 * np.array([x, y, z]) * np.sign(w)
        asked[:3] = [8.0, 8.0, 120.0] * (self.wish - p) + [6.0, 6.0, 20.0] * (wanted - twist[:3])
        asked[3:6] = [-200.0, -200.0, -40.0] * turned - 25.0 * twist[3:]
        tasks = np.vstack([np.eye(18)[:6], *jacobians])
        needs = m.mass_matrix() @ np.linalg.solve(tasks.T @ tasks + 1e-6 * np.eye(18), tasks.T @ asked) + m.bias()
        # What the torso needs comes from the feet that stand, by forces in their cones, small ones if there is a choice.
        if stance:
            weights = np.array([1.0, 1.0, 1.0, 3.0, 3.0, 1.0])
            rays = np.hstack([jacobians[i].T @ self.rays for i in stance])
            share, _ = nnls(np.vstack([weights[:, None] * rays[:6], 0.03 * np.eye(rays.shape[1])]),
                            np.append(weights * needs[:6], np.zeros(rays.shape[1])))
            needs = needs - rays @ share
        world.controls[:] = np.clip(needs[self.legs], -self.limit, self.limit)
        report = world.report
        # How far the last step is from the NCP, whatever its solver solves.
        broken = world.problem().residuals(world.impulses()).natural_map if len(self.rows) % 10 == 9 else np.nan
        self.rows.append((world.time, *twist[:3], broken, report.solved, report.iterations))


def walk(scenario, controller, out=""):
    """Rows (time, velocity of the torso, residual of the NCP each tenth time, solved, iterations) of a walk, recorded in `out`."""
    grashof.run(scenario, out, controller)
    return np.array(controller.rows, dtype=float)


def summary(rows, duration):
    """What a walk was like after its first two seconds."""
    late = rows[rows[:, 0] > min(2.0, 0.5 * duration)]
    if not len(late):
        late = rows[-1:]
    walked = rows[-1, 0] > duration - 0.01
    return {"walked_s": round(rows[-1, 0], 3), "velocity": late[:, 1].mean() if walked else float("nan"),
            "ncp_median": np.nanmedian(late[:, 4]), "ncp_worst": np.nanmax(late[:, 4]), "unsolved": 1.0 - late[:, 5].mean(), "iterations": late[:, 6].mean()}


def compare(out, grounds, solvers, duration, make):
    """Walks on all grounds with all solvers. make(folder, ground, solver, duration): scenario and controller."""
    os.makedirs(out, exist_ok=True)
    table = []
    for ground in grounds:
        walks = {}
        for solver in solvers:
            walks[solver] = walk(*make(out, ground, solver, duration), os.path.join(out, f"{ground}-{solver}"))
            table.append({"ground": ground, "solver": solver, **summary(walks[solver], duration)})
            print("{ground:6} {solver:12} {walked_s:6.2f} s  velocity {velocity:6.3f} m/s  NCP within {ncp_median:.1e}, at worst {ncp_worst:.1e}"
                  "  unsolved {unsolved:7.2%}  iterations {iterations:.1f}".format(**table[-1]), flush=True)
        longest = max(walks.values(), key=len)
        curves = [np.append(rows[:, 1], np.full(len(longest) - len(rows), np.nan)) for rows in walks.values()]
        np.savetxt(os.path.join(out, f"velocity-{ground}.csv"), np.column_stack([longest[:, 0], *curves]), delimiter=",",
                   header="time," + ",".join(walks), comments="")
    with open(os.path.join(out, "trot.csv"), "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, table[0])
        writer.writeheader()
        writer.writerows(table)
    return table


def arguments(description, out, speed):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--out", default=out, help=f"folder (default {out})")
    parser.add_argument("--speed", type=float, default=speed, help=f"m/s (default {speed})")
    parser.add_argument("--duration", type=float, default=10.0, help="s (default 10)")
    parser.add_argument("--solvers", default="auto,ADMM-NCP-SA,PGS-NCP,RAISIM,ADMM-CCP", help="separated by commas")
    parser.add_argument("--grounds", default="flat,bumpy", help="separated by commas")
    return parser


if __name__ == "__main__":
    options = arguments(__doc__.partition("\n")[0], "results/trot", 0.5).parse_args()

    def quadruped(folder, ground, solver, duration):
        scenario = scene(folder, ground, solver, duration)
        return scenario, Trot(scenario, FEET, (options.speed, 0.0), 0.7 * GROUNDS[ground])

    compare(options.out, options.grounds.split(","), options.solvers.split(","), options.duration, quadruped)
