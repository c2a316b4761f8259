#!/usr/bin/env python3
"""Writes the systems of assets/suite with their motion files and shells. The XML is the artifact; this says where
its numbers come from. Usage: tools/generate_suite.py [FOLDER]

The first thirteen match bodies, joints, constraint rows and mass ratio of the table that tests/physics/test_suite.cpp
holds. All bodies of the four animatronic figures collide. suite_figures.py has the parts of which they are made."""
import math

from scenario_writer import Scene, num, vec
from suite_figures import (added, bumps, Figure, holds, hull_shape, minus, OUT, plus, shell_shape, sway, X, Y, Z)


# ---- Primitives

def primitives():
    s = Figure("box-on-plane", "A cube of 0.2 m slides at 2 m/s on the ground, turning, and stops.", friction=0.5)
    s.ground()
    s.raw('<body name="box" position="0 0 0.1" velocity="2 0.5 0" angular-velocity="0 0 3"><shape type="box" size="0.2 0.2 0.2" mass="1"/></body>')
    s.expect('channel="residual.penetration" max="1e-4"', 'channel="body.box.speed" at="end" max="1e-6"')
    Scene.write(s)

    s = Figure("boxes-fixed", "1000 kg welded on top of 1 kg, dropped on the ground.")
    s.ground()
    s.raw('<body name="light" position="0 0 0.12"><shape type="box" size="0.2 0.2 0.2" mass="1"/></body>\n'
          '<body name="heavy" position="0 0 0.32"><shape type="box" size="0.2 0.2 0.2" mass="1000"/></body>\n'
          '<joint name="weld" type="fixed" base="light" follower="heavy" position="0 0 0.22"/>')
    s.expect('channel="residual.joint" max="1e-8"', 'channel="residual.penetration" max="1e-4"')
    Scene.write(s)

    s = Figure("nunchuk", "Two sticks on ball joints of a ball between them, thrown onto the ground.", friction=0.6)
    s.ground()
    s.raw('<body name="left" position="-0.35 0 0.6" angular-velocity="0 2 1"><shape type="box" size="0.5 0.05 0.05" mass="1"/></body>\n'
          '<body name="ball" position="0 0 0.6"><shape type="sphere" radius="0.05" mass="1"/></body>\n'
          '<body name="right" position="0.35 0 0.6" angular-velocity="1 -2 0"><shape type="box" size="0.5 0.05 0.05" mass="1"/></body>\n'
          '<joint name="a" type="spherical" base="ball" follower="left" position="-0.08 0 0.6"/>\n'
          '<joint name="b" type="spherical" base="ball" follower="right" position="0.08 0 0.6"/>')
    s.expect('channel="residual.joint" max="1e-8"', 'channel="residual.penetration" max="1e-3"')
    Scene.write(s)

    def bar(figure, name, p, q, shapes=None, width=0.03, mass=1.0):
        figure.body(name, [0.5 * (a + b) for a, b in zip(p, q)], [math.dist(p, q), 0.2, width], mass, shapes, None,
                    minus(q, p))

    a, b, c, d = [0, 0, 0], [0.06, 0, 0.08], [0.4, 0, 0.25], [0.35, 0, 0]
    s = Figure("fourbar-fixed", "Four bars of 1 kg, the ground link one of them and welded to the world, the crank driven: "
               "hinges in full, three rows redundant.")
    bar(s, "ground-link", a, d)
    bar(s, "crank", a, b)
    bar(s, "coupler", b, c)
    bar(s, "rocker", d, c)
    s.joint("mount", "fixed", "world", "ground-link", [0.175, 0, 0])
    s.drive(s.joint("A", "revolute", "ground-link", "crank", a, Y), sway(0.6, 0.5), (-3, 3), stiff=10.0)
    s.joint("B", "revolute", "crank", "coupler", b, Y)
    s.joint("C", "revolute", "coupler", "rocker", c, Y)
    s.joint("D", "revolute", "ground-link", "rocker", d, Y)
    s.write()

    s = Figure("fourbar-free", "A square of four bars standing on the ground; one hinge is driven, it shuffles about.")
    s.ground()
    h, low = 0.5, 0.015
    p = [[-0.25, 0, low], [0.25, 0, low], [0.3, 0, low + math.sqrt(h * h - 0.0025)], [-0.2, 0, low + math.sqrt(h * h - 0.0025)]]
    for i, name in enumerate(("bottom", "right", "top", "left")):
        size = '"%s 0.2 0.03"' % num(math.dist(p[i], p[(i + 1) % 4]))
        bar(s, name, p[i], p[(i + 1) % 4], [f"<shape type=\"box\" size={size}/>"])
    for i in range(4):
        j = s.joint(f"hinge{i}", "revolute", ("bottom", "right", "top", "left")[i], ("right", "top", "left", "bottom")[i],
                    p[(i + 1) % 4], Y)
        if i == 0:
            s.drive(j, sway(0.4, 0.7), (-1.2, 1.2), stiff=10.0)
        else:
            j["inner"].append('<dynamics damping="0.02"/>')
    s.raw('<contacts><exclude a="bottom" b="top"/><exclude a="left" b="right"/></contacts>')
    s.write('channel="residual.penetration" max="1e-3"')


# ---- Robots

