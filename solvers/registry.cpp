#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "solvers/methods/admm.h"
#include "solvers/methods/auto_solver.h"
#include "solvers/methods/ccp_newton.h"
#include "solvers/methods/convex_contact.h"
#include "solvers/methods/gauss_seidel.h"
#include "solvers/methods/interior_point.h"
#include "solvers/methods/lemke.h"
#include "solvers/methods/loaded_bounds.h"
#include "solvers/methods/newton.h"
#include "solvers/methods/staggered.h"
#include "solvers/solver.h"

namespace grashof {
namespace {

template <typename S>
std::unique_ptr<Solver> make(const SolverOptions& options) {
  return std::make_unique<S>(options);
}

template <const AdmmMethod& method>
std::unique_ptr<Solver> admm(const SolverOptions& options) {
  return std::make_unique<Admm>(options, method);
}

template <const InteriorPointMethod& method>
std::unique_ptr<Solver> interiorPoint(const SolverOptions& options) {
  return std::make_unique<InteriorPoint>(options, method);
}

template <ContactModel model>
std::unique_ptr<Solver> convexContact(const SolverOptions& options) {
  return std::make_unique<ConvexContact>(options, model);
}

template <ContactModel model>
std::unique_ptr<Solver> staggered(const SolverOptions& options) {
  return std::make_unique<Staggered>(options, model);
}

template <const GaussSeidelMethod& method>
std::unique_ptr<Solver> gaussSeidel(const SolverOptions& options) {
  return std::make_unique<GaussSeidel>(options, method);
}

constexpr std::size_t kMostRegistered = 64;

/// A new solver is one file and one line here.
std::vector<SolverEntry> builtIn() {
  return {
      {"auto", "linear solve, NEWTON-NCP, IPM-NCP or ADMM, the first that gets there (default)",
       ContactModel::Ncp, &make<AutoSolver>},
      {"ADMM", "proximal ADMM on the NCP, joints exact, spectral penalty", ContactModel::Ncp, &admm<kAdmm>},
      {"ADMM-NCP-SA", "proximal ADMM on the NCP by the letter: all rows split, unscaled; spectral penalty",
       ContactModel::Ncp, &admm<kAdmmNcpSpectral>},
      {"ADMM-NCP-LA", "the same, linear adaptation of the penalty", ContactModel::Ncp, &admm<kAdmmNcpLinear>},
      {"ADMM-NCP-FP", "the same, fixed penalty", ContactModel::Ncp, &admm<kAdmmNcpFixed>},
      {"ADMM-CCP", "ADMM on the convex relaxation, all rows split, fixed penalty", ContactModel::Ccp,
       &admm<kAdmmCcp>},
      {"ADMM-CCP-SA", "the same, spectral penalty", ContactModel::Ccp, &admm<kAdmmCcpSpectral>},
      {"NEWTON-NCP", "proximal semismooth Newton on the NCP, joints exact", ContactModel::Ncp, &make<Newton>},
      {"IPM-NCP", "interior point on the NCP, De Saxcé's term inside the Newton system", ContactModel::Ncp,
       &interiorPoint<kIpmNcp>},
      {"IPM-NCP-LAGGED", "the same, De Saxcé's term lagged", ContactModel::Ncp,
       &interiorPoint<kIpmNcpLagged>},
      {"IPM-CCP", "interior point on the convex relaxation", ContactModel::Ccp, &interiorPoint<kIpmCcp>},
      {"PGS-CCP", "Gauss-Seidel, projection onto the friction cone", ContactModel::Ccp,
       &gaussSeidel<kPgsCcp>},
      {"PGS-NCP", "Gauss-Seidel, normal then friction disk", ContactModel::Ncp, &gaussSeidel<kPgsNcp>},
      {"NBGS", "Gauss-Seidel, one-contact problems solved by their quartic", ContactModel::Ncp,
       &gaussSeidel<kNbgs>},
      {"RAISIM", "Gauss-Seidel, one-contact problems solved by bisection", ContactModel::Ncp,
       &gaussSeidel<kRaisim>},
      {"RAISIM-DS", "the same with De Saxcé's term", ContactModel::Ncp, &gaussSeidel<kRaisimDs>},
      {"RAISIM-DS-ES", "the same, stopped early on small improvement", ContactModel::Ncp,
       &gaussSeidel<kRaisimDsEs>},
      {"PROX", "Gauss-Seidel proximal-point steps of adaptive length", ContactModel::Ncp,
       &gaussSeidel<kProx>},
      {"JACOBI", "block Jacobi, damped by the number of blocks per body", ContactModel::Ncp,
       &gaussSeidel<kJacobi>},
      {"JACOBI-POINT", "all rows at once, each by its diagonal entry", ContactModel::Ncp,
       &gaussSeidel<kPointJacobi>},
      {"LCP-PGS", "Gauss-Seidel with friction pyramids of four or more facets", ContactModel::Pyramid,
       &gaussSeidel<kLcpPgs>},
      {"LCP-LEMKE", "the same problem by pivoting, with dense matrices", ContactModel::Pyramid, &make<Lemke>},
      {"LCP-STAGGERED", "the same problem by normals and friction in turn, as STAGGERED",
       ContactModel::Pyramid, &staggered<ContactModel::Pyramid>},
      {"STAGGERED", "normals and friction in turn, each a convex problem solved by ADMM", ContactModel::Ncp,
       &staggered<ContactModel::Ncp>},
      {"CCP-NEWTON", "Newton on the primal convex relaxation, with multipliers; needs bodies",
       ContactModel::Ccp, &make<CcpNewton>},
      {"SAP", "Newton on a convex potential: compliant contact, sticking friction yields; needs bodies",
       ContactModel::Sap, &convexContact<ContactModel::Sap>},
      {"LAGGED",
       "the same: friction bounded by the normal force of the step before, normals free of friction",
       ContactModel::Lagged, &convexContact<ContactModel::Lagged>},
      {"SIMILAR", "the same: normal force and friction of v_n - mu |v_t|", ContactModel::Similar,
       &convexContact<ContactModel::Similar>},
  };
}

std::vector<SolverEntry>& registry() {
  static std::vector<SolverEntry> all = [] {
    std::vector<SolverEntry> entries = builtIn();
    entries.reserve(entries.size() + kMostRegistered);  // so that none ever moves
    return entries;
  }();
  return all;
}

}  // namespace

std::span<const SolverEntry> solverRegistry() { return registry(); }

void registerSolver(SolverEntry entry) {
  const auto allowed = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; };
  if (entry.name.empty() || !std::all_of(entry.name.begin(), entry.name.end(), allowed))
    throw InputError("a solver cannot be called '" + entry.name + "' (use letters, digits, '-' and '_')");
  std::vector<SolverEntry>& all = registry();
  for (const SolverEntry& known : all)
    if (known.name == entry.name) throw InputError("there is a solver '" + entry.name + "' already");
  if (all.size() == all.capacity()) throw InputError("too many solvers are registered");
  all.push_back(std::move(entry));
}

const SolverEntry& findSolver(std::string_view name) {
  std::string known;
  for (const SolverEntry& entry : registry()) {
    if (entry.name == name) return entry;
    known += (known.empty() ? "" : ", ") + entry.name;
  }
  throw InputError("unknown solver '" + std::string(name) + "' (known: " + known + ")");
}

std::unique_ptr<Solver> makeSolver(const SolverOptions& options) {
  return std::make_unique<LoadedBounds>(findSolver(options.name), options);
}

}  // namespace grashof
