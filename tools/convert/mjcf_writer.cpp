#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/analysis/mobility.h"
#include "engine/base/error.h"
#include "engine/dynamics/joint_kinematics.h"
#include "engine/scenario/xml_writer.h"
#include "joints/types/types.h"
#include "tools/convert/cam_polynomial.h"
#include "tools/convert/formats.h"
#include "tools/convert/meshes.h"
#include "tools/convert/soft_coupling.h"
#include "tools/convert/spanning_tree.h"

namespace grashof::convert {
namespace {

using xml::numbers;

constexpr double kGhost = 1e-4;  // mass of an auxiliary body, of the body it is welded to
constexpr double kServo = 100.0;

class MjcfWriter {
 public:
  MjcfWriter(const Scenario& scenario, const std::string& path, Report& report)
      : scenario_(scenario),
        model_(*scenario.model),
        path_(path),
        report_(report),
        tree_(spanningTree(model_)) {
    children_.resize(model_.bodies.size() + 1);
    for (const int body : tree_.order) children_[tree_.parent(model_, body) + 1].push_back(body);
    nameLinks();
    start_ = model_.initialState();
    std::vector<JointGeometry> geometry(model_.joints.size());
    evaluateJoints(model_, start_.poses, start_.coordinates, geometry);
    for (std::size_t j = 0; j < model_.joints.size(); ++j)
      for (int c = 0; c < model_.joints[j].type->numDofs(); ++c)
        start_.coordinates[model_.coordinateStart[j] + c] =
            geometry[j].coordinate[static_cast<std::size_t>(c)];
  }

  void write() {
    out_.open("mujoco").attribute("model", scenario_.name);
    out_.open("compiler").attribute("angle", "radian").attribute("autolimits", true).close();
    out_.open("option").attribute("timestep", model_.step.timestep).attribute("gravity", model_.gravity);
    if (parentsTouch()) out_.open("flag").attribute("filterparent", "disable").close();
    out_.close();
    writeMeshes();
    out_.open("worldbody");
    writeShapes(kWorld);
    for (const int body : children_[0]) writeBody(body);
    ghostsOf(kWorld);
    out_.close();
    writeEqualities();
    writeActuators();
    writeContacts();
    out_.close();
    if (!model_.couplings.empty() ||
        std::find(tree_.inTree.begin(), tree_.inTree.end(), false) != tree_.inTree.end())
      Report::once(report_.approximated, "loops and couplings are soft equalities in MJCF");
    if (!model_.wrenches.empty()) report_.leftOut.emplace_back("wrenches from outside");
    const auto kept = [](const ForceElement& e) { return couplingOf(e).has_value(); };
    if (!std::all_of(model_.forces.begin(), model_.forces.end(), kept) || !model_.bushings.empty())
      report_.leftOut.emplace_back("springs, forces, cables, tendons and bushings");
    for (std::string& lost : lostFriction(model_)) report_.leftOut.push_back(std::move(lost));
    out_.save(path_);
  }

 private:
  static std::string coordinateName(const Joint& joint, int coordinate) {
    return joint.type->numDofs() == 1 ? joint.name : fmt::format("{}_{}", joint.name, coordinate);
  }
  double initial(std::size_t joint, int coordinate) const {
    return start_.coordinates[model_.coordinateStart[joint] + coordinate];
  }

  void place(const Pose& pose) {
    if (!pose.position.isZero(0.0)) out_.attribute("pos", pose.position);
    if (!pose.rotation.vec().isZero(0.0)) out_.attribute("quat", pose.rotation);
  }

  void writeMeshes() {
    bool open = false;
    for (const Shape& shape : model_.shapes) {
      if (!shape.mesh || (shape.type != ShapeType::Hull && shape.type != ShapeType::Mesh)) continue;
      if (!open) out_.open("asset");
      open = true;
      out_.open("mesh")
          .attribute("name", shape.name)
          .attribute("file", meshes_.file(path_, *shape.mesh, shape.name))
          .close();
    }
    if (open) out_.close();
  }

