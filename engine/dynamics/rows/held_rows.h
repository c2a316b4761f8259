#pragma once
/// Limits and contacts that no motion answers to, since joints and motions hold them: a closed gripper whose
/// fingers a motion holds at their limits, a foot straight below its hinge (theory.md, "Held rows").

#include <vector>

#include "solvers/linear/kkt_system.h"
#include "solvers/problem/dual_problem.h"

namespace grashof {

/// Looks where a solver has failed, and in the steps after that. Allocates in the first look and for more
/// rows.
class HeldRows {
 public:
  /// Whether rows were held lately: relieve() before the solve then.
  bool expected() const { return remembered_ > 0; }
  /// Takes from the limits and normals of contacts that are held what they ask for against what holds them:
  /// the speed that would take back a penetration. Those that are held altogether get a compliance, so that
  /// their impulse is no infinite one. Returns how many rows are held.
  int relieve(DualProblem& problem);
  /// A body at the last row that was held; -1: none.
  int body() const { return body_; }
  /// Forgets all steps.
  void reset();

 private:
  double answer(const DualProblem& problem);

  KktSystem kkt_;
  std::vector<Vec6> pull_, response_;
  std::vector<double> rows_;
  int remembered_ = 0;  // steps in which rows are expected
  int body_ = -1;
};

}  // namespace grashof
