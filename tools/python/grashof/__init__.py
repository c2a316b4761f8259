"""Grashof: mechanisms with closed loops.

    import grashof
    scenario = grashof.load("fourbar.xml")
    world = grashof.World(scenario)
    world.step(1000)
    print(world.time, world.coordinates, world.energy.drift)

Units are SI; quaternions are x y z w, body to world; twists and wrenches are in world axes at the centre of mass.
Arrays of a World are views of the engine's memory. Errors are classes of
grashof.Error: bad input raises InputError, a run that blows up Diverged.
"""

from ._core import (  # noqa: F401
    AssemblyError,
    Batch,
    CallError,
    ContactInverseDynamics,
    Diverged,
    DualProblem,
    Error,
    FileError,
    InputError,
    MinimalCoordinates,
    Rollout,
    Scenario,
    StepDerivative,
    World,
    WorldView,
    Study,
    StudyResults,
    __version__,
    evaluate,
    inverse_dynamics,
    linearize,
    load,
    mobility,
    parse,
    reach,
    read_contacts,
    read_problem,
    register_solver,
    run,
    solvers,
)
from .figure import Figure
from .result import Result
from .study import sweep
from .tangents import tangent

__all__ = [
    "AssemblyError",
    "Batch",
    "CallError",
    "ContactInverseDynamics",
    "Diverged",
    "DualProblem",
    "Error",
    "Figure",
    "FileError",
    "InputError",
    "MinimalCoordinates",
    "Result",
    "Rollout",
    "Scenario",
    "StepDerivative",
    "Study",
    "StudyResults",
    "World",
    "WorldView",
    "evaluate",
    "inverse_dynamics",
    "linearize",
    "load",
    "mobility",
    "parse",
    "reach",
    "read_contacts",
    "read_problem",
    "register_solver",
    "run",
    "solvers",
    "sweep",
    "tangent",
]
