#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/base/spelling.h"
#include "joints/types/types.h"
#include "tools/convert/drives.h"
#include "tools/convert/formats.h"
#include "tools/convert/joint_order.h"
#include "tools/convert/mesh_shapes.h"
#include "tools/convert/urdf_extras.h"
#include "tools/convert/urdf_features.h"
#include "tools/convert/xacro.h"

namespace grashof::convert {
namespace {

using xml::Element;

const std::vector<std::string> kTypes = {"fixed",  "revolute",  "continuous", "prismatic",
                                         "planar", "spherical", "universal",  "floating"};

/// Of contact problems, relative. A robot that stands on its motors has more contacts than it needs, and
/// rounding keeps solvers from the default of the scenarios.
constexpr double kTolerance = 1e-6;

/// What xacro would replace in an element itself; empty: nothing.
std::string xacroLeftover(const tinyxml2::XMLElement& e) {
  const std::string_view tag = e.Name();
  if (tag.starts_with("xacro:")) return fmt::format("<{}>", tag);
  for (const tinyxml2::XMLAttribute* a = e.FirstAttribute(); a; a = a->Next())
    for (const char* sign : {"${", "$("})
      if (std::string_view(a->Value()).find(sign) != std::string_view::npos)
        return fmt::format("{}=\"{}\"", a->Name(), a->Value());
  return {};
}

/// x along `axis`.
Quat axisFrame(const Vec3& axis) { return rotationBetween(Vec3::UnitX(), axis); }

class UrdfReader {
 public:
  UrdfReader(const std::string& path, const FileOptions& options, Report& report)
      : file_(path), report_(report), options_(options), meshes_(path, options_) {}
  /// Of a text, which messages call `path`.
  UrdfReader(const std::string& path, const std::string& text, const FileOptions& options, Report& report)
      : file_(path, text), report_(report), options_(options), meshes_(path, options_) {}

  Tree read() {
    Element root = file_.root(found_);
    if (root.tag() != "robot") root.error("the root element of a URDF is <robot>");
    tree_.file = file_.path();
    tree_.name = root.text("name", "robot");
    tree_.solverTolerance = kTolerance;
    const auto children = root.children();
    refuseXacro(file_.rootElement());
    for (Element child : children)
      if (child.tag() == "mujoco") readMujoco(child);
    for (Element child : children)
      if (child.tag() == "link") readLink(child);
    for (Element child : children)
      if (child.tag() == "joint") readJoint(child);
    for (Element child : children) {
      if (child.tag() == "loop") readLoop(child);
      if (child.tag() == "transmission") readTransmission(child);
      if (child.tag() == "ros2_control") readControl(child);
      if (child.tag() == "gazebo") extras_.readGazebo(child);
      if (child.tag() == "drake:collision_filter_group") extras_.readFilterGroup(child);
    }
    extras_.finish();
    for (Element child : children)
      if (child.tag() == "joint") readMimic(child);
    for (Element child : children)
      if (child.tag() == "joint") checkMimic(child);
    noteUrdf(root, report_);
    meshes_.conclude(found_, report_);
    sizeless_.conclude("shapes", "shapes without size", options_.strict, "without --strict they are left out",
                       found_, report_);
    if (tree_.links.empty()) root.error("there is no <link> (a robot has at least one)");
    if (found_.empty()) orderJoints(tree_, found_);
    if (!found_.empty()) throw InputError(found_);
    return std::move(tree_);
  }

 private:
  /// Refuses what only xacro makes a URDF of, at its first place.
  void refuseXacro(const tinyxml2::XMLElement& e) {
    const std::string left = xacroLeftover(e);
    if (!left.empty())
      throw InputError(
          std::vector<Diagnostic>{{file_.path(), e.GetLineNum(), e.Name(),
                                   fmt::format("{} is left: xacro is not expanded (make a URDF of it: xacro "
                                               "{} > robot.urdf, or call it robot.urdf.xacro)",
                                               left, file_.path())}});
    for (const auto* child = e.FirstChildElement(); child; child = child->NextSiblingElement())
      if (std::string_view(child->Name()) != "gazebo") refuseXacro(*child);  // plugins have their own words
  }

  /// The folder of the meshes; the rest is for the report.
  void readMujoco(Element& e) {
    for (Element c : e.children()) {
      if (c.tag() != "compiler") continue;
      const std::string folder = c.text("meshdir");
      c.text("strippath");
      if (!folder.empty()) {
        options_.folders.push_back(c.filePath(folder));
        meshFolder_ = true;
      }
      noteUrdf(c, report_);
    }
    noteUrdf(e, report_);
  }

