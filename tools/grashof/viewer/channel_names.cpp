#include "tools/grashof/viewer/channel_names.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "engine/dynamics/joint_loads.h"

namespace grashof {
namespace {

constexpr std::size_t kMostChannels = 6000;

/// What is shown first, and all that is shown of models with very many bodies.
bool important(std::string_view name) {
  static constexpr std::array<std::string_view, 4> ends = {".speed", ".reaction", ".force", ".normal"};
  return name.starts_with("energy.") || name.starts_with("residual.") || name.starts_with("contacts.") ||
         name.find(".q.") != name.npos || name.find(".effort.") != name.npos ||
         std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return name.ends_with(end); });
}

std::vector<std::string> limited(std::vector<std::string> names) {
  if (names.size() > kMostChannels)
    std::erase_if(names, [](const std::string& name) { return !important(name); });
  return names;
}

void addWrench(std::vector<std::string>& names, const std::string& start) {
  for (const char* what : {"force", "moment"})
    for (const char axis : {'x', 'y', 'z'}) names.push_back(fmt::format("{}{}.{}", start, what, axis));
}

void addBody(std::vector<std::string>& names, const std::string& body) {
  const std::string start = "body." + body + ".";
  for (const char axis : {'x', 'y', 'z'}) names.push_back(fmt::format("{}position.{}", start, axis));
  for (const char part : {'w', 'x', 'y', 'z'}) names.push_back(fmt::format("{}quaternion.{}", start, part));
  for (const char* what : {"velocity", "angular-velocity"})
    for (const char axis : {'x', 'y', 'z'}) names.push_back(fmt::format("{}{}.{}", start, what, axis));
  names.push_back(start + "speed");
}

void addJoint(std::vector<std::string>& names, const Model& model, std::size_t j) {
  const Joint& joint = model.joints[j];
  const std::string start = "joint." + joint.name + ".";
  const auto free = joint.type->freeDirections();
  for (std::size_t i = 0; i < free.size(); ++i) names.push_back(fmt::format("{}q.{}", start, i));
  const auto rotation = static_cast<std::size_t>(std::count_if(free.begin(), free.end(), isRotation));
  if (rotation > 0) names.push_back(start + "angle");
  if (rotation < free.size()) names.push_back(start + "displacement");
  for (std::size_t i = 0; i < free.size(); ++i) names.push_back(fmt::format("{}rate.{}", start, i));
  for (std::size_t i = 0; i < free.size(); ++i) names.push_back(fmt::format("{}effort.{}", start, i));
  addWrench(names, start);
  names.push_back(start + "reaction");
  const auto causes = possibleCauses(model, static_cast<int>(j));
  if (causes.size() > 1)
    for (const LoadCause cause : causes)
      addWrench(names, fmt::format("{}{}.", start, kLoadCauseNames[static_cast<std::size_t>(cause)]));
}

void addElements(std::vector<std::string>& names, const Model& model) {
  for (const ForceElement& element : model.forces)
    for (const char* what : {"force", "length", "speed"})
      names.push_back(fmt::format("element.{}.{}", element.name, what));
  for (const Bushing& bushing : model.bushings) addWrench(names, "element." + bushing.name + ".");
}

}  // namespace

std::vector<std::string> channelNames(const Model& model) {
  std::vector<std::string> names = {"energy.kinetic",    "energy.potential",      "energy.elastic",
                                    "energy.total",      "energy.drift",          "residual.joint",
                                    "residual.limit",    "residual.penetration",  "residual.solver",
                                    "solver.iterations", "solver.factorizations", "contacts.count",
                                    "solver.method"};
  for (const Body& body : model.bodies) addBody(names, body.name);
  for (std::size_t j = 0; j < model.joints.size(); ++j) addJoint(names, model, j);
  for (const Coupling& coupling : model.couplings)
    for (const char* side : {"a", "b"})
      names.push_back(fmt::format("coupling.{}.effort.{}", coupling.name, side));
  addElements(names, model);
  return limited(std::move(names));
}

std::vector<std::string> channelNames(const std::vector<std::string>& recorded) {
  std::vector<std::string> names = limited(recorded);
  std::erase(names, "time");
  return names;
}

}  // namespace grashof
