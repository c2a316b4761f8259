#include "contacts/collision_world.h"

#include <algorithm>
#include <tuple>

#include <BulletCollision/CollisionShapes/btTriangleShape.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>

#include "contacts/bullet_shapes.h"
#include "contacts/polyhedron.h"

namespace grashof {
namespace {

constexpr double kSameNormal = 0.999;     // cosine above which points belong to one manifold
constexpr double kSamePoint = 1e-6;       // m
constexpr double kInside = 1e-9;          // m by which a point may lie outside a face it is on
constexpr double kTouching = 1e-5;        // m, gap below which a closest point is not trusted
constexpr double kMovedApart = 1e-4;      // m
constexpr double kDepthTolerance = 1e-7;  // m by which a flat face must overlap less to be taken
constexpr int kMaxEdgePairs =
    2500;  // polyhedra with more pairs of edge directions go to the general algorithm

/// Adds the points of `shape` (pose in the world) nearest to the half space n·x <= offset.
void planePoints(const Shape& shape, const Pose& pose, const std::vector<Vec3>* vertices, const Vec3& n,
                 double offset, double margin, std::vector<ManifoldPoint>& points) {
  const auto add = [&](const Vec3& p) {
    const double gap = n.dot(p) - offset;
    if (gap <= margin) points.push_back({p - 0.5 * gap * n, gap});
  };
  const Mat3 r = pose.rotation.toRotationMatrix();
  const Vec3 axis = r.col(2);
  const auto addDisc = [&](const Vec3& center) {
    // Rim points: the deepest, its opposite and the two between. A disc that lies flat has no deepest point:
    // there the body's own x axis says where to start.
    Vec3 down = -(n - n.dot(axis) * axis);
    down = down.squaredNorm() > 1e-6 ? down.normalized() : Vec3(r.col(0));
    const Vec3 side = axis.cross(down);
    for (const Vec3& d : {down, Vec3(-down), side, Vec3(-side)}) add(center + shape.radius * d);
  };
  switch (shape.type) {
    case ShapeType::Sphere:
      add(pose.position - shape.radius * n);
      break;
    case ShapeType::Capsule:
      for (const double s : {-0.5, 0.5}) add(pose.position + s * shape.length * axis - shape.radius * n);
      break;
    case ShapeType::Cylinder:
      for (const double s : {-0.5, 0.5}) addDisc(pose.position + s * shape.length * axis);
      break;
    case ShapeType::Cone:
      add(pose.position + 0.5 * shape.length * axis);
      addDisc(pose.position - 0.5 * shape.length * axis);
      break;
    case ShapeType::Ellipsoid: {
      const Vec3 local = shape.size.cwiseProduct(r.transpose() * n);
      add(pose.position - r * shape.size.cwiseProduct(local) / local.norm());
      break;
    }
    default:
      if (vertices)
        for (const Vec3& v : *vertices) add(r * v + pose.position);
  }
}

}  // namespace

struct CollisionWorld::Impl : btOverlapFilterCallback {
  /// One point found between two shapes; the normal points from the first to the second.
  struct FoundPoint {
    Vec3 normal;
    ManifoldPoint point;
  };
  struct Item {
    std::unique_ptr<btCollisionShape> shape;
    std::unique_ptr<MeshStorage> mesh;  // meshes and height fields
    std::unique_ptr<btCollisionObject> object;
    btBroadphaseProxy* proxy = nullptr;
    Polyhedron polyhedron;  // boxes and hulls

    const btConvexShape& convex() const { return static_cast<const btConvexShape&>(*shape); }
  };

  std::span<const Shape> shapes;
  std::vector<std::pair<int, int>> excluded;
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btVoronoiSimplexSolver simplex;
  btGjkEpaPenetrationDepthSolver depthSolver;
  std::vector<Item> items;
  std::vector<Pose> placed;
  std::vector<int> planes, movers;  // indices of planes and of shapes on bodies
  std::vector<btBroadphasePair*> broadPairs;
  std::vector<int> triangles;
  std::vector<FoundPoint> found;
  Polyhedron triangle;
  ManifoldWorkspace work;
  std::vector<ManifoldPoint> points;

  ~Impl() override {
    for (Item& item : items)
      if (item.proxy) broadphase.destroyProxy(item.proxy, &dispatcher);
  }

