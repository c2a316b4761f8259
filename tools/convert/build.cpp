#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/analysis/assembly.h"
#include "engine/base/error.h"
#include "joints/types/types.h"
#include "tools/convert/joint_runs.h"
#include "tools/convert/tree.h"

namespace grashof::convert {
namespace {

constexpr double kMassless = 1e-6;       // kg: lighter links without inertia only carry joints
constexpr double kMasslessShare = 1e-4;  // ... of the heaviest link
constexpr double kTogether = 1e-6;       // m: places nearer than this coincide

const JointType& typeOf(LinkJointKind kind) {
  switch (kind) {
    case LinkJointKind::Fixed:
      return fixedJoint();
    case LinkJointKind::Revolute:
      return revoluteJoint();
    case LinkJointKind::Prismatic:
      return prismaticJoint();
    case LinkJointKind::Spherical:
      return sphericalJoint();
    case LinkJointKind::Universal:
      return universalJoint();
    case LinkJointKind::Planar:
      return planarJoint();
    case LinkJointKind::Free:
      return freeJoint();
  }
  return fixedJoint();
}

/// The motion of a joint's child frame in its parent frame at the given coordinates.
Pose motionOf(LinkJointKind kind, const std::vector<double>& q) {
  Pose pose;
  if (q.empty()) return pose;
  switch (kind) {
    case LinkJointKind::Fixed:
      break;
    case LinkJointKind::Revolute:
      pose.rotation = expRotation(q[0] * Vec3::UnitX());
      break;
    case LinkJointKind::Prismatic:
      pose.position = q[0] * Vec3::UnitX();
      break;
    case LinkJointKind::Spherical:
      pose.rotation = expRotation(Vec3(q[0], q[1], q[2]));
      break;
    case LinkJointKind::Universal:
      pose.rotation = expRotation(q[0] * Vec3::UnitX()) * expRotation(q[1] * Vec3::UnitY());
      break;
    case LinkJointKind::Planar:
      pose = {Vec3(q[0], q[1], 0.0), expRotation(q[2] * Vec3::UnitZ())};
      break;
    case LinkJointKind::Free:
      pose = {Vec3(q[0], q[1], q[2]), expRotation(Vec3(q[3], q[4], q[5]))};
      break;
  }
  return pose;
}

class Builder {
 public:
  Builder(const Tree& tree, const BuildOptions& options, Report& report)
      : tree_(tree), options_(options), report_(report) {}

  Scenario build() {
    placeLinks();
    groupLinks();
    makeEdges();
    joinRuns();
    dropOrWeigh();
    makeModel();
    assemble();
    scenario_.model = std::make_shared<const Model>(std::move(model_));
    return std::move(scenario_);
  }

 private:
  [[noreturn]] void fail(int line, const std::string& element, const std::string& message) const {
    throw InputError(std::vector<Diagnostic>{{tree_.file, line, element, message}});
  }

  /// Poses of all links at coordinate zero and at the start.
  void placeLinks() {
    const std::size_t n = tree_.links.size();
    zero_.assign(n, Pose{});
    start_.assign(n, Pose{});
    rooted_.assign(n, true);
    gone_.assign(n, false);
    for (const LinkJoint& j : tree_.joints) {
      rooted_[static_cast<std::size_t>(j.child)] = false;
      const Pose parentZero = j.parent < 0 ? Pose{} : zero_[static_cast<std::size_t>(j.parent)];
      const Pose parentStart = j.parent < 0 ? Pose{} : start_[static_cast<std::size_t>(j.parent)];
      zero_[static_cast<std::size_t>(j.child)] = parentZero * (j.parentFrame * j.childFrame.inverse());
      start_[static_cast<std::size_t>(j.child)] =
          parentStart * (j.parentFrame * (motionOf(j.kind, j.initial) * j.childFrame.inverse()));
    }
  }

