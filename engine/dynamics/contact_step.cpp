#include "engine/dynamics/contact_step.h"

#include <algorithm>
#include <utility>

namespace grashof {
namespace {

constexpr double kTurnedAside = 2e-5;  // m: what a step may lead elsewhere than foreseen

}  // namespace

ContactStep::ContactStep(const Model& model)
    : model_(model), free_(model.bodies.size(), 1), after_(model.bodies.size()) {
  soft_ = std::any_of(model.surfaceTable.begin(), model.surfaceTable.end(),
                      [](const SurfacePair& pair) { return pair.softness.soft() || pair.law.yields(); });
  for (const Joint& joint : model.joints)
    for (const int body : {joint.base, joint.follower})
      if (body >= 0) free_[static_cast<std::size_t>(body)] = 0;
}

const StepMotion& ContactStep::foresee(const StepContext& step, const State& start,
                                       std::span<const Pose> poses, std::span<const Vec6> twists) {
  for (std::size_t b = 0; b < twists.size(); ++b) {
    after_[b] = twists[b];
    if (free_[b]) after_[b].head<3>() += step.timestep * model_.gravity;
  }
  twistStart_ = start.twists;
  trapezoidal_ = step.trapezoidal;
  // A stiff spring that is first seen when it is pressed gives what nobody put into it.
  const double ahead = soft_ ? step.timeToRows() : 0.0;
  motion_ = {start.poses, poses, twists, after_, step.timeToRows(), step.timeToEnd, ahead};
  return motion_;
}

/// Velocity (m/s) of the point of B against that of A with twists at the rows, world axes.
Vec3 ContactStep::relativeVelocity(const Contact& contact, std::span<const Vec6> twists) const {
  Vec3 v = Vec3::Zero();
  if (contact.bodyB >= 0)
    v += pointVelocity(twists[contact.bodyB], contact.armB(motion_.rows[contact.bodyB]));
  if (contact.bodyA >= 0)
    v -= pointVelocity(twists[contact.bodyA], contact.armA(motion_.rows[contact.bodyA]));
  return v;
}

void ContactStep::persist(Contact& contact) const {
  const ContactBefore& before = contact.before;
  const auto offset = [&](int body) -> Vec3 {
    return body < 0 ? Vec3(Vec3::Zero()) : Vec3(motion_.start[body].position - motion_.rows[body].position);
  };
  Contact atStart = contact;
  atStart.point = before.point;
  atStart.frame = before.frame;
  atStart.gap = before.gap;
  atStart.offsetA = offset(contact.bodyA);
  atStart.offsetB = offset(contact.bodyB);
  const Vec3 velocity = before.frame.transpose() * relativeVelocity(atStart, twistStart_);
  if (velocity[2] < -model_.step.restitutionThreshold) {
    contact = atStart;
    contact.before.known = false;
    contact.meeting = 0.0;
  } else if (trapezoidal_) {
    contact.turning = contact.frame.transpose() * relativeVelocity(contact, motion_.before) - velocity;
  } else {
    contact.before.known = false;
  }
}

/// Makes a meeting the gap that it leaves at the rows.
void ContactStep::toGap(Contact& contact) const {
  const std::span<const Vec6> twists = contact.meeting < motion_.toRows ? motion_.before : motion_.after;
  contact.gap +=
      (motion_.toRows - contact.meeting) * contact.frame.col(2).dot(relativeVelocity(contact, twists));
  contact.meeting = -1.0;
}

const StepMotion* ContactStep::look(std::span<const Vec6> twistAfter) {
  double most = 0.0;
  for (std::size_t b = 0; b < after_.size(); ++b)
    most = std::max(most, (twistAfter[b] - after_[b]).lpNorm<Eigen::Infinity>());
  if (!(most * (motion_.toRows + motion_.toEnd) > kTurnedAside)) return nullptr;
  std::copy(twistAfter.begin(), twistAfter.end(), after_.begin());
  return &motion_;
}

bool ContactStep::addSeen(std::span<const Contact> seen, std::vector<Contact>& contacts) const {
  const auto before = [](const Contact& a, const Contact& b) {
    return std::pair(a.shapeA, a.shapeB) < std::pair(b.shapeA, b.shapeB);
  };
  const std::size_t known = contacts.size();
  for (const Contact& contact : seen) {
    if (!contact.meets() || contact.restitution > 0.0 || contact.soft()) continue;
    const auto end = contacts.begin() + static_cast<std::ptrdiff_t>(known);
    if (std::binary_search(contacts.begin(), end, contact, before)) continue;
    contacts.push_back(contact);
    toGap(contacts.back());
  }
  const bool some = contacts.size() > known;
  std::stable_sort(contacts.begin(), contacts.end(), before);
  return some;
}

void ContactStep::complete(std::vector<Contact>& contacts) const {
  const double end = motion_.toRows + motion_.toEnd;
  std::erase_if(contacts, [&](const Contact& contact) { return contact.meeting > end && !contact.soft(); });
  for (Contact& contact : contacts) {
    if (contact.ofJoint() || contact.ofPatch()) continue;
    // A blow on a mechanism moves all of it: what it does to the way of one body alone is not known here.
    const auto held = [&](int body) { return body >= 0 && !free_[static_cast<std::size_t>(body)]; };
    if (contact.soft() || held(contact.bodyA) || held(contact.bodyB)) {
      contact.before.known = false;
      if (contact.meets()) toGap(contact);
      continue;
    }
    if (contact.before.known) persist(contact);
    if (contact.meets())
      contact.gain = relativeVelocity(contact, motion_.after) - relativeVelocity(contact, motion_.before);
  }
}

double gapAtEnd(const Contact& contact, const StepContext& step, double margin, double before, double after) {
  const double gap = contact.gapWith(margin);
  if (contact.meets()) return gap + (step.timestep - contact.meeting) * after;
  if (!contact.before.known) return gap + step.timeToEnd * after;
  return gap + step.timeToRows() * (before - contact.turning[2]) +
         step.timeToEnd * (after + contact.turning[2]);
}

double displaceByMeetings(const Model& model, const StepRecord& record, std::span<const Contact> contacts,
                          std::span<Pose> poses) {
  const DualProblem& problem = record.problem;
  double energy = 0.0;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    if (!contacts[k].meets()) continue;
    const ContactBlock& block = problem.contacts[k];
    const Vec3 impulse(&record.solution.impulse[static_cast<std::size_t>(block.row)]);
    if (impulse.isZero(0.0)) continue;
    // It acts for the rest of the step; the rule has let it act from the rows to the end.
    const double time = record.step.timestep - contacts[k].meeting - record.step.timeToEnd;
    const auto move = [&](int body, const Mat36& jacobian) {
      if (body < 0) return;
      const auto b = static_cast<std::size_t>(body);
      const Vec6 change = problem.inertia[b].solve(jacobian.transpose() * impulse);
      poses[b] = movePose(poses[b], change, time);
      energy -= time * model.bodies[b].mass * model.gravity.dot(change.head<3>());
    };
    move(block.bodyA, block.jacobianA);
    move(block.bodyB, block.jacobianB);
  }
  return energy;
}

}  // namespace grashof
