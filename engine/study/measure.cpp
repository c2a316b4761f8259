#include "engine/study/measure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/base/expression.h"
#include "engine/base/listed.h"
#include "engine/base/spelling.h"
#include "engine/model/defects.h"

namespace grashof::study {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

const std::vector<std::string>& words() {
  static const std::vector<std::string> all = {
      "max",       "min",          "peak",   "range", "mean",        "rms",
      "deviation", "integral",     "end",    "at",    "time-of-max", "time-of-min",
      "period",    "straightness", "extent", "miss",  "transmission"};
  return all;
}

bool isOfPath(Reduction r) {
  return r == Reduction::Straightness || r == Reduction::Extent || r == Reduction::Miss;
}

[[noreturn]] void refuseMeasure(const std::string& text, const std::string& why) {
  throw InputError(fmt::format("measure '{}': {}", text, why));
}

double secondsOf(const std::string& text, std::string_view number, double fallback) {
  if (number.empty()) return fallback;
  const Evaluation value = evaluate(number, [](std::string_view) { return std::nullopt; });
  if (!value.defect.empty())
    refuseMeasure(text, fmt::format("'{}' is no time in s: {}", number, value.defect));
  return value.value;
}

/// Reads what stands in brackets behind the reduction.
void readWindow(const std::string& text, std::string_view window, Measure& m) {
  if (m.reduction == Reduction::At) {
    m.from = m.to = secondsOf(text, window, kNaN);
    if (!(m.from >= 0.0)) refuseMeasure(text, "needs a time (as in at[0.5]:CHANNEL)");
    return;
  }
  const auto dots = window.find("..");
  if (dots == std::string_view::npos)
    refuseMeasure(text, "needs a range of time (as in max[0.5..2]:CHANNEL)");
  m.from = secondsOf(text, window.substr(0, dots), m.from);
  m.to = secondsOf(text, window.substr(dots + 2), m.to);
  if (!(m.from < m.to)) refuseMeasure(text, "the range of time is empty");
}

}  // namespace

Measure parseMeasure(const std::string& text) {
  Measure m;
  std::string rest = text;
  // A name ends at an equals sign, before the colon.
  const auto equals = rest.find('=');
  if (equals != std::string::npos && equals < rest.find(':')) {
    m.name = rest.substr(0, equals);
    rest = rest.substr(equals + 1);
    if (m.name.empty()) refuseMeasure(text, "the name is empty");
  } else {
    m.name = rest;
  }
  const auto end = rest.find_first_of("[:");
  const std::string word = rest.substr(0, end);
  const auto found = std::find(words().begin(), words().end(), word);
  if (found == words().end() || end == std::string::npos) {
    const std::string near = closest(word, words());
    refuseMeasure(text,
                  near.empty() || end == std::string::npos
                      ? fmt::format("needs WORD:CHANNEL, with a word of {} (as in max:joint.crank.reaction)",
                                    joined(words()))
                      : fmt::format("'{}' is unknown (did you mean {}?)", word, near));
  }
  m.reduction = static_cast<Reduction>(found - words().begin());
  m.from = -kInfinity;
  m.to = kInfinity;
  auto colon = end;
  if (rest[end] == '[') {
    const auto close = rest.find(']', end);
    if (close == std::string::npos) refuseMeasure(text, "']' is missing");
    readWindow(text, std::string_view(rest).substr(end + 1, close - end - 1), m);
    colon = close + 1;
  } else if (m.reduction == Reduction::At) {
    readWindow(text, {}, m);
  }
  if (colon >= rest.size() || rest[colon] != ':' || colon + 1 == rest.size())
    refuseMeasure(text, "needs a colon and a channel (as in max:joint.crank.reaction)");
  m.channel = rest.substr(colon + 1);
  if (m.reduction == Reduction::Miss) {
    const auto at = m.channel.find('@');
    if (at == std::string::npos)
      refuseMeasure(text, "needs points after an @ (as in miss:coupler@0.1 0 0.2; 0.2 0 0.2)");
    try {
      m.targets = parseTargets(std::string_view(m.channel).substr(at + 1));
    } catch (const InputError& error) {
      refuseMeasure(text, error.what());
    }
    m.channel.resize(at);
  }
  return m;
}

