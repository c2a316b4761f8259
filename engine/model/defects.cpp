#include "engine/model/defects.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/base/listed.h"
#include "engine/base/spelling.h"

namespace grashof {
bool within(double x, Range range) {
  return std::isfinite(x) && x <= range.upper && (range.openLower ? x > range.lower : x >= range.lower);
}

std::string describeRange(Range range) {
  if (range.lower == 0.0 && range.upper == kAny.upper)
    return range.openLower ? "a number > 0" : "a number >= 0";
  if (range.lower == kAny.lower && range.upper == kAny.upper) return "a finite number";
  if (range.openLower) return fmt::format("a number > {} and at most {}", range.lower, range.upper);
  return fmt::format("a number from {} to {}", range.lower, range.upper);
}

std::string numberDefect(const std::string& name, const std::string& text, Range range) {
  return fmt::format("{}=\"{}\" is not allowed (needs {})", name, text, describeRange(range));
}

std::string integerDefect(const std::string& name, const std::string& text, int lower, int upper) {
  constexpr int kLowest = std::numeric_limits<int>::min(), kHighest = std::numeric_limits<int>::max();
  const std::string range =
      lower == kLowest && upper == kHighest ? "" : fmt::format(" from {} to {}", lower, upper);
  return fmt::format("{}=\"{}\" is not allowed (needs a whole number{})", name, text, range);
}

std::string numbersDefect(const std::string& name, const std::string& text, const std::string& counts) {
  return fmt::format("{}=\"{}\" is not allowed (needs {} finite numbers separated by blanks)", name, text,
                     counts);
}

std::string wordDefect(const std::string& name, const std::string& text,
                       const std::vector<std::string>& known) {
  const std::string near = closest(text, known);
  return fmt::format("{}=\"{}\" is unknown ({}one of: {})", name, text,
                     near.empty() ? "" : fmt::format("did you mean {}? ", near), joined(known));
}

std::string missingDefect(const std::string& name) {
  return fmt::format("attribute {} is missing (add {}=\"...\")", name, name);
}

std::optional<std::string> quaternionDefect(const Quat& q) {
  const double norm = q.norm();
  if (std::abs(norm - 1.0) <= 1e-6) return std::nullopt;
  return fmt::format("quaternion has norm {:.9g}, not 1 ({})", norm,
                     norm > 0.0
                         ? fmt::format("w x y z of unit length, for example \"{:.9g} {:.9g} {:.9g} {:.9g}\"",
                                       q.w() / norm, q.x() / norm, q.y() / norm, q.z() / norm)
                         : "\"1 0 0 0\" is no rotation");
}

void Defects::number(const Where& where, const char* name, double value, Range range) {
  if (!within(value, range)) report(where, numberDefect(name, fmt::format("{}", value), range));
}

void Defects::integer(const Where& where, const char* name, int value, int lower, int upper) {
  if (value < lower || value > upper) report(where, integerDefect(name, std::to_string(value), lower, upper));
}

void Defects::vector(const Where& where, const char* name, const Vec3& v) {
  if (!v.allFinite()) report(where, numbersDefect(name, fmt::format("{} {} {}", v.x(), v.y(), v.z()), "3"));
}

void Defects::rotation(const Where& where, const Quat& q) {
  if (!q.coeffs().allFinite())
    report(where, numbersDefect("quaternion", fmt::format("{} {} {} {}", q.w(), q.x(), q.y(), q.z()), "4"));
  else if (const auto defect = quaternionDefect(q))
    report(where, *defect);
}

void Defects::pose(const Where& where, const Pose& value) {
  vector(where, "position", value.position);
  rotation(where, value.rotation);
}

std::vector<Diagnostic> Defects::sorted() const {
  std::vector<std::string> files;
  const auto place = [&](const Diagnostic& d) {
    return std::find(files.begin(), files.end(), d.file) - files.begin();
  };
  for (const Diagnostic& d : found_)
    if (place(d) == static_cast<std::ptrdiff_t>(files.size())) files.push_back(d.file);
  std::vector<Diagnostic> all = found_;
  std::stable_sort(all.begin(), all.end(), [&](const Diagnostic& a, const Diagnostic& b) {
    return place(a) != place(b) ? place(a) < place(b) : a.line < b.line;
  });
  return all;
}

}  // namespace grashof
