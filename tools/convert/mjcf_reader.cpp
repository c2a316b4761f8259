#include "tools/convert/mjcf_reader.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "engine/base/error.h"

namespace grashof::convert {

using xml::Element;

namespace {

// Types of joints, in the order of their names in readJoint.
constexpr int kHinge = 0, kSlide = 1, kBall = 2, kFree = 3;

}  // namespace

Tree MjcfReader::read() {
  if (document_.load()) {
    tree_.name = document_.root().text("model", std::filesystem::path(path_).stem().string());
    const auto sections = document_.sections();
    for (Element e : sections)
      if (e.tag() == "compiler") readCompiler(e);
    for (Element e : sections)
      if (e.tag() == "option") readOption(e);
    for (Element e : sections)
      if (e.tag() == "default") document_.readDefaults(e);
    for (Element e : sections)
      if (e.tag() == "asset") readAssets(e);
    static const std::vector<std::string> known = {"compiler", "option",   "default",  "asset",   "worldbody",
                                                   "equality", "actuator", "keyframe", "contact", "include"};
    for (Element e : sections) {
      if (e.tag() == "worldbody") readChildren(e, kWorldLink, {}, "");
      if (std::find(known.begin(), known.end(), e.tag()) == known.end())
        Report::once(report_.leftOut, "<" + e.tag() + ">");
    }
    boundInertias();
    for (Element e : sections) {
      if (e.tag() == "equality") readEqualities(e);
      if (e.tag() == "actuator") readActuators(e);
      if (e.tag() == "contact") readContacts(e);
    }
    readKeyframe(sections);
    if (tree_.links.empty())
      found_.push_back({path_, 0, {}, "there is no <body> (a model moves at least one)"});
  }
  if (!found_.empty()) throw InputError(found_);
  materials();
  return std::move(tree_);
}

void MjcfReader::readCompiler(Element& e) {
  document_.readAngles(e);
  meshFolder_ = e.text("meshdir", e.text("assetdir", meshFolder_));
  if (e.has("inertiafromgeom")) fromGeoms_ = e.choice("inertiafromgeom", 2, {"false", "true", "auto"});
  autoLimits_ = e.boolean("autolimits", autoLimits_);
  leastMass_ = e.number("boundmass", leastMass_, xml::kNotNegative);
  leastInertia_ = e.number("boundinertia", leastInertia_, xml::kNotNegative);
  balance_ = e.boolean("balanceinertia", balance_);
  totalMass_ = e.number("settotalmass", totalMass_);
  e.text("convexhull");
  e.text("discardvisual");
  e.text("fusestatic");
  e.text("usethread");
  e.text("strippath");
  noteUnread(e, {}, report_);
}

void MjcfReader::readOption(Element& e) {
  if (e.has("timestep")) tree_.timestep = e.number("timestep", 2e-3, {1e-9, 1.0, false});
  tree_.gravity = e.vector("gravity", tree_.gravity);
  noteUnread(e, {}, report_);
}

std::string MjcfReader::unique(Element& e, const char* kind, int count) {
  return scenarioName(e.has("name") ? e.text("name") : fmt::format("{}{}", kind, count), report_);
}

void MjcfReader::readChildren(Element& e, int link, const Pose& pose, const std::string& childClass) {
  for (Element child : e.children()) {
    const std::string tag = child.tag();
    if (tag == "body") {
      readBody(child, link, pose, childClass);
    } else if (tag == "geom") {
      readGeom(child, link, pose, childClass);
    } else if (tag == "frame") {
      const std::string inner = child.has("childclass") ? child.text("childclass") : childClass;
      const Pose inside = pose * document_.place(child);
      readChildren(child, link, inside, inner);
    } else if (tag == "site") {
      Report::once(report_.leftOut, "sites (they carry nothing that moves)");
    } else if (tag != "inertial" && tag != "joint" && tag != "freejoint") {
      Report::once(report_.leftOut, fmt::format("<{}> in <{}>", tag, e.tag()));
    }
  }
}

void MjcfReader::readBody(Element& e, int parent, const Pose& outer, const std::string& outerClass) {
  Link link;
  link.line = e.line();
  link.name = unique(e, "body", static_cast<int>(tree_.links.size()) + 1);
  if (tree_.findLink(link.name) >= 0) e.error("there is a body of this name already (names differ)");
  const Pose pose = outer * document_.place(e);
  const std::string childClass = e.has("childclass") ? e.text("childclass") : outerClass;
  bool inertialGiven = false;
  std::vector<Element> joints;
  for (Element child : e.children()) {
    if (child.tag() == "inertial" && fromGeoms_ != 1) {
      readInertial(child, link);
      inertialGiven = true;
    }
    if (child.tag() == "joint" || child.tag() == "freejoint") joints.push_back(child);
  }
  // Between several joints stand links without mass.
  int base = parent;
  Pose inBase = pose;
  const std::string name = link.name;
  for (std::size_t k = 0; k + 1 < joints.size(); ++k) {
    Link between;
    between.name = fmt::format("{}_between{}", name, k + 1);
    between.line = e.line();
    tree_.links.push_back(between);
    virtual_.push_back(tree_.links.size() - 1);
    readJoint(joints[k], base, static_cast<int>(tree_.links.size()) - 1, inBase, childClass);
    base = static_cast<int>(tree_.links.size()) - 1;
    inBase = {};
  }
  tree_.links.push_back(std::move(link));
  const int index = static_cast<int>(tree_.links.size()) - 1;
  if (joints.empty()) {
    LinkJoint fixed;
    fixed.name = name + "_fixed";
    fixed.line = e.line();
    fixed.parent = parent;
    fixed.child = index;
    fixed.parentFrame = pose;
    tree_.joints.push_back(std::move(fixed));
  } else {
    readJoint(joints.back(), base, index, inBase, childClass);
  }
  e.text("class");
  noteUnread(e, {"body", "geom", "frame", "site", "inertial", "joint", "freejoint"}, report_);
  readChildren(e, index, {}, childClass);
  addGeomMass(index, inertialGiven);
}

void MjcfReader::readInertial(Element& e, Link& link) {
  const Pose frame = document_.place(e);
  link.mass = e.requiredNumber("mass", xml::kNotNegative);
  link.center = frame.position;
  const auto full = e.numbers("fullinertia", {6});
  Mat3 i = e.vector("diaginertia", Vec3::Zero()).asDiagonal();
  if (!full.empty()) i << full[0], full[3], full[4], full[3], full[1], full[5], full[4], full[5], full[2];
  const Mat3 r = frame.rotation.toRotationMatrix();
  link.inertia = r * i * r.transpose();
  noteUnread(e, {}, report_);
}

JointCoordinate MjcfReader::readCoordinate(Element& e, int type, double reference) {
  const auto inUnit = [&](double x) { return type == kHinge ? document_.angle(x) : x; };
  JointCoordinate own;
  own.passive.stiffness = e.number("stiffness", 0.0, xml::kNotNegative);
  own.passive.rest = inUnit(e.number("springref", 0.0)) - reference;
  own.passive.damping = e.number("damping", 0.0, xml::kNotNegative);
  own.passive.armature = e.number("armature", 0.0, xml::kNotNegative);
  own.passive.dryFriction = e.number("frictionloss", 0.0, xml::kNotNegative);
  const auto range = e.numbers("range", {2});
  bool limited = autoLimits_ && !range.empty();
  if (e.has("limited")) {
    const std::string text = e.text("limited");
    if (text != "auto") limited = text == "true";
  }
  if (limited && range.size() == 2 && type < kBall) {
    own.limit.lower = inUnit(range[0]) - reference;
    own.limit.upper = inUnit(range[1]) - reference;
    if (own.limit.lower > own.limit.upper)
      e.error("the lower end of range is larger than the upper (swap them)");
  } else if (limited && type == kBall) {
    Report::once(report_.leftOut, "ranges of ball joints");
  }
  return own;
}

void MjcfReader::giveCoordinates(Element& e, int type, const JointCoordinate& own, LinkJoint& joint) {
  switch (type) {
    case kHinge:
    case kSlide:
      joint.kind = type == kHinge ? LinkJointKind::Revolute : LinkJointKind::Prismatic;
      joint.coordinates = {own};
      break;
    case kBall:
      joint.kind = LinkJointKind::Spherical;
      if (own.passive.smooth() || own.passive.dryFriction > 0.0) {
        joint.coordinates.assign(3, own);
        for (JointCoordinate& a : joint.coordinates) a.passive.rest = 0.0;
        Report::once(report_.approximated,
                     "springs, dampers, armature of ball joints act on the rotation vector, not on the "
                     "angular velocity");
      }
      break;
    default:
      joint.kind = LinkJointKind::Free;
      if (joint.parent >= 0)
        e.error("a free joint belongs to bodies of the <worldbody> (move the body there)");
  }
}

void MjcfReader::readJoint(Element& e, int parent, int child, const Pose& inParent,
                           const std::string& childClass) {
  LinkJoint j;
  j.line = e.line();
  const bool freeJoint = e.tag() == "freejoint";
  if (!freeJoint) document_.fill(e, childClass);
  j.name = unique(e, "joint", static_cast<int>(tree_.joints.size()) + 1);
  if (tree_.findJoint(j.name) >= 0) e.error("there is a joint of this name already (names differ)");
  const int type = freeJoint ? kFree : e.choice("type", kHinge, {"hinge", "slide", "ball", "free"});
  const Vec3 position = e.vector("pos", Vec3::Zero());
  Vec3 axis = e.vector("axis", Vec3::UnitZ());
  if (!(axis.norm() > 1e-9)) {
    e.error("the axis has no length (give a direction)");
    axis = Vec3::UnitZ();
  }
  const double given = e.number("ref", 0.0), reference = type == kHinge ? document_.angle(given) : given;
  const JointCoordinate own = readCoordinate(e, type, reference);
  e.text("class");
  e.text("group");
  noteUnread(e, {}, report_);
  j.parent = parent;
  j.child = child;
  references_[j.name] = reference;
  const Quat turn = type < kBall ? rotationBetween(Vec3::UnitX(), axis) : Quat::Identity();
  j.childFrame = {type == kFree ? Vec3(Vec3::Zero()) : position, turn};
  j.parentFrame = inParent * j.childFrame;
  giveCoordinates(e, type, own, j);
  tree_.joints.push_back(std::move(j));
}

Tree readMjcf(const std::string& path, const FileOptions& options, const std::string& keyframe,
              Report& report) {
  return MjcfReader(path, options, keyframe, report).read();
}

}  // namespace grashof::convert
