#include "engine/analysis/loads.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>

#include "engine/analysis/reactions.h"
#include "engine/model/model_builder.h"

namespace grashof {
namespace {

constexpr double kTouch = 1e-9;        // N·s, N·m·s: smaller impulses are no touch
constexpr double kBeyondLimit = 1e-6;  // m, rad
constexpr double kSaturated = 1e-6;    // of what a drive can give: less is at its bounds
constexpr double kContactGap = 0.02;   // s
constexpr double kContactGapSteps = 10.0;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

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

LoadsObserver::LoadsObserver(const Model& model, double from)
    : model_(model),
      motors_(model),
      mechanisms_(model),
      blowing_(model.joints.size(), Vec6::Zero()),
      steps_(model.joints.size()) {
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

void LoadsObserver::observeStart(const Simulator& simulator) {
  last_.clear();
  for (const DriveLoad& drive : loads_.drives) last_.push_back({speedOf(drive, simulator), kUnknown});
  const double time = simulator.state().time;
  if (time < loads_.from - 1e-12 || !simulator.loadsTold()) return;
  const JointLoads& all = simulator.loads();
  for (std::size_t j = 0; j < loads_.joints.size(); ++j) takePeaks(all.joints()[j], time, loads_.joints[j]);
  for (std::size_t k = 0; k < loads_.couplings.size(); ++k) {
    loads_.couplings[k].effortA.update(all.couplingEffortA(static_cast<int>(k)), time);
    loads_.couplings[k].effortB.update(all.couplingEffortB(static_cast<int>(k)), time);
  }
  for (DriveLoad& d : loads_.drives)
    d.effort.update(all.effort(model_.coordinateStart[static_cast<std::size_t>(d.joint)] + d.coordinate,
                               LoadCause::Drive),
                    time);
}

void LoadsObserver::observe(const Simulator& simulator) {
  if (simulator.state().step == 0) return observeStart(simulator);
  const double time = simulator.state().time;
  loads_.duration = time;
  waiting_.push_back(sampleOf(simulator));
  takeWork(simulator, waiting_.back().drives);
  if (time >= loads_.from - 1e-12) observeUniqueness(simulator);
  if (waiting_.size() < taken_ + 3) return;
  take(taken_++);
  if (taken_ <= 2) return;
  waiting_.pop_front();
  --taken_;
}

double LoadsObserver::speedOf(const DriveLoad& drive, const Simulator& simulator) const {
  const auto j = static_cast<std::size_t>(drive.joint), i = static_cast<std::size_t>(drive.coordinate);
  return coordinateRate(model_.joints[j], simulator.geometry()[j].coordinateRow[i], simulator.state().twists);
}

/// The work of an effort is that along its mean rate: what stops within the step gives its energy. Efforts of
/// smooth steps are those at their ends.
void LoadsObserver::takeWork(const Simulator& simulator, std::span<DriveSample> drives) {
  const bool even = simulator.report().smooth && !simulator.report().struck;
  for (std::size_t k = 0; k < drives.size(); ++k) {
    DriveSample& drive = drives[k];
    const LastDrive last = k < last_.size() ? last_[k] : LastDrive{drive.speed, kUnknown};
    const double effort =
        even && !std::isnan(last.effort) ? 0.5 * (last.effort + drive.effort) : drive.effort;
    drive.work = 0.5 * effort * (last.speed + drive.speed) * model_.step.timestep;
  }
  last_.clear();
  for (const DriveSample& drive : drives) last_.push_back({drive.speed, even ? drive.effort : kUnknown});
}

LoadsObserver::Sample LoadsObserver::sampleOf(const Simulator& simulator) const {
  Sample sample;
  sample.time = simulator.state().time;
  sample.stops = stopImpulses(simulator);
  sample.clashes = clashes(simulator);
  const auto joints = simulator.loads().joints();
  sample.joints.assign(joints.begin(), joints.end());
  for (int k = 0; k < static_cast<int>(model_.couplings.size()); ++k)
    sample.couplings.push_back({simulator.loads().couplingEffortA(k), simulator.loads().couplingEffortB(k)});
  for (const DriveLoad& d : loads_.drives) {
    const auto j = static_cast<std::size_t>(d.joint), i = static_cast<std::size_t>(d.coordinate);
    const Joint& joint = model_.joints[j];
    const int index = model_.coordinateStart[j] + d.coordinate;
    DriveSample drive;
    drive.effort = simulator.loads().effort(index, LoadCause::Drive);
    drive.speed = speedOf(d, simulator);
    drive.saturated = saturated(simulator, joint.coordinates[i].actuator, index, drive.effort);
    sample.drives.push_back(drive);
  }
  sample.motors = motors_.sample(simulator);
  sample.limits = limitsOf(simulator);
  sample.touches = touchesOf(simulator);
  return sample;
}

std::vector<LoadsObserver::LimitSample> LoadsObserver::limitsOf(const Simulator& simulator) const {
  std::vector<LimitSample> all;
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
        if (impulse > kTouch || crossed) all.push_back({2 * static_cast<int>(c) + (upper ? 1 : 0), impulse});
      }
    }
  return all;
}

std::vector<LoadsObserver::TouchSample> LoadsObserver::touchesOf(const Simulator& simulator) const {
  const double dt = model_.step.timestep;
  std::map<std::pair<int, int>, TouchSample> touches;
  const auto contacts = simulator.contacts();
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const Contact& contact = contacts[k];
    if (contact.ofJoint()) continue;
    const Vec3 force = simulator.contactForce(static_cast<int>(k));
    const double normal = force.dot(contact.frame.col(2));
    if (!(normal * dt > kTouch)) continue;
    TouchSample& touch = touches[std::minmax(contact.bodyA, contact.bodyB)];
    touch.normal += normal;
    touch.sum += contact.bodyA < contact.bodyB ? force : Vec3(-force);
    if (force.norm() <= touch.single) continue;
    touch.single = force.norm();
    touch.point = contact.point;
  }
  std::vector<TouchSample> all;
  for (auto& [bodies, touch] : touches) {
    touch.bodies = bodies;
    all.push_back(touch);
  }
  return all;
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
  for (std::size_t k = 0; k < loads_.couplings.size(); ++k)
    if (simulator.loads().couplingRedundant(static_cast<int>(k))) loads_.couplings[k].unique = false;
  for (DriveLoad& d : loads_.drives)
    if (simulator.loads().driveRedundant(d.joint, d.coordinate)) d.unique = false;
  if (changed)
    loads_.degreeOfStaticIndeterminacy = std::max(loads_.degreeOfStaticIndeterminacy,
                                                  degreeOfStaticIndeterminacy(model_, simulator.problem()));
}

