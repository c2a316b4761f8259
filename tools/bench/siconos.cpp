/// Frictional contact problems (FCLIB files) solved by NEWTON-NCP, by IPM-NCP and by three solvers of
/// Siconos, in one process, from a cold start. A solver of ours is made anew for each solve, or kept, as in a
/// simulation, where the plan and the memory of one solve serve the next; theirs keeps its options.
/// usage: bench_siconos FILE...

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/results/problem_file.h"
#include "solvers/problem/residuals.h"
#include "solvers/solver.h"

extern "C" {
#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/SolverOptions.h>
}

namespace {

using namespace grashof;

struct Ours {
  const char* name;
  bool kept;

  std::string label() const { return fmt::format("{}{}", name, kept ? ", kept" : ""); }
};
constexpr std::array kOurs = {Ours{"NEWTON-NCP", false}, Ours{"NEWTON-NCP", true}, Ours{"IPM-NCP", false}};
constexpr int kRepeat = 5;
constexpr double kEnough = 1e-3;  // s, in all, until which a short run is repeated more often
constexpr double kTolerance = 1e-9, kTheirTolerance = 1e-8;
constexpr std::size_t kDense = 60;  // contacts, above which dense matrices only cost time
constexpr int kTheirIterations = 20000;

/// Least wall time of `kRepeat` runs or more, s; infinite when one fails.
double leastTime(const std::function<bool()>& run) {
  double least = std::numeric_limits<double>::infinity(), sum = 0.0;
  for (int i = 0; i < kRepeat || sum < kEnough; ++i) {
    const auto start = std::chrono::steady_clock::now();
    if (!run()) return std::numeric_limits<double>::infinity();
    const double time = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    least = std::min(least, time);
    sum += time;
    if (least > 0.1) break;
  }
  return least;
}

/// What their library allocates with malloc.
struct Release {
  void operator()(NumericsMatrix* matrix) const {
    NM_clear(matrix);
    std::free(matrix);  // NOLINT(cppcoreguidelines-owning-memory,cppcoreguidelines-no-malloc)
  }
  void operator()(::SolverOptions* options) const {
    solver_options_delete(options);
    std::free(options);  // NOLINT(cppcoreguidelines-owning-memory,cppcoreguidelines-no-malloc)
  }
};

/// The problem in Siconos' form: rows of a contact are (n, t, o).
class TheirProblem {
 public:
  TheirProblem(const DualProblem& p, NM_types storage) : contacts_(static_cast<int>(p.contacts.size())) {
    const int n = 3 * contacts_;
    matrix_.reset(NM_create(storage, n, n));
    NumericsMatrix* matrix = matrix_.get();
    if (storage == NM_SPARSE) NM_triplet_alloc(matrix, 9 * p.coupled.block.size());
    for (int k = 0; k < contacts_; ++k)
      for (int i = p.coupled.start[k]; i < p.coupled.start[k + 1]; ++i)
        for (int r = 0; r < 3; ++r)
          for (int c = 0; c < 3; ++c)
            NM_zentry(matrix, 3 * k + (r + 1) % 3, 3 * p.coupled.contact[i] + (c + 1) % 3,
                      p.coupled.block[i](r, c), 0.0);
    for (int k = 0; k < contacts_; ++k) {
      for (int r = 0; r < 3; ++r) q_.push_back(p.bias[3 * k + (r + 2) % 3]);
      mu_.push_back(p.contacts[k].friction);
    }
    problem_.dimension = 3;
    problem_.numberOfContacts = contacts_;
    problem_.M = matrix;
    problem_.q = q_.data();
    problem_.mu = mu_.data();
  }

  /// Seconds; the impulse of the last run in our order.
  double solve(int solver, std::vector<double>& impulse) {
    std::vector<double> reaction, velocity;
    const std::unique_ptr<::SolverOptions, Release> options(solver_options_create(solver));
    const double time = leastTime([&] {
      reaction.assign(q_.size(), 0.0);
      velocity.assign(q_.size(), 0.0);
      options->dparam[0] = kTheirTolerance;
      options->iparam[0] = kTheirIterations;
      return fc3d_driver(&problem_, reaction.data(), velocity.data(), options.get()) == 0;
    });
    impulse.resize(q_.size());
    for (int k = 0; k < contacts_; ++k)
      for (int r = 0; r < 3; ++r) impulse[3 * k + (r + 2) % 3] = reaction[3 * k + r];
    return time;
  }

