#include "engine/dynamics/derivative/acting_contacts.h"

#include <algorithm>

#include "engine/dynamics/rows/contact_rows.h"
#include "engine/dynamics/rows/free_motion.h"
#include "engine/dynamics/step/contact_step.h"

namespace grashof {
namespace {

constexpr double kWeak = 1e-7;
constexpr double kSamePoint = 1e-3;  // m: poses nearby move a contact less on its body

/// The point of a contact on its body B, or A where B is the world.
Vec3 localPoint(const Contact& contact, std::span<const Pose> poses) {
  const int body = contact.bodyB >= 0 ? contact.bodyB : contact.bodyA;
  const Pose& pose = poses[static_cast<std::size_t>(body)];
  return pose.rotation.conjugate() * (contact.point - pose.position);
}

Pose poseOf(int body, std::span<const Pose> poses) {
  return body >= 0 ? poses[static_cast<std::size_t>(body)] : Pose{};
}

}  // namespace

double weakImpulse(const DualProblem& problem, std::span<const double> impulse) {
  double largest = 0.0;
  for (const ContactBlock& contact : problem.contacts)
    largest = std::max(largest, impulse[static_cast<std::size_t>(contact.row) + 2]);
  return kWeak * largest;
}

ActingContacts::ActingContacts(const Model& model) : model_(model), world_(model.shapes, model.exclusions) {}

void ActingContacts::choose(std::span<const Contact> contacts, std::span<const Pose> poses,
                            std::span<const Vec6> twistBefore, double toRows, double margin,
                            const DualProblem& problem, std::span<const double> impulse,
                            std::span<const Vec6> twist) {
  margin_ = margin;
  toRows_ = toRows;
  goBack(poses, twistBefore);
  localBefore_.clear();
  chosen_.clear();
  indices_.clear();
  local_.clear();
  carried_.clear();
  const double weak = weakImpulse(problem, impulse);
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const ContactBlock& block = problem.contacts[k];
    const auto row = static_cast<std::size_t>(block.row) + 2;
    const double velocity = block.velocity(twist)[2];
    if (block.law >= 0) {
      if (!(problem.laws[static_cast<std::size_t>(block.law)].impulse(velocity) > 0.0)) continue;
    } else {
      const double compliance = problem.compliance[row];
      const double size = 1.0 / (contactMobility(problem, k)[2] + compliance);
      const double after = velocity + problem.bias[row] + compliance * impulse[row];
      if (!(impulse[row] + weak - size * after > 0.0)) continue;
    }
    chosen_.push_back(contacts[k]);
    indices_.push_back(static_cast<int>(k));
    local_.push_back(localPoint(contacts[k], poses));
    Contact before = contacts[k];
    before.point = before.before.point;
    localBefore_.push_back(localPoint(before, startPoses_));
    const Pose a = poseOf(contacts[k].bodyA, poses), b = poseOf(contacts[k].bodyB, poses);
    carried_.push_back({a.inverse() * contacts[k].point, b.inverse() * contacts[k].point,
                        a.rotation.toRotationMatrix().transpose() * contacts[k].frame});
  }
}

void ActingContacts::take(const ActingContacts& other) {
  margin_ = other.margin_;
  toRows_ = other.toRows_;
  localBefore_ = other.localBefore_;
  chosen_ = other.chosen_;
  indices_ = other.indices_;
  local_ = other.local_;
  carried_ = other.carried_;
}

/// A contact with its point kept on each of the bodies, and its frame on A.
Contact ActingContacts::carried(std::size_t k, std::span<const Pose> poses) const {
  Contact contact = chosen_[k];
  const Pose a = poseOf(contact.bodyA, poses), b = poseOf(contact.bodyB, poses);
  const Vec3 onA = a * carried_[k].onA, onB = b * carried_[k].onB;
  contact.point = 0.5 * (onA + onB);
  contact.frame = a.rotation.toRotationMatrix() * carried_[k].frame;
  contact.gap += contact.frame.col(2).dot(onB - onA);
  return contact;
}