  Pose originOf(Element& parent) {
    for (Element child : parent.children()) {
      if (child.tag() != "origin") continue;
      Pose pose{child.vector("xyz", Vec3::Zero()), child.rotation()};
      const auto quaternion = child.numbers("quat_xyzw", {4});
      if (!quaternion.empty()) {
        pose.rotation = Quat(quaternion[3], quaternion[0], quaternion[1], quaternion[2]);
        if (!(pose.rotation.norm() > 1e-12)) child.error("quat_xyzw has no length (0 0 0 1 is no rotation)");
        pose.rotation = pose.rotation.norm() > 1e-12 ? pose.rotation.normalized() : Quat::Identity();
      }
      noteUrdf(child, report_);
      return pose;
    }
    return {};
  }

  void readLink(Element& e) {
    Link link;
    link.line = e.line();
    const std::string given = e.requiredText("name");
    link.name = scenarioName(given, report_);
    // Names that differ in the file may become one.
    const std::string clean = link.name;
    for (int n = 2; tree_.findLink(link.name) >= 0; ++n) link.name = fmt::format("{}_{}", clean, n);
    if (!links_.emplace(given, static_cast<int>(tree_.links.size())).second)
      e.error("there is a link of this name already (names differ)");
    else if (link.name != clean)
      report_.assumed.push_back(fmt::format("'{}' is called '{}'", given, link.name));
    for (Element child : e.children()) {
      if (child.tag() == "inertial") {
        readInertial(child, link);
      } else if (child.tag() == "collision" || child.tag() == "visual") {
        readGeometry(child, link);
      } else if (child.tag() == "contact") {
        extras_.readContact(child, static_cast<int>(tree_.links.size()));
      }
    }
    noteUrdf(e, report_);
    tree_.links.push_back(std::move(link));
  }

  void readInertial(Element& e, Link& link) {
    const Pose frame = originOf(e);
    link.center = frame.position;
    bool massGiven = false;
    for (Element child : e.children()) {
      if (child.tag() == "mass") {
        link.mass = child.requiredNumber("value", xml::kNotNegative);
        massGiven = true;
        noteUrdf(child, report_);
      } else if (child.tag() == "inertia") {
        Mat3 i;
        const double xx = child.requiredNumber("ixx"), yy = child.requiredNumber("iyy"),
                     zz = child.requiredNumber("izz");
        const double xy = child.number("ixy", 0.0), xz = child.number("ixz", 0.0),
                     yz = child.number("iyz", 0.0);
        i << xx, xy, xz, xy, yy, yz, xz, yz, zz;
        const Mat3 r = frame.rotation.toRotationMatrix();
        link.inertia = r * i * r.transpose();
        noteUrdf(child, report_);
      }
    }
    if (!massGiven) e.error("has no <mass> (add <mass value=\"...\"/>)");
    noteUrdf(e, report_);
  }

  void readGeometry(Element& e, Link& link) {
    const bool collides = e.tag() == "collision";
    Shape shape;
    shape.collides = collides;
    shape.pose = originOf(e);
    shape.name =
        e.has("name") ? e.text("name") : fmt::format("{}_{}{}", link.name, e.tag(), link.shapes.size());
    bool seen = false;
    for (const Element& geometry : e.children()) {
      if (geometry.tag() != "geometry") continue;
      for (Element g : geometry.children()) {
        seen = true;
        if (!readShape(g, shape)) return;
      }
    }
    if (!seen) e.error("has no shape in its <geometry> (box, cylinder, capsule, sphere or mesh)");
    noteUrdf(e, report_);
    link.shapes.push_back(std::move(shape));
  }

  bool readShape(Element& g, Shape& shape) {
    const std::string tag = g.tag();
    if (tag == "box") {
      shape.type = ShapeType::Box;
      shape.size = g.vector("size", -Vec3::Ones());
      if (!(shape.size.minCoeff() >= 0.0)) g.error("size must be three lengths >= 0 (m)");
    } else if (tag == "sphere") {
      shape.type = ShapeType::Sphere;
      shape.radius = g.requiredNumber("radius", xml::kNotNegative);
    } else if (tag == "cylinder" || tag == "capsule") {
      shape.type = tag == "cylinder" ? ShapeType::Cylinder : ShapeType::Capsule;
      shape.radius = g.requiredNumber("radius", xml::kNotNegative);
      shape.length = g.requiredNumber("length", xml::kNotNegative);
    } else if (tag == "mesh") {
      std::string name = g.requiredText("filename");
      const std::string bare = name.substr(name.rfind('/') + 1);
      if (meshFolder_ && !findFile(file_.path(), bare, options_).empty()) name = bare;
      const Vec3 scale = g.vector("scale", Vec3::Ones());
      if (!meshes_.read(g.where(), name, scale, shape)) return false;
    } else {
      g.unknownChild(g, {"box", "cylinder", "capsule", "sphere", "mesh"});
      return false;
    }
    noteUrdf(g, report_);
    if (hasSize(shape)) return true;
    sizeless_.add(g.where(), shape.name, fmt::format("the {} has no size (give it lengths > 0)", tag));
    return false;
  }

