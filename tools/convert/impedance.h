#pragma once
/// Impedances for rows that count another inertia.

#include "tools/convert/link_graph.h"

namespace grashof::convert {

/// An impedance whose regularization (1 - d)/d D is `ratio` times as large, with the same reference
/// acceleration (of the stiffness: at full depth). `ratio`: > 0.
Softness scaledImpedance(Softness s, double ratio);

/// A stage of the conversion: limits and loops of which the tree knows the mobility in the whole mechanism
/// (LinkJoint::mobility, Loop::mobility) count it.
void matchImpedances(LinkGraph& g);

}  // namespace grashof::convert
