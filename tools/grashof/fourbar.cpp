#include "tools/grashof/fourbar.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/analysis/fourbar_path.h"
#include "joints/types/types.h"

namespace grashof {
namespace {

constexpr double kParallel = 1e-6;

/// A revolute joint in the world frame.
struct Pin {
  int joint;
  Vec3 axis, point;
};

/// The four-bar with these pins, each with the body that leads to the next one; lengths are measured across
/// the axes. Nothing when a bar has no length.
std::optional<FourBar> fourBarOf(const std::array<Pin, 4>& p, const std::array<int, 4>& bodies) {
  FourBar f;
  for (std::size_t i = 0; i < 4; ++i) {
    f.joints[i] = p[i].joint;
    const Vec3 d = p[(i + 1) % 4].point - p[i].point;
    f.lengths[i] = (d - d.dot(p[0].axis) * p[0].axis).norm();
  }
  f.bodies = bodies;
  std::array<double, 4> sorted = f.lengths;
  std::sort(sorted.begin(), sorted.end());
  if (!(sorted[0] > 0.0)) return std::nullopt;
  f.grashof = (sorted[0] + sorted[3]) / (sorted[1] + sorted[2]);
  f.kind = fourBarKind({f.lengths[3], f.lengths[0], f.lengths[1], f.lengths[2]});
  return f;
}

/// The bodies, of which the last is the world, as a graph whose edges are parallel pins.
class PinGraph {
 public:
  PinGraph(const Model& model, const std::vector<Pose>& poses)
      : model_(model), world_(model.bodies.size()), at_(model.bodies.size() + 1) {
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
      const Joint& joint = model.joints[j];
      if (joint.type != &revoluteJoint()) continue;
      const Pose base = joint.base < 0 ? Pose{} : poses[static_cast<std::size_t>(joint.base)];
      const JointFrames frames = jointFrames(joint, base, poses[static_cast<std::size_t>(joint.follower)]);
      const Pin pin{static_cast<int>(j), frames.baseAxes.col(0), frames.basePoint};
      at_[node(joint.base)].push_back(pin);
      at_[node(joint.follower)].push_back(pin);
    }
  }

  /// Adds the loops of four bodies through `b0` that are not known yet.
  void findFrom(std::size_t b0, std::vector<FourBar>& found) {
    for (const Pin& p0 : at_[b0])
      for (const std::size_t b1 = otherSide(p0, b0); const Pin& p1 : at_[b1]) {
        const std::size_t b2 = otherSide(p1, b1);
        if (p1.joint == p0.joint || !parallel(p1, p0) || b2 == b0) continue;
        for (const Pin& p2 : at_[b2]) {
          const std::size_t b3 = otherSide(p2, b2);
          if (p2.joint == p1.joint || !parallel(p2, p0) || b3 == b0 || b3 == b1) continue;
          for (const Pin& p3 : at_[b3]) {
            if (p3.joint == p2.joint || otherSide(p3, b3) != b0 || !parallel(p3, p0)) continue;
            if (!isNew({p0.joint, p1.joint, p2.joint, p3.joint})) continue;
            const auto f = fourBarOf({p0, p1, p2, p3}, {body(b1), body(b2), body(b3), body(b0)});
            if (f) found.push_back(*f);
          }
        }
      }
  }

 private:
  std::size_t node(int body) const { return body < 0 ? world_ : static_cast<std::size_t>(body); }
  int body(std::size_t node) const { return node == world_ ? -1 : static_cast<int>(node); }
  std::size_t otherSide(const Pin& pin, std::size_t from) const {
    const Joint& j = model_.joints[static_cast<std::size_t>(pin.joint)];
    return node(j.base) == from ? node(j.follower) : node(j.base);
  }
  static bool parallel(const Pin& a, const Pin& b) { return a.axis.cross(b.axis).norm() <= kParallel; }
  /// Whether no loop of these joints, in any order, was asked for before.
  bool isNew(std::array<int, 4> joints) {
    std::sort(joints.begin(), joints.end());
    if (std::find(known_.begin(), known_.end(), joints) != known_.end()) return false;
    known_.push_back(joints);
    return true;
  }

  const Model& model_;
  std::size_t world_;
  std::vector<std::vector<Pin>> at_;  // of each body
  std::vector<std::array<int, 4>> known_;
};

}  // namespace

std::vector<FourBar> findFourBars(const Model& model, const std::vector<Pose>& poses) {
  std::vector<FourBar> found;
  PinGraph graph(model, poses);
  // From the world first, so that it is the frame of the loops it is part of.
  graph.findFrom(model.bodies.size(), found);
  for (std::size_t b = 0; b < model.bodies.size(); ++b) graph.findFrom(b, found);
  return found;
}

}  // namespace grashof
