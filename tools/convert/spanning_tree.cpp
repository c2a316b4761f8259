#include "tools/convert/spanning_tree.h"

#include <algorithm>
#include <numeric>

#include "joints/types/types.h"

namespace grashof::convert {
namespace {

/// The lower, the sooner into the tree.
int rankOf(const Model& model, int index) {
  const Joint& joint = model.joints[static_cast<std::size_t>(index)];
  const JointType* t = joint.type;
  if (t == &distanceJoint()) return 4;
  const bool carries =
      std::any_of(joint.coordinates.begin(), joint.coordinates.end(), [](const JointCoordinate& a) {
        return a.limit.bounded() || a.passive.smooth() || a.passive.dryFriction > 0.0 ||
               a.actuator.kind != Actuator::Kind::None;
      });
  const bool coupled = std::any_of(model.couplings.begin(), model.couplings.end(),
                                   [&](const Coupling& c) { return c.on(index); });
  if (carries || coupled) return 0;
  if (t == &fixedJoint() || t == &sphericalJoint()) return 3;
  return t == &revoluteJoint() ? 2 : 1;
}

}  // namespace

int SpanningTree::parent(const Model& model, int body) const {
  const int joint = parentJoint[static_cast<std::size_t>(body)];
  if (joint < 0) return kWorld;
  const Joint& j = model.joints[static_cast<std::size_t>(joint)];
  return j.base == body ? j.follower : j.base;
}

SpanningTree spanningTree(const Model& model, const std::vector<bool>& beside) {
  const int n = static_cast<int>(model.bodies.size());
  SpanningTree tree;
  tree.parentJoint.assign(model.bodies.size(), -1);
  tree.inTree.assign(model.joints.size(), false);
  std::vector<int> order(model.joints.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return rankOf(model, a) < rankOf(model, b); });
  // Kruskal; the world is node n.
  std::vector<int> set(static_cast<std::size_t>(n) + 1);
  std::iota(set.begin(), set.end(), 0);
  const auto find = [&](int i) {
    while (set[static_cast<std::size_t>(i)] != i) i = set[static_cast<std::size_t>(i)];
    return i;
  };
  const auto node = [&](int body) { return body < 0 ? n : body; };
  for (const int j : order) {
    const Joint& joint = model.joints[static_cast<std::size_t>(j)];
    if (joint.type == &distanceJoint() || joint.type == &freeJoint()) continue;
    if (!beside.empty() && beside[static_cast<std::size_t>(j)]) continue;
    const int a = find(node(joint.base)), b = find(node(joint.follower));
    if (a == b) continue;
    set[static_cast<std::size_t>(a)] = b;
    tree.inTree[static_cast<std::size_t>(j)] = true;
  }
  // From the world, then from the first body of each part that does not reach it.
  std::vector<bool> seen(static_cast<std::size_t>(n) + 1, false);
  const auto grow = [&](int root) {
    std::vector<int> queue = {root};
    seen[static_cast<std::size_t>(root)] = true;
    for (std::size_t head = 0; head < queue.size(); ++head) {
      if (queue[head] != n) tree.order.push_back(queue[head]);
      for (std::size_t j = 0; j < model.joints.size(); ++j) {
        if (!tree.inTree[j]) continue;
        const int a = node(model.joints[j].base), b = node(model.joints[j].follower);
        const int next = a == queue[head] ? b : b == queue[head] ? a : -1;
        if (next < 0 || seen[static_cast<std::size_t>(next)]) continue;
        seen[static_cast<std::size_t>(next)] = true;
        tree.parentJoint[static_cast<std::size_t>(next)] = static_cast<int>(j);
        queue.push_back(next);
      }
    }
  };
  grow(n);
  for (int b = 0; b < n; ++b)
    if (!seen[static_cast<std::size_t>(b)]) grow(b);
  return tree;
}

bool simpleCoordinate(const JointType& type, int coordinate) {
  const std::vector<SimpleJoint> all = simpleJoints(type);
  return std::any_of(all.begin(), all.end(), [&](const SimpleJoint& s) {
    return s.coordinate == coordinate && s.kind != SimpleJoint::Kind::Ball;
  });
}

std::vector<std::string> lostFriction(const Model& model) {
  std::vector<std::string> lost;
  const auto note = [&](bool any, const char* what) {
    if (any) lost.emplace_back(what);
  };
  const auto anyJoint = [&](auto has) { return std::any_of(model.joints.begin(), model.joints.end(), has); };
  const auto anyCoordinate = [&](auto has) {
    return anyJoint([&](const Joint& joint) {
      return std::any_of(joint.coordinates.begin(), joint.coordinates.end(), has);
    });
  };
  note(anyCoordinate([](const JointCoordinate& c) { return c.passive.bearing.coefficient > 0.0; }),
       "friction of bearings that depends on their load");
  note(anyCoordinate(
           [](const JointCoordinate& c) { return c.passive.frictional() && c.passive.staticRatio > 1.0; }),
       "static friction of joints");
  note(anyCoordinate([&](const JointCoordinate& c) { return model.lossy(c.actuator); }),
       "losses of the gears of motors");
  note(anyJoint([](const Joint& joint) { return joint.clearance.any(); }), "clearances of joints");
  note(std::any_of(model.couplings.begin(), model.couplings.end(),
                   [](const Coupling& c) { return c.friction.any(); }),
       "losses of couplings");
  note(!model.velocityConstraints.empty(), "constraints on velocities");
  note(std::any_of(
           model.shapes.begin(), model.shapes.end(),
           [](const Shape& s) { return !s.frictionDirection.isZero(0.0) || !s.surfaceVelocity.isZero(0.0); }),
       "friction that depends on the direction, and belts");
  return lost;
}

std::vector<SimpleJoint> simpleJoints(const JointType& type) {
  using Kind = SimpleJoint::Kind;
  std::vector<SimpleJoint> all;
  if (&type == &freeJoint() || &type == &distanceJoint()) return all;
  const auto free = type.freeDirections();
  for (std::size_t c = 0; c < free.size(); ++c) {
    const bool ball = isRotation(free[c]) && (&type == &sphericalJoint() || &type == &pointOnLineJoint() ||
                                              &type == &pointOnPlaneJoint());
    all.push_back({ball                  ? Kind::Ball
                   : isRotation(free[c]) ? Kind::Turn
                                         : Kind::Slide,
                   static_cast<int>(c), Vec3::Unit(axisOf(free[c]))});
    if (ball) break;
  }
  return all;
}

}  // namespace grashof::convert
