#include "contacts/collision_world.h"

#include <algorithm>
#include <tuple>

#include "contacts/exposure.h"
#include "contacts/narrow_phase.h"
#include "contacts/patch.h"

namespace grashof {
namespace {

int shapeOf(const btBroadphaseProxy& proxy) {
  return static_cast<const btCollisionObject*>(proxy.m_clientObject)->getUserIndex();
}

/// The shapes of a pair, lower index first.
std::pair<int, int> shapesOf(const btBroadphasePair& pair) {
  return std::minmax(shapeOf(*pair.m_pProxy0), shapeOf(*pair.m_pProxy1));
}

/// By default Bullet's pools are of 4096 pairs, 7 MB in every world.
btDefaultCollisionConstructionInfo poolsFor(std::size_t shapes) {
  constexpr std::size_t most = 4096;
  const std::size_t count = std::min(shapes, most);
  btDefaultCollisionConstructionInfo info;
  info.m_defaultMaxPersistentManifoldPoolSize = info.m_defaultMaxCollisionAlgorithmPoolSize =
      static_cast<int>(std::clamp<std::size_t>(count * count / 2, 1, most));
  return info;
}

}  // namespace

struct CollisionWorld::Impl : btOverlapFilterCallback {
  std::vector<CollisionItem> items;  // one per shape
  std::vector<std::pair<int, int>> excluded;
  std::vector<int> planes, movers;                // indices of planes, and of other shapes on bodies
  btDefaultCollisionConfiguration configuration;  // its pools hold all pairs that the shapes can make
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  std::vector<btBroadphasePair*> pairs;
  NarrowPhase narrow;
  PatchFinder patches;
  std::unique_ptr<Exposure> exposure;

  explicit Impl(std::size_t shapes) : configuration(poolsFor(shapes)) {}
  ~Impl() override {
    for (CollisionItem& item : items)
      if (item.proxy) broadphase.destroyProxy(item.proxy, &dispatcher);
  }

  bool mayTouch(int i, int j) const {
    const Shape &a = *items[i].description, &b = *items[j].description;
    if (!a.collides || !b.collides || a.body == b.body) return false;
    if (!(a.group & b.mask) || !(b.group & a.mask)) return false;
    return !std::binary_search(excluded.begin(), excluded.end(),
                               std::pair<int, int>(std::minmax(a.body, b.body)));
  }
  /// Called by the broad phase for every pair it finds.
  bool needBroadphaseCollision(btBroadphaseProxy* a, btBroadphaseProxy* b) const override {
    return mayTouch(shapeOf(*a), shapeOf(*b));
  }

