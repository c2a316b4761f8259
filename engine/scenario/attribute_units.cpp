// The units of all numeric attributes; a test holds them against assets/schema.md and assets/scenario.xsd.
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "engine/scenario/units.h"

namespace grashof::xml {
namespace {

/// `unit`: as in assets/schema.md; after a bar that of the same attribute along an angle. "SI": in every
/// file.
struct Row {
  const char* elements;
  const char* attributes;
  const char* unit;
};

constexpr Row kRows[] = {
    {"*", "position point point1 point2 from to", "m"},
    {"*", "rpy", "rad"},
    {"*", "quaternion axis axis2 across normal", "1"},
    {"*", "compliance erp cfm impedance reference mobility", "SI"},
    {"*", "count", "1"},
    {"options", "timestep duration", "s"},
    {"options", "gravity", "m/s^2"},
    {"options", "contact-margin", "m"},
    {"options", "restitution-threshold", "m/s"},
    {"options",
     "tolerance projection-tolerance limit-margin divergence-speed divergence-residual divergence-energy",
     "SI"},
    {"solver",
     "tolerance max-iterations proximal joint-proximal penalty penalty-factor penalty-exponent penalty-step "
     "penalty-threshold relaxation relaxation-decay relaxation-min facets stiction-regularization near-rigid",
     "SI"},
    {"stabilization", "alpha decay-rate beta gamma max-recovery-speed", "SI"},
    {"stabilization", "margin", "m"},
    {"perturb", "velocity", "m/s"},
    {"perturb", "angular-velocity", "rad/s"},
    {"perturb", "seed", "1"},
    {"output", "interval", "s"},
    {"check", "at min max value tolerance", "SI"},
    {"material surface", "friction friction-across static-ratio restitution impedance-ratio", "1"},
    {"material surface", "rolling-friction torsional-friction", "m"},
    {"material surface", "stribeck-speed stiction-speed", "m/s"},
    // N/m to the power of the exponent.
    {"material surface", "stiffness", "SI"},
    {"material surface", "exponent", "1"},
    {"material surface", "hunt-crossley", "s/m"},
    {"material surface", "relaxation-time", "s"},
    {"material surface", "tangential-stiffness", "N/m"},
    {"material", "young-modulus hydroelastic-modulus", "SI"},
    {"material", "poisson-ratio", "1"},
    {"material", "edge-radius", "m"},
    {"material shape", "density", "kg/m^3"},
    {"body", "velocity", "m/s"},
    {"body", "angular-velocity", "rad/s"},
    {"inertial shape", "mass", "kg"},
    {"inertial", "inertia", "kg m^2"},
    {"shape", "size radius length spacing resolution thickness", "m"},
    {"shape", "scale friction-direction groups touches", "1"},
    {"shape", "surface-velocity", "m/s"},
    {"joint", "length", "m"},
    {"clearance", "radial journal-radius", "m"},
    {"clearance", "friction restitution", "1"},
    {"limit dynamics actuator drum term input force drive", "coordinate", "1"},
    {"limit", "lower upper", "m|rad"},
    {"dynamics", "stiffness", "N/m|N m/rad"},
    {"dynamics", "rest", "m|rad"},
    {"dynamics", "damping", "N s/m|N m s/rad"},
    {"dynamics", "armature", "kg|kg m^2"},
    {"dynamics", "friction", "N|N m"},
    {"dynamics", "friction-coefficient static-ratio", "1"},
    {"dynamics", "journal-radius thrust-radius bearing-length", "m"},
    {"dynamics", "stribeck-speed", "m/s|rad/s"},
    {"actuator", "kp", "N/m|N m/rad"},
    {"actuator", "kd", "N s/m|N m s/rad"},
    {"actuator", "effort-limit", "N|N m"},
    {"input", "value", "m|rad"},
    {"motor", "gear-ratio", "SI"},
    {"motor", "efficiency back-efficiency", "1"},
    {"motor", "rotor-inertia", "kg m^2"},
    {"motor", "stall-torque torque-limit rms-torque", "N m"},
    {"motor", "no-load-speed speed-limit", "rad/s"},
    {"motor", "torque-constant", "N m/A"},
    {"motor", "resistance voltage", "SI"},
    {"coupling",
     "coordinate-a coordinate-b rack-coordinate pinion-coordinate cam-coordinate follower-coordinate "
     "efficiency "
     "back-efficiency friction-coefficient",
     "1"},
    {"coupling", "ratio backlash offset samples", "SI"},
    {"coupling", "pitch radius thread-radius", "m"},
    {"coupling tendon", "pressure-angle helix-angle", "rad"},
    {"coupling tendon", "belt-radius", "m"},
    {"coupling tendon", "slack-tension", "N"},
    {"term", "coefficient", "SI"},
    {"control", "lower upper start", "SI"},
    {"drive", "gain offset", "SI"},
    {"motion", "value amplitude offset samples", "SI"},
    {"motion", "frequency", "Hz"},
    {"motion", "phase", "rad"},
    {"motion", "ramp", "s"},
    {"wrench", "force", "N"},
    {"wrench", "torque", "N m"},
    {"spring cable", "stiffness", "N/m"},
    {"spring gas-spring cable", "damping", "N s/m"},
    {"spring cable gas-spring", "length", "m"},
    {"spring", "preload", "N"},
    {"cable", "pretension", "N"},
    {"gas-spring", "force compressed-force", "N"},
    {"gas-spring", "compressed-length", "m"},
    {"gas-spring", "progression exponent", "1"},
    {"force", "stiffness", "N/m|N m/rad"},
    {"force", "damping", "N s/m|N m s/rad"},
    {"force", "preload", "N|N m"},
    {"force", "length", "m|rad"},
    {"table", "samples", "SI"},
    {"tendon", "stiffness damping length pretension", "SI"},
    {"pulley sphere drum rolling", "radius", "m"},
    {"pulley sphere", "friction", "1"},
    {"pulley", "turns", "1"},
    {"point", "divisor", "1"},
    {"bushing", "stiffness damping preload", "SI"},
    {"parameter", "value tolerance", "SI"},
    {"tolerance", "value deviation", "SI"},
};

AttributeUnit unitOf(std::string_view text) {
  AttributeUnit unit{.known = true, .translation = {}, .turn = {}};
  if (text == "SI") return unit;
  const auto bar = text.find('|');
  const auto dimension = [](std::string_view part) {
    const auto parsed = parseUnit(part);
    return parsed ? parsed->dimension : Dimension{};
  };
  unit.translation = dimension(text.substr(0, bar));
  if (bar != std::string_view::npos) unit.turn = dimension(text.substr(bar + 1));
  return unit;
}

using Key = std::pair<std::string, std::string>;

const std::map<Key, AttributeUnit>& table() {
  static const std::map<Key, AttributeUnit> all = [] {
    std::map<Key, AttributeUnit> made;
    for (const Row& row : kRows)
      for (const std::string_view element : splitItems(row.elements))
        for (const std::string_view attribute : splitItems(row.attributes))
          made.emplace(Key(element, attribute), unitOf(row.unit));
    return made;
  }();
  return all;
}

}  // namespace

AttributeUnit attributeUnit(std::string_view element, std::string_view attribute) {
  // Their other attributes are arguments, which have the units of their parameters.
  if ((element == "use" || element == "include") && attribute != "position" && attribute != "rpy" &&
      attribute != "quaternion")
    return {};
  for (const std::string_view name : {element, std::string_view("*")}) {
    const auto found = table().find(Key(name, attribute));
    if (found != table().end()) return found->second;
  }
  return {};
}

}  // namespace grashof::xml
