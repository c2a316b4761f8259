#include "tools/convert/mjcf_document.h"

#include <algorithm>
#include <cctype>
#include <numbers>

#include <fmt/format.h>

#include "engine/base/error.h"

namespace grashof::convert {
namespace {

using xml::Element;

constexpr int kDeepest = 16;  // includes
constexpr std::size_t kMaxElements = 1'000'000;

const std::vector<std::string> kOrientations = {"quat", "euler", "axisangle", "xyaxes", "zaxis"};

}  // namespace

void MjcfDocument::readAngles(Element& e) {
  if (e.has("angle")) degrees_ = e.choice("angle", 1, {"radian", "degree"}) == 1;
  if (e.has("coordinate") && e.choice("coordinate", 0, {"local", "global"}) == 1)
    e.error("coordinate=\"global\" is not read (save the model with local coordinates)");
  sequence_ = e.text("eulerseq", sequence_);
  if (sequence_.size() != 3 || sequence_.find_first_not_of("xyzXYZ") != std::string::npos) {
    e.error("eulerseq must be three of x y z X Y Z");
    sequence_ = "xyz";
  }
}

bool MjcfDocument::load(const std::string& path, int depth) {
  if (depth > kDeepest) {
    found_.push_back({path, 0, {}, fmt::format("includes are nested more than {} deep", kDeepest)});
    return false;
  }
  files_.push_back(std::make_unique<XmlFile>(path));
  Element root = files_.back()->root(found_);
  if (depth == 0 && root.tag() != "mujoco") root.error("the root element of an MJCF is <mujoco>");
  roots_.push_back(root);
  bool good = true;
  for (Element e : root.children())
    if (e.tag() == "include") good = include(e, depth) && good;
  return good;
}

bool MjcfDocument::include(Element& e, int depth) {
  const std::string name = e.requiredText("file");
  if (name.empty()) return false;
  try {
    const std::string file = findFile(path_, name, options_);
    if (file.empty()) {
      e.error(fmt::format("the file '{}' is not there (paths start at the folder of the model)", name));
      return false;
    }
    return load(file, depth + 1);
  } catch (const InputError& error) {
    e.error(error.what());
    return false;
  }
}

std::vector<Element> MjcfDocument::sections() const {
  std::vector<Element> all;
  for (const Element& root : roots_)
    for (const Element& e : root.children()) all.push_back(e);
  return all;
}

void MjcfDocument::readDefaults(Element& e, const std::string& fallback,
                                std::map<std::string, Attributes> inherited) {
  const std::string name = e.has("class") ? e.text("class") : fallback;
  for (Element child : e.children())
    if (child.tag() != "default")
      for (const std::string& attribute : child.unread())
        inherited[child.tag()][attribute] = child.text(attribute.c_str());
  defaults_[name] = inherited;
  for (Element child : e.children())
    if (child.tag() == "default") readDefaults(child, "", inherited);
}

void MjcfDocument::fill(Element& e, const std::string& childClass) {
  if (++elements_ > kMaxElements) throw InputError(path_ + ": more than a million elements (is it a model?)");
  const std::string name = e.has("class") ? e.text("class") : childClass.empty() ? "main" : childClass;
  const auto known = defaults_.find(name);
  if (known == defaults_.end()) {
    if (name != "main") e.error(fmt::format("there is no default class '{}'", name));
    return;
  }
  const auto own = known->second.find(e.tag());
  if (own == known->second.end()) return;
  const bool turned = std::any_of(kOrientations.begin(), kOrientations.end(),
                                  [&](const std::string& o) { return e.has(o.c_str()); });
  for (const auto& [attribute, value] : own->second) {
    if (attribute == "class" || e.has(attribute.c_str())) continue;
    if (turned && std::find(kOrientations.begin(), kOrientations.end(), attribute) != kOrientations.end())
      continue;
    e.set(attribute.c_str(), value);
  }
}

double MjcfDocument::angle(double x) const { return degrees_ ? x * std::numbers::pi / 180.0 : x; }

Quat MjcfDocument::orientation(Element& e) const {
  const auto quat = e.numbers("quat", {4});
  const auto euler = e.numbers("euler", {3});
  const auto axisAngle = e.numbers("axisangle", {4});
  const auto axes = e.numbers("xyaxes", {6});
  const auto z = e.numbers("zaxis", {3});
  if (!quat.empty()) {
    const Quat q(quat[0], quat[1], quat[2], quat[3]);
    if (!(q.norm() > 1e-12)) {
      e.error("quat has no length (1 0 0 0 is no rotation)");
      return Quat::Identity();
    }
    return q.normalized();
  }
  if (!euler.empty()) {
    Quat q = Quat::Identity();
    for (std::size_t i = 0; i < 3; ++i) {
      const char c = sequence_[i];
      const Vec3 axis = Vec3::Unit(std::tolower(c) - 'x');
      const Quat turn = expRotation(angle(euler[i]) * axis);
      q = std::islower(c) ? q * turn : turn * q;
    }
    return q.normalized();
  }
  if (!axisAngle.empty()) {
    const Vec3 axis(axisAngle[0], axisAngle[1], axisAngle[2]);
    if (axis.norm() > 1e-12) return expRotation(angle(axisAngle[3]) * axis.normalized());
    e.error("axisangle has an axis without length");
  }
  if (!axes.empty()) {
    const Vec3 x = Vec3(axes[0], axes[1], axes[2]).normalized();
    Vec3 y(axes[3], axes[4], axes[5]);
    y = (y - x.dot(y) * x).normalized();
    if (!x.allFinite() || !y.allFinite() || y.norm() < 0.5) {
      e.error("xyaxes needs two axes that are not parallel");
      return Quat::Identity();
    }
    Mat3 r;
    r << x, y, x.cross(y);
    return Quat(r).normalized();
  }
  if (!z.empty()) {
    const Vec3 axis(z[0], z[1], z[2]);
    if (axis.norm() > 1e-12) return rotationBetween(Vec3::UnitZ(), axis);
    e.error("zaxis has no length");
  }
  return Quat::Identity();
}

Pose MjcfDocument::place(Element& e) const { return {e.vector("pos", Vec3::Zero()), orientation(e)}; }

}  // namespace grashof::convert
