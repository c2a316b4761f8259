#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <sdf/Element.hh>
#include <sdf/JointAxis.hh>
#include <sdf/parser.hh>

#include <fmt/format.h>

#include "engine/base/spelling.h"
#include "tools/convert/drives.h"
#include "tools/convert/sdf_math.h"
#include "tools/convert/sdf_reader.h"

namespace grashof::convert {
namespace {

// Where joints close a loop, balls do rather than hinges, and couplings keep their joints.
constexpr int kCoupled = 0, kOfOneAxis = 1, kOther = 2;
constexpr double kSameLine = 1e-3;    // sine of axes that count as one
constexpr double kSquareAxes = 1e-6;  // cosine
constexpr double kUnbounded = 1e16;   // SDF's infinity

Quat axisTurn(const Vec3& axis) { return rotationBetween(Vec3::UnitX(), axis); }

/// Left-handed radians per metre of a screw. The file may give metres per right-handed turn instead, as SDF
/// does from 1.10 on, which libsdformat 12 keeps as a text. Not a number where that is none.
double threadPitch(const sdf::Joint& joint) {
  const sdf::ElementPtr e = joint.Element();
  if (!e || !e->HasElement("screw_thread_pitch")) return joint.ThreadPitch();
  const sdf::ParamPtr value = e->GetElement("screw_thread_pitch")->GetValue();
  const auto numbers = xml::parseNumbers(value ? value->GetAsString() : "");
  if (!numbers || numbers->size() != 1) return std::numeric_limits<double>::quiet_NaN();
  return -2.0 * std::numbers::pi / numbers->front();
}

const char* nameOf(sdf::JointType type) {
  switch (type) {
    case sdf::JointType::BALL:
      return "ball";
    case sdf::JointType::FIXED:
      return "fixed";
    default:
      return "";
  }
}

}  // namespace

bool SdfReader::findPlaced(const std::string& name, const Scope& scope, const Where& where, Placed& placed) {
  if (name == "world") {
    placed = {};
    return true;
  }
  const auto at = placed_.find(scope.prefix + name);
  if (at == placed_.end()) {
    std::vector<std::string> names;
    for (const auto& entry : placed_) names.push_back(entry.first);
    const std::string near = closest(scope.prefix + name, names);
    error(where, fmt::format("there is no link '{}'{}", scope.prefix + name,
                             near.empty() ? "" : " (did you mean '" + near + "'?)"));
    return false;
  }
  placed = at->second;
  return true;
}

void SdfReader::readJoint(const sdf::Joint& joint, const Scope& scope) {
  const Where where =
      worldJoint_.value_or(whereIs(joint.Element(), fmt::format("{}/joint[{}]", scope.path, joint.Name())));
  std::string parentName = joint.ParentLinkName(), childName = joint.ChildLinkName();
  if (!worldJoint_ && (!sound(joint.ResolveParentLink(parentName), where) ||
                       !sound(joint.ResolveChildLink(childName), where)))
    return;
  Placed parent, child;
  if (!findPlaced(parentName, scope, where, parent) || !findPlaced(childName, scope, where, child)) return;
  LinkEdge edge;
  edge.rank = kOfOneAxis;
  edge.joint.name = unique(scenarioName(scope.prefix + joint.Name(), report_), jointNames_);
  edge.joint.line = where.file == path_ ? where.line : 0;
  edge.joint.parent = parent.link;
  edge.joint.child = child.link;
  if (parent.link == child.link) {
    if (parent.link >= 0)
      error(where, "joins a link to itself (parent and child must differ)");
    else
      report_.merged.push_back(fmt::format("joint {} (both its sides stand still)", edge.joint.name));
    return;
  }
  for (const auto& [moving, still] : {std::pair(child, parent), std::pair(parent, child)})
    if (moving.link >= 0 && !still.still.empty()) tree_.worldJoints.emplace_back(moving.link, still.still);
  const Pose frame = frameOf(joint, scope, child, where);
  if (joint.Type() == sdf::JointType::GEARBOX)
    addGearbox(joint, edge, frame, where, scope);
  else
    addJoint(joint, edge, frame, where, scope);
}

Pose SdfReader::frameOf(const sdf::Joint& joint, const Scope& scope, const Placed& child,
                        const Where& where) {
  if (!worldJoint_) return scope.pose * poseOf(joint.SemanticPose(), "__model__", where);
  const std::string& around = joint.PoseRelativeTo();
  worldJointFrame_ = (around.empty() ? child.pose : namedPose(around, where)) * poseFrom(joint.RawPose());
  return worldJointFrame_;
}

Pose SdfReader::namedPose(const std::string& name, const Where& where) {
  if (name == "world") return {};
  if (const auto link = placed_.find(name); link != placed_.end()) return link->second.pose;
  if (const auto model = modelPoses_.find(name); model != modelPoses_.end()) return model->second;
  error(where, fmt::format("'{}' is neither a link nor a model (name one, as in MODEL::LINK)", name));
  return {};
}

void SdfReader::readWorldJoints() {
  const XmlFile file(path_);
  const tinyxml2::XMLElement* world = file.rootElement().FirstChildElement("world");
  if (!world) return;
  for (const auto* e = world->FirstChildElement("joint"); e; e = e->NextSiblingElement("joint"))
    readWorldJoint(*e);
}

void SdfReader::readWorldJoint(const tinyxml2::XMLElement& e) {
  const char* name = e.Attribute("name");
  worldJoint_ = {path_, e.GetLineNum(), fmt::format("world/joint[{}]", name ? name : "")};
  tinyxml2::XMLPrinter printer;
  e.Accept(&printer);
  const auto element = std::make_shared<sdf::Element>();
  sdf::Errors errors;
  sdf::Joint joint;
  if (!sdf::initFile("joint.sdf", element) ||
      !sdf::readString(fmt::format("<sdf version='1.9'>{}</sdf>", printer.CStr()), element, errors))
    error(*worldJoint_, "is no joint (it needs name, type, <parent> and <child>)");
  else if (sound(errors, *worldJoint_) && sound(joint.Load(element), *worldJoint_))
    readJoint(joint, {});
  worldJoint_.reset();
}

Pose SdfReader::worldPose(int link) const {
  return link < 0 ? Pose{} : worldPoses_[static_cast<std::size_t>(link)];
}

void SdfReader::placeEdge(LinkEdge& edge, const Pose& frame, const Quat& turn) const {
  const Pose turned = frame * Pose{Vec3::Zero(), turn};
  edge.joint.parentFrame = worldPose(edge.joint.parent).inverse() * turned;
  edge.joint.childFrame = worldPose(edge.joint.child).inverse() * turned;
}

void SdfReader::addJoint(const sdf::Joint& source, LinkEdge edge, const Pose& frame, const Where& where,
                         const Scope& scope) {
  LinkJoint& joint = edge.joint;
  Quat turn = Quat::Identity();
  switch (source.Type()) {
    case sdf::JointType::CONTINUOUS:
    case sdf::JointType::REVOLUTE:
    case sdf::JointType::PRISMATIC:
      joint.kind =
          source.Type() == sdf::JointType::PRISMATIC ? LinkJointKind::Prismatic : LinkJointKind::Revolute;
      turn = axisTurn(axisOf(source, 0, where));
      joint.coordinates = {coordinateOf(source, 0, where)};
      boundMotor(source, joint.sheet);
      if (source.Type() == sdf::JointType::CONTINUOUS) {
        joint.coordinates[0].limit = {};
      }
      readMimic(source, edge, where, scope);
      break;
    case sdf::JointType::BALL:
    case sdf::JointType::FIXED:
      joint.kind = source.Type() == sdf::JointType::BALL ? LinkJointKind::Spherical : LinkJointKind::Fixed;
      edge.rank = kOther;
      if (source.Axis(0))
        Report::once(report_.leftOut,
                     fmt::format("<axis> of {} joints (with its damping and limits)", nameOf(source.Type())));
      break;
    case sdf::JointType::UNIVERSAL:
    case sdf::JointType::REVOLUTE2:
      return addTwoTurns(source, edge, frame, where);
    case sdf::JointType::SCREW:
      return addScrew(source, edge, frame, where);
    default:
      return error(
          where,
          "has no type that is read (revolute, continuous, prismatic, ball, fixed, universal, revolute2, "
          "screw, gearbox)");
  }
  placeEdge(edge, frame, turn);
  edges_.push_back(std::move(edge));
}

/// Below zero there is no bound, in SDF's words.
void SdfReader::boundMotor(const sdf::Joint& source, Motor& sheet) {
  const sdf::JointAxis* axis = source.Axis(0);
  const auto bound = [](double value) { return value >= 0.0 && value < kUnbounded ? value : xml::kInfinity; };
  if (axis) boundDrive(sheet, bound(axis->Effort()), bound(axis->MaxVelocity()), report_);
}

/// SDF has these from 1.11 on; libsdformat 12 keeps them as texts.
void SdfReader::readMimic(const sdf::Joint& source, LinkEdge& edge, const Where& where, const Scope& scope) {
  const sdf::ElementPtr e = source.Element();
  const sdf::ElementPtr axis = e && e->HasElement("axis") ? e->GetElement("axis") : nullptr;
  if (!axis || !axis->HasElement("mimic")) return;
  const sdf::ElementPtr mimic = axis->GetElement("mimic");
  const sdf::ParamPtr leader = mimic->GetAttribute("joint");
  if (!leader) return error(where, "its <mimic> needs the attribute joint (which joint does it follow?)");
  const auto number = [&](const char* name, double usual) {
    const sdf::ParamPtr value = mimic->HasElement(name) ? mimic->GetElement(name)->GetValue() : nullptr;
    if (!value) return usual;
    const auto numbers = xml::parseNumbers(value->GetAsString());
    if (numbers && numbers->size() == 1) return numbers->front();
    error(where, fmt::format("{} of its <mimic> must be a number", name));
    return usual;
  };
  const double multiplier = number("multiplier", 1.0), offset = number("offset", 0.0),
               reference = number("reference", 0.0);
  ratios_.push_back({edge.joint.name + "_mimic", edge.joint.name,
                     scenarioName(scope.prefix + leader->GetAsString(), report_), multiplier,
                     offset - multiplier * reference});
}

Vec3 SdfReader::axisOf(const sdf::Joint& joint, unsigned index, const Where& where) {
  const sdf::JointAxis* axis = joint.Axis(index);
  if (!axis) {
    error(where, fmt::format("needs <axis{}> with <xyz> (add it)", index == 0 ? "" : "2"));
    return Vec3::UnitX();
  }
  ignition::math::Vector3d resolved = axis->Xyz();
  if (!worldJoint_ && !sound(axis->ResolveXyz(resolved), where)) return Vec3::UnitX();
  Vec3 v = vectorOf(resolved);
  if (const std::string& in = axis->XyzExpressedIn(); worldJoint_ && !in.empty())
    v = worldJointFrame_.rotation.conjugate() * (namedPose(in, where).rotation * v);
  if (v.allFinite() && v.norm() > 1e-9) return v.normalized();
  error(where, "the axis has no length (give a direction)");
  return Vec3::UnitX();
}

JointCoordinate SdfReader::coordinateOf(const sdf::Joint& joint, unsigned index, const Where& where) {
  JointCoordinate own;
  const sdf::JointAxis* axis = joint.Axis(index);
  if (!axis) return own;
  if (axis->Lower() > -kUnbounded) own.limit.lower = axis->Lower();
  if (axis->Upper() < kUnbounded) own.limit.upper = axis->Upper();
  if (own.limit.lower > own.limit.upper) error(where, "lower is larger than upper (swap them)");
  keepStart(joint.Name(), own.limit);
  own.passive.damping = axis->Damping();
  own.passive.dryFriction = axis->Friction();
  own.passive.stiffness = axis->SpringStiffness();
  own.passive.rest = axis->SpringReference();
  for (const auto& [value, name] :
       {std::pair{&own.passive.damping, "damping"}, std::pair{&own.passive.dryFriction, "friction"},
        std::pair{&own.passive.stiffness, "spring_stiffness"}}) {
    if (*value >= 0.0) continue;
    error(where, fmt::format("{} must be >= 0", name));
    *value = 0.0;
  }
  return own;
}

void SdfReader::keepStart(const std::string& name, Limit& limit) {
  const auto leaveOut = [&](double& bound, const char* side, double none) {
    report_.leftOut.push_back(
        fmt::format("{} limit {:.4g} of joint {}, which it starts beyond (the poses of the links count)",
                    side, bound, name));
    bound = none;
  };
  constexpr double kNone = std::numeric_limits<double>::infinity();
  if (limit.lower > 0.0) leaveOut(limit.lower, "lower", -kNone);
  if (limit.upper < 0.0) leaveOut(limit.upper, "upper", kNone);
}

int SdfReader::addBetween(const std::string& name, const Pose& pose, int line) {
  Link link;
  link.name = name;
  link.line = line;
  for (int n = 2; tree_.findLink(link.name) >= 0; ++n) link.name = fmt::format("{}_{}", name, n);
  worldPoses_.push_back(pose);
  tree_.links.push_back(std::move(link));
  return static_cast<int>(tree_.links.size()) - 1;
}

void SdfReader::addTwoTurns(const sdf::Joint& source, const LinkEdge& edge, const Pose& frame,
                            const Where& where) {
  const Vec3 first = axisOf(source, 0, where), second = axisOf(source, 1, where);
  const JointCoordinate own1 = coordinateOf(source, 0, where), own2 = coordinateOf(source, 1, where);
  if (first.cross(second).norm() < kSameLine)
    return error(where, "its two axes are parallel (give them different directions)");
  if (std::abs(first.dot(second)) <= kSquareAxes) {
    LinkEdge whole = edge;
    Mat3 axes;
    axes << first, second, first.cross(second);
    whole.joint.kind = LinkJointKind::Universal;
    whole.joint.coordinates = {own1, own2};
    placeEdge(whole, frame, Quat(axes).normalized());
    edges_.push_back(std::move(whole));
    return;
  }
  // Two hinges with a link between them.
  const int between = addBetween(edge.joint.name + "_between", frame, edge.joint.line);
  LinkEdge a = edge, b = edge;
  a.joint.kind = b.joint.kind = LinkJointKind::Revolute;
  a.joint.child = b.joint.parent = between;
  a.joint.coordinates = {own1};
  b.joint.coordinates = {own2};
  b.joint.name = unique(edge.joint.name + "_2", jointNames_);
  placeEdge(a, frame, axisTurn(first));
  placeEdge(b, frame, axisTurn(second));
  edges_.push_back(std::move(a));
  edges_.push_back(std::move(b));
}

void SdfReader::addScrew(const sdf::Joint& source, const LinkEdge& edge, const Pose& frame,
                         const Where& where) {
  const double pitch = threadPitch(source);
  if (!(std::abs(pitch) > 1e-12) || !std::isfinite(pitch))
    return error(where, "thread_pitch (rad/m) or screw_thread_pitch (m) must be a number other than 0");
  const Quat turn = axisTurn(axisOf(source, 0, where));
  const int between = addBetween(edge.joint.name + "_between", frame, edge.joint.line);
  LinkEdge slide = edge, hinge = edge;
  slide.rank = hinge.rank = kCoupled;
  slide.joint.kind = LinkJointKind::Prismatic;
  hinge.joint.kind = LinkJointKind::Revolute;
  slide.joint.child = hinge.joint.parent = between;
  slide.joint.name = unique(edge.joint.name + "_slide", jointNames_);
  slide.joint.coordinates = {JointCoordinate{}};
  hinge.joint.coordinates = {coordinateOf(source, 0, where)};
  Report::once(report_.assumed, "limits, damping and springs of screw joints are those of their rotation");
  ratios_.push_back({edge.joint.name + "_thread", slide.joint.name, hinge.joint.name, -1.0 / pitch, 0.0});
  for (LinkEdge* e : {&slide, &hinge}) {
    placeEdge(*e, frame, turn);
    edges_.push_back(std::move(*e));
  }
}

void SdfReader::addGearbox(const sdf::Joint& source, const LinkEdge& edge, const Pose& frame,
                           const Where& where, const Scope& scope) {
  const std::string name = source.Element()->Get<std::string>("gearbox_reference_body", "").first;
  Placed reference;
  if (name.empty() || name == "__default__")
    return error(where, "needs <gearbox_reference_body> (the link against which both sides turn)");
  if (!findPlaced(name, scope, where, reference)) return;
  Gearbox g;
  g.name = edge.joint.name;
  g.where = where;
  g.reference = reference.link;
  g.parent = edge.joint.parent;
  g.child = edge.joint.child;
  g.axis1 = frame.rotation * axisOf(source, 0, where);
  g.axis2 = source.Axis(1) ? Vec3(frame.rotation * axisOf(source, 1, where)) : g.axis1;
  g.ratio = source.Element()->Get<double>("gearbox_ratio", 1.0).first;
  if (!std::isfinite(g.ratio) || g.ratio == 0.0)
    return error(where, "gearbox_ratio must be a number other than 0");
  for (const unsigned i : {0u, 1u})
    if (const JointCoordinate own = coordinateOf(source, i, where);
        own.limit.bounded() || own.passive.smooth() || own.passive.dryFriction > 0.0)
      Report::once(report_.leftOut,
                   "limits and dynamics of gearbox joints (give them to the joints they couple)");
  gearboxes_.push_back(std::move(g));
}

SdfReader::Turning SdfReader::turningOf(int reference, int link, const Vec3& axis) const {
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    const LinkJoint& j = edges_[e].joint;
    const bool forward = j.parent == reference && j.child == link;
    if (j.kind != LinkJointKind::Revolute || (!forward && (j.parent != link || j.child != reference)))
      continue;
    const Vec3 own = worldPose(j.parent).rotation * (j.parentFrame.rotation * Vec3::UnitX());
    if (own.cross(axis).norm() > kSameLine) continue;
    return {static_cast<int>(e), (forward ? 1.0 : -1.0) * (own.dot(axis) > 0.0 ? 1.0 : -1.0)};
  }
  return {};
}

