#include "engine/dynamics/step/passive_blows.h"

#include <algorithm>
#include <cmath>

#include "engine/dynamics/rows/gap_bias.h"

namespace grashof {
namespace {

constexpr double kGivesNothing = 1e-2;  // of what moves through the blows: what rests does more in a step
constexpr double kEnough = 0.02;        // of what the blows would give: so little may be lost instead
constexpr int kMostTries = 6;

/// Sum of the velocities of a contact before and after its impulse, where that acts.
Vec3 velocitiesOf(const Contact& contact, const ContactBlock& block, const StepRecord& record) {
  Vec3 sum = block.velocity(record.twistBefore) + block.velocity(record.solution.twist);
  if (contact.meets())
    sum += (2.0 * contact.meeting / record.step.timestep - 1.0) * contact.frame.transpose() * contact.gain;
  return sum;
}

/// Speed (m/s) at which a penetration is taken back.
double opening(const Model& model, const Contact& contact) {
  const Stabilization& s = model.stabilization;
  return std::max(0.0, -gapBias(contact.gapWith(s.margin), s.gamma, model.step.timestep));
}

}  // namespace

double workOfContacts(const Model& model, const StepRecord& record, std::span<const Contact> contacts) {
  double work = 0.0;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const Contact& contact = contacts[k];
    if (contact.soft() || contact.elastic.tangentialStiffness > 0.0 || !contact.surfaceVelocity.isZero(0.0))
      continue;
    const ContactBlock& block = record.problem.contacts[k];
    const Vec3 impulse(&record.solution.impulse[static_cast<std::size_t>(block.row)]);
    const Vec3 mean = 0.5 * velocitiesOf(contact, block, record);
    // The speed of a recovery falls with the depth: v⁻ has more of it than v⁺.
    const double lifts = std::clamp(mean[2], 0.0, 2.0 * opening(model, contact));
    work += impulse.dot(mean) - impulse[2] * lifts;
  }
  return work;
}

bool PassiveBlows::again(const StepRecord& record, std::span<Contact> contacts) {
  double moves = 0.0;
  bool blows = false;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const ContactBlock& block = record.problem.contacts[k];
    const auto normal = static_cast<std::size_t>(block.row) + 2;
    const double impulse = record.solution.impulse[normal];
    const double before = block.velocity(record.twistBefore)[2],
                 after = block.velocity(record.solution.twist)[2];
    const double restitution = share_ < 1.0 ? restitution_[k] : contacts[k].restitution;
    const bool closes = before < -model_.step.restitutionThreshold || contacts[k].meets();
    if (!(impulse > 0.0) || !(restitution > 0.0) || !closes) continue;
    blows = true;
    moves += impulse * (std::abs(before) + std::abs(after));
  }
  if (share_ == 1.0 && !blows) return false;
  const double work = workOfContacts(model_, record, contacts);
  const bool gives = work > kGivesNothing * moves;
  if (share_ == 1.0 && !gives) return false;
  if (settled_) return false;
  if (share_ == 1.0) {
    restitution_.clear();
    for (const Contact& contact : contacts) restitution_.push_back(contact.restitution);
    high_ = 1.0;
    given_ = work;
    set(0.0, contacts);
    return true;
  }
  if (gives) {
    if (share_ == 0.0) return false;  // it is not restitution that gives
    high_ = share_;
    given_ = work;
  } else {
    low_ = share_;
    taken_ = -work;
  }
  if (taken_ <= kEnough * given_ || ++tries_ == kMostTries) {
    settled_ = true;
    if (share_ == low_) return false;
    set(low_, contacts);
    return true;
  }
  // A little less than where a straight line passes zero.
  const double part = taken_ / (taken_ + given_);
  set(low_ + (high_ - low_) * std::clamp(0.98 * part, 0.05, 0.95), contacts);
  return true;
}

void PassiveBlows::set(double share, std::span<Contact> contacts) {
  share_ = share;
  for (std::size_t k = 0; k < contacts.size(); ++k) contacts[k].restitution = share * restitution_[k];
}

}  // namespace grashof
