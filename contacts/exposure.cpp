#include "contacts/exposure.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "contacts/point_distance.h"

namespace grashof {
namespace {

constexpr double kProbe = 2e-5;      // m: shapes that are flush to half of it are so sideways
constexpr double kProbePart = 0.02;  // of the least extent of a shape: what its probe may be
constexpr double kNear = 1e-4;       // m between the boxes of shapes that can cover each other
constexpr double kRoundingOfPoints = 1e-15;
constexpr double kRounding = 1e-14;    // m
constexpr double kOnSurface = 1e-10;   // m: normals that differ by 3e-6 rad are not those of one face
constexpr double kOverlapping = 1e-5;  // m: deeper contacts are not dropped without another one
// Beside a point, in units of δ: beyond what a flush neighbour covers.
constexpr double kBeside = 1.5;

struct ShapeBox {
  Vec3 low, high;
};

/// Of a shape in the axes of its body, larger by kNear.
ShapeBox boxOf(const CollisionItem& item) {
  btVector3 low, high;
  item.shape->getAabb(toBullet(item.description->pose), low, high);
  return {fromBullet(low) - Vec3::Constant(0.5 * kNear), fromBullet(high) + Vec3::Constant(0.5 * kNear)};
}

bool overlap(const ShapeBox& a, const ShapeBox& b) {
  return (a.low.array() <= b.high.array()).all() && (b.low.array() <= a.high.array()).all();
}

/// Whether a box reaches below a plane of the same body.
bool reachesBelow(const ShapeBox& box, const Shape& plane) {
  const Vec3 n = plane.pose.rotation * Vec3::UnitZ();
  double lowest = 0.0;
  for (int i = 0; i < 3; ++i) lowest += n[i] * (n[i] > 0.0 ? box.low[i] : box.high[i]);
  return lowest <= n.dot(plane.pose.position);
}

/// The point of `item` (world, m) that lies farthest along `direction` (unit, world).
Vec3 farthest(const CollisionItem& item, const Vec3& direction) {
  const Vec3 local = item.pose.rotation.conjugate() * direction;
  if (!item.mesh) return item.pose * fromBullet(item.convex().localGetSupportingVertex(toBullet(local)));
  const auto& vertices = item.mesh->surface.vertices;
  return item.pose * *std::max_element(vertices.begin(), vertices.end(), [&](const Vec3& a, const Vec3& b) {
           return local.dot(a) < local.dot(b);
         });
}

}  // namespace

Exposure::Exposure(std::span<const CollisionItem> items, std::function<bool(int, int)> mayTouch)
    : items_(items), mayTouch_(std::move(mayTouch)) {
  findNeighbours();
}

/// By sweeping along x over the shapes of each body.
void Exposure::findNeighbours() {
  std::vector<ShapeBox> boxes(items_.size());
  std::vector<int> order;
  std::vector<std::pair<int, int>> pairs;
  probe_.assign(items_.size(), kProbe);
  for (const CollisionItem& item : items_) {
    if (!item.shape) continue;
    const auto i = static_cast<std::size_t>(item.index);
    boxes[i] = boxOf(item);
    probe_[i] = std::min(kProbe, kProbePart * (boxes[i].high - boxes[i].low).maxCoeff());
    order.push_back(item.index);
  }
  const auto bodyOf = [&](int i) { return items_[static_cast<std::size_t>(i)].description->body; };
  std::sort(order.begin(), order.end(), [&](int i, int j) {
    const double x = boxes[static_cast<std::size_t>(i)].low.x(),
                 y = boxes[static_cast<std::size_t>(j)].low.x();
    return std::tuple(bodyOf(i), x, i) < std::tuple(bodyOf(j), y, j);
  });
  for (std::size_t k = 0; k < order.size(); ++k) {
    const ShapeBox& box = boxes[static_cast<std::size_t>(order[k])];
    for (std::size_t m = k + 1; m < order.size() && bodyOf(order[m]) == bodyOf(order[k]); ++m) {
      const ShapeBox& other = boxes[static_cast<std::size_t>(order[m])];
      if (other.low.x() > box.high.x()) break;
      if (!overlap(box, other)) continue;
      pairs.emplace_back(order[k], order[m]);
      pairs.emplace_back(order[m], order[k]);
    }
  }
  for (const CollisionItem& plane : items_)
    if (plane.description->type == ShapeType::Plane && plane.description->collides)
      for (const int i : order)
        if (bodyOf(i) == plane.description->body &&
            reachesBelow(boxes[static_cast<std::size_t>(i)], *plane.description))
          pairs.emplace_back(i, plane.index);
  std::sort(pairs.begin(), pairs.end());
  start_.assign(items_.size() + 1, 0);
  for (const auto& [i, j] : pairs) {
    ++start_[static_cast<std::size_t>(i) + 1];
    neighbour_.push_back(j);
  }
  for (std::size_t i = 0; i < items_.size(); ++i) start_[i + 1] += start_[i];
}

std::span<const int> Exposure::neighbours(int shape) const {
  const auto i = static_cast<std::size_t>(shape);
  return std::span(neighbour_)
      .subspan(static_cast<std::size_t>(start_[i]), static_cast<std::size_t>(start_[i + 1] - start_[i]));
}

double Exposure::distance(int shape, const Vec3& p, double reach) {
  const CollisionItem& item = items_[static_cast<std::size_t>(shape)];
  return pointDistance(item, item.pose.rotation.conjugate() * (p - item.pose.position), reach, triangles_);
}

/// Whether a neighbour that `other` may touch is nearer to p + δ n than `shape`, which is `own` (m) away.
bool Exposure::coveredAt(int shape, int other, const Vec3& p, const Vec3& n, double own) {
  const double probe = probe_[static_cast<std::size_t>(shape)];
  const double rounding = kRounding + kRoundingOfPoints * p.lpNorm<1>();
  for (const int next : neighbours(shape))
    if (mayTouch_(next, other) && distance(next, p + probe * n, 2.0 * probe) < own - rounding) return true;
  return false;
}

/// `p`: on `shape`; `n`: outward.
bool Exposure::covered(int shape, int other, const Vec3& p, const Vec3& n) {
  const double probe = probe_[static_cast<std::size_t>(shape)];
  // The point may be off the surface by rounding, of curved pairs by more.
  const double own = distance(shape, p + probe * n, 2.0 * probe);
  if (!coveredAt(shape, other, p, n, own)) return false;
  const Mat3 frame = frameFromNormal(n);
  for (const double side : {1.0, -1.0})
    for (int k = 0; k < 2; ++k) {
      const Vec3 beside = p + side * kBeside * probe * frame.col(k);
      if (std::abs(distance(shape, beside, 2.0 * probe) - (own - probe)) > kOnSurface) continue;
      const double there = distance(shape, beside + probe * n, 2.0 * probe);
      if (std::abs(there - own) < kOnSurface && !coveredAt(shape, other, beside, n, there)) return false;
    }
  return true;
}

bool Exposure::covered(const Contact& contact, Side side) {
  const int shape = side == Side::A ? contact.shapeA : contact.shapeB;
  if (neighbours(shape).empty()) return false;
  // Shapes stand where the rows have them: of a body that moves they were elsewhere at a meeting.
  if (contact.meets() && items_[static_cast<std::size_t>(shape)].description->body >= 0) return false;
  const Vec3 n = contact.frame.col(2);
  const double outward = side == Side::A ? 1.0 : -1.0;
  return covered(shape, side == Side::A ? contact.shapeB : contact.shapeA,
                 contact.point - outward * 0.5 * contact.gap * n, outward * n);
}

/// Gives a contact the normal and the depth of the exposed face of its shape under which the other one lies
/// least deep; false, without a change, if there is none.
bool Exposure::turnToFace(Contact& contact, Side side) {
  const bool ofA = side == Side::A;
  const CollisionItem& item = items_[static_cast<std::size_t>(ofA ? contact.shapeA : contact.shapeB)];
  const CollisionItem& other = items_[static_cast<std::size_t>(ofA ? contact.shapeB : contact.shapeA)];
  if (!item.polyhedral() || !other.shape) return false;
  double best = -std::numeric_limits<double>::infinity();
  const Contact before = contact;
  for (const auto& face : item.polyhedron.faces) {
    const Vec3 n = item.pose.rotation * face.normal;
    const double offset = face.offset + n.dot(item.pose.position), gap = n.dot(farthest(other, -n)) - offset;
    const Vec3 p = before.point - (n.dot(before.point) - offset) * n;
    if (gap <= best || covered(item.index, other.index, p, n)) continue;
    best = gap;
    contact.frame = frameFromNormal(ofA ? n : Vec3(-n));
    contact.gap = gap;
    contact.point = p + 0.5 * gap * n;
  }
  return best > -std::numeric_limits<double>::infinity();
}

/// Whether no contact of its bodies that is open holds them, and none of them is deeper than number `k`.
bool Exposure::onlyHold(std::span<const Contact> contacts, std::span<const Contact> known,
                        std::size_t k) const {
  const auto sameBodies = [&](const Contact& contact) {
    return contact.bodyA == contacts[k].bodyA && contact.bodyB == contacts[k].bodyB;
  };
  for (const Contact& contact : known)
    if (sameBodies(contact) && contact.gap < kOverlapping) return false;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (!sameBodies(contacts[i]) || i == k) continue;
    if (fate_[i] == Fate::Open ? contacts[i].gap < kOverlapping
                               : std::pair(contacts[i].gap, i) < std::pair(contacts[k].gap, k))
      return false;
  }
  return true;
}

void Exposure::filter(std::vector<Contact>& contacts, std::span<const Contact> known) {
  crossed_.clear();
  if (neighbour_.empty()) return;
  fate_.assign(contacts.size(), Fate::Open);
  bool any = false;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    if (contacts[k].ofPatch()) continue;
    if (covered(contacts[k], Side::A))
      fate_[k] = Fate::CoveredA;
    else if (covered(contacts[k], Side::B))
      fate_[k] = Fate::CoveredB;
    any = any || fate_[k] != Fate::Open;
  }
  if (!any) return;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    if (fate_[k] == Fate::Open || contacts[k].gap > -kOverlapping || !onlyHold(contacts, known, k)) continue;
    turnToFace(contacts[k], fate_[k] == Fate::CoveredA ? Side::A : Side::B);
    fate_[k] = Fate::Open;
  }
  std::size_t left = 0;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const std::pair shapes(contacts[k].shapeA, contacts[k].shapeB);
    if (fate_[k] == Fate::Open)
      contacts[left++] = contacts[k];
    else if (contacts[k].meets() && (crossed_.empty() || crossed_.back() != shapes))
      crossed_.push_back(shapes);
  }
  contacts.resize(left);
}

}  // namespace grashof
