#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "solvers/solver.h"
#include "tools/grashof/commands/bench.h"
#include "tools/grashof/growth_exponent.h"
#include "tools/grashof/json_output.h"
#include "tools/grashof/number_option.h"

namespace grashof {
namespace {

struct SweepArguments {
  std::vector<int> contacts = {10, 100, 1000, 10000, 100000};
  std::vector<std::string> solvers = {"PGS-NCP", "NBGS"};
  double seconds = 0.5;  ///< measured wall time per size and solver, at least
  bool json = false;
};

constexpr int kSweeps = 10;

/// A pile: spheres of 1 kg on a cubic grid, each touching the one below it (or the ground) and the one before
/// it in its row, falling and pushed, about `contacts` contacts in all.
DualProblem pile(int contacts) {
  DualProblem p;
  const int bodies = std::max(1, contacts / 2);
  const int edge = std::max(1, static_cast<int>(std::cbrt(static_cast<double>(bodies))));
  for (int b = 0; b < bodies; ++b) {
    InertiaBlock m;
    m.inertia = 0.1 * Mat3::Identity();
    m.inverseInertia = 10.0 * Mat3::Identity();
    p.inertia.push_back(m);
    Vec6 u;
    u << 0.1 * (b % 7 - 3), 0.1 * (b % 5 - 2), -0.01, 0.0, 0.0, 0.1 * (b % 3 - 1);
    p.freeTwist.push_back(u);
  }
  const auto touch = [&](int below, int above, const Vec3& normal) {
    ContactBlock contact;
    contact.row = static_cast<int>(p.bias.size());
    contact.bodyA = below;
    contact.bodyB = above;
    contact.friction = 0.5;
    const Mat3 frame = frameFromNormal(normal);
    const auto jacobian = [&](const Vec3& arm) {
      Mat36 j;
      j.leftCols<3>() = frame.transpose();
      j.rightCols<3>() = -frame.transpose() * skew(arm);
      return j;
    };
    if (below >= 0) contact.jacobianA = -jacobian(0.5 * normal);
    contact.jacobianB = jacobian(-0.5 * normal);
    p.contacts.push_back(contact);
    p.bias.resize(p.bias.size() + 3, 0.0);
  };
  const int layer = edge * edge;
  for (int b = 0; b < bodies; ++b) {
    touch(b >= layer ? b - layer : -1, b, Vec3::UnitZ());
    if (b % edge > 0) touch(b - 1, b, Vec3::UnitX());
  }
  p.compliance.assign(p.bias.size(), 0.0);
  return p;
}

/// Time of a sweep, s, best of several solves: what stands between the times of kSweeps and of 2 kSweeps
/// sweeps.
double sweepTime(const DualProblem& problem, const std::string& name, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto solve = [&](Solver& solver, Solution& solution) {
    const auto start = Clock::now();
    solver.solve(problem, solution);
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  SolverOptions options;
  options.name = name;
  options.tolerance = 1e-14;
  options.maxIterations = kSweeps;
  const auto few = makeSolver(options);
  options.maxIterations = 2 * kSweeps;
  const auto many = makeSolver(options);
  Solution solution;
  double least = std::numeric_limits<double>::infinity(), leastMany = least;
  int fewIterations = 0, manyIterations = 0;
  const auto start = Clock::now();
  for (int i = 0; i < 3 || std::chrono::duration<double>(Clock::now() - start).count() < seconds; ++i) {
    least = std::min(least, solve(*few, solution));
    fewIterations = solution.iterations;
    leastMany = std::min(leastMany, solve(*many, solution));
    manyIterations = solution.iterations;
  }
  return (leastMany - least) / std::max(1, manyIterations - fewIterations);
}

int benchSweep(const SweepArguments& a) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  if (!a.json) fmt::print("{:<13} {:>9} {:>12} {:>14}\n", "solver", "contacts", "us a sweep", "ns a contact");
  for (const std::string& name : a.solvers) {
    std::vector<std::pair<double, double>> costs;
    for (const int size : a.contacts) {
      const DualProblem problem = pile(size);
      const double contacts = static_cast<double>(problem.contacts.size());
      const double time = sweepTime(problem, name, a.seconds);
      costs.emplace_back(contacts, std::max(time, 1e-12));
      if (a.json)
        all.push_back({{"solver", name}, {"contacts", problem.contacts.size()}, {"sweep_s", time}});
      else
        fmt::print("{:<13} {:>9} {:>12.2f} {:>14.1f}\n", name, problem.contacts.size(), 1e6 * time,
                   1e9 * time / contacts);
    }
    if (!a.json && a.contacts.size() > 1)
      fmt::print("{}: a sweep grows as contacts^{:.3f}\n", name, growthExponent(costs));
  }
  if (a.json) printJson(all);
  return 0;
}

}  // namespace

Command addGaussSeidelSpeed(CLI::App& bench) {
  const auto a = std::make_shared<SweepArguments>();
  CLI::App& command =
      *bench.add_subcommand("sweep", "time of a Gauss-Seidel sweep over the contacts of a pile");
  command.add_option("--contacts", a->contacts, "numbers of contacts, separated by commas")
      ->delimiter(',')
      ->check(CLI::Range(2, 10000000))
      ->capture_default_str();
  command.add_option("--solvers", a->solvers, "Gauss-Seidel solvers, separated by commas")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--seconds", a->seconds, "time to measure each, s")
      ->check(positiveFinite())
      ->capture_default_str();
  command.add_flag("--json", a->json, "print results as JSON");
  return {&command, [a] { return benchSweep(*a); }};
}

}  // namespace grashof
