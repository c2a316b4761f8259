#pragma once
/// What one body does to another by all contacts between them.

#include <array>

#include "engine/base/math.h"

namespace grashof {

/// Sum of the contacts of one body A with one body B.
class PairLoad {
 public:
  /// Adds a contact at `point` (m, world). `force`: on B (N, world axes); `normal`: its part along the
  /// contact's normal, N; `area`: of a patch, m².
  void add(const Vec3& point, const Vec3& force, double normal, double area) {
    force_ += force;
    normal_ += normal;
    area_ += area;
    weighed_ += normal * point;
    moment_ += point.cross(force);
  }
  /// Force of A on B (N), sum of the normal forces (N), their centre (m, world; zero where there are none),
  /// moment of the forces about it (N·m), area (m²). In the order of the quantity `contact.A.B`.
  std::array<double, 11> values() const {
    const Vec3 center = normal_ > 0.0 ? Vec3(weighed_ / normal_) : Vec3(Vec3::Zero());
    const Vec3 moment = moment_ - center.cross(force_);
    return {force_.x(), force_.y(), force_.z(), normal_,    center.x(), center.y(),
            center.z(), moment.x(), moment.y(), moment.z(), area_};
  }

 private:
  Vec3 force_ = Vec3::Zero(), weighed_ = Vec3::Zero(), moment_ = Vec3::Zero();
  double normal_ = 0.0, area_ = 0.0;
};

}  // namespace grashof
