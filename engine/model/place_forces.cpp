// The parts of ModelBuilder::build() for force elements and bushings.
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/model/model_content.h"

namespace grashof {
namespace {

constexpr double kMostCableFriction = 10.0;  // e^{μ φ} stays a number for any winding
constexpr double kLeastLength = 1e-9;        // m: points closer than this have no line between them
constexpr double kSameEntry = 1e-9;          // relative: entries of a symmetric matrix that agree
constexpr double kNegative = 1e-12;          // relative to the largest: eigenvalues that count as negative
constexpr double kMaxGasExponent = 3.0;      // far beyond any gas
constexpr int kMaxTurns = 100;
constexpr double kParallel = 0.999;  // cosine of the angle between axes that count as parallel

/// The side of an element that `body` names; false when it cannot be used.
bool placePoint(BodyId body, const Vec3& point, const char* bodyWord, const char* pointWord,
                const ForceDef& def, const Model& model, int& index, Vec3& place, Defects& defects) {
  defects.vector(def.where, pointWord, point);
  if (!checkBody(body, true, bodyWord, model.bodies.size(), def.where, defects)) return false;
  index = body.value;
  place =
      index >= 0 ? model.bodies[static_cast<std::size_t>(index)].userFrame * point : def.placement * point;
  return true;
}

/// The two points; false when they cannot be used. B is a body; the sides are exchanged where the world was
/// named second.
bool placePoints(const ForceDef& def, const Model& model, ForceElement& element, Defects& defects) {
  const bool first = placePoint(def.body1, def.point1, "body1", "point1", def, model, element.bodyA,
                                element.pointA, defects);
  const bool second = placePoint(def.body2, def.point2, "body2", "point2", def, model, element.bodyB,
                                 element.pointB, defects);
  if (!first || !second) return false;
  if (element.bodyA == element.bodyB) {
    defects.report(def.where, "acts between two points of one body (body1 and body2 must differ)");
    return false;
  }
  if (element.bodyB >= 0) return true;
  std::swap(element.bodyA, element.bodyB);
  std::swap(element.pointA, element.pointB);
  return true;
}

/// The joint's coordinate; false when it cannot be used.
bool placeOnJoint(const ForceDef& def, const Model& model, ForceElement& element, Defects& defects) {
  if (def.body1 != kWorldBody || def.body2 != BodyId{})
    defects.report(def.where, "acts on a joint and between bodies (give joint, or body1 and body2)");
  if (!usable(*def.joint, model.joints.size())) {
    if (*def.joint != JointId::reported())
      defects.report(def.where, fmt::format("joint={}: there is no such joint ({} are known)",
                                            def.joint->value, model.joints.size()));
    return false;
  }
  const Joint& joint = model.joints[static_cast<std::size_t>(def.joint->value)];
  if (!joint.type) return false;
  if (joint.type->numDofs() == 0) {
    defects.report(def.where, fmt::format("joint '{}' has no coordinate to act on", joint.name));
    return false;
  }
  const std::size_t before = defects.count();
  defects.integer(def.where, "coordinate", def.coordinate, 0, joint.type->numDofs() - 1);
  if (defects.count() > before) return false;
  element.joint = def.joint->value;
  element.coordinate = def.coordinate;
  element.bodyA = joint.base;
  element.bodyB = joint.follower;
  return true;
}

CableSupport placeSupport(const CableSupportDef& def, const Pose& placement, const Model& model,
                          Defects& defects) {
  CableSupport support;
  support.kind = def.kind;
  defects.vector(def.where, "position", def.position);
  if (!checkBody(def.body, true, "body", model.bodies.size(), def.where, defects)) return support;
  support.body = def.body.value;
  const Pose frame =
      support.body >= 0 ? model.bodies[static_cast<std::size_t>(support.body)].userFrame : placement;
  support.position = frame * def.position;
  if (def.divisor) {
    defects.number(def.where, "divisor", *def.divisor);
    if (*def.divisor == 0.0) defects.report(def.where, "divisor is 0 (the length is divided by it)");
    support.begins = true;
    support.share = 1.0 / *def.divisor;
  }
  if (def.kind == CableNodeKind::Point) return support;
  if (def.divisor) defects.report(def.where, "a branch begins at a point (give the divisor to one)");
  defects.number(def.where, "radius", def.radius, kPositive);
  support.radius = def.radius;
  defects.number(def.where, "friction", def.friction, {0.0, kMostCableFriction, false});
  support.friction = def.friction;
  if (def.kind == CableNodeKind::Sphere) return support;
  defects.vector(def.where, "axis", def.axis);
  defects.integer(def.where, "turns", def.turns, 0, kMaxTurns);
  if (!(def.axis.norm() > 0.0)) defects.report(def.where, "axis is zero (give a direction)");
  support.axis = frame.rotation * def.axis.normalized();
  support.sense = def.sense < 0.0 ? -1.0 : 1.0;
  support.turns = def.turns;
  return support;
}

/// Reports a support that begins inside a pulley beside it on the path.
void checkInside(const CableSupportDef& def, const CableNode& pulley, const CableNode& other,
                 Defects& defects) {
  if (pulley.kind == CableNodeKind::Point) return;
  Vec3 d = other.position - pulley.position;
  if (pulley.kind == CableNodeKind::Cylinder) d -= pulley.axis.dot(d) * pulley.axis;
  double least = other.kind == CableNodeKind::Point ? pulley.radius : std::abs(pulley.radius - other.radius);
  if (pulley.kind == CableNodeKind::Cylinder && other.kind == CableNodeKind::Cylinder) {
    const double along = pulley.sense * other.sense * pulley.axis.dot(other.axis);
    if (std::abs(along) < kParallel) return;                // skew: there is a tangent of both
    if (along < 0.0) least = pulley.radius + other.radius;  // it crosses between them
  }
  if (!(d.norm() >= least))
    defects.report(def.where,
                   fmt::format("its neighbour on the path is {:.6g} m from its {} at the start, inside the "
                               "radius of {:.6g} m (move the neighbour out, or make the radius smaller)",
                               d.norm(), pulley.kind == CableNodeKind::Sphere ? "centre" : "axis", least));
}

/// Length of the path at t = 0, m.
double placePath(const ForceDef& def, const Model& model, ForceElement& element, Defects& defects) {
  const std::size_t before = defects.count(), n = def.path.size();
  for (const CableSupportDef& support : def.path)
    element.path.push_back(placeSupport(support, def.placement, model, defects));
  if (n < 2 || n > kMaxCableSupports || def.path.front().kind != CableNodeKind::Point ||
      def.path.back().kind != CableNodeKind::Point)
    defects.report(def.where, fmt::format("needs a path from a point to a point, of 2 to {} points and "
                                          "pulleys in all (it has {})",
                                          kMaxCableSupports, n));
  const auto rough = [](const CableSupport& s) { return s.friction > 0.0; };
  const auto roughOnes = std::count_if(element.path.begin(), element.path.end(), rough);
  if (roughOnes > kMaxRoughSupports)
    defects.report(def.where, fmt::format("runs over {} pulleys with friction ({} at most)", roughOnes,
                                          kMaxRoughSupports));
  const auto begins = [](const CableSupport& s) { return s.begins; };
  if (roughOnes > 0 &&
      (def.pathSide != ForceSide::Tension || std::any_of(element.path.begin(), element.path.end(), begins)))
    defects.report(def.where, "has pulleys with friction, and branches or pushes (remove the friction)");
  for (std::size_t from = 0, to = 0; from < n && defects.count() == before; from = to) {
    to = branchEnd(element.path, from);
    if (to - from < 2 || def.path[to - 1].kind != CableNodeKind::Point)
      defects.report(def.path[to - 1].where,
                     "a branch of a cable runs from a point to a point (end it at one)");
  }
  if (defects.count() > before) {
    element.path.clear();
    return 0.0;
  }
  std::vector<Pose> poses;
  for (const Body& body : model.bodies) poses.push_back(body.initialPose);
  std::vector<CableNode> nodes;
  for (const CableSupport& support : element.path) nodes.push_back(cableNode(support, poses));
  for (std::size_t i = 1; i + 1 < n; ++i) {
    checkInside(def.path[i], nodes[i], nodes[i - 1], defects);
    checkInside(def.path[i], nodes[i], nodes[i + 1], defects);
  }
  std::vector<CableTouch> touch(n);
  double length = 0.0;
  for (std::size_t from = 0, to = 0; from < n; from = to) {
    to = branchEnd(element.path, from);
    length += element.path[from].share *
              wrapCable(std::span(nodes).subspan(from, to - from), std::span(touch).subspan(from, to - from));
  }
  return length;
}

/// Path and terms; `length`: of the path at t = 0. False when they cannot be used.
bool placeSum(const ForceDef& def, const Model& model, ForceElement& element, double& length,
              Defects& defects) {
  const std::size_t before = defects.count();
  if (def.joint || def.body1 != kWorldBody || def.body2 != BodyId{})
    defects.report(def.where, "acts along a sum and on bodies or a joint (give one of them)");
  if (!def.path.empty()) length = placePath(def, model, element, defects);
  checkTerms(def.terms, model, def.where, defects);
  for (const CoordinateTermDef& t : def.terms)
    element.terms.push_back({t.joint.value, t.coordinate, t.coefficient});
  if (defects.count() > before) return false;
  const auto sameBody = [&](const CableSupport& s) { return s.body == element.path.front().body; };
  if (element.terms.empty() && std::all_of(element.path.begin(), element.path.end(), sameBody)) {
    defects.report(def.where, "acts on one body alone (put one of its points on another)");
    return false;
  }
  element.commandSide = element.path.empty() ? def.side : def.pathSide;
  element.mesh = def.mesh;
  if (def.mesh.kind == Mesh::Kind::None) return true;
  if (element.terms.size() != 2) {
    defects.report(def.where,
                   "teeth and belts have two sides (give two terms, or remove the pressure angle or radius)");
    return false;
  }
  checkMesh(def.mesh, element.terms[0], element.terms[1], model, def.where, defects);
  return defects.count() == before;
}

/// Distance of the points at t = 0, m.
double startLength(const ForceElement& element, const Model& model) {
  const auto at = [&](int body, const Vec3& point) -> Vec3 {
    return body >= 0 ? model.bodies[static_cast<std::size_t>(body)].initialPose * point : point;
  };
  return (at(element.bodyB, element.pointB) - at(element.bodyA, element.pointA)).norm();
}

void placeGas(const GasSpringDef& gas, const Where& where, ForceLaw& law, Defects& defects) {
  const std::size_t before = defects.count();
  defects.number(where, "length", gas.length, kPositive);
  defects.number(where, "force", gas.force, kPositive);
  defects.number(where, "compressed-length", gas.compressedLength, kPositive);
  defects.number(where, "compressed-force", gas.compressedForce, kPositive);
  defects.number(where, "exponent", gas.exponent, {0.0, kMaxGasExponent, true});
  if (defects.count() > before) return;
  if (!(gas.compressedLength < gas.length))
    return defects.report(where, "compressed-length is not shorter than length (swap them)");
  if (!(gas.compressedForce > gas.force))
    return defects.report(where,
                          "compressed-force is not larger than force (a gas spring pushes more when it is "
                          "compressed; a constant force is a spring with a preload)");
  law.gas =
      GasColumn::between(gas.length, gas.force, gas.compressedLength, gas.compressedForce, gas.exponent);
}

ForceTable placeTable(const ForceTableDef& table, Defects& defects) {
  if (table.at.empty() || table.at.size() != table.force.size()) {
    defects.report(table.where, fmt::format("has {} places, but {} forces (as many of both, at least one)",
                                            table.at.size(), table.force.size()));
    return {};
  }
  for (std::size_t i = 0; i < table.at.size(); ++i) {
    if (!std::isfinite(table.at[i]) || !std::isfinite(table.force[i])) {
      defects.report(table.where, "the samples hold a number that is not finite (remove it)");
      return {};
    }
    if (i > 0 && !(table.at[i] > table.at[i - 1])) {
      defects.report(table.where, "the samples do not increase (sort them, each place once)");
      return {};
    }
  }
  return {table.at, table.force};
}

/// What laws along sums have in common. `start`: length of the path at t = 0.
void placeSumLaw(const ForceDef& def, double start, const Model& model, ForceElement& element,
                 Defects& defects) {
  ForceLaw& law = element.law;
  defects.number(def.where, "stiffness", def.stiffness, kNotNegative);
  defects.number(def.where, "damping", def.damping, kNotNegative);
  defects.number(def.where, "pretension", def.preload);
  const bool rope = !def.path.empty() && def.pathSide == ForceSide::Tension;
  if (def.length)
    defects.number(def.where, "length", *def.length, rope && def.terms.empty() ? kNotNegative : kAny);
  law.stiffness = def.stiffness;
  law.damping = def.damping;
  law.preload = def.preload;
  law.side = element.commandSide;
  law.rigid = def.rigid;
  law.softness = def.softness;
  law.length = def.length.value_or(start);
  if (def.signal && *def.signal != SignalId::reported() && !usable(*def.signal, model.signals.size()))
    defects.report(def.where, fmt::format("motion={}: there is no such motion ({} are known)",
                                          def.signal->value, model.signals.size()));
  const bool commandsLength = def.signal && def.command == SumCommand::Length;
  if (commandsLength) {
    element.lengthSignal = def.signal->value;
    law.length = 0.0;
    if (def.length) defects.report(def.where, "has a length and a motion that commands it (give one)");
  } else if (def.signal) {
    element.signal = def.signal->value;
  }
  if (rope && def.preload > 0.0) defects.report(def.where, "pretension is negative (a cable pulls only)");
  if (def.gas || def.overLength || def.overSpeed)
    defects.report(def.where, "gas and tables act between points or on a joint (use another element)");
  checkSoftness(def.softness, def.where, defects);
  if (def.softness.kind == Softness::Kind::Compliant)
    defects.report(def.where, "has a compliance (give a stiffness instead, which is its inverse)");
  else if (def.softness.kind == Softness::Kind::Mixing)
    defects.report(def.where, "has erp or cfm (give an impedance instead)");
  else if (def.softness.soft() && !def.rigid)
    defects.report(def.where, "impedance is of what is inextensible (add inextensible=\"true\")");
  if (def.rigid) {
    if (def.stiffness != 0.0 || def.damping != 0.0 || def.preload != 0.0 || (def.signal && !commandsLength))
      defects.report(def.where,
                     "is inextensible, so that it has no stiffness, damping, pretension or commanded tension "
                     "(remove them, or inextensible)");
    if (law.side == ForceSide::Both && !law.softness.soft())
      defects.report(def.where,
                     "inextensible needs unilateral=\"tension\" or \"compression\", or an impedance (what is "
                     "kept both ways is a coupling)");
    return;
  }
  if (def.stiffness == 0.0 && law.side != ForceSide::Both) {
    // A constant tension has one side anyway.
    if (def.damping != 0.0)
      defects.report(def.where,
                     "a damping of what acts one way needs a stiffness (give it, or inextensible)");
    law.side = ForceSide::Both;
  }
  if (def.stiffness == 0.0 && def.damping == 0.0 && def.preload == 0.0 && !def.signal)
    defects.report(def.where, "does nothing (give a stiffness, a pretension, a motion, or inextensible)");
  if (def.stiffness == 0.0 && commandsLength)
    defects.report(def.where, "a commanded length needs a stiffness, or inextensible");
}

void placeLaw(const ForceDef& def, const Model& model, ForceElement& element, Defects& defects) {
  ForceLaw& law = element.law;
  law = {};
  defects.number(def.where, "stiffness", def.stiffness, kNotNegative);
  defects.number(def.where, "damping", def.damping, kNotNegative);
  defects.number(def.where, "preload", def.preload);
  if (def.length) defects.number(def.where, "length", *def.length, element.onJoint() ? kAny : kNotNegative);
  law.stiffness = def.stiffness;
  law.damping = def.damping;
  law.preload = def.preload;
  law.side = element.commandSide = def.side;
  if (def.gas) placeGas(*def.gas, def.where, law, defects);
  if (def.overLength) law.overLength = placeTable(*def.overLength, defects);
  if (def.overSpeed) law.overSpeed = placeTable(*def.overSpeed, defects);
  const bool tables = def.overLength || def.overSpeed;
  if (def.gas &&
      (tables || def.signal || def.stiffness != 0.0 || def.preload != 0.0 || def.length || def.joint))
    defects.report(def.where,
                   "a gas spring has a damping besides, and acts between points (use two elements)");
  if (def.signal && *def.signal != SignalId::reported() && !usable(*def.signal, model.signals.size()))
    defects.report(def.where, fmt::format("motion={}: there is no such motion ({} are known)",
                                          def.signal->value, model.signals.size()));
  element.signal = def.signal ? def.signal->value : -1;
  if (def.side != ForceSide::Both && (!(def.stiffness > 0.0) || def.gas || tables || def.signal))
    defects.report(def.where, "unilateral needs a stiffness > 0 (only springs are one-sided)");
  if (def.stiffness == 0.0 && def.damping == 0.0 && def.preload == 0.0 && !def.gas && !tables && !def.signal)
    defects.report(def.where, "does nothing (give a stiffness, a damping or a preload)");
  const double start = element.onJoint() ? 0.0 : startLength(element, model);
  if (!element.onJoint() && !(start > kLeastLength))
    defects.report(
        def.where,
        "its two points coincide at the start, so that it has no direction (move a point, or use a "
        "bushing)");
  law.length = def.length.value_or(start);
}

ForceElement placeForce(const ForceDef& def, const Model& model, Defects& defects) {
  ForceElement element;
  element.name = def.name;
  if (!def.path.empty() || !def.terms.empty()) {
    double start = 0.0;
    if (placeSum(def, model, element, start, defects)) placeSumLaw(def, start, model, element, defects);
    return element;
  }
  const bool placed =
      def.joint ? placeOnJoint(def, model, element, defects) : placePoints(def, model, element, defects);
  if (placed) placeLaw(def, model, element, defects);
  return element;
}

/// Reports a matrix that is not symmetric and positive semi-definite.
void checkStiffness(const Mat6& matrix, const char* name, const Where& where, Defects& defects) {
  if (!matrix.allFinite())
    return defects.report(where, fmt::format("{} holds a number that is not finite (mend it)", name));
  const double largest = matrix.cwiseAbs().maxCoeff();
  for (int r = 0; r < 6; ++r)
    for (int c = 0; c < r; ++c)
      if (std::abs(matrix(r, c) - matrix(c, r)) > kSameEntry * largest)
        return defects.report(where,
                              fmt::format("{} is not symmetric: row {} column {} is {}, row {} column "
                                          "{} is {} (make them equal)",
                                          name, r + 1, c + 1, matrix(r, c), c + 1, r + 1, matrix(c, r)));
  // Scaled to ones on the diagonal, so that N/m and N·m/rad do not count against each other.
  Vec6 scale = Vec6::Ones();
  for (int i = 0; i < 6; ++i)
    if (matrix(i, i) > 0.0) scale[i] = 1.0 / std::sqrt(matrix(i, i));
  const Mat6 scaled = scale.asDiagonal() * (0.5 * (matrix + matrix.transpose())) * scale.asDiagonal();
  const double least = Eigen::SelfAdjointEigenSolver<Mat6>(scaled, Eigen::EigenvaluesOnly).eigenvalues()[0];
  if (least < -kNegative * std::max(1.0, scaled.cwiseAbs().maxCoeff()))
    defects.report(where, fmt::format("{} is not positive semi-definite: it would push away from rest (its "
                                      "smallest eigenvalue, scaled to ones on the diagonal, is {:.3g})",
                                      name, least));
}

Bushing placeBushing(const BushingDef& def, const Model& model, Defects& defects) {
  Bushing bushing;
  bushing.name = def.name;
  checkStiffness(def.stiffness, "stiffness", def.where, defects);
  checkStiffness(def.damping, "damping", def.where, defects);
  if (!def.preload.allFinite())
    defects.report(def.where, "preload holds a number that is not finite (mend it)");
  if (def.stiffness.isZero(0.0) && def.damping.isZero(0.0) && def.preload.isZero(0.0))
    defects.report(def.where, "does nothing (give a stiffness, a damping or a preload)");
  bushing.stiffness = 0.5 * (def.stiffness + def.stiffness.transpose());
  bushing.damping = 0.5 * (def.damping + def.damping.transpose());
  bushing.preload = def.preload;
  const bool base = checkBody(def.base, true, "base", model.bodies.size(), def.where, defects);
  const bool follower = checkBody(def.follower, false, "follower", model.bodies.size(), def.where, defects);
  if (follower && def.base == def.follower)
    defects.report(def.where, "joins a body to itself (base and follower must differ)");
  if (!base || !follower) return bushing;
  bushing.base = def.base.value;
  bushing.follower = def.follower.value;
  const FramesDef frames{def.frame, def.baseFrame, def.followerFrame, def.placement, def.where};
  const FramePair pair = placeFrames(frames, model, bushing.base, bushing.follower, false, defects);
  bushing.baseFrame = pair.base;
  bushing.followerFrame = pair.follower;
  return bushing;
}

VelocityConstraint placeVelocity(const VelocityConstraintDef& def, const Model& model, Defects& defects) {
  VelocityConstraint c;
  c.name = def.name;
  c.kind = def.kind;
  const bool rolling = def.kind == VelocityConstraintKind::Rolling;
  defects.vector(def.where, "point", def.point);
  defects.vector(def.where, rolling ? "axis" : "across", def.axis);
  defects.vector(def.where, "normal", def.normal);
  if (!rolling && !(def.axis.norm() > 0.0)) defects.report(def.where, "across is zero (give a direction)");
  if (rolling) defects.number(def.where, "radius", def.radius, kPositive);
  if (!(def.normal.norm() > 0.0)) defects.report(def.where, "normal is zero (give a direction)");
  const bool base = checkBody(def.base, true, "base", model.bodies.size(), def.where, defects);
  const bool follower = checkBody(def.follower, false, "follower", model.bodies.size(), def.where, defects);
  if (follower && def.base == def.follower)
    defects.report(def.where, "acts on one body alone (base and follower must differ)");
  if (!base || !follower) return c;
  c.base = def.base.value;
  c.follower = def.follower.value;
  const auto frameOf = [&](int body) {
    return body >= 0 ? model.bodies[static_cast<std::size_t>(body)].userFrame : def.placement;
  };
  c.point = frameOf(c.follower) * def.point;
  c.axis = frameOf(c.follower).rotation * def.axis;
  if (c.axis.norm() > 0.0) c.axis.normalize();
  c.radius = def.radius;
  c.normal = frameOf(c.base).rotation * def.normal.normalized();
  return c;
}

}  // namespace

void placeForces(const ModelContent& content, Model& model, Defects& defects) {
  for (const auto& [def, made] : content.forces)
    model.forces.push_back(made ? *made : placeForce(def, model, defects));
}

void placeVelocities(const ModelContent& content, Model& model, Defects& defects) {
  for (const auto& [def, made] : content.velocities)
    model.velocityConstraints.push_back(made ? *made : placeVelocity(def, model, defects));
}

void placeBushings(const ModelContent& content, Model& model, Defects& defects) {
  for (const auto& [def, made] : content.bushings)
    model.bushings.push_back(made ? *made : placeBushing(def, model, defects));
}

}  // namespace grashof
