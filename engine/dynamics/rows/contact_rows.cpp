#include "engine/dynamics/rows/contact_rows.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/dynamics/rows/gap_bias.h"
#include "engine/dynamics/rows/row_blocks.h"

namespace grashof {
namespace {

/// Velocity of the material point p of a body, in the axes of `frame`: frameᵀ [I, -[p - r]×].
Mat36 pointJacobian(const Mat3& frame, const Vec3& arm) {
  Mat36 j;
  j.leftCols<3>() = frame.transpose();
  for (int k = 0; k < 3; ++k) j.row(k).tail<3>() = arm.cross(Vec3(frame.col(k))).transpose();
  return j;
}

constexpr double kMet = 1e-5;              // m: gap of points that meet together
constexpr double kRolls = 1e-6;            // rad/s: what rolls more slowly has no direction of its own
constexpr double kMaxContactMargin = 1e3;  // m
constexpr double kLeastScale = 1e-4;       // of friction in one direction: rows of a cone do not vanish

/// A direction of a shape in the world.
Vec3 inWorld(const Shape& shape, std::span<const Pose> poses, const Vec3& direction) {
  const Vec3 inBody = shape.pose.rotation * direction;
  return shape.body >= 0 ? Vec3(poses[shape.body].rotation * inBody) : inBody;
}

/// Turns the frame of a contact to the friction direction of one of its shapes, and sets the scales.
void setDirection(const Shape& a, const Shape& b, std::span<const Pose> poses, const SurfacePair& pair,
                  Contact& contact) {
  const Shape& shape = a.frictionDirection.isZero(0.0) ? b : a;
  Vec3 along = inWorld(shape, poses, shape.frictionDirection);
  const Vec3 normal = contact.frame.col(2);
  const double size = along.norm();
  along -= along.dot(normal) * normal;
  if (!(along.norm() > 1e-6 * size)) return;  // none, or along the normal
  contact.frame.col(0) = along.normalized();
  contact.frame.col(1) = normal.cross(contact.frame.col(0));
  const double most = std::max(pair.friction, pair.across());
  if (most == 0.0) return;
  contact.friction = most;
  contact.tangentScale = Vec2(pair.friction, pair.across()).cwiseMax(kLeastScale * most) / most;
}

/// Radius (m) of a sphere on a plane that is curved as a contact is: 1/R = 1/R_A + 1/R_B of shapes that are
/// round there, else of the edges of their materials.
double curvatureRadius(const Contact& contact, const Shape& a, const Shape& b, std::span<const Pose> poses,
                       const Model& model) {
  double curvature = 0.0, edges = 0.0;
  for (const auto& [shape, sign] : {std::pair<const Shape&, double>(a, 1.0), {b, -1.0}}) {
    const Vec3 normal = sign * contact.frame.col(2);
    const Vec3 inBody = shape.body >= 0 ? Vec3(poses[shape.body].rotation.conjugate() * normal) : normal;
    curvature += 1.0 / curvatureRadius(shape, shape.pose.rotation.conjugate() * inBody);
    const double edge = model.materials[static_cast<std::size_t>(shape.material)].surface.law.edgeRadius;
    if (edge > 0.0 && hasEdges(shape)) edges += 1.0 / edge;
  }
  return 1.0 / (curvature > 0.0 ? curvature : edges);
}

/// What a rigid contact leaves at the end of the step: its velocity in the frame by restitution, m/s; zero
/// where it does not bounce. A blow acts at the meeting, where forces have given a part of what they give;
/// after it they give the rest. `before`: v⁻ in the frame of the rows.
Vec3 rigidTarget(const Contact& contact, double gap, const Vec3& before, double threshold, double timestep) {
  const Vec3 gain = contact.frame.transpose() * contact.gain;
  const double meeting = contact.meets() ? contact.meeting : 0.0;
  const double share = meeting / timestep;
  const double closing = before[2] + share * gain[2];
  // What has met has met, however late in the step.
  const bool met = contact.meets() && contact.gap <= kMet;
  const bool arrives = met || gap + (timestep - meeting) * closing < 0.0;
  if (!(contact.restitution > 0.0) || !(closing < -threshold) || !arrives) return Vec3::Zero();
  const double leaving = (1.0 - share) * gain[2] - contact.restitution * closing;
  // What comes back within the step rests.
  return leaving > 0.0 ? Vec3((1.0 - share) * gain[0], (1.0 - share) * gain[1], leaving) : Vec3(Vec3::Zero());
}

/// Row of an elastic law, and the law itself where the row is not the whole of it.
SoftRow elasticRow(const ElasticContact& law, double gap, double timestep, ContactBlock& block,
                   DualProblem& problem) {
  if (law.linear()) {
    const double time = timestep + law.relaxationTime;
    return {gap / time, 1.0 / (law.stiffness * timestep * time)};
  }
  block.law = static_cast<int>(problem.laws.size());
  problem.laws.push_back({law.stiffness, law.exponent, law.huntCrossley, gap, timestep});
  return {-problem.laws.back().breakaway(), 0.0};
}

/// Springs of the tangents: they hold the friction of the last step, v⁺ + (λ - λ⁻)/(Δt² k) = slip.
void addTangentSprings(const Contact& contact, double timestep, std::array<SoftRow, 3>& rows) {
  const double compliance = 1.0 / (contact.elastic.tangentialStiffness * timestep * timestep);
  const Vec3 before = contact.toRows(contact.frame.transpose() * contact.impulseBefore);
  for (int r = 0; r < 2; ++r) {
    rows[r].bias -= compliance * before[r];
    rows[r].compliance = compliance;
  }
}

/// Rows of the tangents of an impedance, which have no residual: it damps them. The directions of a round
/// cone are arbitrary, so both count one inertia, the mean of theirs, which no turn of them changes; friction
/// in one direction stretches a row, and its inertia with it. `slip`: rates of the rows before the step, m/s;
/// `delassus`: their D_ii.
void dampTangents(const Contact& contact, double gap, const Vec2& slip, const Vec2& delassus, double timestep,
                  std::array<SoftRow, 3>& rows) {
  Softness damper = contact.softness;
  damper.impedance0 = impedanceAt(contact.softness, gap);  // d is that of the contact
  const Vec2 stretch = contact.tangentScale.cwiseProduct(contact.tangentScale);
  const double mean = 0.5 * delassus.cwiseQuotient(stretch).sum();
  for (int r = 0; r < 2; ++r) {
    rows[r] = softRow(damper, 0.0, slip[r], mean * stretch[r], timestep);
    rows[r].compliance /= damper.impedanceRatio;
  }
}

/// The relative angular velocity of B against A.
Vec3 relativeSpin(const Contact& contact, std::span<const Vec6> twists) {
  Vec3 spin = Vec3::Zero();
  if (contact.bodyB >= 0) spin += twists[contact.bodyB].tail<3>();
  if (contact.bodyA >= 0) spin -= twists[contact.bodyA].tail<3>();
  return spin;
}

/// One row of friction against turning about `axis`, with the normal impulse of a contact as its load, whose
/// row comes later.
void addTurningRow(const Contact& contact, const Vec3& axis, double coefficient, DualProblem& problem) {
  JointRow row;
  row.base << Vec3::Zero(), -axis;
  row.follower << Vec3::Zero(), axis;
  int base = contact.bodyA, follower = contact.bodyB;
  if (follower < 0) {
    std::swap(base, follower);
    std::swap(row.base, row.follower);
  }
  addIntervalRow(base, follower, row, 1.0, 0.0, 0.0, 0.0, 0.0, problem);
  addSignedLoad(-1, 1.0, coefficient, coefficient, problem);
}

/// Rolling and torsional friction of all contacts.
void addTurningRows(std::span<const Contact> contacts, std::span<const Vec6> twistBefore,
                    DualProblem& problem) {
  const std::size_t first = problem.intervals.size();
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const Contact& contact = contacts[k];
    const Vec3 normal = contact.frame.col(2);
    if (contact.torsion > 0.0) addTurningRow(contact, normal, contact.torsion, problem);
    if (contact.rolling > 0.0) {
      Vec3 axis = relativeSpin(contact, twistBefore);
      axis -= axis.dot(normal) * normal;
      axis = axis.norm() < kRolls ? Vec3(contact.frame.col(0)) : Vec3(axis.normalized());
      addTurningRow(contact, axis, contact.rolling, problem);
      addTurningRow(contact, normal.cross(axis), contact.rolling, problem);
    }
    claimRows({RowKind::Turning, 0, static_cast<std::int32_t>(k)}, problem);
  }
  for (const IntervalRow& interval : std::span(problem.intervals).subspan(first)) {
    const RowOwner& owner = problem.owner[static_cast<std::size_t>(interval.row)];
    problem.boundLoads[static_cast<std::size_t>(interval.firstLoad)].row = problem.contactRow(owner.item) + 2;
  }
}

}  // namespace

