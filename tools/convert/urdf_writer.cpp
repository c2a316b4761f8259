#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "engine/base/listed.h"
#include "engine/base/output_file.h"
#include "engine/model/mechanism_size.h"
#include "engine/scenario/xml_writer.h"
#include "joints/types/types.h"
#include "tools/convert/formats.h"
#include "tools/convert/meshes.h"
#include "tools/convert/soft_coupling.h"
#include "tools/convert/spanning_tree.h"
#include "tools/convert/tidy.h"

namespace grashof::convert {
namespace {

constexpr double kFastest = 1e3;  // URDF wants a velocity limit with every limit

Vec3 rollPitchYaw(const Quat& q) {
  const Mat3 r = q.toRotationMatrix();
  const double pitch = std::atan2(-r(2, 0), std::hypot(r(0, 0), r(1, 0)));
  if (std::hypot(r(0, 0), r(1, 0)) < 1e-9)  // roll and yaw turn about the same axis
    return {std::atan2(-r(1, 2), r(1, 1)), pitch, 0.0};
  return {std::atan2(r(2, 1), r(2, 2)), pitch, std::atan2(r(1, 0), r(0, 0))};
}

class UrdfWriter {
 public:
  UrdfWriter(const Scenario& scenario, const std::string& path, Report& report)
      : scenario_(scenario),
        model_(*scenario.model),
        path_(path),
        report_(report),
        tree_(spanningTree(model_)),
        size_(mechanismSize(model_)) {
    nameItems();
  }

  void write() {
    out_.open("robot").attribute("name", scenario_.name);
    frames();
    assignMimics();
    int floating = 0;
    std::vector<std::string> free;
    bool anchored = false;
    for (const int body : tree_.order) {
      if (tree_.parentJoint[static_cast<std::size_t>(body)] < 0)
        ++floating, free.push_back(model_.bodies[static_cast<std::size_t>(body)].name);
      else if (tree_.parent(model_, body) < 0)
        anchored = true;
    }
    const bool world = anchored || floating > 0;
    if (world) writeLink("world", {}, nullptr, kWorld);
    for (const int body : tree_.order) {
      writeLink(model_.bodies[static_cast<std::size_t>(body)].name,
                linkFrame_[static_cast<std::size_t>(body)], &model_.bodies[static_cast<std::size_t>(body)],
                body);
      const int joint = tree_.parentJoint[static_cast<std::size_t>(body)];
      if (joint >= 0) {
        writeTreeJoint(static_cast<std::size_t>(joint), body);
      } else if (world) {
        out_.open("joint")
            .attribute("name", unique("joint", model_.bodies[static_cast<std::size_t>(body)].name + "_free"))
            .attribute("type", "floating");
        origin(userFrameOf(model_, body));
        ends("world", model_.bodies[static_cast<std::size_t>(body)].name);
        out_.close();
      }
    }
    for (std::size_t j = 0; j < model_.joints.size(); ++j)
      if (!tree_.inTree[j] && model_.joints[j].type != &freeJoint()) writeLoop(j);
    out_.close();
    if (floating > 0)
      report_.assumed.push_back(
          fmt::format("{} move freely: each has a floating joint to the link world", listed(free)));
    reportLost();
    out_.save(path_);
    writeYaml();
  }

 private:
  std::string unique(const char* kind, const std::string& wanted) {
    std::set<std::string>& used = used_[kind];
    std::string name = wanted;
    for (int n = 2; !used.insert(name).second; ++n) name = fmt::format("{}_{}", wanted, n);
    return name;
  }