  int linkOf(Element& e, const char* attribute) {
    const std::string name = e.requiredText(attribute);
    if (e.tag() == "parent" || e.tag() == "child") noteUrdf(e, report_);
    const auto known = links_.find(name);
    if (known != links_.end()) return known->second;
    if (!name.empty()) {
      std::vector<std::string> names;
      for (const auto& entry : links_) names.push_back(entry.first);
      const std::string near = closest(name, names);
      e.error(fmt::format("there is no link '{}'{}", name,
                          near.empty() ? "" : " (did you mean '" + near + "'?)"));
    }
    return -2;
  }

  static LinkJointKind kindOf(const std::string& type) {
    return type == "fixed"                              ? LinkJointKind::Fixed
           : type == "revolute" || type == "continuous" ? LinkJointKind::Revolute
           : type == "prismatic"                        ? LinkJointKind::Prismatic
           : type == "planar"                           ? LinkJointKind::Planar
           : type == "spherical"                        ? LinkJointKind::Spherical
           : type == "universal"                        ? LinkJointKind::Universal
                                                        : LinkJointKind::Free;
  }

  Vec3 axisOf(Element& e, const std::string& type) {
    Vec3 axis = e.vector("xyz", Vec3::UnitX());
    noteUrdf(e, report_);
    if (axis.norm() > 1e-9) return axis;
    if (type != "fixed") e.error("the axis has no length (give a direction)");
    return Vec3::UnitX();
  }

  /// Whether the element bounds the joint at all; only joints of one coordinate that end take the bounds.
  bool readLimit(Element& e, const std::string& type, Limit& limit, Motor& sheet) {
    boundDrive(sheet, e.number("effort", xml::kInfinity), e.number("velocity", xml::kInfinity), report_);
    const bool limited = e.has("lower") || e.has("upper");
    if (limited && (type == "revolute" || type == "prismatic")) {
      limit.lower = e.number("lower", 0.0);
      limit.upper = e.number("upper", 0.0);
      if (limit.lower > limit.upper) e.error("lower is larger than upper (swap them)");
    }
    noteUrdf(e, report_);
    return limited;
  }

  void readFriction(Element& e, PassiveDynamics& passive) {
    passive.damping = e.number("damping", 0.0, xml::kNotNegative);
    passive.dryFriction = e.number("friction", 0.0, xml::kNotNegative);
    noteUrdf(e, report_);
  }

  void readJoint(Element& e) {
    LinkJoint joint;
    joint.line = e.line();
    const std::string given = e.requiredText("name");
    joint.name = scenarioName(given, report_);
    const std::string clean = joint.name;
    for (int n = 2; tree_.findJoint(joint.name) >= 0; ++n) joint.name = fmt::format("{}_{}", clean, n);
    if (joints_.contains(given)) e.error("there is a joint of this name already (names differ)");
    const std::string type = e.requiredText("type");
    const auto known = std::find(kTypes.begin(), kTypes.end(), type);
    if (known == kTypes.end()) {
      const std::string near = closest(type, kTypes);
      e.error(fmt::format("unknown joint type '{}' ({}one of: {})", type,
                          near.empty() ? "" : "did you mean " + near + "? ", fmt::join(kTypes, ", ")));
      return;
    }
    joint.kind = kindOf(type);
    const Pose origin = originOf(e);
    Vec3 axis = Vec3::UnitX();
    JointCoordinate own;
    int parent = -2, child = -2;
    bool limited = false;
    for (Element c : e.children()) {
      const std::string tag = c.tag();
      if (tag == "parent") parent = linkOf(c, "link");
      if (tag == "child") child = linkOf(c, "link");
      if (tag == "axis") axis = axisOf(c, type);
      if (tag == "limit") limited = readLimit(c, type, own.limit, joint.sheet);
      if (tag == "dynamics" || tag == "joint_properties") readFriction(c, own.passive);
    }
    noteUrdf(e, report_);
    if (parent == -2 && child == -2 && found_.empty()) e.error("has neither <parent> nor <child> (add both)");
    if (parent < 0 || child < 0) return;
    if (parent == child) e.error("joins a link to itself (parent and child must differ)");
    if ((type == "revolute" || type == "prismatic") && !limited)
      Report::once(report_.assumed, fmt::format("{} joints without lower and upper move freely", type));
    joint.parent = parent;
    joint.child = child;
    joint.parentFrame = origin;
    // The axis is given in the child's frame, which is the joint's at zero.
    Quat turn = axisFrame(axis.normalized());
    if (joint.kind == LinkJointKind::Planar) turn = rotationBetween(Vec3::UnitZ(), axis);
    if (joint.kind == LinkJointKind::Universal || joint.kind == LinkJointKind::Spherical ||
        joint.kind == LinkJointKind::Free || joint.kind == LinkJointKind::Fixed)
      turn = Quat::Identity();
    joint.parentFrame = origin * Pose{Vec3::Zero(), turn};
    joint.childFrame = {Vec3::Zero(), turn};
    if (joint.kind == LinkJointKind::Revolute || joint.kind == LinkJointKind::Prismatic)
      joint.coordinates = {own};
    if (joint.name != clean) report_.assumed.push_back(fmt::format("'{}' is called '{}'", given, joint.name));
    joints_.emplace(given, static_cast<int>(tree_.joints.size()));
    tree_.joints.push_back(std::move(joint));
  }

