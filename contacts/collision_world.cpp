#include "contacts/collision_world.h"

#include <algorithm>
#include <mutex>
#include <tuple>

#include <BulletCollision/CollisionDispatch/btInternalEdgeUtility.h>
#include <BulletCollision/CollisionShapes/btHeightfieldTerrainShape.h>
#include <BulletCollision/CollisionShapes/btTriangleInfoMap.h>
#include <BulletCollision/Gimpact/btGImpactCollisionAlgorithm.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>
#include <LinearMath/btConvexHullComputer.h>
#include <btBulletCollisionCommon.h>

#include "contacts/polyhedron.h"
#include "engine/base/error.h"

namespace grashof {
namespace {

constexpr int kMostEdgePairs =
    2500;  // polyhedra with more pairs of edge directions go to the general algorithm

btVector3 toBullet(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
Vec3 fromBullet(const btVector3& v) { return {v.x(), v.y(), v.z()}; }
btTransform toBullet(const Pose& pose) {
  const Quat& q = pose.rotation;
  return btTransform(btQuaternion(q.x(), q.y(), q.z(), q.w()), toBullet(pose.position));
}

/// Solid ellipsoid with the given semi-axes.
class EllipsoidShape final : public btConvexInternalShape {
 public:
  explicit EllipsoidShape(const Vec3& semiAxes) : semiAxes_(toBullet(semiAxes)) {
    m_shapeType = CUSTOM_CONVEX_SHAPE_TYPE;
    m_implicitShapeDimensions = semiAxes_;
    setMargin(0.0);
  }
  btVector3 localGetSupportingVertexWithoutMargin(const btVector3& direction) const override {
    const btVector3 scaled = direction * semiAxes_;
    const btScalar length = scaled.length();
    return length > SIMD_EPSILON ? scaled * semiAxes_ / length : btVector3(0, 0, semiAxes_.z());
  }
  void batchedUnitVectorGetSupportingVertexWithoutMargin(const btVector3* directions, btVector3* vertices,
                                                         int count) const override {
    for (int i = 0; i < count; ++i) vertices[i] = localGetSupportingVertexWithoutMargin(directions[i]);
  }
  void calculateLocalInertia(btScalar, btVector3& inertia) const override { inertia.setZero(); }
  void getAabb(const btTransform& t, btVector3& low, btVector3& high) const override {
    btVector3 extent;
    for (int i = 0; i < 3; ++i) extent[i] = (t.getBasis()[i] * semiAxes_).length();
    extent.setW(0);
    low = t.getOrigin() - extent;
    high = t.getOrigin() + extent;
  }
  const char* getName() const override { return "Ellipsoid"; }

 private:
  btVector3 semiAxes_;
};

/// A mesh shared with the collision library, and what it needs besides.
struct MeshStorage {
  std::vector<int> indices;
  std::vector<double> vertices;
  std::unique_ptr<btTriangleIndexVertexArray> array;
  std::unique_ptr<btTriangleInfoMap> edges;
};

std::unique_ptr<MeshStorage> storeMesh(const TriangleMesh& mesh) {
  auto storage = std::make_unique<MeshStorage>();
  for (const auto& t : mesh.triangles) storage->indices.insert(storage->indices.end(), t.begin(), t.end());
  for (const Vec3& v : mesh.vertices)
    storage->vertices.insert(storage->vertices.end(), v.data(), v.data() + 3);
  storage->array = std::make_unique<btTriangleIndexVertexArray>(
      static_cast<int>(mesh.triangles.size()), storage->indices.data(), 3 * static_cast<int>(sizeof(int)),
      static_cast<int>(mesh.vertices.size()), storage->vertices.data(), 3 * static_cast<int>(sizeof(double)));
  return storage;
}

/// Makes the normals of a static mesh those of its faces where a shape slides over an inner edge.
bool adjustMeshContact(btManifoldPoint& point, const btCollisionObjectWrapper* a, int partA, int indexA,
                       const btCollisionObjectWrapper* b, int partB, int indexB) {
  if (a->getCollisionShape()->getShapeType() == TRIANGLE_SHAPE_PROXYTYPE)
    btAdjustInternalEdgeContacts(point, a, b, partA, indexA);
  else
    btAdjustInternalEdgeContacts(point, b, a, partB, indexB);
  return true;
}

/// Points of `shape` (pose in the world) nearest to the half space n·x <= offset.
void planePoints(const Shape& shape, const Pose& pose, const std::vector<Vec3>* vertices, const Vec3& n,
                 double offset, double margin, std::vector<ManifoldPoint>& points) {
  points.clear();
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
  reduceManifold(n, points);
}

}  // namespace

struct CollisionWorld::Impl : btOverlapFilterCallback {
  struct Item {
    std::unique_ptr<btCollisionShape> shape;
    std::unique_ptr<MeshStorage> mesh;
    std::vector<float> heights;
    std::unique_ptr<btCollisionObject> object;
    btBroadphaseProxy* proxy = nullptr;
    Polyhedron polyhedron;            // boxes and hulls
    Vec3 shapeOffset = Vec3::Zero();  // the library centres height fields between their extremes
  };