  bool mayTouch(int i, int j) const {
    const Shape &a = shapes[i], &b = shapes[j];
    if (!a.collides || !b.collides || a.body == b.body) return false;
    if (!(a.group & b.mask) || !(b.group & a.mask)) return false;
    return !std::binary_search(excluded.begin(), excluded.end(),
                               std::pair<int, int>(std::minmax(a.body, b.body)));
  }
  bool needBroadphaseCollision(btBroadphaseProxy* a, btBroadphaseProxy* b) const override {
    return mayTouch(static_cast<btCollisionObject*>(a->m_clientObject)->getUserIndex(),
                    static_cast<btCollisionObject*>(b->m_clientObject)->getUserIndex());
  }

  void build();
  void makeShape(const Shape& shape, Item& item) const;
  void emit(int i, int j, const Vec3& normal, double margin, std::vector<Contact>& contacts) const;

  bool polyhedral(int i) const { return !items[i].polyhedron.faces.empty(); }
  void collideSpheres(int i, int j);
  void correctDepth(int i, int j, FoundPoint& point);
  void collideConvex(int i, int j, double margin);
  void collideMesh(int mesh, int other, double margin, bool meshFirst);
  void collideTriangle(int mesh, int number, int other, double margin, bool meshFirst);
  bool closest(const btConvexShape& a, const btTransform& ta, const btConvexShape& b, const btTransform& tb,
               double margin, FoundPoint& point);
  void addFlat(int flat, int other, const Vec3& outward, double margin, double sign);
  void addInside(const Vec3& n, double sign, std::size_t first, std::span<const Vec3> loop);
  void addManifolds(int i, int j, double margin, std::vector<Contact>& contacts);
};

void CollisionWorld::Impl::makeShape(const Shape& shape, Item& item) const {
  switch (shape.type) {
    case ShapeType::Plane:
      break;
    case ShapeType::Box:
      item.shape = std::make_unique<btBoxShape>(toBullet(0.5 * shape.size));
      item.polyhedron = makePolyhedron(boxSurface(shape.size));
      break;
    case ShapeType::Sphere:
      item.shape = std::make_unique<btSphereShape>(shape.radius);
      return;  // its margin is its radius
    case ShapeType::Capsule:
      item.shape = std::make_unique<btCapsuleShapeZ>(shape.radius, shape.length);
      return;
    case ShapeType::Cylinder:
      item.shape =
          std::make_unique<btCylinderShapeZ>(btVector3(shape.radius, shape.radius, 0.5 * shape.length));
      break;
    case ShapeType::Cone:
      item.shape = std::make_unique<btConeShapeZ>(shape.radius, shape.length);
      break;
    case ShapeType::Ellipsoid:
      item.shape = std::make_unique<EllipsoidShape>(shape.size);
      break;
    case ShapeType::Hull: {
      const TriangleMesh hull = convexHull(shape.mesh->vertices);
      auto made = std::make_unique<btConvexHullShape>();
      for (const Vec3& v : hull.vertices) made->addPoint(toBullet(v), false);
      made->recalcLocalAabb();
      item.polyhedron = makePolyhedron(hull);
      item.shape = std::move(made);
      break;
    }
    case ShapeType::Mesh:
    case ShapeType::HeightField:
      item.mesh = storeMesh(shape.type == ShapeType::Mesh ? *shape.mesh : surfaceOf(*shape.heights));
      item.shape = std::make_unique<btBvhTriangleMeshShape>(item.mesh->array.get(), false);
      break;
  }
  if (item.shape) item.shape->setMargin(0.0);  // else the library rounds every edge
}

void CollisionWorld::Impl::build() {
  broadphase.getOverlappingPairCache()->setOverlapFilterCallback(this);
  items.resize(shapes.size());
  placed.resize(shapes.size());
  for (int i = 0; i < static_cast<int>(shapes.size()); ++i) {
    const Shape& shape = shapes[i];
    if (!shape.collides) continue;
    if (shape.type == ShapeType::Plane) {
      planes.push_back(i);
      continue;
    }
    if (shape.body >= 0) movers.push_back(i);
    Item& item = items[i];
    makeShape(shape, item);
    item.object = std::make_unique<btCollisionObject>();
    item.object->setCollisionShape(item.shape.get());
    item.object->setUserIndex(i);
    item.object->setCollisionFlags(shape.body < 0 ? btCollisionObject::CF_STATIC_OBJECT : 0);
    btVector3 low(0, 0, 0), high(0, 0, 0);
    item.proxy =
        broadphase.createProxy(low, high, item.shape->getShapeType(), item.object.get(), 1, -1, &dispatcher);
    item.object->setBroadphaseHandle(item.proxy);
  }
}

void CollisionWorld::Impl::emit(int i, int j, const Vec3& normal, double margin,
                                std::vector<Contact>& contacts) const {
  for (const ManifoldPoint& point : points) {
    if (point.gap > margin) continue;
    Contact contact;
    contact.shapeA = i;
    contact.shapeB = j;
    contact.bodyA = shapes[i].body;
    contact.bodyB = shapes[j].body;
    contact.point = point.point;
    contact.frame = frameFromNormal(normal);
    contact.gap = point.gap;
    contacts.push_back(contact);
  }
}

void CollisionWorld::Impl::collideSpheres(int i, int j) {
  const Vec3 d = placed[j].position - placed[i].position;
  const double distance = d.norm();
  const Vec3 normal = distance > 1e-12 ? Vec3(d / distance) : Vec3::UnitZ();
  const double gap = distance - shapes[i].radius - shapes[j].radius;
  found.push_back({normal, {placed[i].position + (shapes[i].radius + 0.5 * gap) * normal, gap}});
}

/// The closest or deepest points of two convex shapes (GJK, EPA).
bool CollisionWorld::Impl::closest(const btConvexShape& a, const btTransform& ta, const btConvexShape& b,
                                   const btTransform& tb, double margin, FoundPoint& point) {
  btGjkPairDetector detector(&a, &b, &simplex, &depthSolver);
  btGjkPairDetector::ClosestPointInput input;
  input.m_transformA = ta;
  input.m_transformB = tb;
  const btScalar reach = a.getMargin() + b.getMargin() + margin;
  input.m_maximumDistanceSquared = reach * reach;
  btPointCollector result;
  detector.getClosestPoints(input, result, nullptr);
  if (!result.m_hasResult || result.m_distance > margin) return false;
  const Vec3 onB = fromBullet(result.m_pointInWorld),
             normalOnB = fromBullet(result.m_normalOnBInWorld).normalized();
  point.normal = -normalOnB;
  point.point = {onB + 0.5 * result.m_distance * normalOnB, result.m_distance};
  return true;
}

/// Turns the points from number `first` on into found ones, those whose foot lies inside the polygon `loop`
/// (counter-clockwise about n).
void CollisionWorld::Impl::addInside(const Vec3& n, double sign, std::size_t first,
                                     std::span<const Vec3> loop) {
  for (std::size_t p = first; p < points.size(); ++p) {
    bool inside = true;
    for (std::size_t k = 0; k < loop.size() && inside; ++k) {
      const Vec3& from = loop[k];
      const Vec3 side = (loop[(k + 1) % loop.size()] - from).cross(n).normalized();
      inside = side.dot(points[p].point - from) <= kInside;
    }
    if (inside) found.push_back({sign * n, points[p]});
  }
}

/// Adds the points of `other` that lie on a flat face of `flat` whose normal is (nearly) `outward`.
void CollisionWorld::Impl::addFlat(int flat, int other, const Vec3& outward, double margin, double sign) {
  const Pose& pose = placed[flat];
  points.clear();
  const auto over = [&](const Vec3& n, double offset) {
    planePoints(shapes[other], placed[other], polyhedral(other) ? &items[other].polyhedron.vertices : nullptr,
                n, offset, margin, points);
  };
  const Vec3 local = pose.rotation.conjugate() * outward;
  for (const auto& face : items[flat].polyhedron.faces) {
    if (face.normal.dot(local) < kSameNormal) continue;
    const Vec3 n = pose.rotation * face.normal;
    over(n, face.offset + n.dot(pose.position));
    work.polygon.clear();
    for (const int v : face.loop) work.polygon.push_back(pose * items[flat].polyhedron.vertices[v]);
    return addInside(n, sign, 0, work.polygon);
  }
  const Shape& shape = shapes[flat];
  const bool cylinder = shape.type == ShapeType::Cylinder;
  if (!cylinder && shape.type != ShapeType::Cone) return;
  // The ends of a cylinder, the base of a cone.
  if (std::abs(local.z()) < kSameNormal || (!cylinder && local.z() > 0.0)) return;
  const Vec3 n = pose.rotation * Vec3(0.0, 0.0, std::copysign(1.0, local.z()));
  const Vec3 center = pose.position + 0.5 * shape.length * n;
  over(n, n.dot(center));
  for (const ManifoldPoint& p : points) {
    const Vec3 d = p.point - center;
    if ((d - n.dot(d) * n).norm() <= shape.radius + kInside) found.push_back({sign * n, p});
  }
}

/// Where two bodies lie flat on each other, GJK and EPA may return any direction, with a depth that is far
/// too large or that is not the depth along it. The flat faces of both are tried: along one of them the
/// shapes overlap less, then it is that one.
void CollisionWorld::Impl::correctDepth(int i, int j, FoundPoint& point) {
  const auto along = [&](const Vec3& n) -> FoundPoint {
    const auto support = [&](int item, const Vec3& direction) -> Vec3 {
      const Vec3 local = placed[item].rotation.conjugate() * direction;
      return placed[item] * fromBullet(items[item].convex().localGetSupportingVertex(toBullet(local)));
    };
    const Vec3 onB = support(j, -n);
    const double gap = n.dot(onB - support(i, n));
    return {n, {onB - 0.5 * gap * n, gap}};
  };
  const FoundPoint claimed = along(point.normal);
  if (claimed.point.gap < point.point.gap - kDepthTolerance) point = claimed;
  const auto attempt = [&](const Vec3& n) {
    const FoundPoint other = along(n);
    if (other.point.gap > point.point.gap + kDepthTolerance) point = other;
  };
  const auto faces = [&](int item, double sign) {
    for (const auto& face : items[item].polyhedron.faces)
      attempt(sign * (placed[item].rotation * face.normal));
    const ShapeType type = shapes[item].type;
    const Vec3 axis = placed[item].rotation * Vec3::UnitZ();
    if (type == ShapeType::Cylinder || type == ShapeType::Cone) attempt(-sign * axis);
    if (type == ShapeType::Cylinder) attempt(sign * axis);
  };
  faces(i, 1.0);
  faces(j, -1.0);
  // Curved sides: moved apart a little, the shapes have closest points that can be trusted.
  const Vec3 apart = (placed[j].position - placed[i].position).normalized();
  btTransform moved = items[j].object->getWorldTransform();
  moved.setOrigin(moved.getOrigin() + toBullet(Vec3(kMovedApart * apart)));
  FoundPoint other;
  if (closest(items[i].convex(), items[i].object->getWorldTransform(), items[j].convex(), moved,
              2.0 * kMovedApart, other) &&
      other.point.gap > 0.0)
    attempt(other.normal);
}

/// One closest point, and where a flat face is involved the other points that rest on it.
void CollisionWorld::Impl::collideConvex(int i, int j, double margin) {
  FoundPoint point;
  if (!closest(items[i].convex(), items[i].object->getWorldTransform(), items[j].convex(),
               items[j].object->getWorldTransform(), margin, point))
    return;
  if (point.point.gap < kTouching) correctDepth(i, j, point);
  addFlat(i, j, point.normal, margin, 1.0);
  addFlat(j, i, -point.normal, margin, -1.0);
  found.push_back(point);
}

/// All triangles near the other shape; a second mesh goes in triangle by triangle.
void CollisionWorld::Impl::collideMesh(int mesh, int other, double margin, bool meshFirst) {
  const auto nearby = [&](const btCollisionShape& shape, const btTransform& inWorld) {
    const btTransform inMesh = items[mesh].object->getWorldTransform().inverse() * inWorld;
    btVector3 low, high;
    shape.getAabb(inMesh, low, high);
    const btVector3 grow(margin, margin, margin);
    triangles.clear();
    TriangleCollector collector(triangles);
    static_cast<btBvhTriangleMeshShape&>(*items[mesh].shape)
        .processAllTriangles(&collector, low - grow, high + grow);
    std::sort(triangles.begin(), triangles.end());
  };
  const btTransform& t = items[other].object->getWorldTransform();
  if (!items[other].mesh) {
    nearby(*items[other].shape, t);
    for (const int number : triangles) collideTriangle(mesh, number, other, margin, meshFirst);
    return;
  }
  const TriangleMesh &own = items[mesh].mesh->surface, &theirs = items[other].mesh->surface;
  const btTransform& tMesh = items[mesh].object->getWorldTransform();
  for (int k = 0; k < static_cast<int>(theirs.triangles.size()); ++k) {
    const auto corners = [](const TriangleMesh& m, int number) {
      const auto& c = m.triangles[number];
      btTriangleShape shape(toBullet(m.vertices[c[0]]), toBullet(m.vertices[c[1]]),
                            toBullet(m.vertices[c[2]]));
      shape.setMargin(0.0);
      return shape;
    };
    const btTriangleShape b = corners(theirs, k);
    nearby(b, t);
    for (const int number : triangles) {
      FoundPoint point;
      if (!closest(corners(own, number), tMesh, b, t, margin, point)) continue;
      if (!items[mesh].mesh->topology->exposes(number, placed[mesh].rotation.conjugate() * point.normal) ||
          !items[other].mesh->topology->exposes(k, placed[other].rotation.conjugate() * -point.normal))
        continue;
      if (!meshFirst) point.normal = -point.normal;
      found.push_back(point);
    }
  }
}

/// One triangle of a mesh and a convex shape. A normal that no body can meet there (an edge inside a flat
/// region) gives way to that of the face.
void CollisionWorld::Impl::collideTriangle(int mesh, int number, int other, double margin, bool meshFirst) {
  const TriangleMesh& surface = items[mesh].mesh->surface;
  const auto& c = surface.triangles[number];
  setTriangle(surface.vertices[c[0]], surface.vertices[c[1]], surface.vertices[c[2]], triangle);
  const Pose& pose = placed[mesh];
  const Vec3 face = pose.rotation * triangle.faces[0].normal;
  const double sign = meshFirst ? 1.0 : -1.0;
  const bool inFront = face.dot(placed[other].position) > triangle.faces[0].offset + face.dot(pose.position);
  const auto exposed = [&](const Vec3& normal) {
    return items[mesh].mesh->topology->exposes(number, pose.rotation.conjugate() * normal);
  };
  if (polyhedral(other)) {
    Vec3 normal;
    if (!collidePolyhedra(triangle, pose, items[other].polyhedron, placed[other], margin, work, normal,
                          points))
      return;
    if (!exposed(normal)) {
      if (!inFront) return;
      normal = face;
      collideWithFace(triangle, 0, pose, items[other].polyhedron, placed[other], margin, work, points);
    }
    for (const ManifoldPoint& p : points) found.push_back({sign * normal, p});
    return;
  }
  btTriangleShape shape(toBullet(triangle.vertices[0]), toBullet(triangle.vertices[1]),
                        toBullet(triangle.vertices[2]));
  shape.setMargin(0.0);
  FoundPoint point;
  if (!closest(shape, items[mesh].object->getWorldTransform(), items[other].convex(),
               items[other].object->getWorldTransform(), margin, point))
    return;
  const bool flat = point.normal.dot(face) > kSameNormal;
  if (!flat && !exposed(point.normal)) return;  // the neighbour across the edge has the contact
  if (flat) {
    work.polygon.clear();
    for (const Vec3& v : triangle.vertices) work.polygon.push_back(pose * v);
    points.clear();
    planePoints(shapes[other], placed[other], nullptr, face, face.dot(work.polygon[0]), margin, points);
    addInside(face, sign, 0, work.polygon);
  }
  found.push_back({sign * point.normal, point.point});
}

/// One manifold for all found points whose normals agree, whatever triangles they came from.
void CollisionWorld::Impl::addManifolds(int i, int j, double margin, std::vector<Contact>& contacts) {
  // By insertion: the lists are short, equal gaps keep their order, and std::stable_sort would allocate.
  const auto nearer = [](const FoundPoint& a, const FoundPoint& b) { return a.point.gap < b.point.gap; };
  for (auto at = found.begin(); at != found.end(); ++at)
    std::rotate(std::upper_bound(found.begin(), at, *at, nearer), at, at + 1);
  while (!found.empty()) {
    const Vec3 normal = found.front().normal;
    points.clear();
    std::size_t left = 0;
    for (const FoundPoint& f : found) {
      if (f.normal.dot(normal) < kSameNormal)
        found[left++] = f;
      else if (std::none_of(points.begin(), points.end(), [&](const ManifoldPoint& p) {
                 return (p.point - f.point.point).squaredNorm() < kSamePoint * kSamePoint;
               }))
        points.push_back(f.point);
    }
    found.resize(left);
    reduceManifold(normal, points);
    emit(i, j, normal, margin, contacts);
  }
}

CollisionWorld::CollisionWorld(std::span<const Shape> shapes, std::vector<std::pair<int, int>> excludedBodies)
    : impl_(std::make_unique<Impl>()) {
  impl_->shapes = shapes;
  impl_->excluded = std::move(excludedBodies);
  std::sort(impl_->excluded.begin(), impl_->excluded.end());
  impl_->build();
}

CollisionWorld::~CollisionWorld() = default;
CollisionWorld::CollisionWorld(CollisionWorld&&) noexcept = default;
CollisionWorld& CollisionWorld::operator=(CollisionWorld&&) noexcept = default;

void CollisionWorld::detect(std::span<const Pose> poses, double margin, std::vector<Contact>& contacts) {
  Impl& w = *impl_;
  contacts.clear();
  for (std::size_t i = 0; i < w.shapes.size(); ++i) {
    const Shape& shape = w.shapes[i];
    w.placed[i] = shape.body >= 0 ? poses[shape.body] * shape.pose : shape.pose;
    Impl::Item& item = w.items[i];
    if (!item.object) continue;
    item.object->setWorldTransform(toBullet(w.placed[i]));
    btVector3 low, high;
    item.shape->getAabb(item.object->getWorldTransform(), low, high);
    const btVector3 grow(margin, margin, margin);
    w.broadphase.setAabb(item.proxy, low - grow, high + grow, &w.dispatcher);
  }
  w.broadphase.calculateOverlappingPairs(&w.dispatcher);

  // Ordered by shape indices: the library's own order depends on the history.
  btBroadphasePairArray& found = w.broadphase.getOverlappingPairCache()->getOverlappingPairArray();
  w.broadPairs.clear();
  const auto indices = [](const btBroadphasePair& pair) {
    return std::pair<int, int>(
        std::minmax(static_cast<btCollisionObject*>(pair.m_pProxy0->m_clientObject)->getUserIndex(),
                    static_cast<btCollisionObject*>(pair.m_pProxy1->m_clientObject)->getUserIndex()));
  };
  for (int p = 0; p < found.size(); ++p) w.broadPairs.push_back(&found[p]);
  std::sort(w.broadPairs.begin(), w.broadPairs.end(),
            [&](const btBroadphasePair* a, const btBroadphasePair* b) { return indices(*a) < indices(*b); });
  for (btBroadphasePair* pair : w.broadPairs) {
    const auto [i, j] = indices(*pair);
    const Polyhedron &a = w.items[i].polyhedron, &b = w.items[j].polyhedron;
    const bool polyhedra =
        !a.faces.empty() && !b.faces.empty() &&
        a.edgeDirections.size() * b.edgeDirections.size() <= static_cast<std::size_t>(kMaxEdgePairs);
    if (polyhedra) {
      Vec3 normal;
      if (!collidePolyhedra(a, w.placed[i], b, w.placed[j], margin, w.work, normal, w.points)) continue;
      reduceManifold(normal, w.points);
      w.emit(i, j, normal, margin, contacts);
      continue;
    }
    w.found.clear();
    if (w.items[i].mesh || w.items[j].mesh) {
      const bool meshFirst = w.items[i].mesh != nullptr;
      w.collideMesh(meshFirst ? i : j, meshFirst ? j : i, margin, meshFirst);
    } else if (w.shapes[i].type == ShapeType::Sphere && w.shapes[j].type == ShapeType::Sphere) {
      w.collideSpheres(i, j);
    } else {
      w.collideConvex(i, j, margin);
    }
    w.addManifolds(i, j, margin, contacts);
  }
  for (const int p : w.planes) {
    const Vec3 n = w.placed[p].rotation * Vec3::UnitZ();
    const double offset = n.dot(w.placed[p].position);
    for (const int m : w.movers) {
      if (!w.mayTouch(p, m)) continue;
      const Shape& shape = w.shapes[m];
      const std::vector<Vec3>* vertices = nullptr;
      if (!w.items[m].polyhedron.vertices.empty())
        vertices = &w.items[m].polyhedron.vertices;
      else if (shape.mesh)
        vertices = &shape.mesh->vertices;
      w.points.clear();
      planePoints(shape, w.placed[m], vertices, n, offset, margin, w.points);
      reduceManifold(n, w.points);
      if (p < m)
        w.emit(p, m, n, margin, contacts);
      else
        w.emit(m, p, -n, margin, contacts);
    }
  }
  if (!w.planes.empty())
    std::sort(contacts.begin(), contacts.end(), [](const Contact& a, const Contact& b) {
      const auto key = [](const Contact& c) {
        return std::tuple(c.shapeA, c.shapeB, c.point.x(), c.point.y(), c.point.z());
      };
      return key(a) < key(b);
    });
}

}  // namespace grashof
