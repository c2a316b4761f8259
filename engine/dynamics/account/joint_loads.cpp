#include "engine/dynamics/account/joint_loads.h"

#include <algorithm>
#include <limits>

#include "engine/dynamics/rows/clearance_contacts.h"
#include "engine/dynamics/rows/free_motion.h"
#include "engine/dynamics/rows/load_friction.h"

namespace grashof {
namespace {

constexpr std::size_t at(LoadCause cause) { return static_cast<std::size_t>(cause); }

}  // namespace

std::vector<LoadCause> possibleCauses(const Model& model, int joint) {
  const Joint& j = model.joints[static_cast<std::size_t>(joint)];
  const auto any = [&](auto has) { return std::any_of(j.coordinates.begin(), j.coordinates.end(), has); };
  const auto acts = [&](const Coupling& c) { return c.on(joint); };
  const auto meshes = [&](const ForceElement& f) {
    return f.mesh.kind != Mesh::Kind::None &&
           std::any_of(f.terms.begin(), f.terms.end(), [&](const auto& t) { return t.joint == joint; });
  };
  std::vector<LoadCause> causes;
  if (j.type->numConstraints() > 0 || j.clearance.any()) causes.push_back(LoadCause::Constraint);
  if (any([](const JointCoordinate& c) { return c.actuator.kind != Actuator::Kind::None; }))
    causes.push_back(LoadCause::Drive);
  if (any([](const JointCoordinate& c) { return c.passive.smooth(); })) causes.push_back(LoadCause::Spring);
  const auto loses = [&](const Coupling& c) { return c.friction.any() && c.on(joint); };
  if (any([&](const JointCoordinate& c) { return c.passive.frictional() || model.lossy(c.actuator); }) ||
      std::any_of(model.couplings.begin(), model.couplings.end(), loses))
    causes.push_back(LoadCause::Friction);
  if (any([](const JointCoordinate& c) { return c.limit.bounded(); })) causes.push_back(LoadCause::Limit);
  if (std::any_of(model.couplings.begin(), model.couplings.end(), acts) ||
      std::any_of(model.forces.begin(), model.forces.end(), meshes))
    causes.push_back(LoadCause::Coupling);
  return causes;
}

Vec6 JointWrenches::total() const {
  Vec6 sum = Vec6::Zero();
  for (const LoadCause cause : kLoadCauses) sum += of(cause);
  return sum;
}

void JointWrenches::setZero() {
  for (Vec6& w : atRows) w.setZero();
  for (Vec6& w : atEnd) w.setZero();
}

JointLoads::JointLoads(const Model& model, std::vector<double> compliance)
    : model_(model),
      distribution_(model, std::move(compliance)),
      atRows_(model),
      atEnd_(model),
      joints_(model.joints.size()),
      effort_(static_cast<std::size_t>(model.coordinates())),
      event_(effort_.size()),
      coupling_(model.couplings.size()),
      redundant_(model.joints.size()),
      geometry_(model.joints.size()) {
  clear();
}

void JointLoads::clear() {
  for (JointWrenches& j : joints_) j.setZero();
  for (auto* efforts : {&effort_, &event_})
    for (Efforts& e : *efforts) e.fill(0.0);
  std::fill(coupling_.begin(), coupling_.end(), CouplingEffort{});
  std::fill(redundant_.begin(), redundant_.end(), 0U);
}

void JointLoads::setUnknown() {
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  clear();
  for (JointWrenches& j : joints_)
    for (Vec6& w : j.atRows) w.setConstant(unknown);
  for (std::size_t j = 0; j < model_.joints.size(); ++j)
    for (std::size_t i = 0; i < model_.joints[j].coordinates.size(); ++i) {
      Efforts& e = effort_[model_.coordinateStart[j] + i];
      e.fill(unknown);
      if (model_.joints[j].coordinates[i].actuator.kind == Actuator::Kind::None)
        e[at(LoadCause::Drive)] = 0.0;
    }
  for (CouplingEffort& c : coupling_) c.a = c.b = unknown;
}

void JointLoads::update(const StepRecord& record, std::span<const Control> controls,
                        const Projection& projection, std::span<const JointGeometry> geometry,
                        const State& end) {
  clear();
  if (!record.made) return;
  timestep_ = record.step.timestep;
  mapProjection(record, projection);
  const auto impulse = distribution_.split(record, added_);
  impulse_.assign(impulse.begin(), impulse.end());
  atRows_.setPoses(record.poses);
  atRows_.evaluate(record.coordinates, geometry_);
  addRows(record, controls);
  if (record.step.trapezoidal) {
    atEnd_.setPoses(end.poses);
    addProjection(projection, geometry);
  }
  addMeshes(record);
  if (hyperstatic()) markRedundant(record);
}

/// Teeth and belts act between the wheels, past the joints, which carry what balances them: a change of the
/// joint's own reaction that neither moves anything nor works. Elements act past the joints anyway.
void JointLoads::addMeshes(const StepRecord& record) {
  for (std::size_t k = 0; k < model_.couplings.size(); ++k) {
    const Coupling& c = model_.couplings[k];
    addMesh(c.mesh, {c.jointA, c.coordinateA, 1.0}, {c.jointB, c.coordinateB, -c.ratio}, coupling_[k].a);
  }
  for (std::size_t i = 0; i < model_.forces.size(); ++i) {
    const ForceElement& f = model_.forces[i];
    if (f.mesh.kind == Mesh::Kind::None) continue;
    const double force = record.forces[i].impulse / timestep_;
    addMesh(f.mesh, f.terms[0], f.terms[1], f.terms[0].coefficient * force);
    for (const CoordinateTerm& t : f.terms) {
      const auto j = static_cast<std::size_t>(t.joint);
      const Vec6& row = geometry_[j].coordinateRow[static_cast<std::size_t>(t.coordinate)].follower;
      const Vec3 center = atRows_.placement(j).frames().followerCenter;
      Vec6 wrench = t.coefficient * force * row;
      wrench.tail<3>() += center.cross(Vec3(wrench.head<3>()));
      addLoad(j, LoadCause::Coupling, wrench);
    }
  }
}

/// `effort`: along the coordinate of `a`, N or N·m.
void JointLoads::addMesh(const Mesh& mesh, const CoordinateTerm& a, const CoordinateTerm& b, double effort) {
  if (mesh.kind == Mesh::Kind::None) return;
  const auto ja = static_cast<std::size_t>(a.joint), jb = static_cast<std::size_t>(b.joint);
  const MeshPlace place = meshPlace(model_.joints[ja], a.coordinate, atRows_.placement(ja).frames(),
                                    model_.joints[jb], b.coordinate, atRows_.placement(jb).frames());
  const Vec6 onA = meshWrench(mesh, place.a, place.b, -b.coefficient / a.coefficient, effort);
  addLoad(ja, LoadCause::Coupling, -place.signA * onA);
  addLoad(jb, LoadCause::Coupling, place.signB * onA);
}

/// `wrench`: on the follower, N and N·m, in world axes about the origin of the world.
void JointLoads::addLoad(std::size_t j, LoadCause cause, const Vec6& wrench) {
  const JointFrames frames = atRows_.placement(j).frames();
  const Vec3 force = wrench.head<3>(), moment = wrench.tail<3>() - frames.followerPoint.cross(force);
  Vec6& load = joints_[j].atRows[at(cause)];
  load.head<3>() += frames.baseAxes.transpose() * force;
  load.tail<3>() += frames.baseAxes.transpose() * moment;
}

/// The impulses of the projection by the joint rows of the step, among which armatures have none.
void JointLoads::mapProjection(const StepRecord& record, const Projection& projection) {
  const DualProblem& problem = record.problem;
  added_.assign(static_cast<std::size_t>(problem.jointRows), 0.0);
  if (!record.step.trapezoidal) return;
  const auto projected = projection.twistImpulses();
  const auto first = projection.firstRows();
  int joint = -1, from = 0;  // next row of that joint in the projection
  for (int r = 0; r < problem.jointRows; ++r) {
    const RowOwner& owner = problem.owner[static_cast<std::size_t>(r)];
    if (owner.kind == RowKind::Coupling) added_[r] = projected[first.back() + owner.item];
    if (owner.kind != RowKind::Constraint && owner.kind != RowKind::Motion) continue;
    if (owner.item != joint) from = first[owner.item];
    joint = owner.item;
    if (owner.kind == RowKind::Constraint && model_.joints[joint].softness.soft()) continue;
    added_[r] = projected[from++];
  }
}

/// The impulses of the rows of the step, and of efforts.
void JointLoads::addRows(const StepRecord& record, std::span<const Control> controls) {
  for (std::size_t j = 0; j < model_.joints.size(); ++j)
    for (std::size_t i = 0; i < model_.joints[j].coordinates.size(); ++i) {
      const bool commanded = knownEffort(model_, model_.joints[j].coordinates[i].actuator);
      addRowEfforts(record, j, i,
                    commanded ? commandedEffort(model_, controls, static_cast<int>(j), static_cast<int>(i),
                                                record.step.span())
                              : 0.0);
    }
  const std::span<const double> all = impulse_;
  for (int r = 0; r < record.problem.jointRows; ++r)
    if (const RowOwner& owner = record.problem.owner[static_cast<std::size_t>(r)];
        owner.kind == RowKind::Coupling)
      addCoupling(static_cast<std::size_t>(owner.item), all[static_cast<std::size_t>(r)], geometry_);
  addCouplingFriction(record);
  addClearances(record);
  const Event event{atRows_, geometry_, &JointWrenches::atRows};
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const int block = record.blocks[j];
    const std::size_t constraints = model_.joints[j].type->constrainedDirections().size();
    addWrench(
        event, j,
        block < 0 ? std::span<const double>() : all.subspan(record.problem.joints[block].row, constraints));
  }
  finishEvent();
}