  void build(std::span<const Shape> shapes);
  void addPatches();
  bool collidePatch(int i, int j, std::vector<Contact>& contacts);
  void addToBroadPhase(CollisionItem& item);
  void place(std::span<const Pose> poses);
  void place(CollisionItem& item, std::span<const Pose> poses);
  void updateBroadPhase(double margin);
  void sortPairs();
  void collidePlanes(double margin, std::vector<Contact>& contacts);
};

void CollisionWorld::Impl::build(std::span<const Shape> shapes) {
  broadphase.getOverlappingPairCache()->setOverlapFilterCallback(this);
  items.resize(shapes.size());
  for (int i = 0; i < static_cast<int>(shapes.size()); ++i) {
    items[i].description = &shapes[i];
    items[i].index = i;
    if (!shapes[i].collides) continue;
    if (shapes[i].type == ShapeType::Plane) {
      planes.push_back(i);
      continue;
    }
    if (shapes[i].body >= 0) movers.push_back(i);
    makeCollisionShape(items[i]);
    addToBroadPhase(items[i]);
  }
  addPatches();
  exposure = std::make_unique<Exposure>(items, [this](int i, int j) { return mayTouch(i, j); });
}

/// Gives compliant shapes their pressure fields, and the shapes that can touch these their surfaces.
void CollisionWorld::Impl::addPatches() {
  std::vector<int> compliant;
  bool facing = false;
  for (const CollisionItem& item : items) {
    if (!item.description->collides || !(item.description->modulus > 0.0)) continue;
    compliant.push_back(item.index);
    facing = facing || item.description->type == ShapeType::Plane;
  }
  for (CollisionItem& item : items) {
    const bool needed = std::any_of(compliant.begin(), compliant.end(),
                                    [&](int c) { return c == item.index || mayTouch(c, item.index); });
    if (needed) item.patch = std::make_unique<PatchGeometry>(patchGeometryOf(*item.description, facing));
  }
}

/// Whether a pair touches by a patch; then its polygons are appended.
bool CollisionWorld::Impl::collidePatch(int i, int j, std::vector<Contact>& contacts) {
  const CollisionItem &a = items[i], &b = items[j];
  if (!a.patch || !b.patch || !(a.patch->compliant() || b.patch->compliant())) return false;
  patches.collide({*a.patch, a.pose, i, a.description->body}, {*b.patch, b.pose, j, b.description->body},
                  contacts);
  return true;
}

void CollisionWorld::Impl::addToBroadPhase(CollisionItem& item) {
  item.object = std::make_unique<btCollisionObject>();
  item.object->setCollisionShape(item.shape.get());
  item.object->setUserIndex(item.index);
  item.object->setCollisionFlags(item.description->body < 0 ? btCollisionObject::CF_STATIC_OBJECT : 0);
  btVector3 low(0, 0, 0), high(0, 0, 0);
  item.proxy =
      broadphase.createProxy(low, high, item.shape->getShapeType(), item.object.get(), 1, -1, &dispatcher);
  item.object->setBroadphaseHandle(item.proxy);
}

void CollisionWorld::Impl::place(std::span<const Pose> poses) {
  for (CollisionItem& item : items) place(item, poses);
}

void CollisionWorld::Impl::place(CollisionItem& item, std::span<const Pose> poses) {
  const Shape& shape = *item.description;
  item.pose = shape.body >= 0 ? poses[shape.body] * shape.pose : shape.pose;
  if (item.object) item.object->setWorldTransform(toBullet(item.pose));
}

/// Moves the bounding boxes, larger by `margin`, to where the shapes are, and finds the pairs that overlap.
void CollisionWorld::Impl::updateBroadPhase(double margin) {
  for (CollisionItem& item : items) {
    if (!item.object) continue;
    btVector3 low, high;
    item.shape->getAabb(item.transform(), low, high);
    const double more = margin + (item.patch ? item.patch->beyond : 0.0);
    const btVector3 grow(more, more, more);
    broadphase.setAabb(item.proxy, low - grow, high + grow, &dispatcher);
  }
  broadphase.calculateOverlappingPairs(&dispatcher);
}

/// Fills `pairs` in the order of shape indices. The order in which Bullet keeps them depends on the history.
void CollisionWorld::Impl::sortPairs() {
  btBroadphasePairArray& found = broadphase.getOverlappingPairCache()->getOverlappingPairArray();
  pairs.clear();
  for (int p = 0; p < found.size(); ++p) pairs.push_back(&found[p]);
  std::sort(pairs.begin(), pairs.end(),
            [](const btBroadphasePair* a, const btBroadphasePair* b) { return shapesOf(*a) < shapesOf(*b); });
}

namespace {

/// Whether the bounding box of a shape, which updateBroadPhase() has made larger by the margin, reaches a
/// plane.
bool reaches(const CollisionItem& shape, const CollisionItem& plane) {
  const Vec3 n = plane.pose.rotation * Vec3::UnitZ();
  const btVector3 &low = shape.proxy->m_aabbMin, &high = shape.proxy->m_aabbMax;
  double lowest = 0.0;
  for (int i = 0; i < 3; ++i) lowest += n[i] * (n[i] > 0.0 ? low[i] : high[i]);
  return lowest <= n.dot(plane.pose.position);
}

}  // namespace

/// Planes are infinite, so that the broad phase does not know them: each is tried against every moving shape.
void CollisionWorld::Impl::collidePlanes(double margin, std::vector<Contact>& contacts) {
  if (planes.empty()) return;
  for (const int p : planes)
    for (const int m : movers)
      if (mayTouch(p, m) && reaches(items[m], items[p]))
        if (!collidePatch(std::min(p, m), std::max(p, m), contacts))
          narrow.collidePlane(items[p], items[m], margin, contacts);
  // Restores the order of shape indices.
  std::sort(contacts.begin(), contacts.end(), [](const Contact& a, const Contact& b) {
    const auto key = [](const Contact& c) {
      return std::tuple(c.shapeA, c.shapeB, c.point.x(), c.point.y(), c.point.z());
    };
    return key(a) < key(b);
  });
}

CollisionWorld::CollisionWorld(std::span<const Shape> shapes, std::vector<std::pair<int, int>> excludedBodies)
    : impl_(std::make_unique<Impl>(shapes.size())) {
  impl_->excluded = std::move(excludedBodies);
  std::sort(impl_->excluded.begin(), impl_->excluded.end());
  impl_->build(shapes);
}

CollisionWorld::~CollisionWorld() = default;
CollisionWorld::CollisionWorld(CollisionWorld&&) noexcept = default;
CollisionWorld& CollisionWorld::operator=(CollisionWorld&&) noexcept = default;

void CollisionWorld::detect(std::span<const Pose> poses, double margin, std::vector<Contact>& contacts) {
  Impl& world = *impl_;
  contacts.clear();
  world.place(poses);
  world.updateBroadPhase(margin);
  world.sortPairs();
  for (const btBroadphasePair* pair : world.pairs) {
    const auto [i, j] = shapesOf(*pair);
    if (!world.collidePatch(i, j, contacts))
      world.narrow.collidePair(world.items[i], world.items[j], margin, contacts);
  }
  world.collidePlanes(margin, contacts);
  world.exposure->filter(contacts);
}

void CollisionWorld::detectPair(std::span<const Pose> poses, double margin, int shapeA, int shapeB,
                                std::vector<Contact>& contacts) {
  Impl& world = *impl_;
  contacts.clear();
  CollisionItem &a = world.items[shapeA], &b = world.items[shapeB];
  world.place(a, poses);
  world.place(b, poses);
  const auto plane = [](const CollisionItem& item) { return item.description->type == ShapeType::Plane; };
  if (plane(a))
    world.narrow.collidePlane(a, b, margin, contacts);
  else if (plane(b))
    world.narrow.collidePlane(b, a, margin, contacts);
  else
    world.narrow.collidePair(a, b, margin, contacts);
  world.exposure->filter(contacts);
}

}  // namespace grashof
