#include "solvers/methods/island_solver.h"

#include <algorithm>

#include "engine/base/parallel.h"
#include "solvers/problem/de_saxce.h"
#include "solvers/problem/residuals.h"

namespace grashof {
namespace {

// Rows from which on another thread saves more time than it costs.
constexpr int kParallelRows = 120;

// Share of v_n of the free motion that the impulse of a warm start must make to count.
constexpr double kPressing = 1e-3;

/// Methods by cost: a step reports the most expensive one.
int costOf(Method method) {
  switch (method) {
    case Method::WarmStart:
      return 0;
    case Method::Linear:
      return 1;
    case Method::Single:
      return 2;
    case Method::Newton:
      return 3;
    case Method::InteriorPoint:
      return 4;
    case Method::Admm:
      return 5;
  }
  return 0;
}

/// Whether a contact of the normal impulse λ_n (N·s) may press in the solution: its gap closes before its
/// bodies have moved on by their free motion, or an impulse holds it closed.
bool mayPress(const DualProblem& problem, const ContactBlock& contact, double impulse) {
  if (contact.impulseBefore > 0.0) return true;  // LAGGED has friction there
  double velocity = problem.bias[contact.row + 2], speed = 0.0, delassus = 0.0;
  for (const auto& [body, jacobian] : {std::pair<int, const Mat36&>(contact.bodyA, contact.jacobianA),
                                       std::pair<int, const Mat36&>(contact.bodyB, contact.jacobianB)}) {
    if (body < 0) continue;
    const Vec3 v = jacobian * problem.freeTwist[body];
    velocity += v[2];
    speed += v.norm();
    if (impulse > 0.0) delassus += problem.inertia[body].delassus(jacobian.row(2).transpose());
  }
  return !(velocity > speed) || impulse * delassus > kPressing * velocity;
}

/// Whether a contact without impulse has a velocity v (m/s, with bias) that the contact law asks for an
/// impulse against. By the convex relaxation and what is built on it one that slides faster than it opens has
/// an impulse.
bool closes(const Vec3& v, double friction, ContactModel model) {
  const bool convex =
      model == ContactModel::Ccp || model == ContactModel::Sap || model == ContactModel::Similar;
  return v[2] < (convex ? friction * v.head<2>().norm() : 0.0);
}

}  // namespace

struct IslandSolver::Island {
  std::unique_ptr<Solver> solver;
  SolutionJudge judge;
  DualProblem problem;
  Solution solution;
  std::vector<int> bodies, rows;  // of the whole problem

  explicit Island(const SolverOptions& options)
      : solver(makeSolver(options)),
        judge(options.tolerance, options.toleranceKind, findSolver(options.name).law(options),
              options.regularization) {}

