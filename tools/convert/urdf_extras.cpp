#include "tools/convert/urdf_extras.h"

#include <algorithm>

#include <fmt/format.h>

#include "tools/convert/urdf_features.h"

namespace grashof::convert {
namespace {

using xml::Element;

// What Gazebo and Bullet take where a file is silent.
constexpr double kGazeboFriction = 1.0, kGazeboDamping = 1.0;  // -, N s/m
constexpr double kBulletFriction = 0.5, kBulletDamping = 0.1;

int indexOf(const UrdfExtras::Names& names, const std::string& name) {
  const auto at = names.find(name);
  return at == names.end() ? -1 : at->second;
}

}  // namespace

std::string wordsOf(Element& e) {
  std::string text = e.has("value") ? e.text("value") : e.content();
  const auto blank = [](unsigned char c) { return std::isspace(c) != 0; };
  text.erase(text.begin(), std::find_if_not(text.begin(), text.end(), blank));
  text.erase(std::find_if_not(text.rbegin(), text.rend(), blank).base(), text.end());
  return text;
}

std::optional<double> numberOf(Element& e, xml::Range range) {
  if (e.has("value")) return e.requiredNumber("value", range);
  const auto numbers = xml::parseNumbers(wordsOf(e));
  const bool one = numbers && numbers->size() == 1;
  if (one && within(numbers->front(), range)) return numbers->front();
  e.error(one ? "must be >= 0" : "must hold one number");
  return std::nullopt;
}

bool saysTrue(Element& e) {
  const std::string text = wordsOf(e);
  return text == "1" || text == "true" || text == "True";
}

void UrdfExtras::readContact(Element& e, int link) {
  Surface s;
  bool any = false;
  for (Element c : e.children()) {
    const std::string tag = c.tag();
    std::optional<double>* const place = tag == "lateral_friction"    ? &s.friction
                                         : tag == "rolling_friction"  ? &s.rolling
                                         : tag == "spinning_friction" ? &s.spinning
                                         : tag == "restitution"       ? &s.restitution
                                         : tag == "stiffness"         ? &s.stiffness
                                         : tag == "damping"           ? &s.damping
                                                                      : nullptr;
    if (!place) continue;
    *place = numberOf(c, xml::kNotNegative);
    if (s.restitution) s.restitution = std::min(*s.restitution, 1.0);
    any = true;
  }
  if (any) surfaces_[link] = s;
  noteUrdf(e, report_);
}

void UrdfExtras::readGazebo(Element& e) {
  const std::string name = e.text("reference");
  const int link = indexOf(links_, name), joint = indexOf(joints_, name);
  if (link >= 0) readGazeboLink(e, link);
  if (joint >= 0) readGazeboJoint(e, joint);
  if (name.empty())
    for (Element c : e.children())
      if ((c.tag() == "selfCollide" || c.tag() == "self_collide") && !saysTrue(c))
        for (int i = 0; i < static_cast<int>(tree_.links.size()); ++i) alone_.push_back(i);
  if (!name.empty() && link < 0 && joint < 0)
    Report::once(report_.leftOut, fmt::format("<gazebo> of '{}', which is not there", name));
  noteUrdf(e, report_);
}

void UrdfExtras::readGazeboLink(Element& e, int link) {
  Surface s = surfaces_[link];
  bool any = false;
  for (Element c : e.children()) {
    const std::string tag = c.tag();
    std::optional<double>* const place = tag == "mu1" || tag == "mu" ? &s.friction
                                         : tag == "mu2"              ? &s.across
                                         : tag == "kp"               ? &s.stiffness
                                         : tag == "kd"               ? &s.damping
                                                                     : nullptr;
    if (place) {
      *place = numberOf(c);
      any = true;
    } else if (tag == "fdir1") {
      const auto axis = xml::parseNumbers(wordsOf(c));
      if (axis && axis->size() == 3)
        s.direction = Vec3((*axis)[0], (*axis)[1], (*axis)[2]);
      else
        c.error("must hold three numbers (a direction)");
    } else if ((tag == "turnGravityOff" && saysTrue(c)) || (tag == "gravity" && !saysTrue(c))) {
      tree_.links[static_cast<std::size_t>(link)].gravityCompensation = 1.0;
    } else if ((tag == "selfCollide" || tag == "self_collide") && !saysTrue(c)) {
      alone_.push_back(link);
    }
  }
  s.ofGazebo = s.ofGazebo || any;
  if (any || s.direction)
    surfaces_[link] = s;
  else if (!surfaces_[link].friction && !surfaces_[link].stiffness && !surfaces_[link].restitution)
    surfaces_.erase(link);
}

void UrdfExtras::readGazeboJoint(Element& e, int joint) {
  LinkJoint& j = tree_.joints[static_cast<std::size_t>(joint)];
  for (Element c : e.children()) {
    const std::string tag = c.tag();
    if (tag != "springStiffness" && tag != "springReference") continue;
    const auto value = numberOf(c);
    if (value && j.coordinates.size() == 1)
      (tag == "springStiffness" ? j.coordinates[0].passive.stiffness : j.coordinates[0].passive.rest) =
          *value;
  }
}

void UrdfExtras::readFilterGroup(Element& e) {
  const std::string name = e.requiredText("name");
  FilterGroup& group = groups_[name];
  if (e.has("ignore") && e.text("ignore") == "true") group = {};
  for (Element c : e.children()) {
    if (c.tag() == "drake:member") {
      const int link = indexOf(links_, c.requiredText("link"));
      if (link < 0)
        c.error("there is no such link (name a link of the robot)");
      else
        group.members.push_back(link);
    } else if (c.tag() == "drake:ignored_collision_filter_group") {
      group.ignored.push_back(c.requiredText("name"));
    }
  }
  noteUrdf(e, report_);
}

void UrdfExtras::keepApart(int a, int b) {
  if (a != b) tree_.excluded.emplace_back(std::min(a, b), std::max(a, b));
}

SurfaceWords UrdfExtras::wordsFor(const Surface& s, const SurfaceWords& usual) {
  SurfaceWords w = usual;
  if (s.friction || s.across) {
    const double mu = s.friction.value_or(usual.friction);
    setFriction(w, mu, s.across.value_or(mu), s.direction.has_value(), report_);
  }
  w.restitution = s.restitution.value_or(0.0);
  w.rolling = s.rolling.value_or(0.0);
  w.spinning = s.spinning.value_or(0.0);
  if (s.stiffness && *s.stiffness > 0.0) w.stiffness = *s.stiffness;
  if (s.damping) w.damping = std::max(*s.damping, 0.0);
  return w;
}

void UrdfExtras::giveMaterials() {
  if (surfaces_.empty()) return;
  const bool gazebo =
      std::any_of(surfaces_.begin(), surfaces_.end(), [](const auto& s) { return s.second.ofGazebo; });
  SurfaceBook book(gazebo ? PairRule::Smaller : PairRule::Product);
  SurfaceWords usual{.damping = gazebo ? kGazeboDamping : kBulletDamping};
  // A floor that adds nothing of its own.
  usual.friction = usual.across = gazebo ? kNoSlip : 1.0;
  book.materialOf(usual, tree_);
  usual.friction = usual.across = gazebo ? kGazeboFriction : kBulletFriction;
  tree_.materials[0].surface.friction = usual.friction;
  report_.assumed.push_back(
      fmt::format("surfaces by the rule of {}: of two the {}, {:g} where the file is silent; on a floor that "
                  "of the other",
                  gazebo ? "Gazebo" : "Bullet", gazebo ? "smaller friction" : "product of their frictions",
                  usual.friction));
  for (std::size_t i = 0; i < tree_.links.size(); ++i) {
    const auto own = surfaces_.find(static_cast<int>(i));
    const SurfaceWords words = own == surfaces_.end() ? usual : wordsFor(own->second, usual);
    for (Shape& shape : tree_.links[i].shapes) {
      if (!shape.collides) continue;
      shape.material = book.materialOf(words, tree_);
      if (words.across != words.friction) shape.frictionDirection = *own->second.direction;
    }
  }
}

void UrdfExtras::finish() {
  giveMaterials();
  for (const int a : alone_)
    for (int b = 0; b < static_cast<int>(tree_.links.size()); ++b) keepApart(a, b);
  for (const auto& [name, group] : groups_)
    for (const std::string& other : group.ignored)
      for (const int a : group.members)
        for (const int b : groups_[other].members) keepApart(a, b);
}

}  // namespace grashof::convert
