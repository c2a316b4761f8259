#include "engine/dynamics/step/contact_step.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/dynamics/rows/contact_rows.h"
#include "engine/dynamics/rows/free_motion.h"
#include "solvers/solver.h"

namespace grashof {
namespace {

constexpr double kTurnedAside = 2e-5;  // m: what a step may lead elsewhere than foreseen
constexpr double kTogether = 1e-6;     // of a step: meetings that are no further apart are one blow
constexpr double kSameNormal = 0.999;  // cosine
constexpr double kSameGap = 1e-6;      // m, and
constexpr double kSameWay = 0.05;      // of a way: what the turning of bodies may change on it
constexpr double kLeaves = 1e-6;       // m/s: what leaves faster has bounced
constexpr double kTooFast = 5.0;  // half thicknesses a step: the rows do not tell what happens after them

bool rigidPair(const Contact& contact) { return !contact.ofJoint() && !contact.ofPatch() && !contact.soft(); }

/// Velocity of B against A where the contact is at the start of the step, along its frame then.
Vec3 slipBefore(const Contact& contact, std::span<const Pose> start, std::span<const Vec6> twists) {
  const ContactBefore& before = contact.before;
  Vec3 v = Vec3::Zero();
  const auto add = [&](int body, double sign) {
    if (body >= 0) v += sign * pointVelocity(twists[body], before.point - start[body].position);
  };
  add(contact.bodyB, 1.0);
  add(contact.bodyA, -1.0);
  return before.frame.transpose() * v;
}

/// How many contacts from number `first` on are of the same two shapes.
std::size_t pairAt(std::span<const Contact> contacts, std::size_t first) {
  std::size_t end = first + 1;
  while (end < contacts.size() && contacts[end].shapeA == contacts[first].shapeA &&
         contacts[end].shapeB == contacts[first].shapeB)
    ++end;
  return end - first;
}

/// Whether all contacts of a pair are of one meeting.
bool oneMeeting(std::span<const Contact> pair) {
  return std::all_of(pair.begin(), pair.end(), [&](const Contact& contact) {
    return contact.meets() && contact.meeting == pair[0].meeting;
  });
}

/// Whether no contact of the same meeting of a pair is nearer, or as near and before it.
bool nearestOfMeeting(const Contact& contact, std::span<const Contact> pair) {
  if (!contact.meets()) return false;
  for (const Contact& other : pair)
    if (other.meeting == contact.meeting &&
        (other.gap < contact.gap || (other.gap == contact.gap && &other < &contact)))
      return false;
  return true;
}

/// The middle of a body of a meeting, or of its shape where the body goes far beyond that, as a contact
/// without friction. A blow turns a body that is fast and
/// struck at a corner into the other one within the step; its middle at least must stay before the surface.
Contact middleOf(const Contact& meeting, bool ofA, const Model& model, const StepMotion& motion) {
  const int body = ofA ? meeting.bodyA : meeting.bodyB;
  const Shape& shape = model.shapes[static_cast<std::size_t>(ofA ? meeting.shapeA : meeting.shapeB)];
  const Pose& rows = motion.rows[static_cast<std::size_t>(body)];
  const Vec3 arm = ofA ? meeting.armA(rows) : meeting.armB(rows);
  const bool far = shape.pose.position.squaredNorm() > arm.squaredNorm();
  const Vec3 middle =
      (far ? rows * shape.pose.position : rows.position) + (ofA ? meeting.offsetA : meeting.offsetB);
  const Vec3 outward = (ofA ? -1.0 : 1.0) * meeting.frame.col(2);
  Contact contact = meeting;
  contact.gap = outward.dot(middle - meeting.point) + 0.5 * meeting.gap;
  contact.point = middle - contact.gap * outward;
  contact.friction = contact.restitution = contact.rolling = contact.torsion = 0.0;
  contact.surfaceVelocity.setZero();
  return contact;
}

}  // namespace

void setTurning(std::span<const Pose> start, std::span<const Vec6> twistStart, std::span<const Pose> rows,
                std::span<const Vec6> twistRows, Contact& contact) {
  contact.before.frame = alignedFrame(contact.before.frame, contact.frame);
  contact.turning = contact.frame.transpose() * slipVelocity(contact, rows, twistRows) -
                    slipBefore(contact, start, twistStart);
}

ContactStep::ContactStep(const Model& model)
    : model_(model),
      held_(model.bodies.size(), 0),
      first_(model.bodies.size()),
      before_(model.bodies.size()),
      after_(model.bodies.size()) {
  const ContactModel solved = findSolver(model.solver.name).model;
  // Meetings are of the surfaces; contacts with a margin act before or behind.
  follows_ = model.step.integrator != Integrator::Euler && model.stabilization.margin == 0.0 &&
             (solved == ContactModel::Ncp || solved == ContactModel::Pyramid);
  for (const SurfacePair& pair : model.surfaceTable) ahead_ = std::max(ahead_, pair.law.relaxationTime);
  for (const Joint& joint : model.joints)
    for (const int body : {joint.base, joint.follower})
      if (body >= 0) held_[static_cast<std::size_t>(body)] = 1;
}

const StepMotion& ContactStep::foresee(const StepContext& step, const State& start,
                                       std::span<const Pose> poses, std::span<const Vec6> twists,
                                       std::span<const Vec6> wrench) {
  for (std::size_t b = 0; b < twists.size(); ++b) {
    before_[b] = after_[b] = twists[b];
    if (held_[b]) continue;
    after_[b].head<3>() += step.timestep * model_.gravity;
    if (!wrench[b].isZero(0.0))
      after_[b] += step.timestep * inertiaOf(model_.bodies[b], poses[b]).solve(wrench[b]);
  }
  twistStart_ = start.twists;
  trapezoidal_ = step.trapezoidal;
  // What is a gap at the rows must be seen before it is crossed there: a stiff spring that is first seen when
  // it is pressed gives what nobody put into it.
  motion_ = {
      start.poses, poses, before_, after_, step.timeToRows(), step.timeToEnd, step.timeToRows() + ahead_,
      held_};
  return motion_;
}

Vec3 ContactStep::relativeVelocity(const Contact& contact, std::span<const Vec6> twists) const {
  return slipVelocity(contact, motion_.rows, twists);
}

/// A contact as it was at the start of the step.
Contact ContactStep::atStart(const Contact& contact) const {
  const auto offset = [&](int body) -> Vec3 {
    return body < 0 ? Vec3(Vec3::Zero()) : Vec3(motion_.start[body].position - motion_.rows[body].position);
  };
  Contact then = contact;
  then.point = contact.before.point;
  then.frame = contact.before.frame;
  then.gap = contact.before.gap;
  then.offsetA = offset(contact.bodyA);
  then.offsetB = offset(contact.bodyB);
  then.before = {};
  return then;
}

/// Sets Contact::turning of a contact that persists, or marks it as one that meets at once.
void ContactStep::persist(Contact& contact) const {
  const Vec3 atStart = slipBefore(contact, motion_.start, twistStart_);
  if (atStart[2] < -model_.step.restitutionThreshold)
    contact.meeting = 0.0;
  else if (trapezoidal_)
    setTurning(motion_.start, twistStart_, motion_.rows, motion_.before, contact);
  else
    contact.before = {};
}

/// What joints hold, what touches something, and what two blows of different times act on is busy: the way of
/// such a body after a blow is not that of the blow alone.
void ContactStep::findBusy(std::span<const Contact> contacts) {
  busy_ = held_;
  std::fill(first_.begin(), first_.end(), -1.0);
  const double together = kTogether * (motion_.toRows + motion_.toEnd);
  for (const Contact& contact : contacts)
    for (const int body : {contact.bodyA, contact.bodyB}) {
      if (body < 0) continue;
      const auto b = static_cast<std::size_t>(body);
      if (contact.meeting > motion_.toRows + motion_.toEnd) continue;
      if (contact.meets() && first_[b] < 0.0) first_[b] = contact.meeting;
      if (!contact.meets() || std::abs(first_[b] - contact.meeting) > together) busy_[b] = 1;
    }
}

/// Way (m) along the normal from a meeting to the rows; negative where the surfaces come nearer on it.
double ContactStep::wayToRows(const Contact& contact) const {
  const std::span<const Vec6> twists = contact.meeting < motion_.toRows ? motion_.before : motion_.after;
  return (motion_.toRows - contact.meeting) * contact.frame.col(2).dot(relativeVelocity(contact, twists));
}

/// Completes a meeting.
void ContactStep::meet(Contact& contact) const {
  if (contact.before.known) contact = atStart(contact);
  contact.gain = relativeVelocity(contact, motion_.after) - relativeVelocity(contact, motion_.before);
  contact.gapAtRows = contact.gap + wayToRows(contact);
}

/// Makes a meeting the gap that it leaves at the rows, where its bodies stand then.
void ContactStep::toGap(Contact& contact) const {
  if (!contact.before.known) {
    contact.gap += wayToRows(contact);
    const double moving = (contact.bodyA >= 0 ? 1.0 : 0.0) + (contact.bodyB >= 0 ? 1.0 : 0.0);
    contact.point -= (contact.offsetA + contact.offsetB) / moving;
    contact.offsetA = contact.offsetB = Vec3::Zero();
  }
  contact.before = {};
  contact.meeting = -1.0;
}

void ContactStep::complete(std::vector<Contact>& contacts, CollisionWorld& world) {
  for (Contact& contact : contacts) {
    const auto held = [&](int body) { return body >= 0 && held_[static_cast<std::size_t>(body)]; };
    if (!rigidPair(contact) || held(contact.bodyA) || held(contact.bodyB))
      contact.before = {};
    else if (contact.before.known)
      persist(contact);
  }
  leap_ = {};
  findBusy(contacts);
  const auto busy = [&](int body) { return body >= 0 && busy_[static_cast<std::size_t>(body)]; };
  done_.clear();
  for (std::size_t k = 0; k < contacts.size();) {
    const auto pair = std::span(contacts).subspan(k, pairAt(contacts, k));
    k += pair.size();
    const double leap = leapOf(pair, world);
    const bool fast = leap > 1.0 && rigidPair(pair[0]);
    bool gap = !rigidPair(pair[0]) || busy(pair[0].bodyA) || busy(pair[0].bodyB);
    // One that touches at the start has its contacts at the rows already.
    const bool swept = oneMeeting(pair) && !pair[0].before.known;
    if (gap && swept && !(leap > kTooFast) && takeAtRows(pair, world)) continue;
    gap = gap && !fast;
    for (Contact& contact : pair)
      if (contact.meets()) gap ? toGap(contact) : meet(contact);
    for (const Contact& contact : pair) {
      if (!gap && contact.meeting > motion_.toRows + motion_.toEnd) continue;
      done_.push_back(contact);
      if (fast && nearestOfMeeting(contact, pair)) addMiddles(contact);
    }
  }
  contacts.swap(done_);
}

/// Adds the middles of the bodies of a meeting, as far as they are before the surface.
void ContactStep::addMiddles(const Contact& meeting) {
  for (const bool ofA : {true, false}) {
    if ((ofA ? meeting.bodyA : meeting.bodyB) < 0) continue;
    done_.push_back(middleOf(meeting, ofA, model_, motion_));
    meet(done_.back());
    if (!(done_.back().gap > 0.0)) done_.pop_back();
  }
}

/// How far shapes that meet go in a step, in units of half the thickness of the thinner one. Beyond one they
/// may be through each other a step after they have met: where the rows have them, they do not face each
/// other as they do when they meet.
double ContactStep::leapOf(std::span<const Contact> pair, const CollisionWorld& world) {
  if (std::none_of(pair.begin(), pair.end(), [](const Contact& contact) { return contact.meets(); }))
    return 0.0;
  const double thin = std::min(world.halfThickness(pair[0].shapeA), world.halfThickness(pair[0].shapeB));
  double most = 0.0;
  for (const Contact& contact : pair) {
    if (!contact.meets()) continue;
    const std::span<const Vec6> twists = contact.meeting < motion_.toRows ? motion_.before : motion_.after;
    const Vec3 n = contact.frame.col(2);
    const auto spinOf = [&](int body, const auto& armOf) {
      return body < 0 ? 0.0 : twists[body].tail<3>().cross(n).norm() * armOf(motion_.rows[body]).norm();
    };
    const double spinA = spinOf(contact.bodyA, [&](const Pose& pose) { return contact.armA(pose); });
    const double spinB = spinOf(contact.bodyB, [&](const Pose& pose) { return contact.armB(pose); });
    const double speed = std::abs(n.dot(relativeVelocity(contact, twists))) + spinA + spinB;
    const double ratio = (motion_.toRows + motion_.toEnd) * speed / thin;
    most = std::max(most, ratio);
    if (!(ratio > leap_.ratio)) continue;
    const auto speedOf = [&](int body, double spin) {
      return body < 0 ? -1.0 : std::abs(n.dot(twists[body].head<3>())) + spin;
    };
    leap_ = {ratio,
             speedOf(contact.bodyA, spinA) > speedOf(contact.bodyB, spinB) ? contact.bodyA : contact.bodyB};
  }
  return most;
}

/// Adds the contacts of a pair where the rows have it, if they are those of its meeting: the same normal, as
/// far apart as its way says.
bool ContactStep::takeAtRows(std::span<const Contact> pair, CollisionWorld& world) {
  double gap = std::numeric_limits<double>::infinity();
  for (const Contact& contact : pair) gap = std::min(gap, contact.gap + wayToRows(contact));
  world.detectPair(motion_.rows, model_.step.contactMargin + std::abs(gap), pair[0].shapeA, pair[0].shapeB,
                   atRows_);
  double found = std::numeric_limits<double>::infinity();
  for (const Contact& contact : atRows_) {
    found = std::min(found, contact.gap);
    if (contact.frame.col(2).dot(pair[0].frame.col(2)) < kSameNormal) return false;
  }
  if (!(std::abs(found - gap) <= kSameGap + kSameWay * std::abs(gap))) return false;
  assignSurfaces(model_, motion_.rows, motion_.before, atRows_);
  done_.insert(done_.end(), atRows_.begin(), atRows_.end());
  return true;
}

const StepMotion* ContactStep::look(std::span<const Vec6> twistAfter) {
  double aside = 0.0, moves = 0.0;
  for (std::size_t b = 0; b < after_.size(); ++b) {
    aside = std::max(aside, (twistAfter[b] - after_[b]).lpNorm<Eigen::Infinity>());
    moves = std::max(moves, twistAfter[b].lpNorm<Eigen::Infinity>());
  }
  if (!(std::min(aside, moves) * (motion_.toRows + motion_.toEnd) > kTurnedAside)) return nullptr;
  std::copy(twistAfter.begin(), twistAfter.end(), after_.begin());
  return &motion_;
}

bool ContactStep::addSeen(std::span<const Contact> seen, CollisionWorld& world,
                          std::vector<Contact>& contacts) {
  const auto before = [](const Contact& a, const Contact& b) {
    return std::pair(a.shapeA, a.shapeB) < std::pair(b.shapeA, b.shapeB);
  };
  const auto inStep = [&](const Contact& contact) {
    return contact.meets() && contact.meeting <= motion_.toRows + motion_.toEnd;
  };
  done_.clear();
  for (std::size_t k = 0; k < seen.size();) {
    const auto pair = seen.subspan(k, pairAt(seen, k));
    k += pair.size();
    const Contact& first = pair[0];
    leapOf(pair, world);
    if (first.restitution > 0.0 || !rigidPair(first)) continue;
    if (std::none_of(pair.begin(), pair.end(), inStep)) continue;
    const bool known = std::binary_search(contacts.begin(), contacts.end(), first, before);
    if (!known && oneMeeting(pair) && takeAtRows(pair, world)) continue;
    for (const Contact& contact : pair) {
      if (!inStep(contact)) continue;
      done_.push_back(contact);
      toGap(done_.back());
    }
  }
  // Into their places, by insertion: they are few, and std::stable_sort would allocate.
  for (const Contact& contact : done_)
    contacts.insert(std::upper_bound(contacts.begin(), contacts.end(), contact, before), contact);
  return !done_.empty();
}

double gapAtEnd(const Contact& contact, const StepContext& step, double margin, double before, double after) {
  const double gap = contact.gapWith(margin);
  if (contact.meets()) return gap + (step.timestep - contact.meeting) * after;
  if (!contact.before.known) return gap + step.timeToEnd * after;
  return gap + step.timeToRows() * (before - contact.turning[2]) +
         step.timeToEnd * (after + contact.turning[2]);
}

double displaceByMeetings(const Model& model, const StepRecord& record, std::span<const Contact> contacts,
                          std::span<Vec6> way, std::span<Pose> poses) {
  const DualProblem& problem = record.problem;
  // Added up first: turns of single contacts are large, and cancel.
  std::fill(way.begin(), way.end(), Vec6::Zero());
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    if (!contacts[k].meets()) continue;
    const ContactBlock& block = problem.contacts[k];
    const Vec3 impulse(&record.solution.impulse[static_cast<std::size_t>(block.row)]);
    if (impulse.isZero(0.0)) continue;
    // It acts for the rest of the step; the rule has let it act from the rows to the end. What rests after it
    // stays where it met.
    const double after = block.velocity(record.solution.twist)[2];
    const double change = after - block.velocity(problem.freeTwist)[2];
    const double time = after > kLeaves || !(change > 0.0)
                            ? record.step.timeToRows() - contacts[k].meeting
                            : (contacts[k].gap - contacts[k].gapAtRows) / change;
    const auto add = [&](int body, const Mat36& jacobian) {
      if (body < 0) return;
      const auto b = static_cast<std::size_t>(body);
      way[b] += time * problem.inertia[b].solve(jacobian.transpose() * impulse);
    };
    add(block.bodyA, block.jacobianA);
    add(block.bodyB, block.jacobianB);
  }
  double energy = 0.0;
  for (std::size_t b = 0; b < poses.size(); ++b) {
    if (way[b].isZero(0.0)) continue;
    poses[b] = movePose(poses[b], way[b], 1.0);
    energy -= model.bodies[b].mass * model.gravity.dot(way[b].head<3>());
  }
  return energy;
}

}  // namespace grashof
