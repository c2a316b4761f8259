#include "tools/convert/mjcf_document.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <numbers>
#include <sstream>

#include <fmt/format.h>

#include "engine/base/error.h"

namespace grashof::convert {
namespace {

using xml::Element;

constexpr std::size_t kMaxElements = 1'000'000;

const std::vector<std::string> kOrientations = {"quat", "euler", "axisangle", "xyaxes", "zaxis"};
/// Lists of which an element may give the first numbers only.
const std::vector<std::string> kLists = {
    "size",           "friction", "solref", "solimp",  "solreflimit", "solimplimit", "solreffriction",
    "solimpfriction", "polycoef", "gear",   "gainprm", "biasprm",     "dynprm"};

bool contains(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

/// The words of `given`, then those of `usual` beyond as many.
std::string completed(const std::string& given, const std::string& usual) {
  std::istringstream ours(given), theirs(usual);
  std::string all, word, other;
  while (ours >> word) {
    theirs >> other;
    all += (all.empty() ? "" : " ") + word;
  }
  while (theirs >> other) all += " " + other;
  return all;
}

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

bool MjcfDocument::load() {
  files_[path_] = std::make_unique<XmlFile>(path_);
  Element top = root();
  if (top.tag() == "mujoco") return true;
  top.error("the root element of an MJCF is <mujoco>");
  return false;
}

Element MjcfDocument::root() { return files_.at(path_)->root(found_); }

bool MjcfDocument::includes(const std::string& file, const std::string& other) const {
  if (file == other) return true;
  const auto inside = includedFrom_.find(file);
  return inside != includedFrom_.end() &&
         std::any_of(inside->second.begin(), inside->second.end(),
                     [&](const std::string& next) { return includes(next, other); });
}

XmlFile* MjcfDocument::included(const Element& include) {
  Element e = include;
  const std::string name = e.requiredText("file");
  const std::string place = fmt::format("{}:{}:{}", e.file(), e.line(), name);
  const auto known = byInclude_.find(place);
  if (known != byInclude_.end()) return known->second;
  XmlFile*& file = byInclude_[place];
  file = nullptr;
  if (name.empty()) return nullptr;
  try {
    // Paths start at the folder of the model; some start at that of the file that includes.
    std::string path = findFile(path_, name, options_);
    if (path.empty()) path = findFile(e.file(), name, options_);
    if (path.empty()) {
      e.error(fmt::format("the file '{}' is not there (paths start at the folder of the model)", name));
      return nullptr;
    }
    const auto sameFile = [&](const std::string& other) { return std::filesystem::equivalent(other, path); };
    for (const auto& [other, loaded] : files_)
      if (sameFile(other)) path = other;
    if (includes(path, e.file())) {
      e.error(fmt::format("the file '{}' includes itself (take this include out)", name));
      return nullptr;
    }
    includedFrom_[e.file()].insert(path);
    std::unique_ptr<XmlFile>& loaded = files_[path];
    if (!loaded) loaded = std::make_unique<XmlFile>(path);
    file = loaded.get();
  } catch (const InputError& error) {
    e.error(error.what());
  }
  return file;
}

std::vector<Element> MjcfDocument::children(const Element& e) {
  std::vector<Element> all;
  for (const Element& child : e.children()) {
    if (child.tag() != "include") {
      all.push_back(child);
    } else if (XmlFile* file = included(child)) {
      for (const Element& inner : children(file->root(found_))) all.push_back(inner);
    }
  }
  return all;
}

void MjcfDocument::readDefaults(Element& section) {
  readClass(section, "main", {});
  if (section.has("class")) defaults_[section.text("class")] = defaults_["main"];
}

void MjcfDocument::readClass(Element& e, const std::string& name,
                             const std::map<std::string, Attributes>& inherited) {
  auto& own = defaults_.try_emplace(name, inherited).first->second;
  const std::vector<Element> inside = children(e);
  for (Element child : inside)
    if (child.tag() != "default")
      for (const std::string& attribute : child.unread())
        own[child.tag()][attribute] = child.text(attribute.c_str());
  const auto handedOn = own;
  for (Element child : inside)
    if (child.tag() == "default") readClass(child, child.requiredText("class"), handedOn);
}

void MjcfDocument::fill(Element& e, const std::string& childClass, const std::string& tag,
                        const std::vector<std::string>& only) {
  if (++elements_ > kMaxElements) throw InputError(path_ + ": more than a million elements (is it a model?)");
  const std::string name = e.has("class") ? e.text("class") : childClass.empty() ? "main" : childClass;
  const auto known = defaults_.find(name);
  if (known == defaults_.end()) {
    if (name != "main") e.error(fmt::format("there is no default class '{}'", name));
    return;
  }
  const auto own = known->second.find(tag.empty() ? e.tag() : tag);
  if (own == known->second.end()) return;
  const bool turned = std::any_of(kOrientations.begin(), kOrientations.end(),
                                  [&](const std::string& o) { return e.has(o.c_str()); });
  for (const auto& [attribute, value] : own->second) {
    if (attribute == "class" || (!only.empty() && !contains(only, attribute))) continue;
    if (e.has(attribute.c_str())) {
      if (contains(kLists, attribute)) e.set(attribute.c_str(), completed(e.text(attribute.c_str()), value));
      continue;
    }
    if (turned && contains(kOrientations, attribute)) continue;
    e.set(attribute.c_str(), value);
  }
}

double MjcfDocument::angle(double x) const { return degrees_ ? x * std::numbers::pi / 180.0 : x; }

Quat MjcfDocument::eulerRotation(const std::vector<double>& euler) const {
  Quat q = Quat::Identity();
  for (std::size_t i = 0; i < 3; ++i) {
    const char c = sequence_[i];
    const Quat turn = expRotation(angle(euler[i]) * Vec3::Unit(std::tolower(c) - 'x'));
    q = std::islower(c) ? q * turn : turn * q;
  }
  return q.normalized();
}

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
  if (!euler.empty()) return eulerRotation(euler);
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
