#include "engine/dynamics/warm_start.h"

#include <algorithm>
#include <utility>

#include "engine/dynamics/contact_rows.h"

namespace grashof {
namespace {

constexpr double kMatchRadius = 2e-2;  // m: contacts further apart than this are not the same contact

CoordinateIntervals<int> intervalRowsOf(const CoordinateRows& rows) {
  return {rows.friction, rows.drive[0], rows.drive[1], rows.drive[2], rows.lower, rows.upper};
}

}  // namespace

void WarmStart::reset(std::size_t coordinates, std::size_t further) {
  interval_.assign(coordinates, {});
  further_.assign(further, 0.0);
  cache_.clear();
  turningCache_.clear();
  jointRows_ = 0;
}

void WarmStart::apply(std::span<const CoordinateRows> rows, std::span<const int> further,
                      std::span<const Contact> contacts, std::span<const Pose> poses,
                      const DualProblem& problem, Solution& solution) {
  std::vector<double>& impulse = solution.impulse;
  const bool sameJoints = !impulse.empty() && jointRows_ == problem.jointRows;
  jointRows_ = problem.jointRows;
  impulse.resize(problem.rows());
  std::fill(impulse.begin() + (sameJoints ? problem.jointRows : 0), impulse.end(), 0.0);
  for (std::size_t c = 0; c < rows.size(); ++c) {
    const auto own = intervalRowsOf(rows[c]);
    for (std::size_t k = 0; k < own.size(); ++k)
      if (own[k] >= 0) impulse[own[k]] = interval_[c][k];
  }
  for (std::size_t k = 0; k < further.size(); ++k)
    if (further[k] >= 0) impulse[further[k]] = further_[k];
  if (turningRowCount(contacts) > 0) applyTurning(contacts, poses, problem, impulse);
  cache_.recall(contacts, poses, kMatchRadius, contact_);
  for (std::size_t k = 0; k < contacts.size(); ++k)
    Eigen::Map<Vec3>{&impulse[problem.contactRow(static_cast<int>(k))]} =
        contacts[k].toRows(contacts[k].frame.transpose() * contact_[k]);
}

void WarmStart::recall(std::span<const Pose> poses, std::span<Contact> contacts) {
  cache_.recall(contacts, poses, kMatchRadius, contact_);
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    contacts[k].impulseBefore = contact_[k];
    contacts[k].recalled = true;
  }
}

void WarmStart::store(std::span<const CoordinateRows> rows, std::span<const int> further,
                      std::span<const Contact> contacts, std::span<const Pose> poses,
                      const DualProblem& problem, const Solution& solution) {
  for (std::size_t c = 0; c < rows.size(); ++c) {
    const auto own = intervalRowsOf(rows[c]);
    for (std::size_t k = 0; k < own.size(); ++k)
      interval_[c][k] = own[k] >= 0 ? solution.impulse[own[k]] : 0.0;
  }
  for (std::size_t k = 0; k < further.size(); ++k)
    further_[k] = further[k] >= 0 ? solution.impulse[further[k]] : 0.0;
  if (turningRowCount(contacts) > 0) storeTurning(contacts, poses, problem, solution.impulse);
  contact_.resize(contacts.size());
  for (std::size_t k = 0; k < contacts.size(); ++k)
    contact_[k] = contacts[k].frame *
                  contacts[k].fromRows(Vec3(&solution.impulse[problem.contactRow(static_cast<int>(k))]));
  cache_.store(contacts, poses, contact_);
}

/// Moments of rolling and torsional friction, on body B of the rows, along the axes that these have now.
void WarmStart::applyTurning(std::span<const Contact> contacts, std::span<const Pose> poses,
                             const DualProblem& problem, std::vector<double>& impulse) {
  turningCache_.recall(contacts, poses, kMatchRadius, contact_);
  std::size_t row = problem.intervals.size() - static_cast<std::size_t>(turningRowCount(contacts));
  for (std::size_t k = 0; k < contacts.size(); ++k)
    for (int i = turningRowCount(contacts[k]); i > 0; --i, ++row)
      impulse[problem.intervals[row].row] = problem.intervals[row].jacobianB.tail<3>().dot(contact_[k]);
}

void WarmStart::storeTurning(std::span<const Contact> contacts, std::span<const Pose> poses,
                             const DualProblem& problem, const std::vector<double>& impulse) {
  contact_.assign(contacts.size(), Vec3::Zero());
  std::size_t row = problem.intervals.size() - static_cast<std::size_t>(turningRowCount(contacts));
  for (std::size_t k = 0; k < contacts.size(); ++k)
    for (int i = turningRowCount(contacts[k]); i > 0; --i, ++row)
      contact_[k] += impulse[problem.intervals[row].row] * problem.intervals[row].jacobianB.tail<3>();
  turningCache_.store(contacts, poses, contact_);
}

void WarmStart::archive(Archive& archive, Solution& solution) {
  archive.sameSize(interval_);
  archive.sameSize(further_);
  archive(cache_, turningCache_, jointRows_);
  std::vector<double> bilateral;
  if (!solution.impulse.empty())
    bilateral.assign(solution.impulse.begin(), solution.impulse.begin() + jointRows_);
  archive(bilateral);
  if (!archive.restores()) return;
  if (!bilateral.empty() && bilateral.size() != static_cast<std::size_t>(jointRows_))
    throw InputError("the saved impulses do not fit (they are of another model, or damaged)");
  solution.impulse = std::move(bilateral);
}

}  // namespace grashof
