#!/usr/bin/env python3
"""Writes the scenarios of assets/scenarios whose geometry is computed. The XML is the artifact; this says where
its numbers come from. Usage: tools/generate_scenarios.py [FOLDER]"""
import math
import pathlib
import sys

from scenario_writer import Scene, add, bar_quaternion, mid, num, vec

OUT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent / "assets/scenarios")


def circles(a, ra, b, rb, side=1):
    """Intersection of two circles in the xz plane, on the given side of a -> b."""
    d = math.dist(a, b)
    x = (ra * ra - rb * rb + d * d) / (2 * d)
    h = math.sqrt(ra * ra - x * x)
    ex = [(b[0] - a[0]) / d, 0.0, (b[2] - a[2]) / d]
    ez = [-ex[2], 0.0, ex[0]]
    return [a[i] + x * ex[i] + side * h * ez[i] for i in range(3)]


def fourbar_points(angle):
    a, d = [0.0, 0.0, 0.0], [0.35, 0.0, 0.0]
    b = [0.1 * math.cos(angle), 0.0, 0.1 * math.sin(angle)]
    return a, b, circles(b, 0.4, d, 0.3), d


def fourbar_fixed():
    a, b, c, d = fourbar_points(1.0)
    s = Scene(OUT, "fourbar-fixed", "Links 0.1 / 0.4 / 0.3 m on a ground link of 0.35 m, 1 kg each, every hinge a full 3-D "
              "revolute: 15 rows more than a planar model needs are redundant by 3. Swings under gravity.",
              timestep=1e-3, duration=10.0)
    s.bar("crank", a, b, 1.0)
    s.bar("coupler", b, c, 1.0)
    s.bar("rocker", d, c, 1.0)
    s.pin("A", "world", "crank", a)
    s.pin("B", "crank", "coupler", b)
    s.pin("C", "coupler", "rocker", c)
    s.pin("D", "world", "rocker", d)
    s.expect('channel="residual.joint" max="1e-9"', 'channel="energy.drift-relative" min="-0.005" max="0.005"')
    s.write()


def fourbar_free():
    s = Scene(OUT, "fourbar-free", "A square of four bars with revolute hinges, one bar lying on the ground, let go: it "
              "folds under its weight and settles. Redundant hinges and contacts together.",
              timestep=1e-3, duration=3.0)
    s.raw('<material name="rubber" friction="0.7"/>\n<shape name="ground" type="plane" material="rubber"/>')
    h, w = 0.5, 0.05
    low = 0.5 * w
    p = [[-0.25, 0, low], [0.25, 0, low], [0.35, 0, low + math.sqrt(h * h - 0.01)], [-0.15, 0, low + math.sqrt(h * h - 0.01)]]
    names = ["bottom", "right", "top", "left"]
    for i in range(4):
        a, b = p[i], p[(i + 1) % 4]
        length = math.dist(a, b)
        s.tag("body", [f'<shape type="box" size="{num(length)} 0.2 {num(w)}" mass="1" material="rubber"/>'],
              name=names[i], position=vec(mid(a, b)), quaternion=vec(bar_quaternion(a, b)))
    damping = ['<dynamics damping="0.02"/>']
    for i in range(4):
        s.pin(f"hinge{i}", names[i], names[(i + 1) % 4], p[(i + 1) % 4], inner=damping)
    s.raw('<contacts><exclude a="bottom" b="top"/><exclude a="left" b="right"/></contacts>')
    s.expect('channel="residual.joint" max="1e-9"', 'channel="residual.penetration" max="1e-4"',
             'channel="contacts.normal-force" at="end" value="39.24" tolerance="0.05"',
             'channel="body.bottom.speed" at="end" max="1e-3"')
    s.write()


def slider_crank():
    r, l = 0.1, 0.35
    angle = 0.5
    a = [0.0, 0.0, 0.0]
    b = [r * math.cos(angle), 0, r * math.sin(angle)]
    c = [b[0] + math.sqrt(l * l - b[2] ** 2), 0, 0]
    s = Scene(OUT, "slider-crank", "A crank driven at 60 rpm through a rod moves a slider on a rail; the crank's motion is "
              "prescribed, the slider's stroke and speed are known in closed form.", timestep=1e-3, duration=2.0)
    turn = 2 * math.pi
    s.raw(f'<motion name="drive" type="series" interpolation="linear" samples="0 0 2.5 {num(2.5 * turn)}"/>')
    s.bar("crank", a, b, 0.5)
    s.bar("rod", b, c, 0.3)
    s.tag("body", ['<shape type="box" size="0.06 0.04 0.04" mass="0.8" collides="false"/>'], name="slider", position=vec(c))
    s.pin("main", "world", "crank", a, "0 -1 0", ['<actuator type="motion" motion="drive"/>'])
    s.pin("big-end", "crank", "rod", b)
    s.pin("small-end", "rod", "slider", c)
    s.tag("joint", name="rail", type="prismatic", base="world", follower="slider", position=vec(c), axis="1 0 0")
    th = angle + 2 * turn * 1.0
    x = r * math.cos(angle + turn * 0.25) + math.sqrt(l * l - (r * math.sin(angle + turn * 0.25)) ** 2)
    s.expect('channel="residual.joint" max="1e-9"',
             f'channel="body.slider.position.x" at="0.25" value="{num(x)}" tolerance="1e-9"',
             f'channel="body.slider.position.x" at="2" value="{num(c[0])}" tolerance="1e-9"')
    s.write()