/// `commanded`: N or N·m, of an effort that no row holds.
void JointLoads::addRowEfforts(const StepRecord& record, std::size_t j, std::size_t i, double commanded) {
  const JointCoordinate& coordinate = model_.joints[j].coordinates[i];
  const std::size_t index = model_.coordinateStart[j] + i;
  const CoordinateRows& rows = record.rows[index];
  Efforts& e = event_[index];
  e[at(LoadCause::Drive)] = timestep_ * commanded;
  for (const int row : rows.drive) e[at(LoadCause::Drive)] += rowImpulse(row);
  e[at(LoadCause::Friction)] = rowImpulse(rows.friction);
  e[at(LoadCause::Limit)] = rowImpulse(rows.lower) - rowImpulse(rows.upper);
  // Rows that several laws share: a drive gives what spring, damper and rotor do not.
  const double passive = coordinate.passive.smooth() ? rows.passiveLaw.impulse(record.rateAfter[index]) : 0.0;
  if (rows.driven >= 0) {
    e[at(LoadCause::Spring)] = passive;
    e[at(LoadCause::Drive)] += rowImpulse(rows.driven) - passive;
  } else if (rows.soft >= 0) {
    const bool servo = coordinate.actuator.servo() && !rows.ramped();
    e[at(LoadCause::Spring)] = servo ? passive : rowImpulse(rows.soft);
    if (servo) e[at(LoadCause::Drive)] += rowImpulse(rows.soft) - passive;
  }
}