Vec3 slipVelocity(const Contact& contact, std::span<const Pose> poses, std::span<const Vec6> twists) {
  Vec3 v = Vec3::Zero();
  if (contact.bodyB >= 0) v += pointVelocity(twists[contact.bodyB], contact.armB(poses[contact.bodyB]));
  if (contact.bodyA >= 0) v -= pointVelocity(twists[contact.bodyA], contact.armA(poses[contact.bodyA]));
  return v;
}

double contactMargin(const StepOptions& options, std::span<const Vec6> twists) {
  double speed = 0.0;
  for (const Vec6& u : twists) speed = std::max(speed, u.head<3>().norm());
  return std::min(options.contactMargin + 2.0 * speed * options.timestep, kMaxContactMargin);
}

void assignSurfaces(const Model& model, std::span<const Pose> poses, std::span<const Vec6> twists,
                    std::span<Contact> contacts) {
  for (Contact& contact : contacts) {
    if (contact.ofJoint()) continue;
    const Shape &a = model.shapes[contact.shapeA], &b = model.shapes[contact.shapeB];
    const SurfacePair& pair = model.surface(a.material, b.material);
    contact.friction = pair.friction;
    contact.restitution = pair.restitution;
    contact.softness = pair.softness;
    if (contact.ofPatch())
      contact.elastic = patchContact(pair.law, contact.area, contact.pressureSlope);
    else if (pair.law.yields() || pair.law.tangentialStiffness > 0.0)
      contact.elastic =
          contactAt(pair.law, pair.law.hertz() ? curvatureRadius(contact, a, b, poses, model) : 0.0);
    contact.elastic.stictionSpeed = pair.law.stictionSpeed;
    contact.rolling = pair.rollingFriction;
    contact.torsion = pair.torsionalFriction;
    contact.surfaceVelocity = inWorld(b, poses, b.surfaceVelocity) - inWorld(a, poses, a.surfaceVelocity);
    if (pair.frictionAcross) setDirection(a, b, poses, pair, contact);
    if (pair.staticRatio > 1.0) {
      Vec3 slip = contact.surfaceVelocity + slipVelocity(contact, poses, twists);
      slip -= slip.dot(contact.frame.col(2)) * contact.frame.col(2);
      contact.friction *= stribeck(pair.staticRatio, pair.stribeckSpeed, slip.norm());
    }
  }
}

