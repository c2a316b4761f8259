/// Equations of motion in minimal coordinates, and derivatives of steps.

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <pybind11/eigen.h>

#include "engine/base/error.h"
#include "engine/dynamics/derivative/minimal_coordinates.h"
#include "engine/dynamics/derivative/rollout_adjoint.h"
#include "engine/dynamics/derivative/step_derivative.h"
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

/// Linearizers that nobody uses, of the models used last: to make one costs more than many derivatives.
std::vector<std::unique_ptr<StepLinearizer>>& idleLinearizers() {
  static std::vector<std::unique_ptr<StepLinearizer>> idle;
  return idle;
}
constexpr std::size_t kMostIdle = 4;

/// The derivatives of the next step of a world.
class NextStep {
 public:
  explicit NextStep(World& world) : linearizer_(linearizerOf(model(world))) {
    linearizer_->set(world.simulator().state(), world.simulator().inputs());
    if (world.controlMap().named()) byControls_ = world.controlMap().slope(world.controls());
  }
  ~NextStep() {
    auto& idle = idleLinearizers();
    idle.push_back(std::move(linearizer_));
    if (idle.size() > kMostIdle) idle.erase(idle.begin());
  }
  NextStep(const NextStep&) = delete;
  NextStep& operator=(const NextStep&) = delete;

  py::tuple matrices() {
    const StepDerivative d = linearizer_->derivative();
    return py::make_tuple(d.state, byControls_ ? Eigen::MatrixXd(d.control * *byControls_) : d.control);
  }
  py::tuple pullback(const VecX& cotangent) {
    const StepPullback pulled = linearizer_->pullback(cotangent);
    return py::make_tuple(pulled.state,
                          byControls_ ? VecX(byControls_->transpose() * pulled.control) : pulled.control);
  }
  VecX byParameter(const Source& less, const Source& more, double difference) {
    return linearizer_->byParameter(less.scenario.model, more.scenario.model, difference);
  }

 private:
  static std::shared_ptr<const Model> model(World& world) {
    world.update();
    return world.simulator().sharedModel();
  }
  static std::unique_ptr<StepLinearizer> linearizerOf(const std::shared_ptr<const Model>& model) {
    auto& idle = idleLinearizers();
    const auto found =
        std::find_if(idle.begin(), idle.end(), [&](const auto& l) { return l->model() == model; });
    if (found == idle.end()) return std::make_unique<StepLinearizer>(model);
    std::unique_ptr<StepLinearizer> linearizer = std::move(*found);
    idle.erase(found);
    return linearizer;
  }
  std::unique_ptr<StepLinearizer> linearizer_;
  std::optional<Eigen::MatrixXd> byControls_;  // actuators by named controls
};

py::tuple linearize(World& world) { return NextStep(world).matrices(); }

/// A run from the state of a world, and its gradients.
class WorldRollout {
 public:
  WorldRollout(World& world, const py::object& controls, Eigen::Index steps)
      : adjoint_((world.update(), world.simulator().sharedModel())) {
    if (steps < 0) throw py::value_error(fmt::format("steps={}: must not be negative", steps));
    const Inputs& inputs = world.simulator().inputs();
    Eigen::MatrixXd rows;
    if (world.controlMap().named()) {
      rows = references(world, controls, steps, inputs);
    } else if (controls.is_none()) {
      rows.resize(steps, static_cast<Eigen::Index>(inputs.control.size()));
      for (Eigen::Index a = 0; a < rows.cols(); ++a)
        rows.col(a).setConstant(inputs.control[static_cast<std::size_t>(a)]);
    } else {
      rows = controls.cast<Eigen::MatrixXd>();
    }
    adjoint_.run(world.simulator().state(), inputs, rows);
  }
  py::tuple pullback(const Eigen::MatrixXd& cotangents) {
    // A vector comes as one column.
    const bool vector = cotangents.cols() == 1 && cotangents.rows() != 1;
    const RolloutAdjoint::Gradient g =
        adjoint_.pullback(vector ? Eigen::MatrixXd(cotangents.transpose()) : cotangents);
    if (slopes_.empty()) return py::make_tuple(g.start, g.controls);
    Eigen::MatrixXd byControls(g.controls.rows(), slopes_[0].cols());
    for (Eigen::Index k = 0; k < byControls.rows(); ++k)
      byControls.row(k) = g.controls.row(k) * slopes_[static_cast<std::size_t>(k)];
    return py::make_tuple(g.start, byControls);
  }
  /// (positions, quaternions x y z w, twists) after some steps.
  py::tuple state(Eigen::Index steps) const {
    if (steps < 0) steps += adjoint_.steps() + 1;
    if (steps < 0 || steps > adjoint_.steps()) throw py::index_error("the run has fewer steps");
    const State& s = adjoint_.state(steps);
    const auto bodies = static_cast<Eigen::Index>(s.poses.size());
    using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Rows positions(bodies, 3), quaternions(bodies, 4), twists(bodies, 6);
    for (Eigen::Index b = 0; b < bodies; ++b) {
      const auto i = static_cast<std::size_t>(b);
      positions.row(b) = s.poses[i].position.transpose();
      quaternions.row(b) = s.poses[i].rotation.coeffs().transpose();
      twists.row(b) = s.twists[i].transpose();
    }
    return py::make_tuple(positions, quaternions, twists);
  }
  Eigen::Index steps() const { return adjoint_.steps(); }

