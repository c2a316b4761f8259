#include "engine/results/problem_file.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "engine/base/output_file.h"
#include "engine/results/fclib_global.h"
#include "engine/results/fclib_local.h"
#include "engine/results/fclib_matrix.h"
#include "engine/results/hdf5_file.h"
#include "engine/results/problem_groups.h"
#include "solvers/problem/residuals.h"

namespace grashof {
namespace {

constexpr double kIdle = 1e-9;    // share of Λ₀: the impulse of an interval that does nothing
constexpr double kSolved = 1e-6;  // relative residuals of what is called a solution
constexpr double kNear = 1e-4;    // of what is solved again from there
constexpr double kExact = 1e-9;   // of what is not
constexpr int kIterations = 500;

/// What of a problem FCLIB can express.
struct Expressible {
  bool local = false, global = false;
  std::string leftOut;  // in words; empty if nothing is
};

/// Intervals with bounds by whether they act, or may act.
struct BoundedRows {
  int acting = 0, idle = 0;
};

BoundedRows countBounded(const DualProblem& problem, const Solution* solution) {
  BoundedRows count;
  const ResidualScale scale = residualScale(problem, ToleranceKind::Relative);
  for (const IntervalRow& row : problem.intervals) {
    if (isUnbounded(row)) continue;
    const double unit = scale.impulse * (isRotational(problem, row) ? scale.length : 1.0);
    const bool idle = solution ? std::abs(solution->impulse[row.row]) <= kIdle * unit
                               : row.lower == 0.0 && row.upper == 0.0 && row.loads == 0;
    ++(idle ? count.idle : count.acting);
  }
  return count;
}

/// Whether any row of the FCLIB groups has compliance.
bool yields(const DualProblem& problem) {
  const auto soft = [&](int row) { return problem.compliance[row] != 0.0; };
  const auto bilateral = bilateralRows(problem);
  return !problem.coupled.empty() ||
         std::any_of(bilateral.begin(), bilateral.end(),
                     [&](const BilateralRow& row) { return soft(row.row); }) ||
         std::any_of(problem.contacts.begin(), problem.contacts.end(), [&](const ContactBlock& contact) {
           return soft(contact.row) || soft(contact.row + 1) || soft(contact.row + 2);
         });
}

Expressible expressible(const DualProblem& problem, const Solution* solution) {
  const std::string alone = " (group grashof alone has the problem)";
  if (problem.contacts.empty()) return {false, false, "no contacts" + alone};
  const auto laws = std::count_if(problem.contacts.begin(), problem.contacts.end(),
                                  [](const ContactBlock& contact) { return contact.law >= 0; });
  const BoundedRows intervals = countBounded(problem, solution);
  if (intervals.acting > 0)
    return {false, false,
            fmt::format("{} rows with bounds that {}: limits, dry friction, bounded drives{}",
                        intervals.acting, solution ? "act" : "may act", alone)};
  if (laws > 0) return {false, false, fmt::format("the normal laws of {} contacts{}", laws, alone)};
  Expressible result;
  result.global = !problem.inertia.empty() && !yields(problem);
  result.local = CondensedContacts::fits(problem);
  if (intervals.idle > 0)
    result.leftOut = fmt::format("{} rows with bounds that do not act in the solution", intervals.idle);
  if (!result.local && !result.global)
    result.leftOut = "rows that yield, among too many joints to be eliminated" + alone;
  return result;
}

/// An impulse, the velocities and multipliers of it by the equations of the file, in its rows.
struct FclibSolution {
  std::vector<double> r, u, v, l;
  bool solved = false;
};

/// Rows (t, o, n) of contacts as those of a file, (n, t, o).
std::vector<double> inFileRows(const std::vector<double>& rows) {
  std::vector<double> turned(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    turned[i] = rows[3 * (i / 3) + static_cast<std::size_t>(contactRowOf(static_cast<int>(i)))];
  return turned;
}

/// The contacts without bodies, as `fclib_local` has them.
DualProblem contactsOf(const DualProblem& problem, const CondensedContacts& condensed) {
  DualProblem alone;
  alone.coupled = condensed.delassus();
  alone.bias = condensed.freeVelocity();
  alone.compliance.assign(alone.bias.size(), 0.0);
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    ContactBlock contact;
    contact.row = static_cast<int>(3 * k);
    contact.friction = problem.contacts[k].friction;
    alone.contacts.push_back(contact);
  }
  return alone;
}

/// Solves the contacts again from r where it nearly solves them; returns the residual. Joints that hold each
/// other but for rounding make u of the step another than that of the condensed problem, a little.
double improve(const DualProblem& contacts, const ResidualScale& scale, std::vector<double>& r) {
  const auto residual = [&](const std::vector<double>& impulse) {
    return measureResiduals(contacts, impulse, ContactModel::Ncp, scale).judged();
  };
  const double before = residual(r);
  if (before <= kExact || !(before <= kNear)) return before;
  SolverOptions options;
  options.tolerance = 0.1 * kExact;
  options.maxIterations = kIterations;
  Solution again;
  again.warm = true;
  again.impulse = r;
  makeSolver(options)->solve(contacts, again);
  const double after = residual(again.impulse);
  if (!(after < before)) return before;
  r = again.impulse;
  return after;
}

FclibSolution solutionOf(const DualProblem& problem, const Solution& solution,
                         const std::optional<CondensedContacts>& condensed) {
  FclibSolution result;
  std::vector<double> impulse = solution.impulse, r;
  for (const ContactBlock& contact : problem.contacts)
    r.insert(r.end(), impulse.begin() + contact.row, impulse.begin() + contact.row + 3);
  for (const IntervalRow& row : problem.intervals)
    if (!isUnbounded(row)) impulse[row.row] = 0.0;
  const auto bilateral = bilateralRows(problem);
  for (const BilateralRow& row : bilateral) result.l.push_back(impulse[row.row]);
  const ResidualScale scale = residualScale(problem, ToleranceKind::Relative);
  if (condensed) {
    result.solved = improve(contactsOf(problem, *condensed), scale, r) <= kSolved;
    for (std::size_t k = 0; k < problem.contacts.size(); ++k)
      std::copy_n(r.begin() + static_cast<std::ptrdiff_t>(3 * k), 3,
                  impulse.begin() + problem.contacts[k].row);
    result.l = condensed->bilateralImpulse(r);
    for (std::size_t i = 0; i < bilateral.size(); ++i) impulse[bilateral[i].row] = result.l[i];
    result.u = condensed->velocity(r);
  } else {
    result.solved = measureResiduals(problem, impulse, ContactModel::Ncp, scale).judged() <= kSolved;
  }
  std::vector<Vec6> twist(problem.inertia.size());
  twistFromImpulse(problem, impulse, twist);
  for (const Vec6& t : twist) result.v.insert(result.v.end(), t.begin(), t.end());
  if (!condensed) {
    std::vector<double> velocity(impulse.size());
    rowVelocities(problem, twist, velocity);
    for (const ContactBlock& contact : problem.contacts)
      for (int row = contact.row; row < contact.row + 3; ++row)
        result.u.push_back(velocity[row] + problem.bias[row]);
  }
  result.r = inFileRows(r);
  result.u = inFileRows(result.u);
  return result;
}

void writeSolution(Hdf5Writer& file, const FclibSolution& solution, bool global) {
  const std::string group = solution.solved ? "solution/" : "guesses/1/";
  if (!solution.solved) file.integers("guesses/number_of_guesses", {1});
  file.reals((group + "r").c_str(), solution.r);
  file.reals((group + "u").c_str(), solution.u);
  if (!global) return;
  file.reals((group + "v").c_str(), solution.v);
  if (!solution.l.empty()) file.reals((group + "l").c_str(), solution.l);
}

void writeInfo(Hdf5Writer& file, const std::string& group, const std::string& title, const char* equations,
               const std::string& leftOut) {
  std::string description = "One step of a Grashof simulation.";
  if (!leftOut.empty()) description += " Left out: " + leftOut + ".";
  file.text((group + "/info/title").c_str(), title);
  file.text((group + "/info/description").c_str(), description);
  file.text((group + "/info/math_info").c_str(), equations);
}

std::string writeContent(Hdf5Writer& file, const std::string& title, const DualProblem& problem,
                         const Solution* solution) {
  const Expressible can = expressible(problem, solution);
  std::optional<CondensedContacts> condensed;
  if (can.local) condensed.emplace(problem);
  if (can.local) {
    writeInfo(file, "fclib_local", title,
              "u = W r + q with joints eliminated, contact rows (n, t, o), impulses in N s", can.leftOut);
    writeFclibLocal(file, problem, *condensed);
  }
  if (can.global) {
    writeInfo(file, "fclib_global", title,
              "M v = H r + G l + f, G' v + b = 0, u = H' v + w; v: linear, angular, of each body; contact "
              "rows (n, t, o), impulses in N s",
              can.leftOut);
    writeFclibGlobal(file, problem);
  }
  if (solution && (can.local || can.global))
    writeSolution(file, solutionOf(problem, *solution, condensed), can.global);
  if (!problem.inertia.empty()) {
    writeProblemGroups(file, problem);
    if (!can.leftOut.empty()) file.text("grashof/left_out", can.leftOut);
  }
  file.flush();
  return can.leftOut;
}

}  // namespace

ProblemFile readProblem(const std::string& path) {
  const Hdf5Reader file(path, "the FCLIB layout, local or global form");
  ProblemFile result;
  if (file.has("grashof"))
    result.problem = readProblemGroups(file);
  else if (file.has("fclib_local"))
    result.problem = readFclibLocal(file, result.notes);
  else if (file.has("fclib_global"))
    result.problem = readFclibGlobal(file, result.notes);
  else
    file.fail(file.has("fclib_global_rolling")
                  ? "fclib_global_rolling: friction against rolling in the form of FCLIB is not solved"
                  : "has neither group fclib_local nor fclib_global (needs the FCLIB layout)");
  return result;
}

std::string writeProblem(const std::string& path, const std::string& title, const DualProblem& problem,
                         const Solution* solution) {
  const std::string fresh = path + ".new";
  std::string leftOut;
  {
    Hdf5Writer file(fresh);
    leftOut = writeContent(file, title, problem, solution);
  }
  replaceFile(fresh, path);
  return leftOut;
}

}  // namespace grashof
