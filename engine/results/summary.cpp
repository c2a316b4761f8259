#include "engine/results/summary.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/model/user_frames.h"

namespace grashof {
namespace {

constexpr double kDriftWarning = 0.05;
constexpr double kProjectionWarning = 10.0;  // times the tolerance of the projection
constexpr double kStabilityWarning = 2.0;    // ω Δt above which an explicit oscillation grows
constexpr double kStabilityAdvised = 1.5;
constexpr double kTurnWarning = 0.3;     // rad a step
constexpr double kLeapWarning = 10.0;    // see StepReport::leap
constexpr double kBeyondWarning = 1e-6;  // m, rad

using SummaryJson = nlohmann::ordered_json;

SummaryJson energyJson(const RunResult& r, const Simulator& simulator) {
  const Energy start = simulator.initialEnergy(), end = simulator.report().energy;
  return {{"start", start.total()},
          {"end", end.total()},
          {"actuators", simulator.energyFlow().actuators},
          {"external", simulator.energyFlow().external},
          {"dissipated", simulator.energyFlow().dissipated},
          {"drift", simulator.energyDrift()},
          {"max_relative_drift", r.maxRelativeDrift}};
}

SummaryJson verificationJson(const Verification& v, const Model& model) {
  const auto name = [&](int body) { return body < 0 ? std::string() : model.bodies[body].name; };
  SummaryJson j = {{"finer", v.finer},
                   {"position", v.position},
                   {"position_body", name(v.positionBody)},
                   {"position_time", v.positionTime},
                   {"angle", v.angle},
                   {"angle_body", name(v.angleBody)},
                   {"angle_time", v.angleTime},
                   {"digits", v.digits()}};
  if (!v.ended.empty()) j["ended"] = v.ended;
  return j;
}

bool hasMotions(const Model& model) {
  for (const Joint& joint : model.joints)
    for (const JointCoordinate& c : joint.coordinates)
      if (c.actuator.kind == Actuator::Kind::Motion) return true;
  return false;
}

}  // namespace

void Statistics::add(double x) {
  max = std::max(max, x);
  sumOfSquares += x * x;
}

double Statistics::rms(std::int64_t count) const {
  return count > 0 ? std::sqrt(sumOfSquares / static_cast<double>(count)) : 0.0;
}

void RunResult::add(const Simulator& simulator) {
  const StepReport& report = simulator.report();
  ++steps;
  if (report.jointResidual > jointResidual.max) jointResidualTime = simulator.state().time;
  jointResidual.add(report.jointResidual);
  limitViolation.add(report.limitViolation);
  penetration.add(report.penetration);
  iterations.add(report.iterations);
  stability.add(report.stability);
  // Over all that the run moves: what its first steps move is as small as the error of a step.
  maxDrift = std::max(maxDrift, std::abs(simulator.energyDrift()));
  maxRelativeDrift = simulator.relativeEnergy(maxDrift);
  ++methods[static_cast<std::size_t>(report.method)];
  solved += report.status == SolveStatus::Solved;
  stalled += report.status == SolveStatus::Stalled;
  hitIterationLimit += report.status == SolveStatus::IterationLimit;
  smooth += report.smooth;
  held += report.held > 0;
  if (report.held > 0 && heldBody < 0) {
    heldBody = report.heldBody;
    heldTime = simulator.state().time;
  }
  atRounding += report.atRounding;
  worseThanNone += report.worseThanNone;
  solverResidual.add(report.solverResidual);
  if (report.status != SolveStatus::Solved) worstUnsolved = std::max(worstUnsolved, report.solverResidual);
  if (jumpedJoint < 0 && report.jumpedJoint >= 0) {
    jumpedJoint = report.jumpedJoint;
    jumpTime = simulator.state().time;
  }
  if (jumpedBushing < 0 && report.jumpedBushing >= 0) {
    jumpedBushing = report.jumpedBushing;
    bushingJumpTime = simulator.state().time;
  }
  if (report.turn > turn) {
    turn = report.turn;
    turningBody = report.turningBody;
    turnTime = simulator.state().time;
  }
  addCommands(simulator);
  if (report.leap > leap) {
    leap = report.leap;
    leapingBody = report.leapingBody;
    leapTime = simulator.state().time;
  }
}

/// Prescribed motions that a controller drives beyond the limit of their coordinate. What signals do is known
/// before the run, see motionRemarks().
void RunResult::addCommands(const Simulator& simulator) {
  const std::vector<double>& commands = simulator.inputs().control;
  const std::span<const ActuatorId> actuators = simulator.actuators();
  for (std::size_t k = 0; k < commands.size(); ++k) {
    const JointCoordinate& c =
        simulator.model().joints[actuators[k].joint].coordinates[actuators[k].coordinate];
    if (c.actuator.kind != Actuator::Kind::Motion || std::isnan(commands[k])) continue;
    const double beyond = -c.limit.gap(commands[k]);
    if (!(beyond > std::max(beyondLimit, kBeyondWarning))) continue;
    beyondLimit = beyond;
    beyondActuator = static_cast<int>(k);
    beyondValue = commands[k];
    beyondTime = simulator.state().time;
  }
}

void RunResult::archive(Archive& archive) {
  archive(steps, wallTime, jointResidual, limitViolation, penetration, iterations, stability, maxDrift,
          maxRelativeDrift, solved, stalled, hitIterationLimit, atRounding, worseThanNone, solverResidual,
          worstUnsolved, methods, jumpedJoint, jumpTime, jumpedBushing, bushingJumpTime, jointResidualTime,
          turn, turningBody, turnTime, leap, leapingBody, leapTime, smooth, held, heldBody, heldTime,
          beyondLimit, beyondActuator, beyondValue, beyondTime);
}

bool RunResult::passed() const {
  return std::all_of(checks.begin(), checks.end(), [](const CheckResult& c) { return c.passed; });
}

namespace {

/// What bodies did that a step does not follow: turns by which coordinates jump, fast turns and flights.
void addFastBodies(const Model& model, const RunResult& r, std::vector<std::string>& all) {
  if (r.jumpedJoint >= 0)
    all.push_back(fmt::format(
        "the coordinates of joint '{}' jumped at {:.6g} s, as a rotation vector does at half a turn and "
        "Euler angles at gimbal lock: springs and limits on them now act in the wrong direction (keep the "
        "joint from "
        "turning so far, or build it of hinges, whose angles count turns)",
        model.joints[static_cast<std::size_t>(r.jumpedJoint)].name, r.jumpTime));
  if (r.jumpedBushing >= 0)
    all.push_back(fmt::format(
        "bushing '{}' turned by more than half a turn at {:.6g} s: its rotation vector jumped, and its "
        "moments now act in the wrong direction (keep its bodies from turning so far, or build it of a joint "
        "whose "
        "angles "
        "count turns, with springs)",
        model.bushings[static_cast<std::size_t>(r.jumpedBushing)].name, r.bushingJumpTime));
  if (r.turn > kTurnWarning)
    all.push_back(fmt::format(
        "body '{}' turns by up to {:.3g} rad a step (at {:.6g} s): its free rotation, what a bearing on its "
        "axis carries and counted turns are exact at any speed, but contacts of its shapes, forces fixed to "
        "it, the angle of a free frame that carries it, masses that orbit with it, joints off its axis and "
        "recorded channels see one place a step (a "
        "timestep of {:.2g} s keeps it below {:g} rad)",
        model.bodies[static_cast<std::size_t>(r.turningBody)].name, r.turn, r.turnTime,
        model.step.timestep * kTurnWarning / r.turn, kTurnWarning));
  if (r.leap > kLeapWarning)
    all.push_back(fmt::format(
        "body '{}' meets another shape at {:.3g} times half the thickness of the thinner one a step "
        "(at {:.6g} s): a blow at a corner turns it within that step, and it may end behind that shape "
        "(a timestep of {:.2g} s follows it)",
        model.bodies[static_cast<std::size_t>(r.leapingBody)].name, r.leap, r.leapTime,
        model.step.timestep * kLeapWarning / r.leap));
}

void addCommandsBeyondLimits(const Model& model, const RunResult& r, std::vector<std::string>& all) {
  if (r.beyondActuator < 0) return;
  const ActuatorId id = actuatorsOf(model)[static_cast<std::size_t>(r.beyondActuator)];
  const Joint& joint = model.joints[id.joint];
  const Limit& limit = joint.coordinates[id.coordinate].limit;
  const bool upper = r.beyondValue > limit.upper;
  const char* unit = isRotation(joint.type->freeDirections()[id.coordinate]) ? "rad" : "m";
  all.push_back(fmt::format(
      "the control drove the motion of joint '{}' to {:.5g} {} at {:.4g} s, beyond its {} limit {:.5g} {}: "
      "motion and limit press against each other without bound, and their efforts mean nothing (keep the "
      "control within the limit)",
      coordinateName(model, id.joint, id.coordinate), r.beyondValue, unit, r.beyondTime,
      upper ? "upper" : "lower", upper ? limit.upper : limit.lower, unit));
}

}  // namespace

std::vector<std::string> runWarnings(const Scenario& scenario, const RunResult& r) {
  std::vector<std::string> all;
  const StepOptions& step = scenario.model->step;
  const SolverOptions& solver = scenario.model->solver;
  const double n = static_cast<double>(std::max<std::int64_t>(r.steps, 1));
  if (const std::int64_t missed = r.hitIterationLimit + r.stalled; missed > 0)
    all.push_back(fmt::format(
        "the solver did not reach its tolerance {:g}{} in {:.2g} % of the steps ({} hit the "
        "iteration limit, {} stalled{}; the largest residual was {:.2g})",
        solver.tolerance, solver.toleranceKind == ToleranceKind::Absolute ? " (absolute)" : "",
        100.0 * static_cast<double>(missed) / n, r.hitIterationLimit, r.stalled,
        r.worseThanNone > 0 ? fmt::format(", {} worse than no impulse at all", r.worseThanNone) : "",
        r.worstUnsolved));
  if (r.held > 0)
    all.push_back(fmt::format(
        "limits or contacts pressed against what joints and motions hold, in {:.2g} % of the steps, first at "
        "{:.6g} s on body '{}': no motion answers to their forces, which were taken as small as they can be, "
        "and a penetration stays (move the limit, the motion or the shape)",
        100.0 * static_cast<double>(r.held) / n, r.heldTime,
        scenario.model->bodies[static_cast<std::size_t>(r.heldBody)].name));
  if (step.projection && r.jointResidual.max > kProjectionWarning * step.projectionTolerance)
    all.push_back(fmt::format(
        "the joints were off by up to {:.3g} at {:.6g} s, more than projection-tolerance {:g}{}",
        r.jointResidual.max, r.jointResidualTime, step.projectionTolerance,
        hasMotions(*scenario.model) ? ": past a dead point, or against another motion, no poses fit a "
                                      "prescribed motion (see how far it can go with 'grashof analyze')"
                                    : ""));
  if (r.maxRelativeDrift > kDriftWarning)
    all.push_back(
        fmt::format("the energy balance was off by up to {:.2g} % of the energy moved (a smaller timestep "
                    "would tell whether the motion can be trusted)",
                    100.0 * r.maxRelativeDrift));
  if (!step.geometricStiffness && r.stability.max > kStabilityWarning)
    all.push_back(fmt::format(
        "taut links swing sideways too fast for the step (omega dt up to {:.2g}, more than 2 can blow up): "
        "geometric-stiffness=\"true\" in options, or a timestep {:.2g} times smaller, keeps them",
        r.stability.max, r.stability.max / kStabilityAdvised));
  addFastBodies(*scenario.model, r, all);
  addCommandsBeyondLimits(*scenario.model, r, all);
  if (r.divergence)
    all.push_back(fmt::format("diverged at {:.6g} s: {}", r.divergence->time, r.divergence->reason));
  if (!r.interrupted.empty())
    all.push_back(fmt::format("interrupted by {} after {} steps, at {:.6g} s of {:g} s", r.interrupted,
                              r.steps, static_cast<double>(r.steps) * step.timestep, scenario.duration));
  return all;
}

std::string summaryJson(const Scenario& scenario, const RunResult& r, const Simulator& simulator) {
  using Json = SummaryJson;
  const Model& model = *scenario.model;
  const auto statistics = [&](const Statistics& s) { return Json{{"max", s.max}, {"rms", s.rms(r.steps)}}; };
  Json j;
  j["scenario"] = scenario.name;
  j["file"] = scenario.file;
  j["bodies"] = model.bodies.size();
  j["joints"] = model.joints.size();
  j["timestep_s"] = model.step.timestep;
  j["duration_s"] = scenario.duration;
  j["integrator"] = kIntegratorNames[static_cast<std::size_t>(model.step.integrator)];
  if (model.step.integrator == Integrator::Auto) j["smooth_steps"] = r.smooth;
  if (r.held > 0) j["held_steps"] = r.held;
  if (r.verification) j["verification"] = verificationJson(*r.verification, model);
  j["solver"] = model.solver.name;
  j["steps"] = r.steps;
  j["simulated_s"] = simulator.state().time;
  j["wall_time_s"] = r.wallTime;
  j["real_time_factor"] = r.wallTime > 0.0 ? simulator.state().time / r.wallTime : 0.0;
  if (r.times.total() > 0.0)
    j["stages_s"] = {{"integrate", r.times.integrate}, {"project", r.times.project},
                     {"collide", r.times.collide},     {"assemble", r.times.assemble},
                     {"solve", r.times.solve},         {"measure", r.times.measure}};
  j["residuals"] = {{"joint", statistics(r.jointResidual)},
                    {"limit", statistics(r.limitViolation)},
                    {"penetration", statistics(r.penetration)},
                    {"solver", statistics(r.solverResidual)}};
  j["energy_J"] = energyJson(r, simulator);
  j["stability_number"] = r.stability.max;
  j["iterations"] = {{"max", r.iterations.max},
                     {"rms", r.iterations.rms(r.steps)},
                     {"solved", r.solved},
                     {"at_rounding", r.atRounding},
                     {"stalled", r.stalled},
                     {"limit", r.hitIterationLimit},
                     {"worse_than_none", r.worseThanNone}};
  if (r.methods[static_cast<std::size_t>(Method::Single)] < r.steps)
    for (const auto& [method, name] : {std::pair(Method::Linear, "linear"),
                                       {Method::WarmStart, "warm-start"},
                                       {Method::Newton, "NEWTON-NCP"},
                                       {Method::InteriorPoint, "IPM-NCP"},
                                       {Method::Admm, "ADMM"}})
      j["methods"][name] = r.methods[static_cast<std::size_t>(method)];
  j["diverged"] =
      r.divergence ? Json{{"time_s", r.divergence->time}, {"reason", r.divergence->reason}} : Json(false);
  j["interrupted"] = r.interrupted.empty()
                         ? Json(false)
                         : Json{{"time_s", simulator.state().time}, {"reason", r.interrupted}};
  j["expect"] = Json::array();
  for (const CheckResult& x : r.checks)
    j["expect"].push_back(
        {{"condition", x.text}, {"passed", x.passed}, {"value", x.value}, {"time_s", x.time}});
  j["passed"] = r.passed();
  j["warnings"] = r.warnings;
  return j.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace grashof