  // Groups: links that can't move against each other. Group 0 … are named after their first link.
  void groupLinks() {
    const std::size_t n = tree_.links.size();
    group_.resize(n);
    inGroup_.assign(n, Pose{});
    for (std::size_t i = 0; i < n; ++i) group_[i] = static_cast<int>(i);
    for (std::size_t i = 0; i < n; ++i)
      if (rooted_[i] && !options_.floatingBase) {
        group_[i] = kWorldLink;
        Report::once(report_.assumed,
                     fmt::format("link {} has no parent: fixed to the world (--floating-base lets it move)",
                                 tree_.links[i].name));
      }
    for (const LinkJoint& j : tree_.joints) {
      if (j.kind != LinkJointKind::Fixed) continue;
      merge(j.parent, j.child, j.parentFrame * j.childFrame.inverse());
      if (j.parent >= 0)
        report_.merged.push_back(fmt::format("link {} into {} (fixed joint {})",
                                             tree_.links[static_cast<std::size_t>(j.child)].name,
                                             tree_.links[static_cast<std::size_t>(j.parent)].name, j.name));
    }
    for (const Loop& loop : tree_.loops) {
      if (loop.type != &fixedJoint() || loop.softness.soft()) continue;
      const auto group = [&](int link) {
        return link < 0 ? kWorldLink : group_[static_cast<std::size_t>(link)];
      };
      if (group(loop.linkA) == group(loop.linkB)) {
        const Pose a = placed(loop.linkA) * loop.frameA, b = placed(loop.linkB) * loop.frameB;
        if ((a.position - b.position).norm() > kTogether ||
            a.rotation.angularDistance(b.rotation) > kTogether)
          fail(loop.line, "loop " + loop.name,
               "joins two places of one rigid group that do not coincide (remove it, or free a joint between "
               "them)");
        continue;
      }
      merge(loop.linkA, loop.linkB, loop.frameA * loop.frameB.inverse());
      report_.merged.push_back(fmt::format("link {} and {} (loop {} holds all directions)",
                                           linkName(loop.linkA), linkName(loop.linkB), loop.name));
    }
  }

  std::string linkName(int link) const {
    return link < 0 ? "world" : tree_.links[static_cast<std::size_t>(link)].name;
  }
  Pose placed(int link) const { return link < 0 ? Pose{} : inGroup_[static_cast<std::size_t>(link)]; }

  /// Puts the group of link b into the group of link a; `b` lies at `relative` in link a.
  void merge(int a, int b, const Pose& relative) {
    int to = a < 0 ? kWorldLink : group_[static_cast<std::size_t>(a)];
    int from = b < 0 ? kWorldLink : group_[static_cast<std::size_t>(b)];
    Pose shift = placed(a) * (relative * placed(b).inverse());  // group of b in group of a
    if (from == kWorldLink) {
      std::swap(to, from);
      shift = shift.inverse();
    }
    for (std::size_t i = 0; i < group_.size(); ++i)
      if (group_[i] == from) {
        group_[i] = to;
        inGroup_[i] = shift * inGroup_[i];
      }
  }

  void makeEdges() {
    const auto add = [&](GraphJoint e, int a, const Pose& frameA, int b, const Pose& frameB) {
      e.base = a < 0 ? kWorldLink : group_[static_cast<std::size_t>(a)];
      e.follower = b < 0 ? kWorldLink : group_[static_cast<std::size_t>(b)];
      e.baseFrame = placed(a) * frameA;
      e.followerFrame = placed(b) * frameB;
      if (e.base == e.follower) {
        report_.merged.push_back(fmt::format("joint {} (both its sides are one rigid group)", e.name));
        return;
      }
      if (e.follower == kWorldLink) {  // a follower moves
        std::swap(e.base, e.follower);
        std::swap(e.baseFrame, e.followerFrame);
        for (double& s : e.signs) s = -s;
        for (JointCoordinate& axis : e.axes) axis = mirrored(axis);
      }
      edges_.push_back(std::move(e));
    };
    for (const LinkJoint& j : tree_.joints) {
      if (j.kind == LinkJointKind::Fixed) continue;
      if (j.kind == LinkJointKind::Free && j.parent < 0 &&
          std::all_of(j.coordinates.begin(), j.coordinates.end(), plain))
        continue;
      GraphJoint e;
      e.name = j.name;
      e.line = j.line;
      e.type = &typeOf(j.kind);
      e.axes = j.coordinates;
      e.axes.resize(static_cast<std::size_t>(e.type->numDofs()));
      e.motors.assign(e.axes.size(), j.motor);
      for (int c = 0; c < e.type->numDofs(); ++c) {
        e.names.push_back(j.name);
        e.coordinates.push_back(c);
        e.signs.push_back(1.0);
      }
      add(std::move(e), j.parent, j.parentFrame, j.child, j.childFrame);
    }
    for (const Loop& loop : tree_.loops) {
      if (loop.type == &fixedJoint() && !loop.softness.soft()) continue;
      GraphJoint e;
      e.name = loop.name;
      e.line = loop.line;
      e.type = loop.type;
      e.axes.resize(static_cast<std::size_t>(loop.type->numDofs()));
      e.motors.assign(e.axes.size(), false);
      for (int c = 0; c < e.type->numDofs(); ++c) {
        e.names.emplace_back();
        e.coordinates.push_back(c);
        e.signs.push_back(1.0);
      }
      e.softness = loop.softness;
      add(std::move(e), loop.linkA, loop.frameA, loop.linkB, loop.frameB);
    }
  }

