#pragma once
/// How many reactions statics leaves open.

#include "engine/model/model.h"
#include "solvers/problem/dual_problem.h"

namespace grashof {

/// Dimension of {n : Jᵀ n = 0} over the rigid joint rows of a step's problem: the number of reactions that
/// statics leaves open. Soft rows are left out: their law fixes their impulse. By a rank-revealing QR
/// decomposition, dense up to kMaxBodies bodies. See ReactionDistribution for which reactions these are.
int degreeOfStaticIndeterminacy(const Model& model, const DualProblem& problem);

}  // namespace grashof
