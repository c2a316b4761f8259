#include "contacts/hull_support.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

namespace grashof {
namespace {

constexpr std::size_t kFew = 24;        // points up to which all are compared
constexpr int kMostCells = 32;          // along an edge of the cube
constexpr double kSameSupport = 1e-12;  // of the size of the set

// Directions are cells on the six faces of the cube |d|∞ = 1: face 2 i for +xᵢ, 2 i + 1 for -xᵢ, with the two
// other axes in ascending order as its coordinates u and v.
struct CubeAxes {
  int normal, u, v;
};
constexpr std::array<CubeAxes, 3> kAxes = {{{0, 1, 2}, {1, 0, 2}, {2, 0, 1}}};

Vec3 cubeDirection(int face, double u, double v) {
  const CubeAxes& axes = kAxes[static_cast<std::size_t>(face / 2)];
  Vec3 d;
  d[axes.normal] = face % 2 == 0 ? 1.0 : -1.0;
  d[axes.u] = u;
  d[axes.v] = v;
  return d;
}

/// The first of `among` that lies farthest along `d`.
int farthestOf(const std::vector<Vec3>& points, std::span<const int> among, const Vec3& d) {
  int best = among[0];
  double most = d.dot(points[static_cast<std::size_t>(best)]);
  for (const int i : among) {
    const double along = d.dot(points[static_cast<std::size_t>(i)]);
    if (along > most) most = along, best = i;
  }
  return best;
}

}  // namespace

HullSupport::HullSupport(std::vector<Vec3> points) : points_(std::move(points)) {
  Vec3 low = points_[0], high = low;
  for (const Vec3& p : points_) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  center_ = 0.5 * (low + high);
  half_ = 0.5 * (high - low);
  List all(points_.size());
  std::iota(all.begin(), all.end(), 0);
  if (points_.size() <= kFew) {
    candidates_ = std::move(all);
    return;
  }
  // About as many cells as points.
  for (side_ = 2; side_ < kMostCells && 6 * side_ * side_ < static_cast<int>(points_.size());) side_ *= 2;
  slack_ = kSameSupport * (center_.cwiseAbs() + half_).maxCoeff();
  std::vector<List> cells(static_cast<std::size_t>(6 * side_ * side_));
  for (int face = 0; face < 6; ++face) refine(face, 0, 0, side_, all, cells);
  for (const List& cell : cells) {
    start_.push_back(static_cast<int>(candidates_.size()));
    candidates_.insert(candidates_.end(), cell.begin(), cell.end());
  }
  start_.push_back(static_cast<int>(candidates_.size()));
}

/// Fills the cells of a square of `width` cells on a face, whose candidates are among `candidates`.
void HullSupport::refine(int face, int column, int row, int width, const List& candidates,
                         std::vector<List>& cells) const {
  List mine = candidatesIn(face, column, row, width, candidates);
  if (width == 1) {
    const auto cell = (static_cast<std::size_t>(face) * side_ + row) * side_ + column;
    cells[cell] = std::move(mine);
    return;
  }
  const int half = width / 2;
  for (const int down : {0, half})
    for (const int right : {0, half}) refine(face, column + right, row + down, half, mine, cells);
}

/// Those of `among` that may be farthest along a direction of the square. The directions are the sums of its
/// corners with weights above zero: a point that is behind another one along all four corners is behind it
/// along them all.
HullSupport::List HullSupport::candidatesIn(int face, int column, int row, int width,
                                            const List& among) const {
  std::array<Vec3, 5> directions;  // the corners, and the middle
  const auto at = [&](double cells) { return 2.0 * cells / side_ - 1.0; };
  for (int corner = 0; corner < 4; ++corner)
    directions[static_cast<std::size_t>(corner)] = cubeDirection(
        face, at(corner % 2 == 0 ? column : column + width), at(corner < 2 ? row : row + width));
  directions[4] = cubeDirection(face, at(column + 0.5 * width), at(row + 0.5 * width));
  using Values = std::array<double, 4>;
  const auto valuesOf = [&](int i) {
    Values values{};
    for (std::size_t c = 0; c < 4; ++c) values[c] = directions[c].dot(points_[static_cast<std::size_t>(i)]);
    return values;
  };
  std::array<Values, 5> ahead{};
  for (std::size_t k = 0; k < 5; ++k) ahead[k] = valuesOf(farthestOf(points_, among, directions[k]));
  List left;
  for (const int i : among) {
    const Values values = valuesOf(i);
    const bool behind = std::any_of(ahead.begin(), ahead.end(), [&](const Values& other) {
      for (std::size_t c = 0; c < 4; ++c)
        if (!(other[c] > values[c] + slack_)) return false;
      return true;
    });
    if (!behind) left.push_back(i);
  }
  return left;
}

int HullSupport::cellOf(const Vec3& direction) const {
  int normal = 0;
  const double most = direction.cwiseAbs().maxCoeff(&normal);
  const CubeAxes& axes = kAxes[static_cast<std::size_t>(normal)];
  const auto place = [&](double along) {
    const double cell = 0.5 * side_ * (along / most + 1.0);
    return cell > 0.0 ? std::min(static_cast<int>(cell), side_ - 1) : 0;
  };
  const int face = 2 * normal + (direction[normal] < 0.0 ? 1 : 0);
  return (face * side_ + place(direction[axes.v])) * side_ + place(direction[axes.u]);
}

std::span<const int> HullSupport::compared(const Vec3& direction) const {
  if (side_ == 0) return candidates_;
  const auto cell = static_cast<std::size_t>(cellOf(direction));
  const auto first = static_cast<std::size_t>(start_[cell]), end = static_cast<std::size_t>(start_[cell + 1]);
  return std::span(candidates_).subspan(first, end - first);
}

int HullSupport::farthest(const Vec3& direction) const {
  return direction.isZero(0.0) ? 0 : farthestOf(points_, compared(direction), direction);
}

}  // namespace grashof
