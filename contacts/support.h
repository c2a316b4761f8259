#pragma once
/// Convex shapes as what their support points see: hulls of vertices, of circles, or an ellipsoid, and a ball
/// that is swept over them.

#include <span>

#include "contacts/hull_support.h"
#include "contacts/shape.h"

namespace grashof {

/// A support point, and the piece of the shape to which it belongs.
struct SupportPoint {
  Vec3 point;
  int piece;
};

/// A convex shape in its own axes. It is the hull of its pieces (vertices, circles, or one ellipsoid), made
/// larger by a ball. A vertex is the support of many directions; on a curved piece the support moves with the
/// direction.
class ConvexShape {
 public:
  /// @pre a solid other than a mesh, and other than a hull: Shape holds points of which a hull takes some
  explicit ConvexShape(const Shape& shape);
  /// The hull of `vertices` (m), which stay where they are as long as this is used. One to three of them are
  /// welcome: a point, a segment, a triangle.
  explicit ConvexShape(std::span<const Vec3> vertices);
  /// The same of many vertices. @pre `hull` outlives this
  explicit ConvexShape(const HullSupport& hull);

  /// Radius (m) of the swept ball. All else in this class leaves the ball out.
  double radius() const { return radius_; }
  /// Radius (m) of a ball about `center()` that holds the shape.
  double reach() const { return reach_; }
  const Vec3& center() const { return center_; }

  /// The point that lies farthest along `n` (not zero).
  SupportPoint support(const Vec3& n) const;
  /// The point of one piece that lies farthest along `n`.
  Vec3 pointOf(int piece, const Vec3& n) const;
  /// Whether the support point of a piece moves with the direction.
  bool moves(int piece) const {
    return kind_ == Kind::Ellipsoid || kind_ == Kind::Cylinder || (kind_ == Kind::Cone && piece == 0);
  }
  /// Whether a piece is a circle about the z axis.
  bool circle(int piece) const { return kind_ != Kind::Ellipsoid && moves(piece); }
  /// Derivative of pointOf() with respect to n, for unit n: the Hessian of the support function, whose null
  /// space holds n. Zero for vertices. @pre n is not the axis of a circle
  Mat3 curvatureOf(int piece, const Vec3& n) const;

 private:
  enum class Kind { Vertices, Segment, Box, Cylinder, Cone, Ellipsoid };
  SupportPoint supportVertex(const Vec3& n) const;

  Kind kind_ = Kind::Vertices;
  Vec3 half_ = Vec3::Zero();  // half edges, semi-axes, or (radius, radius, half the length)
  double radius_ = 0.0, reach_ = 0.0;
  Vec3 center_ = Vec3::Zero();
  std::span<const Vec3> vertices_;
  const HullSupport* hull_ = nullptr;  // of the vertices
};

}  // namespace grashof
