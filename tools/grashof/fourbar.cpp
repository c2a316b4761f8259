#include "tools/grashof/fourbar.h"

#include <algorithm>
#include <cmath>

#include "joints/types/types.h"

namespace grashof {
namespace {

constexpr double kParallel = 1e-6;
constexpr double kChangePoint = 1e-6;

/// The kind, of lengths with the frame first.
std::string kindOf(const std::array<double, 4>& l, double grashof) {
  const auto shortest = std::min_element(l.begin(), l.end()) - l.begin();
  if (std::abs(grashof - 1.0) <= kChangePoint) return "change point";
  if (grashof > 1.0) return "triple rocker";
  if (shortest == 0) return "double crank";
  return shortest == 2 ? "double rocker" : "crank-rocker";
}

}  // namespace

std::vector<FourBar> findFourBars(const Model& model, const std::vector<Pose>& poses) {
  struct Pin {
    int joint;
    Vec3 axis, point;
  };
  const int world = static_cast<int>(model.bodies.size());
  std::vector<std::vector<Pin>> at(model.bodies.size() + 1);
  std::vector<Vec3> axes(model.joints.size()), points(model.joints.size());
  const auto node = [&](int body) { return static_cast<std::size_t>(body < 0 ? world : body); };
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    if (joint.type != &revoluteJoint()) continue;
    const Pose base = joint.base < 0 ? Pose{} : poses[static_cast<std::size_t>(joint.base)];
    const JointFrames frames = jointFrames(joint, base, poses[static_cast<std::size_t>(joint.follower)]);
    const Pin pin{static_cast<int>(j), frames.baseAxes.col(0), frames.basePoint};
    at[node(joint.base)].push_back(pin);
    at[node(joint.follower)].push_back(pin);
  }
  const auto otherSide = [&](int joint, std::size_t from) {
    const Joint& j = model.joints[static_cast<std::size_t>(joint)];
    return node(j.base) == from ? node(j.follower) : node(j.base);
  };
  std::vector<FourBar> found;
  std::vector<std::array<int, 4>> known;
  // From the world first, so that it is the frame of the loops it is part of.
  std::vector<std::size_t> starts = {static_cast<std::size_t>(world)};
  for (std::size_t b = 0; b < model.bodies.size(); ++b) starts.push_back(b);
  for (const std::size_t b0 : starts)
    for (const Pin& p0 : at[b0])
      for (const std::size_t b1 = otherSide(p0.joint, b0); const Pin& p1 : at[b1]) {
        if (p1.joint == p0.joint || p1.axis.cross(p0.axis).norm() > kParallel) continue;
        const std::size_t b2 = otherSide(p1.joint, b1);
        if (b2 == b0) continue;
        for (const Pin& p2 : at[b2]) {
          if (p2.joint == p1.joint || p2.axis.cross(p0.axis).norm() > kParallel) continue;
          const std::size_t b3 = otherSide(p2.joint, b2);
          if (b3 == b0 || b3 == b1) continue;
          for (const Pin& p3 : at[b3]) {
            if (p3.joint == p2.joint || otherSide(p3.joint, b3) != b0 ||
                p3.axis.cross(p0.axis).norm() > kParallel)
              continue;
            std::array<int, 4> key = {p0.joint, p1.joint, p2.joint, p3.joint};
            std::sort(key.begin(), key.end());
            if (std::find(known.begin(), known.end(), key) != known.end()) continue;
            known.push_back(key);
            const auto between = [&](const Pin& a, const Pin& b) {
              const Vec3 d = b.point - a.point;
              return (d - d.dot(p0.axis) * p0.axis).norm();
            };
            FourBar f;
            f.joints = {p0.joint, p1.joint, p2.joint, p3.joint};
            const auto body = [&](std::size_t b) {
              return static_cast<int>(b) == world ? -1 : static_cast<int>(b);
            };
            f.bodies = {body(b1), body(b2), body(b3), body(b0)};
            f.lengths = {between(p0, p1), between(p1, p2), between(p2, p3), between(p3, p0)};
            std::array<double, 4> sorted = f.lengths;
            std::sort(sorted.begin(), sorted.end());
            if (!(sorted[0] > 0.0)) continue;
            f.grashof = (sorted[0] + sorted[3]) / (sorted[1] + sorted[2]);
            f.kind = kindOf({f.lengths[3], f.lengths[0], f.lengths[1], f.lengths[2]}, f.grashof);
            found.push_back(f);
          }
        }
      }
  return found;
}

}  // namespace grashof
