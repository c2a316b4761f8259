#include "contacts/contact_cache.h"

#include <tuple>

namespace grashof {
namespace {

Vec3 localPoint(const Contact& contact, std::span<const Pose> poses) {
  const int body = contact.bodyB >= 0 ? contact.bodyB : contact.bodyA;
  if (body < 0) return contact.point;
  return poses[body].rotation.conjugate() * (contact.point - poses[body].position);
}

}  // namespace

void ContactCache::store(std::span<const Contact> contacts, std::span<const Pose> poses,
                         std::span<const Vec3> impulse) {
  entries_.clear();
  for (std::size_t i = 0; i < contacts.size(); ++i)
    entries_.push_back({contacts[i].shapeA, contacts[i].shapeB, localPoint(contacts[i], poses), impulse[i]});
}

void ContactCache::recall(std::span<const Contact> contacts, std::span<const Pose> poses, double radius,
                          std::vector<Vec3>& impulse) const {
  impulse.assign(contacts.size(), Vec3::Zero());
  std::size_t first = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Contact& contact = contacts[i];
    const auto key = std::tie(contact.shapeA, contact.shapeB);
    while (first < entries_.size() && std::tie(entries_[first].shapeA, entries_[first].shapeB) < key) ++first;
    const Vec3 point = localPoint(contact, poses);
    double nearest = radius * radius;
    for (std::size_t e = first; e < entries_.size(); ++e) {
      if (std::tie(entries_[e].shapeA, entries_[e].shapeB) != key) break;
      const double distance = (entries_[e].localPoint - point).squaredNorm();
      if (distance <= nearest) {
        nearest = distance;
        impulse[i] = entries_[e].impulse;
      }
    }
  }
}

}  // namespace grashof
