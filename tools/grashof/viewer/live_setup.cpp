#include "tools/grashof/viewer/live_setup.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "engine/base/error.h"
#include "engine/dynamics/kinematics/control_map.h"
#include "engine/model/user_frames.h"
#include "engine/scenario/attributes.h"
#include "solvers/solver.h"
#include "tools/grashof/viewer/model_json.h"

namespace grashof {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<const char*, 5> kKinds = {"none", "effort", "position", "velocity", "motion"};
constexpr int kSignalSamples = 200;

struct Range {
  double low = 0.0, high = 0.0;
  void add(double x) {
    if (!std::isfinite(x)) return;
    low = std::min(low, x);
    high = std::max(high, x);
  }
};

/// What a slider spans: what the signal reaches, with room, and the limits of the coordinate or of the
/// effort; of the rest what is usual.
Range rangeOf(const Scenario& scenario, const Joint& joint, std::size_t i) {
  const Model& model = *scenario.model;
  const JointCoordinate& c = joint.coordinates[i];
  const bool rotates = isRotation(joint.type->freeDirections()[i]);
  Range range;
  if (c.actuator.signal >= 0)
    for (int k = 0; k <= kSignalSamples; ++k)
      range.add(1.25 * model.signals[static_cast<std::size_t>(c.actuator.signal)].value(scenario.duration *
                                                                                        k / kSignalSamples));
  const Actuator::Kind kind = c.actuator.kind;
  if (kind == Actuator::Kind::Position || kind == Actuator::Kind::Motion) {
    range.add(c.limit.lower);
    range.add(c.limit.upper);
    const double usual = rotates ? std::numbers::pi : 0.25 * sizeOf(model);
    if (!(range.high - range.low > 0.2 * usual)) {
      range.add(-usual);
      range.add(usual);
    }
  } else if (kind == Actuator::Kind::Effort) {
    range.add(c.actuator.effortLimit);
    range.add(-c.actuator.effortLimit);
  }
  const double most = std::max({range.high, -range.low, 1e-9});
  if (kind != Actuator::Kind::Position && kind != Actuator::Kind::Motion) range = {-most, most};
  if (!(range.high - range.low > 1e-6)) range = {-10.0, 10.0};
  return range;
}

/// Named controls have no unit that is known here.
Json namedControlsJson(const ControlMap& controls) {
  Json all = Json::array();
  for (std::size_t c = 0; c < controls.size(); ++c) {
    const bool bounded = std::isfinite(controls.lower(c)) && std::isfinite(controls.upper(c));
    all.push_back({{"name", controls.name(c)},
                   {"kind", "control"},
                   {"unit", ""},
                   {"low", bounded ? controls.lower(c) : -10.0},
                   {"high", bounded ? controls.upper(c) : 10.0}});
  }
  return all;
}

Json actuatorsJson(const Scenario& scenario) {
  const Model& model = *scenario.model;
  Json all = Json::array();
  if (!model.controls.empty()) return namedControlsJson(ControlMap(model));
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (std::size_t i = 0; i < model.joints[j].coordinates.size(); ++i) {
      const Actuator& a = model.joints[j].coordinates[i].actuator;
      if (a.kind == Actuator::Kind::None) continue;
      const bool rotates = isRotation(model.joints[j].type->freeDirections()[i]);
      const Range range = rangeOf(scenario, model.joints[j], i);
      const char* const unit = a.kind == Actuator::Kind::Effort     ? rotates ? "N m" : "N"
                               : a.kind == Actuator::Kind::Velocity ? rotates ? "rad/s" : "m/s"
                               : rotates                            ? "rad"
                                                                    : "m";
      all.push_back({{"name", coordinateName(model, static_cast<int>(j), static_cast<int>(i))},
                     {"kind", kKinds[static_cast<std::size_t>(a.kind)]},
                     {"unit", unit},
                     {"low", range.low},
                     {"high", range.high}});
    }
  return all;
}

Json jsonOf(const std::vector<Override>& overrides) {
  Json all = Json::array();
  for (const Override& o : overrides) all.push_back({{"path", o.path}, {"value", o.value}});
  return all;
}

}  // namespace

Json setupJson(const Scenario& scenario, const std::vector<Override>& overrides) {
  std::vector<Override> parameters;
  try {
    parameters = attributesOf(scenario.file);
  } catch (const InputError&) {
    // A file that is being edited: those that are overridden are known all the same.
  }
  for (const Override& o : overrides) {
    const auto at = std::find_if(parameters.begin(), parameters.end(),
                                 [&](const Override& p) { return p.path == o.path; });
    if (at == parameters.end())
      parameters.push_back(o);
    else
      at->value = o.value;
  }
  Json solvers = Json::array();
  for (const SolverEntry& entry : solverRegistry()) solvers.push_back(entry.name);
  return {{"actuators", actuatorsJson(scenario)},  {"solvers", solvers},
          {"solver", scenario.model->solver.name}, {"timestep", scenario.model->step.timestep},
          {"duration", scenario.duration},         {"parameters", jsonOf(parameters)},
          {"overrides", jsonOf(overrides)}};
}

}  // namespace grashof