def arm7d():
    s = Figure("arm7d", "A seven-axis arm on a column, sweeping, running into its joint limits and pressing on a table.")
    s.raw('<shape name="table" type="box" size="0.4 1.2 0.4" position="0.65 0 0.2"/>')
    s.body("column", [0, 0, 0.2], [0.2, 0.2, 0.4], 5.862)
    s.base("column")
    heights, masses, axes = [0.45, 0.6, 0.75, 0.9, 1.05, 1.15, 1.25], [3.0, 2.8, 2.2, 2.0, 1.4, 0.8, 0.3], [Z, Y, Z, Y, Z, Y, Z]
    motions = [sway(0.8, 0.15), bumps(1.6, 4.0, 0.0, 0.8), sway(0.5, 0.2), bumps(1.5, 4.0, 0.05, 0.8), sway(0.9, 0.3),
               sway(0.7, 0.25), sway(1.4, 0.4)]
    parent = "column"
    for i in range(7):
        size = [0.1, 0.1, 0.13] if i < 6 else [0.06, 0.06, 0.08]
        center = [0, 0, heights[i] + 0.5 * size[2]]
        capsule = '<shape type="capsule" radius="%s" length="%s"/>' % (num(0.45 * size[0]), num(size[2] - 0.8 * size[0]))
        parent = s.link(f"link{i + 1}", parent, [0, 0, heights[i]], axes[i], center, size, masses[i], motions[i],
                        [capsule] if i > 2 else None, (-1.3, 1.3), 150.0)
    s.raw('<contacts><exclude a="link4" b="link6"/><exclude a="link5" b="link7"/></contacts>')
    s.write('channel="residual.penetration" max="1e-3"')


def quadruped(name="quadruped", comment="Stands, then trots in place, and is pushed twice from the side.", friction=0.8,
              ground='<shape name="ground" type="plane"/>'):
    s = Figure(name, comment, friction=friction)
    s.raw(ground)
    s.body("torso", [0, 0, 0.5], [0.6, 0.25, 0.14], 5.814, "box")
    bears = (9.5, 0.5)
    for k, (side, fore) in enumerate(((1, 1), (-1, 1), (1, -1), (-1, -1))):
        leg = ("left" if side > 0 else "right") + ("-fore" if fore > 0 else "-hind")
        x, y = 0.24 * fore, 0.16 * side
        phase = 0.0 if side * fore > 0 else 0.5
        s.link(f"{leg}-hip", "torso", [x, y, 0.5], X, [x, y + 0.03 * side, 0.5], [0.08, 0.06, 0.08], 0.4, sway(0.05, 0.5),
               effort=120.0, bears=bears)
        hip = [x, y + 0.06 * side, 0.5]
        knee, foot = plus(hip, [-0.06, 0, -0.22]), plus(hip, [0, 0, -0.48])
        s.link(f"{leg}-thigh", f"{leg}-hip", hip, Y, [0.5 * (a + b) for a, b in zip(hip, knee)], [0.06, 0.05, 0.24], 0.5,
               bumps(-0.35, 0.6, phase), effort=120.0, bears=bears)
        ball = '<shape type="sphere" radius="0.02" position="%s"/>' % vec([0.03, 0, -0.13])
        s.link(f"{leg}-shank", f"{leg}-thigh", knee, Y, plus(knee, [0.03, 0, -0.13]), [0.03, 0.03, 0.26], 0.2,
               bumps(0.7, 0.6, phase), [ball, '<shape type="box" size="0.03 0.03 0.26" collides="false"/>'], (-0.3, 1.6), 120.0, 1.0, bears)
    s.push("torso", [0, 60, 0], 4.0)
    s.push("torso", [30, -60, 0], 7.0)
    s.write('channel="residual.penetration" max="1e-3"', 'channel="body.torso.position.z" at="end" min="0.2"')


LIFT = 0.25  # share of a step's period that a foot is off the ground: too short to fall over far


def biped_leg(s, side, pelvis, y, top, lengths, masses, foot_size, carriers, phase, ankle_roll, effort, step, bears):
    """Hip yaw and roll carriers, thigh, shank, foot (and an ankle carrier): five links, or six with ankle roll."""
    name = "left" if side > 0 else "right"
    hip = [0, y, top]
    s.link(f"{name}-hip-yaw", pelvis, hip, Z, plus(hip, [0, 0, -0.02]), [0.06, 0.06, 0.04], carriers, sway(0.02, 0.4),
           effort=effort, bears=bears)
    s.link(f"{name}-hip-roll", f"{name}-hip-yaw", plus(hip, [0, 0, -0.04]), X, plus(hip, [0, 0, -0.06]), [0.06, 0.06, 0.05],
           carriers, sway(0.01, 0.5), effort=effort, bears=bears)
    hip = plus(hip, [0, 0, -0.08])
    knee = plus(hip, [0, 0, -lengths[0]])
    ankle = plus(knee, [0, 0, -lengths[1]])
    s.link(f"{name}-thigh", f"{name}-hip-roll", hip, Y, plus(hip, [0, 0, -0.5 * lengths[0]]), [0.08, 0.07, lengths[0]],
           masses[0], bumps(-step, 1.0, phase, LIFT), effort=effort, bears=bears)
    s.link(f"{name}-shank", f"{name}-thigh", knee, Y, plus(knee, [0, 0, -0.5 * lengths[1]]), [0.06, 0.06, lengths[1]],
           masses[1], bumps(2 * step, 1.0, phase, LIFT), limits=(-0.1, 1.6), effort=effort, bears=bears)
    sole = ankle[2] - 0.5 * foot_size[2]
    parent = f"{name}-shank"
    if ankle_roll:
        s.link(f"{name}-ankle", parent, ankle, Y, ankle, [0.05, 0.05, 0.03], carriers, bumps(-step, 1.0, phase, LIFT),
               effort=effort, bears=bears)
        s.link(f"{name}-foot", f"{name}-ankle", ankle, X, [0.03, y, sole], foot_size, masses[2], sway(-0.01, 0.5), "box",
               effort=effort, bears=bears)
    else:
        s.link(f"{name}-foot", parent, ankle, Y, [0.03, y, sole], foot_size, masses[2], bumps(-step, 1.0, phase, LIFT), "box",
               effort=effort, bears=bears)


