#include "engine/dynamics/element_channels.h"

#include <array>

#include <fmt/format.h>

#include "engine/base/error.h"

namespace grashof {
namespace {

using ElementChannel = std::function<double(const Simulator&)>;

[[noreturn]] void unknownElement(const std::string& name, const std::string& why) {
  throw InputError(fmt::format("unknown channel '{}' ({})", name, why));
}

double elementSpeed(const Simulator& s, std::size_t i) {
  const ForceElement& element = s.model().forces[i];
  const ForceLine line = forceLine(element, s.state().poses, s.geometry());
  std::vector<RowTerm> row;
  forceRateRow(s.model(), element, line, s.state().poses, s.geometry(), row);
  return rowRate(row, s.state().twists);
}

ElementChannel forceChannel(const std::string& name, std::size_t i, const std::string& what) {
  if (what == "force") return [i](const Simulator& s) { return s.elementForce(static_cast<int>(i)); };
  if (what == "tension") return [i](const Simulator& s) { return -s.elementForce(static_cast<int>(i)); };
  if (what == "start-tension")
    return [i](const Simulator& s) { return -s.elementStartForce(static_cast<int>(i)); };
  if (what == "length")
    return [i](const Simulator& s) {
      return forceLine(s.model().forces[i], s.state().poses, s.geometry()).length;
    };
  if (what == "speed") return [i](const Simulator& s) { return elementSpeed(s, i); };
  unknownElement(name, "of a force element: force tension start-tension length speed");
}

ElementChannel bushingChannel(const std::string& name, std::size_t i, const std::string& what) {
  constexpr std::array<const char*, 4> kQuantities = {"force.", "moment.", "displacement.", "rotation."};
  for (std::size_t q = 0; q < kQuantities.size(); ++q)
    for (int axis = 0; axis < 3; ++axis) {
      if (what != std::string(kQuantities[q]) + "xyz"[axis]) continue;
      const int component = 3 * static_cast<int>(q % 2) + axis;
      if (q < 2) return [=](const Simulator& s) { return s.bushingForce(static_cast<int>(i))[component]; };
      return [=](const Simulator& s) {
        return bushingDeformation(s.model().bushings[i], s.state().poses)[component];
      };
    }
  unknownElement(name, "of a bushing: force.x moment.x displacement.x rotation.x, also y and z");
}

ElementChannel velocityChannel(const std::string& name, std::size_t i, const std::string& what) {
  for (int axis = 0; axis < 3; ++axis)
    if (what == std::string("force.") + "xyz"[axis])
      return [=](const Simulator& s) { return s.velocityConstraintForce(static_cast<int>(i))[axis]; };
  unknownElement(name, "of a constraint on velocities: force.x force.y force.z");
}

}  // namespace

ElementChannel elementChannel(const Model& model, const std::string& name) {
  const std::string tail = name.substr(std::string("element.").size());
  for (auto dot = tail.find('.'); dot != std::string::npos; dot = tail.find('.', dot + 1)) {
    const std::string own = tail.substr(0, dot), what = tail.substr(dot + 1);
    for (std::size_t i = 0; i < model.forces.size(); ++i)
      if (model.forces[i].name == own) return forceChannel(name, i, what);
    for (std::size_t i = 0; i < model.bushings.size(); ++i)
      if (model.bushings[i].name == own) return bushingChannel(name, i, what);
    for (std::size_t i = 0; i < model.velocityConstraints.size(); ++i)
      if (model.velocityConstraints[i].name == own) return velocityChannel(name, i, what);
  }
  unknownElement(name, "no such element in this model");
}

}  // namespace grashof
