#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "joints/types/types.h"
#include "tools/convert/mjcf_reader.h"

namespace grashof::convert {

using xml::Element;

int MjcfReader::bodyOf(Element& e, const char* attribute, bool required) {
  const std::string name = required || e.has(attribute) ? e.requiredText(attribute) : "world";
  if (name == "world") return kWorldLink;
  const int link = tree_.findLink(name);
  if (link < 0 && !name.empty()) e.error(fmt::format("{}=\"{}\": there is no such body", attribute, name));
  return link;
}

int MjcfReader::jointOf(Element& e, const char* attribute) {
  const std::string name = e.requiredText(attribute);
  const int joint = tree_.findJoint(name);
  if (joint < 0 && !name.empty()) e.error(fmt::format("{}=\"{}\": there is no such joint", attribute, name));
  return joint;
}

Pose MjcfReader::zeroPose(int link) const {
  Pose pose;
  while (link >= 0) {
    const auto j = std::find_if(tree_.joints.begin(), tree_.joints.end(),
                                [&](const LinkJoint& joint) { return joint.child == link; });
    if (j == tree_.joints.end()) break;
    pose = j->parentFrame * (j->childFrame.inverse() * pose);
    link = j->parent;
  }
  return pose;
}

void MjcfReader::readEqualities(Element& section) {
  for (Element e : section.children()) {
    document_.fill(e, "");
    e.text("class");
    if (!e.boolean("active", true)) {
      report_.leftOut.push_back(fmt::format("<{}> {} (not active)", e.tag(), e.text("name")));
      continue;
    }
    for (const char* soft : {"solref", "solimp"})
      if (e.has(soft)) {
        e.text(soft);
        Report::once(report_.approximated, "equalities are rigid (solref, solimp not taken)");
      }
    const std::string name = unique(e, e.tag().c_str(), static_cast<int>(tree_.loops.size()) + 1);
    if (e.tag() == "connect" || e.tag() == "weld") {
      Loop loop;
      loop.name = name;
      loop.line = e.line();
      loop.linkA = bodyOf(e, "body1", true);
      loop.linkB = bodyOf(e, "body2", false);
      const Vec3 anchor = e.vector("anchor", Vec3::Zero());
      loop.type = e.tag() == "connect" ? &sphericalJoint() : &fixedJoint();
      if (e.tag() == "connect" && !e.has("anchor")) e.error("needs an anchor (body1's frame)");
      const auto relative = e.numbers("relpose", {7});
      e.text("torquescale");
      if (loop.linkA == -2 || loop.linkB == -2) continue;
      loop.frameA.position = e.tag() == "connect" ? anchor : Vec3(Vec3::Zero());
      loop.frameB = zeroPose(loop.linkB).inverse() * (zeroPose(loop.linkA) * loop.frameA);
      if (e.tag() == "weld" && relative.size() == 7) {
        const Quat q(relative[3], relative[4], relative[5], relative[6]);
        if (q.norm() > 1e-9)
          loop.frameB = Pose{Vec3(relative[0], relative[1], relative[2]), q.normalized()}.inverse();
      }
      tree_.loops.push_back(loop);
    } else if (e.tag() == "joint") {
      const auto poly = e.numbers("polycoef", {1, 2, 3, 4, 5});
      const int a = jointOf(e, "joint1");
      const int b = e.has("joint2") ? jointOf(e, "joint2") : -1;
      if (a < 0 || b == -2) continue;
      bool linear = b >= 0;
      for (std::size_t i = 2; i < poly.size(); ++i) linear = linear && poly[i] == 0.0;
      if (!linear) {
        report_.leftOut.push_back(
            fmt::format("<joint> equality {} (only a0 + a1 x between two joints is taken)", name));
        continue;
      }
      tree_.mimics.push_back({name, a, b,
                              poly.size() > 1 ? poly[1]
                              : poly.empty()  ? 1.0
                                              : 0.0,
                              poly.empty() ? 0.0 : poly[0]});
    } else {
      Report::once(report_.leftOut, "<" + e.tag() + "> in <equality>");
      continue;
    }
    noteUnread(e, {}, report_);
  }
}

void MjcfReader::readActuators(Element& section) {
  for (Element e : section.children()) {
    document_.fill(e, "");
    const std::string kind = e.tag();
    const std::string name = unique(e, "actuator", static_cast<int>(tree_.signals.size()) + 1);
    if ((kind != "motor" && kind != "position" && kind != "velocity") || !e.has("joint")) {
      Report::once(report_.leftOut,
                   fmt::format("<{}> actuators{}", kind, e.has("joint") ? "" : " that act on no joint"));
      continue;
    }
    const int index = jointOf(e, "joint");
    const auto gears = e.numbers("gear", {1, 2, 3, 4, 5, 6});
    const double gear = gears.empty() ? 1.0 : gears[0];
    const double kp = e.number("kp", 1.0, xml::kNotNegative);
    const double kv = e.number("kv", kind == "velocity" ? 1.0 : 0.0, xml::kNotNegative);
    const auto force = e.numbers("forcerange", {2});
    const auto control = e.numbers("ctrlrange", {2});
    for (const char* ignored : {"class", "group", "user"}) e.text(ignored);
    const bool controlLimited = !control.empty() && e.text("ctrllimited", "true") != "false";
    const bool forceLimited = !force.empty() && e.text("forcelimited", "true") != "false";
    noteUnread(e, {}, report_);
    if (index < 0) continue;
    LinkJoint& joint = tree_.joints[static_cast<std::size_t>(index)];
    if (joint.coordinates.size() != 1 || gear == 0.0) {
      report_.leftOut.push_back(
          fmt::format("<{}> {} (its joint has not one coordinate, or its gear is 0)", kind, name));
      continue;
    }
    Actuator& a = joint.coordinates[0].actuator;
    if (a.kind != Actuator::Kind::None && !(a.kind == Actuator::Kind::Position && kind == "velocity")) {
      report_.leftOut.push_back(
          fmt::format("<{}> {} (joint {} has an actuator already)", kind, name, joint.name));
      continue;
    }
    if (a.kind == Actuator::Kind::Position) {
      a.derivativeGain += kv * gear * gear;
      report_.merged.push_back(
          fmt::format("velocity servo {} into the position servo of joint {}", name, joint.name));
      continue;
    }
    Signal s;
    s.name = name;
    if (kind == "motor") {
      a.kind = Actuator::Kind::Effort;
      if (controlLimited) limitEffort(a, name, "ctrlrange", control, gear);
    } else if (kind == "position") {
      a.kind = Actuator::Kind::Position;
      a.proportionalGain = kp * gear * gear;
      a.derivativeGain = kv * gear * gear;
      s.offset = -references_[joint.name];
    } else {
      a.kind = Actuator::Kind::Velocity;
      a.derivativeGain = kv * gear * gear;
    }
    if (kind != "motor" && controlLimited)
      report_.leftOut.push_back(fmt::format("ctrlrange of {} (limit its motion instead)", name));
    if (forceLimited) limitEffort(a, name, "forcerange", force, gear);
    a.signal = static_cast<int>(tree_.signals.size());
    tree_.signals.push_back(std::move(s));
  }
}

void MjcfReader::limitEffort(Actuator& a, const std::string& name, const char* attribute,
                             const std::vector<double>& range, double gear) {
  if (range[0] == -range[1] && range[1] > 0.0)
    a.effortLimit = std::min(a.effortLimit, std::abs(gear) * range[1]);
  else
    report_.leftOut.push_back(fmt::format("{} of {} (not symmetric)", attribute, name));
}

void MjcfReader::readContacts(Element& section) {
  for (Element e : section.children()) {
    if (e.tag() != "exclude") {
      Report::once(report_.leftOut, "<" + e.tag() + "> in <contact>");
      continue;
    }
    const int a = bodyOf(e, "body1", true), b = bodyOf(e, "body2", true);
    if (a != -2 && b != -2 && a != b) tree_.excluded.emplace_back(a, b);
  }
}

void MjcfReader::readKeyframe(const std::vector<Element>& sections) {
  bool found = keyframe_.empty();
  for (const Element& section : sections) {
    if (section.tag() != "keyframe") continue;
    for (Element e : section.children()) {
      if (keyframe_.empty()) {
        Report::once(report_.assumed, "the start is the model's own pose (--keyframe NAME takes another)");
        continue;
      }
      if (e.text("name") != keyframe_) continue;
      found = true;
      std::size_t needed = 0;
      for (const LinkJoint& j : tree_.joints)
        needed += j.kind == LinkJointKind::Free        ? 7u
                  : j.kind == LinkJointKind::Spherical ? 4u
                  : j.kind == LinkJointKind::Fixed     ? 0u
                                                       : 1u;
      const auto q = e.numbers("qpos", {needed});
      if (q.empty()) continue;
      std::size_t at = 0;
      for (LinkJoint& j : tree_.joints) {
        const auto quaternion = [&] {
          const Quat turn(q[at], q[at + 1], q[at + 2], q[at + 3]);
          at += 4;
          return turn.normalized();
        };
        if (j.kind == LinkJointKind::Free) {
          const Pose goal{Vec3(q[at], q[at + 1], q[at + 2]), Quat::Identity()};
          at += 3;
          const Pose moved = j.parentFrame.inverse() * Pose{goal.position, quaternion()};
          const Vec3 turn = logRotation(moved.rotation);
          j.initial = {moved.position.x(), moved.position.y(), moved.position.z(),
                       turn.x(),           turn.y(),           turn.z()};
        } else if (j.kind == LinkJointKind::Spherical) {
          const Vec3 turn = logRotation(quaternion());
          j.initial = {turn.x(), turn.y(), turn.z()};
        } else if (j.kind != LinkJointKind::Fixed) {
          j.initial = {q[at++] - references_[j.name]};
        }
      }
      e.text("time");
      noteUnread(e, {}, report_);
    }
  }
  if (!found) found_.push_back({path_, 0, "keyframe", fmt::format("there is no keyframe '{}'", keyframe_)});
}

}  // namespace grashof::convert