  void solve(const DualProblem& what, Solution& into) {
    solver->solve(what, into);
    judge.judge(what, into);
  }
  void clear() {
    problem.clearRows();
    problem.inertia.clear();
    problem.freeTwist.clear();
    bodies.clear();
    rows.clear();
  }
  /// Copies bias and compliance of the rows [first, first + count) of the whole problem. Returns the new
  /// index of the first.
  int takeRows(const DualProblem& whole, int first, int count) {
    const int place = static_cast<int>(rows.size());
    for (int r = first; r < first + count; ++r) {
      rows.push_back(r);
      problem.bias.push_back(whole.bias[r]);
      problem.compliance.push_back(whole.compliance[r]);
    }
    return place;
  }
};

IslandSolver::IslandSolver(const SolverOptions& options)
    : options_(options), model_(findSolver(options.name).model) {}
IslandSolver::~IslandSolver() = default;

void IslandSolver::reset() { islands_.clear(); }

void IslandSolver::unite(int a, int b) {
  if (a >= 0 && b >= 0) sets_.join(a, b);
}

IslandSolver::Island& IslandSolver::islandOf(int root) {
  std::unique_ptr<Island>& island = islands_[root];
  if (!island) island = std::make_unique<Island>(options_);
  return *island;
}

bool IslandSolver::label(const DualProblem& problem) {
  const int bodies = problem.bodies();
  islands_.resize(std::max<std::size_t>(bodies, 1));
  sets_.reset(static_cast<std::size_t>(bodies));
  constrained_.assign(bodies, 0);
  active_.clear();
  if (!problem.coupled.empty()) return false;
  for (const JointBlock& joint : problem.joints)
    for (int t = 1; t < joint.terms; ++t)
      unite(problem.jointTerms[joint.firstTerm].body, problem.jointTerms[joint.firstTerm + t].body);
  for (const IntervalRow& row : problem.intervals) {
    unite(row.bodyA, row.bodyB);
    problem.forEachBody(row, [&](int body, const Vec6&) { unite(row.bodyB, body); });
  }
  for (std::size_t k = 0; k < problem.contacts.size(); ++k)
    if (!leftOut_[k]) unite(problem.contacts[k].bodyA, problem.contacts[k].bodyB);
  uniteLoads(problem);

  const auto constrain = [&](int body) {
    if (body >= 0) constrained_[sets_.find(body)] = 1;
    return body >= 0;
  };
  for (const JointBlock& joint : problem.joints)
    if (!constrain(problem.jointTerms[joint.firstTerm].body)) return false;
  for (const IntervalRow& row : problem.intervals)
    if (!constrain(std::max(row.bodyA, row.bodyB))) return false;
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const ContactBlock& contact = problem.contacts[k];
    if (!leftOut_[k] && !constrain(std::max(contact.bodyA, contact.bodyB))) return false;
  }
  for (int b = 0; b < bodies; ++b)
    if (constrained_[b]) active_.push_back(b);
  return true;
}

/// An interval and the loads that widen its bounds are solved together.
void IslandSolver::uniteLoads(const DualProblem& problem) {
  if (problem.boundLoads.empty()) return;
  rowBody_.assign(problem.rows(), -1);
  for (const JointBlock& joint : problem.joints)
    std::fill_n(rowBody_.begin() + joint.row, joint.rows, problem.jointTerms[joint.firstTerm].body);
  for (const IntervalRow& row : problem.intervals) rowBody_[row.row] = std::max(row.bodyA, row.bodyB);
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const ContactBlock& contact = problem.contacts[k];
    if (!leftOut_[k]) std::fill_n(rowBody_.begin() + contact.row, 3, std::max(contact.bodyA, contact.bodyB));
  }
  for (const IntervalRow& row : problem.intervals)
    for (int l = row.firstLoad; l < row.firstLoad + row.loads; ++l)
      for (const int load : {problem.boundLoads[l].row, problem.boundLoads[l].also})
        if (load >= 0) unite(rowBody_[row.row], rowBody_[load]);
}

/// Copies the loads of the interval `row`, whose own copy is the last of the island.
void IslandSolver::takeLoads(const DualProblem& problem, const IntervalRow& row, Island& island) {
  island.problem.intervals.back().firstLoad = static_cast<int>(island.problem.boundLoads.size());
  for (int l = row.firstLoad; l < row.firstLoad + row.loads; ++l)
    island.problem.boundLoads.push_back(problem.boundLoads[l]);
}

