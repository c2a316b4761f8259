#include "contacts/mesh_topology.h"

#include <algorithm>
#include <map>
#include <utility>

namespace grashof {
namespace {

constexpr double kFlat = 1e-3;      // sine of the angle up to which an edge counts as flat for a polyhedron
constexpr double kCoplanar = 1e-7;  // sine of the angle up to which an edge lies inside a face
constexpr double kBehindFace = -1e-9;  // cosine below which a normal points into the back of a triangle

}  // namespace

MeshTopology::MeshTopology(const TriangleMesh& mesh) : mesh_(&mesh) {
  findNeighbours();
  findNormals();
  for (int t = 0; t < static_cast<int>(mesh.triangles.size()); ++t)
    kind_.push_back({kindOf(t, 0), kindOf(t, 1), kindOf(t, 2)});
  for (const Triple& across : across_)
    closed_ = closed_ && std::none_of(across.begin(), across.end(), [](int other) { return other < 0; });
  inner_.assign(mesh.vertices.size(), 1);
  for (std::size_t t = 0; t < kind_.size(); ++t)
    for (int i = 0; i < 3; ++i)
      if (kind_[t][i] != EdgeKind::Flat)
        for (const int corner : {i, (i + 1) % 3})
          inner_[static_cast<std::size_t>(mesh.triangles[t][corner])] = 0;
}

void MeshTopology::findNeighbours() {
  struct Edge {
    int from, to, third, triangle;  // directed; third: the other vertex of its triangle
  };
  std::vector<Edge> edges;
  std::vector<std::pair<int, int>> pairs;
  for (int k = 0; k < static_cast<int>(mesh_->triangles.size()); ++k) {
    const auto& t = mesh_->triangles[static_cast<std::size_t>(k)];
    for (int i = 0; i < 3; ++i) {
      edges.push_back({t[i], t[(i + 1) % 3], t[(i + 2) % 3], k});
      pairs.emplace_back(t[i], t[(i + 1) % 3]);
      pairs.emplace_back(t[(i + 1) % 3], t[i]);
    }
  }
  const auto before = [](const Edge& a, const Edge& b) {
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  };
  std::stable_sort(edges.begin(), edges.end(), before);
  for (const auto& t : mesh_->triangles) {
    Triple opposite{-1, -1, -1}, across = opposite;
    for (int i = 0; i < 3; ++i) {
      // Where several triangles share a directed edge, the last counts.
      const Edge wanted{t[(i + 1) % 3], t[i], -1, -1};
      const auto after = std::upper_bound(edges.begin(), edges.end(), wanted, before);
      if (after == edges.begin() || before(*std::prev(after), wanted)) continue;
      opposite[i] = std::prev(after)->third;
      across[i] = std::prev(after)->triangle;
    }
    opposite_.push_back(opposite);
    across_.push_back(across);
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  neighbourStart_.assign(mesh_->vertices.size() + 1, 0);
  for (const auto& [v, w] : pairs) {
    ++neighbourStart_[v + 1];
    neighbour_.push_back(w);
  }
  for (std::size_t v = 0; v < mesh_->vertices.size(); ++v) neighbourStart_[v + 1] += neighbourStart_[v];
}

/// Spreads the normal of the first triangle of each face over the triangles that hang together with it and
/// have its plane.
void MeshTopology::findNormals() {
  const auto count = mesh_->triangles.size();
  std::vector<Vec3> own(count);
  for (std::size_t t = 0; t < count; ++t) {
    const Vec3& a = vertex(static_cast<int>(t), 0);
    own[t] = (vertex(static_cast<int>(t), 1) - a).cross(vertex(static_cast<int>(t), 2) - a).normalized();
  }
  normal_ = own;
  std::vector<char> known(count, 0);
  std::vector<int> open;
  for (std::size_t seed = 0; seed < count; ++seed) {
    if (known[seed]) continue;
    known[seed] = 1;
    open.assign(1, static_cast<int>(seed));
    while (!open.empty()) {
      const int t = open.back();
      open.pop_back();
      for (const int next : across_[static_cast<std::size_t>(t)]) {
        const auto n = static_cast<std::size_t>(next);
        if (next < 0 || known[n] || own[n].dot(own[seed]) < 0.0) continue;
        if (own[n].cross(own[seed]).norm() > kCoplanar) continue;
        known[n] = 1;
        normal_[n] = own[seed];
        open.push_back(next);
      }
    }
  }
}

MeshTopology::EdgeKind MeshTopology::kindOf(int triangle, int edge) const {
  const auto t = static_cast<std::size_t>(triangle);
  if (across_[t][edge] < 0) return EdgeKind::Boundary;
  const Vec3 beyond = mesh_->vertices[static_cast<std::size_t>(opposite_[t][edge])] - vertex(triangle, edge);
  const double height = normal_[t].dot(beyond);
  const bool facesAlike = normal_[t].dot(normal_[static_cast<std::size_t>(across_[t][edge])]) > 0.0;
  if (std::abs(height) <= kCoplanar * beyond.norm()) {
    // Of one plane: the mesh goes on there, or is folded back onto itself.
    return facesAlike ? EdgeKind::Flat : EdgeKind::Convex;
  }
  return height < 0.0 ? EdgeKind::Convex : EdgeKind::Concave;
}

bool MeshTopology::sharp(int triangle, int edge) const {
  const EdgeKind k = kind(triangle, edge);
  return k == EdgeKind::Convex || k == EdgeKind::Boundary;
}

Vec3 MeshTopology::outward(int triangle, int edge) const {
  return (vertex(triangle, (edge + 1) % 3) - vertex(triangle, edge)).cross(normal(triangle)).normalized();
}

bool MeshTopology::edgeExposes(int triangle, int edge, const Vec3& n, double slack) const {
  if (!sharp(triangle, edge) || n.dot(outward(triangle, edge)) < -slack) return false;
  if (kind(triangle, edge) == EdgeKind::Boundary) return n.dot(normal(triangle)) >= -slack;
  const int other = across(triangle, edge);
  const Vec3 e = vertex(triangle, (edge + 1) % 3) - vertex(triangle, edge);
  const Vec3 outwardThere = (-e).cross(normal(other)).normalized();
  return n.dot(outwardThere) >= -slack && n.dot(normal(triangle) + normal(other)) > kBehindFace;
}

bool MeshTopology::cornerExposes(int triangle, int corner, const Vec3& n, double slack) const {
  if (n.dot(normal(triangle)) < -slack) return false;
  const auto v = static_cast<std::size_t>(mesh_->triangles[static_cast<std::size_t>(triangle)][corner]);
  for (int k = neighbourStart_[v]; k < neighbourStart_[v + 1]; ++k) {
    const Vec3 d = mesh_->vertices[static_cast<std::size_t>(neighbour_[k])] - mesh_->vertices[v];
    if (n.dot(d) > slack * d.norm()) return false;
  }
  return true;
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

TriangleMesh welded(const TriangleMesh& mesh) {
  TriangleMesh result;
  std::map<std::array<double, 3>, int> places;
  std::vector<int> place;
  for (const Vec3& v : mesh.vertices) {
    const auto [at, isNew] =
        places.try_emplace({v.x(), v.y(), v.z()}, static_cast<int>(result.vertices.size()));
    if (isNew) result.vertices.push_back(v);
    place.push_back(at->second);
  }
  for (const auto& t : mesh.triangles) {
    const auto at = [&](int i) { return place[static_cast<std::size_t>(t[i])]; };
    const std::array<int, 3> corners{at(0), at(1), at(2)};
    if (corners[0] != corners[1] && corners[1] != corners[2] && corners[0] != corners[2])
      result.triangles.push_back(corners);
  }
  return result;
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
