"""A finger flicks a wheel: torques found by iLQR through contact [Tassa 2012].

Usage: flick.py [FOLDER]      writes FOLDER/flick.xml and flick.csv: `grashof run FOLDER/flick.xml`, then `grashof view`

The finger has two joints with motors, the wheel has none: all that turns it is the touch of the finger's tip on a spoke. Wanted
are 12 rad/s of the wheel after 0.3 s and a finger that rests, by small torques; at first it only pushes. Derivatives of steps through contact make
the linear models, in the tangent coordinates of all bodies; joints hold their own, so no coordinates have to be chosen.
"""

import os
import sys

import numpy as np

import grashof

OUT = sys.argv[1] if len(sys.argv) > 1 else "."
STEPS = 300
WANTED = -12.0  # rad/s, clockwise
TORQUE = 8.0  # weight of a torque's square, 1/(N·m)²
SCENE = """<scenario>
  <options gravity="0 0 0" timestep="1e-3" duration="0.3"/>
  <material name="rubber" friction="0.5" stiffness="3e3" hunt-crossley="0.5"/>
  {motions}
  <body name="upper" position="0.05 0 0"><shape type="capsule" radius="0.008" length="0.084" rpy="0 1.5708 0" mass="0.03" collides="false"/></body>
  <body name="tip" position="0.14 0 0">
    <shape type="capsule" radius="0.008" length="0.064" rpy="0 1.5708 0" mass="0.02" collides="false"/>
    <shape type="sphere" radius="0.01" position="0.04 0 0" mass="0.002" material="rubber"/>
  </body>
  <body name="wheel" position="0.22 0.07 0">
    <shape type="cylinder" radius="0.03" length="0.02" mass="0.06" material="rubber"/>
    <shape type="box" size="0.16 0.012 0.02" mass="0.03" material="rubber"/>
  </body>
  <joint name="knuckle" type="revolute" follower="upper" axis="0 0 1"><dynamics damping="2e-3"/><actuator type="effort" motion="knuckle"/></joint>
  <joint name="middle" type="revolute" base="upper" follower="tip" position="0.1 0 0" axis="0 0 1"><dynamics damping="2e-3"/><actuator type="effort" motion="middle"/></joint>
  <joint name="axle" type="revolute" follower="wheel" position="0.22 0.07 0" axis="0 0 1"><dynamics damping="1e-5"/></joint>
</scenario>"""
ZERO = '<motion name="knuckle" type="constant" value="0"/><motion name="middle" type="constant" value="0"/>'
scenario = grashof.parse(SCENE.format(motions=ZERO))
WHEEL = scenario.bodies.index("wheel")
BODIES = len(scenario.bodies)
SPIN = 6 * (BODIES + WHEEL) + 5  # of the wheel about its axle, in tangent coordinates


def end_cost(world):
    """Cost of the end, its gradient and Hessian in tangent coordinates: the wheel's speed, and the finger's."""
    gradient, hessian = np.zeros(12 * BODIES), np.zeros(12 * BODIES)
    left = world.twists[WHEEL, 5] - WANTED
    cost = 0.5 * left**2
    gradient[SPIN], hessian[SPIN] = left, 1.0
    for body in range(BODIES):
        if body == WHEEL:
            continue
        spin = 6 * (BODIES + body) + 5
        cost += 0.5 * 0.01 * world.twists[body, 5] ** 2
        gradient[spin], hessian[spin] = 0.01 * world.twists[body, 5], 0.01
    return cost, gradient, np.diag(hessian)


def rollout(torques, nominal=None, gains=None, share=1.0, derive=False):
    """The run of these torques, corrected by the gains; its cost, states and the derivatives of its steps."""
    world = grashof.World(scenario)
    made, states, steps, cost = np.array(torques), [], [], 0.0
    for k in range(STEPS):
        if gains is not None:
            feed, back = gains[k]
            made[k] += share * feed + back @ grashof.tangent(nominal[k], world)
        states.append((world.positions.copy(), world.quaternions.copy(), world.twists.copy()))
        world.controls[:] = made[k]
        cost += 0.5 * TORQUE * made[k] @ made[k]
        if derive:
            steps.append(grashof.linearize(world))
        world.step()
    end, gradient, hessian = end_cost(world)
    return cost + end, made, states, steps, gradient, hessian, world


def optimize(torques, iterations=60):
    damping = 1e-3
    cost, torques, states, steps, slope, curvature, world = rollout(torques, derive=True)
    say = True
    for iteration in range(iterations):
        if say:
            print(f"  {iteration:2}: cost {cost:9.5f}, wheel {world.twists[WHEEL, 5]:7.3f} rad/s, largest torque {np.abs(torques).max():.4f} N m")
        gains, gradient, hessian, expected = [], slope, curvature, 0.0
        for k in reversed(range(STEPS)):
            A, B = steps[k]
            by_torque = TORQUE * torques[k] + B.T @ gradient
            square = TORQUE * np.eye(2) + B.T @ hessian @ B
            mixed = B.T @ hessian @ A
            inverse = np.linalg.inv(square + damping * TORQUE * np.eye(2))
            feed, back = -inverse @ by_torque, -inverse @ mixed
            expected -= by_torque @ feed + 0.5 * feed @ square @ feed
            gradient = A.T @ gradient + back.T @ (square @ feed + by_torque) + mixed.T @ feed
            hessian = A.T @ hessian @ A + back.T @ square @ back + back.T @ mixed + mixed.T @ back
            hessian = 0.5 * (hessian + hessian.T)
            gains.insert(0, (feed, back))
        for share in 0.5 ** np.arange(8):
            tried = rollout(torques, states, gains, share)
            if tried[0] < cost - 0.1 * share * (1 - 0.5 * share) * max(expected, 0.0):
                break
        else:
            damping *= 10.0
            say = False
            if damping > 1e6:
                break
            continue
        say = True
        damping = max(1e-6, 0.3 * damping)
        gained = cost - tried[0]
        cost, torques, states, steps, slope, curvature, world = rollout(tried[1], derive=True)
        if gained < 1e-4 * cost:
            break
    return cost, torques, world


if __name__ == "__main__":
    first = np.tile([0.015, 0.0], (STEPS, 1))
    cost, torques, world = optimize(first)
    print(f"the wheel turns at {world.twists[WHEEL, 5]:.3f} rad/s of {WANTED:g} wanted, the largest torque is {np.abs(torques).max():.4f} N m")
    os.makedirs(OUT, exist_ok=True)
    time = 1e-3 * (np.arange(STEPS) + 0.5)  # a torque acts through a step: a signal's value at its middle
    np.savetxt(os.path.join(OUT, "flick.csv"), np.column_stack([time, torques]), delimiter=",", header="t,knuckle,middle", comments="")
    motions = "".join(f'<motion name="{name}" type="series" file="flick.csv" column="{name}" interpolation="linear"/>' for name in ("knuckle", "middle"))
    with open(os.path.join(OUT, "flick.xml"), "w", encoding="utf-8") as file:
        file.write(SCENE.format(motions=motions))
