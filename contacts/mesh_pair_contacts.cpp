#include "contacts/mesh_pair_contacts.h"

#include <algorithm>
#include <tuple>

namespace grashof {
namespace {

constexpr double kTilted = 0.0447;      // sine up to which a corner or edge counts as lying along a face
constexpr double kStrict = 1e-6;        // sine: rounding of directions between points that are apart
constexpr double kTouchingMesh = 1e-5;  // m, gap below which the direction between two points is not trusted
constexpr double kInsideTriangle = 1e-9;  // m by which a point may lie outside a triangle it is over
constexpr double kDeeperTwice = 2.0;      // times the least depth of a corner: what another face may have
constexpr double kAlong = 1e-8;           // squared sine below which edges count as parallel

/// `n` (axes of A), outward from the triangle or into it by its sign, as an outward normal in the axes of the
/// triangle's own mesh.
template <typename Triangle>
Vec3 ownNormal(const Triangle& t, const Vec3& n) {
  return t.toOwn * (t.sign * n);
}

/// Whether this triangle speaks for its edge: the first one of the two that share it.
template <typename Triangle>
bool ownsSharpEdge(const Triangle& t, int edge) {
  const int other = t.topology->across(t.number, edge);
  return (other < 0 || t.number < other) && t.topology->sharp(t.number, edge);
}

/// `n` (from A to B), or, where it leaves the faces at an edge by a little, the nearest of their normals.
template <typename Triangle>
Vec3 withinFaces(const Triangle& t, int edge, const Vec3& n) {
  if (t.topology->edgeExposes(t.number, edge, ownNormal(t, n), 0.0)) return n;
  const int other = t.topology->across(t.number, edge);
  const Vec3 here = t.sign * t.normal;
  const Vec3 there = other < 0 ? here : Vec3(t.sign * (t.toOwn.transpose() * t.topology->normal(other)));
  const Vec3 nearest = n.dot(there) > n.dot(here) ? there : here;
  return nearest.cross(n).norm() <= kTilted && nearest.dot(n) > 0.0 ? nearest : n;
}

}  // namespace

/// `pose`: of the mesh in the axes of A.
MeshPairContacts::Placed MeshPairContacts::place(const CollisionItem& mesh, int number, const Pose& pose,
                                                 double sign) {
  const TriangleMesh& surface = mesh.mesh->surface;
  Placed p;
  p.topology = mesh.mesh->topology.get();
  p.number = number;
  p.vertices = surface.triangles[static_cast<std::size_t>(number)];
  const Mat3 rotation = pose.rotation.toRotationMatrix();
  for (int i = 0; i < 3; ++i)
    p.x[i] = rotation * surface.vertices[static_cast<std::size_t>(p.vertices[i])] + pose.position;
  p.normal = rotation * p.topology->normal(number);
  for (int i = 0; i < 3; ++i) p.outward[i] = (p.x[(i + 1) % 3] - p.x[i]).cross(p.normal).normalized();
  p.toOwn = rotation.transpose();
  if (p.topology->closed())
    p.thickness = kTouchingMesh + 2.0 * mesh.boxHalf.dot(p.topology->normal(number).cwiseAbs());
  p.sign = sign;
  return p;
}

void MeshPairContacts::collide(const CollisionItem& a, const CollisionItem& b, double margin,
                               std::vector<FoundPoint>& found) {
  overFaces_.clear();
  found_.clear();
  const Vec3 more = Vec3::Constant(margin);
  const Pose pose = a.pose.inverse() * b.pose;
  const auto box = [&](const CollisionItem& item, const Pose& in) {
    btVector3 low, high;
    item.shape->getAabb(toBullet(in), low, high);
    return std::pair<Vec3, Vec3>(fromBullet(low) - more, fromBullet(high) + more);
  };
  const auto [low, high] = box(a, pose.inverse());
  trianglesIn(b, low, high, near_);
  for (const int k : near_) {
    const Placed onB = place(b, k, pose, -1.0);
    const Vec3 lowest = onB.x[0].cwiseMin(onB.x[1]).cwiseMin(onB.x[2]) - more;
    const Vec3 highest = onB.x[0].cwiseMax(onB.x[1]).cwiseMax(onB.x[2]) + more;
    trianglesIn(a, lowest, highest, under_);
    for (const int number : under_) collideTriangles(place(a, number, Pose{}, 1.0), onB, margin);
  }
  keepPlausible();
  for (const FoundPoint& f : found_)
    found.push_back({a.pose.rotation * f.normal, {a.pose * f.point.point, f.point.gap}});
}

void MeshPairContacts::collideTriangles(const Placed& a, const Placed& b, double margin) {
  addCorners(a, b, margin);
  addCorners(b, a, margin);
  addEdges(a, b, margin);
  if (margin > kTouchingMesh) addApart(a, b, margin);
}

/// The corners of a triangle over or under the face of the other. Where faces meet in a valley each of them
/// also bounds what has sunk into the other; there a face reaches beyond its edge.
void MeshPairContacts::addCorners(const Placed& face, const Placed& corners, double margin) {
  for (int c = 0; c < 3; ++c) {
    if (corners.topology->inner(corners.vertices[c])) continue;
    const Vec3& x = corners.x[c];
    const double gap = face.normal.dot(x - face.x[0]);
    if (gap > margin || -gap > face.thickness) continue;
    bool over = true, beyond = false;
    for (int e = 0; e < 3 && over; ++e) {
      const double outside = face.outward[e].dot(x - face.x[e]);
      if (outside <= kInsideTriangle) continue;
      const bool valley = face.topology->kind(face.number, e) == MeshTopology::EdgeKind::Concave;
      over = valley && gap < kTouchingMesh && outside <= margin;
      beyond = true;
    }
    const Vec3 normal = face.sign * face.normal;
    if (!over || !corners.topology->cornerExposes(corners.number, c, ownNormal(corners, normal), kTilted))
      continue;
    overFaces_.push_back(
        {face.sign, corners.vertices[c], face.number, beyond, {normal, {x - 0.5 * gap * face.normal, gap}}});
  }
}

/// The edges of two triangles that cross. The normal across both may leave the faces at one of them by a
/// little, where that face lies along the other edge; then it is the normal of the face.
void MeshPairContacts::addEdges(const Placed& a, const Placed& b, double margin) {
  for (int i = 0; i < 3; ++i) {
    if (!ownsSharpEdge(a, i)) continue;
    const Vec3 d1 = a.x[(i + 1) % 3] - a.x[i];
    for (int j = 0; j < 3; ++j) {
      if (!ownsSharpEdge(b, j)) continue;
      const Vec3 d2 = b.x[(j + 1) % 3] - b.x[j], r = a.x[i] - b.x[j];
      const double aa = d1.dot(d1), bb = d1.dot(d2), cc = d2.dot(d2), det = aa * cc - bb * bb;
      if (det <= kAlong * aa * cc) continue;
      const double s = (bb * d2.dot(r) - cc * d1.dot(r)) / det, t = (aa * d2.dot(r) - bb * d1.dot(r)) / det;
      // How far from their ends the edges cross.
      const double inside =
          std::min(std::min(s, 1.0 - s) * std::sqrt(aa), std::min(t, 1.0 - t) * std::sqrt(cc));
      if (inside < -kInsideTriangle) continue;
      const Vec3 p = a.x[i] + s * d1, q = b.x[j] + t * d2;
      Vec3 n = d1.cross(d2).normalized();
      for (const double sign : {1.0, -1.0}) {
        Vec3 normal = sign * n;
        if (!a.topology->edgeExposes(a.number, i, ownNormal(a, normal), kTilted) ||
            !b.topology->edgeExposes(b.number, j, ownNormal(b, normal), kTilted))
          continue;
        const Vec3 within = withinFaces(a, i, normal);
        normal = within == normal ? withinFaces(b, j, normal) : within;
        const double gap = normal.dot(q - p);
        if (gap > margin || -gap > kTouchingMesh + inside) continue;
        found_.push_back({normal, {0.5 * (p + q), gap}});
      }
    }
  }
}

/// Corners beside edges and corners, of triangles that are apart: the normal is the direction from one to the
/// other.
void MeshPairContacts::addApart(const Placed& a, const Placed& b, double margin) {
  addCornersBeside(a, b, margin);
  addCornersBeside(b, a, margin);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const Vec3 d = b.x[j] - a.x[i];
      const double gap = d.norm();
      if (gap > margin || gap < kTouchingMesh) continue;
      const Vec3 n = d / gap;
      if (a.topology->cornerExposes(a.number, i, ownNormal(a, n), kStrict) &&
          b.topology->cornerExposes(b.number, j, ownNormal(b, n), kStrict))
        found_.push_back({n, {0.5 * (a.x[i] + b.x[j]), gap}});
    }
}

