#include "engine/dynamics/channels.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/dynamics/element_channels.h"

namespace grashof {
namespace {

[[noreturn]] void unknown(const std::string& name, const std::string& why) {
  throw InputError(fmt::format("unknown channel '{}' ({})", name, why));
}

int component(const std::string& word, const char* letters) {
  if (word.size() != 1) return -1;
  const char* at = std::char_traits<char>::find(letters, std::char_traits<char>::length(letters), word[0]);
  return at ? static_cast<int>(at - letters) : -1;
}

const std::map<std::string, Channel>& globalChannels() {
  static const std::map<std::string, Channel> all = {
      {"time", [](const Simulator& s) { return s.state().time; }},
      {"energy.kinetic", [](const Simulator& s) { return s.report().energy.kinetic; }},
      {"energy.potential", [](const Simulator& s) { return s.report().energy.potential; }},
      {"energy.elastic", [](const Simulator& s) { return s.report().energy.elastic; }},
      {"energy.total", [](const Simulator& s) { return s.report().energy.total(); }},
      {"energy.drift", [](const Simulator& s) { return s.energyDrift(); }},
      {"energy.drift-relative", [](const Simulator& s) { return s.relativeEnergyDrift(); }},
      {"residual.joint", [](const Simulator& s) { return s.report().jointResidual; }},
      {"residual.limit", [](const Simulator& s) { return s.report().limitViolation; }},
      {"residual.penetration", [](const Simulator& s) { return s.report().penetration; }},
      {"residual.solver", [](const Simulator& s) { return s.report().solverResidual; }},
      {"solver.iterations", [](const Simulator& s) { return s.report().iterations; }},
      {"solver.method", [](const Simulator& s) { return static_cast<double>(s.report().method); }},
      {"solver.factorizations", [](const Simulator& s) { return s.report().factorizations; }},
      {"contacts.count", [](const Simulator& s) { return s.report().contacts; }},
      {"contacts.normal-force",
       [](const Simulator& s) {
         double sum = 0.0;
         for (std::size_t k = 0; k < s.problem().contacts.size(); ++k)
           sum += s.solution().impulse[s.problem().contacts[k].row + 2];
         return sum / s.model().step.timestep;
       }},
  };
  return all;
}

Channel bodyChannel(const std::string& name, int body, const std::string& what) {
  if (what == "speed")
    return [body](const Simulator& s) { return userVelocity(s.model(), s.state(), body).norm(); };
  const auto dot = what.find('.');
  const std::string quantity = what.substr(0, dot);
  const std::string part = dot == std::string::npos ? "" : what.substr(dot + 1);
  const int axis = component(part, "xyz");
  if (quantity == "position" && axis >= 0)
    return [=](const Simulator& s) { return userPose(s.model(), s.state(), body).position[axis]; };
  if (quantity == "velocity" && axis >= 0)
    return [=](const Simulator& s) { return userVelocity(s.model(), s.state(), body)[axis]; };
  if (quantity == "angular-velocity" && axis >= 0)
    return [=](const Simulator& s) { return s.state().twists[body][3 + axis]; };
  const int q = component(part, "xyzw");
  if (quantity == "quaternion" && q >= 0)
    return [=](const Simulator& s) { return userPose(s.model(), s.state(), body).rotation.coeffs()[q]; };
  unknown(name, "of a body: position.x velocity.x angular-velocity.x quaternion.w speed");
}

/// Place of "force.x" … "moment.z" in a wrench; -1: another word.
int wrenchComponent(const std::string& word) {
  for (const int offset : {0, 3}) {
    const std::string start = offset == 0 ? "force." : "moment.";
    if (word.starts_with(start))
      if (const int axis = component(word.substr(start.size()), "xyz"); axis >= 0) return offset + axis;
  }
  return -1;
}

/// What is called motor-`quantity` of the motor at a joint coordinate. Null: no such word.
Channel motorChannel(const Model& model, const std::string& name, ActuatorId place,
                     const std::string& quantity) {
  const auto motors = motorsOf(model);
  const auto found = std::find(motors.begin(), motors.end(), place);
  if (found == motors.end()) unknown(name, "this coordinate has no motor; name one in its actuator");
  const auto k = static_cast<std::size_t>(found - motors.begin());
  const Motor& motor = *model.motorOf(model.joints[place.joint].coordinates[place.coordinate].actuator);
  const bool needsCurrent = quantity == "current" || quantity == "loss" || quantity == "heat";
  if (needsCurrent && !(motor.torqueConstant > 0.0))
    unknown(name, fmt::format("motor '{}' has no torque-constant", motor.name));
  if (needsCurrent && quantity != "current" && !(motor.resistance > 0.0))
    unknown(name, fmt::format("motor '{}' has no resistance", motor.name));
  if (quantity == "torque") return [k](const Simulator& s) { return s.motors().torque(k); };
  if (quantity == "torque-rms") return [k](const Simulator& s) { return s.motors().torqueRms(k); };
  if (quantity == "speed") return [k](const Simulator& s) { return s.motors().speed(k); };
  if (quantity == "current")
    return [k](const Simulator& s) { return s.motors().motor(k).current(s.motors().torque(k)); };
  if (quantity == "loss")
    return [k](const Simulator& s) { return s.motors().motor(k).copperLoss(s.motors().torque(k)); };
  if (quantity == "heat") return [k](const Simulator& s) { return s.motors().heat(k); };
  return {};
}

Channel jointChannel(const Model& model, const std::string& name, int joint, const std::string& what) {
  const JointType& type = *model.joints[joint].type;
  const auto dot = what.find('.');
  const std::string quantity = what.substr(0, dot);
  const std::string part = dot == std::string::npos ? "" : what.substr(dot + 1);
  int coordinate = -1;
  if (quantity == "angle" || quantity == "displacement") {
    for (int i = type.numDofs() - 1; i >= 0; --i)
      if (isRotation(type.freeDirections()[i]) == (quantity == "angle")) coordinate = i;
  } else if (part.size() == 1 && part[0] >= '0' && part[0] < '0' + type.numDofs()) {
    coordinate = part[0] - '0';
  }
  if (coordinate >= 0 && (quantity == "q" || quantity == "angle" || quantity == "displacement")) {
    const int at = model.coordinateStart[joint] + coordinate;
    return [at](const Simulator& s) { return s.state().coordinates[at]; };
  }
  if (coordinate >= 0 && quantity == "rate")
    return [=](const Simulator& s) {
      return coordinateRate(s.model().joints[joint], s.geometry()[joint].coordinateRow[coordinate],
                            s.state().twists);
    };
  if (coordinate >= 0 && quantity == "effort") {
    const int at = model.coordinateStart[joint] + coordinate;
    return [at](const Simulator& s) { return s.loads().effort(at, LoadCause::Drive); };
  }
  if (coordinate >= 0 && quantity.starts_with("motor-"))
    if (Channel channel = motorChannel(model, name, {joint, coordinate}, quantity.substr(6))) return channel;
  if (what == "reaction") return [=](const Simulator& s) { return s.jointReaction(joint).head<3>().norm(); };
  if (const int axis = wrenchComponent(what); axis >= 0)
    return [=](const Simulator& s) { return s.jointReaction(joint)[axis]; };
  for (const LoadCause cause : kLoadCauses)
    if (quantity == kLoadCauseNames[static_cast<std::size_t>(cause)])
      if (const int axis = wrenchComponent(part); axis >= 0)
        return [=](const Simulator& s) { return s.loads().joints()[joint].of(cause)[axis]; };
  unknown(name,
          fmt::format("of a {} joint: {}force.x moment.x reaction constraint.force.x (or drive, spring, "
                      "friction, limit, coupling)",
                      type.name(),
                      type.numDofs() > 0
                          ? "angle or displacement, q.0, rate.0, effort.0, motor-torque.0 (torque-rms, "
                            "speed, current, loss, heat), "
                          : ""));
}

Channel couplingChannel(const std::string& name, int coupling, const std::string& what) {
  if (what == "effort.a") return [=](const Simulator& s) { return s.loads().couplingEffortA(coupling); };
  if (what == "effort.b") return [=](const Simulator& s) { return s.loads().couplingEffortB(coupling); };
  unknown(name, "of a coupling: effort.a effort.b");
}

/// What body `a` does to body `b` by all contacts between them, world axes.
struct PairLoad {
  Vec3 force = Vec3::Zero();   ///< N
  Vec3 moment = Vec3::Zero();  ///< about `center`, N m
  Vec3 center = Vec3::Zero();  ///< of the normal forces, m; zero where there are none
  double normal = 0.0;         ///< sum of the normal forces, N
  double area = 0.0;           ///< of patches, m²
};

PairLoad pairLoad(const Simulator& s, int a, int b) {
  PairLoad load;
  Vec3 weighed = Vec3::Zero(), moment = Vec3::Zero();
  for (std::size_t k = 0; k < s.contacts().size(); ++k) {
    const Contact& contact = s.contacts()[k];
    if (contact.ofJoint()) continue;
    const bool same = contact.bodyA == a && contact.bodyB == b;
    if (!same && !(contact.bodyA == b && contact.bodyB == a)) continue;
    const Vec3 onB = s.contactForce(static_cast<int>(k)), force = same ? onB : Vec3(-onB);
    const double normal = onB.dot(contact.frame.col(2));
    load.force += force;
    load.normal += normal;
    load.area += contact.area;
    weighed += normal * contact.point;
    moment += contact.point.cross(force);
  }
  if (load.normal > 0.0) load.center = weighed / load.normal;
  load.moment = moment - load.center.cross(load.force);
  return load;
}

/// `names`: "A.B.what", where A and B may hold dots.
Channel contactChannel(const Model& model, const std::string& name, const std::string& names) {
  const auto bodyOf = [&](const std::string& body) {
    return body == "world" ? kWorld : model.findBody(body) >= 0 ? model.findBody(body) : kWorld - 1;
  };
  struct Quantity {
    const char* name;
    double (*of)(const PairLoad&);
  };
  static constexpr Quantity kQuantities[] = {
      {".force.x", [](const PairLoad& load) { return load.force.x(); }},
      {".force.y", [](const PairLoad& load) { return load.force.y(); }},
      {".force.z", [](const PairLoad& load) { return load.force.z(); }},
      {".moment.x", [](const PairLoad& load) { return load.moment.x(); }},
      {".moment.y", [](const PairLoad& load) { return load.moment.y(); }},
      {".moment.z", [](const PairLoad& load) { return load.moment.z(); }},
      {".center.x", [](const PairLoad& load) { return load.center.x(); }},
      {".center.y", [](const PairLoad& load) { return load.center.y(); }},
      {".center.z", [](const PairLoad& load) { return load.center.z(); }},
      {".normal", [](const PairLoad& load) { return load.normal; }},
      {".area", [](const PairLoad& load) { return load.area; }},
  };
  for (const Quantity& quantity : kQuantities) {
    if (!names.ends_with(quantity.name)) continue;
    const std::string pair = names.substr(0, names.size() - std::string(quantity.name).size());
    for (auto dot = pair.find('.'); dot != std::string::npos; dot = pair.find('.', dot + 1)) {
      const int a = bodyOf(pair.substr(0, dot)), b = bodyOf(pair.substr(dot + 1));
      if (a >= kWorld && b >= kWorld && a != b)
        return [=, of = quantity.of](const Simulator& s) { return of(pairLoad(s, a, b)); };
    }
    unknown(name, "no such two bodies in this model; the world is called world");
  }
  unknown(name, "of two bodies: contact.A.B. with force.x moment.x center.x normal area");
}

/// Calls make(index, rest) for "NAME.rest" where NAME is one of `items`; names may hold dots.
template <typename T, typename Make>
auto byName(const std::vector<T>& items, const std::string& name, const std::string& tail, Make make) {
  for (auto dot = tail.find('.'); dot != std::string::npos; dot = tail.find('.', dot + 1))
    for (std::size_t i = 0; i < items.size(); ++i)
      if (items[i].name == tail.substr(0, dot)) return make(static_cast<int>(i), tail.substr(dot + 1));
  unknown(name, "no such name in this model");
}

}  // namespace

Channel findChannel(const Model& model, const std::string& name) {
  const auto global = globalChannels().find(name);
  if (global != globalChannels().end()) return global->second;
  if (name.starts_with("body."))
    return byName(model.bodies, name, name.substr(5),
                  [&](int body, const std::string& what) { return bodyChannel(name, body, what); });
  if (name.starts_with("joint."))
    return byName(model.joints, name, name.substr(6),
                  [&](int joint, const std::string& what) { return jointChannel(model, name, joint, what); });
  if (name.starts_with("coupling."))
    return byName(model.couplings, name, name.substr(9), [&](int coupling, const std::string& what) {
      return couplingChannel(name, coupling, what);
    });
  if (name.starts_with("element.")) return elementChannel(model, name);
  if (name.starts_with("contact.")) return contactChannel(model, name, name.substr(8));
  std::string known;
  for (const auto& [key, channel] : globalChannels()) known += key + " ";
  unknown(name, "known: " + known + "body.NAME.… joint.NAME.… coupling.NAME.… element.NAME.… contact.A.B.…");
}

RedundancyOf findRedundancy(const Model& model, const std::string& name) {
  if (name.starts_with("coupling."))
    return byName(model.couplings, name, name.substr(9),
                  [](int coupling, const std::string&) -> RedundancyOf {
                    return [coupling](const Simulator& s) { return s.loads().couplingRedundant(coupling); };
                  });
  if (!name.starts_with("joint.")) return {};
  return byName(model.joints, name, name.substr(6), [](int joint, const std::string& what) -> RedundancyOf {
    if (what.starts_with("effort.") || (what.starts_with("motor-") && !what.starts_with("motor-speed")))
      return [=, i = what.back() - '0'](const Simulator& s) { return s.loads().driveRedundant(joint, i); };
    std::string part = what;
    for (const std::string_view cause : kLoadCauseNames)
      if (what.starts_with(std::string(cause) + ".")) part = what.substr(cause.size() + 1);
    const int axis = wrenchComponent(part);
    const unsigned bits = what == "reaction" ? 7U : axis >= 0 ? 1U << static_cast<unsigned>(axis) : 0U;
    if (bits == 0) return {};
    return [=](const Simulator& s) { return (s.loads().redundant(joint) & bits) != 0; };
  });
}

}  // namespace grashof