def box_on_plane():
    s = Scene(OUT, "box-on-plane", "A box slides at 3 m/s on friction 0.4 and stops after v^2 / (2 mu g) = 1.14679 m without "
              "leaving the ground.", timestep=1e-3, duration=1.0)
    s.raw('''<material name="wood" friction="0.4"/>
<shape name="ground" type="plane" material="wood"/>
<body name="box" position="0 0 0.1" velocity="3 0 0">
  <shape type="box" size="0.4 0.4 0.2" mass="1" material="wood"/>
</body>''')
    s.expect('channel="body.box.position.x" at="end" value="1.146789" tolerance="0.0115"',
             'channel="body.box.position.z" min="0.0999999" max="0.100001"',
             'channel="body.box.speed" at="end" max="1e-6"', 'channel="contacts.count" min="4" max="4" at="end"')
    s.write()


def boxes_fixed():
    s = Scene(OUT, "boxes-fixed", "Two boxes welded together, 1000 kg on top of 1 kg, dropped on the ground: friction and "
              "weight pass through the weld.", timestep=1e-3, duration=1.0)
    s.raw('''<shape name="ground" type="plane"/>
<body name="lower" position="0 0 0.101"><shape type="box" size="0.2 0.2 0.2" mass="1"/></body>
<body name="upper" position="0 0 0.301"><shape type="box" size="0.2 0.2 0.2" mass="1000"/></body>
<joint name="weld" type="fixed" base="lower" follower="upper" position="0 0 0.201"/>''')
    s.expect('channel="residual.joint" max="1e-9"',
             'channel="contacts.normal-force" at="end" value="9819.81" tolerance="1"',
             'channel="body.upper.speed" at="end" max="1e-4"',
             'channel="joint.weld.force.z" at="end" value="9810" tolerance="1"')
    s.write()


def nunchaku():
    s = Scene(OUT, "nunchaku", "Two sticks joined through a ball by two spherical joints, thrown onto the ground.",
              timestep=1e-3, duration=2.0)
    s.raw('''<material name="wood" friction="0.5" restitution="0.2"/>
<shape name="ground" type="plane" material="wood"/>
<body name="left" position="-0.3 0 0.4" velocity="0 -0.0349 0.1605" angular-velocity="0 2.0931 0.5857"><shape type="box" size="0.5 0.05 0.05" mass="1" material="wood"/></body>
<body name="ball" position="0 0 0.4" velocity="0 0.0419 -0.2931" angular-velocity="0 -1.3935 -1.3935"><shape type="sphere" radius="0.05" mass="1" material="wood"/></body>
<body name="right" position="0.3 0 0.4" velocity="0 -0.007 0.1326" angular-velocity="0 -1.4243 0.0832"><shape type="box" size="0.5 0.05 0.05" mass="1" material="wood"/></body>
<joint name="a" type="spherical" base="left" follower="ball" position="-0.05 0 0.4"/>
<joint name="b" type="spherical" base="ball" follower="right" position="0.05 0 0.4"/>''')
    s.expect('channel="residual.joint" max="1e-9"', 'channel="residual.penetration" max="2e-3"',
             'channel="energy.drift-relative" min="-0.01" max="0.01"')
    s.write()


def double_pendulum():
    s = Scene(OUT, "double-pendulum", "Chaotic, without damping: keeps its energy.", timestep=5e-4, duration=10.0)
    p = [[0, 0, 0], [0.4, 0, 0], [0.4, 0, 0.3]]
    s.bar("upper", p[0], p[1], 1.0)
    s.bar("lower", p[1], p[2], 0.5)
    s.pin("shoulder", "world", "upper", p[0])
    s.pin("elbow", "upper", "lower", p[1])
    s.expect('channel="residual.joint" max="1e-9"', 'channel="energy.drift-relative" min="-0.005" max="0.005"')
    s.write()


def chain(name, comment, n, end_mass, horizontal, expect, extra=None, timestep=1e-3, duration=10.0, options=None):
    s = Scene(OUT, name, comment, timestep=timestep, duration=duration, **(options or {}))
    step = [0.1, 0, 0] if horizontal else [0, 0, -0.1]
    p = [0.0, 0.0, 0.0]
    last = "world"
    for i in range(n):
        q = add(p, step)
        s.bar(f"link{i}", p, q, 0.1)
        s.tag("joint", name=f"pin{i}", type="spherical" if not horizontal else "revolute", base=last, follower=f"link{i}",
              position=vec(p), **({} if not horizontal else {"axis": "0 1 0"}))
        last, p = f"link{i}", q
    c = add(p, [x for x in step])
    s.tag("body", [f'<shape type="box" size="0.2 0.2 0.2" mass="{num(end_mass)}" collides="false"/>'], name="weight",
          position=vec(c))
    s.tag("joint", name="shackle", type="spherical" if not horizontal else "revolute", base=last, follower="weight",
          position=vec(p), **({} if not horizontal else {"axis": "0 1 0"}))
    if extra:
        s.raw(extra)
    s.expect(*expect) if not isinstance(expect, str) else s.raw(expect)
    s.write()


