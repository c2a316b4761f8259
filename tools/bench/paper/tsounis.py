"""What of [Tsounis 2025] is not shown. The suite judges the rest, see tools/grashof/suite/statements.cpp."""

EXPERIMENTS, REASONS, MEASURES = [], {}, {}

# What is not shown here, and why.
ABSENT = [
    ("[Tsounis 2025, fig. 8]", "the animatronic figures", "their models are not public; ours have the counts of table II"),
    ("[Tsounis 2025, II-C]", "time stepping by methods of higher order",
     "it is only named there; Moreau's midpoint is of the second order where motions are smooth (tests/properties/test_convergence.cpp), and a contact that closes within a step makes any method one of the first"),
    ("[Tsounis 2025, III-B]", "an initial guess that does not depend on which constraints act",
     "it is only named there; impulses are kept by joint, limit and place of a contact, and what is new starts at zero"),
    ("[Tsounis 2025, table I]", "PGS-CCP with De Saxcé's term", "`de-saxce` switches it on; the suite measures PGS-CCP as a solver of the convex relaxation, and RAISIM-DS with that term"),
    ("[Tsounis 2025, V-D]", "softening that makes a simulation unstable",
     "the suite softens single steps, in which it shows as reactions that are too small (above); motions that it makes unstable were not looked for"),
    ("[Tsounis 2025, eq. 159]", "the change of the iterates as what ends a solver well",
     "iterates that stand still say nothing of the residual: they end Gauss-Seidel as stalled, and the measured residual alone decides what is solved"),
]


def commands():
    return []
