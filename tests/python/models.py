"""Scenarios that several tests run."""

import os

import grashof

SOURCE = os.path.join(os.path.dirname(__file__), "..", "..")


def scenario(name, **set):
    return grashof.load(os.path.join(SOURCE, "assets", "scenarios", name + ".xml"), set)


def pendulum(mass=1.0, **actuator):
    figure = grashof.Figure("pendulum", duration=1.0, timestep=1e-3)
    figure.add("motion", name="u", type="constant", value=0)
    figure.body("bob", mass=mass, inertia=[0.01, 0.01, 0.01], position=[0.3, 0, 0])
    pivot = figure.joint("pivot", "revolute", "bob", position=[0, 0, 0], axis=[0, 1, 0])
    if actuator:
        pivot.add("actuator", motion="u", **actuator)
    return figure.scenario()
