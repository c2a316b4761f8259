#!/usr/bin/env python3
"""Writes the systems of assets/suite with their motion files and shells. The XML is the artifact; this says where
its numbers come from. Usage: tools/generate_suite.py [FOLDER]

The first thirteen match bodies, joints, constraint rows and mass ratio of the table that tests/physics/test_suite.cpp
holds. Figures are built from three parts, whose bodies all lie along the world axes in the initial pose:
  link     a body on a revolute joint, driven or sprung                                   1 body, 1 joint, 5 rows
  planar   motor horn, push-rod, driven body: a four-bar of parallel hinges, hyperstatic  3 bodies, 4 joints, 20 rows
  spatial  the same with a rod between two ball joints, free to spin                      3 bodies, 4 joints, 16 rows
All bodies of the four animatronic figures collide. Joint neighbours do not touch each other, nor do bodies that overlap
in the initial pose."""
import itertools
import math
import pathlib
import sys

from scenario_writer import Scene, num, vec

OUT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent / "assets/suite")
X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
DURATION, SAMPLE = 12.0, 0.05


def plus(*vectors):
    return [sum(c) for c in zip(*vectors)]


def minus(a, b):
    return [x - y for x, y in zip(a, b)]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def smooth(t):
    """0 to 1 over a second, at rest at both ends."""
    t = min(max(t, 0.0), 1.0)
    return t * t * (3 - 2 * t)


def sway(amplitude, frequency, phase=0.0):
    return lambda t: amplitude * smooth(t) * math.sin(2 * math.pi * frequency * t + phase)


def bumps(amplitude, period, phase=0.0, share=0.5, start=1.0):
    """Lifts and back in `share` of each period, at rest between, from `start` on."""
    def value(t):
        if t < start:
            return 0.0
        x = ((t - start) / period + phase) % 1.0
        return amplitude * math.sin(math.pi * x / share) ** 2 if x < share else 0.0
    return value


def holds(amplitude, period, phase=0.0, share=0.8, start=1.0):
    """Like bumps(), but at the full amplitude for half of the `share`."""
    lift = bumps(1.0, period, phase, share, start)
    return lambda t: amplitude * smooth(min(1.0, 2.0 * lift(t)))


def added(*motions):
    """Their sum; numbers are reached over the first second."""
    return lambda t: sum(m(t) if callable(m) else m * smooth(t) for m in motions)


def plane_of(axis):
    """Two axes at right angles to a world axis, such that a positive turn takes the first to the second."""
    k = [abs(x) for x in axis].index(1)
    return (k + 1) % 3, (k + 2) % 3


def follow_fourbar(motor, horn_tip, tip, hinge, axis):
    """Angles of hinge, rod tail and rod head of a planar four-bar as functions of that of its motor."""
    i, k = plane_of(axis)
    flat = [complex(p[i], p[k]) for p in (motor, horn_tip, tip, hinge)]
    length, rod = abs(flat[2] - flat[1]), flat[2] - flat[1]

    def turned(angle):
        return complex(math.cos(angle), math.sin(angle))

    def angles(motor_angle):
        start = flat[0] + (flat[1] - flat[0]) * turned(motor_angle)
        hinge_angle = motor_angle
        for _ in range(20):
            arm = (flat[2] - flat[3]) * turned(hinge_angle)
            gap = flat[3] + arm - start
            slope = ((1j * arm) * gap.conjugate()).real / abs(gap)
            hinge_angle -= (abs(gap) - length) / slope
        gap = flat[3] + (flat[2] - flat[3]) * turned(hinge_angle) - start
        ratio = gap / rod
        rod_angle = math.atan2(ratio.imag, ratio.real)
        return hinge_angle, rod_angle - motor_angle, hinge_angle - rod_angle
    return angles


