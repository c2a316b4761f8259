#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/analysis/assembly.h"
#include "engine/base/error.h"
#include "engine/dynamics/channels.h"
#include "engine/dynamics/simulator.h"
#include "engine/scenario/scenario.h"
#include "solvers/methods/convex_contact.h"
#include "tools/grashof/commands/bench.h"
#include "tools/grashof/json_output.h"

namespace grashof {
namespace {

using Rows = nlohmann::ordered_json;

struct FieldsArguments {
  std::string folder;
  std::vector<std::string> only;  ///< experiments; empty: all
  bool json = false;
};

constexpr double kWeight = 9.81;  // N, of the box on the belt
constexpr const char* kFields[] = {"SAP", "LAGGED", "SIMILAR"};

/// A simulation of a scenario with overrides.
class Trial {
 public:
  Trial(const FieldsArguments& a, const std::string& name, const std::vector<Override>& overrides)
      : scenario_(readScenario((std::filesystem::path(a.folder) / (name + ".xml")).string(), overrides)),
        simulator_(scenario_.model, startState(*scenario_.model)) {}

  Simulator& simulator() { return simulator_; }
  /// A channel of results, to be called after each step.
  std::function<double()> channel(const std::string& name) {
    return [this, channel = findChannel(*scenario_.model, name)] { return channel(simulator_); };
  }
  /// Makes a step; false at `end` (s) or when the run diverges.
  bool step(double end) {
    if (simulator_.state().time > end - 0.5 * simulator_.model().step.timestep || simulator_.diverged())
      return false;
    simulator_.step();
    return !simulator_.diverged();
  }

