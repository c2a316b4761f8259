/// Inverse dynamics of a step with contact.

#include "engine/analysis/contact_inverse_dynamics.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/world.h"
#include "tools/python/bind.h"

namespace grashof::python {
namespace {

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// Rows of a vector's size; none of None, and of an empty list.
template <typename Vector>
std::vector<Vector> rowsOf(const py::object& given, const char* what) {
  std::vector<Vector> rows;
  if (given.is_none()) return rows;
  const auto array = given.cast<Numbers>();
  constexpr int kWidth = Vector::RowsAtCompileTime;
  if (array.size() == 0) return rows;
  if (array.ndim() != 2 || array.shape(1) != kWidth)
    throw py::value_error(fmt::format("{} must have the shape (n, {})", what, kWidth));
  for (py::ssize_t r = 0; r < array.shape(0); ++r) rows.push_back(Vector(array.data(r, 0)));
  return rows;
}

template <typename Vector>
py::array_t<double> arrayOfRows(std::span<const Vector> rows) {
  constexpr int kWidth = Vector::RowsAtCompileTime;
  py::array_t<double> array = table(static_cast<py::ssize_t>(rows.size()), kWidth);
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (int i = 0; i < kWidth; ++i) array.mutable_at(static_cast<py::ssize_t>(r), i) = rows[r][i];
  return array;
}

/// The contact inverse of a world's model at its state, which it follows.
class WorldInverseDynamics {
 public:
  explicit WorldInverseDynamics(py::object world)
      : owner_(std::move(world)), inverse_(settled().simulator().sharedModel()) {
    prepare();
  }

  void prepare() {
    const Simulator& simulator = settled().simulator();
    inverse_.prepare(simulator.state(), simulator.inputs());
  }
  const ContactInverseDynamics& inverse() const { return inverse_; }

  py::object solve(const py::object& rates, const py::object& twists, const py::object& forces,
                   const std::string& model, double closingSpeed) {
    MotionReference reference;
    if (!rates.is_none()) {
      const auto given = rates.cast<Numbers>();
      reference.rates.assign(given.data(), given.data() + given.size());
    }
    reference.twists = rowsOf<Vec6>(twists, "twists");
    reference.forces = rowsOf<Vec3>(forces, "forces");
    ContactInverseOptions options;
    options.closingSpeed = closingSpeed;
    if (model == "ccp")
      options.impulses.model = ContactModel::Ccp;
    else if (model != "ncp")
      throw py::value_error("model must be 'ncp' or 'ccp'");
    return stepRecord(inverse_.solve(reference, options));
  }

 private:
  World& settled() const {
    World& world = owner_.cast<World&>();
    world.update();
    return world;
  }

  py::object stepRecord(const ContactInverseStep& step) const {
    const DualProblem& problem = inverse_.problem();
    const double dt = settled().simulator().model().step.timestep;
    std::vector<Vec3> force;
    for (std::size_t k = 0; k < inverse_.contacts().size(); ++k) {
      const auto row = static_cast<std::size_t>(problem.contactRow(static_cast<int>(k)));
      force.push_back(inverse_.contacts()[k].fromRows(Vec3(&step.impulse[row])) / dt);
    }
    py::dict d;
    d["efforts"] = arrayOf(step.efforts);
    d["forces"] = arrayOfRows<Vec3>(force);
    d["residual"] = arrayOfRows<Vec6>(step.residual);
    d["twists"] = arrayOfRows<Vec6>(step.twists);
    d["rates"] = arrayOf(step.rates);
    d["change"] = step.change;
    d["violation"] = step.violation;
    d["impulse"] = arrayOf(step.impulse);
    d["solved"] = step.contacts.solved;
    d["iterations"] = step.contacts.iterations;
    d["unsolved"] = arrayOf(step.contacts.unsolvedContacts);
    return record("ContactInverseStep", d);
  }

  py::object owner_;
  ContactInverseDynamics inverse_;
};

}  // namespace

void bindContactInverseDynamics(py::module_& module) {
  py::class_<WorldInverseDynamics>(
      module, "ContactInverseDynamics",
      "Inverse dynamics of the next step of a world with contact: efforts of its effort actuators and "
      "contact forces that bring about given twists, at the state of the world at construction or prepare().")
      .def(py::init<py::object>(), py::arg("world"))
      .def("prepare", &WorldInverseDynamics::prepare,
           "Assembles the step at the state of the world, with its wrenches.")
      .def("__len__", [](const WorldInverseDynamics& w) { return w.inverse().contacts().size(); })
      .def_property_readonly(
          "points",
          [](const WorldInverseDynamics& w) {
            std::vector<Vec3> points;
            for (const Contact& c : w.inverse().contacts()) points.push_back(c.point);
            return arrayOfRows<Vec3>(points);
          },
          "(contacts, 3): where they touch in the middle of the step, m, world axes.")
      .def_property_readonly(
          "frames",
          [](const WorldInverseDynamics& w) {
            const auto contacts = w.inverse().contacts();
            py::array_t<double> frames(
                {static_cast<py::ssize_t>(contacts.size()), py::ssize_t{3}, py::ssize_t{3}});
            for (std::size_t k = 0; k < contacts.size(); ++k)
              for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c)
                  frames.mutable_at(static_cast<py::ssize_t>(k), r, c) = contacts[k].frame(r, c);
            return frames;
          },
          "(contacts, 3, 3): columns are two tangents and the normal from body A into body B, world axes.")
      .def_property_readonly(
          "bodies",
          [](const WorldInverseDynamics& w) {
            std::vector<std::pair<int, int>> bodies;
            for (const Contact& c : w.inverse().contacts()) bodies.emplace_back(c.bodyA, c.bodyB);
            return bodies;
          },
          "(A, B) of each contact; -1 is the world.")
      .def(
          "problem", [](const WorldInverseDynamics& w) { return problemObject(w.inverse().problem()); },
          "The dual problem of the step without the efforts of the drives.")
      .def(
          "solve", &WorldInverseDynamics::solve, py::arg("rates") = py::none(),
          py::arg("twists") = py::none(), py::arg("forces") = py::none(), py::arg("model") = "ncp",
          py::arg("closing_speed") = 1e-3,
          "Efforts for one motion. `rates`: of all joint coordinates after the step, NaN where left open. "
          "`twists` (bodies, 6): unspecified coordinates follow these with least change; None: those by "
          "joints, "
          "springs and servos. `forces` (contacts, 3): force (t, o, n) on body B, N, of rigid contacts, "
          "which the motion leaves open. `model`: 'ncp', or 'ccp' without De Saxcé's term. A rigid contact "
          "that the motion leaves by less than `closing_speed` (m/s), or enters, is kept closed by moving "
          "the motion. Result: efforts (as `controls`), forces, residual (bodies, 6), twists, rates, change, "
          "violation, impulse, solved, iterations, unsolved.");
}

}  // namespace grashof::python