void LoadsObserver::take(std::size_t k) {
  const Sample& sample = waiting_[k];
  if (sample.time < loads_.from - 1e-12) return;
  const StopImpulses none;
  const std::size_t later = std::min(k + 2, waiting_.size() - 1);
  const auto blows =
      blowsOf(k >= 2 ? waiting_[k - 2].stops : none, sample.stops, later > k ? waiting_[later].stops : none);
  std::vector<BlowPlace> places;
  places.reserve(blows.size());
  for (const auto& blow : blows) places.push_back(blow.first);
  addBlows(blows, sample.time);
  if (!sample.clashes.empty()) ++loads_.clashingSteps;
  const std::vector<char> struck = mechanisms_.jointsOf(places, sample.stops);
  const std::vector<char> clashing = mechanisms_.jointsOf(sample.clashes, sample.stops);
  std::vector<char> leftOut = struck;
  for (std::size_t j = 0; j < leftOut.size(); ++j) leftOut[j] = leftOut[j] || clashing[j];
  takeJoints(sample, struck, clashing);
  takeCouplings(sample, leftOut);
  takeDrives(sample, leftOut, clashing);
  takeLimits(sample, places);
  takeContacts(sample, places);
}

void LoadsObserver::addBlows(const std::vector<std::pair<BlowPlace, double>>& blows, double time) {
  for (const auto& blow : blows) {
    auto found = std::find_if(loads_.blows.begin(), loads_.blows.end(),
                              [&](const Blow& b) { return b.place == blow.first; });
    if (found == loads_.blows.end()) {
      found = loads_.blows.insert(loads_.blows.end(), Blow{});
      found->place = blow.first;
      found->first = time;
    }
    const bool goesOn = time - found->last < 1.5 * model_.step.timestep;
    found->running = goesOn ? found->running + blow.second : blow.second;
    found->last = time;
    found->impulse.update(found->running, time);
    ++found->count;
  }
}

