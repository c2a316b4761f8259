#include "engine/dynamics/step/warm_start.h"

#include <algorithm>

namespace grashof {
namespace {

constexpr double kMatchRadius = 2e-2;  // m: contacts further apart than this are not the same contact

/// Calls use(interval, contact) for the rows of friction against rolling and torsion. Returns whether there
/// are some.
template <typename Use>
bool forEachTurning(const DualProblem& problem, const Use& use) {
  bool any = false;
  for (const IntervalRow& interval : problem.intervals) {
    const RowOwner& owner = problem.owner[static_cast<std::size_t>(interval.row)];
    if (owner.kind != RowKind::Turning) continue;
    any = true;
    use(interval, static_cast<std::size_t>(owner.item));
  }
  return any;
}

}  // namespace

void WarmStart::reset() {
  std::fill(kept_.begin(), kept_.end(), 0.0);
  cache_.clear();
  turningCache_.clear();
}

void WarmStart::apply(std::span<const Contact> contacts, std::span<const Pose> poses,
                      const DualProblem& problem, Solution& solution) {
  std::vector<double>& impulse = solution.impulse;
  impulse.resize(static_cast<std::size_t>(problem.rows()));
  const auto before = static_cast<std::size_t>(problem.contactRow(0));
  for (std::size_t r = 0; r < before; ++r) {
    const int slot = slots_.of(problem.owner[r]);
    impulse[r] = slot >= 0 ? kept_[static_cast<std::size_t>(slot)] : 0.0;
  }
  // Moments on body B of the rows, along the axes that these have now.
  bool known = false;
  forEachTurning(problem, [&](const IntervalRow& row, std::size_t contact) {
    if (!known) turningCache_.recall(contacts, poses, kMatchRadius, moment_);
    known = true;
    impulse[static_cast<std::size_t>(row.row)] = row.jacobianB.tail<3>().dot(moment_[contact]);
  });
  cache_.recall(contacts, poses, kMatchRadius, force_);
  for (std::size_t k = 0; k < contacts.size(); ++k)
    Eigen::Map<Vec3>{&impulse[before + 3 * k]} =
        contacts[k].toRows(contacts[k].frame.transpose() * force_[k]);
}

void WarmStart::recall(std::span<const Pose> poses, std::span<Contact> contacts) {
  cache_.recall(contacts, poses, kMatchRadius, force_);
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    contacts[k].impulseBefore = force_[k];
    contacts[k].recalled = true;
  }
}

void WarmStart::store(std::span<const Contact> contacts, std::span<const Pose> poses,
                      const DualProblem& problem, const Solution& solution) {
  const std::vector<double>& impulse = solution.impulse;
  const auto before = static_cast<std::size_t>(problem.contactRow(0));
  std::fill(kept_.begin(), kept_.end(), 0.0);
  for (std::size_t r = 0; r < before; ++r)
    if (const int slot = slots_.of(problem.owner[r]); slot >= 0)
      kept_[static_cast<std::size_t>(slot)] = impulse[r];
  moment_.assign(contacts.size(), Vec3::Zero());
  const bool turning = forEachTurning(problem, [&](const IntervalRow& row, std::size_t contact) {
    moment_[contact] += impulse[static_cast<std::size_t>(row.row)] * row.jacobianB.tail<3>();
  });
  if (turning) turningCache_.store(contacts, poses, moment_);
  force_.resize(contacts.size());
  for (std::size_t k = 0; k < contacts.size(); ++k)
    force_[k] = contacts[k].frame * contacts[k].fromRows(Vec3(&impulse[before + 3 * k]));
  cache_.store(contacts, poses, force_);
}

void WarmStart::archive(Archive& archive) {
  archive.sameSize(kept_);
  archive(cache_, turningCache_);
}

}  // namespace grashof