 private:
  /// Rows of the references of actuators, of rows of named controls.
  Eigen::MatrixXd references(World& world, const py::object& controls, Eigen::Index steps,
                             const Inputs& inputs) {
    ControlMap map = world.controlMap();
    const auto size = static_cast<Eigen::Index>(map.size());
    const std::span<const double> now = std::as_const(world).controls();
    Eigen::MatrixXd given(steps, size);
    if (controls.is_none())
      for (Eigen::Index c = 0; c < size; ++c) given.col(c).setConstant(now[static_cast<std::size_t>(c)]);
    else
      given = controls.cast<Eigen::MatrixXd>();
    if (given.cols() != size)
      throw CallError(fmt::format("the controls have {} columns instead of {}", given.cols(), size));
    for (const ControlInput& c : world.model().controls)
      if (std::any_of(c.targets.begin(), c.targets.end(),
                      [](const ControlTarget& t) { return t.element >= 0; }))
        throw CallError(fmt::format("control '{}' moves a force element: not differentiated", c.name));
    Inputs made = inputs;
    Eigen::MatrixXd rows(given.rows(), static_cast<Eigen::Index>(inputs.control.size()));
    std::vector<double> values(map.size());
    for (Eigen::Index k = 0; k < given.rows(); ++k) {
      for (Eigen::Index c = 0; c < size; ++c) values[static_cast<std::size_t>(c)] = given(k, c);
      map.apply(values, made);
      slopes_.push_back(map.slope(values));
      for (Eigen::Index a = 0; a < rows.cols(); ++a) rows(k, a) = made.control[static_cast<std::size_t>(a)];
    }
    return rows;
  }

  RolloutAdjoint adjoint_;
  std::vector<Eigen::MatrixXd> slopes_;  // actuators by named controls, of each step
};

void bindDerivatives(py::module_& module) {
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
  py::class_<WorldRollout>(module, "Rollout",
                           "A run of some steps from the state of a world, which does not move, and the "
                           "gradient of any function of "
                           "its states. Tangent coordinates as of StepDerivative. Raises CallError for what "
                           "is not differentiated.")
      .def(py::init<World&, const py::object&, Eigen::Index>(), py::arg("world"),
           py::arg("controls") = py::none(), py::arg("steps") = 0,
           "One step for each row of controls (steps, actuators), or `steps` with the controls of the world.")
      .def("__len__", &WorldRollout::steps)
      .def("state", &WorldRollout::state, py::arg("steps"),
           "(positions, quaternions, twists) of all bodies after so many steps; -1: at the end.")
      .def("pullback", &WorldRollout::pullback, py::arg("cotangents"),
           "Gradients by the state at the start (12 bodies,) and by the controls (steps, actuators), for the "
           "derivatives of a function by the last state (12 bodies,), or by the states after all steps "
           "(steps, "
           "12 bodies).");
}

void bindCoordinates(py::module_& module) {
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

}  // namespace

void bindMinimal(py::module_& module) {
  bindDerivatives(module);
  bindCoordinates(module);
}

}  // namespace grashof::python