  /// Index of the joint that the file calls so; -2: there is none.
  int jointOf(const std::string& name) const {
    const auto known = joints_.find(name);
    return known == joints_.end() ? -2 : known->second;
  }

  void readMimic(Element& e) {
    for (Element c : e.children()) {
      if (c.tag() != "mimic") continue;
      const int a = jointOf(e.requiredText("name")), b = jointOf(c.requiredText("joint"));
      if (b < 0) c.error("there is no such joint (name the joint to follow)");
      const double ratio = c.number("multiplier", 1.0), offset = c.number("offset", 0.0);
      noteUrdf(c, report_);
      if (a < 0 || b < 0) continue;
      const auto follows = [&](int j) {
        const LinkJoint& joint = tree_.joints[static_cast<std::size_t>(j)];
        return joint.coordinates.size() == 1 || joint.kind == LinkJointKind::Fixed;
      };
      if (!follows(a) || !follows(b))
        c.error(
            "both joints of a mimic have one coordinate (revolute, continuous or prismatic), or are fixed");
      tree_.mimics.push_back(
          {tree_.joints[static_cast<std::size_t>(a)].name + "_mimic", a, b, ratio, offset});
    }
  }

  /// Refuses joints that follow each other in a circle, at each joint of it.
  void checkMimic(Element& e) {
    const int first = jointOf(e.requiredText("name"));
    const auto nameOf = [&](int j) { return tree_.joints[static_cast<std::size_t>(j)].name; };
    std::string circle;
    int at = first;
    for (std::size_t n = 0; n <= tree_.mimics.size() && at >= 0; ++n) {
      const auto next = std::find_if(tree_.mimics.begin(), tree_.mimics.end(),
                                     [&](const Mimic& m) { return m.jointA == at; });
      if (next == tree_.mimics.end()) return;
      circle += (n == 0 ? nameOf(at) : "") + " follows " + nameOf(next->jointB);
      at = next->jointB;
      if (at != first) continue;
      for (const Element& c : e.children())
        if (c.tag() == "mimic")
          c.error(n == 0
                      ? "a joint cannot follow itself (name another joint)"
                      : fmt::format("mimics go round in a circle: {} (let one of them follow none)", circle));
      return;
    }
  }