  double massOf(int group) const {
    double mass = 0.0;
    for (std::size_t i = 0; i < group_.size(); ++i)
      if (group_[i] == group) mass += tree_.links[i].mass;
    return mass;
  }
  bool massless(int group) const {
    if (group < 0) return false;
    double most = 0.0;
    for (const Link& link : tree_.links) most = std::max(most, link.mass);
    const double mass = massOf(group);
    return mass <= kMassless && mass <= kMasslessShare * most;
  }
  std::vector<int> edgesAt(int group) const {
    std::vector<int> all;
    for (std::size_t e = 0; e < edges_.size(); ++e)
      if (edges_[e].alive && (edges_[e].base == group || edges_[e].follower == group))
        all.push_back(static_cast<int>(e));
    return all;
  }
  static bool simple(const GraphJoint& e) {
    return (e.type == &revoluteJoint() || e.type == &prismaticJoint()) && !e.softness.soft();
  }

  /// Where a group stands at coordinate zero: its leader's pose.
  Pose zeroOf(int group) const { return group < 0 ? Pose{} : leaderPose(group, zero_); }
  Pose startOf(int group) const { return group < 0 ? Pose{} : leaderPose(group, start_); }
  Pose leaderPose(int group, const std::vector<Pose>& poses) const {
    for (std::size_t i = 0; i < group_.size(); ++i)
      if (group_[i] == group) return poses[i] * inGroup_[i].inverse();
    return {};
  }

  /// Makes one joint of runs of revolute and prismatic joints through massless groups.
  void joinRuns() {
    std::vector<bool> seen(tree_.links.size(), false);
    for (std::size_t g = 0; g < tree_.links.size(); ++g) {
      const int group = static_cast<int>(g);
      if (seen[g] || group_[g] != group || !carrier(group)) continue;
      // To the end of the run, then back along it.
      int end = group, last = edgesAt(group)[0];
      while (carrier(end)) {
        seen[static_cast<std::size_t>(end)] = true;
        const auto around = edgesAt(end);
        last = around[0] == last ? around[1] : around[0];
        end = other(last, end);
        if (end == group) break;
      }
      if (carrier(end)) continue;  // a ring without mass
      std::vector<int> run;
      int at = end, edge = last;
      const int first = end;
      do {
        run.push_back(edge);
        at = other(edge, at);
        seen[static_cast<std::size_t>(std::max(at, 0))] =
            seen[static_cast<std::size_t>(std::max(at, 0))] || carrier(at);
        if (!carrier(at)) break;
        const auto around = edgesAt(at);
        edge = around[0] == edge ? around[1] : around[0];
      } while (true);
      // Along the tree rather than against it.
      if (edges_[static_cast<std::size_t>(run.front())].base == first || at == kWorldLink)
        replace(run, first, at);
      else
        replace({run.rbegin(), run.rend()}, at, first);
    }
  }
  /// Without mass, between two simple joints.
  bool carrier(int group) const {
    if (!massless(group)) return false;
    const auto around = edgesAt(group);
    return around.size() == 2 && simple(edges_[static_cast<std::size_t>(around[0])]) &&
           simple(edges_[static_cast<std::size_t>(around[1])]);
  }
  int other(int edge, int group) const {
    const GraphJoint& e = edges_[static_cast<std::size_t>(edge)];
    return e.base == group ? e.follower : e.base;
  }