  void writeBody(int body) {
    const Body& b = model_.bodies[static_cast<std::size_t>(body)];
    const int parent = tree_.parent(model_, body);
    const Pose own = userFrameOf(model_, body);
    out_.open("body").attribute("name", b.name);
    place(userFrameOf(model_, parent).inverse() * own);
    const int joint = tree_.parentJoint[static_cast<std::size_t>(body)];
    if (joint < 0)
      out_.open("freejoint").attribute("name", b.name + "_free").close();
    else
      writeJoint(static_cast<std::size_t>(joint), own,
                 model_.joints[static_cast<std::size_t>(joint)].follower != body);
    writeInertial(b.mass, b.userFrame.inverse().position, b.inertia);
    writeShapes(body);
    for (const int child : children_[static_cast<std::size_t>(body) + 1]) writeBody(child);
    ghostsOf(body);
    out_.close();
  }

  void writeInertial(double mass, const Vec3& center, const Mat3& i) {
    out_.open("inertial").attribute("pos", center).attribute("mass", mass);
    out_.attribute("fullinertia", numbers({i(0, 0), i(1, 1), i(2, 2), i(0, 1), i(0, 2), i(1, 2)})).close();
  }

  /// The simple joints of a joint inside the body that lies at `body` in the world at the start. `against`:
  /// the body is the joint's base.
  void writeJoint(std::size_t index, const Pose& body, bool against) {
    const Joint& joint = model_.joints[index];
    Pose frame = userFrameOf(model_, joint.base) * frameInUser(model_, joint.base, joint.baseFrame);
    struct Placed {
      SimpleJoint simple;
      Vec3 axis, point;
    };
    std::vector<Placed> steps;
    for (const SimpleJoint& s : simpleJoints(*joint.type)) {
      steps.push_back({s, frame.rotation * s.axis, frame.position});
      const double q = initial(index, s.coordinate);
      if (s.kind == SimpleJoint::Kind::Slide) frame.position += q * (frame.rotation * s.axis);
      if (s.kind == SimpleJoint::Kind::Turn) frame.rotation = frame.rotation * expRotation(q * s.axis);
    }
    if (against) {
      std::reverse(steps.begin(), steps.end());
      for (Placed& s : steps) s.axis = -s.axis;
    }
    const Pose inverse = body.inverse();
    for (const Placed& s : steps) {
      const JointCoordinate& axis = joint.coordinates[static_cast<std::size_t>(s.simple.coordinate)];
      const bool ball = s.simple.kind == SimpleJoint::Kind::Ball;
      out_.open("joint").attribute("name", coordinateName(joint, s.simple.coordinate));
      out_.attribute("type", ball ? "ball" : s.simple.kind == SimpleJoint::Kind::Turn ? "hinge" : "slide");
      out_.attribute("pos", inverse * s.point);
      if (!ball) {
        const double start = initial(index, s.simple.coordinate);
        out_.attribute("axis", inverse.rotation * s.axis);
        if (start != 0.0) out_.attribute("ref", start);
        if (axis.limit.bounded())
          out_.attribute("range",
                         numbers({std::max(axis.limit.lower, -1e3), std::min(axis.limit.upper, 1e3)}));
        if (axis.passive.stiffness > 0.0)
          out_.attribute("stiffness", axis.passive.stiffness).attribute("springref", axis.passive.rest);
      } else if (axis.limit.bounded() || axis.passive.stiffness > 0.0) {
        report_.leftOut.push_back(fmt::format("limits and springs of ball joint {}", joint.name));
      }
      if (axis.passive.damping > 0.0) out_.attribute("damping", axis.passive.damping);
      if (axis.passive.inertia() > 0.0) out_.attribute("armature", axis.passive.inertia());
      if (axis.passive.dryFriction > 0.0) out_.attribute("frictionloss", axis.passive.dryFriction);
      out_.close();
    }
    if (joint.softness.soft()) Report::once(report_.approximated, "soft joints of the tree are rigid");
  }

  /// Whether a body touches its parent, which MuJoCo keeps from it where both move.
  bool parentsTouch() const {
    const auto touch = [&](int body) {
      const int parent = tree_.parent(model_, body);
      const ExcludedPair pair(parent, body);
      return parent >= 0 && !std::binary_search(model_.exclusions.begin(), model_.exclusions.end(), pair);
    };
    return std::any_of(tree_.order.begin(), tree_.order.end(), touch);
  }

