// What follows from the mass matrix at the reference pose: springs and dampers given by time constants, and
// to which inertia soft rows refer.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "joints/types/types.h"
#include "tools/convert/mjcf_reader.h"
#include "tools/convert/tree_inertia.h"

namespace grashof::convert {
namespace {

/// Points of a shape at which it usually touches, without the radius of round ones; in its body's frame.
std::vector<Vec3> touchingPoints(const Shape& s) {
  std::vector<Vec3> points;
  const auto corners = [&](const Vec3& half) {
    for (int i = 0; i < 8; ++i)
      points.push_back(
          s.pose * Vec3(i & 1 ? half[0] : -half[0], i & 2 ? half[1] : -half[1], i & 4 ? half[2] : -half[2]));
  };
  switch (s.type) {
    case ShapeType::Box:
      corners(0.5 * s.size);
      break;
    case ShapeType::Ellipsoid:
      corners(s.size / std::sqrt(3.0));
      break;
    case ShapeType::Capsule:
      corners(Vec3(0.0, 0.0, 0.5 * s.length));
      break;
    case ShapeType::Cylinder:
      corners(Vec3(s.radius / std::sqrt(2.0), s.radius / std::sqrt(2.0), 0.5 * s.length));
      break;
    case ShapeType::Hull:
      for (const Vec3& v : s.mesh->vertices) points.push_back(s.pose * v);
      break;
    default:
      points.push_back(s.pose.position);
  }
  return points;
}

/// How a body gives way where its shapes touch, the mean of all directions, 1/kg.
double mobilityAtContacts(const RigidBody& body, const Pose& pose, const std::vector<Shape>& shapes) {
  const Mat3 inverse = body.inertia.inverse();
  double sum = 0.0;
  int count = 0;
  for (const Shape& s : shapes) {
    if (!s.collides) continue;
    for (const Vec3& p : touchingPoints(s)) {
      const Mat3 arm = skew(pose * p - body.center);
      sum += (arm.transpose() * inverse * arm).trace() / 3.0;
      ++count;
    }
  }
  return 1.0 / body.mass + (count > 0 ? sum / count : 0.0);
}

}  // namespace

void MjcfReader::resolveByInertia() {
  if (!found_.empty() || tree_.links.empty()) return;
  const TreeInertia inertia(tree_);
  for (const auto& [joint, given] : springDampers_) {
    PassiveDynamics& p = tree_.joints[static_cast<std::size_t>(joint)].coordinates[0].passive;
    const double mobility = inertia.mobility(joint);
    if (!(mobility > 0.0)) continue;
    const auto [time, ratio] = given;
    if (enabled("spring")) p.stiffness = 1.0 / (mobility * time * time * ratio * ratio);
    if (enabled("damper")) p.damping = 2.0 / (mobility * time);
  }
  for (Drive& d : drives_) {
    if (!(d.dampRatio > 0.0)) continue;
    double own = 0.0;
    for (const Term& t : d.terms) own += inertia.own(t.joint) / (t.coefficient * t.coefficient);
    d.bias[2] = -d.dampRatio * 2.0 * std::sqrt(d.gain * own);
  }
  for (std::size_t j = 0; j < tree_.joints.size(); ++j) {
    LinkJoint& joint = tree_.joints[j];
    if (joint.coordinates.size() == 1 && joint.coordinates[0].limit.softness.soft())
      joint.mobility = inertia.mobility(static_cast<int>(j));
  }
  const auto ofTendon = [&](const Tendon& t) {
    std::vector<std::pair<int, double>> terms;
    for (const Term& term : t.terms) terms.emplace_back(term.joint, term.coefficient);
    return inertia.mobility(terms, t.path);
  };
  for (const SoftRow& row : softRows_) {
    double mobility = 0.0;
    for (const Tendon& part : row.parts) mobility += ofTendon(part);
    (row.mimic ? tree_.mimics[row.index].softness : tree_.sums[row.index].softness).mobility =
        mobility / (row.scale * row.scale);
  }
  std::vector<double> mobilities(tree_.links.size(), -1.0);
  const auto ofLink = [&](int link) {
    if (link < 0) return 0.0;
    double& known = mobilities[static_cast<std::size_t>(link)];
    if (known < 0.0) known = inertia.linkMobility(link);
    return known;
  };
  for (Loop& loop : tree_.loops)
    loop.mobility = loop.turnShare > 0.0
                        ? (inertia.linkTurning(loop.linkA) + inertia.linkTurning(loop.linkB)) /
                              (loop.turnShare * loop.turnShare)
                        : ofLink(loop.linkA) + ofLink(loop.linkB);
  for (Surface& s : surfaces_) {
    if (s.link < 0) continue;
    const RigidBody body = inertia.body(s.link);
    if (!(body.mass > 0.0)) continue;
    s.mobility = ofLink(s.link);
    s.own =
        mobilityAtContacts(body, inertia.pose(s.link), tree_.links[static_cast<std::size_t>(s.link)].shapes);
  }
}

}  // namespace grashof::convert
