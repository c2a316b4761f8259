/// Mobility, reach, inverse dynamics, whole runs.

#include <optional>

#include <fmt/format.h>

#include "engine/analysis/contact_efforts.h"
#include "engine/analysis/inverse_dynamics.h"
#include "engine/analysis/mobility.h"
#include "engine/analysis/range_of_motion.h"
#include "engine/base/error.h"
#include "engine/dynamics/channels.h"
#include "engine/model/user_frames.h"
#include "engine/run.h"
#include "engine/world.h"
#include "tools/python/bind.h"

namespace grashof::python {
namespace {

py::object mobility(const World& world) {
  const Model& model = world.model();
  const Mobility m = analyseMobility(model, world.state().poses, world.state().coordinates);
  py::dict redundancy;
  for (const ConstraintRow& row : m.rows) {
    const py::str name(row.joint >= 0 ? model.joints[static_cast<std::size_t>(row.joint)].name
                                      : fmt::format("coupling {}", row.coupling));
    redundancy[name] = (redundancy.contains(name) ? redundancy[name].cast<double>() : 0.0) + row.redundancy;
  }
  py::array_t<double> modes = table(static_cast<py::ssize_t>(m.modes.size()), model.coordinates());
  for (std::size_t i = 0; i < m.modes.size(); ++i)
    for (std::size_t c = 0; c < m.modes[i].rates.size(); ++c) modes.mutable_at(i, c) = m.modes[i].rates[c];
  py::dict d;
  d["mobility"] = m.mobility();
  d["kutzbach"] = m.kutzbach();
  d["rank"] = m.rank;
  d["redundant"] = m.redundant();
  d["nearby"] = m.nearby;
  d["regularity"] = m.regularity;
  d["redundancy"] = redundancy;
  d["modes"] = modes;
  return record("Mobility", d);
}

py::object reach(const World& world, const std::string& jointName, int axis, double maxTravel) {
  const Model& model = world.model();
  const int joint = model.findJoint(jointName);
  if (joint < 0) throw unknownName("joint", jointName, model.joints);
  const int freedoms = model.joints[static_cast<std::size_t>(joint)].type->numDofs();
  if (axis < 0 || axis >= freedoms)
    throw py::index_error(fmt::format("joint '{}' has {} coordinates", jointName, freedoms));
  std::vector<double> values, positions;
  const RangeOfMotion r =
      rangeOfMotion(model, world.state(), joint, axis, maxTravel, [&](double value, const State& state) {
        values.push_back(value);
        for (const Pose& p : state.poses)
          positions.insert(positions.end(), p.position.data(), p.position.data() + 3);
      });
  const auto n = static_cast<py::ssize_t>(values.size());
  py::dict d;
  d["lower"] = r.lower;
  d["upper"] = r.upper;
  d["lower_end"] = r.lowerEnd;
  d["upper_end"] = r.upperEnd;
  d["full_turn"] = r.fullTurn;
  d["values"] = arrayOf(values);
  d["positions"] =
      arrayOf(positions).reshape({n, static_cast<py::ssize_t>(model.bodies.size()), py::ssize_t{3}});
  return record("Reach", d);
}

/// How a run with efforts of contactEfforts() follows.
py::dict contactEffortsDict(const ContactEfforts& r) {
  py::dict d;
  d["normal_force"] = r.contactForce;
  d["residual_force"] = r.residualForce;
  d["change"] = r.change;
  d["twist_error"] = r.twistError;
  d["force_error"] = r.forceError;
  d["unsolved"] = r.unsolved;
  return d;
}

py::object inverse(const Source& source, const py::object& duration, std::optional<double> normalForce) {
  const Model& model = *source.scenario.model;
  InverseDynamics r;
  ContactEfforts contacts;
  const double seconds = duration.is_none() ? source.scenario.duration : duration.cast<double>();
  if (!(seconds > 0.0)) throw py::value_error("duration must be positive");
  {
    const py::gil_scoped_release release;
    if (normalForce) {
      contacts = contactEfforts(model, seconds, *normalForce);
      r = contacts.inverse;
    } else {
      r = inverseDynamics(model, seconds);
    }
  }
  py::list joints;
  for (std::size_t c = 0; c < r.joints.size(); ++c)
    joints.append(coordinateName(model, r.joints[c], r.coordinates[c]));
  py::array_t<double> efforts =
      table(static_cast<py::ssize_t>(r.efforts.size()), static_cast<py::ssize_t>(r.joints.size()));
  for (std::size_t i = 0; i < r.efforts.size(); ++i)
    for (std::size_t c = 0; c < r.efforts[i].size(); ++c) efforts.mutable_at(i, c) = r.efforts[i][c];
  py::dict d;
  d["joints"] = joints;
  d["times"] = arrayOf(r.times);
  d["efforts"] = efforts;
  d["indeterminate"] = r.indeterminate;
  d["diverged"] = r.divergence ? py::object(py::str(r.divergence->reason)) : py::object(py::none());
  d["contacts"] = normalForce ? py::object(contactEffortsDict(contacts)) : py::object(py::none());
  return record("InverseDynamics", d);
}

/// What a controller with the methods save() -> bytes and restore(bytes) keeps between steps.
ControllerMemory memoryOf(const py::object& controller) {
  if (!py::hasattr(controller, "save") || !py::hasattr(controller, "restore")) return {};
  return {[&controller](World&) {
            const py::gil_scoped_acquire acquire;
            const std::string bytes = controller.attr("save")().cast<py::bytes>();
            return std::vector<char>(bytes.begin(), bytes.end());
          },
          [&controller](World&, const std::vector<char>& memory) {
            const py::gil_scoped_acquire acquire;
            controller.attr("restore")(py::bytes(memory.data(), memory.size()));
          }};
}

py::object runScenario(const Source& source, const PathArgument& folder, const py::object& controller,
                       const std::optional<double>& checkpoint, bool resume) {
  RunSettings settings;
  settings.checkpointInterval = checkpoint.value_or(-1.0);
  settings.resume = resume;
  std::optional<InUse> use;  // of the world, which a controller may hand to other threads
  if (!controller.is_none()) {
    settings.controller = [&controller, &use](World& w) {
      const py::gil_scoped_acquire acquire;
      if (!use) use.emplace(std::vector<const void*>{&w});
      const Entered entered(&w);
      controller(py::cast(w, py::return_value_policy::reference));
    };
    settings.controllerMemory = memoryOf(controller);
  }
  RunResult r;
  {
    const py::gil_scoped_release release;
    std::int64_t count = 0;
    settings.progress = [&](double, std::int64_t, const Simulator&) {
      if (++count % 256) return;
      // So that Ctrl-C ends a long run.
      const py::gil_scoped_acquire acquire;
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    };
    r = run(source.scenario, folder, settings);
  }
  py::list expectations;
  for (const CheckResult& j : r.checks)
    expectations.append(py::make_tuple(j.text, j.passed, j.value, j.time));
  py::dict d;
  d["steps"] = r.steps;
  d["wall_time"] = r.wallTime;
  d["max_joint_residual"] = r.jointResidual.max;
  d["max_penetration"] = r.penetration.max;
  d["max_relative_drift"] = r.maxRelativeDrift;
  d["solved"] = r.solved;
  d["passed"] = r.passed();
  d["expectations"] = expectations;
  d["warnings"] = r.warnings;
  d["diverged"] = r.divergence ? py::object(py::str(r.divergence->reason)) : py::object(py::none());
  return record("RunResult", d);
}

}  // namespace

void bindAnalysis(py::module_& module) {
  module.def("mobility", &mobility, py::arg("world"),
             "How the mechanism can move at its present pose: mobility, kutzbach, rank, redundant, nearby "
             "(mobility a little way on), regularity, redundancy (by joint), modes (mobility, coordinates).");
  module.def("reach", &reach, py::arg("world"), py::arg("joint"), py::arg("coordinate") = 0,
             py::arg("max_travel") = 1.0,
             "How far a joint coordinate can move alone: lower, upper, lower_end, upper_end (what ends it), "
             "full_turn, values (n,), positions (n, bodies, 3) on the way.");
  module.def("inverse_dynamics", &inverse, py::arg("scenario"), py::arg("duration") = py::none(),
             py::arg("normal_force") = py::none(),
             "Efforts that realize the prescribed motions: joints, times (n,), efforts (n, joints), "
             "indeterminate, diverged. `normal_force` (N): with which each rigid contact presses that the "
             "motions keep closed; contacts then tells how a run with the efforts follows.");
  module.def(
      "run", &runScenario, py::arg("scenario"), py::arg("folder") = "", py::arg("controller") = py::none(),
      py::arg("checkpoint") = py::none(), py::arg("resume") = false,
      "Runs a scenario to its end and judges its expectations. `folder`: where summary.json and the "
      "trajectory go; empty: nothing is written. `controller(world)`: called at the start of each step. "
      "`checkpoint`: seconds of wall time between checkpoints in `folder`, from the last of which `resume` "
      "goes on; a controller then needs the methods save() -> bytes and restore(bytes).");
}

}  // namespace grashof::python