  std::span<const Shape> shapes;
  std::vector<std::pair<int, int>> excluded;
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  std::vector<Item> items;
  std::vector<Pose> placed;
  std::vector<int> planes, movers;  // indices of planes and of shapes on bodies
  std::vector<std::pair<int, int>> pairs;
  std::vector<btBroadphasePair*> broadPairs;
  btManifoldArray manifolds;
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
  void general(btBroadphasePair& pair, int i, int j, double margin, std::vector<Contact>& contacts);
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
      break;
    case ShapeType::Capsule:
      item.shape = std::make_unique<btCapsuleShapeZ>(shape.radius, shape.length);
      break;
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
      made->setMargin(0.0);
      item.polyhedron = makePolyhedron(hull);
      item.shape = std::move(made);
      break;
    }
    case ShapeType::Mesh: {
      item.mesh = storeMesh(*shape.mesh);
      if (shape.body < 0) {
        auto made = std::make_unique<btBvhTriangleMeshShape>(item.mesh->array.get(), true);
        item.mesh->edges = std::make_unique<btTriangleInfoMap>();
        btGenerateInternalEdgeInfo(made.get(), item.mesh->edges.get());
        made->setMargin(0.0);
        item.shape = std::move(made);
      } else {
        auto made = std::make_unique<btGImpactMeshShape>(item.mesh->array.get());
        made->setMargin(0.0);
        made->updateBound();
        item.shape = std::move(made);
      }
      break;
    }
    case ShapeType::HeightField: {
      const HeightGrid& grid = *shape.heights;
      item.heights.assign(grid.heights.begin(), grid.heights.end());
      const auto [low, high] = std::minmax_element(grid.heights.begin(), grid.heights.end());
      auto made = std::make_unique<btHeightfieldTerrainShape>(grid.columns, grid.rows, item.heights.data(),
                                                              *low, *high, 2, false);
      made->setLocalScaling(btVector3(grid.spacing, grid.spacing, 1.0));
      made->setMargin(0.0);
      item.shapeOffset = Vec3(0.0, 0.0, 0.5 * (*low + *high));
      item.shape = std::move(made);
      break;
    }
  }
}

