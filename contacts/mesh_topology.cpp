#include "contacts/mesh_topology.h"

#include <algorithm>
#include <utility>

namespace grashof {
namespace {

constexpr double kFlat = 1e-3;  // sine of the angle up to which an edge counts as flat

}  // namespace

MeshTopology::MeshTopology(const TriangleMesh& mesh) : mesh_(&mesh) {
  struct Edge {
    int from, to, third;  // directed; third: the other vertex of its triangle
  };
  std::vector<Edge> edges;
  std::vector<std::pair<int, int>> pairs;
  for (const auto& t : mesh.triangles)
    for (int i = 0; i < 3; ++i) {
      edges.push_back({t[i], t[(i + 1) % 3], t[(i + 2) % 3]});
      pairs.emplace_back(t[i], t[(i + 1) % 3]);
      pairs.emplace_back(t[(i + 1) % 3], t[i]);
    }
  const auto before = [](const Edge& a, const Edge& b) {
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  };
  std::stable_sort(edges.begin(), edges.end(), before);
  for (const auto& t : mesh.triangles) {
    std::array<int, 3> opposite{};
    for (int i = 0; i < 3; ++i) {
      // Where several triangles share a directed edge, the last counts.
      const Edge wanted{t[(i + 1) % 3], t[i], -1};
      const auto after = std::upper_bound(edges.begin(), edges.end(), wanted, before);
      opposite[i] =
          after == edges.begin() || before(*std::prev(after), wanted) ? -1 : std::prev(after)->third;
    }
    opposite_.push_back(opposite);
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  neighbourStart_.assign(mesh.vertices.size() + 1, 0);
  for (const auto& [v, w] : pairs) {
    ++neighbourStart_[v + 1];
    neighbour_.push_back(w);
  }
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) neighbourStart_[v + 1] += neighbourStart_[v];
}

bool MeshTopology::exposes(int triangle, const Vec3& normal) const {
  const auto& t = mesh_->triangles[triangle];
  const Vec3* x[3] = {&mesh_->vertices[t[0]], &mesh_->vertices[t[1]], &mesh_->vertices[t[2]]};
  const Vec3 face = (*x[1] - *x[0]).cross(*x[2] - *x[0]).normalized();
  if (normal.dot(face) < 0.0) return false;  // from behind
  if (normal.cross(face).norm() < kFlat) return true;
  const auto below = [&](int vertex, const Vec3& from, double slack) {
    const Vec3 d = mesh_->vertices[vertex] - from;
    return normal.dot(d) <= slack * d.norm();
  };
  double height[3];
  for (int i = 0; i < 3; ++i) height[i] = normal.dot(*x[i]);
  const double top = std::max({height[0], height[1], height[2]});
  const double size = (*x[1] - *x[0]).norm() + (*x[2] - *x[0]).norm();
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    if (height[i] < top - kFlat * size || height[j] < top - kFlat * size) continue;
    // An edge is hit edge-on only if the face across falls away from the normal, too, by more than kFlat.
    return opposite_[triangle][i] < 0 || below(opposite_[triangle][i], *x[i], -kFlat);
  }
  const int corner = static_cast<int>(std::max_element(height, height + 3) - height);
  for (int n = neighbourStart_[t[corner]]; n < neighbourStart_[t[corner] + 1]; ++n)
    if (!below(neighbour_[n], *x[corner], kFlat)) return false;
  return true;
}

TriangleMesh surfaceOf(const HeightGrid& grid) {
  TriangleMesh mesh;
  const double x0 = -0.5 * grid.spacing * (grid.columns - 1), y0 = -0.5 * grid.spacing * (grid.rows - 1);
  for (int r = 0; r < grid.rows; ++r)
    for (int c = 0; c < grid.columns; ++c)
      mesh.vertices.emplace_back(x0 + grid.spacing * c, y0 + grid.spacing * r,
                                 grid.heights[r * grid.columns + c]);
  for (int r = 0; r + 1 < grid.rows; ++r)
    for (int c = 0; c + 1 < grid.columns; ++c) {
      const int a = r * grid.columns + c, b = a + 1, d = a + grid.columns, e = d + 1;
      mesh.triangles.push_back({a, b, e});
      mesh.triangles.push_back({a, e, d});
    }
  return mesh;
}

}  // namespace grashof
