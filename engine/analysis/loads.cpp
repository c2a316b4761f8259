#include "engine/analysis/loads.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/analysis/reactions.h"
#include "engine/model/model_builder.h"

namespace grashof {
namespace {

constexpr double kTouch = 1e-9;        // N·s, N·m·s: smaller impulses are no touch
constexpr double kBeyondLimit = 1e-6;  // m, rad
constexpr double kSaturated = 1e-6;    // of what a drive can give: less is at its bounds
constexpr double kContactGap = 0.02;   // s
constexpr double kContactGapSteps = 10.0;

/// Whether the effort (N, N·m) of a drive is as large as it can be at its rate. `index`: of its coordinate.
bool saturated(const Simulator& simulator, const Actuator& actuator, int index, double effort) {
  if (actuator.kind == Actuator::Kind::Motion) return false;
  const DriveBounds bounds = simulator.model().boundsOf(actuator);
  if (!bounds.bounded()) return false;
  const double rate = simulator.record().rateAfter[static_cast<std::size_t>(index)];
  const double upper = bounds.upper(rate), lower = bounds.lower(rate);
  const double margin = kSaturated * std::max(std::abs(upper), std::abs(lower));
  return effort >= upper - margin || effort <= lower + margin;
}

}  // namespace

bool declaresCompliance(const Model& model) {
  return std::any_of(model.joints.begin(), model.joints.end(),
                     [](const Joint& joint) { return joint.softness.kind == Softness::Kind::Compliant; });
}

std::pair<Model, std::vector<double>> rigidForLoads(const Model& model) {
  std::pair<Model, std::vector<double>> result{model, {}};
  for (Joint& joint : result.first.joints) {
    const bool declared = joint.softness.kind == Softness::Kind::Compliant;
    result.second.push_back(declared ? joint.softness.compliance : 0.0);
    if (declared) joint.softness = {};
  }
  result.first = *ModelBuilder(result.first).build();
  return result;
}

LoadsObserver::LoadsObserver(const Model& model, double from) : model_(model), motors_(model) {
  loads_.from = from;
  loads_.joints.resize(model.joints.size());
  loads_.couplings.resize(model.couplings.size());
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (std::size_t i = 0; i < model.joints[j].coordinates.size(); ++i)
      if (model.joints[j].coordinates[i].actuator.kind != Actuator::Kind::None) {
        DriveLoad drive;
        drive.joint = static_cast<int>(j);
        drive.coordinate = static_cast<int>(i);
        loads_.drives.push_back(drive);
      }
  redundant_.assign(model.joints.size(), 0U);
  openLimits_.assign(2 * static_cast<std::size_t>(model.coordinates()), -1);
}

void LoadsObserver::observe(const Simulator& simulator) {
  const double time = simulator.state().time;
  loads_.duration = time;
  if (time < loads_.from - 1e-12) return;
  ++steps_;
  observeUniqueness(simulator);
  observeJoints(simulator, time);
  observeCouplings(simulator, time);
  observeDrives(simulator, time);
  motors_.observe(simulator);
  observeLimits(simulator, time);
  observeContacts(simulator, time);
}

void LoadsObserver::observeUniqueness(const Simulator& simulator) {
  if (!simulator.loads().hyperstatic()) return;
  bool changed = false;
  for (std::size_t j = 0; j < redundant_.size(); ++j) {
    const unsigned redundant = simulator.loads().redundant(static_cast<int>(j));
    changed = changed || redundant != redundant_[j];
    redundant_[j] = redundant;
    for (std::size_t i = 0; i < 6; ++i)
      if ((redundant >> i & 1U) != 0) loads_.joints[j].unique[i] = false;
  }
  if (changed)
    loads_.degreeOfStaticIndeterminacy = std::max(loads_.degreeOfStaticIndeterminacy,
                                                  degreeOfStaticIndeterminacy(model_, simulator.problem()));
}

void LoadsObserver::observeJoints(const Simulator& simulator, double time) {
  const auto joints = simulator.loads().joints();
  for (std::size_t j = 0; j < joints.size(); ++j) {
    JointLoad& load = loads_.joints[j];
    const Vec6 r = joints[j].total();
    for (int i = 0; i < 6; ++i) load.component[static_cast<std::size_t>(i)].update(r[i], time);
    load.force.update(r.head<3>().norm(), time);
    load.moment.update(r.tail<3>().norm(), time);
    load.forceRms += r.head<3>().squaredNorm();  // a sum until finish()
    load.momentRms += r.tail<3>().squaredNorm();
    for (std::size_t c = 0; c < kLoadCauses.size(); ++c) {
      const Vec6 part = joints[j].of(kLoadCauses[c]);
      load.cause[c].force.update(part.head<3>().norm(), time);
      load.cause[c].moment.update(part.tail<3>().norm(), time);
    }
  }
}

void LoadsObserver::observeCouplings(const Simulator& simulator, double time) {
  for (std::size_t k = 0; k < loads_.couplings.size(); ++k) {
    CouplingLoad& load = loads_.couplings[k];
    const double a = simulator.loads().couplingEffortA(static_cast<int>(k));
    const double b = simulator.loads().couplingEffortB(static_cast<int>(k));
    load.effortA.update(a, time);
    load.effortB.update(b, time);
    load.rmsA += a * a;  // a sum until finish()
    load.rmsB += b * b;
    load.unique = load.unique && !simulator.loads().couplingRedundant(static_cast<int>(k));
  }
}

void LoadsObserver::observeDrives(const Simulator& simulator, double time) {
  const double dt = model_.step.timestep;
  for (DriveLoad& d : loads_.drives) {
    const auto j = static_cast<std::size_t>(d.joint), i = static_cast<std::size_t>(d.coordinate);
    const Joint& joint = model_.joints[j];
    const int index = model_.coordinateStart[j] + d.coordinate;
    const double effort = simulator.loads().effort(index, LoadCause::Drive);
    d.unique = d.unique && !simulator.loads().driveRedundant(d.joint, d.coordinate);
    const double speed =
        coordinateRate(joint, simulator.geometry()[j].coordinateRow[i], simulator.state().twists);
    d.effort.update(effort, time);
    d.speed.update(speed, time);
    d.power.update(effort * speed, time);
    d.effortRms += effort * effort;  // a sum until finish()
    d.speedRms += speed * speed;
    // The work of an impulse is that along its mean rate: what stops within the step gives its energy.
    const double before =
        coordinateRate(joint, simulator.geometry()[j].coordinateRow[i], simulator.record().twistBefore);
    const double work = 0.5 * effort * (before + speed) * dt;
    (work > 0.0 ? d.energy : d.returned) += std::abs(work);
    if (saturated(simulator, joint.coordinates[i].actuator, index, effort)) d.saturated += dt;
  }
}

void LoadsObserver::observeLimits(const Simulator& simulator, double time) {
  const double dt = model_.step.timestep;
  const auto rows = simulator.coordinateRows();
  const std::vector<double>& impulses = simulator.solution().impulse;
  for (std::size_t j = 0; j < model_.joints.size(); ++j)
    for (std::size_t i = 0; i < model_.joints[j].coordinates.size(); ++i) {
      const std::size_t c = static_cast<std::size_t>(model_.coordinateStart[j]) + i;
      const Limit& limit = model_.joints[j].coordinates[i].limit;
      if (!limit.bounded()) continue;
      const double q = simulator.state().coordinates[c];
      for (const bool upper : {false, true}) {
        const int row = upper ? rows[c].upper : rows[c].lower;
        const double impulse =
            row < 0 || impulses.empty() ? 0.0 : std::abs(impulses[static_cast<std::size_t>(row)]);
        // A prescribed motion crosses a limit without an impulse.
        const bool crossed = upper ? q > limit.upper + kBeyondLimit : q < limit.lower - kBeyondLimit;
        int& open = openLimits_[2 * c + (upper ? 1 : 0)];
        if (!(impulse > kTouch) && !crossed) {
          open = -1;
          continue;
        }
        if (open < 0) {
          open = static_cast<int>(loads_.limits.size());
          loads_.limits.push_back(
              {{time - dt, time}, static_cast<int>(j), static_cast<int>(i), upper, Peak{}});
        }
        LimitHit& hit = loads_.limits[static_cast<std::size_t>(open)];
        hit.end = time;
        hit.effort.update(impulse / dt, time);
      }
    }
}

/// The period of these two bodies that goes on, or a new one.
ContactPeriod& LoadsObserver::openContact(std::pair<int, int> bodies, double start) {
  for (const int index : openContacts_) {
    ContactPeriod& c = loads_.contacts[static_cast<std::size_t>(index)];
    if (c.bodyA == bodies.first && c.bodyB == bodies.second) return c;
  }
  openContacts_.push_back(static_cast<int>(loads_.contacts.size()));
  ContactPeriod& opened = loads_.contacts.emplace_back();
  opened.start = opened.end = start;
  opened.bodyA = bodies.first;
  opened.bodyB = bodies.second;
  return opened;
}

void LoadsObserver::observeContacts(const Simulator& simulator, double time) {
  const double dt = model_.step.timestep;
  struct Touch {
    double normal = 0.0, single = 0.0;
    Vec3 sum = Vec3::Zero(), point = Vec3::Zero();
  };
  std::map<std::pair<int, int>, Touch> touches;
  const auto contacts = simulator.contacts();
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const Contact& contact = contacts[k];
    if (contact.ofJoint()) continue;
    const Vec3 force = simulator.contactForce(static_cast<int>(k));
    const double normal = force.dot(contact.frame.col(2));
    if (!(normal * dt > kTouch)) continue;
    Touch& touch = touches[std::minmax(contact.bodyA, contact.bodyB)];
    touch.normal += normal;
    touch.sum += contact.bodyA < contact.bodyB ? force : Vec3(-force);
    if (force.norm() <= touch.single) continue;
    touch.single = force.norm();
    touch.point = contact.point;
  }
  const double gap = std::max(kContactGapSteps * dt, kContactGap);
  std::erase_if(openContacts_,
                [&](int index) { return loads_.contacts[static_cast<std::size_t>(index)].end < time - gap; });
  for (const auto& [bodies, touch] : touches) {
    ContactPeriod& c = openContact(bodies, time - dt);
    c.end = time;
    c.force.update(touch.normal, time);
    c.resultant.update(touch.sum.norm(), time);
    if (touch.single > c.single.value) c.point = touch.point;
    c.single.update(touch.single, time);
  }
}

Loads LoadsObserver::finish() {
  const double steps = static_cast<double>(std::max<std::int64_t>(steps_, 1));
  for (JointLoad& j : loads_.joints) {
    j.forceRms = std::sqrt(j.forceRms / steps);
    j.momentRms = std::sqrt(j.momentRms / steps);
  }
  for (CouplingLoad& c : loads_.couplings) {
    c.rmsA = std::sqrt(c.rmsA / steps);
    c.rmsB = std::sqrt(c.rmsB / steps);
  }
  for (DriveLoad& d : loads_.drives) {
    d.effortRms = std::sqrt(d.effortRms / steps);
    d.speedRms = std::sqrt(d.speedRms / steps);
  }
  loads_.motors = motors_.finish();
  return loads_;
}

}  // namespace grashof
