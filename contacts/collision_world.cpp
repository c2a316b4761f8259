#include "contacts/collision_world.h"

#include <algorithm>
#include <limits>

#include "contacts/broad_phase.h"
#include "contacts/clearance.h"
#include "contacts/exposure.h"
#include "contacts/narrow_phase.h"
#include "contacts/patch.h"
#include "contacts/swept_pair.h"

namespace grashof {
namespace {

// A box is larger than its shape and margin, so that it is good for some steps, by parts of
constexpr double kSkin = 0.1;        // the radius of the shape, and
constexpr double kMarginSkin = 1.0;  // the margin
constexpr double kFarTravel = 1e6;   // m that a shape travels until all begin again at zero
// Upwards rounding of a sum, relative: no shape has travelled further than what is summed.
constexpr double kRoundUp = 4.0 * std::numeric_limits<double>::epsilon();
// Looks at a pair that is nearer than its margin until its distance is sought again.
constexpr int kPatience = 16;

bool isPlane(const CollisionItem& item) { return item.description->type == ShapeType::Plane; }

/// No point of the shape moves further than this between two poses of its frame, m. Of a rotation by θ a
/// point at r moves by 2 r sin θ/2 at most, and quaternions differ by 2 sin θ/4.
double travel(const CollisionItem& item, const Pose& from, const Pose& to) {
  const double straight = (to.position - from.position).norm();
  if (item.description->type == ShapeType::Sphere) return straight;
  return straight + 2.0 * item.radius * (to.rotation.coeffs() - from.rotation.coeffs()).norm();
}

bool inOrder(const Contact& c, const Contact& d) {
  return std::pair(c.shapeA, c.shapeB) < std::pair(d.shapeA, d.shapeB);
}

/// Those of shapes a < b, of contacts in their order.
std::span<const Contact> contactsOf(std::span<const Contact> contacts, int a, int b) {
  const auto shapesOf = [](const Contact& c) { return std::pair(c.shapeA, c.shapeB); };
  const auto before = [&](const Contact& c, const std::pair<int, int>& pair) { return shapesOf(c) < pair; };
  const auto first = std::lower_bound(contacts.begin(), contacts.end(), std::pair(a, b), before);
  const auto other = [&](const Contact& c) { return shapesOf(c) != std::pair(a, b); };
  return {first, std::find_if(first, contacts.end(), other)};
}

}  // namespace

struct CollisionWorld::Impl {
  std::vector<CollisionItem> items;  // one per shape
  CollisionFilter filter;
  BroadPhase broad{[this](int i, int j) { return mayTouch(i, j); }};
  // Planes are infinite, so that the broad phase does not know them: pairs with all moving shapes.
  std::vector<NearPair> planePairs;
  NarrowPhase narrow;
  SweptPair swept{narrow};
  std::vector<BodyPath> paths;  // of the step, one per body
  PatchFinder patches;
  std::unique_ptr<Exposure> exposure;
  std::vector<std::pair<int, int>> crossed;  // work of addCrossed()
  std::vector<Contact> atRows;

  // By shape: where detect() had it last, how far it has travelled until there at most, and how far it may
  // until its box is made anew, m.
  std::vector<Pose> last;
  std::vector<double> travelled, room;

