#include "contacts/narrow_phase.h"

#include <algorithm>
#include <limits>

#include "contacts/distance.h"

namespace grashof {
namespace {

constexpr double kSameNormal = 0.999;  // cosine above which points belong to one manifold
constexpr double kSamePoint = 1e-6;    // m
constexpr double kInside = 1e-9;       // m by which a point may lie outside a face it is on
constexpr double kExactGap = 1e-9;     // m by which a gap may be off
// Polyhedra with more pairs of edge directions take GJK, whose cost does not grow with their product.
constexpr std::size_t kMaxEdgePairs = 2500;

/// Vertices of which the lowest touches a plane first; nullptr for curved shapes.
const std::vector<Vec3>* verticesOf(const CollisionItem& item) {
  if (!item.polyhedron.vertices.empty()) return &item.polyhedron.vertices;
  return item.description->mesh ? &item.description->mesh->vertices : nullptr;
}

/// True if an axis of one of the bounding boxes separates two polyhedra by more than `margin`. Cheap: most
/// pairs whose boxes along the world's axes overlap are apart.
bool boxesApart(const CollisionItem& a, const CollisionItem& b, double margin) {
  constexpr double kRounding = 1e-9;  // m
  const Mat3 ra = a.pose.rotation.toRotationMatrix(), rb = b.pose.rotation.toRotationMatrix();
  const Vec3 between = rb * b.boxCenter + b.pose.position - ra * a.boxCenter - a.pose.position;
  const Mat3 turn = (ra.transpose() * rb).cwiseAbs();
  const Vec3 alongA = (ra.transpose() * between).cwiseAbs() - a.boxHalf - turn * b.boxHalf;
  const Vec3 alongB = (rb.transpose() * between).cwiseAbs() - b.boxHalf - turn.transpose() * a.boxHalf;
  return std::max(alongA.maxCoeff(), alongB.maxCoeff()) > margin + kRounding;
}

/// The bounding box of a shape along the world's axes, larger by `margin`; a plane has none.
class Bounds {
 public:
  Bounds(const CollisionItem& item, double margin) {
    constexpr double kRounding = 1e-9;  // m
    if (!item.shape) return;
    btVector3 low, high;
    item.shape->getAabb(item.transform(), low, high);
    low_ = fromBullet(low).array() - margin - kRounding;
    high_ = fromBullet(high).array() + margin + kRounding;
  }
  /// Whether `p` is in the box, or beside it by at most `slack` (m).
  bool hold(const Vec3& p, double slack) const {
    return (p.array() >= low_.array() - slack).all() && (p.array() <= high_.array() + slack).all();
  }