void dropOpenImpedances(const Stabilization& stabilization, std::vector<Contact>& contacts) {
  std::erase_if(contacts, [&](const Contact& contact) {
    return contact.softness.kind == Softness::Kind::Impedance && contact.gap + stabilization.margin >= 0.0;
  });
}

void assembleContactRows(const Model& model, std::span<const Contact> contacts, std::span<const Pose> poses,
                         std::span<const Vec6> twistBefore, double timestep, DualProblem& problem) {
  const Stabilization& s = model.stabilization;
  addTurningRows(contacts, twistBefore, problem);
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const Contact& contact = contacts[k];
    ContactBlock block;
    block.row = static_cast<int>(problem.bias.size());
    block.bodyA = contact.bodyA;
    block.bodyB = contact.bodyB;
    block.friction = contact.friction;
    Vec3 before = Vec3::Zero(), delassus = Vec3::Zero();
    const auto attach = [&](int body, double sign, const Vec3& arm, Mat36& jacobian) {
      jacobian = sign * pointJacobian(contact.frame, arm);
      for (int r = 0; r < 2; ++r) jacobian.row(r) *= contact.tangentScale[r];
      before += jacobian * twistBefore[body];
      if (!contact.softness.soft()) return;
      for (int r = 0; r < 3; ++r) delassus[r] += problem.inertia[body].delassus(jacobian.row(r).transpose());
    };
    if (contact.bodyA >= 0) attach(contact.bodyA, -1.0, contact.armA(poses[contact.bodyA]), block.jacobianA);
    if (contact.bodyB >= 0) attach(contact.bodyB, 1.0, contact.armB(poses[contact.bodyB]), block.jacobianB);
    // The surfaces slip by the belt's velocity besides that of the bodies.
    Vec2 belt;
    for (int r = 0; r < 2; ++r)
      belt[r] = contact.tangentScale[r] * contact.surfaceVelocity.dot(contact.frame.col(r));
    const double xi = contact.gapWith(s.margin);
    std::array<SoftRow, 3> rows{};
    rows[2].bias = gapBias(xi, s.gamma, timestep);
    if (contact.elastic.yields()) {
      rows[2] = elasticRow(contact.elastic, xi, timestep, block, problem);
      block.impulseBefore = timestep * contact.elastic.force(xi, before[2]);
    } else if (contact.softness.soft()) {
      rows[2] = softGapRow(contact.softness, xi, before[2], delassus[2], timestep);
      if (contact.softness.kind == Softness::Kind::Impedance)
        dampTangents(contact, xi, before.head<2>() + belt, delassus.head<2>(), timestep, rows);
    } else {
      const Vec3 target = rigidTarget(contact, xi, before, model.step.restitutionThreshold, timestep);
      if (target[2] > 0.0) rows[2].bias = std::min(rows[2].bias, -target[2]);
      rows[2].bias += contact.turning[2];
      for (int r = 0; r < 2; ++r) rows[r].bias = contact.tangentScale[r] * (contact.turning[r] - target[r]);
    }
    for (int r = 0; r < 2; ++r) rows[r].bias += belt[r];
    if (contact.elastic.tangentialStiffness > 0.0) addTangentSprings(contact, timestep, rows);
    if (contact.recalled && !contact.elastic.yields())
      block.impulseBefore = std::max(0.0, contact.frame.col(2).dot(contact.impulseBefore));
    block.stictionSpeed = contact.elastic.stictionSpeed;
    problem.contacts.push_back(block);
    for (const SoftRow& row : rows) {
      problem.bias.push_back(row.bias);
      problem.compliance.push_back(row.compliance);
    }
    claimRows({RowKind::Contact, 0, static_cast<std::int32_t>(k)}, problem);
  }
}

}  // namespace grashof
