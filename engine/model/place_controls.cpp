// The part of ModelBuilder::build() for named controls.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/model/model_content.h"

namespace grashof {
namespace {

/// The actuator that a target names; none, and reported, where there is none. A target of an opened model
/// may have lost it.
bool checkDriven(const ControlTargetDef& def, bool made, const Model& model, Defects& defects) {
  const JointId joint = *def.joint;
  if (!usable(joint, model.joints.size())) {
    if (joint != JointId::reported())
      defects.report(def.where, fmt::format("joint={}: there is no such joint ({} are known)", joint.value,
                                            model.joints.size()));
    return false;
  }
  const Joint& j = model.joints[static_cast<std::size_t>(joint.value)];
  const auto size = static_cast<int>(j.coordinates.size());
  const bool known = def.coordinate >= 0 && def.coordinate < size;
  if (known && j.coordinates[static_cast<std::size_t>(def.coordinate)].actuator.kind != Actuator::Kind::None)
    return true;
  if (!made)
    defects.report(def.where, known ? fmt::format("coordinate {} of joint '{}' has no actuator (give it one)",
                                                  def.coordinate, j.name)
                                    : fmt::format("coordinate=\"{}\": joint '{}' has {} coordinates, counted "
                                                  "from 0",
                                                  def.coordinate, j.name, size));
  return false;
}

void placeTarget(const ControlTargetDef& def, bool made, const Model& model, ControlInput& control,
                 Defects& defects) {
  defects.number(def.where, "gain", def.gain);
  defects.number(def.where, "offset", def.offset);
  ControlTarget target{.coordinate = def.coordinate, .gain = def.gain, .offset = def.offset};
  if (def.joint) {
    if (!checkDriven(def, made, model, defects)) return;
    target.joint = def.joint->value;
  } else {
    const auto at = std::find_if(model.forces.begin(), model.forces.end(),
                                 [&](const ForceElement& f) { return f.name == def.element; });
    if (at == model.forces.end()) {
      if (!made && !def.element.empty())
        defects.report(def.where, fmt::format("element=\"{}\": is no spring, force, cable or tendon (name "
                                              "one)",
                                              def.element));
      return;
    }
    target.element = static_cast<int>(at - model.forces.begin());
  }
  const auto same = [&](const ControlTarget& t) {
    return t.joint == target.joint && t.element == target.element && t.coordinate == target.coordinate;
  };
  if (std::any_of(control.targets.begin(), control.targets.end(), same))
    defects.report(def.where, "drives the same as another <drive> of this control (join them)");
  control.targets.push_back(target);
}

}  // namespace

void placeControls(const ModelContent& content, Model& model, Defects& defects) {
  for (const auto& [def, made] : content.controls) {
    ControlInput control{.name = def.name, .lower = def.lower, .upper = def.upper, .start = def.start};
    defects.number(def.where, "start", def.start);
    if (std::isnan(def.lower) || std::isnan(def.upper) || !(def.lower <= def.upper))
      defects.report(def.where,
                     fmt::format("lower={:g} is above upper={:g} (swap them)", def.lower, def.upper));
    for (const ControlTargetDef& target : def.targets) placeTarget(target, made, model, control, defects);
    model.controls.push_back(std::move(control));
  }
}

}  // namespace grashof
