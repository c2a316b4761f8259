#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/analysis/assembly.h"
#include "engine/analysis/posed_start.h"
#include "engine/model/user_frames.h"
#include "tools/convert/adm_context.h"

namespace grashof::convert {
namespace {

constexpr double kFits = 1e-9;       // m, rad: an error of the poses that is not worth a line
constexpr double kMovedLine = 1e-6;  // m, rad: of what the start moved

/// The model in which motions hold what joints ask for at the start.
std::shared_ptr<const Model> withStarts(const AdmContext& c, const Model& model) {
  ModelBuilder builder(model);
  for (const AdmStart& start : c.starts) {
    Actuator& actuator = builder.coordinate(start.joint, start.coordinate).actuator;
    if (actuator.kind == Actuator::Kind::Motion) continue;
    Signal line;
    line.name = fmt::format("start {}", builder.numSignals());
    line.kind = Signal::Kind::Series;
    line.times = {0.0, 1.0};
    line.values = {start.value, start.value + start.rate};
    line.interpolation = Interpolation::Linear;
    actuator = {};
    actuator.kind = Actuator::Kind::Motion;
    actuator.signal = builder.addSignal(std::move(line)).value;
  }
  return builder.build();
}

/// How far the start moved the bodies, m, rad.
double movedBy(const Model& model, const State& state) {
  double most = 0.0;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Pose& before = model.bodies[b].initialPose;
    most = std::max({most, (state.poses[b].position - before.position).norm(),
                     logRotation(before.rotation.conjugate() * state.poses[b].rotation).norm()});
  }
  return most;
}

/// A force whose points the start brought together.
void checkLines(const AdmContext& c, const Model& model, const State& state) {
  const auto place = [&](int body, const Vec3& point) {
    return body < 0 ? point : state.poses[static_cast<std::size_t>(body)] * point;
  };
  for (const ForceElement& f : model.forces)
    if (!f.onJoint() && !f.onSum() && (place(f.bodyA, f.pointA) - place(f.bodyB, f.pointB)).norm() <= kFits)
      throw InputError(std::vector<Diagnostic>{
          {c.file, 0, f.name,
           "I and J of this force coincide at the start, so that it has no direction (move one)"}});
}

}  // namespace

std::shared_ptr<const Model> assembledAdm(AdmContext& c) {
  std::shared_ptr<const Model> given = c.builder.build();
  if (given->joints.empty()) return given;
  const std::shared_ptr<const Model> held = withStarts(c, *given);
  State state = held->initialState();
  AssemblyResult result;
  {
    std::vector<JointGeometry> geometry(held->joints.size());
    evaluateJoints(*held, state.poses, state.coordinates, geometry);
    result.violation = jointViolation(*held, geometry, 0.0);
  }
  if (!(result.violation <= kFits)) {
    result = assembleMechanism(*held, state);
    if (!result.assembled)
      throw InputError(std::vector<Diagnostic>{
          {c.file, 0, given->name,
           "the parts cannot be brought onto the joints and motions: " + assemblyFailure(*held, result)}});
    c.report.residual = result.violation;
    c.report.assemblyIterations = result.iterations;
    if (const double moved = movedBy(*given, state); moved > kMovedLine)
      c.report.assumed.push_back(fmt::format(
          "parts do not fit their joints, motions or IC: moved by up to {:.3g} m or rad at the start",
          moved));
  }
  PosedStart start(*held, state);
  start.projectTwists(0.0);
  checkLines(c, *held, start.state);
  c.builder.setInitialPoses(start.state.poses);
  c.builder.setInitialTwists(start.state.twists);
  return c.builder.build();
}

}  // namespace grashof::convert