 private:
  Scenario scenario_;
  Simulator simulator_;
};

/// Overrides for a solver; SAP has a relaxation time in place of Hunt and Crossley's dissipation, which the
/// others keep as the file has it.
std::vector<Override> with(const std::string& solver, const std::string& material, double relaxationTime,
                           std::vector<Override> more = {}) {
  more.push_back({"solver.name", solver});
  if (solver != "SAP") return more;
  more.push_back({"material[" + material + "].hunt-crossley", "0"});
  more.push_back({"material[" + material + "].relaxation-time", fmt::format("{}", relaxationTime)});
  return more;
}

/// Gliding and normal force of the box on the belt.
Rows belt(const FieldsArguments& a) {
  constexpr double kFriction = 0.7, kRelaxation = 1e-3, kSliding = 0.05;
  Rows rows = Rows::array();
  for (const std::string solver : kFields)
    for (const double dt : {1e-2, 2e-3}) {
      Trial trial(a, "oscillating-belt",
                  with(solver, "pad", kRelaxation, {{"options.timestep", fmt::format("{}", dt)}}));
      const auto z = trial.channel("body.box.position.z"), v = trial.channel("body.box.velocity.x"),
                 rate = trial.channel("joint.rail.rate.0"), normal = trial.channel("contact.belt.box.normal");
      const double reach = kFriction * (dt + (solver == "SAP" ? kRelaxation : 0.0));
      std::vector<std::pair<double, double>> slides;  // slip (m/s), height (m)
      double force = 0.0, lowest = 1.0, highest = 0.0;
      while (trial.step(2.0)) {
        if (trial.simulator().state().time < 0.05) continue;
        lowest = std::min(lowest, z());
        highest = std::max(highest, z());
        force = std::max(force, std::abs(normal() / kWeight - 1.0));
        const double slip = std::abs(v() - rate());
        if (slip > kSliding) slides.emplace_back(slip, z());
      }
      double ratio = 0.0;
      for (const auto& [slip, height] : slides) ratio += (height - lowest) / (reach * slip);
      rows.push_back({{"solver", solver},
                      {"timestep_s", dt},
                      {"glide_ratio", ratio / static_cast<double>(std::max<std::size_t>(slides.size(), 1))},
                      {"rise_m", highest - lowest},
                      {"force_error", force}});
    }
  return rows;
}

/// Where the falling sphere is first pushed, and how it ends.
Rows sphere(const FieldsArguments& a) {
  Rows rows = Rows::array();
  for (const std::string solver : kFields) {
    Trial trial(a, "falling-steel-sphere", with(solver, "steel", 1e-3));
    const auto z = trial.channel("body.sphere.position.z"), v = trial.channel("body.sphere.velocity.x"),
               spin = trial.channel("body.sphere.angular-velocity.y"),
               force = trial.channel("contacts.normal-force");
    double gap = std::numeric_limits<double>::quiet_NaN(), rolls = gap, before = z() - 0.025, peak = 0.0;
    while (trial.step(0.3)) {
      if (std::isnan(gap) && force() > 0.0) gap = before;
      before = z() - 0.025;
      peak = std::max(peak, force());
      if (std::isnan(rolls) && std::abs(v() - 0.025 * spin()) < 1e-3) rolls = trial.simulator().state().time;
    }
    rows.push_back(
        {{"solver", solver}, {"gap_m", gap}, {"rolls_s", rolls}, {"speed_m_s", v()}, {"peak_force_N", peak}});
  }
  return rows;
}

/// When the tip of the rod jams, and how long it sticks.
Rows rod(const FieldsArguments& a) {
  constexpr double kStep = 1e-7, kSticks = 1e-4;                      // s, m/s
  constexpr double kHeight = 0.1275, kFriction = 2.3, kSpeed = 10.0;  // of the scenario, m, m/s
  constexpr double kRelaxation = 4e-6;                                // s
  Rows rows = Rows::array();
  for (const bool damped : {false, true})
    for (const std::string solver : kFields) {
      std::vector<Override> more = {{"options.timestep", fmt::format("{}", kStep)}};
      if (damped && solver != "SAP") more.push_back({"material[steel].hunt-crossley", "0.2"});
      // At its gliding height; on the ground it would be thrown up at once.
      if (damped && solver == "SAP")
        more.push_back(
            {"body[rod].position", fmt::format("0 0 {}", kHeight + kFriction * kRelaxation * kSpeed)});
      Trial trial(a, "sliding-rod", with(solver, "steel", damped ? kRelaxation : 0.0, more));
      const auto lift = trial.channel("body.rod.velocity.z"), force = trial.channel("contacts.normal-force");
      double jams = std::numeric_limits<double>::quiet_NaN(), peak = 0.0, up = 0.0;
      int sticking = 0;
      while (trial.step(0.08)) {
        const Simulator& s = trial.simulator();
        peak = std::max(peak, force());
        up = std::max(up, lift());
        for (const ContactBlock& contact : s.problem().contacts) {
          if (s.solution().impulse[contact.row + 2] <= 0.0) continue;
          if (contact.velocity(s.solution().twist).head<2>().norm() >= kSticks) continue;
          if (std::isnan(jams)) jams = s.state().time;
          ++sticking;
        }
      }
      rows.push_back({{"solver", solver},
                      {"damped", damped},
                      {"jams_s", jams},
                      {"sticks_s", sticking * kStep},
                      {"up_m_s", up},
                      {"peak_force_N", peak}});
    }
  return rows;
}

/// Condition number of the Hessian of the step's potential in the metric of M, at the solution; 0 for other
/// solvers.
double conditionOf(const Simulator& simulator) {
  const SolverOptions& options = simulator.model().solver;
  const ContactModel model = findSolver(options.name).model;
  if (model != ContactModel::Sap && model != ContactModel::Lagged && model != ContactModel::Similar)
    return 0.0;
  const DualProblem& problem = simulator.problem();
  ConvexContact solver(options, model);
  Solution solution = simulator.solution();
  solution.warm = true;
  solver.solve(problem, solution);
  Eigen::MatrixXd hessian = Eigen::MatrixXd::Identity(6 * problem.bodies(), 6 * problem.bodies());
  const auto scaled = [&](int body, const Mat36& jacobian) {
    Mat36 j;
    const InertiaBlock& m = problem.inertia[static_cast<std::size_t>(body)];
    j.leftCols<3>() = jacobian.leftCols<3>() / std::sqrt(m.mass);
    const Eigen::LLT<Mat3> root(m.inertia);
    j.rightCols<3>() = root.matrixL().solve(Mat3(jacobian.rightCols<3>()).transpose()).transpose();
    return j;
  };
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const ContactBlock& contact = problem.contacts[k];
    Eigen::MatrixXd row = Eigen::MatrixXd::Zero(3, hessian.cols());
    if (contact.bodyA >= 0) row.middleCols<6>(6 * contact.bodyA) += scaled(contact.bodyA, contact.jacobianA);
    if (contact.bodyB >= 0) row.middleCols<6>(6 * contact.bodyB) += scaled(contact.bodyB, contact.jacobianB);
    hessian.noalias() += row.transpose() * solver.hessians()[k] * row;
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(hessian, Eigen::EigenvaluesOnly);
  return eigen.eigenvalues().maxCoeff() / eigen.eigenvalues().minCoeff();
}

/// Sums over a part of a run.
struct Phase {
  double from = 0.0, to = 0.0;  // s
  double iterations = 0.0, logCondition = 0.0;
  int steps = 0, looked = 0;