void MeshPairContacts::addCornersBeside(const Placed& edges, const Placed& corners, double margin) {
  for (int e = 0; e < 3; ++e) {
    if (!ownsSharpEdge(edges, e)) continue;
    const Vec3 along = edges.x[(e + 1) % 3] - edges.x[e];
    for (int c = 0; c < 3; ++c) {
      const Vec3 from = corners.x[c] - edges.x[e];
      const double t = along.dot(from) / along.squaredNorm();
      if (t <= 0.0 || t >= 1.0) continue;
      const Vec3 d = from - t * along;
      const double gap = d.norm();
      if (gap > margin || gap < kTouchingMesh) continue;
      const Vec3 n = edges.sign * d / gap;
      if (edges.topology->edgeExposes(edges.number, e, ownNormal(edges, n), kStrict) &&
          corners.topology->cornerExposes(corners.number, c, ownNormal(corners, n), kStrict))
        found_.push_back({n, {corners.x[c] - 0.5 * d, gap}});
    }
  }
}

/// Moves the corners over faces to the found points, each once, without those that lie much deeper under a
/// face than under another one: they came in there.
void MeshPairContacts::keepPlausible() {
  const auto key = [](const OverFace& f) { return std::tuple(f.sign, f.vertex, f.triangle); };
  std::sort(overFaces_.begin(), overFaces_.end(),
            [&](const OverFace& a, const OverFace& b) { return key(a) < key(b); });
  for (std::size_t i = 0; i < overFaces_.size();) {
    std::size_t end = i;
    double least = std::numeric_limits<double>::infinity();
    const auto same = [&](const OverFace& f) {
      return f.sign == overFaces_[i].sign && f.vertex == overFaces_[i].vertex;
    };
    for (; end < overFaces_.size() && same(overFaces_[end]); ++end)
      if (!overFaces_[end].beyond) least = std::min(least, std::max(0.0, -overFaces_[end].found.point.gap));
    for (std::size_t k = i; k < end; ++k) {
      const OverFace& f = overFaces_[k];
      const bool known = k > i && overFaces_[k - 1].triangle == f.triangle;
      if (known || (!f.beyond && -f.found.point.gap > kTouchingMesh + kDeeperTwice * least)) continue;
      found_.push_back(f.found);
    }
    i = end;
  }
}

}  // namespace grashof