  explicit Impl(CollisionFilter which) : filter(std::move(which)) {}
  bool mayTouch(int i, int j) const { return filter.mayTouch(i, j); }
  void build(std::span<const Shape> shapes);
  void addPatches();
  bool collidePatch(int i, int j, std::vector<Contact>& contacts);
  void pairPlanes();
  void place(std::span<const Pose> poses);
  void place(CollisionItem& item, std::span<const Pose> poses);
  void beginAgain();
  double standsOut(const CollisionItem& item) const { return item.patch ? item.patch->beyond : 0.0; }
  template <typename MarginOf>
  void updateBroadPhase(const MarginOf& marginOf);
  template <typename MarginOf, typename Collide>
  void forEachPair(const MarginOf& marginOf, const Collide& collide, std::span<const Contact> known,
                   std::vector<Contact>& contacts);
  void addCrossed(double margin, std::vector<Contact>& contacts);
  void forgetCovered(const StepMotion& motion, std::vector<Contact>& contacts);
  template <typename Collide>
  void look(NearPair& pair, double margin, const Collide& collide, std::span<const Contact> known,
            std::vector<Contact>& contacts);
  SweptShape sweptOf(CollisionItem& item) {
    const int body = item.description->body;
    return {item, body >= 0 ? &paths[body] : nullptr};
  }
};

void CollisionWorld::Impl::build(std::span<const Shape> shapes) {
  items.resize(shapes.size());
  travelled.resize(shapes.size(), 0.0);
  room.resize(shapes.size(), -std::numeric_limits<double>::infinity());
  last.resize(shapes.size());
  broad.resize(shapes.size());
  std::vector<const CollisionItem*> hulls;  // the first of each set of points
  for (int i = 0; i < static_cast<int>(shapes.size()); ++i) {
    items[i].description = &shapes[i];
    items[i].index = i;
    if (!shapes[i].collides) continue;
    const auto same = std::find_if(hulls.begin(), hulls.end(), [&](const CollisionItem* hull) {
      return shapes[i].type == ShapeType::Hull &&
             hull->description->mesh->vertices == shapes[i].mesh->vertices;
    });
    makeCollisionShape(items[i], same == hulls.end() ? nullptr : *same);
    if (shapes[i].type == ShapeType::Hull && same == hulls.end()) hulls.push_back(&items[i]);
  }
  pairPlanes();
  addPatches();
  exposure = std::make_unique<Exposure>(items, [this](int i, int j) { return mayTouch(i, j); });
}

void CollisionWorld::Impl::pairPlanes() {
  for (const CollisionItem& plane : items) {
    if (!isPlane(plane)) continue;
    for (const CollisionItem& item : items)
      if (item.description->body >= 0 && item.shape && mayTouch(plane.index, item.index))
        planePairs.push_back(
            {.a = std::min(plane.index, item.index), .b = std::max(plane.index, item.index)});
  }
  std::sort(planePairs.begin(), planePairs.end());
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

void CollisionWorld::Impl::place(std::span<const Pose> poses) {
  for (CollisionItem& item : items) place(item, poses);
}

void CollisionWorld::Impl::place(CollisionItem& item, std::span<const Pose> poses) {
  const Shape& shape = *item.description;
  const Pose to = shape.body >= 0 ? poses[shape.body] * shape.pose : shape.pose;
  item.place(to);
  const double more = travel(item, last[item.index], to);
  if (more == 0.0) return;
  double& sum = travelled[item.index];
  sum += more + kRoundUp * sum;
  last[item.index] = to;
  if (!(sum < kFarTravel)) beginAgain();
}

/// Forgets all that is known of distances.
void CollisionWorld::Impl::beginAgain() {
  std::fill(travelled.begin(), travelled.end(), 0.0);
  std::fill(room.begin(), room.end(), -std::numeric_limits<double>::infinity());
  for (std::vector<NearPair>* pairs : {&broad.pairs(), &planePairs})
    for (NearPair& pair : *pairs) pair.clear = -std::numeric_limits<double>::infinity();
}

/// Gives the shapes that have travelled out of their boxes new ones, larger by the margin (m) of each item,
/// and finds the pairs whose boxes overlap.
template <typename MarginOf>
void CollisionWorld::Impl::updateBroadPhase(const MarginOf& marginOf) {
  for (const CollisionItem& item : items) {
    if (!item.shape) continue;
    const double margin = marginOf(item), needed = travelled[item.index] + margin;
    if (needed <= room[item.index]) continue;
    const double skin = kSkin * item.radius + kMarginSkin * margin;
    room[item.index] = needed + skin;
    btVector3 low, high;
    item.shape->getAabb(item.transform(), low, high);
    const double more = margin + skin + standsOut(item);
    const btVector3 grow(more, more, more);
    broad.place(item.index, low - grow, high + grow);
  }
  broad.update();
}

/// Calls collide(i, j, margin, own) for all pairs of shapes, i < j, that may be nearer than the margin (m) of
/// the pair, the sum of those of both items; `own`: those of `known` that are of this pair. It appends their
/// contacts; patches come from here.
template <typename MarginOf, typename Collide>
void CollisionWorld::Impl::forEachPair(const MarginOf& marginOf, const Collide& collide,
                                       std::span<const Contact> known, std::vector<Contact>& contacts) {
  const auto lookAt = [&](NearPair& pair) {
    look(pair, marginOf(items[pair.a]) + marginOf(items[pair.b]), collide, known, contacts);
  };
  auto plane = planePairs.begin();
  for (NearPair& pair : broad.pairs()) {
    while (plane != planePairs.end() && *plane < pair) lookAt(*plane++);
    lookAt(pair);
  }
  while (plane != planePairs.end()) lookAt(*plane++);
}

/// Passes over a pair that is known to be apart: what both shapes have travelled since their distance was
/// found is less than that distance and the margin.
template <typename Collide>
void CollisionWorld::Impl::look(NearPair& pair, double margin, const Collide& collide,
                                std::span<const Contact> known, std::vector<Contact>& contacts) {
  const CollisionItem &a = items[pair.a], &b = items[pair.b];
  const double moved = travelled[pair.a] + travelled[pair.b];
  const double within = margin + standsOut(a) + standsOut(b);
  if (pair.clear - moved > within) return;
  if (const auto own = contactsOf(known, pair.a, pair.b); !own.empty()) {
    if (!own[0].ofPatch()) collide(pair.a, pair.b, margin, own);
    return;
  }
  const auto apart = [&](double clear) {
    pair.clear = clear + moved;
    return clear > within;
  };
  if (pair.wait == 0 && apart(roughClearance(a, b))) return;
  const std::size_t before = contacts.size();
  if (!collidePatch(pair.a, pair.b, contacts)) collide(pair.a, pair.b, margin, {});
  if (contacts.size() > before)
    pair.wait = 1;
  else if (pair.wait > 0)
    --pair.wait;
  else if (!apart(clearance(a, b)))
    pair.wait = kPatience;
}

CollisionWorld::CollisionWorld(std::span<const Shape> shapes, const std::vector<ExcludedPair>& excluded)
    : CollisionWorld(shapes, CollisionFilter(shapes, excluded)) {}

CollisionWorld::CollisionWorld(std::span<const Shape> shapes, CollisionFilter filter)
    : impl_(std::make_unique<Impl>(std::move(filter))) {
  impl_->build(shapes);
}

CollisionWorld::~CollisionWorld() = default;
CollisionWorld::CollisionWorld(CollisionWorld&&) noexcept = default;
CollisionWorld& CollisionWorld::operator=(CollisionWorld&&) noexcept = default;

void CollisionWorld::detect(std::span<const Pose> poses, double margin, std::span<const double> reach,
                            std::vector<Contact>& contacts) {
  Impl& world = *impl_;
  contacts.clear();
  world.place(poses);
  const auto marginOf = [&](const CollisionItem& item) {
    const int body = item.description->body;
    return 0.5 * margin + (body < 0 || reach.empty() ? 0.0 : reach[body]);
  };
  world.updateBroadPhase(marginOf);
  world.forEachPair(
      marginOf,
      [&](int i, int j, double within, std::span<const Contact>) {
        world.narrow.collide(world.items[i], world.items[j], within, contacts);
      },
      {}, contacts);
  world.exposure->filter(contacts);
}

void CollisionWorld::detectOver(const StepMotion& motion, double margin, std::vector<Contact>& contacts) {
  detectOver(motion, margin, {}, contacts);
}

void CollisionWorld::detectOver(const StepMotion& motion, double margin, std::span<const Contact> known,
                                std::vector<Contact>& contacts) {
  Impl& world = *impl_;
  contacts.clear();
  pathsOf(motion, world.paths);
  world.place(motion.rows);
  const auto marginOf = [&](const CollisionItem& item) {
    const int body = item.description->body;
    return kTouching + (body < 0 ? 0.0 : world.paths[body].reach(item.turnRadius));
  };
  world.updateBroadPhase(marginOf);
  world.forEachPair(
      marginOf,
      [&](int i, int j, double, std::span<const Contact> own) {
        const SweptShape a = world.sweptOf(world.items[i]), b = world.sweptOf(world.items[j]);
        own.empty() ? world.swept.collide(a, b, margin, contacts)
                    : world.swept.collideElsewhere(a, b, margin, own, contacts);
      },
      known, contacts);
  world.exposure->filter(contacts, known);
  world.addCrossed(margin, contacts);
  world.forgetCovered(motion, contacts);
}

/// What was covered at the start of the step, as an edge at a seam that is just reached, is not where the
/// contact has been.
void CollisionWorld::Impl::forgetCovered(const StepMotion& motion, std::vector<Contact>& contacts) {
  const auto covered = [&](const Contact& contact, int shape, int other, double outward) {
    if (!exposure->mayCover(shape)) return false;
    Vec3 n = outward * contact.before.frame.col(2), p = contact.before.point - 0.5 * contact.before.gap * n;
    if (const int body = items[shape].description->body; body >= 0) {  // to where the rows have it
      const Pose moved = motion.rows[body] * motion.start[body].inverse();
      p = moved * p;
      n = moved.rotation * n;
    }
    return exposure->covered(shape, other, p, n);
  };
  for (Contact& contact : contacts)
    if (contact.before.known && (covered(contact, contact.shapeA, contact.shapeB, 1.0) ||
                                 covered(contact, contact.shapeB, contact.shapeA, -1.0)))
      contact.before = {};
}

/// What slides over a seam meets the next shape at an edge that is covered: nowhere. It touches that shape
/// from then on, and may stand on it at the rows already.
void CollisionWorld::Impl::addCrossed(double margin, std::vector<Contact>& contacts) {
  if (exposure->crossed().empty()) return;
  crossed.assign(exposure->crossed().begin(), exposure->crossed().end());
  atRows.clear();
  for (const auto& [a, b] : crossed) {
    const std::size_t first = atRows.size();
    narrow.collide(items[a], items[b], margin, atRows);
    const auto found = std::span(atRows).subspan(first);
    if (std::none_of(found.begin(), found.end(), [](const Contact& c) { return c.gap <= kTouching; }) ||
        std::binary_search(contacts.begin(), contacts.end(), found[0], inOrder))
      atRows.resize(first);
  }
  exposure->filter(atRows);
  for (const Contact& contact : atRows)
    contacts.insert(std::upper_bound(contacts.begin(), contacts.end(), contact, inOrder), contact);
}

void CollisionWorld::detect(std::span<const Pose> poses, double margin, std::vector<Contact>& contacts) {
  detect(poses, margin, {}, contacts);
}

void CollisionWorld::detectPair(std::span<const Pose> poses, double margin, int shapeA, int shapeB,
                                std::vector<Contact>& contacts) {
  Impl& world = *impl_;
  contacts.clear();
  CollisionItem &a = world.items[shapeA], &b = world.items[shapeB];
  world.place(a, poses);
  world.place(b, poses);
  world.narrow.collide(a, b, margin, contacts);
  world.exposure->filter(contacts);
}

double CollisionWorld::turnRadius(int shape) const {
  const CollisionItem& item = impl_->items[static_cast<std::size_t>(shape)];
  return item.description->type == ShapeType::Plane ? std::numeric_limits<double>::infinity()
                                                    : item.turnRadius;
}

double CollisionWorld::halfThickness(int shape) const {
  return impl_->items[static_cast<std::size_t>(shape)].size;
}

}  // namespace grashof
