// The slopes of StepRows by contacts: differences of the rows of one pair of shapes after another.

#include "engine/dynamics/derivative/step_rows.h"
#include "engine/dynamics/rows/contact_rows.h"
#include "engine/dynamics/rows/free_motion.h"

namespace grashof {
namespace {

/// Whether rows of this contact depend on twists before the step.
bool readsTwists(const Model& model, const Contact& contact) {
  if (contact.restitution > 0.0 || contact.soft() || contact.before.known) return true;
  const auto material = [&](int shape) { return model.shapes[static_cast<std::size_t>(shape)].material; };
  return model.surface(material(contact.shapeA), material(contact.shapeB)).staticRatio > 1.0;
}

}  // namespace

void StepRows::addContactSlopes() {
  const std::size_t count = contacts_.chosen().size();
  if (count == 0) return;
  movedPoses_ = poses_;
  movedTwists_ = before_;
  pairWork_.inertia = problem_.inertia;
  for (std::size_t first = 0; first < count;) {
    const std::size_t pair = contacts_.samePair(first);
    addPairSlopes(first, pair);
    first += pair;
  }
}

/// [-Jᵀ λ on body A; the same on B; rows of the contacts] at movedPoses_ and movedTwists_.
void StepRows::pairResidual(std::size_t first, std::size_t count, bool moved, VecX& r) {
  const std::span<const Contact> contacts = contacts_.pairAt(first, count, movedPoses_, movedTwists_, moved);
  pairWork_.clearRows();
  for (const int b : {contacts[0].bodyA, contacts[0].bodyB})
    if (b >= 0 && moved && contacts[0].soft()) {
      const auto body = static_cast<std::size_t>(b);
      pairWork_.inertia[body] = inertiaOf(model_->bodies[body], movedPoses_[body]);
    }
  assembleContactRows(*model_, contacts, movedPoses_, movedTwists_, step_.timestep, pairWork_);
  r.setZero(12 + 3 * static_cast<Eigen::Index>(count));
  for (std::size_t k = 0; k < count; ++k) {
    ContactBlock& block = pairWork_.contacts[k];
    const GapBranch& branch = contactBranch_[first + k];
    if (branch.row >= 0) stayOnBranch(branch, contacts[k], block, pairWork_);
    const auto row = static_cast<std::size_t>(block.row);
    const Vec3 impulse(&impulse_[static_cast<std::size_t>(problem_.contacts[first + k].row)]);
    const Vec3 velocity = block.velocity(after_) + Vec3(&pairWork_.bias[row]) +
                          Vec3(&pairWork_.compliance[row]).cwiseProduct(impulse);
    if (block.bodyA >= 0) r.head<6>() -= block.jacobianA.transpose() * impulse;
    if (block.bodyB >= 0) r.segment<6>(6) -= block.jacobianB.transpose() * impulse;
    r.segment<3>(12 + 3 * static_cast<Eigen::Index>(k)) =
        mode_.contactResidual(first + k, velocity, block.friction);
  }
}

/// By the poses, and where they matter by the twists, of both bodies of a pair of shapes.
void StepRows::addPairSlopes(std::size_t first, std::size_t count) {
  const Contact& contact = contacts_.chosen()[first];
  const Eigen::Index twists = 6 * static_cast<Eigen::Index>(poses_.size());
  const auto contactRow = [&](std::size_t k) { return twists + problem_.contacts[first + k].row; };
  Eigen::Matrix<double, Eigen::Dynamic, 6> slope(12 + 3 * static_cast<Eigen::Index>(count), 6);
  const auto place = [&](Eigen::Index column, bool wrenches) {
    if (wrenches && contact.bodyA >= 0) slope_.add(6 * contact.bodyA, column, 6, slope.topRows<6>());
    if (wrenches && contact.bodyB >= 0) slope_.add(6 * contact.bodyB, column, 6, slope.middleRows<6>(6));
    for (std::size_t k = 0; k < count; ++k) {
      Mat6 rows = Mat6::Zero();
      rows.topRows<3>() = slope.middleRows<3>(12 + 3 * static_cast<Eigen::Index>(k));
      slope_.add(contactRow(k), column, 3, rows);
    }
  };
  for (const int b : {contact.bodyA, contact.bodyB}) {
    if (b < 0) continue;
    const auto body = static_cast<std::size_t>(b);
    for (int k = 0; k < 6; ++k) {
      for (const double sign : {1.0, -1.0}) {
        movedPoses_[body] = movePose(poses_[body], sign * kSlopeStep * Vec6::Unit(k), 1.0);
        pairResidual(first, count, true, sign > 0.0 ? pairMore_ : pairLess_);
      }
      slope.col(k) = (pairMore_ - pairLess_) / (2.0 * kSlopeStep);
    }
    movedPoses_[body] = poses_[body];
    pairWork_.inertia[body] = problem_.inertia[body];
    place(6 * b, true);
    if (!readsTwists(*model_, contact)) continue;
    for (int k = 0; k < 6; ++k) {
      for (const double sign : {1.0, -1.0}) {
        movedTwists_[body] = before_[body] + sign * kSlopeStep * Vec6::Unit(k);
        pairResidual(first, count, false, sign > 0.0 ? pairMore_ : pairLess_);
      }
      slope.col(k) = (pairMore_ - pairLess_) / (2.0 * kSlopeStep);
    }
    movedTwists_[body] = before_[body];
    place(twists + 6 * b, false);
  }
}

}  // namespace grashof
