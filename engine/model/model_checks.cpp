// Checks of values that have a range of their own.
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "engine/model/model_content.h"
#include "engine/model/solver_checks.h"

namespace grashof {
namespace {

void checkStep(const StepOptions& o, const Where& where, Defects& defects) {
  defects.number(where, "timestep", o.timestep, {1e-9, 1.0, false});
  defects.number(where, "tolerance", o.tolerance, {1e-13, 1e-1, false});
  defects.number(where, "projection-tolerance", o.projectionTolerance, {1e-15, 1.0, false});
  defects.number(where, "restitution-threshold", o.restitutionThreshold, kNotNegative);
  defects.number(where, "contact-margin", o.contactMargin, kNotNegative);
  defects.number(where, "limit-margin", o.limitMargin, kNotNegative);
  defects.number(where, "divergence-speed", o.divergenceSpeed, kPositive);
  defects.number(where, "divergence-residual", o.divergenceResidual, kPositive);
  defects.number(where, "divergence-energy", o.divergenceEnergy, kPositive);
}

constexpr int kMostFacets = 256;  // 1e-4 from the cone; the matrices of LCP-LEMKE grow with their square

void checkStabilization(const Stabilization& s, bool projection, const Where& where, Defects& defects) {
  defects.number(where, "alpha", s.alpha, kShare);
  defects.number(where, "decay-rate", s.decayRate, kNotNegative);
  if (s.decayRate > 0.0 && s.alpha > 0.0)
    defects.report(where, "alpha and decay-rate exclude each other (keep one)");
  if (s.decayRate > 0.0 && projection)
    defects.report(
        where,
        "decay-rate does nothing where joints are projected (add projection=\"false\" to options, or "
        "leave it out)");
  defects.number(where, "beta", s.beta, kShare);
  defects.number(where, "gamma", s.gamma, kShare);
  defects.number(where, "margin", s.margin, {-1.0, 1.0, false});
  defects.number(where, "max-recovery-speed", s.maxRecoverySpeed, kNotNegative);
}

void checkLimit(const Limit& limit, const Where& where, Defects& defects) {
  if (limit.lower != kAny.lower) defects.number(where, "lower", limit.lower);
  if (limit.upper != kAny.upper) defects.number(where, "upper", limit.upper);
  if (limit.lower > limit.upper) defects.report(where, "lower is larger than upper (swap them)");
  checkSoftness(limit.softness, where, defects);
}

void checkActuator(const Actuator& a, const Where& where, std::size_t signals, std::size_t motors,
                   Defects& defects) {
  if (a.kind == Actuator::Kind::None) return;
  if (a.signal == SignalId::kUnset || a.signal == -1)
    defects.report(where, missingDefect("motion"));
  else if (SignalId{a.signal} != SignalId::reported() && !usable(SignalId{a.signal}, signals))
    defects.report(where,
                   fmt::format("motion={}: there is no such motion ({} are known)", a.signal, signals));
  if (a.kind == Actuator::Kind::Position) {
    defects.number(where, "kp", a.proportionalGain, kPositive);
    defects.number(where, "kd", a.derivativeGain, kNotNegative);
  } else if (a.kind == Actuator::Kind::Velocity) {
    defects.number(where, "kd", a.derivativeGain, kPositive);
  }
  if (a.motor >= 0 && !usable(MotorId{a.motor}, motors))
    defects.report(where, fmt::format("motor={}: there is no such motor ({} are known)", a.motor, motors));
  if (a.effortLimit != kAny.upper) defects.number(where, "effort-limit", a.effortLimit, kPositive);
}

void checkFriction(const PassiveDynamics& p, const Where& where, Defects& defects) {
  defects.number(where, "static-ratio", p.staticRatio, {1.0, 1e3, false});
  defects.number(where, "stribeck-speed", p.stribeckSpeed, kPositive);
  defects.number(where, "friction-coefficient", p.bearing.coefficient, {0.0, kMostFriction, false});
  defects.number(where, "journal-radius", p.bearing.radius, kNotNegative);
  defects.number(where, "thrust-radius", p.bearing.thrustRadius, kNotNegative);
  defects.number(where, "bearing-length", p.bearing.length, kNotNegative);
  const BearingFriction& b = p.bearing;
  if (b.coefficient == 0.0 && (b.radius > 0.0 || b.thrustRadius > 0.0 || b.length > 0.0))
    defects.report(where,
                   "journal-radius, thrust-radius and bearing-length do nothing without friction-coefficient "
                   "(give it, or remove them)");
  if (!p.frictional() && p.staticRatio > 1.0)
    defects.report(where, "static-ratio does nothing without friction or friction-coefficient (give one)");
}

void checkHeights(const Shape& shape, const Where& where, Defects& defects) {
  if (!shape.heights) return defects.report(where, "has no heights (give a grid)");
  const HeightGrid& grid = *shape.heights;
  defects.number(where, "spacing", grid.spacing, kPositive);
  if (grid.columns < 2 || grid.rows < 2 ||
      grid.heights.size() != static_cast<std::size_t>(grid.columns) * static_cast<std::size_t>(grid.rows))
    defects.report(where, fmt::format("has {} heights in {} x {} (needs at least 2 x 2, row by row)",
                                      grid.heights.size(), grid.columns, grid.rows));
  for (const double h : grid.heights)
    if (!std::isfinite(h)) return defects.report(where, "holds a height that is not finite (mend it)");
}

}  // namespace

void checkSolver(const SolverOptions& o, const Where& where, Defects& defects) {
  std::vector<std::string> names;
  for (const SolverEntry& entry : solverRegistry()) names.emplace_back(entry.name);
  if (std::find(names.begin(), names.end(), o.name) == names.end())
    defects.report(where, wordDefect("name", o.name, names));
  defects.number(where, "tolerance", o.tolerance, {1e-14, 1.0, false});
  defects.integer(where, "max-iterations", o.maxIterations, 1, 10000000);
  defects.number(where, "proximal", o.proximal, {1e-15, 1.0, false});
  defects.number(where, "joint-proximal", o.jointProximal, {1e-15, 1.0, false});
  defects.number(where, "penalty-exponent", o.penaltyExponent, {-0.5, 1.0, false});
  defects.number(where, "penalty-step", o.penaltyStep, {0.0, 1.0, false});
  defects.number(where, "penalty-threshold", o.penaltyThreshold, {1.0, 1e9, true});
  defects.number(where, "penalty", o.penalty, {1e-9, 1e9, false});
  defects.number(where, "penalty-factor", o.penaltyFactor, {1.0, 1e3, true});
  defects.number(where, "relaxation", o.relaxation, {0.0, 2.0, true});
  defects.number(where, "relaxation-decay", o.relaxationDecay, kShare);
  defects.number(where, "relaxation-min", o.relaxationMin, {0.0, 2.0, true});
  if (o.facets < 4 || o.facets > kMostFacets || o.facets % 2 != 0)
    defects.report(where, fmt::format("facets=\"{}\" is not allowed (needs an even number from 4 to {})",
                                      o.facets, kMostFacets));
  defects.number(where, "stiction-regularization", o.regularization.stiction, {0.0, 1.0, true});
  defects.number(where, "near-rigid", o.regularization.nearRigid, {1e-3, 1e3, false});
}

void checkSettings(const ModelContent& content, Defects& defects) {
  const SettingsWhere& where = content.settingsWhere;
  checkStep(content.settings.step, where.options, defects);
  defects.vector(where.options, "gravity", content.settings.gravity);
  checkSolver(content.settings.solver, where.solver, defects);
  checkStabilization(content.settings.stabilization, content.settings.step.projection, where.stabilization,
                     defects);
}

void checkSoftness(const Softness& s, const Where& where, Defects& defects) {
  defects.number(where, "compliance", s.compliance, kNotNegative);
  defects.number(where, "erp", s.erp, kShare);
  defects.number(where, "cfm", s.cfm, kNotNegative);
  if (s.kind != Softness::Kind::Impedance) return;
  const auto in01 = [](double x) { return x > 0.0 && x < 1.0; };
  if (!in01(s.impedance0) || !in01(s.impedanceWidth) || !within(s.width, kPositive) || !in01(s.midpoint) ||
      !within(s.power, {1.0, kAny.upper, false}))
    defects.report(
        where,
        "impedance must be d0 dw width midpoint power with d0, dw, midpoint in (0, 1), width > 0, power >= "
        "1 (0.9 0.95 0.001 0.5 2 is usual)");
  if (!within(s.timeConstant, kPositive) || !within(s.dampingRatio, kPositive))
    defects.report(where, "reference must be a time constant > 0 (s) and a damping ratio > 0");
  defects.number(where, "mobility", s.mobility, kNotNegative);
  defects.number(where, "impedance-ratio", s.impedanceRatio, kPositive);
}

void checkMotor(const Motor& m, const Where& where, Defects& defects) {
  defects.number(where, "gear-ratio", m.gearRatio, kPositive);
  defects.number(where, "efficiency", m.efficiency, {0.0, 1.0, true});
  defects.number(where, "back-efficiency", m.backEfficiency, {0.0, 1.0, true});
  defects.number(where, "rotor-inertia", m.rotorInertia, kNotNegative);
  const std::pair<const char*, double> ratings[] = {{"stall-torque", m.stallTorque},
                                                    {"no-load-speed", m.noLoadSpeed},
                                                    {"torque-limit", m.torqueLimit},
                                                    {"speed-limit", m.speedLimit},
                                                    {"rms-torque", m.rmsTorque}};
  for (const auto& [name, value] : ratings)
    if (value != Motor::kNone) defects.number(where, name, value, kPositive);
  defects.number(where, "torque-constant", m.torqueConstant, kNotNegative);
  defects.number(where, "resistance", m.resistance, kNotNegative);
  defects.number(where, "voltage", m.voltage, kNotNegative);
  if (m.voltage > 0.0 && !(m.torqueConstant > 0.0))
    defects.report(where,
                   "voltage without torque-constant says nothing of torque and speed (give torque-constant "
                   "and resistance, or stall-torque and no-load-speed)");
  else if (m.noLoad() < Motor::kNone && !(m.stall() < Motor::kNone))
    defects.report(where,
                   "the no-load speed alone makes no torque-speed line (give stall-torque, or voltage, "
                   "torque-constant and resistance)");
}

void checkShape(const Shape& shape, const Where& where, Defects& defects) {
  defects.pose(where, shape.pose);
  defects.vector(where, "friction-direction", shape.frictionDirection);
  defects.vector(where, "surface-velocity", shape.surfaceVelocity);
  defects.number(where, "resolution", shape.resolution, kNotNegative);
  defects.number(where, "thickness", shape.thickness, kNotNegative);
  switch (shape.type) {
    case ShapeType::Plane:
      return;
    case ShapeType::Box:
    case ShapeType::Ellipsoid:
      if (!(shape.size.minCoeff() > 0.0) || !shape.size.allFinite())
        defects.report(where, "size must be three lengths > 0 (m)");
      return;
    case ShapeType::Capsule:
    case ShapeType::Cylinder:
    case ShapeType::Cone:
      defects.number(where, "length", shape.length, kPositive);
      [[fallthrough]];
    case ShapeType::Sphere:
      return defects.number(where, "radius", shape.radius, kPositive);
    case ShapeType::Hull:
    case ShapeType::Mesh:
      if (!shape.mesh || shape.mesh->triangles.empty())
        defects.report(where, "has no triangles (give a mesh)");
      return;
    case ShapeType::HeightField:
      return checkHeights(shape, where, defects);
  }
}

void checkCoordinate(const JointCoordinate& coordinate, const ModelContent::CoordinateWhere& where,
                     std::size_t signals, std::size_t motors, Defects& defects) {
  if (coordinate.limit.bounded() || std::isnan(coordinate.limit.lower) || std::isnan(coordinate.limit.upper))
    checkLimit(coordinate.limit, where.limit, defects);
  const PassiveDynamics& p = coordinate.passive;
  defects.number(where.dynamics, "stiffness", p.stiffness, kNotNegative);
  defects.number(where.dynamics, "rest", p.rest);
  defects.number(where.dynamics, "damping", p.damping, kNotNegative);
  defects.number(where.dynamics, "armature", p.armature, kNotNegative);
  defects.number(where.dynamics, "friction", p.dryFriction, kNotNegative);
  checkFriction(p, where.dynamics, defects);
  checkActuator(coordinate.actuator, where.actuator, signals, motors, defects);
}

}  // namespace grashof