class Figure(Scene):
    """`collide`: a body without shapes of its own has a convex mesh that collides (rods and horns have capsules); else
    a box for pictures only."""
    def __init__(self, name, comment, friction=0.7, collide=False, **options):
        options.setdefault("timestep", 1e-3)
        options.setdefault("duration", 10.0)
        super().__init__(OUT, name, comment, **options)
        self.raw(f'<material name="default" friction="{num(friction)}"/>')
        self.bodies, self.joints, self.drives = {}, [], {}
        self.collide, self.excluded = collide, []

    def ground(self):
        self.raw('<shape name="ground" type="plane"/>')

    def body(self, name, center, size, mass, shapes=None, parent=None, along=None):
        """A body of the inertia of a box. `shapes`: "box" (collides), None (see Figure), or XML lines. `along`: its x
        axis."""
        box = f'type="box" size="{vec(size)}"'
        if shapes is None:
            shapes = [hull_shape(size)] if self.collide else [f'<shape {box} collides="false"/>']
        elif shapes == "box":
            shapes = [f"<shape {box}/>"]
        self.bodies[name] = dict(center=list(center), size=size, mass=mass, shapes=shapes, parent=parent, along=along)
        return name

    def bar(self, name, p, q, thick, mass, parent):
        """A horn or rod."""
        length = math.dist(p, q)
        capsule = f'<shape type="capsule" radius="{num(0.5 * thick)}" length="{num(length - thick)}" rpy="0 {num(0.5 * math.pi)} 0"/>'
        self.body(name, [0.5 * (a + b) for a, b in zip(p, q)], [length, thick, thick], mass,
                  [capsule] if self.collide else None, parent, minus(q, p))

    def downstream(self, name):
        found = [name]
        for b in self.bodies:
            if self.bodies[b]["parent"] in found:
                found.append(b)
        return found

    def load(self, name, point, axis):
        """Moment of inertia and largest gravity moment of a body and what it carries about an axis."""
        inertia = moment = 0.0
        for b in self.downstream(name):
            body = self.bodies[b]
            arm = cross(minus(body["center"], point), axis)
            square = sum(x * x for x in arm)
            inertia += body["mass"] * (square + sum(s * s for s in body["size"]) / 18.0)
            moment += body["mass"] * 9.81 * math.sqrt(square)
        return inertia, moment

    def joint(self, name, type, base, follower, position, axis=None, inner=(), **more):
        self.joints.append(dict(name=name, type=type, base=base, follower=follower, position=position, axis=axis,
                                inner=list(inner), load=follower, load_point=position, **more))
        return self.joints[-1]

    def exclude(self, *pairs):
        self.excluded += pairs

    def drive(self, joint, motion, limits=(-1.2, 1.2), effort=None, stiff=1.0, bears=None):
        """Position servo that plays `motion`; gains from the load that it carries. `bears`: mass and height of a
        body that stands on it, beside what hangs on it."""
        self.drives[joint["name"]] = motion
        joint.update(limits=limits, effort=effort, stiff=stiff, bears=bears)

    def link(self, name, parent, point, axis, center, size, mass, motion=None, shapes=None, limits=(-1.2, 1.2),
             effort=None, stiff=1.0, bears=None, stops=None, rest=0.0):
        """`stops`, `rest`: limits of a sprung joint, and where its spring is at rest."""
        self.body(name, center, size, mass, shapes, parent)
        joint = self.joint(f"{name}-joint", "revolute", parent, name, point, axis)
        if motion:
            self.drive(joint, motion, limits, effort, stiff, bears)
        else:
            joint.update(spring=True, limits=stops, rest=rest)
        return name

    def _loop(self, name, parent, motor, motor_axis, hinge, axis, lever, motor_lever, center, size, mass, rod_mass,
              motion, shapes, ball, limits, effort, bears, stops, motors):
        horn_tip, tip = plus(motor, motor_lever), plus(hinge, lever)
        thick = 0.15 * math.dist(motor, horn_tip)
        self.bar(f"{name}-horn", motor, horn_tip, thick, 1.5 * rod_mass, parent)
        self.bar(f"{name}-rod", horn_tip, tip, thick, rod_mass, f"{name}-horn")
        self.body(name, center, size, mass, shapes, f"{name}-horn")
        kind = "spherical" if ball else "revolute"
        joint = self.joint(f"{name}-motor", "revolute", parent, f"{name}-horn", motor, motor_axis)
        tail = self.joint(f"{name}-rod-tail", kind, f"{name}-horn", f"{name}-rod", horn_tip, None if ball else axis)
        head = self.joint(f"{name}-rod-head", kind, f"{name}-rod", name, tip, None if ball else axis)
        last = self.joint(f"{name}-joint", "revolute", parent, name, hinge, axis, limits=stops)
        joint["load"], joint["load_point"] = name, hinge  # with levers about as long, the motor feels its load
        self.drive(joint, motion, limits, effort, 1.0 / min(motors, 2), bears)
        if motors > 1:
            angles = follow_fourbar(motor, horn_tip, tip, hinge, axis)
            self.drive(last, lambda t: angles(motion(t))[0], stops or limits, effort, 0.5, bears)
        if motors > 2:
            self.drive(tail, lambda t: angles(motion(t))[1], stiff=10.0)
            self.drive(head, lambda t: angles(motion(t))[2], stiff=0.05)
        return name

    def planar(self, name, parent, motor, hinge, axis, lever, center, size, mass, rod_mass, motion, shapes=None,
               limits=(-1.0, 1.0), effort=None, bears=None, stops=None, motors=1):
        """`stops`: limits of the hinge. `motors`: 1: at the horn, 2: at the hinge, too, 4: at both ends of the rod, too;
        they play what the four-bar makes of the motion of the first."""
        return self._loop(name, parent, motor, axis, hinge, axis, lever, [0.95 * x for x in lever], center, size, mass,
                          rod_mass, motion, shapes, False, limits, effort, bears, stops, motors)

    def spatial(self, name, parent, motor, motor_axis, motor_lever, hinge, axis, lever, center, size, mass, rod_mass,
                motion, shapes=None, limits=(-0.8, 0.8), effort=None, stops=None):
        return self._loop(name, parent, motor, motor_axis, hinge, axis, lever, motor_lever, center, size, mass,
                          rod_mass, motion, shapes, True, limits, effort, None, stops, 1)

    def base(self, name):
        self.joint("mount", "fixed", "world", name, self.bodies[name]["center"])

    def push(self, body, force, start, length=0.1):
        self.raw(f'<motion name="push{num(start)}" type="series" interpolation="linear" samples="{num(start)} 0 '
                 f'{num(start + 0.01)} 1 {num(start + length)} 1 {num(start + length + 0.01)} 0"/>\n'
                 f'<wrench name="push{num(start)}" body="{body}" force="{vec(force)}" motion="push{num(start)}"/>')

    def _write_motions(self):
        if not self.drives:
            return
        rows = [",".join(["time", *self.drives])]
        for i in range(int(DURATION / SAMPLE) + 1):
            t = i * SAMPLE
            rows.append(",".join([f"{t:.2f}", *(f"{motion(t):.6g}" for motion in self.drives.values())]))
        folder = OUT / "motions"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{self.name}.csv").write_text("\n".join(rows) + "\n")
        for drive in self.drives:
            self.tag("motion", name=drive, type="series", file=f"motions/{self.name}.csv", column=drive)

    def _points(self, body):
        """Corners of the shapes of a body in the world."""
        points = []
        for shape in body["shapes"]:
            for p in getattr(shape, "points", None) or corners(body["size"]):
                points.append(plus(body["center"], turn(quaternion(body["along"]), p)))
        return points

    def _overlapping(self):
        """Pairs of bodies that no joint connects and that are less than 4 mm apart in the initial pose."""
        near = 0.004
        joined = {frozenset((j["base"], j["follower"])) for j in self.joints}
        points = {name: self._points(b) for name, b in self.bodies.items()}
        boxes = {name: [(min(c), max(c)) for c in zip(*p)] for name, p in points.items()}
        for a, b in itertools.combinations(self.bodies, 2):
            if frozenset((a, b)) in joined or (a, b) in self.excluded or (b, a) in self.excluded:
                continue
            if all(p[0] - near < q[1] and q[0] - near < p[1] for p, q in zip(boxes[a], boxes[b])):
                if not apart(points[a], points[b], near):
                    yield a, b

    def write(self, *checks):
        self._write_motions()
        for name, b in self.bodies.items():
            s, m = [x * x for x in b["size"]], b["mass"]
            inertia = [m * (s[1] + s[2]) / 12, m * (s[2] + s[0]) / 12, m * (s[0] + s[1]) / 12]
            more = {"quaternion": vec(quaternion(b["along"]))} if b["along"] else {}
            self.tag("body", [f'<inertial mass="{num(m)}" inertia="{vec(inertia)}"/>', *b["shapes"]], name=name,
                     position=vec(b["center"]), **more)
        for j in self.joints:
            inner = j["inner"]
            attributes = dict(name=j["name"], type=j["type"], base=j["base"], follower=j["follower"],
                              position=vec(j["position"]))
            if j["axis"]:
                attributes["axis"] = vec(j["axis"])
            if j["name"] in self.drives or j.get("spring"):
                inertia, moment = self.load(j["load"], j["load_point"], j["axis"])
            if j["name"] in self.drives:
                if j["bears"]:
                    mass, height = j["bears"]
                    inertia, moment = max(inertia, 0.5 * mass * height ** 2), max(moment, 0.5 * mass * 9.81 * height)
                kp = j["stiff"] * max(inertia * (2 * math.pi * 5) ** 2, 10 * moment)
                kd = 1.4 * math.sqrt(kp * inertia)
                limit = f' effort-limit="{num(j["effort"])}"' if j["effort"] else ""
                inner += [f'<limit lower="{num(j["limits"][0])}" upper="{num(j["limits"][1])}"/>',
                          f'<actuator type="position" motion="{j["name"]}" kp="{kp:.4g}" kd="{kd:.4g}"{limit}/>']
            else:
                if j.get("limits"):
                    inner += [f'<limit lower="{num(j["limits"][0])}" upper="{num(j["limits"][1])}"/>']
                if j.get("spring"):
                    k = inertia * (2 * math.pi * 4) ** 2 + 5 * moment
                    rest = f'rest="{num(j["rest"])}" ' if j["rest"] else ""
                    inner += [f'<dynamics stiffness="{k:.4g}" {rest}damping="{0.4 * math.sqrt(k * inertia):.4g}"/>']
            self.tag("joint", inner, **attributes)
        if self.collide:
            self.raw("<contacts>")
            for a, b in [*self.excluded, *self._overlapping()]:
                self.raw(f'  <exclude a="{a}" b="{b}"/>')
            self.raw("</contacts>")
        self.expect('channel="residual.joint" max="1e-8"', *checks)
        super().write()


