#pragma once
/// The contacts of a recorded run, each with its point, gap, slip, impulse and mode.

#include <cstddef>
#include <span>
#include <vector>

#include "engine/base/math.h"
#include "solvers/problem/contact_mode.h"

namespace grashof {

/// A contact of a recorded step, closed or within the contact margin; where its rows were evaluated.
struct ContactPoint {
  int bodyA = -1, bodyB = -1;   ///< -1: the world
  Vec3 point = Vec3::Zero();    ///< m, world
  Vec3 normal = Vec3::UnitZ();  ///< from A into B, unit length, world
  double gap = 0.0;             ///< distance of the surfaces, m; negative where they overlap
  Vec3 slip = Vec3::Zero();     ///< velocity of B's surface against A's along the tangents, m/s, world
  Vec3 impulse = Vec3::Zero();  ///< on B over one step, N·s, world
  ContactMode mode = ContactMode::Open;
};

/// All contacts of a recorded run, record by record; those in joints are part of the joints' loads and not
/// among them.
struct ContactPoints {
  std::vector<std::size_t> start;  ///< of each record, and the number of all: records + 1
  std::vector<ContactPoint> all;

  /// Those of a record. @pre record + 1 < start.size().
  std::span<const ContactPoint> of(std::size_t record) const {
    return std::span(all).subspan(start[record], start[record + 1] - start[record]);
  }
};

}  // namespace grashof