def bdx():
    s = Figure("bdx", "A small biped with a big head on a jointed neck: stands, steps in place, nods, and is pushed.", friction=0.9)
    s.ground()
    top = 0.03 + 0.12 + 0.12 + 0.08
    s.body("torso", [0, 0, top + 0.08], [0.16, 0.14, 0.16], 4.249, "box")
    for side in (1, -1):
        biped_leg(s, side, "torso", 0.07 * side, top, (0.12, 0.12), (0.5, 0.35, 0.25), (0.16, 0.135, 0.03), 0.1,
                  0.0 if side > 0 else 0.5, False, 60.0, 0.25, (8.0, 0.4))
    neck = [0.06, 0, top + 0.16]
    s.link("neck", "torso", neck, Y, plus(neck, [0.02, 0, 0.04]), [0.04, 0.04, 0.08], 0.15, sway(0.2, 0.3), effort=20.0)
    neck = plus(neck, [0.03, 0, 0.08])
    s.link("head-pitch", "neck", neck, Y, neck, [0.03, 0.05, 0.03], 0.1, sway(-0.3, 0.4), effort=20.0)
    s.link("head-yaw", "head-pitch", neck, Z, plus(neck, [0, 0, 0.015]), [0.04, 0.04, 0.03], 0.1, sway(0.5, 0.25), effort=20.0)
    s.link("head", "head-yaw", plus(neck, [0, 0, 0.03]), X, plus(neck, [0.02, 0, 0.08]), [0.14, 0.12, 0.1], 0.6, sway(0.2, 0.5),
           "box", effort=20.0)
    s.push("torso", [0, 8, 0], 5.0)
    s.write('channel="residual.penetration" max="1e-3"', 'channel="body.torso.position.z" min="0.35"')


def lima():
    s = Figure("lima", "A humanoid: stands, steps in place, swings its arms, and is pushed.", friction=0.9)
    s.ground()
    top = 0.05 + 0.4 + 0.4 + 0.08
    s.body("torso", [0, 0, top + 0.25], [0.2, 0.3, 0.5], 16.0695, "box")
    for side in (1, -1):
        biped_leg(s, side, "torso", 0.1 * side, top, (0.4, 0.4), (3.0, 2.0, 0.8), (0.28, 0.195, 0.05), 0.05,
                  0.0 if side > 0 else 0.5, True, 300.0, 0.15, (32.0, 1.0))
        name = "left" if side > 0 else "right"
        p = [0, 0.2 * side, top + 0.44]
        s.link(f"{name}-shoulder", "torso", p, Y, plus(p, [0, 0.02 * side, 0]), [0.06, 0.06, 0.06], 0.4, sway(0.4, 0.5, math.pi * (side < 0)),
               effort=60.0)
        s.link(f"{name}-shoulder-roll", f"{name}-shoulder", plus(p, [0, 0.04 * side, 0]), X, plus(p, [0, 0.05 * side, -0.03]),
               [0.06, 0.06, 0.06], 0.3, sway(0.1 * side, 0.3), effort=60.0)
        elbow = plus(p, [0, 0.06 * side, -0.28])
        s.link(f"{name}-upper-arm", f"{name}-shoulder-roll", plus(p, [0, 0.06 * side, -0.05]), Z, plus(p, [0, 0.06 * side, -0.17]),
               [0.06, 0.06, 0.22], 1.0, sway(0.3, 0.4), effort=60.0)
        s.link(f"{name}-forearm", f"{name}-upper-arm", elbow, Y, plus(elbow, [0, 0, -0.13]), [0.05, 0.05, 0.26], 0.9,
               bumps(-0.9, 2.0, 0.5 * (side < 0), 0.9), "box", effort=60.0)
    s.push("torso", [0, 40, 0], 5.0)
    s.write('channel="residual.penetration" max="1e-3"', 'channel="body.torso.position.z" min="0.9"')


def quadruped_bumpy():
    folder = OUT / "meshes"
    folder.mkdir(parents=True, exist_ok=True)
    n, spacing = 41, 0.1
    rows = [" ".join(f"{0.006 * math.sin(2.1 * i) * math.cos(1.7 * j) - 0.006:.5f}" for i in range(n)) for j in range(n)]
    (folder / "bumps.txt").write_text("\n".join(rows) + "\n")
    quadruped("quadruped-bumpy", "The quadruped trots on bumpy ground of low friction, slips, and is pushed.", 0.35,
              f'<shape name="ground" type="height-field" file="meshes/bumps.txt" spacing="{num(spacing)}"/>')


# ---- Figures

