#include <algorithm>

#include <fmt/format.h>

#include "engine/base/listed.h"
#include "tools/convert/mjcf_features.h"
#include "tools/convert/mjcf_reader.h"

namespace grashof::convert {

using xml::Element;

namespace {

/// How many numbers a joint has among positions and velocities.
std::pair<std::size_t, std::size_t> sizesOf(LinkJointKind kind) {
  if (kind == LinkJointKind::Free) return {7, 6};
  if (kind == LinkJointKind::Spherical) return {4, 3};
  if (kind == LinkJointKind::Fixed) return {0, 0};
  return {1, 1};
}

std::vector<double> listOf(Element& e, const char* attribute, std::size_t needed) {
  return e.has(attribute) ? e.numbers(attribute, {needed}) : std::vector<double>{};
}

}  // namespace

void MjcfReader::readKeyframes(const std::vector<Element>& sections) {
  std::vector<Element> keys;
  for (const Element& section : sections)
    if (section.tag() == "keyframe")
      for (const Element& e : document_->children(section)) keys.push_back(e);
  if (keyframe_.empty()) {
    if (!keys.empty())
      Report::once(
          report_.assumed,
          "the start is the model's own pose (--keyframe NAME, or its number from 0, takes another)");
    return;
  }
  // A name before a number: keyframes may be called by numbers.
  std::vector<std::string> words;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    words.push_back(keys[i].has("name") ? keys[i].text("name") : fmt::format("{}", i));
    if (keys[i].has("name") && words.back() == keyframe_) return takeKey(keys[i]);
  }
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (keyframe_ == fmt::format("{}", i)) return takeKey(keys[i]);
  found_.push_back(
      {path_, 0, "keyframe",
       fmt::format("there is no keyframe '{}' ({})", keyframe_,
                   keys.empty() ? "the model has none"
                                : fmt::format("it has {}, by name or by number from 0", listed(words)))});
}

void MjcfReader::takeKey(Element& e) {
  std::size_t positions = 0, velocities = 0;
  for (const LinkJoint& j : tree_.joints) {
    positions += sizesOf(j.kind).first;
    velocities += sizesOf(j.kind).second;
  }
  const auto q = listOf(e, "qpos", positions), u = listOf(e, "qvel", velocities),
             controls = listOf(e, "ctrl", drives_.size());
  for (std::size_t i = 0; i < controls.size(); ++i) drives_[i].control = controls[i];
  std::vector<Drive*> active;
  for (Drive& d : drives_)
    if (d.active) active.push_back(&d);
  const auto activations = listOf(e, "act", active.size());
  for (std::size_t i = 0; i < activations.size(); ++i) active[i]->activation = activations[i];
  std::size_t at = 0, atRate = 0;
  for (std::size_t i = 0; i < tree_.joints.size(); ++i) {
    LinkJoint& j = tree_.joints[i];
    const auto quaternion = [&](std::size_t first) {
      return Quat(q[first], q[first + 1], q[first + 2], q[first + 3]).normalized();
    };
    if (!q.empty() && j.kind == LinkJointKind::Free) {
      const Pose moved =
          j.parentFrame.inverse() * Pose{Vec3(q[at], q[at + 1], q[at + 2]), quaternion(at + 3)};
      const Vec3 turn = logRotation(moved.rotation);
      j.initial = {moved.position.x(), moved.position.y(), moved.position.z(), turn.x(), turn.y(), turn.z()};
    } else if (!q.empty() && j.kind == LinkJointKind::Spherical) {
      const Vec3 turn = logRotation(quaternion(at));
      j.initial = {turn.x(), turn.y(), turn.z()};
    } else if (!q.empty() && j.kind != LinkJointKind::Fixed) {
      j.initial = {q[at] - references_[i]};
    }
    const auto [own, rates] = sizesOf(j.kind);
    if (!u.empty()) {
      const auto first = u.begin() + static_cast<std::ptrdiff_t>(atRate);
      j.rates.assign(first, first + static_cast<std::ptrdiff_t>(rates));
    }
    at += own;
    atRate += rates;
  }
  e.text("time");
  noteMjcf(e, report_, "keyframe/key");
}

}  // namespace grashof::convert