  /// Names of one kind differ; those of bodies and of joints of one coordinate stay.
  void nameItems() {
    used_["link"].insert("world");
    for (const Body& body : model_.bodies) used_["link"].insert(body.name);
    for (const Joint& joint : model_.joints)
      if (joint.type->numDofs() < 2) used_["joint"].insert(joint.name);
    for (const Joint& joint : model_.joints) {
      std::vector<std::string> names;
      names.reserve(static_cast<std::size_t>(joint.type->numDofs()));
      for (int c = 0; c < joint.type->numDofs(); ++c)
        names.push_back(joint.type->numDofs() < 2 ? joint.name
                                                  : unique("joint", fmt::format("{}_rev{}", joint.name, c)));
      stepNames_.push_back(std::move(names));
    }
  }

  /// What URDF has no words for.
  void reportLost() {
    std::vector<std::string> wrenches, elements, servos, limits, loose;
    for (const ExternalWrench& w : model_.wrenches)
      wrenches.push_back(w.name.empty() ? "on " + linkName(w.body) : w.name);
    for (const ForceElement& e : model_.forces)
      if (!couplingOf(e)) elements.push_back(e.name);
    for (const Bushing& b : model_.bushings) elements.push_back(b.name);
    for (const Joint& joint : model_.joints)
      for (const JointCoordinate& c : joint.coordinates) {
        if (c.actuator.servo()) servos.push_back(joint.name);
        if (c.limit.bounded() && c.limit.softness.soft()) limits.push_back(joint.name);
        if (joint.type == &freeJoint() &&
            (c.limit.bounded() || c.passive.smooth() || c.actuator.kind != Actuator::Kind::None))
          loose.push_back(joint.name);
      }
    const auto tell = [&](const char* what, const std::vector<std::string>& names) {
      if (!names.empty()) report_.leftOut.push_back(fmt::format("{} {}", what, listed(names)));
    };
    tell("wrenches from outside:", wrenches);
    tell("springs, forces, cables, tendons and bushings:", elements);
    tell("gains of the servos of joints", servos);
    tell("softness of the limits of joints", limits);
    tell("what acts along the coordinates of free joints", loose);
    if (std::any_of(model_.bodies.begin(), model_.bodies.end(),
                    [](const Body& b) { return !b.initialTwist.isZero(0.0); }))
      report_.leftOut.emplace_back("velocities of the start (URDF has none)");
    if (model_.assembly) report_.leftOut.emplace_back("assembly of the start: poses are as described");
    if (!model_.controls.empty())
      report_.leftOut.emplace_back("names and gains of controls: motors have the names of their joints");
    std::vector<std::string> apart;
    for (const ExcludedPair& pair : model_.exclusions)
      if (std::none_of(model_.joints.begin(), model_.joints.end(), [&](const Joint& j) {
            return std::minmax(j.base, j.follower) == std::minmax(pair.a.body, pair.b.body);
          }))
        apart.push_back(linkName(pair.a.body) + " and " + linkName(pair.b.body));
    tell("that these never touch:", apart);
    for (std::string& lost : lostFriction(model_)) report_.leftOut.push_back(std::move(lost));
    report_.leftOut.emplace_back("motions, options, materials (URDF has none)");
  }

  /// The link frame of a body, in its user's frame: that of its parent joint on its side, since URDF axes
  /// pass through the origin of the child.
  void frames() {
    linkFrame_.resize(model_.bodies.size());
    for (const int body : tree_.order) {
      const int joint = tree_.parentJoint[static_cast<std::size_t>(body)];
      if (joint < 0) continue;
      const Joint& j = model_.joints[static_cast<std::size_t>(joint)];
      linkFrame_[static_cast<std::size_t>(body)] =
          frameInUser(model_, body, j.follower == body ? j.followerFrame : j.baseFrame);
    }
  }
  /// A frame given in a body's CoM frame, in its link frame.
  Pose inLink(int body, const Pose& frame) const {
    if (body < 0) return frame;
    return linkFrame_[static_cast<std::size_t>(body)].inverse() * frameInUser(model_, body, frame);
  }
  std::string linkName(int body) const {
    return body < 0 ? "world" : model_.bodies[static_cast<std::size_t>(body)].name;
  }

