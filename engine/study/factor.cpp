#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/base/expression.h"
#include "engine/base/listed.h"
#include "engine/base/spelling.h"
#include "engine/model/defects.h"
#include "engine/study/study.h"

namespace grashof::study {
namespace {

constexpr std::size_t kMostLevels = 1'000'000;

[[noreturn]] void refuseFactor(const std::string& text, const std::string& why) {
  throw InputError(fmt::format("parameter '{}': {}", text, why));
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::optional<double> numberOf(std::string_view text) {
  const Evaluation value = evaluate(text, [](std::string_view) { return std::nullopt; });
  return value.defect.empty() ? std::optional(value.value) : std::nullopt;
}

/// The parts of a text between separators outside of parentheses.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == separator && depth == 0)) {
      parts.push_back(trimmed(text.substr(start, i - start)));
      start = i + 1;
    } else {
      depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    }
  }
  return parts;
}

/// `from:to:count`; at least two parts.
std::vector<std::string> ladder(const std::string& text, const std::vector<std::string_view>& parts) {
  constexpr const char* kForm = "needs FROM:TO:COUNT, with a count from 2 on (as in L=0.1:0.2:11)";
  if (parts.size() != 3) refuseFactor(text, kForm);
  const auto from = numberOf(parts[0]), to = numberOf(parts[1]), count = numberOf(parts[2]);
  if (!from || !to || !count || *count != std::floor(*count) || *count < 2.0 || *count > kMostLevels)
    refuseFactor(text, kForm);
  std::vector<std::string> levels;
  const auto n = static_cast<std::size_t>(*count);
  for (std::size_t i = 0; i < n; ++i)
    levels.push_back(fmt::format(
        "{}",
        i + 1 == n ? *to : *from + (*to - *from) * static_cast<double>(i) / static_cast<double>(n - 1)));
  return levels;
}

/// Where the name ends: at the first = or ~ outside of brackets.
std::size_t nameEnd(const std::string& text) {
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[') inside = true;
    if (text[i] == ']') inside = false;
    if (!inside && (text[i] == '=' || text[i] == '~')) return i;
  }
  return text.size();
}

const Parameter* findParameter(const Scenario& scenario, const std::string& name) {
  const auto found = std::find_if(scenario.parameters.begin(), scenario.parameters.end(),
                                  [&](const Parameter& p) { return p.name == name; });
  return found == scenario.parameters.end() ? nullptr : &*found;
}

}  // namespace

Factor parseFactor(const std::string& text, const Scenario& scenario) {
  Factor factor;
  const std::size_t end = nameEnd(text);
  factor.name = std::string(trimmed(std::string_view(text).substr(0, end)));
  const Parameter* const parameter = findParameter(scenario, factor.name);
  factor.path = parameter ? "param." + factor.name : factor.name;
  if (!parameter && factor.name.find('.') == std::string::npos) {
    std::vector<std::string> names;
    for (const Parameter& p : scenario.parameters) names.push_back(p.name);
    const std::string near = closest(factor.name, names);
    refuseFactor(text,
                 near.empty()
                     ? fmt::format("{} has no <parameter name=\"{}\"> (known: {}; or give the path of an "
                                   "attribute, as in body[crank].inertial.mass)",
                                   scenario.file, factor.name, names.empty() ? "none" : joined(names))
                     : "did you mean " + near + "?");
  }
  if (end == text.size()) {
    if (!parameter || !parameter->toleranced())
      refuseFactor(
          text,
          "needs values (L=0.1:0.2:11, L=0.1,0.2), a distribution (L~normal(0.4, 0.05)) or a tolerance in "
          "the file");
    factor.distribution = toleranceOf(*parameter);
    factor.nominal = parameter->value;
    return factor;
  }
  const std::string rest(trimmed(std::string_view(text).substr(end + 1)));
  if (rest.empty()) refuseFactor(text, "needs values");
  if (text[end] == '~') {
    try {
      factor.distribution = parseDistribution(rest);
    } catch (const InputError& error) {
      refuseFactor(text, error.what());
    }
    factor.nominal = parameter ? parameter->value : factor.distribution->quantile(0.5);
    return factor;
  }
  const auto parts = split(rest, ':');
  if (parts.size() > 1 && numberOf(parts[0])) {
    factor.levels = ladder(text, parts);
    return factor;
  }
  for (const std::string_view level : split(rest, ',')) {
    if (level.empty()) refuseFactor(text, "a value is empty");
    factor.levels.emplace_back(level);
    factor.numeric = factor.numeric && numberOf(level);
  }
  return factor;
}

}  // namespace grashof::study
