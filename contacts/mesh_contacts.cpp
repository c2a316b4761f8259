#include "contacts/mesh_contacts.h"

#include <algorithm>
#include <limits>

#include "contacts/narrow_phase.h"

namespace grashof {
namespace {

constexpr double kAtFace = 1e-9;         // m by which a point may lie outside a triangle that it is over
constexpr double kAtBorder = 1e-7;       // m by which a point of an edge may lie off it
constexpr double kNearGap = 1e-5;        // m up to which surfaces count as touching
constexpr double kFanSlack = 1e-6;       // sine: rounding of the direction between two points
constexpr double kFaceNormal = 1e-6;     // sine up to which a direction is the normal of a face
constexpr double kLyingFlat = 0.0447;    // sine up to which a line or a disc lies along a face
constexpr double kIntoBack = 1e-3;       // cosine beyond which a normal points into the back of a face
constexpr double kPlausibleDepth = 4.0;  // times the least overlap: depth that a face may have
constexpr double kIntrusion = 2.0;       // times what reaches over an edge: depth under a face

/// The points of a solid between which it is nearest to a plane with the normal `n`, along its side: false
/// for those without a straight one.
bool lowestLine(const CollisionItem& item, const Vec3& n, Vec3& from, Vec3& to) {
  const Shape& shape = *item.description;
  const Vec3 axis = item.pose.rotation * Vec3::UnitZ(), center = item.pose.position;
  if (shape.type == ShapeType::Capsule) {
    from = center - 0.5 * shape.length * axis - shape.radius * n;
    to = from + shape.length * axis;
    return true;
  }
  if (shape.type != ShapeType::Cylinder && shape.type != ShapeType::Cone) return false;
  const Vec3 down = n.dot(axis) * axis - n;
  if (down.norm() < kLyingFlat) return false;  // upright
  from = center - 0.5 * shape.length * axis + shape.radius * down.normalized();
  to = center + 0.5 * shape.length * axis;
  if (shape.type == ShapeType::Cylinder) to = from + shape.length * axis;
  return true;
}

/// How far (m) a solid reaches over a line through `p`, from outside it; `outward`: unit, across the line.
double reachOver(const ConvexShape& solid, const Pose& pose, const Vec3& outward, const Vec3& p) {
  const Vec3 local = pose.rotation.conjugate() * -outward;
  const Vec3 farthest = pose * solid.support(local).point - solid.radius() * outward;
  return outward.dot(p - farthest);
}

}  // namespace

MeshContacts::Face MeshContacts::place(const CollisionItem& mesh, int number) {
  const TriangleMesh& surface = mesh.mesh->surface;
  const auto& corners = surface.triangles[static_cast<std::size_t>(number)];
  Face face{&mesh, number, {}, {}, mesh.pose.rotation * mesh.mesh->topology->normal(number)};
  for (int i = 0; i < 3; ++i) face.x[i] = mesh.pose * surface.vertices[static_cast<std::size_t>(corners[i])];
  for (int i = 0; i < 3; ++i)
    face.outward[i] = (face.x[(i + 1) % 3] - face.x[i]).cross(face.normal).normalized();
  return face;
}

void MeshContacts::collide(const CollisionItem& mesh, const CollisionItem& other, double margin,
                           bool meshFirst, std::vector<FoundPoint>& found) {
  sign_ = meshFirst ? 1.0 : -1.0;
  found_ = &found;
  if (mesh.description->thickness > 0.0 && collideInside(mesh, other, margin)) return;
  btVector3 low, high;
  other.shape->getAabb(toBullet(mesh.pose.inverse() * other.pose), low, high);
  const Vec3 more = Vec3::Constant(margin);
  trianglesIn(mesh, fromBullet(low) - more, fromBullet(high) + more, triangles_);
  for (const int number : triangles_) {
    if (other.polyhedral())
      collidePolyhedron(mesh, number, other, margin);
    else
      collideCurved(place(mesh, number), other, margin);
  }
}

/// The centre of the solid is straight below the face that counts, along z of the mesh.
bool MeshContacts::collideInside(const CollisionItem& mesh, const CollisionItem& other, double margin) {
  const Vec3 center = other.polyhedral() ? other.pose * other.polyhedron.center : other.pose.position;
  const Vec3 below = mesh.pose.inverse() * center;
  const Vec3 up = mesh.description->thickness * Vec3::UnitZ(), more = Vec3::Constant(kAtBorder);
  trianglesIn(mesh, below - more, below + up + more, triangles_);
  const TriangleMesh& surface = mesh.mesh->surface;
  int covering = -1;
  double least = mesh.description->thickness;
  for (const int number : triangles_) {
    const Vec3 n = mesh.mesh->topology->normal(number);
    if (!(n.z() > 0.0)) continue;
    const auto& c = surface.triangles[static_cast<std::size_t>(number)];
    bool over = true;
    for (std::size_t i = 0; i < 3 && over; ++i) {
      const Vec3 &a = surface.vertices[static_cast<std::size_t>(c[i])],
                 &b = surface.vertices[static_cast<std::size_t>(c[(i + 1) % 3])];
      over = (b - a).cross(below - a).z() >= -kAtBorder * (b - a).norm();
    }
    const double depth = n.dot(surface.vertices[static_cast<std::size_t>(c[0])] - below) / n.z();
    if (!over || depth < 0.0 || depth > least) continue;
    least = depth;
    covering = number;
  }
  if (covering < 0) return false;
  const Face face = place(mesh, covering);
  points_.clear();
  planePoints(other, face.normal, face.normal.dot(face.x[0]), margin, points_);
  for (const ManifoldPoint& p : points_) add(face.normal, p);
  return true;
}

/// What has sunk in beyond a sharp edge, less deep than into the face, came in there.
bool MeshContacts::cameOverEdge(const Face& face, const CollisionItem& other, const ConvexShape& solid) {
  const double depth = reachOver(solid, other.pose, face.normal, face.x[0]);
  if (depth < kNearGap) return false;
  for (int e = 0; e < 3; ++e)
    if (face.sharp(e) && kIntrusion * reachOver(solid, other.pose, face.outward[e], face.x[e]) < depth)
      return true;
  return false;
}

void MeshContacts::collideCurved(const Face& face, const CollisionItem& other, double margin) {
  if (face.normal.dot(other.pose.position - face.x[0]) <= 0.0) return;  // from behind
  const ConvexShape solid(*other.description);
  const std::size_t before = found_->size();
  if (!cameOverEdge(face, other, solid)) {
    if (addOver(face, other, margin)) return;
    addLine(face, other, margin);
    addDisc(face, other, margin);
  }
  addBorder(face, other, solid, margin, found_->size() == before);
}

/// The points of a curved solid that are nearest to the plane of the face, as far as they are over it.
/// Returns whether the nearest of all is among them: then the triangle has no other contact. In a valley a
/// face reaches beyond its edge: there it also bounds what has sunk into the other face.
bool MeshContacts::addOver(const Face& face, const CollisionItem& other, double margin) {
  const Vec3& n = face.normal;
  points_.clear();
  planePoints(other, n, n.dot(face.x[0]), margin, points_);
  double least = std::numeric_limits<double>::infinity();
  for (const ManifoldPoint& p : points_) least = std::min(least, p.gap);
  bool nearest = points_.empty();
  for (const ManifoldPoint& p : points_) {
    bool over = true;
    for (int e = 0; e < 3 && over; ++e) {
      const double outside = face.outside(e, p.point);
      if (outside <= kAtFace) continue;
      const bool valley = face.topology().kind(face.number, e) == MeshTopology::EdgeKind::Concave;
      over = valley && p.gap < kNearGap && outside <= margin;
    }
    if (!over) continue;
    nearest = nearest || p.gap <= least;
    add(n, p);
  }
  return nearest;
}

/// Where the side of a capsule, a cylinder or a cone that lies along the face leaves it over a sharp edge.
void MeshContacts::addLine(const Face& face, const CollisionItem& other, double margin) {
  Vec3 from, to;
  if (!lowestLine(other, face.normal, from, to)) return;
  const Vec3 along = to - from;
  if (std::abs(face.normal.dot(along)) > kLyingFlat * along.norm()) return;
  double first = 0.0, last = 1.0;
  bool sharpFirst = false, sharpLast = false;
  for (int e = 0; e < 3; ++e) {
    const double start = face.outside(e, from), change = face.outward[e].dot(along);
    if (std::abs(change) < kAtFace) {
      if (start > kAtFace) return;
      continue;
    }
    const double t = -start / change;
    if (change > 0.0 && t < last)
      last = t, sharpLast = face.sharp(e);
    else if (change < 0.0 && t > first)
      first = t, sharpFirst = face.sharp(e);
  }
  if (first > last) return;
  const auto addAt = [&](double t) {
    const Vec3 p = from + t * along;
    const double gap = face.normal.dot(p - face.x[0]);
    if (gap <= margin) add(face.normal, {p - 0.5 * gap * face.normal, gap});
  };
  if (sharpFirst) addAt(first);
  if (sharpLast) addAt(last);
}

/// Where the rim of a cylinder or cone that stands on the face leaves it over a sharp edge, and the corners
/// under its disc.
void MeshContacts::addDisc(const Face& face, const CollisionItem& other, double margin) {
  const Shape& shape = *other.description;
  if (shape.type != ShapeType::Cylinder && shape.type != ShapeType::Cone) return;
  const Vec3 axis = other.pose.rotation * Vec3::UnitZ();
  const double upright = face.normal.dot(axis);
  if (face.normal.cross(axis).norm() > kLyingFlat || (shape.type == ShapeType::Cone && upright < 0.0)) return;
  const Vec3 out = std::copysign(1.0, -upright) * axis;  // of the disc
  const Vec3 center = other.pose.position + 0.5 * shape.length * out;
  // `p` is on the face; the disc is over it along the normal of the face.
  const auto addAt = [&](const Vec3& p) {
    const double height = out.dot(p - center) / -face.normal.dot(out);
    if (height <= margin) add(face.normal, {p + 0.5 * height * face.normal, height});
  };
  for (int e = 0; e < 3; ++e) {
    if (!face.sharp(e)) continue;
    const Vec3 &a = face.x[e], &b = face.x[(e + 1) % 3];
    const Vec3 along = b - a, from = a - center;
    const Vec3 d = along - axis.dot(along) * axis, r = from - axis.dot(from) * axis;
    const double aa = d.squaredNorm(), bb = d.dot(r), cc = r.squaredNorm() - shape.radius * shape.radius;
    const double root = bb * bb - aa * cc;
    if (root < 0.0) continue;
    for (const double s : {-1.0, 1.0}) {
      const double t = std::clamp((-bb + s * std::sqrt(root)) / aa, 0.0, 1.0);
      if ((r + t * d).norm() <= shape.radius + kAtFace) addAt(a + t * along);
    }
  }
}

/// The contact of an edge or a corner of the triangle that the mesh exposes to the solid, or, where
/// `overFace`, of the face.
void MeshContacts::addBorder(const Face& face, const CollisionItem& other, const ConvexShape& solid,
                             double margin, bool overFace) {
  const auto& corners = face.mesh->mesh->surface.triangles[static_cast<std::size_t>(face.number)];
  const auto border = [&](int i) {
    return face.topology().kind(face.number, i) != MeshTopology::EdgeKind::Flat ||
           !face.topology().inner(corners[i]);
  };
  if (!border(0) && !border(1) && !border(2)) return;
  const Separation s =
      separationOf(ConvexShape(std::span<const Vec3>(face.x)), Pose{}, solid, other.pose, margin);
  if (s.gap > margin) return;
  const bool ofFace = s.normal.cross(face.normal).norm() < kFaceNormal && s.normal.dot(face.normal) > 0.0;
  if (ofFace ? overFace : exposed(face, s.pointA, s.normal))
    add(s.normal, {0.5 * (s.pointA + s.pointB), s.gap});
}

/// Whether the mesh exposes the edge or corner at the point `p` of the triangle to the normal `n`.
bool MeshContacts::exposed(const Face& face, const Vec3& p, const Vec3& n) {
  const Vec3 local = face.mesh->pose.rotation.conjugate() * n;
  std::array<bool, 3> on{};
  for (int e = 0; e < 3; ++e) on[e] = face.outside(e, p) > -kAtBorder;
  for (int e = 0; e < 3; ++e)
    if (on[e] && on[(e + 2) % 3]) return face.topology().cornerExposes(face.number, e, local, kFanSlack);
  for (int e = 0; e < 3; ++e)
    if (on[e]) return face.topology().edgeExposes(face.number, e, local, kFanSlack);
  return false;
}

/// One triangle and a polyhedron. A normal with which no body can meet the
/// triangle, such as one at an edge inside a flat region, is replaced by that of the face, if the polyhedron
/// comes from the front. Behind the skin of a thin wall there is a second one. A polyhedron that meets the
/// first is near the second, too, or overlaps it a little, and its center may well be in front of a triangle
/// there that slants. That the polyhedron comes from behind shows in a depth which is far larger than the
/// least overlap.
void MeshContacts::collidePolyhedron(const CollisionItem& mesh, int number, const CollisionItem& other,
                                     double margin) {
  const TriangleMesh& surface = mesh.mesh->surface;
  const auto& c = surface.triangles[static_cast<std::size_t>(number)];
  setTriangle(surface.vertices[static_cast<std::size_t>(c[0])],
              surface.vertices[static_cast<std::size_t>(c[1])],
              surface.vertices[static_cast<std::size_t>(c[2])], triangle_);
  const Pose& pose = mesh.pose;
  Vec3 normal;
  if (!collidePolyhedra(triangle_, pose, other.polyhedron, other.pose, margin, work_, normal, points_))
    return;
  if (!mesh.mesh->topology->exposes(number, pose.rotation.conjugate() * normal)) {
    const Polyhedron::Face& front = triangle_.faces[0];
    const Vec3 face = pose.rotation * front.normal;
    const double offset = front.offset + face.dot(pose.position);
    if (face.dot(other.pose * other.polyhedron.center) <= offset) return;  // from behind
    const double overlap = -separationAlong(work_, normal);
    const bool apart = overlap < 0.0;
    if (normal.dot(face) < -kIntoBack &&
        (apart || -separationAlong(work_, face) > kPlausibleDepth * overlap + kNearGap))
      return;
    normal = face;
    collideWithFace(triangle_, 0, pose, other.polyhedron, other.pose, margin, work_, points_);
    // What is apart from the triangle does not reach through it.
    if (apart) std::erase_if(points_, [](const ManifoldPoint& p) { return p.gap < -kNearGap; });
  }
  for (const ManifoldPoint& p : points_) add(normal, p);
}

}  // namespace grashof