  void origin(const Pose& pose) {
    out_.open("origin")
        .attribute("xyz", tidy(pose.position, size_))
        .attribute("rpy", tidy(rollPitchYaw(pose.rotation), 1.0))
        .close();
  }
  void ends(const std::string& parent, const std::string& child) {
    out_.open("parent").attribute("link", parent).close();
    out_.open("child").attribute("link", child).close();
  }

  void writeLink(const std::string& name, const Pose& frame, const Body* body, int index) {
    out_.open("link").attribute("name", name);
    if (body) {
      const Pose center = frame.inverse() * body->userFrame.inverse();
      out_.open("inertial");
      origin(center);
      out_.open("mass").attribute("value", tidy(body->mass)).close();
      Mat3 i = body->inertia;
      const double largest = i.cwiseAbs().maxCoeff();
      for (double& x : i.reshaped()) x = tidy(x, largest);
      out_.open("inertia").attribute("ixx", i(0, 0)).attribute("ixy", i(0, 1)).attribute("ixz", i(0, 2));
      out_.attribute("iyy", i(1, 1)).attribute("iyz", i(1, 2)).attribute("izz", i(2, 2)).close();
      out_.close();
    }
    for (const Shape& shape : model_.shapes)
      if (shape.body == index)
        writeShape(shape, body ? frame.inverse() * (body->userFrame.inverse() * shape.pose) : shape.pose);
    out_.close();
  }

  void writeShape(const Shape& shape, const Pose& pose) {
    const ShapeType t = shape.type;
    if (t == ShapeType::Plane || t == ShapeType::Cone || t == ShapeType::Ellipsoid ||
        t == ShapeType::HeightField) {
      report_.leftOut.push_back(fmt::format("shape {} (URDF has no such shape)", shape.name));
      return;
    }
    out_.open(shape.collides ? "collision" : "visual").attribute("name", shape.name);
    origin(pose);
    out_.open("geometry");
    if (t == ShapeType::Box) out_.open("box").attribute("size", shape.size).close();
    if (t == ShapeType::Sphere) out_.open("sphere").attribute("radius", shape.radius).close();
    if (t == ShapeType::Cylinder)
      out_.open("cylinder").attribute("radius", shape.radius).attribute("length", shape.length).close();
    if (t == ShapeType::Capsule) {
      out_.open("capsule").attribute("radius", shape.radius).attribute("length", shape.length).close();
      Report::once(report_.approximated, "capsules, which not every reader of URDF knows");
    }
    if (t == ShapeType::Hull || t == ShapeType::Mesh)
      out_.open("mesh").attribute("filename", meshes_.file(path_, *shape.mesh, shape.name)).close();
    out_.close().close();
  }

  void writeTreeJoint(std::size_t index, int child) {
    const Joint& joint = model_.joints[index];
    const bool against = joint.base == child;
    const int parent = against ? joint.follower : joint.base;
    const Pose frame = inLink(parent, against ? joint.followerFrame : joint.baseFrame);
    writeChain(index, linkName(parent), frame, linkName(child), against);
  }