def misha():
    s = Figure("misha", "A bear on a stand: bows, knocks on a board with its paws and slaps the stand with them, turns its head and speaks; its ears "
               "press on its hat. Two four-bars, all of whose hinges have motors: 23 motors for 17 degrees of freedom. Jaw, elbows and wrists "
               "reach their stops.", collide=True)
    s.raw(hull_shape([0.05, 1.0, 0.5], 0, [0.34, 0, 0.65], "board"))
    s.body("stand", [0, 0, 0.3], [0.4, 0.4, 0.6], 9.067, [hull_shape([0.4, 0.4, 0.5], position=(0, 0, -0.05))])
    s.base("stand")
    s.planar("torso", "stand", [-0.12, 0, 0.55], [0, 0, 0.65], Y, [-0.11, 0, 0.02], [0, 0, 0.85], [0.25, 0.3, 0.35], 5.0, 0.12,
             sway(0.12, 0.25), [shell_shape("misha-torso", (0.15, 0.19, 0.22))], motors=4)
    s.link("neck", "torso", [0, 0, 1.08], Z, [0, 0, 1.12], [0.08, 0.08, 0.08], 0.4, sway(0.5, 0.2))
    s.link("head", "neck", [0, 0, 1.16], Y, [0.02, 0, 1.26], [0.2, 0.2, 0.2], 1.5, sway(0.2, 0.35),
           [shell_shape("misha-head", (0.12, 0.12, 0.1))])
    s.planar("jaw", "head", [-0.03, 0, 1.26], [0.06, 0, 1.2], Y, [-0.02, 0, -0.03], [0.14, 0, 1.17], [0.1, 0.08, 0.02], 0.15, 0.1,
             added(bumps(0.3, 0.5, 0.0, 0.9), -0.04), stops=(0.0, 0.4), motors=4)
    for side in (1, -1):
        name = "left" if side > 0 else "right"
        s.link(f"{name}-eye", "head", [0.12, 0.05 * side, 1.29], Z, [0.125, 0.05 * side, 1.29], [0.03, 0.03, 0.03], 0.1, sway(0.3, 0.7))
        s.link(f"{name}-ear", "head", [0, 0.09 * side, 1.34], X, [0, 0.1 * side, 1.38], [0.03, 0.05, 0.06], 0.1,
               added(sway(0.35, 0.9), 0.2 * side))
        p = [0, 0.21 * side, 0.98]
        reach = holds(-1.45, 4.0, 0.2, 0.9) if side > 0 else bumps(-1.7, 2.0, 0.25, 0.8)
        s.link(f"{name}-shoulder", "torso", p, Y, plus(p, [0, 0.03 * side, 0]), [0.08, 0.06, 0.08], 0.5, sway(0.2, 0.5, math.pi * (side > 0)))
        s.link(f"{name}-arm", f"{name}-shoulder", plus(p, [0, 0.06 * side, 0]), X, plus(p, [0, 0.08 * side, -0.12]), [0.08, 0.08, 0.22], 0.9,
               added(bumps(0.4 * side, 4.0, 0.0, 0.4), bumps(-0.22 * side, 4.0, 0.5, 0.5)))
        elbow = plus(p, [0, 0.08 * side, -0.24])
        s.link(f"{name}-forearm", f"{name}-arm", elbow, Y, plus(elbow, [0, 0, -0.1]), [0.07, 0.07, 0.2], 0.6,
               added(reach, 0.05), [shell_shape("misha-forearm", (0.045, 0.045, 0.11))], (-1.8, 0.0))
        s.link(f"{name}-paw", f"{name}-forearm", plus(elbow, [0, 0, -0.21]), Y, plus(elbow, [0, 0, -0.25]), [0.08, 0.08, 0.08], 0.3,
               sway(0.4, 0.8), limits=(-0.35, 0.35))
    s.link("hat", "head", [0, 0, 1.37], Y, [0, 0, 1.41], [0.12, 0.12, 0.06], 0.15, sway(0.2, 0.6))
    s.write('channel="residual.penetration" max="1e-3"')