/// The impulses of the projection of the twists, in the order of its rows.
void JointLoads::addProjection(const Projection& projection, std::span<const JointGeometry> geometry) {
  const auto all = projection.twistImpulses();
  const auto first = projection.firstRows();
  std::size_t armature = first.back() + model_.couplings.size();
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Joint& joint = model_.joints[j];
    std::size_t row = first[j] + (joint.softness.soft() ? 0 : joint.type->numConstraints());
    for (std::size_t i = 0; i < joint.coordinates.size(); ++i) {
      Efforts& e = event_[model_.coordinateStart[j] + i];
      if (joint.coordinates[i].actuator.kind == Actuator::Kind::Motion) e[at(LoadCause::Drive)] = all[row++];
      if (joint.coordinates[i].passive.inertia() > 0.0) e[at(LoadCause::Spring)] = all[armature++];
    }
  }
  for (std::size_t k = 0; k < model_.couplings.size(); ++k)
    addCoupling(k, all[static_cast<std::size_t>(first.back()) + k], geometry);
  const Event event{atEnd_, geometry, &JointWrenches::atEnd};
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Joint& joint = model_.joints[j];
    const std::size_t constraints = joint.softness.soft() ? 0 : joint.type->constrainedDirections().size();
    addWrench(event, j, all.subspan(first[j], constraints));
  }
  finishEvent();
}

void JointLoads::addCoupling(std::size_t k, double impulse, std::span<const JointGeometry> geometry) {
  const Coupling& c = model_.couplings[k];
  const double onB = -c.slope(geometry[c.jointB].coordinate[c.coordinateB]) * impulse;
  event_[model_.coordinateStart[c.jointA] + c.coordinateA][at(LoadCause::Coupling)] += impulse;
  event_[model_.coordinateStart[c.jointB] + c.coordinateB][at(LoadCause::Coupling)] += onB;
  for (const CoordinateTerm& t : c.more)
    event_[model_.coordinateStart[t.joint] + t.coordinate][at(LoadCause::Coupling)] -=
        t.coefficient * impulse;
  coupling_[k].a += impulse / timestep_;
  coupling_[k].b += onB / timestep_;
}