  /// The simple joints of a joint between two links, with links without mass between them.
  void writeChain(std::size_t index, const std::string& parent, const Pose& frame, const std::string& child,
                  bool against) {
    const Joint& joint = model_.joints[index];
    struct Step {
      bool turns;
      Vec3 axis;
      int coordinate;  // -1: of a ball
      std::string name;
    };
    const std::vector<std::string>& names = stepNames_[index];
    std::vector<Step> steps;
    for (const SimpleJoint& s : simpleJoints(*joint.type)) {
      if (s.kind == SimpleJoint::Kind::Ball)
        for (int a = 0; a < 3; ++a)
          steps.push_back({true, Vec3::Unit(a), -1,
                           names[static_cast<std::size_t>(s.coordinate) + static_cast<std::size_t>(a)]});
      else
        steps.push_back({s.kind == SimpleJoint::Kind::Turn, s.axis, s.coordinate,
                         names[static_cast<std::size_t>(s.coordinate)]});
    }
    if (against) {
      std::reverse(steps.begin(), steps.end());
      for (Step& s : steps) s.axis = -s.axis;
    }
    std::string at = parent;
    for (std::size_t k = 0; k < std::max<std::size_t>(steps.size(), 1); ++k) {
      const bool last = k + 1 >= steps.size();
      std::string next = child;
      if (!last) {
        next = unique("link", fmt::format("{}_int{}", joint.name, k + 1));
        out_.open("link").attribute("name", next).close();
      }
      const bool fixed = steps.empty();
      const bool own = !fixed && steps[k].coordinate >= 0;
      const JointCoordinate axis =
          own ? joint.coordinates[static_cast<std::size_t>(steps[k].coordinate)] : JointCoordinate{};
      const std::string name = fixed ? joint.name : steps[k].name;
      std::string type = "fixed";
      if (!fixed) type = !steps[k].turns ? "prismatic" : axis.limit.bounded() ? "revolute" : "continuous";
      out_.open("joint").attribute("name", name).attribute("type", type);
      origin(k == 0 ? frame : Pose{});
      ends(at, next);
      if (!fixed) {
        out_.open("axis").attribute("xyz", tidy(steps[k].axis, 1.0)).close();
        if (type != "continuous") {
          const bool bounded = axis.limit.bounded();
          out_.open("limit").attribute("lower", bounded ? std::max(axis.limit.lower, -1e6) : -1e6);
          out_.attribute("upper", bounded ? std::min(axis.limit.upper, 1e6) : 1e6);
          out_.attribute("effort", std::min(model_.boundsOf(axis.actuator).limit, 1e6));
          const Motor* motor = model_.motorOf(axis.actuator);
          const double fastest = motor ? motor->speedLimit / motor->gearRatio : kFastest;
          out_.attribute("velocity", std::min(fastest, kFastest)).close();
        }
        if (axis.passive.damping > 0.0 || axis.passive.dryFriction > 0.0)
          out_.open("dynamics")
              .attribute("damping", axis.passive.damping)
              .attribute("friction", axis.passive.dryFriction)
              .close();
        if (axis.passive.stiffness > 0.0 || axis.passive.inertia() > 0.0)
          report_.leftOut.push_back(fmt::format("spring or armature of {}", name));
        if (own) mimic(index, steps[k].coordinate);
        if (axis.actuator.kind != Actuator::Kind::None) motors_.push_back(name);
      }
      out_.close();
      at = next;
    }
  }

  const std::string& stepName(int joint, int coordinate) const {
    return stepNames_[static_cast<std::size_t>(joint)][static_cast<std::size_t>(coordinate)];
  }

  /// Whether a coordinate is one of a joint that is written: of the tree, or of a chain that closes a loop.
  bool written(int joint, int coordinate) const {
    const JointType* type = model_.joints[static_cast<std::size_t>(joint)].type;
    const bool inChain = tree_.inTree[static_cast<std::size_t>(joint)] ||
                         (type != &distanceJoint() && type != &fixedJoint() && type != &sphericalJoint());
    return inChain && simpleCoordinate(*type, coordinate);
  }

