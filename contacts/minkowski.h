#pragma once
/// Private: the set C = B - A of all differences of points of two convex shapes, without their swept balls,
/// in the axes of A. The separation of A and B is the distance of the origin from C.

#include <array>
#include <optional>
#include <span>

#include "contacts/support.h"

namespace grashof {

/// A point of C: of a piece of A and a piece of B.
struct DifferencePoint {
  Vec3 onA = Vec3::Zero(), onB = Vec3::Zero();  // axes of A
  int pieceA = 0, pieceB = 0;

  Vec3 z() const { return onB - onA; }
  bool operator==(const DifferencePoint& other) const { return onA == other.onA && onB == other.onB; }
};

/// A point of C as a mean of up to three others.
struct Simplex {
  std::array<DifferencePoint, 4> points;
  std::array<double, 4> weights{};
  int count = 0;

  Vec3 onA() const;
  Vec3 onB() const;
};

/// Where n·z over C is least, for the n (unit) for which it is largest: separation = max_n min_z n·z.
struct Extremum {
  Vec3 n;
  double separation;  // n·z
  Vec3 onA, onB;
};

class MinkowskiDifference {
 public:
  MinkowskiDifference(const ConvexShape& a, const Pose& poseA, const ConvexShape& b, const Pose& poseB);

  /// The point of C that lies least far along n.
  DifferencePoint lowest(const Vec3& n) const {
    const SupportPoint onA = a_.support(n), onB = b_.support(-(rotation_.transpose() * n));
    return {onA.point, rotation_ * onB.point + position_, onA.piece, onB.piece};
  }
  /// Lengths below rounding, m.
  double rounding() const { return 1e-13 * size_; }
  double size() const { return size_; }
  /// From the center of A to that of B.
  const Vec3& between() const { return between_; }

  /// Newton's method for the separation, from a direction n and the simplex of C nearest along it. The pieces
  /// of the simplex are taken to be those that are active: z_i(n) moves with n where a piece is curved.
  /// Solves
  ///     Σ w_i z_i(n) = d n,   n·z_i(n) = d for all i,   Σ w_i = 1,   |n| = 1.
  /// Nothing if that does not converge, if a weight is negative, if another piece of C lies lower along n, or
  /// if the separation along n is not a local maximum. If apart, a result is the distance: n·z >= d over C is
  /// a lower bound, and |Σ w_i z_i| an upper one.
  std::optional<Extremum> polish(const Simplex& simplex, const Vec3& n) const;

 private:
  struct Active {
    DifferencePoint point;
    bool movesA = false, movesB = false;
    double weight = 0.0;
  };
  struct ActiveSet {
    std::array<Active, 4> items;
    int count = 0;
  };
  ActiveSet activate(const Simplex& simplex, bool freezeA, bool freezeB) const;
  void moveTo(ActiveSet& set, const Vec3& n) const;
  Mat3 curvature(const ActiveSet& set, const Vec3& n) const;
  std::optional<Extremum> accept(ActiveSet& set, const Vec3& n) const;
  std::optional<Extremum> solve(ActiveSet set, Vec3 n) const;
  bool ascend(double m, double pull, double& step) const;
  bool ascend(const Mat2& m, const Vec2& pull, Vec2& step) const;
  bool flat(const ConvexShape& shape, const Simplex& simplex, bool ofA) const;

  const ConvexShape &a_, &b_;
  Mat3 rotation_;  // of B in the axes of A
  Vec3 position_, between_;
  double size_;
};

}  // namespace grashof
