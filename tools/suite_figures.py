"""The parts that figures of the benchmark suite are made of: motions, shapes, links and four-bars; see generate_suite.py.

Bodies all lie along the world axes in the initial pose. The parts:
  link     a body on a revolute joint, driven or sprung                                   1 body, 1 joint, 5 rows
  planar   motor horn, push-rod, driven body: a four-bar of parallel hinges, hyperstatic  3 bodies, 4 joints, 20 rows
  spatial  the same with a rod between two ball joints, free to spin                      3 bodies, 4 joints, 16 rows
Joint neighbours do not touch each other, nor do bodies that overlap in the initial pose."""
import itertools
import math
import pathlib
import sys

from scenario_writer import Scene, num, vec

# The folder that the generator was given.
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