def walker():
    s = Figure("walker", "A free biped whose hips, knees and ankles are driven through push-rods: six four-bars, each with a second motor "
               "at its hinge, 24 motors in all. Stands, steps in place on knees that straighten to their stops, beats the ground with its tail, slaps "
               "its hips, and is pushed.", friction=0.9, collide=True)
    s.ground()
    top = 0.06 + 0.3 + 0.3 + 0.1
    s.body("pelvis", [0, 0, top + 0.08], [0.2, 0.24, 0.16], 4.9775)
    bears = (16.0, 0.8)
    for side in (1, -1):
        name = "left" if side > 0 else "right"
        y, phase = 0.11 * side, 0.0 if side > 0 else 0.5
        hip = [0, y, top]
        s.link(f"{name}-hip-yaw", "pelvis", hip, Z, plus(hip, [0, 0, -0.02]), [0.08, 0.07, 0.04], 0.3, sway(0.02, 0.4), bears=bears)
        s.link(f"{name}-hip-roll", f"{name}-hip-yaw", plus(hip, [0, 0, -0.04]), X, plus(hip, [0, 0, -0.07]), [0.08, 0.07, 0.06], 0.3,
               sway(0.01, 0.5), bears=bears)
        hip = plus(hip, [0, 0, -0.1])
        knee, ankle = plus(hip, [0, 0, -0.3]), plus(hip, [0, 0, -0.6])
        s.planar(f"{name}-thigh", f"{name}-hip-roll", plus(hip, [-0.01, 0, 0.06]), hip, Y, [-0.05, 0, 0], plus(hip, [0, 0, -0.15]),
                 [0.08, 0.08, 0.3], 1.6, 0.05, bumps(-0.2, 1.0, phase, LIFT), bears=bears, motors=2)
        s.planar(f"{name}-shank", f"{name}-thigh", plus(knee, [-0.01, 0, 0.2]), knee, Y, [-0.05, 0, 0.005], plus(knee, [0, 0, -0.15]),
                 [0.07, 0.07, 0.3], 1.0, 0.05, added(bumps(0.4, 1.0, phase, LIFT), sway(0.02, 0.35, 1.0)), bears=bears, stops=(0.0, 1.2), motors=2)
        s.planar(f"{name}-foot", f"{name}-shank", plus(ankle, [-0.01, 0, 0.2]), ankle, Y, [-0.05, 0, 0.005], plus(ankle, [0.03, 0, -0.03]),
                 [0.26, 0.215, 0.06], 0.6, 0.05, bumps(-0.2, 1.0, phase, LIFT), [hull_shape([0.26, 0.215, 0.06], 2)],
                 bears=bears, motors=2)
        p = [0, 0.2 * side, top + 0.42]
        s.link(f"{name}-arm", "spine", p, X, plus(p, [0, 0.03 * side, -0.12]), [0.06, 0.06, 0.24], 0.5,
               added(bumps(0.5 * side, 3.0, 0.0, 0.4), holds(-0.4 * side, 3.0, 0.5, 0.5)))
        elbow = plus(p, [0, 0.03 * side, -0.25])
        s.link(f"{name}-forearm", f"{name}-arm", elbow, Y, plus(elbow, [0, 0, -0.1]), [0.05, 0.05, 0.2], 0.3,
               added(bumps(-0.7, 3.0, 0.0, 0.4), sway(0.06, 0.4, 2 * math.pi * phase)), limits=(-1.2, 0.0))
    s.link("spine", "pelvis", [0, 0, top + 0.18], Z, [0, 0, top + 0.32], [0.14, 0.24, 0.24], 2.0, sway(0.1, 0.3),
           [shell_shape("walker-spine", (0.09, 0.14, 0.14))])
    s.link("neck", "spine", [0, 0, top + 0.47], Z, [0, 0, top + 0.5], [0.05, 0.05, 0.06], 0.2, sway(0.4, 0.3))
    s.link("head", "neck", [0, 0, top + 0.54], Y, [0.02, 0, top + 0.63], [0.14, 0.12, 0.16], 0.7, sway(0.2, 0.4),
           [shell_shape("walker-head", (0.08, 0.07, 0.08))])
    root, tip = [-0.12, 0, top + 0.08], [-0.6, 0, 0.04]
    s.bar("tail", root, tip, 0.04, 0.15, "pelvis")
    s.drive(s.joint("tail-joint", "revolute", "pelvis", "tail", root, Y), added(bumps(0.35, 2.0, 0.0, 0.5), -0.15), (-0.2, 0.2))
    s.push("pelvis", [0, 15, 0], 5.0)
    s.write('channel="residual.penetration" max="1e-3"', 'channel="body.pelvis.position.z" min="0.7"')