  void replace(std::vector<int> run, int from, int to) {
    if (from == to) return;
    if (to == kWorldLink) {
      std::reverse(run.begin(), run.end());
      std::swap(from, to);
    }
    std::vector<RunStep> steps;
    int at = from;
    std::string names;
    for (const int index : run) {
      const GraphJoint& e = edges_[static_cast<std::size_t>(index)];
      const bool forward = e.base == at;
      const Pose frame = zeroOf(e.base) * e.baseFrame;
      RunStep s;
      s.sign = forward ? 1.0 : -1.0;
      s.axis = s.sign * (frame.rotation * Vec3::UnitX());
      s.point = frame.position;
      s.turns = e.type == &revoluteJoint();
      s.own = e.axes[0];
      s.motor = e.motors[0];
      s.name = e.name;
      steps.push_back(s);
      at = other(index, at);
      names += (names.empty() ? "" : ", ") + e.name;
    }
    const auto merged = oneJoint(steps);
    if (!merged) return;
    at = from;
    for (const int index : run)
      if ((at = other(index, at)) != to) gone_[static_cast<std::size_t>(at)] = true;
    GraphJoint e = *merged;
    for (const int index : run) edges_[static_cast<std::size_t>(index)].alive = false;
    e.base = from;
    e.follower = to;
    const Pose frame = e.baseFrame;  // in the world
    e.baseFrame = zeroOf(from).inverse() * frame;
    e.followerFrame = zeroOf(to).inverse() * frame;
    e.name = commonName(steps);
    report_.merged.push_back(fmt::format("joints {} through links without mass into {} joint {}", names,
                                         std::string(e.type->name()), e.name));
    edges_.push_back(std::move(e));
  }

  /// Massless groups that are left: ends go, others get a little mass.
  void dropOrWeigh() {
    std::vector<double> masses;
    for (const Link& link : tree_.links)
      if (link.mass > kMassless) masses.push_back(link.mass);
    std::sort(masses.begin(), masses.end());
    extra_.assign(tree_.links.size(), 0.0);
    bool again = true;
    while (again) {
      again = false;
      for (std::size_t g = 0; g < tree_.links.size(); ++g) {
        const int group = static_cast<int>(g);
        if (group_[g] != group || gone_[g] || !massless(group)) continue;
        const auto around = edgesAt(group);
        if (around.size() > 1) continue;
        for (const int e : around) edges_[static_cast<std::size_t>(e)].alive = false;
        gone_[g] = true;
        again = true;
        report_.leftOut.push_back(fmt::format(
            "link {} (no mass, and nothing hangs on it){}", tree_.links[g].name,
            around.empty() ? "" : " with its joint " + edges_[static_cast<std::size_t>(around[0])].name));
      }
    }
    for (std::size_t g = 0; g < tree_.links.size(); ++g) {
      const int group = static_cast<int>(g);
      if (group_[g] != group || gone_[g] || !massless(group)) continue;
      if (masses.empty())
        fail(tree_.links[g].line, "link " + tree_.links[g].name,
             "has no mass, nor has any other link (give them masses)");
      extra_[g] = std::max(1e-4 * masses[masses.size() / 2] - massOf(group), 0.0);
      report_.approximated.push_back(
          fmt::format("link {} has no mass and its joints make no single joint: given {:.3g} kg",
                      tree_.links[g].name, massOf(group) + extra_[g]));
    }
  }

  static Mat3 steiner(double mass, const Vec3& arm) {
    return mass * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
  }