def scissor_lift():
    levels, half, h = 20, 0.4, 0.15
    s = Scene(OUT, "scissor-lift", "Twenty crossed pairs of bars on both sides of a platform, every hinge a full 3-D revolute, "
              "cross rods welding the sides together: highly hyperstatic. A motor drives the foot in; the platform rises "
              "as the planar geometry says.", timestep=1e-3, duration=10.0)
    length = 2 * math.hypot(half, h)
    s.raw('<motion name="drive" type="sine" amplitude="0.03" frequency="0.25" ramp="1"/>')
    def bar(side, level, kind):
        x0, x1 = (-half, half) if kind == "a" else (half, -half)
        y = side * 0.3 + (0.02 if kind == "b" else 0.0)
        return [x0, y, 2 * h * level], [x1, y, 2 * h * (level + 1)]
    for side, tag in ((-1, "l"), (1, "r")):
        for level in range(levels):
            for kind in "ab":
                p, q = bar(side, level, kind)
                s.bar(f"{kind}{level}{tag}", p, q, 0.5, width=0.02, depth=0.01)
            c = [0, side * 0.3, 2 * h * level + h]
            s.pin(f"mid{level}{tag}", f"a{level}{tag}", f"b{level}{tag}", c)
            if level > 0:
                s.pin(f"ab{level}{tag}", f"a{level - 1}{tag}", f"b{level}{tag}", [half, side * 0.3, 2 * h * level])
                s.pin(f"ba{level}{tag}", f"b{level - 1}{tag}", f"a{level}{tag}", [-half, side * 0.3, 2 * h * level])
        s.pin(f"foot{tag}", "world", f"a0{tag}", [-half, side * 0.3, 0])
    s.tag("body", ['<shape type="box" size="0.04 0.7 0.04" mass="1" collides="false"/>'], name="shoe", position=vec([half, 0, 0]))
    for side, tag in ((-1, "l"), (1, "r")):
        s.pin(f"toe{tag}", "shoe", f"b0{tag}", [half, side * 0.3, 0])
    s.tag("joint", ['<actuator type="motion" motion="drive"/>'], name="rail", type="prismatic", base="world", follower="shoe",
          position=vec([half, 0, 0]), axis="1 0 0")
    top = 2 * h * levels
    s.tag("body", ['<shape type="box" size="1.2 0.8 0.04" mass="20" collides="false"/>'], name="platform", position=vec([0, 0, top]))
    for side, tag in ((-1, "l"), (1, "r")):
        s.pin(f"deck{tag}", f"b{levels - 1}{tag}", "platform", [-half, side * 0.3, top])
        s.tag("joint", name=f"slide{tag}", type="point-on-line", base="platform", follower=f"a{levels - 1}{tag}",
              position=vec([half, side * 0.3, top]), axis="1 0 0")
    w = 2 * half + 0.03
    z = levels * math.sqrt(length ** 2 - w ** 2)
    s.expect('channel="residual.joint" max="1e-9"', f'channel="body.platform.position.z" at="5" value="{num(z)}" tolerance="1e-6"',
             'channel="energy.drift-relative" min="-0.01" max="0.01"')
    s.write()


