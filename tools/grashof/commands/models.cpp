#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/dynamics/simulator.h"
#include "engine/model/model_builder.h"
#include "engine/scenario/solver_options.h"
#include "solvers/problem/residuals.h"
#include "tools/grashof/commands/bench.h"
#include "tools/grashof/commands/run_options.h"
#include "tools/grashof/commands/solver_names.h"
#include "tools/grashof/json_output.h"

namespace grashof {
namespace {

struct ModelsArguments {
  std::vector<std::string> solvers;  ///< empty: all
  std::vector<std::string> set;      ///< PATH=VALUE, attributes of <solver>
  bool json = false;
};

constexpr double kEdge = 0.1, kSpeed = 3.0, kFriction = 0.4, kGravity = 9.81;
constexpr std::array<double, 4> kRatios = {1.0, 1e2, 1e4, 1e6};

/// Cubes on top of each other, on a plane.
struct Cubes {
  SolverOptions solver{};
  std::vector<double> masses = {1.0};    ///< kg
  double timestep = 1e-3;                ///< s
  Vec3 gravity = Vec3(0.0, 0.0, -9.81);  ///< m/s²
  Vec3 velocity = Vec3::Zero();          ///< of all, m/s
};

std::shared_ptr<const Model> modelOf(const Cubes& cubes) {
  ModelBuilder b("cubes");
  b.material(kDefaultMaterial).surface.friction = kFriction;
  b.options().timestep = cubes.timestep;
  b.gravity() = cubes.gravity;
  b.solver() = cubes.solver;
  b.solver().tolerance = 1e-9;
  b.solver().toleranceKind = ToleranceKind::Absolute;
  b.solver().maxIterations = 2000;
  b.addShape(kWorldBody, planeShape());
  for (const double mass : cubes.masses) {
    const int i = b.numBodies();
    const BodyId cube = b.addBody({.name = fmt::format("cube{}", i),
                                   .pose = at(0.0, 0.0, (0.5 + i) * kEdge),
                                   .velocity = cubes.velocity});
    b.addShape(cube, boxShape(Vec3::Constant(kEdge)), {.mass = mass});
  }
  return b.build();
}

struct Slide {
  double distance = 0.0;  ///< along the initial velocity, m
  double sideways = 0.0;  ///< across it, m
  double lift = 0.0;      ///< highest, m
};

/// A cube that starts at kSpeed, 30 degrees off the axes of its contact frames, until it rests.
Slide slide(const SolverOptions& solver, double timestep) {
  const Vec3 along(std::cos(0.5235987755982988), 0.5, 0.0);
  Simulator simulator(modelOf({.solver = solver, .timestep = timestep, .velocity = kSpeed * along}));
  Slide result;
  const double end = 1.2 * kSpeed / (kFriction * kGravity);
  while (simulator.state().time < end && !simulator.diverged()) {
    simulator.step();
    result.lift = std::max(result.lift, simulator.state().poses[0].position.z() - 0.5 * kEdge);
  }
  const Vec3 position = simulator.state().poses[0].position;
  result.distance = position.dot(along);
  result.sideways = std::abs(along.x() * position.y() - along.y() * position.x());
  return result;
}

/// A cube that starts to slide by itself, gravity leaning by 2 μ: its height at the end over Δt μ v, where
/// Anitescu's analysis of the convex relaxation puts it.
double floating(const SolverOptions& solver, double timestep) {
  const Vec3 gravity(2.0 * kFriction * kGravity, 0.0, -kGravity);
  Simulator simulator(modelOf({.solver = solver, .timestep = timestep, .gravity = gravity}));
  while (simulator.state().time < 0.2 && !simulator.diverged()) simulator.step();
  const double speed = simulator.state().twists[0].x();
  return (simulator.state().poses[0].position.z() - 0.5 * kEdge) / (timestep * kFriction * speed);
}

/// First step of a cube held by friction against gravity that leans by 0.1: how much more friction its four
/// contacts carry than is needed, as a share of it. Internal forces do no work and have no cause.
double internalForce(const SolverOptions& solver) {
  Simulator simulator(modelOf({.solver = solver, .gravity = Vec3(0.1 * kGravity, 0.0, -kGravity)}));
  simulator.step();
  double carried = 0.0;
  Vec3 total = Vec3::Zero();
  for (std::size_t k = 0; k < simulator.contacts().size(); ++k) {
    const int row = simulator.problem().contactRow(static_cast<int>(k));
    const double* lambda = simulator.solution().impulse.data() + row;
    const Mat3& frame = simulator.contacts()[k].frame;
    const Vec3 tangent = frame.col(0) * lambda[0] + frame.col(1) * lambda[1];
    carried += tangent.norm();
    total += tangent;
  }
  return carried / std::max(total.norm(), 1e-300) - 1.0;
}

/// A heavy cube on one of 1 kg, pushed at 0.5 m/s: the largest velocity by which a contact of the first step
/// breaks the NCP, as a share of what gravity makes in a step.
double stackError(const SolverOptions& solver, double ratio) {
  Simulator simulator(modelOf({.solver = solver, .masses = {1.0, ratio}, .velocity = Vec3(0.5, 0.0, 0.0)}));
  simulator.step();
  const Residuals r = measureResiduals(simulator.problem(), simulator.solution().impulse);
  return r.dual / (kGravity * 1e-3);
}

struct PrecisionRow {
  std::string solver;
  Slide fine, coarse;
  double floatFine = 0.0, floatCoarse = 0.0;
  double internal = 0.0;
  std::array<double, kRatios.size()> stack{};
};

int benchModels(const ModelsArguments& a) {
  std::vector<std::string> names = a.solvers;
  for (const std::string& name : names) findSolver(name);
  if (names.empty())
    for (const SolverEntry& entry : solverRegistry()) names.emplace_back(entry.name);
  SolverOptions solver = solverOptions(overridesOf(a.set));
  const double stop = 0.5 * kSpeed * kSpeed / (kFriction * kGravity);
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  if (!a.json)
    fmt::print(
        "| solver | sideways, mm | hop, mm | float at 1 ms | at 4 ms | distance error at 1 ms | at 4 ms | "
        "internal friction | broken at ratio 1 | 1e2 | 1e4 | 1e6 "
        "|\n|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const std::string& name : names) {
    PrecisionRow r;
    r.solver = solver.name = name;
    r.fine = slide(solver, 1e-3);
    r.coarse = slide(solver, 4e-3);
    r.floatFine = floating(solver, 1e-3);
    r.floatCoarse = floating(solver, 4e-3);
    r.internal = internalForce(solver);
    for (std::size_t i = 0; i < kRatios.size(); ++i) r.stack[i] = stackError(solver, kRatios[i]);
    if (a.json)
      all.push_back({{"solver", name},
                     {"sideways_m", r.fine.sideways},
                     {"hop_m", r.fine.lift},
                     {"float_1ms", r.floatFine},
                     {"float_4ms", r.floatCoarse},
                     {"distance_1ms_m", r.fine.distance},
                     {"distance_4ms_m", r.coarse.distance},
                     {"exact_distance_m", stop},
                     {"internal_friction", r.internal},
                     {"broken", r.stack}});
    else
      fmt::print(
          "| {} | {:.3g} | {:.2g} | {:.2g} | {:.2g} | {:+.2g} % | {:+.2g} % | {:.2g} | {:.0e} | {:.0e} | "
          "{:.0e} | "
          "{:.0e} |\n",
          name, 1e3 * r.fine.sideways, 1e3 * r.fine.lift, r.floatFine, r.floatCoarse,
          100.0 * (r.fine.distance / stop - 1.0), 100.0 * (r.coarse.distance / stop - 1.0), r.internal,
          r.stack[0], r.stack[1], r.stack[2], r.stack[3]);
  }
  if (a.json) printJson(all);
  return 0;
}

}  // namespace

Command addModels(CLI::App& bench) {
  const auto a = std::make_shared<ModelsArguments>();
  CLI::App& command = *bench.add_subcommand("models", "what the solvers make of Coulomb's law, on cubes");
  command.add_option("--solvers", a->solvers, "separated by commas (default: all): " + solverNames())
      ->delimiter(',');
  command
      .add_option("--set", a->set,
                  "PATH=VALUE, an attribute of <solver> (assets/schema.md), as solver.facets=16; may be "
                  "repeated")
      ->allow_extra_args(false);
  command.add_flag("--json", a->json, "print results as JSON");
  return {&command, [a] { return benchModels(*a); }};
}

}  // namespace grashof