void IslandSolver::scatter(const DualProblem& problem) {
  for (const int root : active_) islandOf(root).clear();
  local_.resize(problem.bodies());
  for (int b = 0; b < problem.bodies(); ++b) {
    const int root = sets_.find(b);
    if (!constrained_[root]) continue;
    Island& island = *islands_[root];
    local_[b] = static_cast<int>(island.bodies.size());
    island.bodies.push_back(b);
    island.problem.inertia.push_back(problem.inertia[b]);
    island.problem.freeTwist.push_back(problem.freeTwist[b]);
  }
  const auto local = [&](int body) { return body < 0 ? body : local_[body]; };
  for (const JointBlock& joint : problem.joints) {
    Island& island = *islands_[sets_.find(problem.jointTerms[joint.firstTerm].body)];
    JointBlock own = joint;
    own.row = island.takeRows(problem, joint.row, joint.rows);
    own.firstTerm = static_cast<int>(island.problem.jointTerms.size());
    for (int t = joint.firstTerm; t < joint.firstTerm + joint.terms; ++t) {
      island.problem.jointTerms.push_back(problem.jointTerms[t]);
      island.problem.jointTerms.back().body = local_[problem.jointTerms[t].body];
    }
    island.problem.joints.push_back(own);
    island.problem.jointRows += joint.rows;
  }
  const auto add = [&](const auto& block, auto& to, Island& island, int rows) {
    to.push_back(block);
    to.back().row = island.takeRows(problem, block.row, rows);
    to.back().bodyA = local(block.bodyA);
    to.back().bodyB = local(block.bodyB);
  };
  for (const IntervalRow& row : problem.intervals) {
    Island& island = *islands_[sets_.find(std::max(row.bodyA, row.bodyB))];
    add(row, island.problem.intervals, island, 1);
    island.problem.intervals.back().firstTerm = static_cast<int>(island.problem.intervalTerms.size());
    for (int t = row.firstTerm; t < row.firstTerm + row.terms; ++t) {
      island.problem.intervalTerms.push_back(problem.intervalTerms[t]);
      island.problem.intervalTerms.back().body = local_[problem.intervalTerms[t].body];
    }
    takeLoads(problem, row, island);
  }
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    if (leftOut_[k]) continue;
    const ContactBlock& contact = problem.contacts[k];
    Island& island = *islands_[sets_.find(std::max(contact.bodyA, contact.bodyB))];
    add(contact, island.problem.contacts, island, 3);
    if (contact.law < 0) continue;
    island.problem.contacts.back().law = static_cast<int>(island.problem.laws.size());
    island.problem.laws.push_back(problem.laws[static_cast<std::size_t>(contact.law)]);
  }
  numberLoads(problem);
}

/// Rows of the loads as the islands number them.
void IslandSolver::numberLoads(const DualProblem& problem) {
  if (problem.boundLoads.empty()) return;
  localRow_.assign(problem.rows(), -1);
  for (const int root : active_) {
    const std::vector<int>& rows = islands_[root]->rows;
    for (std::size_t r = 0; r < rows.size(); ++r) localRow_[rows[r]] = static_cast<int>(r);
  }
  for (const int root : active_)
    for (BoundLoad& load : islands_[root]->problem.boundLoads)
      for (int* const row : {&load.row, &load.also})
        if (*row >= 0) *row = localRow_[*row];
}

/// Sets leftOut_ by free motion and warm start.
void IslandSolver::chooseContacts(const DualProblem& problem, const Solution& solution) {
  leftOut_.assign(problem.contacts.size(), 0);
  leftOutCount_ = 0;
  if (!problem.coupled.empty()) return;
  const bool warm = solution.warm && static_cast<int>(solution.impulse.size()) == problem.rows();
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const ContactBlock& contact = problem.contacts[k];
    if (contact.bodyA < 0 && contact.bodyB < 0) continue;
    if (mayPress(problem, contact, warm ? solution.impulse[contact.row + 2] : 0.0)) continue;
    leftOut_[k] = 1;
    ++leftOutCount_;
  }
}

/// Takes in the contacts left out that close in the solution. Whether there are any.
bool IslandSolver::takeClosing(const DualProblem& problem, const Solution& solution) {
  const int before = leftOutCount_;
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const ContactBlock& contact = problem.contacts[k];
    if (!leftOut_[k]) continue;
    const Vec3 v = contact.velocity(solution.twist) + Vec3(&problem.bias[contact.row]);
    if (!closes(v, contact.friction, model_)) continue;
    leftOut_[k] = 0;
    --leftOutCount_;
  }
  return leftOutCount_ < before;
}

