"""Friction and stiffness of a ball from a record of its bounces, by derivatives of steps through contact.

Usage: identify.py [RECORD.csv]      RECORD: t, x, y, z of the ball's centre (s, m), a row per millisecond

Without a record one is made, with a camera's noise, and the values it was made with are found again. Levenberg and
Marquardt's method on the logarithms of the parameters: the way of the ball and its slopes by them come of one run.
"""

import sys

import numpy as np

import grashof

SCENE = """<scenario>
  <options timestep="2e-4" duration="0.5"/>
  <material name="floor" friction="0.3" stiffness="1e4" hunt-crossley="0.2"/>
  <shape type="plane" material="floor"/>
  <body name="ball" position="0 0 0.12" velocity="2.5 0 0" angular-velocity="0 0 0">
    <shape type="sphere" radius="0.05" mass="0.2" material="floor"/>
  </body>
</scenario>"""
NAMES = ["material[floor].friction", "material[floor].stiffness"]
ROWS, EVERY = 500, 5  # of a record, and the steps between them: a touch of 9 ms takes 45 steps
NOISE = 2e-4  # m, of the record that is made here


def scene(values):
    return grashof.parse(SCENE, set=dict(zip(NAMES, values)))


def way(values, slopes=True):
    """Positions (ROWS, 3), and their slopes (ROWS, 3, parameters) by the logarithms of the values."""
    world = grashof.World(scene(values))
    h = 1e-4
    pairs = [(scene(values * np.exp(-0.5 * h * unit)), scene(values * np.exp(0.5 * h * unit))) for unit in np.eye(len(values))]
    positions, by = [], []
    state = np.zeros((12, len(values)))
    for _ in range(ROWS):
        for _ in range(EVERY):
            if slopes:
                d = grashof.StepDerivative(world)
                state = d.matrices()[0] @ state + np.column_stack([d.by_parameter(less, more, h) for less, more in pairs])
            world.step()
        positions.append(world.positions[0].copy())
        by.append(state[:3].copy())
    return np.array(positions), np.array(by)


def identify(record, values):
    """The values that fit the record best, and the standard errors of their logarithms."""
    damping = 1e-3
    positions, by = way(values)
    for iteration in range(30):
        left = (record - positions).ravel()
        slope = by.reshape(left.size, len(values))
        normal = slope.T @ slope
        print(f"  {iteration:2}: " + ", ".join(f"{n} {v:.6g}" for n, v in zip(NAMES, values))
              + f"; {1e3 * np.sqrt(left @ left / len(record)):.4f} mm rms")
        step = np.linalg.solve(normal + damping * np.diag(np.diag(normal)), slope.T @ left)
        tried = values * np.exp(np.clip(step, -1.0, 1.0))
        found = way(tried, slopes=False)[0]
        if np.sum((record - found) ** 2) < left @ left:
            values, damping = tried, 0.1 * damping
            if np.abs(step).max() < 1e-6:
                break
            positions, by = way(values)
        else:
            damping *= 10.0
            if damping > 1e6:
                break
    spread = left @ left / (left.size - len(values))
    return values, np.sqrt(np.diag(spread * np.linalg.inv(normal)))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        record = np.loadtxt(sys.argv[1], delimiter=",", skiprows=1)[:ROWS, 1:4]
        truth = None
    else:
        truth = np.array([0.22, 2.5e4])
        record = way(truth, slopes=False)[0] + NOISE * np.random.default_rng(1).standard_normal((ROWS, 3))
    values, errors = identify(record, np.array([0.5, 5e3]))
    for k, name in enumerate(NAMES):
        print(f"{name}: {values[k]:.5g} ± {100 * errors[k]:.2f} %" + (f", made with {truth[k]:g}" if truth is not None else ""))
