#pragma once
/// Private: when two convex shapes meet on the way of their bodies (theory.md, "Contacts over a step").

#include <array>
#include <optional>
#include <span>

#include "contacts/body_path.h"
#include "contacts/narrow_phase.h"

namespace grashof {

/// A shape on the path of its body.
struct SweptShape {
  CollisionItem& item;
  const BodyPath* path = nullptr;  ///< null: it stands still in the world

  /// Moves the item to where it is at `time` (s after the start of the step).
  void place(double time) const {
    item.place(path ? path->at(time) * item.description->pose : item.description->pose);
  }
  void placeAtRows() const { place(path ? path->toRows : 0.0); }
  /// How far (m) its points are from where they are at the rows, at most: before that, and in the whole step.
  double reachToRows() const { return path ? path->reachToRows(item.turnRadius) : 0.0; }
  double reach() const { return path ? path->reach(item.turnRadius) : 0.0; }
  bool held() const { return path && path->held; }
  /// Way (m) of the centre of mass of its body from where the rows have it to where it is at `time`.
  Vec3 offset(double time) const {
    return path ? Vec3(path->at(time).position - path->rows.position) : Vec3(Vec3::Zero());
  }
};

/// What moves as one convex body: a whole shape, or one triangle of a mesh.
class SweptPart {
 public:
  static constexpr int kWhole = -1;

  /// `triangle`: its number, or kWhole. @pre `shape` outlives this
  explicit SweptPart(const SweptShape& shape, int triangle = kWhole);

  const SweptShape& shape() const { return shape_; }
  const BodyPath* path() const { return shape_.path; }
  bool plane() const { return shape_.item.description->type == ShapeType::Plane; }
  /// Whether it is convex as it stands: meshes as a whole are not.
  bool convex() const { return triangle_ != kWhole || !shape_.item.mesh; }
  /// @pre neither a plane nor a whole mesh
  ConvexShape solid() const {
    return triangle_ == kWhole ? shape_.item.solid() : ConvexShape(std::span<const Vec3>(corners_));
  }
  /// Radius (m) of a ball about center() that holds it.
  double radius() const { return radius_; }
  /// In the world, as the shape stands: the centre of mass of its body; of what stands still, its middle.
  Vec3 center(double time) const { return path() ? path()->at(time).position : shape_.item.pose * middle_; }
  /// How far (m) its points go in the step at most, see SweptShape::reach().
  double reach() const { return path() ? path()->reach(radius_) : 0.0; }
  Vec6 twist(double time) const { return path() ? path()->twist(time) : Vec6(Vec6::Zero()); }
  /// A bound (m/s) of the speed of all of its points along n (unit, world).
  double speedAlong(const Vec3& n, double time) const;
  /// Whether a mesh exposes its triangle to a contact whose normal out of the mesh is `n` (unit, world axes);
  /// true for whole shapes.
  bool exposes(const Vec3& n) const;
  /// True if it is farther from `other` than `within` (m) for certain. @pre both are triangles or solids
  bool farFrom(const SweptPart& other, double within) const;

 private:
  const SweptShape& shape_;
  int triangle_;
  std::array<Vec3, 3> corners_;  // of the triangle, shape axes
  Vec3 middle_ = Vec3::Zero();   // shape axes
  double radius_ = 0.0;
};

/// The gap of two parts as they stand, see NarrowPhase::gap(). @pre both are convex, or one is a plane
Gap gapBetween(NarrowPhase& narrow, const SweptPart& a, const SweptPart& b, double within);

/// A moment at which two parts meet, s after the start of the step, and the normal from the first to the
/// second.
struct Meeting {
  double time = 0.0;
  Vec3 normal = Vec3::UnitZ();
  Vec3 point = Vec3::Zero();  ///< midway between the nearest points, m
};

/// The first time at which two parts are nearer than `met` (m); none: at no time up to the end of their
/// paths. Moves both items. @pre both are convex, or one is a plane; one of them moves
std::optional<Meeting> firstMeeting(NarrowPhase& narrow, const SweptPart& a, const SweptPart& b, double met);

}  // namespace grashof
