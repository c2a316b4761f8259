#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/analysis/assembly.h"
#include "engine/analysis/mobility.h"
#include "engine/analysis/range_of_motion.h"
#include "engine/base/error.h"
#include "engine/base/output_file.h"
#include "engine/dynamics/channels.h"
#include "engine/dynamics/simulator.h"
#include "engine/model/user_frames.h"
#include "engine/scenario/scenario.h"
#include "engine/scenario/xml_element.h"
#include "tools/grashof/commands/commands.h"
#include "tools/grashof/commands/mobility_report.h"
#include "tools/grashof/commands/run_options.h"
#include "tools/grashof/coordinate_argument.h"
#include "tools/grashof/drawing/curves.h"
#include "tools/grashof/fourbar.h"
#include "tools/grashof/json_output.h"
#include "tools/grashof/number_option.h"
#include "tools/grashof/result_name.h"

namespace grashof {
namespace {

struct AnalyzeArguments {
  std::vector<std::string> set;  ///< of --set
  std::vector<std::string> files;
  std::vector<std::string> ranges;  ///< JOINT or JOINT.COORDINATE
  std::vector<std::string> curves;  ///< BODY or BODY:X,Y,Z, points of bodies
  double maxTravel = 1.0;           ///< m, how far to look along translations
  std::string out;                  ///< folder of curves; empty: this one
  bool json = false;
};

constexpr double kPrintedRate = 1e-6;     // rates below, of the largest, are not listed
constexpr double kRedundantShare = 1e-9;  // redundancy numbers below are rounding

void print(const std::string& file, const Model& model, const Mobility& m) {
  fmt::print("{}: {} bodies, {} joints{}\n", file, model.bodies.size(), model.joints.size(),
             model.couplings.empty() ? "" : fmt::format(", {} couplings", model.couplings.size()));
  fmt::print("  {} freedoms of the bodies - {} constraint rows = {} (Kutzbach)\n", m.freedoms, m.rows.size(),
             m.kutzbach());
  fmt::print("  rank {}: mobility {}, {} rows redundant\n", m.rank, m.mobility(), m.redundant());
  if (m.nearby >= 0 && m.nearby < m.mobility())
    fmt::print("  a singular pose: nearby the mobility is {}\n", m.nearby);
  else if (m.nearby < 0)
    fmt::print("  no pose nearby could be reached: the mobility holds for this pose\n");
  if (m.rank > 0)
    fmt::print("  least over greatest singular value {:.2g}{}\n", m.regularity,
               m.regularity < kSingularRegularity ? ": near a singular pose" : "");
  if (m.redundant() > 0) {
    fmt::print("  {:<24} {:<14} {:>10}  {}\n", "joint", "type", "redundant", "isostatic with");
    const auto shares = redundancyShares(model, m);
    for (std::size_t j = 0; j < shares.size(); ++j)
      if (shares[j].redundancy > kRedundantShare || !shares[j].released.empty())
        fmt::print("  {:<24} {:<14} {:>10.3f}  {}\n", model.joints[j].name, model.joints[j].type->name(),
                   shares[j].redundancy, releaseAdvice(model.joints[j], shares[j].released));
  }
  for (std::size_t k = 0; k < m.modes.size(); ++k) {
    const MotionMode& mode = m.modes[k];
    double largest = 0.0;
    for (const double rate : mode.rates) largest = std::max(largest, std::abs(rate));
    std::string rest;
    for (std::size_t c = 0; c < mode.rates.size(); ++c)
      if (static_cast<int>(c) != mode.coordinate &&
          std::abs(mode.rates[c]) > kPrintedRate * std::max(1.0, largest))
        rest += fmt::format("{} {} {:.4g}", rest.empty() ? ":" : ",",
                            coordinateName(model, static_cast<int>(c)), mode.rates[c]);
    fmt::print("  motion {}: {} 1{}\n", k + 1, leaderName(model, mode), rest);
  }
}

struct Point {
  std::string name;
  int body = 0;
  Vec3 local = Vec3::Zero();  // in the body's CoM frame
};

Point parsePoint(const Model& model, const std::string& text) {
  Point p;
  p.name = text;
  std::replace(p.name.begin(), p.name.end(), ',', ' ');
  const auto colon = text.rfind(':');
  p.body = model.findBody(text.substr(0, colon));
  if (p.body < 0) throw InputError("--curve " + text + ": there is no such body (as in coupler:0.1,0,0.2)");
  Vec3 user = Vec3::Zero();
  if (colon != std::string::npos) {
    std::string rest = text.substr(colon + 1);
    std::replace(rest.begin(), rest.end(), ',', ' ');
    const auto numbers = xml::parseNumbers(rest);
    if (!numbers || numbers->size() != 3)
      throw InputError("--curve " + text + ": needs three coordinates (as in coupler:0.1,0,0.2)");
    user = Vec3((*numbers)[0], (*numbers)[1], (*numbers)[2]);
  }
  p.local = model.bodies[static_cast<std::size_t>(p.body)].userFrame * user;
  return p;
}

/// The reach of the inputs asked for, and the curves that points draw on the way.
void exploreReach(const AnalyzeArguments& a, const std::string& file, const Model& given, const State& start,
                  nlohmann::ordered_json& j) {
  Model model = given;  // without drives, which would hold their coordinates
  for (Joint& joint : model.joints)
    for (JointCoordinate& axis : joint.coordinates) axis.actuator = {};
  std::vector<Point> points;
  for (const std::string& text : a.curves) points.push_back(parsePoint(model, text));
  for (const std::string& text : a.ranges) {
    const auto [joint, axis] = parseCoordinate(model, text, "--range " + text);
    std::vector<Curve> curves(points.size());
    for (std::size_t k = 0; k < points.size(); ++k) curves[k].name = points[k].name;
    const RangeOfMotion reach =
        rangeOfMotion(model, start, joint, axis, a.maxTravel, [&](double value, const State& state) {
          for (std::size_t k = 0; k < points.size(); ++k) {
            curves[k].input.push_back(value);
            curves[k].points.push_back(state.poses[static_cast<std::size_t>(points[k].body)] *
                                       points[k].local);
          }
        });
    nlohmann::ordered_json one = {{"input", text},
                                  {"start", reach.start},
                                  {"full_turn", reach.fullTurn},
                                  {"lower", reach.lower},
                                  {"lower_end", reach.lowerEnd},
                                  {"upper", reach.upper},
                                  {"upper_end", reach.upperEnd}};
    if (!a.json) {
      const auto end = [](const std::string& what) {
        return what.empty() ? std::string() : " (" + what + ")";
      };
      if (reach.fullTurn)
        fmt::print("  input {}: turns round\n", text);
      else
        fmt::print("  input {}: from {:.6g}{} to {:.6g}{}\n", text, reach.lower, end(reach.lowerEnd),
                   reach.upper, end(reach.upperEnd));
    }
    if (!curves.empty()) {
      std::string stem = resultName(file) + "-" + text;
      if (!a.out.empty()) {
        makeFolder(a.out);
        stem.insert(0, a.out + "/");
      }
      writeCurves(stem + ".csv", text, curves);
      drawCurves(stem + ".svg", curves);
      one["curves"] = {stem + ".csv", stem + ".svg"};
      if (!a.json) fmt::print("  curves: {0}.svg, {0}.csv\n", stem);
    }
    j["range"].push_back(one);
  }
}

void tellFourBars(const Model& model, const State& state, bool print, nlohmann::ordered_json& j) {
  const auto name = [&](int body) {
    return body < 0 ? std::string("world") : model.bodies[static_cast<std::size_t>(body)].name;
  };
  for (const FourBar& f : findFourBars(model, state.poses)) {
    nlohmann::ordered_json one = {{"kind", f.kind}, {"grashof", f.grashof}};
    std::string bars;
    for (std::size_t i = 0; i < 4; ++i) {
      one["bars"].push_back({{"body", name(f.bodies[i])}, {"length", f.lengths[i]}});
      bars += fmt::format("{}{} {:.4g}", i > 0 ? ", " : "", name(f.bodies[i]), f.lengths[i]);
    }
    if (print)
      fmt::print("  four-bar {} (frame {}): {}, (s + l) / (p + q) = {:.4g}\n", bars, name(f.bodies[3]),
                 f.kind, f.grashof);
    j["four_bars"].push_back(one);
  }
}

int analyzeFiles(const AnalyzeArguments& a) {
  if (!a.curves.empty() && a.ranges.empty())
    throw InputError("--curve needs an input to move (add --range JOINT)");
  std::vector<Scenario> scenarios;
  for (const std::string& file : a.files) scenarios.push_back(readScenario(file, overridesOf(a.set)));
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    const Model& model = *scenarios[i].model;
    const Simulator start(scenarios[i].model, startState(model));  // its poses fit the joints
    const Mobility mobility = analyseMobility(model, start.state().poses, start.state().coordinates);
    nlohmann::ordered_json j;
    if (a.json)
      j = mobilityJson(a.files[i], model, mobility);
    else
      print(a.files[i], model, mobility);
    tellFourBars(model, start.state(), !a.json, j);
    exploreReach(a, a.files[i], model, start.state(), j);
    all.push_back(std::move(j));
  }
  if (a.json) printJson(all);
  return 0;
}

}  // namespace

Command addAnalyze(CLI::App& app) {
  const auto a = std::make_shared<AnalyzeArguments>();
  CLI::App& command =
      *app.add_subcommand("analyze", "how a mechanism can move, and where it is over-constrained");
  command.add_option("SCENARIO", a->files, "scenario files (assets/schema.md)")->required();
  addOverrides(command, a->set);
  command
      .add_option("--range", a->ranges,
                  "how far this joint (JOINT, JOINT.COORDINATE) can move; may be repeated")
      ->allow_extra_args(false);
  command
      .add_option("--curve", a->curves,
                  "point (BODY, BODY:X,Y,Z in m) whose curve over the range is written as SVG and CSV; may "
                  "be repeated")
      ->allow_extra_args(false);
  command.add_option("--max-travel", a->maxTravel, "how far to look along translations, m")
      ->check(positiveFinite())
      ->capture_default_str();
  command.add_option("-o,--out", a->out, "folder for the curves");
  command.add_flag("--json", a->json, "print results as JSON");
  return {&command, [a] { return analyzeFiles(*a); }};
}

}  // namespace grashof
