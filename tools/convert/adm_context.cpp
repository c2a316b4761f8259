#include "tools/convert/adm_context.h"

#include <cmath>

#include <fmt/format.h>

#include "tools/convert/source.h"

namespace grashof::convert {

AdmContext::AdmContext(std::string path, double seconds, bool refuse, Report& lines)
    : file(std::move(path)), duration(seconds), strict(refuse), report(lines), builder("model") {}

void AdmContext::fail(const AdmStatement& s, const std::string& message, int line) {
  found.push_back({file, line > 0 ? line : s.line, s.element(), message});
}

void AdmContext::leaveOut(const AdmStatement& s, const std::string& why) {
  ++unmet;
  report.leftOut.push_back(
      fmt::format("{}{} ({})", s.element(), s.name.empty() ? "" : fmt::format(" '{}'", s.name), why));
}

std::vector<double> AdmContext::numbers(const AdmStatement& s, const char* argument, std::size_t least,
                                        std::size_t most, double factor) {
  const AdmArgument* a = s.find(argument);
  if (!a) return {};
  std::vector<double> values;
  for (const std::string& text : a->values) {
    const auto value = admNumber(text);
    if (!value) {
      fail(s, fmt::format("{}: '{}' is no number (as in 1.5, 2E-3 or 90D)", argument, text), a->line);
      return {};
    }
    values.push_back(*value * factor);
  }
  if (values.size() >= least && values.size() <= most) return values;
  fail(s,
       fmt::format("{} has {} numbers (it takes {})", argument, values.size(),
                   least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most)),
       a->line);
  return {};
}

std::optional<double> AdmContext::number(const AdmStatement& s, const char* argument, double factor) {
  const std::vector<double> values = numbers(s, argument, 1, 1, factor);
  return values.empty() ? std::nullopt : std::optional(values[0]);
}

double AdmContext::numberOr(const AdmStatement& s, const char* argument, double fallback, double factor) {
  return number(s, argument, factor).value_or(fallback);
}

Vec3 AdmContext::vector(const AdmStatement& s, const char* argument, double factor) {
  const std::vector<double> v = numbers(s, argument, 3, 3, factor);
  return v.empty() ? Vec3(Vec3::Zero()) : Vec3(v[0], v[1], v[2]);
}

std::vector<int> AdmContext::identifiers(const AdmStatement& s, const char* argument, std::size_t least,
                                         std::size_t most) {
  const AdmArgument* a = s.find(argument);
  if (!a) return {};
  std::vector<int> all;
  for (const std::string& text : a->values) {
    const auto id = admIdentifier(text);
    if (!id) {
      fail(s, fmt::format("{}: '{}' is no identifier (digits, as in 0102)", argument, text), a->line);
      return {};
    }
    all.push_back(*id);
  }
  if (all.size() >= least && all.size() <= most) return all;
  fail(s, fmt::format("{} has {} identifiers (it takes {} to {})", argument, all.size(), least, most),
       a->line);
  return {};
}

const AdmMarker* AdmContext::markerCalled(const AdmStatement& s, int id, const char* what) {
  const auto at = markers.find(id);
  if (at == markers.end()) {
    fail(s, fmt::format("{}: there is no MARKER/{} (add it, or name another)", what, id));
    return nullptr;
  }
  if (!at->second.floating) return &at->second;
  fail(s, fmt::format("{}: MARKER/{} floats, a fixed one is needed", what, id));
  return nullptr;
}

const AdmMarker* AdmContext::marker(const AdmStatement& s, const char* argument, bool optional) {
  if (!s.has(argument)) {
    if (!optional) fail(s, fmt::format("{} is missing (the identifier of a marker)", argument));
    return nullptr;
  }
  const std::vector<int> ids = identifiers(s, argument, 1, 1);
  return ids.empty() ? nullptr : markerCalled(s, ids[0], argument);
}

AdmJoint* AdmContext::jointCalled(const AdmStatement& s, int id) {
  const auto at = joints.find(id);
  if (at != joints.end()) return &at->second;
  if (missingJoints.contains(id))
    leaveOut(s, fmt::format("JOINT/{} is left out", id));
  else
    fail(s, fmt::format("there is no JOINT/{} (add it, or name another)", id));
  return nullptr;
}

std::optional<AdmExpression> AdmContext::expression(const AdmStatement& s, const char* argument) {
  const AdmArgument* a = s.find(argument);
  if (!a) return std::nullopt;
  const std::string text = a->values.empty() ? std::string() : a->values[0];
  std::string defect;
  AdmExpression e(
      text,
      [this](int id) {
        const auto at = variables.find(id);
        return at == variables.end() ? nullptr : &at->second;
      },
      defect);
  if (defect.empty()) return e;
  fail(s, fmt::format("{}: {} (an expression, as in 30D*TIME + STEP(TIME, 0, 0, 1, 2))", argument, defect),
       a->line);
  return std::nullopt;
}

std::optional<SignalId> AdmContext::signal(const AdmStatement& s, const AdmExpression& e, int node,
                                           AdmSignalUse use, const std::string& name) {
  if (const std::string obstacle = e.obstacle(node); !obstacle.empty()) {
    leaveOut(s, fmt::format("its function asks for {}, which is no function of time", obstacle));
    return std::nullopt;
  }
  use.timeUnit = units.time;
  use.duration = duration;
  std::string defect;
  std::optional<AdmSignal> made = admSignal(e, node, use, defect);
  if (!made) {
    fail(s, fmt::format("{} (change it, or where it begins)", defect));
    return std::nullopt;
  }
  if (made->sampled)
    report.approximated.push_back(
        fmt::format("{}: its function is sampled every {:g} s up to {:g} s (--duration), and held from there",
                    s.element(), made->step, duration));
  if (!made->jumps.empty())
    report.warnings.push_back(fmt::format(
        "{}: its function jumps by {:.3g} at {:.6g} s{}: it gets there within {:g} s, and what it moves is "
        "struck "
        "(round it off, as by STEP)",
        s.element(), made->jumps[0].height, made->jumps[0].time,
        made->jumps.size() > 1 ? fmt::format(" and {} times more", made->jumps.size() - 1) : "", made->step));
  made->signal.name = name;
  return builder.addSignal(std::move(made->signal), where(s));
}

std::string AdmContext::nameFor(const std::string& kind, const AdmStatement& s) {
  std::string name = s.name;
  if (name.empty()) {
    for (const char c : s.keyword) name += (c >= 'A' && c <= 'Z') ? static_cast<char>(c - 'A' + 'a') : c;
    name += fmt::format("{}", s.id);
  }
  for (char& c : name)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';  // no character of XML
  name = scenarioName(name, report);
  if (names_.insert(kind + "/" + name).second) return name;
  const std::string taken = name, place = kind + "/";
  name = fmt::format("{}_{}", taken, s.id);
  for (int n = 2; !names_.insert(place + name).second; ++n) name = fmt::format("{}_{}_{}", taken, s.id, n);
  report.assumed.push_back(
      fmt::format("{}: a second {} '{}' is called '{}'", s.element(), kind, taken, name));
  return name;
}

double AdmContext::unit(int force, int length, int time) const {
  return std::pow(units.force, force) * std::pow(units.length, length) * std::pow(units.time, time);
}

}  // namespace grashof::convert
