"""Scenarios built in code: the elements and attributes of the XML, with the same names, checks and messages."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any, List, Optional, Tuple

from ._core import InputError, Scenario, parse


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    try:
        return " ".join(repr(float(x)) for x in value)
    except TypeError:
        return repr(value.item() if hasattr(value, "item") else value)


def _of_elements(error: InputError, path: str) -> InputError:
    """The same error, its defects placed by element: nobody has seen the lines of a text made in code."""
    found: List[Tuple[str, int, str, str]] = [("", 0, d[2], d[3]) if d[0] == path else d for d in error.diagnostics]
    lines = []
    for file, line, element, message in found:
        place = f"{file}:{line}: " if file and line else f"{file}: " if file else ""
        lines.append(place + (f"{element}: " if element else "") + message)
    mended = InputError("\n".join(lines))
    mended.diagnostics = found
    return mended


class Element:
    """One element. Attributes are keywords, `_` for `-`; a trailing `_` is dropped (class_, from_)."""

    def __init__(self, node: ET.Element):
        self._node = node

    def add(self, tag: str, **attributes: Any) -> "Element":
        """Adds a child, as in figure.add("joint", type="revolute", base="a", follower="b"), and returns it."""
        named = {key.rstrip("_").replace("_", "-"): _text(x) for key, x in attributes.items() if x is not None}
        return Element(ET.SubElement(self._node, tag.replace("_", "-"), named))

    def set(self, **attributes: Any) -> "Element":
        """Sets attributes and returns the element."""
        for key, x in attributes.items():
            self._node.set(key.rstrip("_").replace("_", "-"), _text(x))
        return self


class Figure(Element):
    """A scenario in the making.

    figure = Figure("pendulum", duration=2.0, timestep=1e-3)
    bob = figure.body("bob", position=[0, 0, -1], mass=1.0, inertia=[0.01, 0.01, 0.01])
    figure.joint("pivot", "revolute", follower="bob", position=[0, 0, 0], axis=[0, 1, 0])
    scenario = figure.scenario()
    """

    def __init__(self, name: str, **options: Any):
        """`options`: attributes of <options>, as duration, timestep, gravity, integrator."""
        super().__init__(ET.Element("scenario", {"name": name}))
        if options:
            self.add("options", **options)

    def body(self, name: str, mass: Optional[float] = None, inertia: Any = None, **attributes: Any) -> Element:
        """Adds <body>, with <inertial> when `mass` is given (else its shapes give it)."""
        body = self.add("body", name=name, **attributes)
        if mass is not None:
            body.add("inertial", mass=mass, inertia=inertia)
        return body

    def joint(self, name: str, type: str, follower: str, base: Optional[str] = None, **attributes: Any) -> Element:
        """Adds <joint>; without `base`, to the world."""
        return self.add("joint", name=name, type=type, base=base, follower=follower, **attributes)

    def xml(self) -> str:
        """The scenario as XML text."""
        ET.indent(self._node)
        return ET.tostring(self._node, encoding="unicode") + "\n"

    def scenario(self, path: str = "figure.xml", set: Optional[dict] = None) -> Scenario:
        """The scenario. Raises InputError, which names elements, as in `joint[pivot]/limit`. Files that it
        names are looked for beside `path`."""
        try:
            return parse(self.xml(), path, set or {})
        except InputError as error:
            mended = _of_elements(error, path)
        raise mended
