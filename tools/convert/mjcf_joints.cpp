#include <algorithm>

#include <fmt/format.h>

#include "tools/convert/mjcf_features.h"
#include "tools/convert/mjcf_reader.h"

namespace grashof::convert {

using xml::Element;

namespace {

// Types of joints, in the order of their names in readJoint.
constexpr int kHinge = 0, kSlide = 1, kBall = 2, kFree = 3;
constexpr int kByCompiler = 2;  // among the words of align

}  // namespace

void MjcfReader::collectJoints(Element& e, const Pose& pose, const std::string& childClass,
                               std::vector<PlacedJoint>& joints) {
  for (Element child : document_->children(e)) {
    if (child.tag() == "joint" || child.tag() == "freejoint") {
      joints.push_back({child, pose, childClass});
    } else if (child.tag() == "frame") {
      const std::string inner = child.has("childclass") ? child.text("childclass") : childClass;
      collectJoints(child, pose * document_->place(child), inner, joints);
    }
  }
}

double MjcfReader::firstOf(Element& e, const char* attribute) {
  const auto values = xml::parseNumbers(e.has(attribute) ? e.text(attribute) : "0");
  if (!values || values->empty() || (*values)[0] < 0.0) {
    e.error(fmt::format("{} needs a number >= 0", attribute));
    return 0.0;
  }
  if (std::any_of(values->begin() + 1, values->end(), [](double v) { return v != 0.0; }))
    Report::once(report_.leftOut,
                 fmt::format("higher coefficients of {} (springs and dampers are linear)", attribute));
  return (*values)[0];
}

bool MjcfReader::limited(Element& e, const char* limited, const char* range) const {
  if (e.has(limited)) {
    const int choice = e.choice(limited, 2, {"false", "true", "auto"});
    if (choice < 2) return choice == 1;
  }
  return compiler_.autoLimits && e.has(range);
}

void MjcfReader::narrow(double& lower, double& upper, double margin) {
  if (!(margin > 0.0) || !(upper > lower)) return;
  if (2.0 * margin > upper - lower)
    Report::once(report_.approximated, "margins beyond the middle of their range as up to the middle");
  const double within = std::min(margin, 0.5 * (upper - lower));
  lower += within;
  upper -= within;
}

JointCoordinate MjcfReader::readCoordinate(Element& e, int type, double reference) {
  const auto inUnit = [&](double x) { return type == kHinge ? document_->angle(x) : x; };
  JointCoordinate own;
  own.passive.stiffness = firstOf(e, "stiffness");
  own.passive.rest = inUnit(e.number("springref", 0.0)) - reference;
  own.passive.damping = firstOf(e, "damping");
  own.passive.armature = e.number("armature", 0.0, xml::kNotNegative);
  own.passive.dryFriction = e.number("frictionloss", 0.0, xml::kNotNegative);
  if (!enabled("spring")) own.passive.stiffness = 0.0;
  if (!enabled("damper")) own.passive.damping = 0.0;
  if (!enabled("frictionloss")) own.passive.dryFriction = 0.0;
  if (own.passive.dryFriction > 0.0)
    Report::once(report_.approximated, "dry friction of joints holds rigidly; MuJoCo's creeps under load");
  const bool bounded = limited(e, "limited", "range") && enabled("limit");
  const auto range = e.numbers("range", {2});
  const SoftParameters softness = readSoftness(e, "solreflimit", "solimplimit");
  const double margin = e.number("margin", 0.0, xml::kNotNegative);  // rad, whatever the unit of angles
  if (bounded && range.size() == 2 && type < kBall) {
    own.limit.lower = inUnit(range[0]) - reference;
    own.limit.upper = inUnit(range[1]) - reference;
    narrow(own.limit.lower, own.limit.upper, margin);
    own.limit.softness = softnessOf(softness);
    if (own.limit.lower > own.limit.upper)
      e.error("the lower end of range is larger than the upper (swap them)");
  } else if (bounded && type == kBall) {
    Report::once(report_.leftOut, "ranges of ball joints");
  }
  const bool forceBounded = limited(e, "actuatorfrclimited", "actuatorfrcrange");
  const auto force = e.numbers("actuatorfrcrange", {2});
  if (forceBounded && force.size() == 2) {
    if (force[0] == -force[1] && force[1] > 0.0)
      own.actuator.effortLimit = force[1];
    else
      Report::once(report_.leftOut, "actuatorfrcrange that is not symmetric");
  }
  return own;
}

void MjcfReader::giveCoordinates(Element& e, int type, const JointCoordinate& own, LinkJoint& joint) {
  const bool passive = own.passive.smooth() || own.passive.dryFriction > 0.0;
  switch (type) {
    case kHinge:
    case kSlide:
      joint.kind = type == kHinge ? LinkJointKind::Revolute : LinkJointKind::Prismatic;
      joint.coordinates = {own};
      break;
    case kBall:
      joint.kind = LinkJointKind::Spherical;
      if (passive) joint.coordinates.assign(3, own);
      break;
    default:
      joint.kind = LinkJointKind::Free;
      if (passive) joint.coordinates.assign(6, own);
      if (joint.parent >= 0)
        e.error("a free joint belongs to bodies of the <worldbody> (move the body there)");
  }
  if (type < kBall || !passive) return;
  for (JointCoordinate& a : joint.coordinates) {
    a.passive.rest = 0.0;
    a.limit = {};
    a.actuator = {};
  }
  Report::once(report_.approximated,
               fmt::format("springs, dampers, armature of {} joints act on the rotation vector, not on the "
                           "angular velocity",
                           type == kBall ? "ball" : "free"));
}

void MjcfReader::readJoint(PlacedJoint& placed, int parent, int child, const Pose& inParent) {
  Element& e = placed.element;
  LinkJoint j;
  j.line = e.line();
  const bool freeJoint = e.tag() == "freejoint";
  if (!freeJoint) document_->fill(e, placed.childClass);
  j.name = unique(e, "joint", jointNames_);
  enter(kJoints, e, static_cast<int>(tree_.joints.size()));
  const int type = freeJoint ? kFree : e.choice("type", kHinge, {"hinge", "slide", "ball", "free"});
  const Vec3 position = placed.frame * e.vector("pos", Vec3::Zero());
  Vec3 axis = placed.frame.rotation * e.vector("axis", Vec3::UnitZ());
  if (!(axis.norm() > 1e-9)) {
    e.error("the axis has no length (give a direction)");
    axis = Vec3::UnitZ();
  }
  const double given = e.number("ref", 0.0), reference = type == kHinge ? document_->angle(given) : given;
  const JointCoordinate own = freeJoint ? JointCoordinate{} : readCoordinate(e, type, reference);
  if (const auto range = e.numbers("range", {2}); range.size() == 2 && type < kBall)
    for (const std::size_t i : {0u, 1u})
      ranges_[static_cast<int>(tree_.joints.size())][i] =
          type == kHinge ? document_->angle(range[i]) : range[i];
  const auto springDamper = e.numbers("springdamper", {2});
  if (springDamper.size() == 2 && springDamper[0] > 0.0 && springDamper[1] > 0.0) {
    if (type < kBall)
      springDampers_[static_cast<int>(tree_.joints.size())] = {springDamper[0], springDamper[1]};
    else
      Report::once(report_.leftOut, "springdamper of ball and free joints");
  }
  e.text("class");
  const int align = freeJoint ? e.choice("align", kByCompiler, {"false", "true", "auto"}) : kByCompiler;
  if (type == kFree && (align == kByCompiler ? compiler_.alignFree : align == 1))
    aligned_.insert(static_cast<int>(tree_.joints.size()));
  noteMjcf(e, report_);
  j.parent = parent;
  j.child = child;
  references_.push_back(type < kBall ? reference : 0.0);
  const Quat turn = type < kBall ? rotationBetween(Vec3::UnitX(), axis) : Quat::Identity();
  j.childFrame = {type == kFree ? Vec3(Vec3::Zero()) : position, turn};
  j.parentFrame = inParent * j.childFrame;
  giveCoordinates(e, type, own, j);
  if (j.coordinates.size() == 1) j.initial = {0.0};  // the reference, also where limits leave it out
  tree_.joints.push_back(std::move(j));
}

}  // namespace grashof::convert