def gazelle():
    s = Figure("gazelle", "An animal on a post: nods, lays its jaw on a manger and its nose against the rack above, chews, moves its ears on "
               "ball-ended push-rods, wags its tail and gallops in the air; four four-bars and three spatial linkages. Its hooves beat on two drums, "
               "its tail on a stake, its chin now and then on its throat. Jaw, knees, fetlocks and the sprung tip of its tail reach their stops.",
               collide=True)
    s.raw(hull_shape([0.36, 0.4, 0.04], 2, [0.76, 0, 1.355], "manger"))
    s.raw(hull_shape([0.04, 0.4, 0.2], 0, [0.72, 0, 1.56], "rack"))
    s.raw(hull_shape([0.34, 0.5, 0.1], 2, [0.3, 0, 0.235], "fore-drum"))
    s.raw(hull_shape([0.34, 0.5, 0.1], 2, [-0.3, 0, 0.235], "hind-drum"))
    s.raw(hull_shape([0.06, 0.06, 1.1], 2, [-0.57, 0.08, 0.55], "stake"))
    s.body("post", [0, 0, 0.4], [0.2, 0.2, 0.8], 20.2508)
    s.base("post")
    s.planar("torso", "post", [-0.1, 0, 0.78], [0, 0, 0.88], Y, [-0.09, 0, 0.02], [0, 0, 1.0], [0.7, 0.26, 0.26], 6.0, 0.05, sway(0.08, 0.3),
             [shell_shape("gazelle-torso", (0.36, 0.14, 0.14))])
    s.planar("neck", "torso", [0.22, 0, 1.0], [0.33, 0, 1.08], Y, [-0.03, 0, 0.05], [0.4, 0, 1.2], [0.1, 0.1, 0.26], 0.9, 0.03, sway(0.2, 0.35))
    s.spatial("throat", "neck", [0.4, 0.06, 1.2], X, [0, 0.04, 0], [0.46, 0, 1.33], X, [0, 0.045, 0.01], [0.47, 0, 1.38], [0.06, 0.08, 0.1], 0.4,
              0.02, sway(0.25, 0.3))
    s.link("head-yaw", "throat", [0.47, 0, 1.43], Z, [0.47, 0, 1.45], [0.06, 0.06, 0.04], 0.2, sway(0.4, 0.25))
    s.link("head", "head-yaw", [0.47, 0, 1.47], Y, [0.55, 0, 1.5], [0.24, 0.12, 0.12], 0.8, sway(0.15, 0.4),
           [shell_shape("gazelle-head", (0.12, 0.06, 0.06))])
    s.planar("jaw", "head", [0.5, 0, 1.5], [0.54, 0, 1.45], Y, [-0.01, 0, -0.025], [0.6, 0, 1.42], [0.14, 0.06, 0.02], 0.1, 0.02,
             added(bumps(0.3, 0.6, 0.0, 0.9), -0.04), stops=(0.0, 0.4))
    for side in (1, -1):
        name = "left" if side > 0 else "right"
        s.spatial(f"{name}-ear", "head", [0.46, 0.03 * side, 1.5], Y, [0.02, 0, 0.005], [0.49, 0.05 * side, 1.57], X, [0, -0.02 * side, 0.008],
                  [0.49, 0.07 * side, 1.62], [0.02, 0.04, 0.1], 0.05, 0.02, sway(0.25, 0.8, 0.5 * side), limits=(-0.6, 0.6))
        for fore in (1, -1):
            leg = f"{name}-{'fore' if fore > 0 else 'hind'}"
            phase = 1.6 * (fore > 0) + 0.4 * side
            hip = [0.27 * fore, 0.17 * side, 0.95]
            s.link(f"{leg}-leg", "torso", hip, Y, plus(hip, [0, 0, -0.16]), [0.07, 0.05, 0.32], 0.7, sway(0.35, 0.6, phase))
            knee = plus(hip, [0, 0, -0.32])
            s.link(f"{leg}-shin", f"{leg}-leg", knee, Y, plus(knee, [0, 0, -0.13]), [0.04, 0.04, 0.26], 0.35, sway(0.35, 0.6, phase + 1.2),
                   limits=(-0.1, 0.6))
            hoof = plus(knee, [0, 0, -0.26])
            s.link(f"{leg}-hoof", f"{leg}-shin", hoof, Y, plus(hoof, [0.01, 0, -0.04]), [0.05, 0.04, 0.07], 0.1, sway(0.3, 0.6, phase + 2.0),
                   limits=(-0.25, 0.25))
    s.planar("tail", "torso", [-0.24, 0, 1.0], [-0.36, 0, 1.05], Y, [0.01, 0, 0.04], [-0.4, 0, 1.03], [0.1, 0.03, 0.03], 0.1, 0.02, sway(0.3, 0.9))
    s.link("tail-middle", "tail", [-0.45, 0, 1.02], Z, [-0.49, 0, 1.01], [0.08, 0.02, 0.02], 0.05, sway(0.4, 1.1))
    s.link("tail-tip", "tail-middle", [-0.53, 0, 1.0], Y, [-0.57, 0, 0.99], [0.08, 0.02, 0.02], 0.03, stops=(-0.15, 0.15))
    s.write('channel="residual.penetration" max="1e-3"')