  void makeModel() {
    scenario_.name = tree_.name;
    Model& model = model_;
    model.name = tree_.name;
    model.gravity = tree_.gravity;
    model.materials = tree_.materials;
    if (model.materials.empty()) model.materials.push_back({"default", 1000.0, {}});
    model.surfacePairs = tree_.surfaces;
    model.signals = tree_.signals;
    if (tree_.timestep) model.step.timestep = *tree_.timestep;
    bodyOf_.assign(tree_.links.size(), kWorld);
    for (std::size_t g = 0; g < tree_.links.size(); ++g)
      if (group_[g] == static_cast<int>(g) && !gone_[g]) makeBody(static_cast<int>(g));
    if (model.bodies.empty())
      fail(0, tree_.name, "no body that moves is left (give links a mass and joints)");
    for (Shape shape : tree_.worldShapes) model.shapes.push_back(std::move(shape));
    for (std::size_t i = 0; i < tree_.links.size(); ++i)
      if (group_[i] == kWorldLink)
        for (Shape shape : tree_.links[i].shapes) {
          shape.pose = inGroup_[i] * shape.pose;
          shape.body = kWorld;
          model.shapes.push_back(std::move(shape));
        }
    for (const GraphJoint& e : edges_) {
      if (!e.alive) continue;
      Joint joint;
      joint.name = e.name;
      joint.type = e.type;
      joint.base = e.base < 0 ? kWorld : bodyOf_[static_cast<std::size_t>(e.base)];
      joint.follower = bodyOf_[static_cast<std::size_t>(e.follower)];
      const auto inBody = [&](int body, const Pose& frame) {
        return body < 0 ? frame : model.bodies[static_cast<std::size_t>(body)].userFrame * frame;
      };
      joint.baseFrame = inBody(joint.base, e.baseFrame);
      joint.followerFrame = inBody(joint.follower, e.followerFrame);
      joint.coordinates = e.axes;
      joint.softness = e.softness;
      model.joints.push_back(std::move(joint));
    }
    for (const Mimic& mimic : tree_.mimics) makeCoupling(mimic);
    for (const auto& [a, b] : tree_.excluded) {
      const int i = a < 0 ? kWorld : bodyOf_[static_cast<std::size_t>(leader(a))];
      const int k = b < 0 ? kWorld : bodyOf_[static_cast<std::size_t>(leader(b))];
      if (i != k) model.excludedBodies.emplace_back(std::minmax(i, k));
    }
    model.finish(tree_.parentsCollide);
  }

  int leader(int link) const { return std::max(group_[static_cast<std::size_t>(link)], 0); }

  void makeBody(int group) {
    Model& model = model_;
    const std::size_t g = static_cast<std::size_t>(group);
    Body body;
    body.name = tree_.links[g].name;
    body.mass = massOf(group) + extra_[g];
    Vec3 moment = Vec3::Zero();
    for (std::size_t i = 0; i < group_.size(); ++i)
      if (group_[i] == group) moment += tree_.links[i].mass * (inGroup_[i] * tree_.links[i].center);
    const Vec3 center = body.mass > 0.0 ? Vec3(moment / body.mass) : Vec3::Zero();
    body.inertia.setZero();
    double size = 0.0;
    for (std::size_t i = 0; i < group_.size(); ++i) {
      if (group_[i] != group) continue;
      const Mat3 r = inGroup_[i].rotation.toRotationMatrix();
      body.inertia += r * tree_.links[i].inertia * r.transpose() +
                      steiner(tree_.links[i].mass, inGroup_[i] * tree_.links[i].center - center);
    }
    if (extra_[g] > 0.0) {
      for (const int e : edgesAt(group)) {
        const GraphJoint& edge = edges_[static_cast<std::size_t>(e)];
        size = std::max(size, (edge.base == group ? edge.baseFrame : edge.followerFrame).position.norm());
      }
      body.inertia += body.mass * std::pow(std::max(size, 0.02), 2) * Mat3::Identity();
    }
    body.inertia = Mat3(0.5 * (body.inertia + body.inertia.transpose()));
    const Eigen::SelfAdjointEigenSolver<Mat3> eigen(body.inertia);
    const Vec3& principal = eigen.eigenvalues();
    if (!(body.mass > 0.0) || !(principal[0] > 0.0))
      fail(tree_.links[g].line, "link " + body.name,
           fmt::format("moves, but has mass {:.3g} kg and principal moments of inertia {:.3g} {:.3g} {:.3g} "
                       "kg m^2 (all "
                       "must be > 0: give it an <inertial>)",
                       body.mass, principal[0], principal[1], principal[2]));
    if (principal[0] + principal[1] < principal[2] * (1.0 - 1e-6))
      fail(tree_.links[g].line, "link " + body.name,
           fmt::format(
               "the inertia violates the triangle inequality: {:.6g} + {:.6g} < {:.6g} kg m^2, which no "
               "distribution of mass has (check ixx … izz)",
               principal[0], principal[1], principal[2]));
    body.userFrame.position = -center;
    body.initialPose = startOf(group) * Pose{center, Quat::Identity()};
    const int index = static_cast<int>(model.bodies.size());
    bodyOf_[g] = index;
    for (std::size_t i = 0; i < group_.size(); ++i)
      if (group_[i] == group) {
        for (Shape shape : tree_.links[i].shapes) {
          shape.pose = inGroup_[i] * shape.pose;
          shape.pose.position -= center;
          shape.body = index;
          model.shapes.push_back(std::move(shape));
        }
      }
    model.bodies.push_back(std::move(body));
  }