void CollisionWorld::Impl::build() {
  static std::once_flag once;
  std::call_once(once, [] { gContactAddedCallback = &adjustMeshContact; });
  configuration.setConvexConvexMultipointIterations(4, 4);
  btGImpactCollisionAlgorithm::registerAlgorithm(&dispatcher);
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
    int flags = shape.body < 0 ? btCollisionObject::CF_STATIC_OBJECT : 0;
    if (item.mesh && item.mesh->edges) flags |= btCollisionObject::CF_CUSTOM_MATERIAL_CALLBACK;
    item.object->setCollisionFlags(flags);
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

/// Any pair the collision library knows; only its present answer is used, never its memory of earlier steps.
void CollisionWorld::Impl::general(btBroadphasePair& pair, int i, int j, double margin,
                                   std::vector<Contact>& contacts) {
  btCollisionObject *a = items[i].object.get(), *b = items[j].object.get();
  const btCollisionObjectWrapper wrapA(nullptr, a->getCollisionShape(), a, a->getWorldTransform(), -1, -1);
  const btCollisionObjectWrapper wrapB(nullptr, b->getCollisionShape(), b, b->getWorldTransform(), -1, -1);
  if (!pair.m_algorithm)
    pair.m_algorithm = dispatcher.findAlgorithm(&wrapA, &wrapB, nullptr, BT_CONTACT_POINT_ALGORITHMS);
  if (!pair.m_algorithm) return;
  const btDispatcherInfo info;
  for (int attempt = 0; attempt < 2; ++attempt) {
    manifolds.resize(0);
    pair.m_algorithm->getAllContactManifolds(manifolds);
    for (int m = 0; m < manifolds.size(); ++m) {
      manifolds[m]->clearManifold();
      manifolds[m]->setContactBreakingThreshold(margin);
    }
    const bool ready = manifolds.size() > 0;
    btManifoldResult result(&wrapA, &wrapB);
    result.m_closestPointDistanceThreshold = margin;
    pair.m_algorithm->processCollision(&wrapA, &wrapB, info, &result);
    if (ready) break;  // else the manifold was made just now, with the library's own threshold: ask again
  }
  manifolds.resize(0);
  pair.m_algorithm->getAllContactManifolds(manifolds);
  for (int m = 0; m < manifolds.size(); ++m) {
    const btPersistentManifold& manifold = *manifolds[m];
    const bool swapped = manifold.getBody0() != a;
    for (int p = 0; p < manifold.getNumContacts(); ++p) {
      const btManifoldPoint& point = manifold.getContactPoint(p);
      const Vec3 normal = (swapped ? 1.0 : -1.0) * fromBullet(point.m_normalWorldOnB);
      const Vec3 middle =
          0.5 * (fromBullet(point.getPositionWorldOnA()) + fromBullet(point.getPositionWorldOnB()));
      points.assign(1, {middle, point.getDistance()});
      emit(i, j, normal.normalized(), margin, contacts);
    }
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
    Pose center = w.placed[i];
    center.position = center * item.shapeOffset;
    item.object->setWorldTransform(toBullet(center));
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
        a.edgeDirections.size() * b.edgeDirections.size() <= static_cast<std::size_t>(kMostEdgePairs);
    if (polyhedra) {
      Vec3 normal;
      if (!collidePolyhedra(a, w.placed[i], b, w.placed[j], margin, w.work, normal, w.points)) continue;
      reduceManifold(normal, w.points);
      w.emit(i, j, normal, margin, contacts);
    } else if (w.shapes[i].type == ShapeType::Sphere && w.shapes[j].type == ShapeType::Sphere) {
      const Vec3 d = w.placed[j].position - w.placed[i].position;
      const double distance = d.norm();
      const Vec3 normal = distance > 1e-12 ? Vec3(d / distance) : Vec3::UnitZ();
      const double gap = distance - w.shapes[i].radius - w.shapes[j].radius;
      w.points.assign(1, {w.placed[i].position + (w.shapes[i].radius + 0.5 * gap) * normal, gap});
      w.emit(i, j, normal, margin, contacts);
    } else {
      w.general(*pair, i, j, margin, contacts);
    }
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
      planePoints(shape, w.placed[m], vertices, n, offset, margin, w.points);
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

TriangleMesh convexHull(const std::vector<Vec3>& points) {
  std::vector<double> coordinates;
  for (const Vec3& p : points) coordinates.insert(coordinates.end(), p.data(), p.data() + 3);
  btConvexHullComputer hull;
  hull.compute(coordinates.data(), 3 * static_cast<int>(sizeof(double)), static_cast<int>(points.size()), 0.0,
               0.0);
  TriangleMesh mesh;
  for (int v = 0; v < hull.vertices.size(); ++v) {
    // The computer works on a grid of integers: take back the exact input point.
    const Vec3 approximate = fromBullet(hull.vertices[v]);
    const auto nearest = std::min_element(points.begin(), points.end(), [&](const Vec3& a, const Vec3& b) {
      return (a - approximate).squaredNorm() < (b - approximate).squaredNorm();
    });
    mesh.vertices.push_back(*nearest);
  }
  for (int f = 0; f < hull.faces.size(); ++f) {
    const btConvexHullComputer::Edge* first = &hull.edges[hull.faces[f]];
    const btConvexHullComputer::Edge* edge = first->getNextEdgeOfFace();
    while (edge->getTargetVertex() != first->getSourceVertex()) {
      mesh.triangles.push_back({first->getSourceVertex(), edge->getSourceVertex(), edge->getTargetVertex()});
      edge = edge->getNextEdgeOfFace();
    }
  }
  Shape shape;
  shape.type = ShapeType::Mesh;
  shape.mesh = std::make_shared<TriangleMesh>(mesh);
  VolumeProperties volume = volumeProperties(shape);
  if (volume.volume < 0.0) {
    for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
    volume.volume = -volume.volume;
  }
  double size = 0.0;
  for (const Vec3& p : points) size = std::max(size, (p - points.front()).norm());
  if (mesh.triangles.size() < 4 || volume.volume <= 1e-12 * size * size * size)
    throw InputError("the points span no volume (a hull needs four points that are not in one plane)");
  return mesh;
}

}  // namespace grashof
