/// Dual problems, solvers and residuals.

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/results/problem_file.h"
#include "engine/scenario/solver_options.h"
#include "solvers/external_solver.h"
#include "solvers/problem/cones.h"
#include "solvers/problem/de_saxce.h"
#include "solvers/problem/residuals.h"
#include "tools/python/bind.h"

namespace grashof::python {
namespace {

using Indices = std::vector<int>;

/// A matrix in compressed rows on its way to scipy.
struct Rows {
  std::vector<double> data;
  Indices column, start{0};
  void add(int c, double x) {
    if (x == 0.0) return;
    column.push_back(c);
    data.push_back(x);
  }
  void close() { start.push_back(static_cast<int>(data.size())); }
  py::object csr(int rows, int columns) {
    const py::object make = py::module_::import("scipy.sparse").attr("csr_matrix");
    py::object matrix = make(py::make_tuple(arrayOf(data), arrayOf(column), arrayOf(start)),
                             py::arg("shape") = py::make_tuple(rows, columns));
    matrix.attr("sum_duplicates")();
    return matrix;
  }
};

py::object jacobian(const DualProblem& p) {
  Rows rows;
  for (const JointBlock& block : p.joints)
    for (int r = 0; r < block.rows; ++r) {
      for (int t = 0; t < block.terms; ++t) {
        const JointTerm& term = p.jointTerms[block.firstTerm + t];
        for (int i = 0; i < 6; ++i) rows.add(6 * term.body + i, term.jacobian(r, i));
      }
      rows.close();
    }
  for (const IntervalRow& row : p.intervals) {
    p.forEachBody(row, [&](int body, const Vec6& own) {
      for (int i = 0; i < 6; ++i) rows.add(6 * body + i, own[i]);
    });
    rows.close();
  }
  for (const ContactBlock& c : p.contacts)
    for (int r = 0; r < 3; ++r) {
      for (int i = 0; i < 6; ++i) {
        if (c.bodyA >= 0) rows.add(6 * c.bodyA + i, c.jacobianA(r, i));
        if (c.bodyB >= 0) rows.add(6 * c.bodyB + i, c.jacobianB(r, i));
      }
      rows.close();
    }
  return rows.csr(p.rows(), 6 * p.bodies());
}

py::object blockDiagonal(const DualProblem& p, bool inverse) {
  Rows rows;
  for (int b = 0; b < p.bodies(); ++b) {
    const InertiaBlock& block = p.inertia[static_cast<std::size_t>(b)];
    for (int i = 0; i < 3; ++i) {
      rows.add(6 * b + i, inverse ? block.inverseMass : block.mass);
      rows.close();
    }
    for (int i = 0; i < 3; ++i) {
      for (int c = 0; c < 3; ++c)
        rows.add(6 * b + 3 + c, inverse ? block.inverseInertia(i, c) : block.inertia(i, c));
      rows.close();
    }
  }
  return rows.csr(6 * p.bodies(), 6 * p.bodies());
}

/// Compliance R + W, which couples contacts when the problem came as a Delassus matrix.
py::object compliance(const DualProblem& p) {
  Rows rows;
  const int first = p.contactRow(0);
  for (int r = 0; r < p.rows(); ++r) {
    rows.add(r, p.compliance[static_cast<std::size_t>(r)]);
    if (r >= first && !p.coupled.empty()) {
      const int contact = (r - first) / 3;
      for (int k = p.coupled.start[static_cast<std::size_t>(contact)];
           k < p.coupled.start[static_cast<std::size_t>(contact) + 1]; ++k)
        for (int c = 0; c < 3; ++c)
          rows.add(first + 3 * p.coupled.contact[static_cast<std::size_t>(k)] + c,
                   p.coupled.block[static_cast<std::size_t>(k)]((r - first) % 3, c));
    }
    rows.close();
  }
  return rows.csr(p.rows(), p.rows());
}

py::array_t<double> freeVelocity(const DualProblem& p) {
  std::vector<double> v(static_cast<std::size_t>(p.rows()), 0.0);
  rowVelocities(p, p.freeTwist, v);
  for (std::size_t r = 0; r < v.size(); ++r) v[r] += p.bias[r];
  return arrayOf(v);
}

py::array_t<double> friction(const DualProblem& p) {
  std::vector<double> mu;
  for (const ContactBlock& c : p.contacts) mu.push_back(c.friction);
  return arrayOf(mu);
}

py::array_t<double> bounds(const DualProblem& p) {
  py::array_t<double> all = table(static_cast<py::ssize_t>(p.intervals.size()), 2);
  for (std::size_t i = 0; i < p.intervals.size(); ++i) {
    all.mutable_at(i, 0) = p.intervals[i].lower;
    all.mutable_at(i, 1) = p.intervals[i].upper;
  }
  return all;
}

std::vector<double> rowsFrom(const DualProblem& p, const py::array_t<double, py::array::forcecast>& values) {
  if (values.ndim() != 1 || values.shape(0) != p.rows())
    throw py::value_error(fmt::format("needs one number a row: {}", p.rows()));
  std::vector<double> all;
  for (py::ssize_t i = 0; i < values.shape(0); ++i) {
    if (!std::isfinite(values.at(i))) throw py::value_error(fmt::format("row {} is not finite", i));
    all.push_back(values.at(i));
  }
  return all;
}

py::array_t<double> boundsAt(const DualProblem& p, const py::array_t<double, py::array::forcecast>& impulse) {
  LoadedProblem loaded;
  return bounds(loaded.at(p, rowsFrom(p, impulse)));
}

/// The nearest impulses that are possible, row by row and contact by contact.
py::array_t<double> projected(const DualProblem& p,
                              const py::array_t<double, py::array::forcecast>& impulse) {
  std::vector<double> all = rowsFrom(p, impulse);
  LoadedProblem loaded;
  const DualProblem& at = loaded.at(p, all);
  for (std::size_t i = 0; i < at.intervals.size(); ++i) {
    double& x = all[static_cast<std::size_t>(p.jointRows) + i];
    x = projectOntoInterval(x, at.intervals[i].lower, at.intervals[i].upper);
  }
  for (std::size_t c = 0; c < p.contacts.size(); ++c) {
    double* const x = all.data() + p.contactRow(static_cast<int>(c));
    Eigen::Map<Vec3>{x} = projectOntoCone(Vec3(x), p.contacts[c].friction);
  }
  return arrayOf(all);
}

/// Row velocities with De Saxcé's term.
py::array_t<double> withDeSaxce(const DualProblem& p,
                                const py::array_t<double, py::array::forcecast>& velocity) {
  std::vector<double> all = rowsFrom(p, velocity);
  for (std::size_t c = 0; c < p.contacts.size(); ++c) {
    double* const v = all.data() + p.contactRow(static_cast<int>(c));
    v[2] += deSaxce(v[0], v[1], p.contacts[c].friction);
  }
  return arrayOf(all);
}

ToleranceKind kindFrom(const std::string& name) {
  if (name == "relative") return ToleranceKind::Relative;
  if (name == "absolute") return ToleranceKind::Absolute;
  throw py::value_error("tolerance_kind must be 'relative' or 'absolute'");
}

py::object solve(const DualProblem& p, const std::string& solver, double tolerance, int maxIterations,
                 const py::object& start, const std::string& kind, const py::dict& set) {
  if (!(tolerance > 1e-16) || !(tolerance < 1.0)) throw py::value_error("tolerance must lie in (1e-16, 1)");
  if (maxIterations < 1) throw py::value_error("max_iterations must be at least 1");
  SolverOptions options = solverOptions(overridesOf(set));
  options.name = solver;
  options.tolerance = tolerance;
  options.toleranceKind = kindFrom(kind);
  options.maxIterations = maxIterations;
  Solution solution;
  if (!start.is_none()) {
    solution.impulse = rowsFrom(p, start.cast<py::array_t<double, py::array::forcecast>>());
    solution.warm = true;
  }
  const auto one = makeSolver(options);
  {
    const py::gil_scoped_release release;
    one->solve(p, solution);
    SolutionJudge(tolerance, options.toleranceKind, findSolver(solver).law(options), options.regularization)
        .judge(p, solution);
  }
  py::array_t<double> twist = table(static_cast<py::ssize_t>(solution.twist.size()), 6);
  for (std::size_t b = 0; b < solution.twist.size(); ++b)
    for (int i = 0; i < 6; ++i) twist.mutable_at(b, i) = solution.twist[b][i];
  py::dict d;
  d["impulse"] = arrayOf(solution.impulse);
  d["velocity"] = arrayOf(solution.dual);
  d["twist"] = twist;
  d["solved"] = solution.status == SolveStatus::Solved;
  d["iterations"] = solution.iterations;
  d["factorizations"] = solution.factorizations;
  d["residual"] = solution.residual;
  d["worse_than_none"] = solution.worseThanNone;
  return record("Solution", d);
}

py::object residuals(const DualProblem& p, const py::array_t<double, py::array::forcecast>& impulse,
                     const std::string& kind) {
  const ResidualScale scale = residualScale(p, kindFrom(kind));
  const Residuals r = measureResiduals(p, rowsFrom(p, impulse), ContactModel::Ncp, scale);
  py::dict d;
  d["primal"] = r.primal;
  d["dual"] = r.dual;
  d["complementarity"] = r.complementarity;
  d["natural_map"] = r.naturalMap;
  return record("Residuals", d);
}

}  // namespace

py::object problemObject(const DualProblem& problem) {
  return py::cast(std::make_shared<DualProblem>(problem));
}

namespace {

using ProblemClass = py::class_<DualProblem, std::shared_ptr<DualProblem>>;

/// Its sizes and operators.
void bindOperators(ProblemClass& problem) {
  problem.def_property_readonly("rows", &DualProblem::rows, "Number of rows.")
      .def_property_readonly("bodies", &DualProblem::bodies, "Number of bodies.")
      .def_property_readonly(
          "joint_rows", [](const DualProblem& p) { return p.jointRows; }, "Bilateral rows: impulses free.")
      .def_property_readonly(
          "interval_rows", [](const DualProblem& p) { return p.intervals.size(); },
          "Rows with bounds on the impulse.")
      .def_property_readonly(
          "contacts", [](const DualProblem& p) { return p.contacts.size(); },
          "Number of contacts, three rows each.")
      .def("jacobian", &jacobian, "scipy csr_matrix (rows, 6 bodies): row velocities from twists [v; ω].")
      .def(
          "mass", [](const DualProblem& p) { return blockDiagonal(p, false); },
          "scipy csr_matrix (6 bodies, 6 bodies), world axes, kg and kg·m².")
      .def(
          "inverse_mass", [](const DualProblem& p) { return blockDiagonal(p, true); },
          "scipy csr_matrix (6 bodies, 6 bodies).")
      .def("compliance", &compliance, "scipy csr_matrix (rows, rows): what softness adds to the operator.")
      .def(
          "delassus",
          [](const DualProblem& p) {
            const py::object j = jacobian(p);
            return (j.attr("dot")(blockDiagonal(p, true)).attr("dot")(j.attr("T")) + compliance(p))
                .attr("tocsr")();
          },
          "scipy csr_matrix (rows, rows): J M⁻¹ Jᵀ with compliance.")
      .def("free_velocity", &freeVelocity, "(rows,): row velocities without impulses, with bias; m/s, rad/s.")
      .def_property_readonly(
          "bias", [](const DualProblem& p) { return arrayOf(p.bias); }, "(rows,)")
      .def_property_readonly("friction", &friction, "(contacts,): coefficients of Coulomb friction.");
}

/// What solves a problem, and judges and writes it.
void bindSolution(ProblemClass& problem) {
  problem
      .def_property_readonly("bounds", &bounds,
                             "(interval_rows, 2): least and greatest impulse, without what loads add.")
      .def("bounds_at", &boundsAt, py::arg("impulse"),
           "(interval_rows, 2): the same with what loads add where friction depends on other impulses.")
      .def(
          "project", &projected, py::arg("impulse"),
          "(rows,): the nearest impulses that are possible: intervals within bounds_at(impulse), contacts in "
          "their friction cones; joints as they are.")
      .def(
          "de_saxce", &withDeSaxce, py::arg("velocity"),
          "(rows,): row velocities with De Saxce's term, friction times the slip, added to the normal one of "
          "each contact. λ solves the problem if λ = project(λ - de_saxce(delassus() λ + free_velocity())).")
      .def("solve", &solve, py::arg("solver") = "auto", py::arg("tolerance") = 1e-8,
           py::arg("max_iterations") = 2000, py::arg("start") = py::none(),
           py::arg("tolerance_kind") = "relative", py::arg("set") = py::dict(),
           "Solves with one of solvers(): impulse, velocity, twist (bodies, 6), solved, iterations, "
           "factorizations, residual. `start`: impulses to start from. tolerance_kind: 'relative' to the "
           "problem's speeds and impulses, or 'absolute' in SI. set: more attributes of <solver>, "
           "as {'solver.penalty-step': 0.1}.")
      .def("residuals", &residuals, py::arg("impulse"), py::arg("tolerance_kind") = "relative",
           "Independent measures of a solution: primal, dual, complementarity, natural_map; relative to the "
           "problem's speeds and impulses, or absolute in SI.")
      .def(
          "write",
          [](const DualProblem& p, const PathArgument& path, const std::string& title) {
            return writeProblem(path, title, p);
          },
          py::arg("path"), py::arg("title") = "",
          "Writes the problem as HDF5 in the FCLIB layout. Returns what FCLIB cannot express, '' if "
          "nothing.");
}

/// The impulses that a function in Python finds.
int callFunction(py::handle function, const DualProblem& problem, const SolverOptions& options,
                 std::span<double> impulse) {
  const py::gil_scoped_acquire acquire;
  const py::array_t<double> start(static_cast<py::ssize_t>(impulse.size()), impulse.data());
  py::object found = function(problemObject(problem), start, options.tolerance, options.maxIterations);
  int iterations = 1;
  if (py::isinstance<py::tuple>(found)) {
    const auto both = found.cast<py::tuple>();
    if (both.size() != 2) throw py::value_error("a solver returns impulses, or (impulses, iterations)");
    iterations = both[1].cast<int>();
    found = both[0];
  }
  const auto array = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(found);
  if (!array || array.ndim() != 1 || array.shape(0) != static_cast<py::ssize_t>(impulse.size())) {
    PyErr_Clear();
    throw py::value_error(
        fmt::format("a solver must return {} impulses, one for each row of the problem", impulse.size()));
  }
  std::copy_n(array.data(), impulse.size(), impulse.data());
  return iterations;
}

void registerFunction(const std::string& name, const py::function& function, const std::string& model,
                      const std::string& summary) {
  const std::map<std::string, ContactModel> models = {
      {"ncp", ContactModel::Ncp}, {"ccp", ContactModel::Ccp}, {"pyramid", ContactModel::Pyramid}};
  const auto law = models.find(model);
  if (law == models.end()) throw py::value_error("model is 'ncp', 'ccp' or 'pyramid', not '" + model + "'");
  // A registered solver is never removed, and neither is its function, whose end the interpreter would not
  // see.
  const py::handle kept = function;
  registerExternalSolver(name, summary, law->second, [kept]() -> ImpulseFunction {
    return [kept](const DualProblem& problem, const SolverOptions& options, std::span<double> impulse) {
      return callFunction(kept, problem, options, impulse);
    };
  });
  kept.inc_ref();
}

}  // namespace

void bindProblem(py::module_& module) {
  ProblemClass problem(
      module, "DualProblem",
      "One step as a complementarity problem: v = delassus() λ + free_velocity, λ in a cone. Rows: joints, "
      "intervals (limits, dry friction, servos), then three (t, o, n) a contact.");
  bindOperators(problem);
  bindSolution(problem);
  module.def(
      "read_problem", [](const PathArgument& path) { return problemObject(readProblem(path).problem); },
      py::arg("path"), "Reads a problem from an HDF5 file in the FCLIB layout.");
  module.def(
      "solvers",
      [] {
        py::dict all;
        for (const SolverEntry& entry : solverRegistry())
          all[py::str(std::string(entry.name))] = std::string(entry.summary);
        return all;
      },
      "Names of all solvers, with what they do.");
  module.def(
      "register_solver", &registerFunction, py::arg("name"), py::arg("function"), py::arg("model") = "ncp",
      py::arg("summary") = "a function in Python",
      "Makes function(problem, start, tolerance, max_iterations) a solver: in scenarios, World, "
      "DualProblem.solve and everywhere else in this process. It gets a DualProblem and impulses to start "
      "from, and returns impulses, or (impulses, iterations). What it returns is judged by the residuals of "
      "model: 'ncp', 'ccp' or 'pyramid' (of solver.facets sides). What it raises, the step raises.");
}

}  // namespace grashof::python
