#pragma once
/// Planar four-bars in closed form: the curve of a coupler point, its cognates, and the synthesis of linkages
/// whose coupler point passes given points.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/math.h"

namespace grashof {

/// Lengths in the unit of the points, any.
struct PathFourBar {
  Vec2 crankPivot = Vec2::Zero(), rockerPivot = Vec2::Zero();  ///< A0, B0
  double crank = 0.0, coupler = 0.0, rocker = 0.0;             ///< A0 A, A B, B0 B
  Vec2 point = Vec2::Zero();  ///< P in the coupler's frame: origin A, x towards B

  double frame() const { return (rockerPivot - crankPivot).norm(); }
};

/// The moving pins and the coupler point at a crank angle (rad, from the x axis).
struct FourBarPose {
  Vec2 crankPin = Vec2::Zero(), rockerPin = Vec2::Zero(), point = Vec2::Zero();
};

/// `branch`: +1 or -1, on which side of the line from A to B0 the rocker's pin B is, +1 to the left. Nothing
/// where the loop does not close.
std::optional<FourBarPose> fourBarPose(const PathFourBar& f, double crankAngle, int branch);

/// Grashof's kind: crank-rocker, double crank, double rocker, triple rocker, change point. `lengths`: frame,
/// crank, coupler, rocker.
std::string fourBarKind(const std::array<double, 4>& lengths);
std::array<double, 4> lengthsOf(const PathFourBar& f);

/// The other two four-bars whose coupler point draws the same curve (Roberts, Chebyshev). Theirs is the
/// frame's third pivot C0, where the triangle A0 B0 C0 is similar to A B P; the first has the pivots A0 and
/// C0, the second B0 and C0 [McCarthy 2011]. Cranks of theirs need not turn as that of `f` does. `f` may not
/// have P in A or B, whose curves are circles.
std::array<PathFourBar, 2> cognatesOf(const PathFourBar& f);

/// The distance of `point` from the coupler curve, over both branches.
double distanceToCurve(const PathFourBar& f, const Vec2& point);

struct SynthesisOptions {
  std::uint64_t starts = 20000;  ///< of Levenberg and Marquardt's method, points of Halton's sequence
  std::size_t solutions = 20;    ///< at most
  double largest = 20.0;         ///< bars longer than that, times the size of the points, are not wanted
  std::function<bool(std::uint64_t)> goOn;  ///< told the starts that are done; false ends the search
};

struct SynthesizedFourBar {
  PathFourBar linkage;
  double error = 0.0;      ///< largest distance of a point from the curve
  std::string kind;        ///< fourBarKind()
  bool oneBranch = false;  ///< all points are passed without taking the linkage apart
  bool inOrder = false;    ///< the crank passes them in their order, turning one way, within a turn
  int branch = 1;          ///< at the first point, as of fourBarPose()
  double start = 0.0;      ///< rad, crank angle at the first point
  double travel = 0.0;     ///< rad, signed, of the crank from the first to the last point; 0: not in order
};

/// Linkages whose coupler point passes the points, different ones only; cognates are linkages of their own.
/// The crank is the shorter one of the bars at the frame. First come those that pass the points, to 1e-6 of
/// their size, on one branch and in order,
/// then the others by error. Nine points or fewer are passed exactly, as far as
/// solutions are found; of more, the squares of the defects of both bars' lengths are least, which are near
/// zero where the points are near a coupler curve.
///
/// Unknowns are A0, B0, the vectors u and v from P to A and B in the pose at the first point, the squares of
/// the lengths of crank and rocker, and the coupler's angles φ_j at the other points p_j. With
/// E_A = |p_j + R(φ_j) u - A0|² - a² and E_B in the same way [Wampler 1992], the equations are E_A = 0 and
/// (E_A - E_B) / d = 0, d² = |u - v|² + |A0 - B0|². The division keeps the method away from linkages whose
/// crank and rocker are the same bar, which fulfil E_A = E_B = 0 at all points.
/// Throws InputError for fewer than five points or points that are all the same.
std::vector<SynthesizedFourBar> synthesizePath(const std::vector<Vec2>& points,
                                               const SynthesisOptions& options = {});

}  // namespace grashof