def quaternion(along):
    """Takes the x axis to a direction; none: stays."""
    if not along:
        return [1.0, 0.0, 0.0, 0.0]
    d = [x / math.hypot(*along) for x in along]
    n = cross((1, 0, 0), d)
    w = 1 + d[0]
    q = [w, *n] if w > 1e-9 else [0.0, 0.0, 0.0, 1.0]
    return [x / math.hypot(*q) for x in q]


def turn(q, v):
    a = cross(q[1:], v)
    b = cross(q[1:], a)
    return [x + 2 * (q[0] * y + z) for x, y, z in zip(v, a, b)]


def corners(size):
    return [[0.5 * s * e for s, e in zip(size, signs)] for signs in itertools.product((-1, 1), repeat=3)]


def apart(a, b, distance):
    """Whether the convex hulls of two lists of points are certainly further apart than that (Gilbert's algorithm)."""
    def dot(u, v):
        return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]

    v = minus(a[0], b[0])
    for _ in range(300):
        length = math.sqrt(dot(v, v))
        if length < distance:
            return False
        w = minus(min(a, key=lambda p: dot(p, v)), max(b, key=lambda p: dot(p, v)))
        if dot(v, w) / length > distance:
            return True
        d = minus(w, v)
        share = min(1.0, max(0.0, -dot(v, d) / max(dot(d, d), 1e-30)))
        v = [x + share * y for x, y in zip(v, d)]
    return False