  /// Joint and coordinate that a joint of the tree became; joint -1: it is gone.
  struct Place {
    int joint = -1, axis = 0;
    double sign = 1.0;
  };
  Place placeOf(const std::string& name) const {
    int index = 0;
    for (const GraphJoint& e : edges_) {
      if (!e.alive) continue;
      for (std::size_t c = 0; c < e.names.size(); ++c)
        if (e.names[c] == name) return {index, e.coordinates[c], e.signs[c]};
      ++index;
    }
    return {};
  }

  void makeCoupling(const Mimic& mimic) {
    const Place a = placeOf(tree_.joints[static_cast<std::size_t>(mimic.jointA)].name);
    const Place b = placeOf(tree_.joints[static_cast<std::size_t>(mimic.jointB)].name);
    if (a.joint < 0 || b.joint < 0) {
      report_.leftOut.push_back(fmt::format("mimic {} (a joint of it is gone)", mimic.name));
      return;
    }
    Coupling c;
    c.name = mimic.name;
    c.jointA = a.joint;
    c.coordinateA = a.axis;
    c.jointB = b.joint;
    c.coordinateB = b.axis;
    c.ratio = mimic.ratio * a.sign * b.sign;
    c.offset = mimic.offset * a.sign;
    model_.couplings.push_back(c);
  }

  void assemble() {
    Model& model = model_;
    State state = model.initialState();
    Model free = model;  // motors follow where the loops take them
    for (Joint& joint : free.joints)
      for (JointCoordinate& axis : joint.coordinates)
        if (axis.actuator.kind == Actuator::Kind::Motion) axis.actuator = {};
    const AssemblyResult result = assembleMechanism(free, state);
    report_.residual = result.violation;
    report_.assemblyIterations = result.iterations;
    if (!result.assembled) fail(0, tree_.name, "the loops do not close: " + assemblyFailure(free, result));
    for (std::size_t b = 0; b < model.bodies.size(); ++b) model.bodies[b].initialPose = state.poses[b];
    // Motors: a motion each, about the pose found.
    int index = 0;
    for (const GraphJoint& e : edges_) {
      if (!e.alive) continue;
      Joint& joint = model.joints[static_cast<std::size_t>(index)];
      for (std::size_t c = 0; c < e.motors.size(); ++c) {
        if (!e.motors[c] || joint.coordinates[c].actuator.kind != Actuator::Kind::None) continue;
        Signal s;
        s.name = e.names[c].empty() ? e.name : e.names[c];
        s.offset = state.coordinates[static_cast<std::size_t>(
                                         model.coordinateStart[static_cast<std::size_t>(index)]) +
                                     c];
        if (options_.amplitude != 0.0) {
          s.kind = Signal::Kind::Sine;
          s.amplitude = options_.amplitude;
          s.frequency_Hz = options_.frequency;
          s.ramp = 1.0;
        }
        joint.coordinates[c].actuator.kind = Actuator::Kind::Motion;
        joint.coordinates[c].actuator.signal = static_cast<int>(model.signals.size());
        model.signals.push_back(std::move(s));
      }
      ++index;
    }
  }

  const Tree& tree_;
  const BuildOptions& options_;
  Report& report_;
  Scenario scenario_;
  Model model_;
  std::vector<Pose> zero_, start_, inGroup_;
  std::vector<bool> rooted_, gone_;
  std::vector<int> group_, bodyOf_;
  std::vector<double> extra_;
  std::vector<GraphJoint> edges_;
};

}  // namespace

void Report::once(std::vector<std::string>& lines, const std::string& line) {
  if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
}

int Tree::findLink(const std::string& wanted) const {
  const auto at = std::find_if(links.begin(), links.end(), [&](const Link& l) { return l.name == wanted; });
  return at == links.end() ? -2 : static_cast<int>(at - links.begin());
}

int Tree::findJoint(const std::string& wanted) const {
  const auto at =
      std::find_if(joints.begin(), joints.end(), [&](const LinkJoint& j) { return j.name == wanted; });
  return at == joints.end() ? -2 : static_cast<int>(at - joints.begin());
}

Scenario buildScenario(const Tree& tree, const BuildOptions& options, Report& report) {
  return Builder(tree, options, report).build();
}

}  // namespace grashof::convert