void SdfReader::coupleGearboxes() {
  for (const Gearbox& g : gearboxes_) {
    const Turning first = turningOf(g.reference, g.parent, g.axis1);
    const Turning second = turningOf(g.reference, g.child, g.axis2);
    if (first.edge < 0 || second.edge < 0) {
      error(
          g.where,
          "couples two revolute joints of the gearbox_reference_body, to its parent about <axis> and to its "
          "child about <axis2>, which are not there (add them)");
      continue;
    }
    LinkEdge &a = edges_[static_cast<std::size_t>(first.edge)],
             &b = edges_[static_cast<std::size_t>(second.edge)];
    a.rank = b.rank = kCoupled;
    // theta_2 = -ratio theta_1
    ratios_.push_back({g.name, b.joint.name, a.joint.name, -g.ratio * first.sign * second.sign, 0.0});
  }
}

void SdfReader::rankCoupled() {
  for (const Ratio& r : ratios_)
    for (LinkEdge& edge : edges_)
      if (edge.joint.name == r.a || edge.joint.name == r.b) edge.rank = kCoupled;
}

void SdfReader::addCouplings() {
  for (const Ratio& r : ratios_) {
    const int a = tree_.findJoint(r.a), b = tree_.findJoint(r.b);
    const auto simple = [&](int joint) {
      return tree_.joints[static_cast<std::size_t>(joint)].coordinates.size() == 1;
    };
    if (a < 0 || b < 0)
      report_.leftOut.push_back(
          fmt::format("coupling {} (a joint of it closes a loop, or is not there)", r.name));
    else if (!simple(a) || !simple(b))
      report_.leftOut.push_back(fmt::format("coupling {} (its joints have not one axis)", r.name));
    else
      tree_.mimics.push_back({r.name, a, b, r.ratio, r.offset, {}});
  }
}

}  // namespace grashof::convert