Measurement::Measurement(const std::vector<Measure>& measures, const Model& model)
    : timestep_(model.step.timestep) {
  for (const Measure& m : measures) {
    Sum sum;
    sum.measure = m;
    if (m.reduction == Reduction::Transmission)
      sum.channel = findTransmission(model, m.channel);
    else if (isOfPath(m.reduction))
      sum.point = findBodyPoint(model, m.channel);
    else
      sum.channel = findChannel(model, m.channel);
    sum.nearest = kInfinity;
    sums_.push_back(std::move(sum));
  }
}

void Measurement::add(Sum& s, double value, double time, double timestep) {
  const Measure& m = s.measure;
  if (m.reduction == Reduction::At) {
    const double distance = std::abs(time - m.from);
    if (distance > 0.5 * timestep * (1.0 + 1e-9) || distance >= s.nearest) return;
    s.nearest = distance;
    s.last = value;
    s.count = 1;
    return;
  }
  const double slack = 1e-9 * timestep;
  if (time < m.from - slack || time > m.to + slack) return;
  if (s.count > 0 && s.last < 0.0 && value >= 0.0) {
    const double rise = s.lastTime + (time - s.lastTime) * s.last / (s.last - value);
    if (s.rises++ == 0) s.firstRise = rise;
    s.lastRise = rise;
  }
  ++s.count;
  // A comparison with NaN is false: written so that a NaN stays.
  if (s.count == 1 || !(value <= s.max)) s.max = std::isnan(s.max) ? s.max : value, s.timeOfMax = time;
  if (s.count == 1 || !(value >= s.min)) s.min = std::isnan(s.min) ? s.min : value, s.timeOfMin = time;
  const double ahead = value - s.mean;
  s.mean += ahead / static_cast<double>(s.count);
  s.squares += ahead * (value - s.mean);
  s.last = value;
  s.lastTime = time;
}

void Measurement::observe(const Simulator& simulator) {
  const double time = simulator.state().time;
  for (Sum& s : sums_)
    if (s.point)
      follow(s, simulator, timestep_);
    else
      add(s, s.channel(simulator), time, timestep_);
}

void Measurement::follow(Sum& s, const Simulator& simulator, double timestep) {
  const double time = simulator.state().time, slack = 1e-9 * timestep;
  if (time < s.measure.from - slack || time > s.measure.to + slack) return;
  ++s.count;
  s.path.push_back(s.point(simulator));
  s.times.push_back(time);
}

double Measurement::valueOf(const Sum& s, double timestep) {
  if (s.count == 0) return kNaN;
  const double variance = s.squares / static_cast<double>(s.count);
  switch (s.measure.reduction) {
    case Reduction::Max:
      return s.max;
    case Reduction::Min:
    case Reduction::Transmission:
      return s.min;
    case Reduction::Peak:
      return std::isnan(s.max) ? s.max : std::max(std::abs(s.max), std::abs(s.min));
    case Reduction::Range:
      return s.max - s.min;
    case Reduction::Mean:
      return s.mean;
    case Reduction::Rms:
      return std::sqrt(variance + s.mean * s.mean);
    case Reduction::Deviation:
      return std::sqrt(variance);
    case Reduction::Integral:
      return s.mean * static_cast<double>(s.count) * timestep;
    case Reduction::End:
    case Reduction::At:
      return s.last;
    case Reduction::TimeOfMax:
      return s.timeOfMax;
    case Reduction::TimeOfMin:
      return s.timeOfMin;
    case Reduction::Straightness:
      return fitLine(s.path).straightness();
    case Reduction::Extent:
      return fitLine(s.path).length;
    case Reduction::Miss:
      return missOf(s.path, s.times, s.measure.targets);
    case Reduction::Period:
      return s.rises < 2 ? kNaN : (s.lastRise - s.firstRise) / static_cast<double>(s.rises - 1);
  }
  return kNaN;
}

std::vector<double> Measurement::values() const {
  std::vector<double> all;
  for (const Sum& s : sums_) all.push_back(valueOf(s, timestep_));
  return all;
}

}  // namespace grashof::study