 private:
  int contacts_;
  std::unique_ptr<NumericsMatrix, Release> matrix_;
  FrictionContactProblem problem_{};
  std::vector<double> q_, mu_;
};

double relativeWorst(const DualProblem& p, const std::vector<double>& impulse) {
  const Residuals r = measureResiduals(p, impulse);
  double size = 1.0;
  for (const double l : impulse) size = std::max(size, std::abs(l));
  return std::max({r.primal, r.dual, r.complementarity / size});
}

/// Geometric means of times over the best of Siconos, for problems of one size.
struct Means {
  std::array<double, kOurs.size()> log{};
  std::array<int, kOurs.size()> count{};
};

/// Least time (s) of one of our solvers from a cold start; infinite when it fails. `worst`: its residual.
double ourTime(const DualProblem& p, const Ours& ours, double& worst) {
  grashof::SolverOptions options;
  options.name = ours.name;
  options.tolerance = kTolerance;
  options.toleranceKind = ToleranceKind::Absolute;
  Solution solution;
  std::unique_ptr<Solver> solver;
  const double time = leastTime([&] {
    if (!ours.kept || !solver) {
      solution = {};
      solver = makeSolver(options);
    }
    solution.warm = false;
    solver->solve(p, solution);
    return solution.status == SolveStatus::Solved;
  });
  worst = relativeWorst(p, solution.impulse);
  return time;
}

std::string timeText(double seconds) {
  return std::isinf(seconds) ? fmt::format("{:>10}", "fails") : fmt::format("{:>10.1f}", 1e6 * seconds);
}

void compare(const char* file, Means& few, Means& some, Means& many) {
  const DualProblem p = readProblem(file).problem;
  if (p.coupled.empty() || p.bodies() > 0) throw InputError("a problem given as W is wanted");
  std::string line =
      fmt::format("{:<36}{:>9}", std::filesystem::path(file).stem().string(), p.contacts.size());
  std::array<double, kOurs.size()> ours{};
  for (std::size_t i = 0; i < kOurs.size(); ++i) {
    double worst = 0.0;
    ours[i] = ourTime(p, kOurs[i], worst);
    line += timeText(ours[i]) + fmt::format("{:>9.0e}", worst);
  }
  double best = std::numeric_limits<double>::infinity();
  std::vector<double> impulse;
  for (const int solver : {SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_NSN_AC, SICONOS_FRICTION_3D_ADMM}) {
    double time = std::numeric_limits<double>::infinity();
    for (const NM_types storage : {NM_SPARSE, NM_DENSE}) {  // whichever suits it better
      if (storage == NM_DENSE && p.contacts.size() > kDense) continue;
      time = std::min(time, TheirProblem(p, storage).solve(solver, impulse));
    }
    best = std::min(best, time);
    line += timeText(time);
  }
  Means& means = p.contacts.size() >= 20 ? many : p.contacts.size() >= 10 ? some : few;
  for (std::size_t i = 0; i < kOurs.size(); ++i) {
    line += fmt::format("{:>8.3f}", ours[i] / best);
    if (!std::isfinite(best) || !std::isfinite(ours[i])) continue;
    means.log[i] += std::log(ours[i] / best);
    ++means.count[i];
  }
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  Means few, some, many;
  fmt::print("{:<36}{:>9}{:>10}{:>9}{:>10}{:>9}{:>10}{:>9}{:>10}{:>10}{:>10}{:>24}\n",
             "file (us; worst residual)", "contacts", "NEWTON", "", "kept", "", "IPM-NCP", "", "NSGS",
             "NSN_AC", "ADMM", "ratios");
  for (int a = 1; a < argc; ++a) {
    try {
      compare(argv[a], few, some, many);
    } catch (const std::exception& e) {
      fmt::print(stderr, "{}: {}\n", argv[a], e.what());
      return 2;
    }
  }
  for (const auto& [means, name] : {std::pair(many, "20 contacts and more"), std::pair(some, "10 to 19"),
                                    std::pair(few, "fewer than 10")})
    for (std::size_t i = 0; i < kOurs.size(); ++i)
      if (means.count[i] > 0)
        fmt::print("geometric mean of {} over the best of Siconos, {}: {:.3f} ({} files)\n", kOurs[i].label(),
                   name, std::exp(means.log[i] / means.count[i]), means.count[i]);
}
