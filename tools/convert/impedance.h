#pragma once
/// Impedances for rows that count another inertia.

#include "tools/convert/link_graph.h"

namespace grashof::convert {

/// An impedance whose regularization (1 - d)/d D is `ratio` times as large, with the same reference
/// acceleration (of the stiffness: at full depth). `ratio`: > 0.
Softness scaledImpedance(Softness s, double ratio);

/// How much less a contact of MuJoCo yields along its surface than along its normal where its cone is a
/// pyramid; `condim`: 3, 4 or 6.
double pyramidRatio(double friction, int condim);

/// MuJoCo's dimension of a contact of these surfaces: 1 without friction, 3, or more where turning has some.
int condimOf(const SurfacePair& pair);

/// A stage of the conversion: limits and loops of which the tree knows the mobility in the whole mechanism
/// (LinkJoint::mobility, Loop::mobility) count it.
void matchImpedances(LinkGraph& g);

}  // namespace grashof::convert