std::span<const Contact> ActingContacts::at(std::span<const Pose> poses, std::span<const Vec6> twists) {
  matched_.clear();
  if (chosen_.empty()) return matched_;
  world_.detect(poses, margin_, found_);
  for (std::size_t k = 0; k < chosen_.size(); ++k) match(k, poses);
  assignSurfaces(model_, poses, twists, matched_);
  goBack(poses, twists);
  world_.detect(startPoses_, margin_, foundBefore_);
  for (std::size_t k = 0; k < chosen_.size(); ++k)
    if (chosen_[k].before.known) persist(k, poses, twists, matched_[k]);
  return matched_;
}

/// The poses and twists at the start of the step from those at the rows: the free motion between them,
/// reversed.
void ActingContacts::goBack(std::span<const Pose> poses, std::span<const Vec6> twists) {
  startPoses_.assign(poses.begin(), poses.end());
  startTwists_.assign(twists.begin(), twists.end());
  advancePoses(model_, -toRows_, startPoses_, startTwists_);
}

/// Gives `contact`, number `k`, what it is at the start of the step, from startPoses_ and foundBefore_.
void ActingContacts::persist(std::size_t k, std::span<const Pose> poses, std::span<const Vec6> twists,
                             Contact& contact) const {
  contact.before = chosen_[k].before;
  contact.before.gap += contact.gap - chosen_[k].gap;
  double least = kSamePoint * kSamePoint;
  for (const Contact& found : foundBefore_) {
    if (found.shapeA != contact.shapeA || found.shapeB != contact.shapeB) continue;
    const double distance = (localPoint(found, startPoses_) - localBefore_[k]).squaredNorm();
    if (distance > least) continue;
    least = distance;
    contact.before = {true, found.point, found.frame, found.gap};
  }
  setTurning(startPoses_, startTwists_, poses, twists, contact);
}

/// Adds the one of found_ that is contact `k` at these poses.
void ActingContacts::match(std::size_t k, std::span<const Pose> poses) {
  const Contact* nearest = nullptr;
  double least = kSamePoint * kSamePoint;
  for (const Contact& found : found_) {
    if (found.shapeA != chosen_[k].shapeA || found.shapeB != chosen_[k].shapeB) continue;
    const double distance = (localPoint(found, poses) - local_[k]).squaredNorm();
    if (distance > least) continue;
    least = distance;
    nearest = &found;
  }
  matched_.push_back(nearest ? *nearest : carried(k, poses));
  matched_.back().frame = alignedFrame(matched_.back().frame, chosen_[k].frame);
  matched_.back().impulseBefore = chosen_[k].impulseBefore;
  matched_.back().recalled = chosen_[k].recalled;
}

std::size_t ActingContacts::samePair(std::size_t first) const {
  std::size_t end = first + 1;
  while (end < chosen_.size() && chosen_[end].shapeA == chosen_[first].shapeA &&
         chosen_[end].shapeB == chosen_[first].shapeB)
    ++end;
  return end - first;
}

std::span<const Contact> ActingContacts::pairAt(std::size_t first, std::size_t count,
                                                std::span<const Pose> poses, std::span<const Vec6> twists,
                                                bool moved) {
  matched_.clear();
  if (moved) {
    world_.detectPair(poses, margin_, chosen_[first].shapeA, chosen_[first].shapeB, found_);
    for (std::size_t k = first; k < first + count; ++k) match(k, poses);
  } else {
    const auto begin = chosen_.begin() + static_cast<std::ptrdiff_t>(first);
    matched_.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
  }
  assignSurfaces(model_, poses, twists, matched_);
  const auto own = std::span(chosen_).subspan(first, count);
  if (std::none_of(own.begin(), own.end(), [](const Contact& c) { return c.before.known; })) return matched_;
  goBack(poses, twists);
  world_.detectPair(startPoses_, margin_, chosen_[first].shapeA, chosen_[first].shapeB, foundBefore_);
  for (std::size_t k = first; k < first + count; ++k)
    if (chosen_[k].before.known) persist(k, poses, twists, matched_[k - first]);
  return matched_;
}

}  // namespace grashof
