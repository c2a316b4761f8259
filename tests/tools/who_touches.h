#pragma once
/// What the tests share of which shapes touch each other.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "contacts/collision_filter.h"
#include "engine/model/user_frames.h"
#include "tests/tools/converted.h"

namespace grashof::test {

/// How far the x axis of a body points down after `time` s, rad.
inline double pitchAfter(const Model& model, const std::string& body, double time) {
  Simulator simulator(model);
  while (simulator.state().time < time) simulator.step();
  const int b = model.findBody(body);
  REQUIRE(b >= 0);
  return std::asin(-(userPose(model, simulator.state(), b).rotation * Vec3::UnitX()).z());
}

/// The angle at which `length` sin a + `below` cos a = `height`.
inline double restAngle(double length, double below, double height) {
  return std::asin(height / std::hypot(length, below)) - std::atan2(below, length);
}

/// The shapes that never touch, as "a-b ", sorted.
inline std::string never(const Model& m) {
  const CollisionFilter filter(m.shapes, m.exclusions, CollisionFilter::Wanted::Excluded);
  std::vector<std::string> all;
  const int n = static_cast<int>(m.shapes.size());
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const std::string &a = m.shapes[static_cast<std::size_t>(i)].name,
                        &b = m.shapes[static_cast<std::size_t>(j)].name;
      if (a < b && filter.mayTouch(i, j)) all.push_back(a + "-" + b + " ");
    }
  std::sort(all.begin(), all.end());
  std::string text;
  for (const std::string& pair : all) text += pair;
  return text;
}

}  // namespace grashof::test
