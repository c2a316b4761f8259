#include "engine/analysis/loads.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/analysis/mobility.h"

namespace grashof {
namespace {

constexpr double kPush = 1e-9;  // N·s, N·m·s: less is no touch

}  // namespace

std::pair<Model, std::vector<double>> rigidForLoads(const Model& model) {
  std::pair<Model, std::vector<double>> result{model, {}};
  for (Joint& joint : result.first.joints) {
    const bool declared = joint.softness.kind == Softness::Kind::Compliant;
    result.second.push_back(declared ? joint.softness.compliance : 0.0);
    if (declared) joint.softness = {};
  }
  return result;
}

LoadsObserver::LoadsObserver(const Model& model, std::vector<double> compliance, double splitInterval)
    : model_(model), splitInterval_(splitInterval) {
  if (model.bodies.size() <= static_cast<std::size_t>(kMaxBodies))
    splitter_ = std::make_unique<ReactionDistribution>(model, std::move(compliance));
  loads_.joints.resize(model.joints.size());
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (std::size_t i = 0; i < model.joints[j].coordinates.size(); ++i)
      if (model.joints[j].coordinates[i].actuator.kind != Actuator::Kind::None) {
        DriveLoad drive;
        drive.joint = static_cast<int>(j);
        drive.axis = static_cast<int>(i);
        loads_.drives.push_back(drive);
      }
  openLimit_.assign(2 * static_cast<std::size_t>(model.coordinates()), -1);
}

void LoadsObserver::look(const Simulator& simulator) {
  const double time = simulator.state().time;
  ++steps_;
  loads_.duration = time;
  lookAtJoints(simulator, time);
  lookAtDrives(simulator, time);
  lookAtLimits(simulator, time);
  lookAtContacts(simulator, time);
}

Vec6 LoadsObserver::reaction(const Simulator& simulator, int joint) const {
  return split_.size() == simulator.solution().impulse.size() ? simulator.jointReaction(joint, split_)
                                                              : simulator.jointReaction(joint);
}

void LoadsObserver::lookAtJoints(const Simulator& simulator, double time) {
  split_.clear();
  if (splitter_ && hyperstatic_) {
    if (time < nextSplit_ - 1e-12) return;
    nextSplit_ = time + splitInterval_;
    const auto impulse = splitter_->split(simulator);
    split_.assign(impulse.begin(), impulse.end());
    loads_.indeterminate = std::max(loads_.indeterminate, splitter_->indeterminate());
    // Whether reactions are unique is a matter of the structure: looked at while it has not shown.
    if (looks_ == 10 && loads_.indeterminate == 0) hyperstatic_ = false;
    const auto unique = splitter_->unique();
    const auto blocks = simulator.jointBlocks();
    for (std::size_t j = 0; j < model_.joints.size(); ++j) {
      if (blocks[j] < 0) continue;
      const JointBlock& block = simulator.problem().joints[static_cast<std::size_t>(blocks[j])];
      const auto directions = model_.joints[j].type->constrainedDirections();
      for (std::size_t r = 0; r < directions.size() && static_cast<int>(r) < block.rows; ++r)
        if (!unique[static_cast<std::size_t>(block.row) + r])
          loads_.joints[j].unique[static_cast<std::size_t>(index(directions[r]))] = false;
    }
  }
  ++looks_;
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    JointLoad& load = loads_.joints[j];
    const Vec6 r = reaction(simulator, static_cast<int>(j));
    for (int i = 0; i < 6; ++i) load.component[static_cast<std::size_t>(i)].look(r[i], time);
    load.force.look(r.head<3>().norm(), time);
    load.moment.look(r.tail<3>().norm(), time);
    load.forceRms += r.head<3>().squaredNorm();
    load.momentRms += r.tail<3>().squaredNorm();
  }
}

void LoadsObserver::lookAtDrives(const Simulator& simulator, double time) {
  const double dt = model_.step.timestep;
  for (DriveLoad& d : loads_.drives) {
    const Joint& joint = model_.joints[static_cast<std::size_t>(d.joint)];
    const double effort = simulator.actuatorEffort(d.joint, d.axis);
    const double speed = coordinateRate(joint,
                                        simulator.geometry()[static_cast<std::size_t>(d.joint)]
                                            .coordinateRow[static_cast<std::size_t>(d.axis)],
                                        simulator.state().twists);
    d.effort.look(effort, time);
    d.speed.look(speed, time);
    d.power.look(effort * speed, time);
    d.effortRms += effort * effort;
    d.speedRms += speed * speed;
    (effort * speed > 0.0 ? d.energy : d.returned) += std::abs(effort * speed) * dt;
    const Actuator& a = joint.coordinates[static_cast<std::size_t>(d.axis)].actuator;
    if (a.kind != Actuator::Kind::Motion && a.limited() && std::abs(effort) >= a.effortLimit * (1.0 - 1e-6))
      d.saturated += dt;
  }
}