/// The contacts of clearances come first, in the order of their joints.
void JointLoads::addClearances(const StepRecord& record) {
  std::size_t k = 0;
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    for (int side = clearanceContactCount(model_.joints[j]); side > 0; --side) {
      const ContactBlock& contact = record.problem.contacts[k++];
      joints_[j].atRows[at(LoadCause::Constraint)] +=
          contact.jacobianB.transpose() * Vec3(&impulse_[static_cast<std::size_t>(contact.row)]);
    }
  }
}

void JointLoads::addCouplingFriction(const StepRecord& record) {
  for (const IntervalRow& interval : record.problem.intervals) {
    const RowOwner& owner = record.problem.owner[static_cast<std::size_t>(interval.row)];
    const double impulse = rowImpulse(interval.row);
    if (owner.kind != RowKind::CouplingFriction || impulse == 0.0) continue;
    const Coupling& c = model_.couplings[static_cast<std::size_t>(owner.item)];
    const FrictionWeights weights = frictionWeights(c);
    event_[model_.coordinateStart[c.jointA] + c.coordinateA][at(LoadCause::Friction)] += weights.a * impulse;
    event_[model_.coordinateStart[c.jointB] + c.coordinateB][at(LoadCause::Friction)] += weights.b * impulse;
  }
}

/// Turns impulses of the constraints and along the coordinates into wrenches in the joint's frame.
void JointLoads::addWrench(const Event& event, std::size_t j, std::span<const double> constraint) {
  const Joint& joint = model_.joints[j];
  const JointGeometry& g = event.geometry[j];
  auto& wrench = joints_[j].*event.wrench;
  for (std::size_t r = 0; r < constraint.size(); ++r)
    wrench[at(LoadCause::Constraint)] += constraint[r] * g.constraintRow[r].follower;
  for (std::size_t i = 0; i < joint.coordinates.size(); ++i) {
    const Efforts& e = event_[model_.coordinateStart[j] + i];
    for (std::size_t cause = 1; cause < e.size(); ++cause)
      if (e[cause] != 0.0) wrench[cause] += e[cause] * g.coordinateRow[i].follower;
  }
  const JointFrames frames = event.joints.placement(j).frames();
  const Vec3 arm = frames.followerPoint - frames.followerCenter;
  for (Vec6& w : wrench) {
    if (w.isZero(0.0)) continue;
    const Vec3 force = w.head<3>(), moment = w.tail<3>() - arm.cross(force);
    w << frames.baseAxes.transpose() * force / timestep_, frames.baseAxes.transpose() * moment / timestep_;
  }
}

/// Adds the impulses along the coordinates to the efforts of the step.
void JointLoads::finishEvent() {
  for (std::size_t c = 0; c < event_.size(); ++c) {
    for (std::size_t cause = 0; cause < event_[c].size(); ++cause)
      effort_[c][cause] += event_[c][cause] / timestep_;
    event_[c].fill(0.0);
  }
}

bool JointLoads::driveRedundant(int joint, int coordinate) const {
  const Joint& j = model_.joints[static_cast<std::size_t>(joint)];
  const auto direction = static_cast<unsigned>(index(j.type->freeDirections()[coordinate]));
  return j.coordinates[coordinate].actuator.kind == Actuator::Kind::Motion &&
         (redundant(joint) >> direction & 1U) != 0;
}

void JointLoads::markRedundant(const StepRecord& record) {
  const auto unique = distribution_.unique();
  const auto mark = [&](int joint, Direction direction) {
    redundant_[static_cast<std::size_t>(joint)] |= 1U << static_cast<unsigned>(index(direction));
  };
  for (int r = 0; r < record.problem.jointRows; ++r) {
    if (unique[r] == 1) continue;
    const RowOwner& owner = record.problem.owner[static_cast<std::size_t>(r)];
    if (owner.kind == RowKind::Constraint)
      mark(owner.item, model_.joints[owner.item].type->constrainedDirections()[owner.part]);
    if (owner.kind == RowKind::Motion)
      mark(owner.item, model_.joints[owner.item].type->freeDirections()[owner.part]);
    if (owner.kind != RowKind::Coupling) continue;
    const Coupling& c = model_.couplings[owner.item];
    coupling_[owner.item].redundant = true;
    mark(c.jointA, model_.joints[c.jointA].type->freeDirections()[c.coordinateA]);
    mark(c.jointB, model_.joints[c.jointB].type->freeDirections()[c.coordinateB]);
    if (c.mesh.kind != Mesh::Kind::None)
      for (const int joint : {c.jointA, c.jointB}) redundant_[static_cast<std::size_t>(joint)] |= 0x3fU;
    for (const CoordinateTerm& t : c.more)
      mark(t.joint, model_.joints[t.joint].type->freeDirections()[t.coordinate]);
  }
}

}  // namespace grashof