class Shape(str):
    """XML of a shape, with the points of its surface in the frame of its body."""
    def __new__(cls, text, points):
        shape = super().__new__(cls, text)
        shape.points = points
        return shape


def write_mesh(name, points, faces):
    """Writes meshes/NAME.obj and returns its path. `faces`: numbers of points from 1."""
    folder = OUT / "meshes"
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"v {p[0]:.6g} {p[1]:.6g} {p[2]:.6g}" for p in points] + [f"f {' '.join(str(i) for i in f)}" for f in faces]
    (folder / f"{name}.obj").write_text("\n".join(lines) + "\n")
    return f"meshes/{name}.obj"


def prism(size, axis=None):
    """A prism with eight sides along its longest edge or `axis`: a box with four bevelled edges. Equal ones share a
    file, whose name is the size in mm. Returns its path and points."""
    axis = max(range(3), key=lambda i: size[i]) if axis is None else axis
    i, k = (axis + 1) % 3, (axis + 2) % 3
    a, b = 0.5 * size[i], 0.5 * size[k]
    bevel = 0.4 * min(a, b)
    ring = [(a, bevel - b), (a, b - bevel), (a - bevel, b), (bevel - a, b), (-a, b - bevel), (-a, bevel - b),
            (bevel - a, -b), (a - bevel, -b)]
    points = []
    for end in (-0.5, 0.5):
        for u, v in ring:
            p = [0.0, 0.0, 0.0]
            p[i], p[k], p[axis] = u, v, end * size[axis]
            points.append(p)
    faces = []
    for n in range(8):
        m = (n + 1) % 8
        faces += [(n + 1, m + 1, m + 9), (n + 1, m + 9, n + 9)]
        if 0 < n < 7:
            faces += [(1, m + 1, n + 1), (9, n + 9, m + 9)]
    name = f"prism-{'x'.join(num(round(1000 * x, 3)) for x in size)}-{'xyz'[axis]}"
    return write_mesh(name, points, faces), points


