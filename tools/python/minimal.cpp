/// Equations of motion in minimal coordinates, and derivatives of steps.

#include <array>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <pybind11/eigen.h>

#include "engine/dynamics/minimal_coordinates.h"
#include "engine/dynamics/step_derivative.h"
#include "engine/world.h"
#include "tools/python/bind.h"

namespace grashof::python {
namespace {

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

std::span<const double> numbersOf(const Numbers& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

/// Minimal coordinates that follow a world, which they keep.
class WorldCoordinates {
 public:
  explicit WorldCoordinates(py::object world)
      : owner_(std::move(world)),
        minimal_(settled().simulator().sharedModel(), settled().simulator().state().poses,
                 settled().simulator().state().coordinates) {}

  const MinimalCoordinates& minimal() const { return minimal_; }
  void choose() { minimal_.choose(state().poses, state().coordinates); }
  void update() { minimal_.update(state().poses, state().coordinates); }

  VecX rates() { return minimal_.rates(state().twists); }
  Eigen::MatrixXd jacobian(const py::object& body, const std::array<double, 3>& at) const {
    return minimal_.jacobian(bodyIndex(minimal_.model(), body), Vec3(at.data()));
  }
  VecX inverseDynamics(const Numbers& rates, const Numbers& accelerations) {
    World& world = settled();
    return minimal_.inverseDynamics(numbersOf(rates), numbersOf(accelerations), world.time(),
                                    world.wrenches());
  }
  VecX bias(const py::object& rates) {
    const VecX present = rates.is_none() ? this->rates() : VecX();
    const Numbers given = rates.is_none() ? Numbers() : rates.cast<Numbers>();
    World& world = settled();
    return minimal_.bias(rates.is_none() ? std::span(present.data(), static_cast<std::size_t>(present.size()))
                                         : numbersOf(given),
                         world.time(), world.wrenches());
  }

 private:
  /// The world, with what was written into its arrays.
  World& settled() const {
    World& world = owner_.cast<World&>();
    world.update();
    return world;
  }
  const State& state() const { return settled().simulator().state(); }

  py::object owner_;
  MinimalCoordinates minimal_;
};

/// The derivatives of the next step of a world.
class NextStep {
 public:
  explicit NextStep(World& world) : linearizer_(model(world)) {
    linearizer_.set(world.simulator().state(), world.simulator().inputs());
  }

  py::tuple matrices() {
    const StepDerivative d = linearizer_.derivative();
    return py::make_tuple(d.state, d.control);
  }
  py::tuple pullback(const VecX& cotangent) {
    const StepPullback pulled = linearizer_.pullback(cotangent);
    return py::make_tuple(pulled.state, pulled.control);
  }
  VecX byParameter(const Source& less, const Source& more, double difference) {
    return linearizer_.byParameter(less.scenario.model, more.scenario.model, difference);
  }

 private:
  static std::shared_ptr<const Model> model(World& world) {
    world.update();
    return world.simulator().sharedModel();
  }
  StepLinearizer linearizer_;
};

py::tuple linearize(World& world) { return NextStep(world).matrices(); }

}  // namespace

void bindMinimal(py::module_& module) {
  module.def("linearize", &linearize, py::arg("world"),
             "Derivatives (A, B) of the next step: StepDerivative(world).matrices().");
  py::class_<NextStep>(
      module, "StepDerivative",
      "Derivatives of the next step of a world, as it is at construction; the world does not move. Tangent "
      "coordinates of states: for each body displacement (m) and rotation vector (rad), then for each body "
      "the "
      "change of its twist; world axes. Raises CallError for what is not differentiated, as force elements.")
      .def(py::init<World&>(), py::arg("world"))
      .def("matrices", &NextStep::matrices,
           "(A, B): by the state before (12 bodies, 12 bodies), by the controls (12 bodies, actuators).")
      .def("pullback", &NextStep::pullback, py::arg("cotangent"),
           "(A.T y, B.T y) for a cotangent y (12 bodies) of the state after the step, without the matrices.")
      .def("by_parameter", &NextStep::byParameter, py::arg("less"), py::arg("more"), py::arg("difference"),
           "(12 bodies,): by a parameter that is less and more by half of `difference` in two scenarios.");
  py::class_<WorldCoordinates>(
      module, "MinimalCoordinates",
      "Equations of motion M(q) a + h(q, v, t) = tau of a world in a maximal set of independent joint "
      "coordinates, for trees and loops. Contacts, limits, friction, force elements, bushings and soft "
      "joints "
      "are left out. Evaluated at the state of the world at construction, choose() or update().")
      .def(py::init<py::object>(), py::arg("world"))
      .def("choose", &WorldCoordinates::choose,
           "Chooses the independent coordinates anew, at the state of the world.")
      .def("update", &WorldCoordinates::update,
           "Evaluates at the state of the world with the same coordinates. Raises CallError in a singular "
           "configuration, where they do not determine the motion.")
      .def_property_readonly(
          "names",
          [](const WorldCoordinates& w) {
            std::vector<std::string> names;
            for (int i = 0; i < w.minimal().size(); ++i) names.push_back(w.minimal().name(i));
            return names;
          },
          "Of the independent coordinates: those of joints, or 'BODY.vx' … 'BODY.wz' of bodies that nothing "
          "holds.")
      .def("__len__", [](const WorldCoordinates& w) { return w.minimal().size(); })
      .def_property_readonly(
          "velocity_map", [](const WorldCoordinates& w) { return w.minimal().velocityMap(); },
          "(6 bodies, n): twists of all bodies by the rates of the independent coordinates.")
      .def_property_readonly(
          "coordinate_map", [](const WorldCoordinates& w) { return w.minimal().coordinateMap(); },
          "(coordinates, n): rates of all joint coordinates by those of the independent ones. Its transpose "
          "takes efforts on any coordinates to tau.")
      .def("rates", &WorldCoordinates::rates,
           "(n,): rates of the independent coordinates in the world, m/s, rad/s.")
      .def(
          "mass_matrix", [](const WorldCoordinates& w) { return w.minimal().massMatrix(); },
          "(n, n): M, with the rotors; kg, kg·m, kg·m².")
      .def("bias", &WorldCoordinates::bias, py::arg("rates") = py::none(),
           "(n,): h at `rates` (None: those of the world): gravity, gyroscopic and centrifugal terms, "
           "wrenches, "
           "springs and dampers of joints; N, N·m.")
      .def(
          "jacobian", &WorldCoordinates::jacobian, py::arg("body"),
          py::arg("point") = std::array<double, 3>{},
          "(6, n): velocity of a point of a body (name or index; m in its frame) and angular velocity, world "
          "axes.")
      .def("inverse_dynamics", &WorldCoordinates::inverseDynamics, py::arg("rates"), py::arg("accelerations"),
           "(n,): the efforts along the independent coordinates that bring about `accelerations`, N, N·m.")
      .def("__repr__", [](const WorldCoordinates& w) {
        return fmt::format("<grashof.MinimalCoordinates: {} of '{}'>", w.minimal().size(),
                           w.minimal().model().name);
      });
}

}  // namespace grashof::python