double LoadsObserver::runningBlow(const BlowPlace& place) const {
  for (const Blow& blow : loads_.blows)
    if (blow.place == place) return blow.running;
  return 0.0;
}

void LoadsObserver::takeJoints(const Sample& sample, const std::vector<char>& struck,
                               const std::vector<char>& clashing) {
  const double dt = model_.step.timestep, time = sample.time;
  for (std::size_t j = 0; j < sample.joints.size(); ++j) {
    JointLoad& load = loads_.joints[j];
    const Vec6 r = sample.joints[j].total();
    if (clashing[j]) continue;
    blowing_[j] = struck[j] ? Vec6(blowing_[j] + dt * r) : Vec6(Vec6::Zero());
    if (struck[j]) {
      load.blowForce.update(blowing_[j].head<3>().norm(), time);
      load.blowMoment.update(blowing_[j].tail<3>().norm(), time);
      continue;
    }
    ++steps_[j];
    takePeaks(sample.joints[j], time, load);
    load.forceRms += r.head<3>().squaredNorm();  // a sum until finish()
    load.momentRms += r.tail<3>().squaredNorm();
  }
}

void LoadsObserver::takePeaks(const JointWrenches& wrenches, double time, JointLoad& load) {
  const Vec6 r = wrenches.total();
  for (int i = 0; i < 6; ++i) load.component[static_cast<std::size_t>(i)].update(r[i], time);
  load.force.update(r.head<3>().norm(), time);
  load.moment.update(r.tail<3>().norm(), time);
  for (std::size_t c = 0; c < kLoadCauses.size(); ++c) {
    const Vec6 part = wrenches.of(kLoadCauses[c]);
    load.cause[c].force.update(part.head<3>().norm(), time);
    load.cause[c].moment.update(part.tail<3>().norm(), time);
  }
}

void LoadsObserver::takeCouplings(const Sample& sample, const std::vector<char>& leftOut) {
  for (std::size_t k = 0; k < loads_.couplings.size(); ++k) {
    if (leftOut[static_cast<std::size_t>(model_.couplings[k].jointA)]) continue;
    CouplingLoad& load = loads_.couplings[k];
    const auto [a, b] = sample.couplings[k];
    load.effortA.update(a, sample.time);
    load.effortB.update(b, sample.time);
    load.rmsA += a * a;  // a sum until finish()
    load.rmsB += b * b;
    ++load.steps;
  }
}

/// Efforts of servos and effort actuators are those of their laws in a blow, too; those of motions are not.
void LoadsObserver::takeDrives(const Sample& sample, const std::vector<char>& leftOut,
                               const std::vector<char>& clashing) {
  const auto skipped = [&](int joint, int coordinate, const std::vector<char>& steps) {
    return steps[static_cast<std::size_t>(joint)] &&
           model_.joints[static_cast<std::size_t>(joint)]
                   .coordinates[static_cast<std::size_t>(coordinate)]
                   .actuator.kind == Actuator::Kind::Motion;
  };
  for (std::size_t k = 0; k < loads_.drives.size(); ++k) {
    DriveLoad& d = loads_.drives[k];
    const DriveSample& s = sample.drives[k];
    d.speed.update(s.speed, sample.time);
    if (skipped(d.joint, d.coordinate, clashing)) continue;
    (s.work > 0.0 ? d.energy : d.returned) += std::abs(s.work);
    if (s.saturated) d.saturated += model_.step.timestep;
    if (skipped(d.joint, d.coordinate, leftOut)) continue;
    ++d.steps;
    d.effort.update(s.effort, sample.time);
    d.power.update(s.effort * s.speed, sample.time);
    d.effortRms += s.effort * s.effort;  // a sum until finish()
    d.speedRms += s.speed * s.speed;
  }
  for (std::size_t k = 0; k < sample.motors.size(); ++k)
    if (const ActuatorId place = motors_.placeOf(k); !skipped(place.joint, place.coordinate, leftOut))
      motors_.add(k, sample.motors[k], sample.time);
}