  /// Links that exclusions tell apart from the rest of their body are bodies without joint in it.
  void nameLinks() {
    std::set<std::string> used;
    for (const Body& body : model_.bodies) used.insert(body.name);
    for (const ExcludedPair& pair : model_.exclusions)
      for (const ShapeSet& set : {pair.a, pair.b}) {
        if (set.link.empty() || linkBodies_.contains(set)) continue;
        std::string name = set.link == "world" ? "world_shapes" : set.link;
        while (!used.insert(name).second) name += "_link";
        linkBodies_.emplace(set, name);
      }
  }
  /// The bodies of the file that have the shapes of a set.
  std::vector<std::string> bodiesOf(const ShapeSet& set) const {
    if (!set.link.empty()) return {linkBodies_.at(set)};
    std::vector<std::string> all = {set.body < 0 ? "world"
                                                 : model_.bodies[static_cast<std::size_t>(set.body)].name};
    for (const auto& [link, name] : linkBodies_)
      if (link.body == set.body) all.push_back(name);
    return all;
  }

  void writeShapes(int body) {
    writeShapesOf({body, {}});
    for (const auto& [link, name] : linkBodies_) {
      if (link.body != body) continue;
      out_.open("body").attribute("name", name);
      writeShapesOf(link);
      out_.close();
    }
  }

  /// Those of a link that is a body of its own, or the rest of a body.
  void writeShapesOf(const ShapeSet& set) {
    const int body = set.body;
    for (const Shape& shape : model_.shapes) {
      const bool apart = linkBodies_.contains({shape.body, shape.link});
      if (body != shape.body || (apart ? shape.link : std::string()) != set.link) continue;
      const Pose pose = body < 0
                            ? shape.pose
                            : model_.bodies[static_cast<std::size_t>(body)].userFrame.inverse() * shape.pose;
      std::string type, size;
      const double half = 0.5 * shape.length;
      switch (shape.type) {
        case ShapeType::Plane:
          type = "plane", size = "0 0 1";
          break;
        case ShapeType::Box:
          type = "box", size = numbers({0.5 * shape.size.x(), 0.5 * shape.size.y(), 0.5 * shape.size.z()});
          break;
        case ShapeType::Sphere:
          type = "sphere", size = numbers({shape.radius});
          break;
        case ShapeType::Capsule:
          type = "capsule", size = numbers({shape.radius, half});
          break;
        case ShapeType::Cylinder:
          type = "cylinder", size = numbers({shape.radius, half});
          break;
        case ShapeType::Ellipsoid:
          type = "ellipsoid", size = numbers({shape.size.x(), shape.size.y(), shape.size.z()});
          break;
        case ShapeType::Hull:
        case ShapeType::Mesh:
          type = "mesh";
          break;
        case ShapeType::Cone:
        case ShapeType::HeightField:
          report_.leftOut.push_back(fmt::format("shape {} (MJCF has no such shape)", shape.name));
          continue;
      }
      out_.open("geom").attribute("name", shape.name).attribute("type", type);
      if (!size.empty()) out_.attribute("size", size);
      if (body >= 0 && !set.link.empty()) out_.attribute("mass", 0.0);  // the body around it has the mass
      if (type == "mesh") {
        out_.attribute("mesh", shape.name);
        if (shape.type == ShapeType::Mesh && shape.collides)
          Report::once(report_.approximated, "meshes collide by their convex hulls in MuJoCo");
      }
      place(pose);
      const SurfacePair& own = model_.surface(shape.material, shape.material);
      if (own.torsionalFriction > 0.0 || own.rollingFriction > 0.0)
        out_.attribute("condim", own.rollingFriction > 0.0 ? 6 : 4)
            .attribute("friction", numbers({own.friction, own.torsionalFriction, own.rollingFriction}));
      else
        out_.attribute("friction", numbers({own.friction, 0.005, 0.0001}));
      out_.attribute("contype", static_cast<int>(shape.collides ? shape.group & 0x7fffffffu : 0u));
      out_.attribute("conaffinity", static_cast<int>(shape.collides ? shape.mask & 0x7fffffffu : 0u));
      out_.close();
    }
  }

  static bool closable(const Joint& joint) {
    return joint.type == &fixedJoint() || joint.type == &sphericalJoint() || joint.type == &revoluteJoint();
  }
  bool loop(std::size_t j) const { return !tree_.inTree[j] && model_.joints[j].type != &freeJoint(); }