def hull_shape(size, axis=None, position=(0, 0, 0), name=None):
    file, points = prism(size, axis)
    label = f'name="{name}" ' if name else ""
    return Shape(f'<shape {label}type="hull" file="{file}" position="{vec(position)}"/>', [plus(p, position) for p in points])


def shell(name, radii, thickness=0.004, around=10, up=6):
    """A thin closed shell: an ellipsoid and a smaller one inside it, as one mesh. Returns its path and points."""
    points, faces = [], []
    for sign, r in ((1, radii), (-1, [x - thickness for x in radii])):
        first = len(points) + 1
        points.append([0, 0, -r[2]])
        for i in range(1, up):
            polar = math.pi * i / up
            for k in range(around):
                a = 2 * math.pi * k / around
                points.append([r[0] * math.sin(polar) * math.cos(a), r[1] * math.sin(polar) * math.sin(a),
                               -r[2] * math.cos(polar)])
        points.append([0, 0, r[2]])
        last = len(points)

        def at(i, k):
            return first if i == 0 else last if i == up else first + 1 + (i - 1) * around + k % around

        for i in range(up):
            for k in range(around):
                quad = [at(i, k), at(i, k + 1), at(i + 1, k + 1), at(i + 1, k)]
                for t in ((0, 1, 2), (0, 2, 3)):
                    face = [quad[x] for x in t]
                    if len(set(face)) == 3:
                        faces.append(face if sign > 0 else face[::-1])
    return write_mesh(name, points, faces), points


def shell_shape(name, radii, position=(0, 0, 0)):
    """A shell whose convex hull collides."""
    file, points = shell(name, radii)
    return Shape(f'<shape type="hull" file="{file}" position="{vec(position)}"/>', [plus(p, position) for p in points])


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