void LoadsObserver::takeLimits(const Sample& sample, const std::vector<BlowPlace>& blows) {
  const double dt = model_.step.timestep, time = sample.time;
  std::vector<char> now(openLimits_.size(), 0);
  for (const LimitSample& s : sample.limits) {
    const int c = s.coordinate / 2;
    const bool upper = s.coordinate % 2 != 0;
    now[static_cast<std::size_t>(s.coordinate)] = 1;
    const auto after = std::upper_bound(model_.coordinateStart.begin(), model_.coordinateStart.end(), c);
    const int joint = static_cast<int>(after - model_.coordinateStart.begin()) - 1;
    const BlowPlace place{BlowKind::Limit, joint, c - model_.coordinateStart[static_cast<std::size_t>(joint)],
                          upper};
    int& open = openLimits_[static_cast<std::size_t>(s.coordinate)];
    if (open < 0) {
      open = static_cast<int>(loads_.limits.size());
      LimitHit hit;
      hit.start = time - dt;
      hit.joint = place.a;
      hit.coordinate = place.b;
      hit.upper = upper;
      loads_.limits.push_back(hit);
    }
    LimitHit& hit = loads_.limits[static_cast<std::size_t>(open)];
    hit.end = time;
    if (std::find(sample.clashes.begin(), sample.clashes.end(), place) != sample.clashes.end())
      hit.clashes = true;
    else if (std::find(blows.begin(), blows.end(), place) != blows.end())
      hit.blow.update(runningBlow(place), time);
    else
      hit.effort.update(s.impulse / dt, time);
  }
  for (std::size_t c = 0; c < now.size(); ++c)
    if (!now[c]) openLimits_[c] = -1;
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

void LoadsObserver::takeContacts(const Sample& sample, const std::vector<BlowPlace>& blows) {
  const double dt = model_.step.timestep, time = sample.time;
  const double gap = std::max(kContactGapSteps * dt, kContactGap);
  std::erase_if(openContacts_,
                [&](int index) { return loads_.contacts[static_cast<std::size_t>(index)].end < time - gap; });
  for (const TouchSample& touch : sample.touches) {
    ContactPeriod& c = openContact(touch.bodies, time - dt);
    c.end = time;
    const BlowPlace place{BlowKind::Contact, touch.bodies.first, touch.bodies.second, false};
    if (touch.single > c.single.value) c.point = touch.point;
    if (std::find(blows.begin(), blows.end(), place) != blows.end()) {
      c.blow.update(runningBlow(place), time);
      continue;
    }
    c.force.update(touch.normal, time);
    c.resultant.update(touch.sum.norm(), time);
    c.single.update(touch.single, time);
  }
}

Loads LoadsObserver::finish() {
  while (taken_ < waiting_.size()) take(taken_++);
  const auto count = [](std::int64_t steps) { return static_cast<double>(std::max<std::int64_t>(steps, 1)); };
  for (std::size_t k = 0; k < loads_.joints.size(); ++k) {
    JointLoad& j = loads_.joints[k];
    const double steps = count(steps_[k]);
    j.forceRms = std::sqrt(j.forceRms / steps);
    j.momentRms = std::sqrt(j.momentRms / steps);
  }
  for (CouplingLoad& c : loads_.couplings) {
    const double steps = count(c.steps);
    c.rmsA = std::sqrt(c.rmsA / steps);
    c.rmsB = std::sqrt(c.rmsB / steps);
  }
  for (DriveLoad& d : loads_.drives) {
    const double steps = count(d.steps);
    d.effortRms = std::sqrt(d.effortRms / steps);
    d.speedRms = std::sqrt(d.speedRms / steps);
  }
  loads_.motors = motors_.finish();
  return loads_;
}

}  // namespace grashof