void LoadsObserver::lookAtLimits(const Simulator& simulator, double time) {
  const double dt = model_.step.timestep;
  const auto rows = simulator.coordinateRows();
  for (std::size_t j = 0; j < model_.joints.size(); ++j)
    for (std::size_t i = 0; i < model_.joints[j].coordinates.size(); ++i) {
      const std::size_t c = static_cast<std::size_t>(model_.coordinateStart[j]) + i;
      const Limit& limit = model_.joints[j].coordinates[i].limit;
      if (!limit.bounded()) continue;
      const double q = simulator.state().coordinates[c];
      for (const bool upper : {false, true}) {
        const int row = upper ? rows[c].upper : rows[c].lower;
        const double impulse = row < 0 || simulator.solution().impulse.empty()
                                   ? 0.0
                                   : std::abs(simulator.solution().impulse[static_cast<std::size_t>(row)]);
        // A prescribed motion crosses limits without a push.
        const bool crossed = upper ? q > limit.upper + 1e-6 : q < limit.lower - 1e-6;
        int& open = openLimit_[2 * c + (upper ? 1 : 0)];
        if (!(impulse > kPush) && !crossed) {
          open = -1;
          continue;
        }
        if (open < 0) {
          open = static_cast<int>(loads_.limits.size());
          LimitHit hit;
          hit.start = time - dt;
          hit.joint = static_cast<int>(j);
          hit.axis = static_cast<int>(i);
          hit.upper = upper;
          loads_.limits.push_back(hit);
        }
        LimitHit& hit = loads_.limits[static_cast<std::size_t>(open)];
        hit.end = time;
        hit.effort.look(impulse / dt, time);
      }
    }
}

void LoadsObserver::lookAtContacts(const Simulator& simulator, double time) {
  const double dt = model_.step.timestep;
  std::map<std::pair<int, int>, double> forces;
  const auto contacts = simulator.contacts();
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const int row = simulator.problem().contactRow(static_cast<int>(k));
    const double push = simulator.solution().impulse[static_cast<std::size_t>(row) + 2];
    if (push > kPush) forces[std::minmax(contacts[k].bodyA, contacts[k].bodyB)] += push / dt;
  }
  // A touch that stops for a few steps goes on.
  std::erase_if(openCollisions_, [&](int index) {
    return loads_.collisions[static_cast<std::size_t>(index)].end < time - std::max(10.0 * dt, 0.02);
  });
  for (const auto& [pair, force] : forces) {
    auto open = std::find_if(openCollisions_.begin(), openCollisions_.end(), [&, p = pair](int index) {
      const Collision& c = loads_.collisions[static_cast<std::size_t>(index)];
      return c.bodyA == p.first && c.bodyB == p.second;
    });
    if (open == openCollisions_.end()) {
      Collision c;
      c.start = time - dt;
      c.bodyA = pair.first;
      c.bodyB = pair.second;
      openCollisions_.push_back(static_cast<int>(loads_.collisions.size()));
      loads_.collisions.push_back(c);
      open = openCollisions_.end() - 1;
    }
    Collision& c = loads_.collisions[static_cast<std::size_t>(*open)];
    c.end = time;
    c.force.look(force, time);
  }
}

Loads LoadsObserver::finish() {
  const double n = static_cast<double>(std::max<std::int64_t>(steps_, 1));
  const double looks = static_cast<double>(std::max<std::int64_t>(looks_, 1));
  for (JointLoad& j : loads_.joints) {
    j.forceRms = std::sqrt(j.forceRms / looks);
    j.momentRms = std::sqrt(j.momentRms / looks);
  }
  for (DriveLoad& d : loads_.drives) {
    d.effortRms = std::sqrt(d.effortRms / n);
    d.speedRms = std::sqrt(d.speedRms / n);
  }
  return loads_;
}

}  // namespace grashof