/// Impulse and dual of the contacts left out.
void IslandSolver::completeLeftOut(const DualProblem& problem, Solution& solution) const {
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    if (!leftOut_[k]) continue;
    const ContactBlock& contact = problem.contacts[k];
    Vec3 v = contact.velocity(solution.twist) + Vec3(&problem.bias[contact.row]);
    if (model_ == ContactModel::Ncp) v[2] += deSaxce(v[0], v[1], contact.friction);
    Vec3::Map(&solution.impulse[contact.row]).setZero();
    Vec3::Map(&solution.dual[contact.row]) = v;
  }
}

void IslandSolver::gather(Solution& solution) const {
  solution.status = SolveStatus::Solved;
  solution.method = active_.empty() ? Method::WarmStart : islands_[active_.front()]->solution.method;
  solution.iterations = solution.factorizations = 0;
  solution.residual = 0.0;
  solution.atRounding = solution.worseThanNone = false;
  for (const int root : active_) {
    const Island& island = *islands_[root];
    const Solution& own = island.solution;
    for (std::size_t b = 0; b < island.bodies.size(); ++b) solution.twist[island.bodies[b]] = own.twist[b];
    for (std::size_t r = 0; r < island.rows.size(); ++r) solution.impulse[island.rows[r]] = own.impulse[r];
    if (own.dual.size() == island.rows.size())
      for (std::size_t r = 0; r < island.rows.size(); ++r) solution.dual[island.rows[r]] = own.dual[r];
    if (costOf(own.method) > costOf(solution.method)) solution.method = own.method;
    solution.status = std::max(solution.status, own.status);  // in order of how bad they are
    if (own.iterations > solution.iterations || root == active_.front()) solution.history = own.history;
    solution.iterations = std::max(solution.iterations, own.iterations);
    solution.factorizations += own.factorizations;
    solution.residual = std::max(solution.residual, own.residual);
    solution.atRounding = solution.atRounding || own.atRounding;
    solution.worseThanNone = solution.worseThanNone || own.worseThanNone;
  }
}

void IslandSolver::solveWhole(Island& island, const DualProblem& problem, Solution& solution) {
  island.solve(problem, solution);
  whole_ = true;
  wholeStatus_ = solution.status;
}

/// Solves without the contacts left out.
void IslandSolver::solveChosen(const DualProblem& problem, Solution& solution) {
  if (!label(problem)) {
    leftOutCount_ = 0;
    return solveWhole(islandOf(0), problem, solution);
  }
  if (leftOutCount_ == 0 && active_.size() <= 1)
    return solveWhole(islandOf(active_.empty() ? 0 : active_.front()), problem, solution);
  whole_ = false;

  const std::size_t rows = problem.rows();
  const bool warm = solution.warm && solution.impulse.size() == rows;
  solution.impulse.resize(rows);
  solution.dual.assign(rows, 0.0);
  solution.twist.assign(problem.freeTwist.begin(), problem.freeTwist.end());
  scatter(problem);
  const auto solveOne = [&](std::size_t i) {
    Island& island = *islands_[active_[i]];
    island.solution.warm = warm;
    island.solution.impulse.resize(island.rows.size());
    for (std::size_t r = 0; r < island.rows.size(); ++r)
      island.solution.impulse[r] = solution.impulse[island.rows[r]];
    island.solve(island.problem, island.solution);
  };
  if (static_cast<int>(rows) >= kParallelRows)
    parallelFor(active_.size(), 1, solveOne);
  else
    for (std::size_t i = 0; i < active_.size(); ++i) solveOne(i);
  gather(solution);
  completeLeftOut(problem, solution);
}

SolveStatus IslandSolver::statusOf(int body) {
  if (whole_) return wholeStatus_;
  const int root = sets_.find(body);
  return constrained_[root] ? islands_[root]->solution.status : SolveStatus::Solved;
}

void IslandSolver::solve(const DualProblem& problem, Solution& solution) {
  chooseContacts(problem, solution);
  solveChosen(problem, solution);
  while (leftOutCount_ > 0 && takeClosing(problem, solution)) {
    const int iterations = solution.iterations, factorizations = solution.factorizations;
    solution.warm = true;
    solveChosen(problem, solution);
    solution.iterations += iterations;
    solution.factorizations += factorizations;
  }
}

}  // namespace grashof