def ironman():
    s = Figure("ironman", "A figure from the hips up: thirteen closed loops (waist, neck, jaw and elbows on four-bars; chest, head, eyes, shoulders "
               "and wrists on ball-ended push-rods) and fourteen links, seven of them sprung; it gestures, looks about, speaks, drums on a panel "
               "with its fingers and slaps its hips; its sprung thumbs rest on its fingers. Jaw, eyes, elbows, wrists and sprung parts reach their "
               "stops. Bodies from 1 g to 25.5 kg.", collide=True)
    s.raw(hull_shape([0.05, 1.3, 0.6], 0, [0.33, 0, 1.05], "panel"))
    s.body("hips", [0, 0, 0.9], [0.3, 0.35, 0.2], 25.54444)
    s.base("hips")
    rod = 0.02
    s.planar("abdomen", "hips", [-0.11, 0, 0.95], [0, 0, 1.03], Y, [-0.1, 0, 0.02], [0, 0, 1.1], [0.2, 0.25, 0.14], 5.0, rod, sway(0.12, 0.25))
    s.spatial("chest", "abdomen", [-0.08, 0.1, 1.1], X, [0, 0.06, 0], [0, 0, 1.2], X, [-0.08, 0.16, 0.01], [0, 0, 1.38], [0.24, 0.32, 0.32], 9.0, rod,
              sway(0.12, 0.3), [shell_shape("ironman-chest", (0.13, 0.16, 0.18))])
    s.link("chest-plate", "chest", [0.14, 0, 1.5], Y, [0.15, 0, 1.42], [0.01, 0.2, 0.16], 0.3, stops=(-0.02, 0.02))
    s.planar("neck", "chest", [-0.07, 0, 1.5], [0, 0, 1.58], Y, [-0.05, 0, 0.01], [0, 0, 1.63], [0.07, 0.07, 0.1], 0.5, 0.01, sway(0.15, 0.4))
    s.spatial("skull", "neck", [0, 0.05, 1.62], X, [0, 0.03, 0], [0, 0, 1.69], X, [0, 0.075, 0.005], [0, 0, 1.72], [0.07, 0.07, 0.05], 0.3, 0.01,
              sway(0.12, 0.35))
    s.link("head", "skull", [0, 0, 1.75], Z, [0.02, 0, 1.84], [0.18, 0.15, 0.18], 1.2, sway(0.5, 0.2),
           [shell_shape("ironman-head", (0.09, 0.075, 0.09))])
    s.planar("jaw", "head", [0.0, 0, 1.82], [0.05, 0, 1.78], Y, [-0.01, 0, -0.02], [0.1, 0, 1.75], [0.08, 0.06, 0.02], 0.08, 0.004,
             added(bumps(0.35, 0.45, 0.0, 0.9), -0.12), stops=(0.0, 0.3))
    for side in (1, -1):
        name = "left" if side > 0 else "right"
        eye = [0.1, 0.035 * side, 1.86]
        s.spatial(f"{name}-eye", "head", [0.04, 0.015 * side, 1.87], Y, [0, 0, 0.012], eye, Z, [-0.002, 0.014 * side, 0.002], plus(eye, [0.003, 0, 0]),
                  [0.024, 0.024, 0.024], 0.01, 0.001, sway(0.25, 0.6), limits=(-0.5, 0.5), stops=(-0.22, 0.22))
        s.link(f"{name}-antenna", "head", [0, 0.07 * side, 1.92], X, [0, 0.075 * side, 1.97], [0.006, 0.006, 0.1], 0.004, stops=(-0.02, 0.02))
        p = [0, 0.2 * side, 1.5]
        s.spatial(f"{name}-shoulder", "chest", [-0.09, 0.12 * side, 1.38], Y, [-0.05, 0, 0], p, Y, [-0.05, 0, 0.01], plus(p, [0, 0.03 * side, 0]),
                  [0.1, 0.07, 0.1], 0.8, rod, sway(0.35, 0.3, 1.5 * side))
        s.link(f"{name}-shoulder-roll", f"{name}-shoulder", plus(p, [0, 0.07 * side, 0]), X, plus(p, [0, 0.08 * side, -0.03]), [0.07, 0.07, 0.07], 0.4,
               added(bumps(0.3 * side, 4.0, 0.0, 0.3), holds(-0.25 * side, 4.0, 0.7, 0.7)))
        s.link(f"{name}-upper-arm", f"{name}-shoulder-roll", plus(p, [0, 0.08 * side, -0.07]), Z, plus(p, [0, 0.08 * side, -0.18]), [0.07, 0.07, 0.2], 0.9,
               sway(0.2, 0.4))
        elbow = plus(p, [0, 0.08 * side, -0.3])
        s.planar(f"{name}-forearm", f"{name}-upper-arm", plus(elbow, [-0.01, 0, 0.16]), elbow, Y, [-0.035, 0, 0.005], plus(elbow, [0, 0, -0.06]),
                 [0.06, 0.06, 0.12], 0.5, 0.01, holds(-1.1, 1.5, 0.5 * (side < 0), 0.9), limits=(-1.2, 0.6), stops=(-1.2, 0.0))
        s.link(f"{name}-twist", f"{name}-forearm", plus(elbow, [0, 0, -0.12]), Z, plus(elbow, [0, 0, -0.17]), [0.05, 0.05, 0.1], 0.3, sway(0.4, 0.5))
        wrist = plus(elbow, [0, 0, -0.23])
        s.spatial(f"{name}-hand", f"{name}-twist", plus(elbow, [-0.02, 0.01 * side, -0.16]), X, [0, 0.02 * side, 0], wrist, Y, [-0.03, 0, 0.004],
                  plus(wrist, [0, 0, -0.04]), [0.07, 0.03, 0.08], 0.25, 0.006, sway(0.3, 0.7), limits=(-0.7, 0.7), stops=(-0.25, 0.25))
        s.link(f"{name}-thumb", f"{name}-hand", plus(wrist, [0.037, 0, -0.03]), Y, plus(wrist, [0.037, 0, -0.065]), [0.015, 0.015, 0.07], 0.01,
               stops=(-0.3, 0.3), rest=0.3)
        s.link(f"{name}-finger", f"{name}-hand", plus(wrist, [0, 0, -0.08]), Y, plus(wrist, [0, 0, -0.11]), [0.05, 0.02, 0.06], 0.02, stops=(-0.3, 0.3))
    s.write('channel="residual.penetration" max="1e-3"')


# ---- Systems of the other papers

def loose(s, name, position, shape, mass, more=""):
    s.raw(f'<body name="{name}" position="{vec(position)}"{more}><shape {shape} mass="{num(mass)}"/></body>')


def cube(edge):
    return f'type="box" size="{num(edge)} {num(edge)} {num(edge)}"'