 private:
  Vec3 low_ = Vec3::Constant(-std::numeric_limits<double>::infinity()), high_ = -low_;
};

}  // namespace

void planePoints(const CollisionItem& item, const Vec3& n, double offset, double margin,
                 std::vector<ManifoldPoint>& points) {
  const Shape& shape = *item.description;
  const Vec3& center = item.pose.position;
  const Mat3 r = item.pose.rotation.toRotationMatrix();
  const Vec3 axis = r.col(2);
  const auto add = [&](const Vec3& p) {
    const double gap = n.dot(p) - offset;
    if (gap <= margin) points.push_back({p - 0.5 * gap * n, gap});
  };
  const auto addDisc = [&](const Vec3& discCenter) {
    // Points of the rim: the deepest, its opposite and the two between. A disc that lies flat has no deepest
    // point; there the x axis of the body determines where to start.
    Vec3 down = -(n - n.dot(axis) * axis);
    down = down.squaredNorm() > 1e-6 ? down.normalized() : Vec3(r.col(0));
    const Vec3 side = axis.cross(down);
    for (const Vec3& d : {down, Vec3(-down), side, Vec3(-side)}) add(discCenter + shape.radius * d);
  };
  switch (shape.type) {
    case ShapeType::Sphere:
      add(center - shape.radius * n);
      break;
    case ShapeType::Capsule:
      for (const double s : {-0.5, 0.5}) add(center + s * shape.length * axis - shape.radius * n);
      break;
    case ShapeType::Cylinder:
      for (const double s : {-0.5, 0.5}) addDisc(center + s * shape.length * axis);
      break;
    case ShapeType::Cone:
      add(center + 0.5 * shape.length * axis);
      addDisc(center - 0.5 * shape.length * axis);
      break;
    case ShapeType::Ellipsoid: {
      const Vec3 local = shape.size.cwiseProduct(r.transpose() * n);
      add(center - r * shape.size.cwiseProduct(local) / local.norm());
      break;
    }
    default:
      if (const std::vector<Vec3>* vertices = verticesOf(item))
        for (const Vec3& v : *vertices) add(r * v + center);
  }
}

void NarrowPhase::collide(const CollisionItem& a, const CollisionItem& b, double margin,
                          std::vector<Contact>& contacts) {
  const auto plane = [](const CollisionItem& item) { return item.description->type == ShapeType::Plane; };
  if (plane(a))
    collidePlane(a, b, margin, contacts);
  else if (plane(b))
    collidePlane(b, a, margin, contacts);
  else
    collidePair(a, b, margin, contacts);
}

void NarrowPhase::collidePair(const CollisionItem& a, const CollisionItem& b, double margin,
                              std::vector<Contact>& contacts) {
  if (a.polyhedral() && b.polyhedral() && boxesApart(a, b, margin)) return;
  if (a.polyhedral() && b.polyhedral() &&
      a.polyhedron.edgeDirections.size() * b.polyhedron.edgeDirections.size() <= kMaxEdgePairs) {
    return collidePolyhedral(a, b, margin, contacts);
  }
  found_.clear();
  if (a.mesh && b.mesh)
    meshPairs_.collide(a, b, margin, found_);
  else if (a.mesh)
    meshes_.collide(a, b, margin, true, found_);
  else if (b.mesh)
    meshes_.collide(b, a, margin, false, found_);
  else if (a.description->type == ShapeType::Sphere && b.description->type == ShapeType::Sphere)
    collideSpheres(a, b);
  else
    collideConvex(a, b, margin);
  addManifolds(a, b, margin, contacts);
}

/// Polyhedra by separating axes. Where they are apart, the best axis separates them less than they are apart
/// if edges or corners are nearest: then their closest points replace a single point, and join a manifold,
/// which holds what is over the face.
void NarrowPhase::collidePolyhedral(const CollisionItem& a, const CollisionItem& b, double margin,
                                    std::vector<Contact>& contacts) {
  Vec3 normal;
  collidePolyhedra(a.polyhedron, a.pose, b.polyhedron, b.pose, margin, work_, normal, points_);
  const double bound = work_.separation;
  if (bound > margin) return;
  double least = std::numeric_limits<double>::infinity();
  for (const ManifoldPoint& p : points_) least = std::min(least, p.gap);
  Separation nearest;
  const bool inexact = bound > 0.0 && (points_.size() < 2 || least > bound + kExactGap);
  if (inexact) {
    nearest = separationOf(a.solid(), a.pose, b.solid(), b.pose, margin);
    if (points_.size() == 1 && nearest.gap > least + kExactGap) points_.clear();
  }
  if (!points_.empty()) {
    reduceManifold(normal, points_);
    emit(a, b, normal, margin, contacts);
  }
  if (!inexact || nearest.gap > margin || (!points_.empty() && nearest.gap > least - kExactGap)) return;
  if (!edgesAlong(work_, nearest.normal, points_))
    points_.assign({{0.5 * (nearest.pointA + nearest.pointB), nearest.gap}});
  emit(a, b, nearest.normal, margin, contacts);
}

void NarrowPhase::collidePlane(const CollisionItem& plane, const CollisionItem& other, double margin,
                               std::vector<Contact>& contacts) {
  const Vec3 n = plane.pose.rotation * Vec3::UnitZ();
  points_.clear();
  planePoints(other, n, n.dot(plane.pose.position), margin, points_);
  reduceManifold(n, points_);
  if (plane.index < other.index)
    emit(plane, other, n, margin, contacts);
  else
    emit(other, plane, -n, margin, contacts);
}

void NarrowPhase::collideSpheres(const CollisionItem& a, const CollisionItem& b) {
  const Vec3 d = b.pose.position - a.pose.position;
  const double distance = d.norm();
  const Vec3 normal = distance > 1e-12 ? Vec3(d / distance) : Vec3::UnitZ();
  const double gap = distance - a.description->radius - b.description->radius;
  found_.push_back({normal, {a.pose.position + (a.description->radius + 0.5 * gap) * normal, gap}});
}

/// Appends those of points_ to the found ones whose foot lies inside the polygon `loop` (counter-clockwise
/// about n). Their normal becomes sign n.
void NarrowPhase::addInside(const Vec3& n, double sign, std::span<const Vec3> loop) {
  for (const ManifoldPoint& p : points_) {
    bool inside = true;
    for (std::size_t k = 0; k < loop.size() && inside; ++k) {
      const Vec3& from = loop[k];
      const Vec3 side = (loop[(k + 1) % loop.size()] - from).cross(n).normalized();
      inside = side.dot(p.point - from) <= kInside;
    }
    if (inside) found_.push_back({sign * n, p});
  }
}

/// Appends the points of `other` that lie on the flat face of `flat` whose normal is (nearly) `outward`, if
/// there is one.
void NarrowPhase::addFlat(const CollisionItem& flat, const CollisionItem& other, const Vec3& outward,
                          double margin, double sign) {
  const Pose& pose = flat.pose;
  points_.clear();
  const Vec3 local = pose.rotation.conjugate() * outward;
  for (const auto& face : flat.polyhedron.faces) {
    if (face.normal.dot(local) < kSameNormal) continue;
    const Vec3 n = pose.rotation * face.normal;
    planePoints(other, n, face.offset + n.dot(pose.position), margin, points_);
    work_.polygon.clear();
    for (const int v : face.loop) work_.polygon.push_back(pose * flat.polyhedron.vertices[v]);
    return addInside(n, sign, work_.polygon);
  }
  const Shape& shape = *flat.description;
  const bool cylinder = shape.type == ShapeType::Cylinder;
  if (!cylinder && shape.type != ShapeType::Cone) return;
  // The ends of a cylinder, the base of a cone.
  if (std::abs(local.z()) < kSameNormal || (!cylinder && local.z() > 0.0)) return;
  const Vec3 n = pose.rotation * Vec3(0.0, 0.0, std::copysign(1.0, local.z()));
  const Vec3 center = pose.position + 0.5 * shape.length * n;
  planePoints(other, n, n.dot(center), margin, points_);
  for (const ManifoldPoint& p : points_) {
    const Vec3 d = p.point - center;
    if ((d - n.dot(d) * n).norm() <= shape.radius + kInside) found_.push_back({sign * n, p});
  }
}

/// One closest point and, if it lies on a flat face, the other points that rest on this face.
void NarrowPhase::collideConvex(const CollisionItem& a, const CollisionItem& b, double margin) {
  const Separation s = separationOf(a.solid(), a.pose, b.solid(), b.pose, margin);
  if (s.gap > margin) return;
  addFlat(a, b, s.normal, margin, 1.0);
  addFlat(b, a, -s.normal, margin, -1.0);
  found_.push_back({s.normal, {0.5 * (s.pointA + s.pointB), s.gap}});
}

/// Appends one manifold for all found points whose normals agree, whatever triangles they came from.
void NarrowPhase::addManifolds(const CollisionItem& a, const CollisionItem& b, double margin,
                               std::vector<Contact>& contacts) {
  // By insertion: the lists are short, equal gaps keep their order, and std::stable_sort would allocate.
  const auto nearer = [](const FoundPoint& p, const FoundPoint& q) { return p.point.gap < q.point.gap; };
  for (auto at = found_.begin(); at != found_.end(); ++at)
    std::rotate(std::upper_bound(found_.begin(), at, *at, nearer), at, at + 1);
  while (!found_.empty()) {
    const Vec3 normal = found_.front().normal;
    points_.clear();
    std::size_t left = 0;
    for (const FoundPoint& f : found_) {
      if (f.normal.dot(normal) < kSameNormal)
        found_[left++] = f;
      else if (std::none_of(points_.begin(), points_.end(), [&](const ManifoldPoint& p) {
                 return (p.point - f.point.point).squaredNorm() < kSamePoint * kSamePoint;
               }))
        points_.push_back(f.point);
    }
    found_.resize(left);
    reduceManifold(normal, points_);
    emit(a, b, normal, margin, contacts);
  }
}

/// Appends points_ as contacts, but for those that lie outside of the bounding box of either shape by more
/// than `margin`: whatever found them, no surface is there.
void NarrowPhase::emit(const CollisionItem& a, const CollisionItem& b, const Vec3& normal, double margin,
                       std::vector<Contact>& contacts) const {
  const Bounds boundsA(a, margin), boundsB(b, margin);
  for (const ManifoldPoint& point : points_) {
    // Midway between surfaces that overlap, it is off both.
    const double slack = std::max(0.0, -0.5 * point.gap);
    if (point.gap > margin || !boundsA.hold(point.point, slack) || !boundsB.hold(point.point, slack))
      continue;
    Contact contact;
    contact.shapeA = a.index;
    contact.shapeB = b.index;
    contact.bodyA = a.description->body;
    contact.bodyB = b.description->body;
    contact.point = point.point;
    contact.frame = frameFromNormal(normal);
    contact.gap = point.gap;
    contacts.push_back(contact);
  }
}

}  // namespace grashof
