#include "tools/solver/plugin.h"

#include <array>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "solvers/external_solver.h"
#include "tools/shared_library.h"
#include "tools/solver/grashof_solver.h"

namespace grashof {
namespace {

constexpr const char* kSolverOption = "--solver-library";

/// A problem in the arrays of the C interface, kept from step to step.
class FlatProblem {
 public:
  const grashof_problem& of(const DualProblem& problem, const SolverOptions& options) {
    fillBodies(problem);
    fillRows(problem);
    fillContacts(problem);
    flat_.bodies = problem.bodies();
    flat_.rows = problem.rows();
    flat_.joint_rows = problem.jointRows;
    flat_.intervals = static_cast<int>(problem.intervals.size());
    flat_.contacts = static_cast<int>(problem.contacts.size());
    flat_.inverse_mass = inverseMass_.data();
    flat_.inverse_inertia = inverseInertia_.data();
    flat_.free_twist = freeTwist_.data();
    flat_.row_start = start_.data();
    flat_.term_body = body_.data();
    flat_.term_jacobian = jacobian_.data();
    flat_.bias = problem.bias.data();
    flat_.compliance = problem.compliance.data();
    flat_.lower = lower_.data();
    flat_.upper = upper_.data();
    flat_.friction = friction_.data();
    const bool coupled = !problem.coupled.empty();
    flat_.coupled_start = coupled ? problem.coupled.start.data() : nullptr;
    flat_.coupled_contact = coupled ? problem.coupled.contact.data() : nullptr;
    flat_.coupled_block = coupled ? block_.data() : nullptr;
    flat_.tolerance = options.tolerance;
    flat_.max_iterations = options.maxIterations;
    flat_.facets = options.facets;
    return flat_;
  }

 private:
  void fillBodies(const DualProblem& problem) {
    inverseMass_.clear();
    inverseInertia_.clear();
    freeTwist_.clear();
    for (const InertiaBlock& m : problem.inertia) {
      inverseMass_.push_back(m.inverseMass);
      inverseInertia_.insert(inverseInertia_.end(), m.inverseInertia.data(), m.inverseInertia.data() + 9);
    }
    for (const Vec6& u : problem.freeTwist) freeTwist_.insert(freeTwist_.end(), u.data(), u.data() + 6);
  }

  void addTerm(int body, const Vec6& jacobian) {
    if (body < 0) return;
    body_.push_back(body);
    jacobian_.insert(jacobian_.end(), jacobian.data(), jacobian.data() + 6);
  }
  void closeRow() { start_.push_back(static_cast<int>(body_.size())); }

  void fillRows(const DualProblem& problem) {
    start_.assign(1, 0);
    body_.clear();
    jacobian_.clear();
    lower_.clear();
    upper_.clear();
    for (const JointBlock& joint : problem.joints)
      for (int r = 0; r < joint.rows; ++r) {
        for (int t = joint.firstTerm; t < joint.firstTerm + joint.terms; ++t)
          addTerm(problem.jointTerms[t].body, problem.jointTerms[t].jacobian.row(r).transpose());
        closeRow();
      }
    for (const IntervalRow& row : problem.intervals) {
      problem.forEachBody(row, [&](int body, const Vec6& own) { addTerm(body, own); });
      closeRow();
      lower_.push_back(row.lower);
      upper_.push_back(row.upper);
    }
    for (const ContactBlock& contact : problem.contacts)
      for (int r = 0; r < 3; ++r) {
        addTerm(contact.bodyA, contact.jacobianA.row(r).transpose());
        addTerm(contact.bodyB, contact.jacobianB.row(r).transpose());
        closeRow();
      }
  }

  void fillContacts(const DualProblem& problem) {
    friction_.clear();
    block_.clear();
    for (const ContactBlock& contact : problem.contacts) friction_.push_back(contact.friction);
    for (const Mat3& block : problem.coupled.block)
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) block_.push_back(block(r, c));
  }

  grashof_problem flat_{};
  std::vector<double> inverseMass_, inverseInertia_, freeTwist_, jacobian_, lower_, upper_, friction_, block_;
  std::vector<int> start_, body_;
};

/// One solver that the library made.
class LoadedSolver {
 public:
  LoadedSolver(const grashof_solver_table& table, const std::string& library, const std::string& argument)
      : table_(table) {
    std::array<char, 512> error{};
    self_ = table.start(argument.c_str(), error.data(), static_cast<int>(error.size()) - 1);
    if (error[0] != 0) throw InputError(fmt::format("{} {}: {}", kSolverOption, library, error.data()));
  }
  LoadedSolver(const LoadedSolver&) = delete;
  LoadedSolver& operator=(const LoadedSolver&) = delete;
  ~LoadedSolver() {
    if (table_.stop) table_.stop(self_);
  }

  int operator()(const DualProblem& problem, const SolverOptions& options, std::span<double> impulse) {
    return table_.solve(self_, &flat_.of(problem, options), impulse.data());
  }

 private:
  const grashof_solver_table& table_;
  void* self_ = nullptr;
  FlatProblem flat_;
};

}  // namespace

void loadSolver(const std::string& text) {
  const auto library = std::make_shared<SharedLibrary>(kSolverOption, text);
  using Entry = const grashof_solver_table* (*)();
  const auto entry = library->function<Entry>("grashof_solver", "tools/solver/grashof_solver.h");
  const grashof_solver_table* table = entry();
  const auto refuse = [&](const std::string& why) {
    throw InputError(fmt::format("{} {}: {}", kSolverOption, library->path(), why));
  };
  if (!table || table->version != GRASHOF_SOLVER_VERSION)
    refuse(fmt::format("is for version {} of the interface, not {} (compile it again)",
                       table ? table->version : 0, GRASHOF_SOLVER_VERSION));
  if (!table->name || !table->model || !table->start || !table->solve)
    refuse("needs name, model and the functions start and solve");
  const std::map<std::string, ContactModel> models = {
      {"ncp", ContactModel::Ncp}, {"ccp", ContactModel::Ccp}, {"pyramid", ContactModel::Pyramid}};
  const auto model = models.find(table->model);
  if (model == models.end()) refuse(fmt::format("its model is '{}', not ncp, ccp or pyramid", table->model));
  const LoadedSolver tried(*table, library->path(),
                           library->argument());  // so that a wrong argument is told now
  registerExternalSolver(
      table->name, table->summary ? table->summary : "", model->second,
      [table, library]() -> ImpulseFunction {
        const auto solver = std::make_shared<LoadedSolver>(*table, library->path(), library->argument());
        return [solver](const DualProblem& problem, const SolverOptions& options, std::span<double> impulse) {
          return (*solver)(problem, options, impulse);
        };
      });
}

}  // namespace grashof