  /// `condition`: of this step; 0: unknown.
  void add(const Simulator& s, double condition) {
    if (s.state().time < from || s.state().time > to) return;
    iterations += s.report().iterations;
    ++steps;
    if (condition <= 0.0) return;
    logCondition += std::log10(condition);
    ++looked;
  }
  double meanIterations() const { return iterations / std::max(steps, 1); }
  /// Geometric mean.
  double meanCondition() const { return std::pow(10.0, logCondition / std::max(looked, 1)); }
};

/// Iterations, conditioning and depth of clutter while it falls and when it has settled.
nlohmann::ordered_json clutterRun(const FieldsArguments& a, const std::string& solver, bool impacts,
                                  double stiffness, double dt) {
  constexpr int kEvery = 10;  // steps between two condition numbers
  std::vector<Override> overrides = with(solver, "water", 1e-4,
                                         {{"options.timestep", fmt::format("{}", dt)},
                                          {"material[water].stiffness", fmt::format("{}", stiffness)},
                                          {"solver.impact-regularization", impacts ? "true" : "false"},
                                          {"solver.tolerance", "1e-5"}});
  Trial trial(a, "clutter-drop", overrides);
  const Simulator& s = trial.simulator();
  Phase whole{0.0, 3.0}, falling{0.0, 1.0}, settled{1.75, 3.0};
  double depth = 0.0;
  int depths = 0, unsolved = 0;
  while (trial.step(settled.to)) {
    const double condition = s.state().step % kEvery == 0 ? conditionOf(s) : 0.0;
    for (Phase* phase : {&whole, &falling, &settled}) phase->add(s, condition);
    unsolved += s.report().status != SolveStatus::Solved ? 1 : 0;
    if (s.state().time < settled.from) continue;
    for (std::size_t k = 0; k < s.contacts().size(); ++k) {
      if (s.solution().impulse[s.problem().contacts[k].row + 2] <= 0.0) continue;
      depth += std::max(0.0, -s.contacts()[k].gap);
      ++depths;
    }
  }
  return {{"solver", solver},
          {"impact_regularization", impacts},
          {"stiffness_N_m", stiffness},
          {"timestep_s", dt},
          {"iterations", whole.meanIterations()},
          {"iterations_falling", falling.meanIterations()},
          {"iterations_settled", settled.meanIterations()},
          {"condition_falling", falling.meanCondition()},
          {"condition_settled", settled.meanCondition()},
          {"penetration_m", depth / std::max(depths, 1)},
          {"unsolved", unsolved},
          {"diverged", s.diverged().has_value()}};
}

/// The models with steel's stiffness, and LAGGED over eight decades.
Rows clutter(const FieldsArguments& a) {
  constexpr double kSteel = 1e7, kStep = 2e-3;
  Rows rows = Rows::array();
  for (const std::string solver : kFields) rows.push_back(clutterRun(a, solver, false, kSteel, kStep));
  for (int decade = 3; decade <= 11; ++decade)
    rows.push_back(clutterRun(a, "LAGGED", true, std::pow(10.0, decade), kStep));
  return rows;
}

/// Time until the rod has slid out of the hand, s; none: it holds.
Rows grasp(const FieldsArguments& a) {
  constexpr double kEnd = 6.0, kFallen = 0.1;  // s, m below its start
  Rows rows = Rows::array();
  for (const double dissipation : {0.0, 50.0})
    for (const double frequency : {1.1, 1.3, 1.4, 1.5, 1.6})
      for (const std::string solver : {"LAGGED", "SIMILAR"})
        for (const double dt : {5e-4, 1e-2}) {
          const std::string f = fmt::format("{}", frequency);
          Trial trial(a, "shaken-grasp",
                      {{"solver.name", solver},
                       {"options.timestep", fmt::format("{}", dt)},
                       {"material[pad].hunt-crossley", fmt::format("{}", dissipation)},
                       {"motion[circle-x].frequency", f},
                       {"motion[circle-y].frequency", f}});
          const auto z = trial.channel("body.rod.position.z");
          const double start = -0.08;
          double fails = std::numeric_limits<double>::quiet_NaN();
          while (std::isnan(fails) && trial.step(kEnd))
            if (z() < start - kFallen) fails = trial.simulator().state().time;
          rows.push_back({{"solver", solver},
                          {"hunt_crossley_s_m", dissipation},
                          {"frequency_Hz", frequency},
                          {"timestep_s", dt},
                          {"fails_s", fails}});
        }
  return rows;
}

/// Torque of all contacts about the x axis, on B (N·m).
double contactTorque(const Simulator& simulator) {
  double torque = 0.0;
  for (std::size_t k = 0; k < simulator.contacts().size(); ++k)
    torque += simulator.contacts()[k].point.cross(simulator.contactForce(static_cast<int>(k))).x();
  return torque;
}

/// Torques of a finger's clutch when it is loaded and when it breaks away, and what moves then.
Rows finger(const FieldsArguments& a) {
  constexpr double kLoaded = 0.1, kDriven = 0.2, kSliding = 5e-3;  // s
  constexpr double kSlipped = 0.05;                                // rad of the nut
  Rows rows = Rows::array();
  for (const std::string solver : {"LAGGED", "SIMILAR", "auto"}) {
    Trial trial(a, "breakaway-finger", {{"solver.name", solver}});
    const auto proximal = trial.channel("joint.knuckle.angle"),
               distal = trial.channel("joint.fingertip.angle"), nut = trial.channel("joint.nut.q.1"),
               clutch = trial.channel("contacts.normal-force");
    double loads = 0.0, breaks = 0.0, held = 0.0, distalAtSlip = 0.0, proximalAtSlip = 0.0;
    double slips = std::numeric_limits<double>::quiet_NaN();
    while (trial.step(0.6)) {
      const double time = trial.simulator().state().time, torque = std::abs(contactTorque(trial.simulator()));
      if (time < kLoaded) {
        loads = std::max(loads, torque);
      } else if (time < kDriven) {
        held = nut();
      } else if (std::isnan(slips) || time < slips + kSliding) {
        breaks = std::max(breaks, torque);
      }
      if (time < kDriven || !std::isnan(slips) || std::abs(nut() - held) < kSlipped) continue;
      slips = time;
      proximalAtSlip = proximal();
      distalAtSlip = distal();
    }
    rows.push_back({{"solver", solver},
                    {"loading_torque_Nm", loads},
                    {"breakaway_torque_Nm", breaks},
                    {"slips_s", slips},
                    {"proximal_at_slip_rad", proximalAtSlip},
                    {"proximal_after_rad", proximal() - proximalAtSlip},
                    {"distal_after_rad", distal() - distalAtSlip},
                    {"clutch_at_end_N", clutch()}});
  }
  return rows;
}

struct FieldExperiment {
  const char* name;
  const char* source;
  Rows (*run)(const FieldsArguments&);
};
constexpr FieldExperiment kExperiments[] = {
    {"belt", "oscillating belt, XI-A", &belt}, {"sphere", "falling steel sphere, XI-B", &sphere},
    {"rod", "sliding rod, XI-C", &rod},        {"clutter", "clutter, XII-A", &clutter},
    {"grasp", "shaken grasp, XII-B", &grasp},  {"finger", "finger with a breakaway clutch, XII-C", &finger},
};

void printTable(const FieldExperiment& experiment, const Rows& rows) {
  fmt::print("\n{} [Castro 2024]\n\n", experiment.source);
  std::string head, line;
  for (const auto& [key, value] : rows.front().items()) {
    head += "| " + key + " ";
    line += "|---";
  }
  fmt::print("{}|\n{}|\n", head, line);
  for (const auto& row : rows) {
    for (const auto& [key, value] : row.items())
      fmt::print("| {} ", value.is_number_float() ? fmt::format("{:.4g}", value.get<double>())
                          : value.is_string()     ? value.get<std::string>()
                                                  : value.dump());
    fmt::print("|\n");
  }
}

int benchFields(const FieldsArguments& a) {
  nlohmann::ordered_json all;
  for (const std::string& name : a.only)
    if (std::none_of(std::begin(kExperiments), std::end(kExperiments),
                     [&](const FieldExperiment& e) { return e.name == name; }))
      throw InputError(
          fmt::format("there is no experiment '{}' (belt, sphere, rod, clutter, grasp, finger)", name));
  for (const FieldExperiment& experiment : kExperiments) {
    if (!a.only.empty() && std::find(a.only.begin(), a.only.end(), experiment.name) == a.only.end()) continue;
    const Rows rows = experiment.run(a);
    if (!a.json) printTable(experiment, rows);
    all[experiment.name] = rows;
  }
  if (a.json) printJson(all);
  return 0;
}

}  // namespace

Command addFields(CLI::App& bench) {
  const auto a = std::make_shared<FieldsArguments>();
  CLI::App& command = *bench.add_subcommand(
      "fields", "the experiments on convex contact fields (SAP, LAGGED, SIMILAR); some minutes");
  command.add_option("folder", a->folder, "folder with their scenarios (assets/scenarios)")->required();
  command
      .add_option("--only", a->only,
                  "belt, sphere, rod, clutter, grasp, finger (default: all), separated by commas")
      ->delimiter(',');
  command.add_flag("--json", a->json, "print results as JSON");
  return {&command, [a] { return benchFields(*a); }};
}

}  // namespace grashof