  /// Loops that no equality closes: a light body carries the joint, and is welded to the follower.
  void ghostsOf(int base) {
    for (std::size_t j = 0; j < model_.joints.size(); ++j) {
      const Joint& joint = model_.joints[j];
      if (!loop(j) || joint.base != base || closable(joint)) continue;
      if (joint.type == &distanceJoint()) continue;
      const Body& follower = model_.bodies[static_cast<std::size_t>(joint.follower)];
      const Pose own = userFrameOf(model_, joint.follower);
      out_.open("body").attribute("name", joint.name + "_ghost");
      place(userFrameOf(model_, base).inverse() * own);
      writeJoint(j, own, false);
      writeInertial(kGhost * follower.mass, follower.userFrame.inverse().position, kGhost * follower.inertia);
      out_.close();
      report_.approximated.push_back(
          fmt::format("{} joint {} closes a loop: a light body carries it, welded to {}", joint.type->name(),
                      joint.name, follower.name));
    }
  }

  void equality(const char* tag, const std::string& name, const std::string& a, const std::string& b) {
    out_.open(tag).attribute("name", name).attribute("body1", a).attribute("body2", b);
    hardness();
  }
  void hardness() {
    out_.attribute("solref", numbers({2.0 * model_.step.timestep, 1.0}))
        .attribute("solimp", "0.99 0.9999 0.0001");
  }

  void writeEqualities() {
    out_.open("equality");
    std::vector<std::size_t> rods;
    for (std::size_t j = 0; j < model_.joints.size(); ++j) {
      if (!loop(j)) continue;
      const Joint& joint = model_.joints[j];
      const std::string base =
          joint.base < 0 ? "world" : model_.bodies[static_cast<std::size_t>(joint.base)].name;
      const std::string follower = model_.bodies[static_cast<std::size_t>(joint.follower)].name;
      if (joint.type == &distanceJoint()) {
        report_.leftOut.push_back(fmt::format("distance joint {}", joint.name));
        continue;
      }
      if (!closable(joint)) {
        equality("weld", joint.name + "_weld", joint.name + "_ghost", follower);
        out_.close();
        continue;
      }
      if (joint.type == &fixedJoint()) {
        equality("weld", joint.name, follower, base);
        out_.close();
        continue;
      }
      // Anchors are told in the follower: MuJoCo finds the base's from the poses at the start.
      const Pose frame = frameInUser(model_, joint.follower, joint.followerFrame);
      if (joint.type == &sphericalJoint()) {
        equality("connect", joint.name, follower, base);
        out_.attribute("anchor", frame.position).close();
        continue;
      }
      const double arm = 0.25 * mechanismSize(model_);
      for (const double side : {-1.0, 1.0}) {
        equality("connect", joint.name + (side < 0.0 ? "_a" : "_b"), follower, base);
        out_.attribute("anchor", Vec3(frame * Vec3(side * arm, 0.0, 0.0))).close();
      }
    }
    for (const Coupling& c : model_.couplings) writeCoupling(c, {});
    for (const ForceElement& e : model_.forces)
      if (const auto coupling = couplingOf(e)) writeCoupling(*coupling, e.law.softness);
    out_.close();
  }

  /// Whether a coordinate is one of a joint that is written: of the tree, or of a light body.
  bool written(int joint, int coordinate) const {
    const auto j = static_cast<std::size_t>(joint);
    const Joint& own = model_.joints[j];
    return (tree_.inTree[j] || (loop(j) && !closable(own) && own.type != &distanceJoint())) &&
           simpleCoordinate(*own.type, coordinate);
  }

  /// MuJoCo counts both coordinates from where they start. `softness`: an impedance, else as hard as may be.
  void writeCoupling(const Coupling& c, const Softness& softness) {
    if (!c.more.empty()) {
      report_.leftOut.push_back(fmt::format("coupling {} (of more than two coordinates)", c.name));
      return;
    }
    if (!written(c.jointA, c.coordinateA) || !written(c.jointB, c.coordinateB)) {
      report_.leftOut.push_back(
          fmt::format("coupling {} (no joint of MJCF has one of its coordinates)", c.name));
      return;
    }
    const auto a = static_cast<std::size_t>(c.jointA), b = static_cast<std::size_t>(c.jointB);
    const double startA = initial(a, c.coordinateA), startB = initial(b, c.coordinateB);
    std::array<double, 5> polynomial = {c.value(startB) - startA, c.ratio, 0.0, 0.0, 0.0};
    if (std::abs(polynomial[0]) < 1e-9) polynomial[0] = 0.0;
    if (c.kind == CouplingKind::Cam) {
      const std::optional<CamPolynomial> fitted = camPolynomial(c, startB);
      if (!fitted) {
        report_.leftOut.push_back(
            fmt::format("cam {} (its profile is no polynomial of the fourth degree)", c.name));
        return;
      }
      polynomial = fitted->coefficients;
      polynomial[0] -= startA;
      report_.approximated.push_back(fmt::format(
          "cam {} by a polynomial, which is not constant beyond the ends of the profile", c.name));
    }
    out_.open("joint")
        .attribute("name", c.name)
        .attribute("joint1", coordinateName(model_.joints[a], c.coordinateA));
    out_.attribute("joint2", coordinateName(model_.joints[b], c.coordinateB));
    out_.attribute("polycoef",
                   numbers({polynomial[0], polynomial[1], polynomial[2], polynomial[3], polynomial[4]}));
    if (softness.kind == Softness::Kind::Impedance)
      out_.attribute("solref", numbers({softness.timeConstant, softness.dampingRatio}))
          .attribute("solimp", numbers({softness.impedance0, softness.impedanceWidth, softness.width,
                                        softness.midpoint, softness.power}));
    else
      hardness();
    out_.close();
  }

