#include "tools/convert/simple_hull.h"

#include <algorithm>
#include <set>

namespace grashof::convert {
namespace {

constexpr double kFine = 1e-3;  // of the extent: details that are left out
constexpr int kRounds = 100;

/// Directions to the faces, edges and corners of a cube.
std::vector<Vec3> cubeDirections() {
  std::vector<Vec3> directions;
  for (int x = -1; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y)
      for (int z = -1; z <= 1; ++z)
        if (x != 0 || y != 0 || z != 0) directions.emplace_back(x, y, z);
  return directions;
}

std::size_t farthest(const std::vector<Vec3>& points, const Vec3& direction) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < points.size(); ++i)
    if (direction.dot(points[i]) > direction.dot(points[best])) best = i;
  return best;
}

/// A point outside a face of a hull, and how far.
struct Outlier {
  std::size_t point = 0;
  double distance = 0.0;
};

/// The farthest point outside each face, the farthest first.
std::vector<Outlier> outliers(const TriangleMesh& hull, const std::vector<Vec3>& points) {
  std::vector<Outlier> all;
  for (const std::array<int, 3>& t : hull.triangles) {
    const Vec3 &a = hull.vertices[static_cast<std::size_t>(t[0])],
               &b = hull.vertices[static_cast<std::size_t>(t[1])],
               &c = hull.vertices[static_cast<std::size_t>(t[2])];
    const Vec3 cross = (b - a).cross(c - a);
    if (!(cross.norm() > 0.0)) continue;
    const Vec3 normal = cross.normalized();
    const std::size_t best = farthest(points, normal);
    all.push_back({best, normal.dot(points[best] - a)});
  }
  std::sort(all.begin(), all.end(),
            [](const Outlier& p, const Outlier& q) { return p.distance > q.distance; });
  return all;
}

}  // namespace

SimpleHull simpleHull(const std::vector<Vec3>& points, int maxVertices) {
  SimpleHull simple{convexHull(points), 0.0};
  const std::vector<Vec3> corners = simple.hull.vertices;
  if (corners.size() <= static_cast<std::size_t>(maxVertices)) return simple;
  std::set<std::size_t> chosen;
  double extent = 0.0;
  for (const Vec3& d : cubeDirections()) {
    const std::size_t best = farthest(corners, d.normalized());
    chosen.insert(best);
    extent = std::max(extent, (corners[best] - corners[*chosen.begin()]).norm());
  }
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Vec3> some;
    some.reserve(chosen.size());
    for (const std::size_t i : chosen) some.push_back(corners[i]);
    simple.hull = convexHull(some);
    const std::vector<Outlier> out = outliers(simple.hull, corners);
    simple.error = out.empty() ? 0.0 : std::max(out[0].distance, 0.0);
    const std::size_t room = static_cast<std::size_t>(maxVertices) -
                             std::min(chosen.size(), static_cast<std::size_t>(maxVertices));
    if (simple.error <= kFine * extent || room == 0) break;
    // A few at a time: the next ones are chosen by the hull that these give.
    const std::size_t before = chosen.size();
    for (std::size_t k = 0; k < out.size() && chosen.size() < before + std::min<std::size_t>(room, 6); ++k)
      if (out[k].distance > std::max(kFine * extent, 0.7 * simple.error)) chosen.insert(out[k].point);
    if (chosen.size() == before) break;
  }
  return simple;
}

}  // namespace grashof::convert