  /// URDF+: <loop name type> with <predecessor link> and <successor link>, each with an <origin>, and an
  /// <axis>.
  void readLoop(Element& e) {
    Loop loop;
    loop.line = e.line();
    loop.name = scenarioName(e.requiredText("name"), report_);
    const std::string type = e.requiredText("type");
    loop.type = type == "continuous" ? &revoluteJoint() : findJointType(type);
    if (!loop.type)
      e.error(fmt::format("unknown type '{}' of loop (fixed, revolute, continuous, spherical, prismatic …)",
                          type));
    loop.linkA = loop.linkB = -2;
    Vec3 axis = Vec3::UnitX();
    for (Element c : e.children()) {
      if (c.tag() == "predecessor" || c.tag() == "successor") {
        const int link = linkOf(c, "link");
        (c.tag() == "predecessor" ? loop.linkA : loop.linkB) = link;
        (c.tag() == "predecessor" ? loop.frameA : loop.frameB) = originOf(c);
        noteUrdf(c, report_);
      } else if (c.tag() == "axis") {
        axis = c.vector("xyz", axis);
        if (!(axis.norm() > 1e-9)) c.error("the axis has no length (give a direction)"), axis = Vec3::UnitX();
        noteUrdf(c, report_);
      }
    }
    noteUrdf(e, report_);
    if (loop.linkA < 0 || loop.linkB < 0) {
      if (loop.linkA == -2 && loop.linkB == -2 && found_.empty())
        e.error("needs <predecessor link=\"…\"> and <successor link=\"…\"> (add both)");
      return;
    }
    const Pose turn{Vec3::Zero(), axisFrame(axis.normalized())};
    loop.frameA = loop.frameA * turn;
    loop.frameB = loop.frameB * turn;
    tree_.loops.push_back(std::move(loop));
  }

  void readTransmission(Element& e) {
    Motor gear;
    std::vector<int> driven;
    for (Element c : e.children()) {
      if (c.tag() == "joint") driven.push_back(takeMotor(c, "transmission", true));
      if (c.tag() == "joint" || c.tag() == "actuator") readGear(c, gear);
      if (c.tag() == "actuator") noteUrdf(c, report_, "transmission/actuator");
    }
    for (const int j : driven) {
      if (j < 0) continue;
      Motor& sheet = tree_.joints[static_cast<std::size_t>(j)].sheet;
      gearDown(sheet, gear.gearRatio);
      sheet.rotorInertia = gear.rotorInertia;
    }
    noteUrdf(e, report_);
  }

  /// Ratio and rotor in a transmission's joint or actuator.
  void readGear(Element& e, Motor& gear) {
    for (Element c : e.children()) {
      const std::string tag = c.tag();
      if (tag == "drake:rotor_inertia")
        gear.rotorInertia = numberOf(c, xml::kNotNegative).value_or(0.0);
      else if (tag == "mechanicalReduction" || tag == "mechanical_reduction" || tag == "drake:gear_ratio")
        if (const auto ratio = numberOf(c)) {
          if (*ratio == 0.0)
            Report::once(report_.assumed, "a mechanicalReduction of 0 is none");
          else
            gear.gearRatio = *ratio;
        }
    }
  }

  /// What drives the robot under ROS 2: joints that take commands.
  void readControl(Element& e) {
    for (Element c : e.children())
      if (c.tag() == "joint")
        takeMotor(c, "ros2_control", !c.children("command_interface").empty());
      else if (c.tag() == "transmission")
        readTransmission(c);
    noteUrdf(e, report_);
  }

  /// The joint that `c`, in an element `around`, names is a motor if it is `driven`. Its index; -2: it is not
  /// there.
  int takeMotor(Element& c, const char* around, bool driven) {
    const std::string name = c.requiredText("name");
    const int joint = jointOf(name);
    noteUrdf(c, report_, fmt::format("{}/joint", around));
    if (joint < 0)
      report_.leftOut.push_back(fmt::format("a {} of joint {}, which is not there", around, name));
    else if (driven)
      tree_.joints[static_cast<std::size_t>(joint)].motor = true;
    return joint;
  }

  XmlFile file_;
  Report& report_;
  FileOptions options_;
  std::vector<Diagnostic> found_;
  Tree tree_;
  MeshShapes meshes_;
  MissingMeshes sizeless_;
  bool meshFolder_ = false;           // MuJoCo's: it holds the meshes whatever folder their names have
  UrdfExtras::Names links_, joints_;  // by the names of the file
  UrdfExtras extras_{tree_, links_, joints_, report_};
};

}  // namespace

Tree readUrdf(const std::string& path, const FileOptions& options, Report& report) {
  if (!isXacro(path)) return UrdfReader(path, options, report).read();
  const ExpandedXacro expanded = expandXacro(path, options);
  try {
    Tree tree = UrdfReader(path, expanded.text, options, report).read();
    const auto place = [&](int& line) {
      if (line > 0 && static_cast<std::size_t>(line) <= expanded.places.size())
        line = expanded.places[static_cast<std::size_t>(line) - 1].line;
    };
    for (Link& link : tree.links) place(link.line);
    for (LinkJoint& joint : tree.joints) place(joint.line);
    return tree;
  } catch (const InputError& error) {
    throw InputError(placedDiagnostics(expanded, path, error.diagnostics()));
  }
}

}  // namespace grashof::convert
