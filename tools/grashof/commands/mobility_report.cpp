#include "tools/grashof/commands/mobility_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/model/user_frames.h"

namespace grashof {
namespace {

constexpr const char* kDirectionNames[] = {"translation x", "translation y", "translation z",
                                           "rotation x",    "rotation y",    "rotation z"};
constexpr double kShownRate = 1e-6;  // rates below, of the largest, are not listed

std::string rowName(const Model& model, const ConstraintRow& row) {
  if (row.joint < 0) return model.couplings[static_cast<std::size_t>(row.coupling)].name;
  return fmt::format("{} {}", model.joints[static_cast<std::size_t>(row.joint)].name,
                     kDirectionNames[row.direction]);
}

}  // namespace

std::string coordinateName(const Model& model, int coordinate) {
  const auto after = std::upper_bound(model.coordinateStart.begin(), model.coordinateStart.end(), coordinate);
  const auto joint = static_cast<int>(after - model.coordinateStart.begin()) - 1;
  return coordinateName(model, joint, coordinate - model.coordinateStart[joint]);
}

std::string leaderName(const Model& model, const MotionMode& mode) {
  if (mode.coordinate >= 0) return coordinateName(model, mode.coordinate);
  return fmt::format("{} {}", model.bodies[mode.body].name, kDirectionNames[mode.component]);
}

std::vector<JointShare> redundancyShares(const Model& model, const Mobility& mobility) {
  std::vector<JointShare> shares(model.joints.size());
  for (const ConstraintRow& row : mobility.rows) {
    if (row.joint < 0) continue;
    shares[row.joint].redundancy += row.redundancy;
    if (row.dependent) shares[row.joint].released.push_back(row.direction);
  }
  return shares;
}

std::string releaseAdvice(const Joint& joint, const std::vector<int>& released) {
  if (released.empty()) return "";
  std::string relaxed = relaxedType(*joint.type, released);
  if (!relaxed.empty()) return relaxed;
  std::string text = "without ";
  for (const int d : released) text += (text.size() > 8 ? ", " : "") + std::string(kDirectionNames[d]);
  return text;
}

nlohmann::ordered_json mobilityJson(const std::string& file, const Model& model, const Mobility& m) {
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
  const auto shares = redundancyShares(model, m);
  j["joint"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < shares.size(); ++i) {
    nlohmann::ordered_json entry = {{"name", model.joints[i].name},
                                    {"type", model.joints[i].type->name()},
                                    {"redundancy", shares[i].redundancy},
                                    {"release", nlohmann::ordered_json::array()},
                                    {"instead", releaseAdvice(model.joints[i], shares[i].released)}};
    for (const int d : shares[i].released) entry["release"].push_back(kDirectionNames[d]);
    j["joint"].push_back(std::move(entry));
  }
  j["internal_loads"] = nlohmann::ordered_json::array();
  for (const std::vector<double>& load : m.internalLoads) {
    nlohmann::ordered_json one;
    for (std::size_t r = 0; r < load.size(); ++r)
      if (std::abs(load[r]) > kShownRate) one[rowName(model, m.rows[r])] = load[r];
    j["internal_loads"].push_back(one);
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

}  // namespace grashof
