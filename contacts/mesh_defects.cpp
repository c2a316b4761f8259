#include "contacts/mesh_defects.h"

#include <algorithm>
#include <map>
#include <utility>

#include "contacts/box_tree.h"
#include "contacts/mesh_topology.h"

namespace grashof {
namespace {

using Corners = std::array<int, 3>;

/// Whether the inside of the segment pq passes through the inside of a triangle.
bool passes(const Vec3& p, const Vec3& q, const std::array<Vec3, 3>& x) {
  constexpr double kInside = 1e-9;  // of the triangle's area, and of its size
  const Vec3 cross = (x[1] - x[0]).cross(x[2] - x[0]);
  const double area = cross.norm(), size = std::sqrt(area);
  const double above = cross.dot(p - x[0]) / area, below = cross.dot(q - x[0]) / area;
  if (std::min(above, below) > -kInside * size || std::max(above, below) < kInside * size) return false;
  const Vec3 at = p + above / (above - below) * (q - p);
  for (int i = 0; i < 3; ++i)
    if ((x[(i + 1) % 3] - x[i]).cross(at - x[i]).dot(cross) < kInside * area * area) return false;
  return true;
}

int countCrossings(const TriangleMesh& mesh) {
  const std::vector<Corners>& triangles = mesh.triangles;
  std::vector<std::array<Vec3, 3>> x;
  std::vector<PieceBounds> bounds;
  for (const Corners& t : triangles) {
    const auto at = [&](int i) { return mesh.vertices[static_cast<std::size_t>(t[i])]; };
    x.push_back({at(0), at(1), at(2)});
    bounds.push_back(PieceBounds::of(x.back()));
  }
  const BoxTree tree(bounds);
  BoxTree::Stack stack;
  std::vector<std::pair<int, int>> pairs;
  tree.overlaps(tree, Pose{}, stack, pairs);
  std::vector<char> crossed(triangles.size(), 0);
  for (const auto& [i, j] : pairs) {
    const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
    const bool neighbours = std::any_of(triangles[a].begin(), triangles[a].end(), [&](int v) {
      return std::find(triangles[b].begin(), triangles[b].end(), v) != triangles[b].end();
    });
    for (int e = 0; e < 3 && !neighbours && !crossed[b]; ++e)
      crossed[b] = passes(x[a][e], x[a][(e + 1) % 3], x[b]) ? 1 : 0;
  }
  return static_cast<int>(std::count(crossed.begin(), crossed.end(), 1));
}

}  // namespace

MeshDefects meshDefects(const TriangleMesh& given, std::size_t most) {
  const TriangleMesh mesh = welded(given);
  struct Uses {
    int along = 0, against = 0;
  };
  std::map<std::pair<int, int>, Uses> edges;
  double volume = 0.0;
  const Vec3 origin = mesh.vertices.front();
  for (const Corners& t : mesh.triangles) {
    for (int i = 0; i < 3; ++i) {
      const int from = t[i], to = t[(i + 1) % 3];
      Uses& uses = edges[std::minmax(from, to)];
      ++(from < to ? uses.along : uses.against);
    }
    const auto at = [&](int i) -> Vec3 { return mesh.vertices[static_cast<std::size_t>(t[i])] - origin; };
    volume += at(0).dot(at(1).cross(at(2))) / 6.0;
  }
  MeshDefects defects;
  for (const auto& [edge, uses] : edges) {
    const int count = uses.along + uses.against;
    defects.open += count == 1 ? 1 : 0;
    defects.turned += count == 2 && uses.along != uses.against ? 1 : 0;
    defects.shared += count > 2 ? 1 : 0;
  }
  defects.insideOut = defects.closed() && volume < 0.0;
  if (mesh.triangles.size() <= most) defects.crossing = countCrossings(mesh);
  return defects;
}

}  // namespace grashof