def stewart():
    s = Scene(OUT, "stewart-platform", "Six legs between ground and platform, each a universal joint, a prismatic servo and a "
              "spherical joint; the platform follows in six degrees of freedom.", timestep=1e-3, duration=4.0)
    height = 0.6
    s.tag("body", ['<shape type="cylinder" radius="0.25" length="0.04" mass="5" collides="false"/>'], name="platform",
          position=vec([0, 0, height]))
    for i in range(6):
        base_angle = math.radians(60 * (i // 2 * 2) + (10 if i % 2 else -10))
        top_angle = math.radians(60 * (i // 2 * 2) + (50 if i % 2 else -50))
        b = [0.4 * math.cos(base_angle), 0.4 * math.sin(base_angle), 0]
        t = [0.25 * math.cos(top_angle), 0.25 * math.sin(top_angle), height]
        d = [(y - x) / math.dist(b, t) for x, y in zip(b, t)]
        lower, upper = add(b, [0.15 * x for x in d]), add(t, [-0.15 * x for x in d])
        side = [-d[1], d[0], 0]
        n = math.hypot(*side)
        side = [x / n for x in side]
        # Turns z along the leg.
        w = 1 + d[2]
        q = [w, -d[1], d[0], 0]
        n = math.sqrt(sum(x * x for x in q))
        q = vec([x / n for x in q])
        for part, c in (("lower", lower), ("upper", upper)):
            s.tag("body", ['<shape type="cylinder" radius="0.015" length="0.3" mass="0.3" collides="false"/>'], name=f"{part}{i}",
                  position=vec(c), quaternion=q)
        s.raw(f'<motion name="leg{i}" type="sine" amplitude="{num(0.02 * (1 if i % 2 else -1))}" frequency="{num(0.5 + 0.1 * i)}" ramp="0.5"/>')
        across = [d[1] * side[2] - d[2] * side[1], d[2] * side[0] - d[0] * side[2], d[0] * side[1] - d[1] * side[0]]
        s.tag("joint", name=f"foot{i}", type="universal", base="world", follower=f"lower{i}", position=vec(b), axis=vec(side),
              axis2=vec(across))
        s.tag("joint", ['<limit lower="-0.1" upper="0.1"/>',
                        f'<actuator type="position" motion="leg{i}" kp="20000" kd="400" effort-limit="500"/>'],
              name=f"ram{i}", type="prismatic", base=f"lower{i}", follower=f"upper{i}", position=vec(mid(lower, upper)), axis=vec(d))
        s.tag("joint", name=f"head{i}", type="spherical", base=f"upper{i}", follower="platform", position=vec(t))
    s.expect('channel="residual.joint" max="1e-9"', 'channel="residual.limit" max="1e-6"',
             'channel="body.platform.position.z" min="0.5" max="0.7"',
             'channel="energy.drift-relative" min="-0.02" max="0.02"')
    s.write()


def jansen():
    """Theo Jansen's linkage, his published proportions in cm."""
    cm = 0.01
    A, B, C, D, E, F, G, H, I, J, K, L, M = (38.0, 41.5, 39.3, 40.1, 55.8, 39.4, 36.7, 65.7, 49.0, 50.0, 61.9, 7.8, 15.0)
    s = Scene(OUT, "jansen-walker", "Twelve Jansen legs (Theo Jansen's proportions, 1 : 100), three pairs a third of a turn apart on "
              "each side, on one crankshaft driven by a single motor: 74 bodies, all hinges 3-D revolutes, walking on the ground.",
              timestep=2e-3, duration=5.0)
    s.tag("solver", tolerance="1e-5")
    s.raw('<material name="foot" friction="0.9"/>\n<shape name="ground" type="plane" material="foot"/>')
    lift = 0.0
    def leg(angle, mirror):
        f = -1 if mirror else 1
        a = math.pi - angle if mirror else angle
        o = [0, 0, 0]
        crank = [M * math.cos(a), 0, M * math.sin(a)]
        pivot = [-A, 0, -L]
        top = circles(pivot, B, crank, J, 1)
        bottom = circles(pivot, C, crank, K, -1)
        rear = circles(pivot, D, top, E, 1)
        knee = circles(rear, F, bottom, G, -1)
        foot = circles(knee, H, bottom, I, -1)
        return {k: [f * cm * v[0], 0.0, cm * v[2]] for k, v in
                dict(crank=crank, pivot=pivot, top=top, bottom=bottom, rear=rear, knee=knee, foot=foot).items()}
    places = [-0.35, -0.25, -0.15, 0.15, 0.25, 0.35]
    legs = [(n, m, leg(2 * math.pi * (n % 3) / 3, m)) for n in range(6) for m in (False, True)]
    lowest = min(p["foot"][2] for _, _, p in legs)
    r = 0.02
    z0 = r - lowest + 1e-4
    def at(p, y):
        return [p[0], y, p[2] + z0]
    s.tag("body", [f'<shape type="box" size="0.8 0.8 0.04" mass="5" collides="false"/>'], name="frame", position=vec([0, 0, z0]))
    s.tag("body", [f'<shape type="cylinder" radius="0.03" length="0.8" mass="1" rpy="{num(math.pi / 2)} 0 0" collides="false"/>'],
          name="shaft", position=vec([0, 0, z0]))
    s.raw('<motion name="drive" type="series" samples="0 0 0.5 0 1.5 1.2 5 12"/>')
    s.pin("motor", "frame", "shaft", [0, 0, z0], inner=['<actuator type="position" motion="drive" kp="400" kd="20" effort-limit="60"/>'])
    for n, mirror, p in legs:
        y = places[n]
        t = f"{n}{'m' if mirror else ''}"
        P = {k: at(v, y) for k, v in p.items()}
        def link(name, a, b, mass):
            s.bar(f"{name}{t}", P[a], P[b], mass, width=0.01)
        link("j", "crank", "top", 0.05)
        link("k", "crank", "bottom", 0.06)
        link("c", "pivot", "bottom", 0.04)
        link("f", "rear", "knee", 0.04)
        def plate(name, a, b, c, mass, foot=False):
            """A rigid triangle: three bars of one body."""
            center = [sum(P[k][i] for k in (a, b, c)) / 3 for i in range(3)]
            shapes = []
            for u, v in ((a, b), (b, c), (c, a)):
                m = mid(P[u], P[v])
                shapes.append(f'<shape type="box" size="{num(math.dist(P[u], P[v]))} 0.01 0.01" mass="{num(mass / 3)}" '
                              f'position="{vec([m[i] - center[i] for i in range(3)])}" '
                              f'quaternion="{vec(bar_quaternion(P[u], P[v]))}" collides="false"/>')
            if foot:
                shapes.append(f'<shape type="sphere" radius="{num(r)}" mass="0.02" material="foot" '
                              f'position="{vec([P[c][i] - center[i] for i in range(3)])}"/>')
            s.tag("body", shapes, name=f"{name}{t}", position=vec(center))
        plate("upper", "pivot", "top", "rear", 0.12)
        plate("lower", "knee", "bottom", "foot", 0.12, True)
        s.pin(f"crank-j{t}", "shaft", f"j{t}", P["crank"])
        s.pin(f"crank-k{t}", "shaft", f"k{t}", P["crank"])
        s.pin(f"pivot-u{t}", "frame", f"upper{t}", P["pivot"])
        s.pin(f"pivot-c{t}", "frame", f"c{t}", P["pivot"])
        s.pin(f"top{t}", f"j{t}", f"upper{t}", P["top"])
        s.pin(f"rear{t}", f"upper{t}", f"f{t}", P["rear"])
        s.pin(f"bottom-k{t}", f"k{t}", f"lower{t}", P["bottom"])
        s.pin(f"bottom-c{t}", f"c{t}", f"lower{t}", P["bottom"])
        s.pin(f"knee{t}", f"f{t}", f"lower{t}", P["knee"])
    s.expect('channel="residual.joint" max="1e-9"', 'channel="residual.penetration" max="1e-3"',
             'channel="body.frame.position.z" min="0.85"', 'channel="body.frame.position.x" at="end" min="1.2"',
             'channel="body.frame.position.y" min="-0.2" max="0.2"',
             'channel="energy.drift-relative" min="-0.01" max="0.01"')
    s.write()


def stack():
    s = Scene(OUT, "ten-cube-stack", "Ten cubes of 1 kg and 0.2 m, stacked: 40 contacts that carry 98.1 N at the bottom.",
              timestep=1e-3, duration=2.0)
    s.raw('<shape name="ground" type="plane"/>')
    for i in range(10):
        s.tag("body", ['<shape type="box" size="0.2 0.2 0.2" mass="1"/>'], name=f"cube{i}", position=vec([0, 0, 0.1 + 0.2 * i]))
    total = sum(9.81 * (10 - i) for i in range(10))
    s.expect('channel="residual.penetration" max="1e-6"', f'channel="contacts.normal-force" at="end" value="{num(total)}" tolerance="0.01"',
             'channel="body.cube9.position.z" value="1.9" tolerance="1e-5"', 'channel="body.cube9.position.x" value="0" tolerance="1e-5"')
    s.write()


def cradle():
    s = Scene(OUT, "newtons-cradle", "Five balls on pairs of rods, e = 1, hung 2 mm apart: the blow passes from ball to ball, and "
              "the last one rises as high as the first came from. (Balls that touch are one simultaneous impact, which "
              "Newton's law alone does not resolve as the toy does.)", timestep=2e-4, duration=0.5638)
    s.raw('<material name="steel" density="7800" friction="0" restitution="1"/>')
    r, l, gap = 0.02, 0.3, 0.002
    for i in range(5):
        x = i * (2 * r + gap)
        a = -0.5 if i == 0 else 0.0
        p = [x + l * math.sin(a), 0, -l * math.cos(a)]
        s.tag("body", [f'<shape type="sphere" radius="{num(r)}" material="steel"/>'], name=f"ball{i}", position=vec(p),
              rpy=vec([0, -a, 0]))
        s.pin(f"pivot{i}", "world", f"ball{i}", [x, 0, 0])
    s.expect('channel="residual.joint" max="1e-9"', 'channel="joint.pivot4.angle" at="end" value="-0.5" tolerance="0.01"',
             'channel="joint.pivot0.angle" at="end" value="-0.5" tolerance="0.02"', 'channel="energy.drift-relative" min="-0.01" max="0.01"')
    s.write()


def dropped_mesh():
    """A star-shaped prism: a closed, non-convex mesh."""
    points, tris = [], []
    n, h = 10, 0.04
    for z in (-h, h):
        for i in range(n):
            r = 0.2 if i % 2 == 0 else 0.1
            points.append((r * math.cos(2 * math.pi * i / n), r * math.sin(2 * math.pi * i / n), z))
    lo, hi = len(points), len(points) + 1
    points += [(0, 0, -h), (0, 0, h)]
    for i in range(n):
        j = (i + 1) % n
        tris += [(lo, j, i), (hi, n + i, n + j), (i, j, n + j), (i, n + j, n + i)]
    text = "# star prism, made by tools/generate_scenarios.py\n"
    text += "".join(f"v {num(x)} {num(y)} {num(z)}\n" for x, y, z in points)
    text += "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in tris)
    (OUT.parent / "models").mkdir(exist_ok=True)
    (OUT.parent / "models/star.obj").write_text(text)
    s = Scene(OUT, "dropped-mesh", "A non-convex mesh falls on the ground, turns flat and comes to rest.", timestep=1e-3, duration=2.0)
    s.raw('''<material name="wood" density="700" friction="0.6"/>
<shape name="ground" type="plane" material="wood"/>
<body name="star" position="0 0 0.5" rpy="0.3 0.2 0"><shape type="mesh" file="../models/star.obj" material="wood"/></body>''')
    s.expect('channel="residual.penetration" max="5e-3"', 'channel="body.star.position.z" at="end" value="0.04" tolerance="1e-3"',
             'channel="body.star.speed" at="end" max="1e-2"')
    s.write()


def gear_train():
    s = Scene(OUT, "gear-train", "Motor, two gear stages and a rack: 3 turns of the motor move the rack by 2 pi r / 4. Reflected "
              "inertia is that of the closed form.", timestep=1e-3, duration=1.0, gravity="0 0 0")
    s.raw('''<motion name="torque" type="constant" value="0.5"/>''')
    for i, (x, r, m) in enumerate(((0.0, 0.02, 0.2), (0.06, 0.04, 0.8), (0.14, 0.04, 0.8))):
        s.tag("body", [f'<shape type="cylinder" radius="{num(r)}" length="0.02" mass="{num(m)}" collides="false"/>'], name=f"wheel{i}",
              position=vec([x, 0, 0]))
        inner = ['<actuator type="effort" motion="torque"/>'] if i == 0 else []
        s.pin(f"axle{i}", "world", f"wheel{i}", [x, 0, 0], "0 0 1", inner)
    s.tag("body", ['<shape type="box" size="0.4 0.02 0.02" mass="1.5" collides="false"/>'], name="bar", position=vec([0.14, 0.05, 0]))
    s.tag("joint", name="rail", type="prismatic", base="world", follower="bar", position=vec([0.14, 0.05, 0]), axis="1 0 0")
    s.raw('''<coupling name="stage1" type="gear" joint-a="axle1" joint-b="axle0" ratio="-0.5"/>
<coupling name="stage2" type="gear" joint-a="axle2" joint-b="axle1" ratio="-1"/>
<coupling name="rack" type="rack-and-pinion" rack="rail" pinion="axle2" radius="-0.04"/>''')
    inertia = 0.5 * 0.2 * 0.02 ** 2 + 0.25 * 2 * 0.5 * 0.8 * 0.04 ** 2 + 0.25 * 0.04 ** 2 * 1.5
    angle = 0.5 * 0.5 / inertia
    s.expect('channel="residual.joint" max="1e-9"', f'channel="joint.axle0.angle" at="end" value="{num(angle)}" tolerance="1e-6"',
             f'channel="joint.rail.displacement" at="end" value="{num(-0.04 * 0.5 * angle)}" tolerance="1e-6"')
    s.write()


def all_joints():
    s = Scene(OUT, "all-joints", "One motor moves a mechanism that uses every joint type at once: a crank (revolute) through a rod "
              "(universal, spherical) pushes a carriage (prismatic); on it hang the other joints, each held by what it leaves "
              "free.", timestep=1e-3, duration=4.0)
    r, l = 0.1, 0.4
    s.raw('<motion name="drive" type="sine" amplitude="1.0" frequency="0.5" ramp="0.5"/>')
    s.bar("crank", [0, 0, 0], [0, 0, r], 0.5)
    x = math.sqrt(l * l - r * r)
    s.bar("rod", [0, 0, r], [x, 0, 0], 0.4)
    s.tag("body", ['<shape type="box" size="0.1 0.1 0.1" mass="1" collides="false"/>'], name="carriage", position=vec([x, 0, 0]))
    s.pin("crank-pin", "world", "crank", [0, 0, 0], inner=['<actuator type="motion" motion="drive"/>'])
    s.tag("joint", name="rod-tail", type="universal", base="crank", follower="rod", position=vec([0, 0, r]), axis="0 1 0", axis2="0 0 1")
    s.tag("joint", name="rod-head", type="spherical", base="rod", follower="carriage", position=vec([x, 0, 0]))
    s.tag("joint", name="rail", type="prismatic", base="world", follower="carriage", position=vec([x, 0, 0]), axis="1 0 0")
    def block(name, p, size=0.05, mass=0.2):
        s.tag("body", [f'<shape type="box" size="{num(size)} {num(size)} {num(size)}" mass="{num(mass)}" collides="false"/>'], name=name, position=vec(p))
    spring = lambda n: [f'<dynamics coordinate="{i}" stiffness="{k}" damping="{c}"/>' for i, k, c in n]
    block("plate", [x, 0, 0.1]); s.tag("joint", name="weld", type="fixed", base="carriage", follower="plate", position=vec([x, 0, 0.05]))
    block("sleeve", [x, 0, 0.2])
    s.tag("joint", spring([(0, 200, 4)]), name="screw-joint", type="cylindrical", base="plate", follower="sleeve", position=vec([x, 0, 0.15]), axis="0 0 1")
    s.raw('<coupling name="thread" type="screw" joint="screw-joint" pitch="0.02"/>')
    block("slab", [x, 0.2, 0]); s.tag("joint", spring([(0, 200, 4), (1, 200, 4), (2, 1, 0.02)]), name="table", type="planar", base="carriage", follower="slab", position=vec([x, 0.1, 0]), axis="0 1 0")
    block("cart", [x, -0.2, 0]); s.tag("joint", spring([(0, 200, 4), (1, 200, 4), (2, 300, 4)]), name="stage", type="cartesian", base="carriage", follower="cart", position=vec([x, -0.1, 0]))
    block("head", [x + 0.2, 0, 0]); s.tag("joint", spring([(0, 2, 0.02), (1, 2, 0.02), (2, 2, 0.02)]), name="neck", type="gimbal", base="carriage", follower="head", position=vec([x + 0.1, 0, 0]))
    block("bead", [x, 0, -0.2]); s.tag("joint", spring([(0, 100, 2)]), name="wire", type="point-on-line", base="carriage", follower="bead", position=vec([x, 0, -0.2]), axis="1 0 0")
    block("puck", [x + 0.2, 0.2, 0]); s.tag("joint", spring([(0, 100, 2), (1, 100, 2), (2, 1, 0.02), (3, 1, 0.02), (4, 1, 0.02)]), name="floor", type="point-on-plane", base="carriage", follower="puck", position=vec([x + 0.2, 0.2, 0]), axis="0 0 1")
    block("bob", [x - 0.1, 0, -0.3])
    s.tag("joint", ['<base-frame position="-0.1 0 -0.05"/>', '<follower-frame position="0 0 0"/>'], name="string", type="distance", base="carriage", follower="bob")
    block("satellite", [x + 0.3, -0.2, 0.1]); s.tag("joint", spring([(0, 100, 2), (1, 100, 2), (2, 100, 2), (3, 1, 0.02), (4, 1, 0.02), (5, 1, 0.02)]), name="tether", type="free", base="carriage", follower="satellite", position=vec([x + 0.3, -0.2, 0.1]))
    t = 1.5
    s.expect('channel="residual.joint" max="1e-9"', 'channel="energy.drift-relative" min="-0.02" max="0.02"')
    s.write()


def clutter_drop():
    s = Scene(OUT, "clutter-drop", "Forty spheres and boxes of 10 cm with the density of water fall in four columns into a box of 80 cm, with the stiffness "
              "of steel [Castro 2024, XII-A]. grashof bench fields measures iterations and conditioning on it, over eight decades of stiffness.",
              timestep=2e-3, duration=3.0, integrator="euler")
    s.tag("solver", name="LAGGED")
    s.tag("material", name="water", friction=1.0, stiffness=1e7, hunt_crossley=10.0)
    s.tag("material", name="wall", friction=1.0)
    s.raw('<shape name="floor" type="plane" material="wall"/>')
    for name, x, y in (("east", 0.45, 0), ("west", -0.45, 0), ("north", 0, 0.45), ("south", 0, -0.45)):
        size = [0.1 if x else 1.0, 0.1 if y else 1.0, 0.8]
        s.raw(f'<shape name="{name}" type="box" size="{vec(size)}" position="{vec([x, y, 0.4])}" material="wall"/>')
    for column in range(4):
        for i in range(10):
            # A little off, so that nothing stands on a point.
            x = (0.15 if column % 2 else -0.15) + 0.01 * math.sin(5 * i + column)
            y = (0.15 if column // 2 else -0.15) + 0.01 * math.cos(3 * i + 2 * column)
            shape = 'type="sphere" radius="0.05" mass="0.524"' if (i + column) % 2 else 'type="box" size="0.1 0.1 0.1" mass="1"'
            s.tag("body", [f'<shape {shape} material="water"/>'], name=f"object{10 * column + i}", position=vec([x, y, 0.06 + 0.12 * i]))
    s.expect('channel="residual.penetration" max="2e-3"', 'channel="energy.kinetic" at="end" max="0.1"')
    s.write()


def pushed_quadruped():
    """Sizes and masses near those of Solo-12. A bar's x axis points along it, so that a shank ends at its foot."""
    s = Scene(OUT, "pushed-quadruped", "A quadruped of 2.5 kg stands on four feet, its twelve motors hold, and 10 N push it sideways [Lidec 2024, fig. 14]. The feet touch "
              "in twelve rows and have six freedoms: friction is under-determined.", timestep=1e-3, duration=1.0)
    s.tag("output", [f'<channel name="{channel}"/>' for channel in (
        "residual.penetration", "body.torso.velocity.y",
        *(f"contact.{leg}-shank.world.force.{axis}" for leg in ("left-fore", "right-fore", "left-hind", "right-hind") for axis in "xy"))], interval=0.001)
    s.raw('<material name="default" friction="0.8"/>\n<shape name="ground" type="plane"/>\n'
          '<motion name="stand" type="constant" value="0"/>\n'
          '<motion name="push" type="series" interpolation="linear" samples="0 0 0.3 0 0.301 1 1 1"/>\n<wrench name="push" body="torso" force="0 10 0" motion="push"/>')
    height, foot_radius = 0.24, 0.015
    s.tag("body", ['<shape type="box" size="0.4 0.2 0.06" mass="1.16" collides="false"/>'], name="torso", position=vec([0, 0, height]))
    for fore, side in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        leg = ("left" if side > 0 else "right") + ("-fore" if fore > 0 else "-hind")
        hip, thigh = [0.19 * fore, 0.1 * side, height], [0.19 * fore, 0.147 * side, height]
        down = 0.5 * (height - foot_radius)
        knee = add(thigh, [-math.sqrt(0.16 ** 2 - down ** 2), 0, -down])
        foot = [thigh[0], thigh[1], foot_radius]
        s.tag("body", ['<shape type="box" size="0.04 0.05 0.04" mass="0.14" collides="false"/>'], name=f"{leg}-hip", position=vec(mid(hip, thigh)))
        s.bar(f"{leg}-thigh", thigh, knee, 0.14)
        s.bar(f"{leg}-shank", knee, foot, 0.06, extra=[f'<shape type="sphere" radius="{num(foot_radius)}" position="0.08 0 0"/>'])
        hold = ['<actuator type="motion" motion="stand"/>']
        s.tag("joint", hold, name=f"{leg}-hip-joint", type="revolute", base="torso", follower=f"{leg}-hip", position=vec(hip), axis="1 0 0")
        s.pin(f"{leg}-thigh-joint", f"{leg}-hip", f"{leg}-thigh", thigh, inner=hold)
        s.pin(f"{leg}-knee", f"{leg}-thigh", f"{leg}-shank", knee, inner=hold)
    s.expect('channel="residual.joint" max="1e-9"', 'channel="residual.penetration" max="1e-8"', 'channel="body.torso.speed" max="1e-6"')
    s.write()


def ring_chain():
    """A ring is a rectangle of four round rods; each hangs in the one before, turned by a quarter."""
    s = Scene(OUT, "ring-chain", "Nine rings, each of four steel rods of 10 mm, held together by contacts alone. The first is fixed; let go from the horizontal.",
              timestep=1e-3, duration=2.0)
    s.raw('<material name="default" friction="0.3" density="7800"/>')
    half, side, radius = 0.03, 0.02, 0.005
    sizes = [(f'radius="{num(radius)}" length="{num(2 * half)}" rpy="0 {num(math.pi / 2)} 0"', [0, side, 0]),
             (f'radius="{num(radius)}" length="{num(2 * half)}" rpy="0 {num(math.pi / 2)} 0"', [0, -side, 0]),
             (f'radius="{num(radius)}" length="{num(2 * side)}" rpy="{num(math.pi / 2)} 0 0"', [half, 0, 0]),
             (f'radius="{num(radius)}" length="{num(2 * side)}" rpy="{num(math.pi / 2)} 0 0"', [-half, 0, 0])]
    rods = [f'<shape type="capsule" {size} position="{vec(place)}"/>' for size, place in sizes]
    for i in range(9):
        turned = {"rpy": f"{num(math.pi / 2)} 0 0"} if i % 2 else {}
        s.tag("body", rods, name=f"ring{i}", position=vec([2 * (half - radius) * i, 0, 0]), **turned)
    s.tag("joint", name="hook", type="fixed", base="world", follower="ring0", position="0 0 0")
    s.expect('channel="residual.penetration" max="2e-3"', 'channel="body.ring8.position.z" min="-0.5"')
    s.write()


OUT.mkdir(parents=True, exist_ok=True)
fourbar_fixed()
fourbar_free()
slider_crank()
box_on_plane()
boxes_fixed()
nunchaku()
double_pendulum()
chain("heavy-chain", "Twenty links of 0.1 kg with 100 kg at the end (mass ratio 1e3), hanging, pushed sideways.", 20, 100.0, False,
      ['channel="residual.joint" max="1e-9"', 'channel="energy.drift-relative" min="-0.01" max="0.01"',
       'channel="joint.pin0.reaction" at="end" min="500" max="2000"'],
      '<motion name="push" type="series" interpolation="linear" samples="0 1 0.5 1 0.501 0"/>\n'
      '<wrench name="shove" body="weight" force="200 0 0" motion="push"/>')
chain("heavy-chain-let-go", "Twenty links of 0.1 kg with 1000 kg at the end (mass ratio 1e4), let go from horizontal. Steps by impulses "
      "of 8 ms are far beyond the stability limit of the taut chain's transverse modes: the run must not blow up unnoticed.", 20, 1000.0, True,
      "<expect><divergence/></expect>", duration=10.0, timestep=8e-3, options={"integrator": "moreau"})
chain("heavy-chain-swing", "The same chain, mass ratio 1e4, let go from horizontal, with the sideways stiffness of its taut links "
      "taken implicitly: it swings for ten seconds.", 20, 1000.0, True,
      ['channel="residual.joint" max="1e-8"', 'channel="energy.total" max="200"',
       'channel="energy.drift-relative" min="-0.01" max="0.01"'],
      duration=10.0, options={"geometric_stiffness": "true"})
scissor_lift()
stewart()
jansen()
stack()
cradle()
dropped_mesh()
gear_train()
all_joints()
clutter_drop()
pushed_quadruped()
ring_chain()
