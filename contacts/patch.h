#pragma once
/// Contact patches: the surface between two shapes, one of them compliant at least, as polygons with a
/// pressure (theory.md, "Contact patches").

#include <span>
#include <utility>
#include <vector>

#include "contacts/contact.h"
#include "contacts/pressure_field.h"

namespace grashof {

/// A flat polygon with a linear pressure.
class PatchPolygon {
 public:
  /// A square about `center` in the plane through it with the normal n (unit), which holds a disc of
  /// `radius`.
  void setSquare(const Vec3& center, const Vec3& n, double radius);
  void setCorners(std::span<const Vec3> corners);
  /// Cuts off what lies outside.
  void clip(std::span<const FieldFace> faces);
  bool empty() const { return count_ < 3; }
  std::span<const Vec3> corners() const { return {corners_.data(), count_}; }

  /// What a pressure of one cell, >= 0 but for rounding, does on the polygon.
  struct Load {
    double area = 0.0;                     ///< m²
    double force = 0.0;                    ///< ∫ p dA, N: area times the pressure at the centroid
    Vec3 centerOfPressure = Vec3::Zero();  ///< ∫ p x dA / ∫ p dA, m
  };
  Load load(const FieldCell& cell) const;

 private:
  // Each face adds a corner at most: four of a square, six faces of either cell.
  static constexpr std::size_t kMostCorners = 4 + 2 * FieldCell::kMostFaces;
  std::array<Vec3, kMostCorners> corners_{}, cut_{};
  std::size_t count_ = 0;
};

/// Finds the polygons between pairs of shapes. Nothing is remembered from one pair to the next: the members
/// are scratch memory, so that a settled scene allocates nothing.
class PatchFinder {
 public:
  /// A shape where it stands in the world.
  struct Placed {
    const PatchGeometry& geometry;
    const Pose& pose;
    int shape, body;  ///< indices; body -1: the world
  };

  /// Appends one contact per polygon between `a` and `b`, which are bodyA and bodyB of the contacts: at the
  /// centre of its pressure, with Contact::area, Contact::pressureSlope and gap = -p/slope of the mean p.
  /// @pre one of both is compliant, not both are planes
  void collide(const Placed& a, const Placed& b, std::vector<Contact>& contacts);

 private:
  void findPairs(const Placed& a, const Placed& b, const Pose& pose);
  void compliantWithFacets(const Placed& soft, const Placed& rigid, const Pose& pose, double sign);
  void compliantWithPlane(const Placed& soft, const Pose& pose, double sign);
  void bothCompliant(const Placed& a, const Placed& b, const Pose& pose);
  void emit(const Vec3& normal, const FieldCell& cell, double slope);

  BoxTree::Stack stack_;
  std::vector<std::pair<int, int>> pairs_;
  PatchPolygon polygon_;
  std::vector<Contact> found_;  // in the frame of one of the shapes
};

}  // namespace grashof