  void writeActuators() {
    out_.open("actuator");
    std::string controls;
    for (std::size_t j = 0; j < model_.joints.size(); ++j) {
      const Joint& joint = model_.joints[j];
      for (std::size_t c = 0; c < joint.coordinates.size(); ++c) {
        const Actuator& a = joint.coordinates[c].actuator;
        if (a.kind == Actuator::Kind::None) continue;
        const std::string name = coordinateName(joint, static_cast<int>(c));
        if (!written(static_cast<int>(j), static_cast<int>(c))) {
          report_.leftOut.push_back(
              fmt::format("the actuator of {} (no joint of MJCF has this coordinate)", name));
          continue;
        }
        out_.open(a.kind == Actuator::Kind::Effort ? "motor" : "general")
            .attribute("name", name + "_drive")
            .attribute("joint", name);
        double kp = a.proportionalGain, kd = a.derivativeGain;
        if (a.kind == Actuator::Kind::Motion) {
          kp = kServo;
          kd = 0.1 * kServo;
          Report::once(report_.approximated,
                       fmt::format("prescribed motions are position servos with kp = {:g}, to be tuned", kp));
        }
        if (a.kind == Actuator::Kind::Position || a.kind == Actuator::Kind::Motion)
          out_.attribute("gainprm", numbers({kp}))
              .attribute("biastype", "affine")
              .attribute("biasprm", numbers({0.0, -kp, -kd}));
        if (a.kind == Actuator::Kind::Velocity)
          out_.attribute("gainprm", numbers({kd}))
              .attribute("biastype", "affine")
              .attribute("biasprm", numbers({0.0, 0.0, -kd}));
        const DriveBounds bounds = model_.boundsOf(a);
        if (bounds.bounded() && a.kind != Actuator::Kind::Motion) {
          const double limit = std::min(bounds.limit, bounds.stall);
          out_.attribute("forcelimited", true).attribute("forcerange", numbers({-limit, limit}));
        }
        if (bounds.line())
          Report::once(report_.approximated,
                       "torque-speed lines of motors are limits of the effort at the stall torque");
        out_.close();
        controls += (controls.empty() ? "" : " ") +
                    numbers({model_.signals[static_cast<std::size_t>(a.signal)].value(0.0)});
        Report::once(report_.leftOut, "motions over time (the keyframe 'start' holds the controls at t = 0)");
      }
    }
    out_.close();
    if (!controls.empty())
      out_.open("keyframe")
          .open("key")
          .attribute("name", "start")
          .attribute("ctrl", controls)
          .close()
          .close();
  }

  void writeContacts() {
    out_.open("contact");
    for (const auto& [a, b] : model_.exclusions)
      for (const std::string& first : bodiesOf(a))
        for (const std::string& second : bodiesOf(b))
          out_.open("exclude").attribute("body1", first).attribute("body2", second).close();
    out_.close();
  }

  const Scenario& scenario_;
  const Model& model_;
  std::string path_;
  Report& report_;
  SpanningTree tree_;
  std::vector<std::vector<int>> children_;      // of the world, then of each body
  std::map<ShapeSet, std::string> linkBodies_;  // links that are bodies of their own, with their names
  State start_;
  xml::Writer out_;
  MeshFolder meshes_;
};

}  // namespace

void writeMjcf(const Scenario& scenario, const std::string& path, Report& report) {
  MjcfWriter(scenario, path, report).write();
}

}  // namespace grashof::convert