def others():
    still = 'channel="residual.penetration" max="2e-3"'

    s = Figure("stack15-hit", "Fifteen cubes from 1 to 1e4 kg, the heaviest on top, hit by a ball of 1e3 kg.", duration=5.0)
    s.ground()
    for i in range(15):
        loose(s, f"cube{i}", [0, 0, 0.1 + 0.2 * i], cube(0.2), 10 ** (4 * i / 14))
    loose(s, "ball", [-2.0, 0, 1.5], 'type="sphere" radius="0.2"', 1000.0, ' velocity="4 0 1"')
    s.expect(still)
    Scene.write(s)

    s = Figure("light-on-heavy", "Ten cubes of 1 g on a cube of 1000 kg, and ten under one of 1000 kg.", duration=5.0)
    s.ground()
    loose(s, "below", [0, 0, 0.25], cube(0.5), 1000.0)
    for i in range(10):
        loose(s, f"top{i}", [0, 0, 0.525 + 0.05 * i], cube(0.05), 1e-3)
        loose(s, f"under{i}", [2 + 0.12 * (i % 4 - 1.5), 0.15 * (i // 4 - 1), 0.025], cube(0.05), 1e-3)
    loose(s, "above", [2, 0, 0.3], cube(0.5), 1000.0)
    s.expect(still)
    Scene.write(s)

    s = Figure("clutter", "Forty objects of four shapes fall into a box.", friction=0.5, duration=4.0)
    for i, (x, y, size) in enumerate(((0, 0, "1 1 0.1"), (0.5, 0, "0.1 1.1 0.8"), (-0.5, 0, "0.1 1.1 0.8"), (0, 0.5, "1.1 0.1 0.8"),
                                      (0, -0.5, "1.1 0.1 0.8"))):
        s.raw(f'<shape name="wall{i}" type="box" size="{size}" position="{vec([x, y, -0.05 if i == 0 else 0.4])}"/>')
    shapes = [cube(0.12), 'type="sphere" radius="0.07"', 'type="capsule" radius="0.04" length="0.1"', 'type="cylinder" radius="0.06" length="0.1"']
    for i in range(40):
        layer, place = divmod(i, 9)
        p = [0.26 * (place % 3 - 1) + 0.02 * math.sin(7 * i), 0.26 * (place // 3 - 1) + 0.02 * math.cos(5 * i), 0.2 + 0.22 * layer]
        loose(s, f"object{i}", p, shapes[i % 4], 0.3 + 0.1 * (i % 7), f' rpy="{vec([0.3 * math.sin(i), 0.4 * math.cos(3 * i), i])}"')
    s.expect('channel="residual.penetration" max="1e-2"')
    Scene.write(s)

    s = Figure("conveyor", "A tray that swings to and fro, slowly one way and fast the other, carries boxes along by friction.", friction=0.4)
    s.ground()
    loose(s, "tray", [0, 0, 0.3], 'type="box" size="2 0.5 0.04"', 5.0)
    series = []
    for k in range(60):
        series += [num(1 + 0.2 * k), "0", num(1 + 0.2 * k + 0.14), "0.03"]
    s.raw(f'<motion name="swing" type="series" samples="0 0 {" ".join(series)} 13 0"/>')
    s.tag("joint", ['<actuator type="motion" motion="swing"/>'], name="rail", type="prismatic", base="world", follower="tray",
          position=vec([0, 0, 0.3]), axis="1 0 0")
    for i in range(6):
        loose(s, f"part{i}", [-0.7 + 0.25 * i, 0.1 * (i % 3 - 1), 0.37], cube(0.1), 0.2 + 0.1 * i)
    s.expect('channel="residual.joint" max="1e-8"', still)
    Scene.write(s)

    s = Figure("steel-sphere", "A steel ball falls, bounces (e = 0.6), and rolls.", duration=4.0)
    s.raw('<material name="steel" density="7850" friction="0.3" restitution="0.6"/>\n<shape name="ground" type="plane" material="steel"/>\n'
          '<body name="ball" position="0 0 0.5" velocity="1 0 0" angular-velocity="0 -20 0"><shape type="sphere" radius="0.05" material="steel"/></body>')
    s.expect(still)
    Scene.write(s)

    s = Figure("painleve-rod", "A thin rod slides on its tip at a friction of 1.6, leaning so that rigid bodies have no classical solution or several "
               "(Painlevé): the impulses of a step exist all the same.", friction=1.6, duration=2.0)
    s.ground()
    lean, half = 1.0, 0.5
    s.raw(f'<body name="rod" position="{vec([half * math.cos(lean), 0, half * math.sin(lean)])}" rpy="{vec([0, -lean, 0])}" velocity="-3 0 0">'
          '<shape type="box" size="1 0.02 0.0002" mass="1"/></body>')
    s.expect('channel="residual.penetration" max="1e-2"')
    Scene.write(s)

    quadruped_bumpy()

    s = Figure("hand", "Two fingers press five cubes in a row between them, lift them and shake.", friction=0.8, duration=5.0)
    s.ground()
    s.body("palm", [0, 0, 0.35], [0.5, 0.1, 0.05], 1.0)
    s.tag("motion", name="lift", type="series", samples="0 0 0.5 0 1.5 0.2 2 0.2 2.2 0.17 2.4 0.2 2.6 0.16 2.8 0.2 3 0.2 6 0.2")
    s.tag("motion", name="grip", type="constant", value=60.0)
    s.joint("wrist", "prismatic", "world", "palm", [0, 0, 0.35], Z, ['<actuator type="motion" motion="lift"/>'])
    for side in (1, -1):
        name = "left" if side > 0 else "right"
        s.body(f"{name}-finger", [0.175 * side, 0, 0.2], [0.04, 0.08, 0.25], 0.3, "box")
        s.joint(f"{name}-slide", "prismatic", "palm", f"{name}-finger", [0.175 * side, 0, 0.3], [-side, 0, 0],
                ['<dynamics damping="20"/>', '<actuator type="effort" motion="grip"/>'])
    for i in range(5):
        s.body(f"cube{i}", [0.06 * (i - 2), 0, 0.105], [0.06, 0.06, 0.06], 0.05 + 0.05 * i, "box")
    s.raw('<shape name="stand" type="box" size="0.25 0.1 0.07" position="0 0 0.038"/>')
    s.write(still, 'channel="body.cube2.position.z" at="end" min="0.25"')


OUT.mkdir(parents=True, exist_ok=True)
primitives()
others()
arm7d()
quadruped()
bdx()
lima()
misha()
walker()
gazelle()
ironman()
