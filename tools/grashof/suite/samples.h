#pragma once
/// Samples of the benchmark suite: dual problems taken from runs of its systems, and what kind each is.

#include <string>
#include <vector>

#include "engine/scenario/scenario.h"
#include "solvers/problem/dual_problem.h"
#include "tools/grashof/suite/next_configuration.h"

namespace grashof {

/// Categories of samples ([Tsounis 2025, VII-C]), by which rows there are and how many a body has.
inline constexpr const char* kCategories[] = {"Independent Joints", "Redundant Joints", "Dense Joints",
                                              "Single Contact",     "Sparse Contacts",  "Dense Contacts",
                                              "Dense Constraints"};

/// The description of a sample, as results contain it.
struct SampleInfo {
  int step = 0;
  int bodies = 0;
  int jointRows = 0;  ///< rigid bilateral rows; soft ones (servos) are not counted
  int limits = 0;     ///< interval rows
  int contacts = 0;
  // Contacts by what they do in the step of the run: those that are neither are open.
  int sticking = 0, sliding = 0;
  int rank = 0;  ///< of the rigid rows' J
  // Rows over the degrees of freedom of the bodies: of joints, contacts, all [Tsounis 2025, VII-C].
  double jointDensity = 0.0, contactDensity = 0.0, totalDensity = 0.0;
  double condition =
      1.0;  ///< of the rigid rows' Delassus matrix on its range: largest over smallest eigenvalue
  double softening =
      0.0;  ///< Σ|λ| of joints when all rows are softened by MuJoCo's default impedance, over rigid
  std::string category;

  int rows() const { return jointRows + limits + 3 * contacts; }
};

struct Sample {
  SampleInfo info;
  DualProblem problem;
  std::vector<double> warm;  ///< impulses from which the solver of the run started, one per row
  std::shared_ptr<const Model> model;
  RowPlace place;
};

/// How a system's run with its own solver went.
struct RunInfo {
  int steps = 0;
  int bodies = 0, joints = 0, rows = 0;
  double massRatio = 1.0;
  double jointResidual = 0.0;    ///< m, rad, largest
  double meanPenetration = 0.0;  ///< m, mean over steps of the deepest contact
  double maxPenetration = 0.0;   ///< m
  int unsolved = 0;              ///< steps
  double realTimeFactor = 0.0;   ///< simulated over wall time, without taking samples
  std::string divergence;        ///< empty: none
};

/// Runs `scenario` with `timestep` for `duration` s and takes `count` problems, evenly spaced over the steps
/// that have rows. Deterministic but for RunInfo::realTimeFactor. Throws InputError when the start does not
/// fit.
void takeSamples(const Scenario& scenario, double timestep, double duration, int count, RunInfo& run,
                 std::vector<Sample>& samples);

/// Fills rows, rank, densities, condition and category of a problem's description. Dense: for samples, not
/// for steps.
SampleInfo describe(const DualProblem& problem);

}  // namespace grashof
