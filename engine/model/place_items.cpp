// The parts of ModelBuilder::build() for items that refer to bodies and joints.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "engine/model/model_content.h"

namespace grashof {
namespace {

/// What the attributes of a coupling are called.
struct CouplingWords {
  const char *jointA, *jointB, *coordinateA, *coordinateB, *ratio;
};

CouplingWords wordsOf(CouplingKind kind) {
  switch (kind) {
    case CouplingKind::Gear:
    case CouplingKind::Linear:
      break;
    case CouplingKind::Screw:
      return {"joint", "joint", "coordinate", "coordinate", "pitch"};
    case CouplingKind::RackAndPinion:
      return {"rack", "pinion", "rack-coordinate", "pinion-coordinate", "radius"};
    case CouplingKind::Cam:
      return {"follower", "cam", "follower-coordinate", "cam-coordinate", "ratio"};
  }
  return {"joint-a", "joint-b", "coordinate-a", "coordinate-b", "ratio"};
}

/// Checks a reference to a joint coordinate; false when it can't be used.
bool checkCoupled(const Model& model, JointId joint, int coordinate, const char* jointWord,
                  const char* coordinateWord, const Where& where, Defects& defects) {
  if (!usable(joint, model.joints.size())) {
    if (joint == JointId{})
      defects.report(where, missingDefect(jointWord));
    else if (joint != JointId::reported())
      defects.report(where, fmt::format("{}={}: there is no such joint ({} are known)", jointWord,
                                        joint.value, model.joints.size()));
    return false;
  }
  const Joint& j = model.joints[static_cast<std::size_t>(joint.value)];
  if (!j.type) return false;
  if (j.type->numDofs() == 0) {
    defects.report(where, fmt::format("joint '{}' has no coordinate to couple", j.name));
    return false;
  }
  const std::size_t before = defects.count();
  defects.integer(where, coordinateWord, coordinate, 0, j.type->numDofs() - 1);
  return defects.count() == before;
}

/// The linear coupling as q_a = ratio q_b + offset + Σ more.
void placeLinear(const CouplingDef& def, Coupling& c) {
  if (def.terms.size() < 2) return;  // reported
  const double first = def.terms[0].coefficient;
  c.jointA = def.terms[0].joint.value;
  c.coordinateA = def.terms[0].coordinate;
  c.jointB = def.terms[1].joint.value;
  c.coordinateB = def.terms[1].coordinate;
  c.ratio = -def.terms[1].coefficient / first;
  c.offset = def.offset / first;
  for (std::size_t i = 2; i < def.terms.size(); ++i)
    c.more.push_back({def.terms[i].joint.value, def.terms[i].coordinate, -def.terms[i].coefficient / first});
}

bool turns(const Model& model, JointId joint, int coordinate) {
  const JointType& type = *model.joints[static_cast<std::size_t>(joint.value)].type;
  return isRotation(type.freeDirections()[static_cast<std::size_t>(coordinate)]);
}

void checkLinear(const CouplingDef& def, const Model& model, Defects& defects) {
  defects.number(def.where, "offset", def.offset);
  checkTerms(def.terms, model, def.where, defects);
  if (def.terms.size() < 2)
    defects.report(def.where, "couples fewer than two coordinates (give two or more terms)");
}

/// Checks what a coupling loses.
void checkLosses(const CouplingDef& def, bool made, Defects& defects) {
  const bool gear = def.kind == CouplingKind::Gear || def.kind == CouplingKind::RackAndPinion;
  const bool screw = def.kind == CouplingKind::Screw;
  defects.number(def.where, "efficiency", def.efficiency, {0.0, 1.0, true});
  if (def.backEfficiency) defects.number(def.where, "back-efficiency", *def.backEfficiency, kShare);
  defects.number(def.where, "friction-coefficient", def.frictionCoefficient, {0.0, kMostFriction, false});
  defects.number(def.where, "thread-radius", def.threadRadius, kNotNegative);
  if (!gear && (def.efficiency != 1.0 || def.backEfficiency))
    defects.report(def.where, "an efficiency is of gears and racks (remove it)");
  if (!screw && (def.frictionCoefficient > 0.0 || def.threadRadius > 0.0))
    defects.report(def.where, "friction-coefficient and thread-radius are of screws (remove them)");
  if (screw && def.frictionCoefficient == 0.0 && def.threadRadius > 0.0 && !made)
    defects.report(def.where, "thread-radius does nothing without friction-coefficient (give it)");
  if (screw && def.frictionCoefficient > 0.0 && !(def.threadRadius > 0.0))
    defects.report(def.where, "friction-coefficient needs thread-radius (mean radius of the thread, m)");
}

/// What a coupling loses, by the efficiencies of its definition.
CouplingFriction frictionOf(const CouplingDef& def) {
  CouplingFriction f;
  f.thread = def.frictionCoefficient;
  f.threadRadius = def.threadRadius;
  f.forward = 1.0 / def.efficiency - 1.0;
  f.backward = def.backEfficiency ? 1.0 - *def.backEfficiency : f.forward;
  return f;
}

void checkCoupling(const CouplingDef& def, bool made, const Model& model, Defects& defects) {
  checkLosses(def, made, defects);
  if (def.kind == CouplingKind::Linear) return checkLinear(def, model, defects);
  const CouplingWords words = wordsOf(def.kind);
  defects.number(def.where, words.ratio, def.ratio);
  defects.number(def.where, "offset", def.offset);
  const bool screw = def.kind == CouplingKind::Screw;
  if (screw && usable(def.jointA, model.joints.size())) {
    const JointType* type = model.joints[static_cast<std::size_t>(def.jointA.value)].type;
    if (type && type->name() != "cylindrical")
      return defects.report(def.where,
                            "a screw couples the two coordinates of a cylindrical joint (change the type of "
                            "that joint)");
  }
  const bool a =
      checkCoupled(model, def.jointA, def.coordinateA, words.jointA, words.coordinateA, def.where, defects);
  const bool b = screw ? a
                       : checkCoupled(model, def.jointB, def.coordinateB, words.jointB, words.coordinateB,
                                      def.where, defects);
  if (!a || !b) return;
  if (def.kind == CouplingKind::RackAndPinion &&
      (turns(model, def.jointA, def.coordinateA) || !turns(model, def.jointB, def.coordinateB)))
    defects.report(def.where,
                   "the rack must be a translation and the pinion a rotation (swap them, or choose other "
                   "coordinates)");
  if (def.kind == CouplingKind::Cam && def.profile.times.size() < 3)
    defects.report(def.where, "a cam needs at least three samples of its profile");
  if (def.jointA == def.jointB && def.coordinateA == def.coordinateB)
    defects.report(def.where, "couples a coordinate to itself (choose another joint or coordinate)");
}

void checkSeries(const Signal& s, const Where& where, Defects& defects) {
  if (s.times.size() != s.values.size())
    return defects.report(
        where, fmt::format("has {} times, but {} values (as many of both)", s.times.size(), s.values.size()));
  for (std::size_t i = 0; i < s.times.size(); ++i) {
    if (!std::isfinite(s.times[i]) || !std::isfinite(s.values[i]))
      return defects.report(where, "the samples hold a number that is not finite (remove it)");
    if (i > 0 && !(s.times[i] > s.times[i - 1]))
      return defects.report(where, "the times of samples do not increase (sort them, each time once)");
  }
}

void checkSignal(const Signal& s, const Where& where, Defects& defects) {
  defects.number(where, s.kind == Signal::Kind::Constant ? "value" : "offset", s.offset);
  if (s.kind == Signal::Kind::Sine) {
    defects.number(where, "amplitude", s.amplitude);
    defects.number(where, "frequency", s.frequency_Hz, kNotNegative);
    defects.number(where, "phase", s.phase_rad);
    defects.number(where, "ramp", s.ramp, kNotNegative);
  }
  if (s.kind != Signal::Kind::Series) return;
  checkSeries(s, where, defects);
}

}  // namespace

void checkTerms(std::span<const CoordinateTermDef> terms, const Model& model, const Where& owner,
                Defects& defects) {
  std::vector<std::pair<int, int>> seen;
  for (const CoordinateTermDef& term : terms) {
    const Where& where = term.where.element.empty() ? owner : term.where;
    defects.number(where, "coefficient", term.coefficient);
    if (term.coefficient == 0.0)
      defects.report(where, "coefficient=0: the coordinate takes no part (give another, or remove the term)");
    if (!checkCoupled(model, term.joint, term.coordinate, "joint", "coordinate", where, defects)) continue;
    const std::pair<int, int> own{term.joint.value, term.coordinate};
    if (std::find(seen.begin(), seen.end(), own) != seen.end())
      defects.report(where, "this coordinate has a term already (add up the coefficients)");
    seen.push_back(own);
  }
}

bool checkBody(BodyId body, bool worldAllowed, const char* attribute, std::size_t bodies, const Where& where,
               Defects& defects) {
  if (usable(body, bodies) || (worldAllowed && body == kWorldBody)) return true;
  if (body == BodyId{})
    defects.report(where, missingDefect(attribute));
  else if (body == kWorldBody)
    defects.report(where, fmt::format("{}=\"world\" is not allowed (name a body)", attribute));
  else if (body != BodyId::reported())
    defects.report(where,
                   fmt::format("{}={}: there is no such body ({} are known)", attribute, body.value, bodies));
  return false;
}

void checkMesh(const Mesh& mesh, const CoordinateTerm& a, const CoordinateTerm& b, const Model& model,
               const Where& where, Defects& defects) {
  if (mesh.kind == Mesh::Kind::None) return;
  const std::size_t before = defects.count();
  constexpr double kMostAngle = 1.0471975511965976;  // 60°
  defects.number(where, "pressure-angle", mesh.pressureAngle, {0.0, kMostAngle, false});
  defects.number(where, "helix-angle", mesh.helixAngle, {-kMostAngle, kMostAngle, false});
  if (mesh.kind == Mesh::Kind::Belt) defects.number(where, "belt-radius", mesh.radius, kPositive);
  defects.number(where, "slack-tension", mesh.slack, kNotNegative);
  if (defects.count() > before) return;
  const Joint &jointA = model.joints[static_cast<std::size_t>(a.joint)],
              &jointB = model.joints[static_cast<std::size_t>(b.joint)];
  if (const std::string text = meshJointDefect(jointA, a.coordinate, jointB, b.coordinate); !text.empty())
    return defects.report(where, text);
  const auto framesOf = [&](const Joint& joint) {
    const auto poseOf = [&](int body) {
      return body < 0 ? Pose{} : model.bodies[static_cast<std::size_t>(body)].initialPose;
    };
    return jointFrames(joint, poseOf(joint.base), poseOf(joint.follower));
  };
  const MeshPlace place =
      meshPlace(jointA, a.coordinate, framesOf(jointA), jointB, b.coordinate, framesOf(jointB));
  if (const std::string text = meshDefect(mesh, place.a, place.b, -b.coefficient / a.coefficient);
      !text.empty())
    defects.report(where, text);
}

void placeSignals(const ModelContent& content, Model& model, Defects& defects) {
  for (const auto& [signal, where] : content.signals) {
    checkSignal(signal, where, defects);
    if (signal.kind == Signal::Kind::Series && signal.times.empty() && signal.values.empty())
      defects.report(where, "has no samples (give times and values)");
    model.signals.push_back(signal);
  }
}

void placeMotors(const ModelContent& content, Model& model, Defects& defects) {
  for (const auto& [motor, where] : content.motors) {
    checkMotor(motor, where, defects);
    model.motors.push_back(motor);
  }
}

namespace {

Coupling couplingOf(const CouplingDef& def) {
  Coupling c;
  c.name = def.name;
  c.kind = def.kind;
  c.jointA = def.jointA.value;
  c.jointB = def.kind == CouplingKind::Screw ? c.jointA : def.jointB.value;
  c.coordinateA = def.kind == CouplingKind::Screw ? 0 : def.coordinateA;
  c.coordinateB = def.kind == CouplingKind::Screw ? 1 : def.coordinateB;
  c.ratio = def.ratio;
  c.offset = def.offset;
  c.profile = def.profile;
  c.friction = frictionOf(def);
  c.mesh = def.mesh;
  if (c.kind == CouplingKind::Linear) placeLinear(def, c);
  const std::vector<double>& lift = c.profile.values;
  if (c.kind == CouplingKind::Cam) {
    c.profile.kind = Signal::Kind::Series;
    if (lift.size() >= 3 && lift.size() == c.profile.times.size() && lift.front() == lift.back())
      c.closeProfile();
  }
  return c;
}

}  // namespace

void placeCouplings(const ModelContent& content, Model& model, Defects& defects) {
  for (const auto& [def, made] : content.couplings) {
    const std::size_t before = defects.count();
    checkCoupling(def, made.has_value(), model, defects);
    if (def.kind == CouplingKind::Cam) checkSeries(def.profile, def.where, defects);
    Coupling c = made ? *made : couplingOf(def);
    if (defects.count() == before)
      checkMesh(c.mesh, {c.jointA, c.coordinateA, 1.0}, {c.jointB, c.coordinateB, -c.ratio}, model, def.where,
                defects);
    model.couplings.push_back(std::move(c));
  }
}

void placeWrenches(const ModelContent& content, Model& model, Defects& defects) {
  for (const auto& [def, made] : content.wrenches) {
    defects.vector(def.where, "force", def.force);
    defects.vector(def.where, "torque", def.torque);
    defects.vector(def.where, "point", def.point);
    if (def.force.isZero(0.0) && def.torque.isZero(0.0))
      defects.report(def.where, "has neither force nor torque (give one)");
    if (def.signal && *def.signal != SignalId::reported() && !usable(*def.signal, model.signals.size()))
      defects.report(def.where, fmt::format("motion={}: there is no such motion ({} are known)",
                                            def.signal->value, model.signals.size()));
    if (!checkBody(def.body, false, "body", model.bodies.size(), def.where, defects)) continue;
    if (made) {
      model.wrenches.push_back(*made);
      continue;
    }
    ExternalWrench w;
    w.name = def.name;
    w.body = def.body.value;
    w.signal = def.signal ? def.signal->value : -1;
    w.force = def.force;
    w.torque = def.torque;
    w.point = model.bodies[static_cast<std::size_t>(w.body)].userFrame * def.point;
    w.local = def.local;
    model.wrenches.push_back(std::move(w));
  }
}

void placeStart(const ModelContent& content, Model& model, Defects& defects) {
  if (content.assembled) model.assembly.emplace();
  for (const auto& [body, where] : content.pins)
    if (checkBody(body, false, "body", model.bodies.size(), where, defects))
      model.assembly->pinned.push_back(body.value);
  for (const auto& [joint, coordinate, value, where] : content.inputs) {
    defects.number(where, "value", value);
    if (!usable(joint, model.joints.size())) {
      if (joint != JointId::reported())
        defects.report(where, fmt::format("joint={}: there is no such joint ({} are known)", joint.value,
                                          model.joints.size()));
      continue;
    }
    const Joint& j = model.joints[static_cast<std::size_t>(joint.value)];
    const int dofs = j.type ? j.type->numDofs() : 6;
    if (coordinate < 0 || coordinate >= dofs)
      defects.report(where, fmt::format("coordinate=\"{}\": joint '{}' has {} coordinates, counted from 0",
                                        coordinate, j.name, dofs));
    model.assembly->inputs.push_back({joint.value, coordinate, value});
  }
  const auto place = [&](const auto& values, const char* what, auto set) {
    if (values.empty()) return;
    if (values.size() != model.bodies.size())
      return defects.report(Where{}, fmt::format("{} initial {} for {} bodies (as many of both)",
                                                 values.size(), what, model.bodies.size()));
    for (std::size_t b = 0; b < values.size(); ++b) set(model.bodies[b], values[b]);
  };
  place(content.initialPoses, "poses", [](Body& body, const Pose& pose) { body.initialPose = pose; });
  place(content.initialTwists, "twists", [](Body& body, const Vec6& twist) { body.initialTwist = twist; });
}

}  // namespace grashof
