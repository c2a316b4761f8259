#include "engine/analysis/loads.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/analysis/mobility.h"
#include "engine/model/model_builder.h"

namespace grashof {
namespace {

constexpr double kTouch = 1e-9;            // N·s, N·m·s: smaller impulses are no touch
constexpr double kBeyondLimit = 1e-6;      // m, rad
constexpr double kSaturated = 1.0 - 1e-6;  // of the effort limit
constexpr double kContactGap = 0.02;       // s
constexpr double kContactGapSteps = 10.0;
constexpr std::int64_t kIsostaticSamples = 10;  // without redundancy, after which none is expected any more

}  // namespace

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

LoadsObserver::LoadsObserver(const Model& model, std::vector<double> compliance, double splitInterval)
    : model_(model), splitInterval_(splitInterval) {
  if (model.bodies.size() <= static_cast<std::size_t>(kMaxBodies))
    distribution_ = std::make_unique<ReactionDistribution>(model, std::move(compliance));
  loads_.joints.resize(model.joints.size());
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (std::size_t i = 0; i < model.joints[j].coordinates.size(); ++i)
      if (model.joints[j].coordinates[i].actuator.kind != Actuator::Kind::None) {
        DriveLoad drive;
        drive.joint = static_cast<int>(j);
        drive.coordinate = static_cast<int>(i);
        loads_.drives.push_back(drive);
      }
  openLimits_.assign(2 * static_cast<std::size_t>(model.coordinates()), -1);
}

void LoadsObserver::observe(const Simulator& simulator) {
  const double time = simulator.state().time;
  ++steps_;
  loads_.duration = time;
  observeJoints(simulator, time);
  observeDrives(simulator, time);
  observeLimits(simulator, time);
  observeContacts(simulator, time);
}

Vec6 LoadsObserver::reaction(const Simulator& simulator, int joint) const {
  return distributed_.size() == simulator.solution().impulse.size()
             ? simulator.jointReaction(joint, distributed_)
             : simulator.jointReaction(joint);
}

/// Distributes the reactions where that may be needed. False: not due in this step.
bool LoadsObserver::distribute(const Simulator& simulator, double time) {
  distributed_.clear();
  if (!distribution_ || !hyperstatic_) return true;
  if (time < nextSplit_ - 1e-12) return false;
  nextSplit_ = time + splitInterval_;
  const auto impulse = distribution_->split(simulator);
  distributed_.assign(impulse.begin(), impulse.end());
  loads_.degreeOfStaticIndeterminacy =
      std::max(loads_.degreeOfStaticIndeterminacy, distribution_->degreeOfStaticIndeterminacy());
  // Uniqueness is a property of the structure, so a few samples without redundancy are enough.
  if (jointSamples_ == kIsostaticSamples && loads_.degreeOfStaticIndeterminacy == 0) hyperstatic_ = false;
  const auto unique = distribution_->unique();
  const auto blocks = simulator.jointBlocks();
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    if (blocks[j] < 0) continue;
    const JointBlock& block = simulator.problem().joints[static_cast<std::size_t>(blocks[j])];
    const auto directions = model_.joints[j].type->constrainedDirections();
    for (std::size_t r = 0; r < directions.size() && static_cast<int>(r) < block.rows; ++r)
      if (!unique[static_cast<std::size_t>(block.row) + r])
        loads_.joints[j].unique[static_cast<std::size_t>(index(directions[r]))] = false;
  }
  return true;
}

void LoadsObserver::observeJoints(const Simulator& simulator, double time) {
  if (!distribute(simulator, time)) return;
  ++jointSamples_;
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    JointLoad& load = loads_.joints[j];
    const Vec6 r = reaction(simulator, static_cast<int>(j));
    for (int i = 0; i < 6; ++i) load.component[static_cast<std::size_t>(i)].update(r[i], time);
    load.force.update(r.head<3>().norm(), time);
    load.moment.update(r.tail<3>().norm(), time);
    load.forceRms += r.head<3>().squaredNorm();  // a sum until finish()
    load.momentRms += r.tail<3>().squaredNorm();
  }
}

void LoadsObserver::observeDrives(const Simulator& simulator, double time) {
  const double dt = model_.step.timestep;
  for (DriveLoad& d : loads_.drives) {
    const auto j = static_cast<std::size_t>(d.joint), i = static_cast<std::size_t>(d.coordinate);
    const Joint& joint = model_.joints[j];
    const double effort = simulator.actuatorEffort(d.joint, d.coordinate);
    const double speed =
        coordinateRate(joint, simulator.geometry()[j].coordinateRow[i], simulator.state().twists);
    d.effort.update(effort, time);
    d.speed.update(speed, time);
    d.power.update(effort * speed, time);
    d.effortRms += effort * effort;  // a sum until finish()
    d.speedRms += speed * speed;
    (effort * speed > 0.0 ? d.energy : d.returned) += std::abs(effort * speed) * dt;
    const Actuator& a = joint.coordinates[i].actuator;
    if (a.kind != Actuator::Kind::Motion && a.limited() && std::abs(effort) >= a.effortLimit * kSaturated)
      d.saturated += dt;
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
  return loads_.contacts.emplace_back(ContactPeriod{{start, start}, bodies.first, bodies.second, Peak{}});
}

void LoadsObserver::observeContacts(const Simulator& simulator, double time) {
  const double dt = model_.step.timestep;
  std::map<std::pair<int, int>, double> forces;
  const auto contacts = simulator.contacts();
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const int row = simulator.problem().contactRow(static_cast<int>(k));
    const double normal = simulator.solution().impulse[static_cast<std::size_t>(row) + 2];
    if (normal > kTouch) forces[std::minmax(contacts[k].bodyA, contacts[k].bodyB)] += normal / dt;
  }
  const double gap = std::max(kContactGapSteps * dt, kContactGap);
  std::erase_if(openContacts_,
                [&](int index) { return loads_.contacts[static_cast<std::size_t>(index)].end < time - gap; });
  for (const auto& [bodies, force] : forces) {
    ContactPeriod& c = openContact(bodies, time - dt);
    c.end = time;
    c.force.update(force, time);
  }
}

Loads LoadsObserver::finish() {
  const double steps = static_cast<double>(std::max<std::int64_t>(steps_, 1));
  const double samples = static_cast<double>(std::max<std::int64_t>(jointSamples_, 1));
  for (JointLoad& j : loads_.joints) {
    j.forceRms = std::sqrt(j.forceRms / samples);
    j.momentRms = std::sqrt(j.momentRms / samples);
  }
  for (DriveLoad& d : loads_.drives) {
    d.effortRms = std::sqrt(d.effortRms / steps);
    d.speedRms = std::sqrt(d.speedRms / steps);
  }
  return loads_;
}

}  // namespace grashof
