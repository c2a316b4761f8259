#include "engine/dynamics/kinematics/force_length.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace grashof {
namespace {

constexpr double kNoLine = 1e-12;  // m: no line between the points

Vec3 placeOf(int body, const Vec3& point, std::span<const Pose> poses) {
  return body >= 0 ? poses[body] * point : point;
}

/// Adds a row on one body; the world has none. A body can be there already.
void addRowTerm(int body, const Vec6& jacobian, std::vector<RowTerm>& row) {
  if (body < 0) return;
  const auto at = std::find_if(row.begin(), row.end(), [&](const RowTerm& t) { return t.body == body; });
  if (at == row.end())
    row.push_back({body, jacobian});
  else
    at->jacobian += jacobian;
}

/// Adds the row of e · v of a point at `arm` from the centre of mass.
void addPointTerm(int body, const Vec3& e, const Vec3& arm, std::vector<RowTerm>& row) {
  Vec6 jacobian;
  jacobian << e, arm.cross(e);
  addRowTerm(body, jacobian, row);
}

void addCoordinateTerm(const Joint& joint, const JointRow& own, double coefficient,
                       std::vector<RowTerm>& row) {
  addRowTerm(joint.base, coefficient * own.base, row);
  addRowTerm(joint.follower, coefficient * own.follower, row);
}

}  // namespace

CableSpans cableSpans(std::span<const CableSupport> path, std::span<const Pose> poses) {
  std::array<CableNode, kMaxCableSupports> nodes;
  std::array<CableTouch, kMaxCableSupports> touch;
  for (std::size_t i = 0; i < path.size(); ++i) nodes[i] = cableNode(path[i], poses);
  CableSpans spans;
  for (std::size_t from = 0, to = 0; from < path.size(); from = to) {
    to = branchEnd(path, from);
    spans.length += path[from].share * wrapCable(std::span(nodes).subspan(from, to - from),
                                                 std::span(touch).subspan(from, to - from));
  }
  std::size_t before = 0;
  double share = path[0].share;
  for (std::size_t i = 1; i < path.size(); ++i) {
    if (path[i].begins) {
      before = i;
      share = path[i].share;
      continue;
    }
    if (!touch[i].touches) continue;
    CableSpan& span = spans.span[spans.count++];
    span.bodyA = path[before].body;
    span.bodyB = path[i].body;
    span.pointA = touch[before].out;
    span.pointB = touch[i].in;
    span.supportB = i;
    span.share = share;
    span.angleB = path[i].radius > 0.0 ? touch[i].arc / path[i].radius : 0.0;
    const Vec3 line = span.pointB - span.pointA;
    span.length = line.norm();
    span.direction = span.length > kNoLine ? Vec3(line / span.length) : Vec3(Vec3::UnitX());
    before = i;
  }
  return spans;
}

ForceLine forceLine(const ForceElement& element, std::span<const Pose> poses,
                    std::span<const JointGeometry> geometry) {
  if (element.onJoint()) return {geometry[element.joint].coordinate[element.coordinate], Vec3::UnitX()};
  if (element.onSum()) {
    double x = element.path.empty() ? 0.0 : cableSpans(element.path, poses).length;
    for (const CoordinateTerm& t : element.terms)
      x += t.coefficient * geometry[t.joint].coordinate[t.coordinate];
    return {x, Vec3::UnitX()};
  }
  const Vec3 d =
      placeOf(element.bodyB, element.pointB, poses) - placeOf(element.bodyA, element.pointA, poses);
  const double length = d.norm();
  return {length, length > kNoLine ? Vec3(d / length) : Vec3(Vec3::UnitX())};
}

double commandedLength(const Model& model, const ForceElement& element, double time) {
  return element.lengthSignal >= 0 ? model.signals[element.lengthSignal].value(time) : 0.0;
}

double commandedForce(const Model& model, const ForceElement& element, double control, const TimeSpan& when) {
  constexpr double kAny = std::numeric_limits<double>::infinity();
  const double lowest = element.commandSide == ForceSide::Compression ? 0.0 : -kAny;
  const double highest = element.commandSide == ForceSide::Tension ? 0.0 : kAny;
  if (!std::isnan(control)) return std::clamp(control, lowest, highest);
  if (element.signal < 0) return 0.0;
  const Signal& signal = model.signals[element.signal];
  // Of a sum it is a tension.
  return element.onSum() ? -signal.mean(when, -highest, -lowest) : signal.mean(when, lowest, highest);
}

double rigidExcess(const Model& model, const ForceElement& element, double time, std::span<const Pose> poses,
                   std::span<const JointGeometry> geometry) {
  return element.law.beyond(forceLine(element, poses, geometry).length -
                            commandedLength(model, element, time));
}

void addSpanRow(const CableSpan& s, double factor, std::span<const Pose> poses, std::vector<RowTerm>& row) {
  if (s.length <= kNoLine) return;
  const Vec3 line = factor * s.direction;
  if (s.bodyA >= 0) addPointTerm(s.bodyA, -line, s.pointA - poses[s.bodyA].position, row);
  if (s.bodyB >= 0) addPointTerm(s.bodyB, line, s.pointB - poses[s.bodyB].position, row);
}

std::size_t maxRowTerms(const ForceElement& element) {
  return element.onSum() ? element.path.size() + 2 * element.terms.size() : 2;
}

void forceRateRow(const Model& model, const ForceElement& element, const ForceLine& line,
                  std::span<const Pose> poses, std::span<const JointGeometry> geometry,
                  std::vector<RowTerm>& row) {
  row.clear();
  const auto add = [&](int joint, int coordinate, double coefficient) {
    addCoordinateTerm(model.joints[joint], geometry[joint].coordinateRow[coordinate], coefficient, row);
  };
  if (element.onJoint()) return add(element.joint, element.coordinate, 1.0);
  if (!element.onSum()) {
    const Vec3& e = line.direction;
    if (element.bodyA >= 0)
      addPointTerm(element.bodyA, -e, poses[element.bodyA].rotation * element.pointA, row);
    return addPointTerm(element.bodyB, e, poses[element.bodyB].rotation * element.pointB, row);
  }
  if (!element.path.empty()) {
    const CableSpans spans = cableSpans(element.path, poses);
    for (const CableSpan& s : spans.all()) addSpanRow(s, s.share, poses, row);
  }
  for (const CoordinateTerm& t : element.terms) add(t.joint, t.coordinate, t.coefficient);
}

}  // namespace grashof
