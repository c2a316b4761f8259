#include "tools/grashof/analyze.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/mobility.h"
#include "engine/scenario/scenario.h"
#include "engine/simulator.h"

namespace grashof {
namespace {

constexpr const char* kDirections[] = {"translation x", "translation y", "translation z",
                                       "rotation x",    "rotation y",    "rotation z"};
constexpr double kShown = 1e-6;      // rates below, of the largest, are not listed
constexpr double kRedundant = 1e-9;  // redundancy numbers below are rounding
constexpr double kSingular = 1e-3;   // regularity below which a pose counts as near a singular one

std::string coordinateName(const Model& model, int coordinate) {
  const auto after = std::upper_bound(model.coordinateStart.begin(), model.coordinateStart.end(), coordinate);
  const auto j = static_cast<std::size_t>(after - model.coordinateStart.begin()) - 1;
  const Joint& joint = model.joints[j];
  if (joint.type->freedoms() == 1) return joint.name;
  return fmt::format("{}.{}", joint.name, coordinate - model.coordinateStart[j]);
}

std::string leaderName(const Model& model, const MotionMode& mode) {
  if (mode.coordinate >= 0) return coordinateName(model, mode.coordinate);
  return fmt::format("{} {}", model.bodies[mode.body].name, kDirections[mode.component]);
}

/// What a joint contributes: its redundancy, and the directions that could be released there.
struct JointShare {
  double redundancy = 0.0;
  std::vector<int> released;
};

std::vector<JointShare> sharesOf(const Model& model, const Mobility& mobility) {
  std::vector<JointShare> shares(model.joints.size());
  for (const ConstraintRow& row : mobility.rows) {
    if (row.joint < 0) continue;
    shares[row.joint].redundancy += row.redundancy;
    if (row.dependent) shares[row.joint].released.push_back(row.direction);
  }
  return shares;
}

std::string advice(const Joint& joint, const std::vector<int>& released) {
  if (released.empty()) return "";
  std::string relaxed = relaxedType(*joint.type, released);
  if (!relaxed.empty()) return relaxed;
  std::string text = "without ";
  for (const int d : released) text += (text.size() > 8 ? ", " : "") + std::string(kDirections[d]);
  return text;
}

nlohmann::ordered_json jsonOf(const std::string& file, const Model& model, const Mobility& m) {
  nlohmann::ordered_json j = {{"file", file},
                              {"bodies", model.bodies.size()},
                              {"joints", model.joints.size()},
                              {"rows", m.rows.size()},
                              {"kutzbach", m.kutzbach()},
                              {"rank", m.rank},
                              {"mobility", m.mobility()},
                              {"mobility_nearby", m.nearby},
                              {"redundant", m.redundant()},
                              {"regularity", m.regularity}};
  const auto shares = sharesOf(model, m);
  j["joint"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < shares.size(); ++i) {
    nlohmann::ordered_json entry = {{"name", model.joints[i].name},
                                    {"type", model.joints[i].type->name()},
                                    {"redundancy", shares[i].redundancy},
                                    {"release", nlohmann::ordered_json::array()},
                                    {"instead", advice(model.joints[i], shares[i].released)}};
    for (const int d : shares[i].released) entry["release"].push_back(kDirections[d]);
    j["joint"].push_back(std::move(entry));
  }
  j["modes"] = nlohmann::ordered_json::array();
  for (const MotionMode& mode : m.modes) {
    nlohmann::ordered_json rates, twists;
    for (std::size_t c = 0; c < mode.rates.size(); ++c)
      rates[coordinateName(model, static_cast<int>(c))] = mode.rates[c];
    for (std::size_t b = 0; b < mode.twists.size(); ++b)
      twists[model.bodies[b].name] = std::vector<double>(mode.twists[b].data(), mode.twists[b].data() + 6);
    j["modes"].push_back({{"leads", leaderName(model, mode)}, {"rates", rates}, {"twists", twists}});
  }
  return j;
}

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
               m.regularity < kSingular ? ": near a singular pose" : "");
  if (m.redundant() > 0) {
    fmt::print("  {:<24} {:<14} {:>10}  {}\n", "joint", "type", "redundant", "isostatic with");
    const auto shares = sharesOf(model, m);
    for (std::size_t j = 0; j < shares.size(); ++j)
      if (shares[j].redundancy > kRedundant || !shares[j].released.empty())
        fmt::print("  {:<24} {:<14} {:>10.3f}  {}\n", model.joints[j].name, model.joints[j].type->name(),
                   shares[j].redundancy, advice(model.joints[j], shares[j].released));
  }
  for (std::size_t k = 0; k < m.modes.size(); ++k) {
    const MotionMode& mode = m.modes[k];
    double largest = 0.0;
    for (const double rate : mode.rates) largest = std::max(largest, std::abs(rate));
    std::string rest;
    for (std::size_t c = 0; c < mode.rates.size(); ++c)
      if (static_cast<int>(c) != mode.coordinate && std::abs(mode.rates[c]) > kShown * std::max(1.0, largest))
        rest += fmt::format("{} {} {:.4g}", rest.empty() ? ":" : ",",
                            coordinateName(model, static_cast<int>(c)), mode.rates[c]);
    fmt::print("  motion {}: {} 1{}\n", k + 1, leaderName(model, mode), rest);
  }
}

}  // namespace

int analyzeFiles(const AnalyzeArguments& a) {
  std::vector<Scenario> scenarios;
  for (const std::string& file : a.files) scenarios.push_back(readScenario(file));
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    const Model& model = scenarios[i].model;
    const Simulator start(model);  // its poses fit the joints
    const Mobility mobility = analyseMobility(model, start.state().poses, start.state().coordinates);
    if (a.json)
      all.push_back(jsonOf(a.files[i], model, mobility));
    else
      print(a.files[i], model, mobility);
  }
  if (a.json) fmt::print("{}\n", all.dump(2));
  return 0;
}

}  // namespace grashof
