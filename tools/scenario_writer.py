"""What the generators of scenarios share: numbers as text, and a scenario as lines of XML."""
import math
import pathlib


def num(x):
    text = f"{x:.17g}"
    short = f"{x:.12g}"
    return short if abs(float(short) - x) < 1e-15 else text


def vec(v):
    return " ".join(num(float(x)) for x in v)


def add(a, b):
    return [x + y for x, y in zip(a, b)]


def mid(a, b):
    return [0.5 * (x + y) for x, y in zip(a, b)]


def bar_quaternion(p, q):
    """Rotation about y that turns x along the bar from p to q (both in one xz plane)."""
    angle = -math.atan2(q[2] - p[2], q[0] - p[0])
    return [math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0]


class Scene:
    def __init__(self, folder, name, comment, **options):
        self.folder = pathlib.Path(folder)
        self.name = name
        self.lines = [f'<scenario name="{name}">', f"  <!-- {comment} -->"]
        self.tag("options", **options)

    def raw(self, text):
        self.lines += ["  " + line for line in text.strip("\n").split("\n")]

    def tag(self, tag, inner=(), **attributes):
        text = " ".join(f'{k.replace("_", "-")}="{v if isinstance(v, str) else num(v)}"' for k, v in attributes.items())
        if inner:
            self.lines.append(f"  <{tag} {text}>")
            self.lines += ["    " + line for line in inner]
            self.lines.append(f"  </{tag}>")
        else:
            self.lines.append(f"  <{tag} {text}/>")

    def bar(self, name, p, q, mass, width=0.02, depth=None, extra=(), **more):
        length = math.dist(p, q)
        self.tag("body", [f'<shape type="box" size="{num(length)} {num(depth or width)} {num(width)}" '
                          f'mass="{num(mass)}" collides="false"/>', *extra],
                 name=name, position=vec(mid(p, q)), quaternion=vec(bar_quaternion(p, q)), **more)

    def pin(self, name, base, follower, p, axis="0 1 0", inner=()):
        self.tag("joint", inner, name=name, type="revolute", base=base, follower=follower, position=vec(p), axis=axis)

    def expect(self, *checks):
        self.lines.append("  <expect>")
        self.lines += [f"    <check {c}/>" for c in checks]
        self.lines.append("  </expect>")

    def write(self):
        self.lines.append("</scenario>")
        (self.folder / f"{self.name}.xml").write_text("\n".join(self.lines) + "\n")