  /// A joint follows one other at most: one of the two of each coupling does.
  void assignMimics() {
    std::vector<Coupling> all = model_.couplings;
    for (const ForceElement& e : model_.forces)
      if (const auto soft = couplingOf(e)) {
        all.push_back(*soft);
        Report::once(report_.approximated, "soft couplings are mimics, which are rigid");
      }
    for (const Coupling& c : all) {
      if (!c.more.empty()) {
        report_.leftOut.push_back(fmt::format("coupling {} (of more than two coordinates)", c.name));
        continue;
      }
      const std::pair a{c.jointA, c.coordinateA}, b{c.jointB, c.coordinateB};
      const bool both = written(a.first, a.second) && written(b.first, b.second);
      if (c.kind == CouplingKind::Cam || !both)
        report_.leftOut.push_back(
            fmt::format("coupling {} ({})", c.name,
                        both ? "a mimic is linear" : "no joint of URDF has one of its coordinates"));
      else if (!mimics_.contains(a))
        mimics_[a] = {b, c.ratio, c.offset};
      else if (!mimics_.contains(b) && c.ratio != 0.0)
        mimics_[b] = {a, 1.0 / c.ratio, -c.offset / c.ratio};
      else
        report_.leftOut.push_back(fmt::format("coupling {} (both its joints follow others already)", c.name));
    }
  }

  void mimic(std::size_t joint, int coordinate) {
    const auto at = mimics_.find({static_cast<int>(joint), coordinate});
    if (at == mimics_.end()) return;
    const Following& f = at->second;
    out_.open("mimic")
        .attribute("joint", stepName(f.leader.first, f.leader.second))
        .attribute("multiplier", tidy(f.ratio))
        .attribute("offset", tidy(f.offset))
        .close();
  }

  void frameLink(const std::string& name, int body, const Pose& frame) {
    out_.open("link").attribute("name", name).close();
    out_.open("joint").attribute("name", unique("joint", name + "_frame")).attribute("type", "fixed");
    origin(inLink(body, frame));
    ends(linkName(body), name);
    out_.close();
  }

  void writeLoop(std::size_t index) {
    const Joint& joint = model_.joints[index];
    if (joint.type == &distanceJoint()) {
      report_.leftOut.push_back(fmt::format("distance joint {} (give the rod a body)", joint.name));
      return;
    }
    if (joint.softness.soft()) Report::once(report_.approximated, "soft joints are rigid");
    const bool plain = joint.type == &fixedJoint() || joint.type == &sphericalJoint();
    const std::string a = unique("link", joint.name + "_A"), b = unique("link", joint.name + "_B");
    frameLink(b, joint.follower, joint.followerFrame);
    if (plain) {
      frameLink(a, joint.base, joint.baseFrame);
    } else {
      out_.open("link").attribute("name", a).close();
      writeChain(index, linkName(joint.base), inLink(joint.base, joint.baseFrame), a, false);
    }
    loops_.push_back(fmt::format("['{}', '{}']", a, b));
    types_.emplace_back(joint.type == &sphericalJoint() ? "'3d'" : "'6d'");
  }

  void writeYaml() const {
    const std::string path = std::filesystem::path(path_).replace_extension(".yaml").string();
    std::vector<std::string> motors;
    for (const std::string& name : motors_) motors.push_back("'" + name + "'");
    saveText(path, fmt::format("closed_loop: [{}]\ntype: [{}]\nname_mot: [{}]\n", fmt::join(loops_, ", "),
                               fmt::join(types_, ", "), fmt::join(motors, ", ")));
  }

  const Scenario& scenario_;
  const Model& model_;
  std::string path_;
  Report& report_;
  SpanningTree tree_;
  /// q = ratio of the leader's coordinate + offset; joint and coordinate.
  struct Following {
    std::pair<int, int> leader;
    double ratio = 1.0, offset = 0.0;
  };
  std::map<std::pair<int, int>, Following> mimics_;
  double size_;                                        // of the mechanism, m
  std::map<std::string, std::set<std::string>> used_;  // names, by kind
  std::vector<std::vector<std::string>> stepNames_;    // of the coordinates of each joint
  std::vector<Pose> linkFrame_;
  std::vector<std::string> loops_, types_, motors_;
  xml::Writer out_;
  MeshFolder meshes_;
};

}  // namespace

void writeUrdf(const Scenario& scenario, const std::string& path, Report& report) {
  UrdfWriter(scenario, path, report).write();
}

}  // namespace grashof::convert
