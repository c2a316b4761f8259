#pragma once
/// Private: the local form of the FCLIB layout, `fclib_local`, in an HDF5 file; see problem_file.h.

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <string>
#include <vector>

#include "engine/results/contact_condensation.h"
#include "engine/results/hdf5_file.h"
#include "solvers/problem/dual_problem.h"

namespace grashof {

/// Contact problems with multipliers λ in the rows (n, t, o) of a file: u = W r + V λ + q, Vᵀ r + R λ + s =
/// 0.
struct MixedProblem {
  Eigen::SparseMatrix<double> w;  ///< 1/kg; rows × rows, rows = 3 contacts
  Eigen::MatrixXd v, r;           ///< rows × multipliers, multipliers × multipliers; empty without them
  std::vector<double> q, s;       ///< m/s; sizes rows, multipliers
  std::vector<double> friction;   ///< μ; size contacts
};
constexpr int kMostMultipliers = 1500, kMostDenseRows = 3000;  ///< beyond which they are refused

/// The problem without bodies whose Delassus matrix is W - V R⁺ Vᵀ (DualProblem::coupled). A matrix that is
/// symmetric to 1e-2 relative is replaced by its symmetric part, and `notes` says so. Throws InputError,
/// which names `group` of `file`, for data that is no problem.
DualProblem contactsAlone(const Hdf5Reader& file, const std::string& group, const MixedProblem& problem,
                          std::vector<std::string>& notes);

/// Reads `fclib_local` as contactsAlone(). Throws InputError for data that is no problem.
DualProblem readFclibLocal(const Hdf5Reader& file, std::vector<std::string>& notes);

/// Writes W, μ and q of the contacts of `problem`, with its bilateral rows eliminated.
void writeFclibLocal(Hdf5Writer& file, const DualProblem& problem, const CondensedContacts& condensed);

}  // namespace grashof
