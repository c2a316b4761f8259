#include "contacts/collision_world.h"

#include <algorithm>
#include <tuple>

#include "contacts/narrow_phase.h"
#include "contacts/patch.h"
#include "contacts/swept_pair.h"

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
  CollisionFilter filter;
  std::vector<int> planes, movers;                // indices of planes, and of other shapes on bodies
  btDefaultCollisionConfiguration configuration;  // its pools hold all pairs that the shapes can make
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  std::vector<btBroadphasePair*> pairs;
  NarrowPhase narrow;
  SweptPair swept{narrow};
  std::vector<BodyPath> paths;  // of the step, one per body
  PatchFinder patches;

  Impl(std::size_t shapes, CollisionFilter which)
      : filter(std::move(which)), configuration(poolsFor(shapes)) {}
  ~Impl() override {
    for (CollisionItem& item : items)
      if (item.proxy) broadphase.destroyProxy(item.proxy, &dispatcher);
  }

  bool mayTouch(int i, int j) const { return filter.mayTouch(i, j); }
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
  template <typename MarginOf>
  void updateBroadPhase(MarginOf marginOf);
  void sortPairs();
  template <typename Collide>
  void forEachPair(Collide collide, std::vector<Contact>& contacts);
  SweptShape sweptOf(CollisionItem& item) {
    return {item, item.description->body >= 0 ? &paths[item.description->body] : nullptr};
  }
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
  item.place(shape.body >= 0 ? poses[shape.body] * shape.pose : shape.pose);
}

/// Moves the bounding boxes, larger by the margin (m) of each item, to where the shapes are, and finds the
/// pairs that overlap.
template <typename MarginOf>
void CollisionWorld::Impl::updateBroadPhase(MarginOf marginOf) {
  for (CollisionItem& item : items) {
    if (!item.object) continue;
    btVector3 low, high;
    item.shape->getAabb(item.transform(), low, high);
    const double more = marginOf(item) + (item.patch ? item.patch->beyond : 0.0);
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

/// Whether the bounding box of a shape, which updateBroadPhase() has made larger by its margin, reaches a
/// plane.
bool reaches(const CollisionItem& shape, const CollisionItem& plane) {
  const Vec3 n = plane.pose.rotation * Vec3::UnitZ();
  const btVector3 &low = shape.proxy->m_aabbMin, &high = shape.proxy->m_aabbMax;
  double lowest = 0.0;
  for (int i = 0; i < 3; ++i) lowest += n[i] * (n[i] > 0.0 ? low[i] : high[i]);
  return lowest <= n.dot(plane.pose.position);
}

}  // namespace

/// Calls collide(i, j) for all pairs of shapes near each other, i < j, of which it appends the contacts;
/// patches come from here. Planes are infinite, so that the broad phase does not know them: each is tried
/// against every moving shape.
template <typename Collide>
void CollisionWorld::Impl::forEachPair(Collide collide, std::vector<Contact>& contacts) {
  sortPairs();
  for (const btBroadphasePair* pair : pairs) {
    const auto [i, j] = shapesOf(*pair);
    if (!collidePatch(i, j, contacts)) collide(i, j);
  }
  if (planes.empty()) return;
  for (const int p : planes)
    for (const int m : movers)
      if (mayTouch(p, m) && reaches(items[m], items[p])) {
        const auto [i, j] = std::minmax(p, m);
        if (!collidePatch(i, j, contacts)) collide(i, j);
      }
  // Restores the order of shape indices.
  std::sort(contacts.begin(), contacts.end(), [](const Contact& a, const Contact& b) {
    const auto key = [](const Contact& c) {
      return std::tuple(c.shapeA, c.shapeB, c.point.x(), c.point.y(), c.point.z());
    };
    return key(a) < key(b);
  });
}

CollisionWorld::CollisionWorld(std::span<const Shape> shapes, const std::vector<ExcludedPair>& excluded)
    : CollisionWorld(shapes, CollisionFilter(shapes, excluded)) {}

CollisionWorld::CollisionWorld(std::span<const Shape> shapes, CollisionFilter filter)
    : impl_(std::make_unique<Impl>(shapes.size(), std::move(filter))) {
  impl_->build(shapes);
}

CollisionWorld::~CollisionWorld() = default;
CollisionWorld::CollisionWorld(CollisionWorld&&) noexcept = default;
CollisionWorld& CollisionWorld::operator=(CollisionWorld&&) noexcept = default;

void CollisionWorld::detect(std::span<const Pose> poses, double margin, std::vector<Contact>& contacts) {
  Impl& world = *impl_;
  contacts.clear();
  world.place(poses);
  world.updateBroadPhase([&](const CollisionItem&) { return margin; });
  world.forEachPair(
      [&](int i, int j) { world.narrow.collide(world.items[i], world.items[j], margin, contacts); },
      contacts);
}

void CollisionWorld::detectOver(const StepMotion& motion, double margin, std::vector<Contact>& contacts) {
  Impl& world = *impl_;
  contacts.clear();
  pathsOf(motion, world.paths);
  world.place(motion.rows);
  world.updateBroadPhase([&](CollisionItem& item) { return kTouching + world.sweptOf(item).reach(); });
  world.forEachPair(
      [&](int i, int j) {
        world.swept.collide(world.sweptOf(world.items[i]), world.sweptOf(world.items[j]), margin, contacts);
      },
      contacts);
}

void CollisionWorld::detectPair(std::span<const Pose> poses, double margin, int shapeA, int shapeB,
                                std::vector<Contact>& contacts) {
  Impl& world = *impl_;
  contacts.clear();
  CollisionItem &a = world.items[shapeA], &b = world.items[shapeB];
  world.place(a, poses);
  world.place(b, poses);
  world.narrow.collide(a, b, margin, contacts);
}

}  // namespace grashof
