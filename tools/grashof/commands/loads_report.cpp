#include "tools/grashof/commands/loads_report.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "engine/analysis/assembly.h"
#include "engine/analysis/bearing_remarks.h"
#include "engine/base/error.h"
#include "engine/dynamics/drive.h"
#include "engine/model/user_frames.h"
#include "tools/grashof/commands/motor_report.h"
#include "tools/grashof/motion_clip.h"

namespace grashof {
namespace {

using LoadsJson = nlohmann::ordered_json;

LoadsJson peakJson(const Peak& p) { return {{"value", p.value}, {"time_s", p.time}}; }

/// The parts of a joint's load, by cause.
LoadsJson causesJson(const Model& model, const JointLoad& load, int joint) {
  LoadsJson j = LoadsJson::object();
  for (const LoadCause cause : possibleCauses(model, joint)) {
    const auto c = static_cast<std::size_t>(cause);
    j[std::string(kLoadCauseNames[c])] = {{"force", peakJson(load.cause[c].force)},
                                          {"moment", peakJson(load.cause[c].moment)}};
  }
  return j;
}

LoadsJson couplingsJson(const Model& model, const Loads& loads) {
  LoadsJson j = LoadsJson::array();
  for (std::size_t k = 0; k < loads.couplings.size(); ++k) {
    const Coupling& c = model.couplings[k];
    const CouplingLoad& l = loads.couplings[k];
    j.push_back({{"coupling", c.name},
                 {"type", couplingKind(c.kind)},
                 {"a", coordinateName(model, c.jointA, c.coordinateA)},
                 {"effort_a", peakJson(l.effortA)},
                 {"effort_a_rms", l.rmsA},
                 {"unit_a", effortUnit(model, c.jointA, c.coordinateA)},
                 {"b", coordinateName(model, c.jointB, c.coordinateB)},
                 {"effort_b", peakJson(l.effortB)},
                 {"effort_b_rms", l.rmsB},
                 {"unit_b", effortUnit(model, c.jointB, c.coordinateB)},
                 {"unique", l.unique}});
  }
  return j;
}

/// Blows, limits and contacts.
void addStops(const Model& model, const Loads& loads, LoadsJson& j) {
  j["blows"] = LoadsJson::array();
  for (const Blow& b : loads.blows)
    j["blows"].push_back({{"at", blowName(model, b.place)},
                          {b.place.kind == BlowKind::Motion ? "rate_jump" : "impulse", peakJson(b.impulse)},
                          {"unit", blowUnit(model, b.place)},
                          {"first_s", b.first},
                          {"time_code", timeCode(b.impulse.time)},
                          {"steps", b.count}});
  j["steps_left_out"] = loads.clashingSteps;
  j["limit_hits"] = LoadsJson::array();
  for (const LimitHit& h : loads.limits)
    j["limit_hits"].push_back({{"coordinate", coordinateName(model, h.joint, h.coordinate)},
                               {"limit", h.upper ? "upper" : "lower"},
                               {"start_s", h.start},
                               {"end_s", h.end},
                               {"time_code", timeCode(h.start)},
                               {"effort", peakJson(h.effort)},
                               {"unit", effortUnit(model, h.joint, h.coordinate)},
                               {"blow", peakJson(h.blow)},
                               {"motion_through_limit", h.clashes}});
  j["collisions"] = LoadsJson::array();
  for (const ContactPeriod& c : loads.contacts)
    j["collisions"].push_back({{"a", bodyName(model, c.bodyA)},
                               {"b", bodyName(model, c.bodyB)},
                               {"start_s", c.start},
                               {"end_s", c.end},
                               {"time_code", timeCode(c.start)},
                               {"force", peakJson(c.force)},
                               {"resultant", peakJson(c.resultant)},
                               {"single", peakJson(c.single)},
                               {"blow", peakJson(c.blow)},
                               {"point", {c.point.x(), c.point.y(), c.point.z()}}});
}

}  // namespace

namespace {

bool coordinateTurns(const Model& model, int joint, int coordinate) {
  const auto directions = model.joints[static_cast<std::size_t>(joint)].type->freeDirections();
  return isRotation(directions[static_cast<std::size_t>(coordinate)]);
}

}  // namespace

const char* effortUnit(const Model& model, int joint, int coordinate) {
  return coordinateTurns(model, joint, coordinate) ? "N m" : "N";
}

const char* rateUnit(const Model& model, int joint, int coordinate) {
  return coordinateTurns(model, joint, coordinate) ? "rad/s" : "m/s";
}

const char* blowUnit(const Model& model, const BlowPlace& place) {
  if (place.kind == BlowKind::Contact) return "N s";
  if (place.kind == BlowKind::Motion) return rateUnit(model, place.a, place.b);
  return coordinateTurns(model, place.a, place.b) ? "N m s" : "N s";
}

std::string bodyName(const Model& model, int body) {
  return body < 0 ? "world" : model.bodies[static_cast<std::size_t>(body)].name;
}

std::string blowName(const Model& model, const BlowPlace& place) {
  if (place.kind == BlowKind::Contact)
    return fmt::format("touch {} {}", bodyName(model, place.a), bodyName(model, place.b));
  const std::string coordinate = coordinateName(model, place.a, place.b);
  if (place.kind == BlowKind::Motion) return fmt::format("rate of motion {}", coordinate);
  return fmt::format("limit {} {}", coordinate, place.upper ? "upper" : "lower");
}

std::string clashText(const Loads& loads) {
  if (loads.clashingSteps == 0) return {};
  return fmt::format(
      "loads of {} steps are left out: a motion goes through its limit there, and what both press is without "
      "bound "
      "(keep the motion within the limit, or widen that)",
      loads.clashingSteps);
}

const char* couplingKind(CouplingKind kind) {
  constexpr std::array<const char*, 5> names = {"gear", "screw", "rack-and-pinion", "cam", "linear"};
  return names[static_cast<std::size_t>(kind)];
}

nlohmann::ordered_json loadsJson(const Model& model, const Loads& loads) {
  LoadsJson j;
  j["from_s"] = loads.from;
  j["duration_s"] = loads.duration;
  j["indeterminate"] = loads.degreeOfStaticIndeterminacy;
  const MissingBearingLoads missing = missingBearingLoads(model);
  if (missing.any()) j["bearing_remark"] = missing.text();
  j["joints"] = LoadsJson::array();
  for (std::size_t i = 0; i < loads.joints.size(); ++i) {
    const JointLoad& l = loads.joints[i];
    LoadsJson one = {{"joint", model.joints[i].name}, {"type", model.joints[i].type->name()},
                     {"force", peakJson(l.force)},    {"moment", peakJson(l.moment)},
                     {"force_rms", l.forceRms},       {"moment_rms", l.momentRms}};
    for (std::size_t c = 0; c < 6; ++c) {
      LoadsJson component = peakJson(l.component[c]);
      component["unique"] = l.unique[c];
      one[kLoadComponents[c]] = component;
    }
    if (l.blowForce.value > 0.0 || l.blowMoment.value > 0.0)
      one["blow"] = {{"force_N_s", peakJson(l.blowForce)}, {"moment_N_m_s", peakJson(l.blowMoment)}};
    one["bearing_loads"] = missing.joints[i] == 0;
    one["causes"] = causesJson(model, l, static_cast<int>(i));
    j["joints"].push_back(one);
  }
  j["couplings"] = couplingsJson(model, loads);
  j["drives"] = LoadsJson::array();
  for (const DriveLoad& d : loads.drives)
    j["drives"].push_back({{"coordinate", coordinateName(model, d.joint, d.coordinate)},
                           {"effort", peakJson(d.effort)},
                           {"effort_rms", d.effortRms},
                           {"unit", effortUnit(model, d.joint, d.coordinate)},
                           {"unique", d.unique},
                           {"speed", peakJson(d.speed)},
                           {"speed_rms", d.speedRms},
                           {"speed_unit", rateUnit(model, d.joint, d.coordinate)},
                           {"power", peakJson(d.power)},
                           {"energy_J", d.energy},
                           {"returned_J", d.returned},
                           {"saturated_s", d.saturated}});
  j["motors"] = motorsJson(model, loads);
  addStops(model, loads, j);
  return j;
}

void checkStart(const Scenario& scenario, double from) {
  if (from >= scenario.duration)
    throw InputError(
        fmt::format("--from {:g}: the run ends at {:g} s (give an earlier time)", from, scenario.duration));
}

LoadsRun runLoads(const Scenario& scenario, double from, const LoadsProgress& progress) {
  checkStart(scenario, from);
  auto [rigid, compliance] = rigidForLoads(*scenario.model);
  LoadsRun run;
  run.model = std::make_shared<const Model>(std::move(rigid));
  Simulator simulator(run.model, startState(*run.model));
  simulator.distributeBy(compliance);
  LoadsObserver observer(*run.model, from);
  const std::int64_t steps = scenario.steps();
  observer.observe(simulator);
  drive(simulator, steps, [&](const Simulator& s, const DriveCounts& soFar) {
    observer.observe(s);
    return !progress || progress(s, soFar.steps, steps);
  });
  run.loads = observer.finish();
  run.divergence = simulator.diverged();
  return run;
}

}  // namespace grashof
