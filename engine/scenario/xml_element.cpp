#include "engine/scenario/xml_element.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace grashof::xml {

std::optional<std::vector<double>> parseNumbers(const std::string& text) {
  std::vector<double> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    if (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r') {
      ++at;
      continue;
    }
    double value = 0.0;
    const char* start = *at == '+' ? at + 1 : at;
    const auto [next, error] = std::from_chars(start, end, value);
    const bool ends = next == end || *next == ' ' || *next == '\t' || *next == '\n' || *next == '\r';
    if (error != std::errc() || !ends || !std::isfinite(value)) return std::nullopt;
    numbers.push_back(value);
    at = next;
  }
  return numbers;
}

const char* Element::raw(const char* name) {
  asked_.insert(name);
  return element_->Attribute(name);
}

std::string Element::text(const char* name, const std::string& fallback) {
  const char* value = raw(name);
  if (!value) return fallback;
  if (*value == '\0')
    error(fmt::format("{}=\"\" is empty (leave the attribute out, or give it a value)", name));
  return value;
}

std::string Element::requiredText(const char* name) {
  if (!has(name)) {
    asked_.insert(name);
    error(missingDefect(name));
    return {};
  }
  return text(name);
}

std::string Element::ownName() {
  const char* value = raw("name");
  return value ? value : "";
}

double Element::number(const char* name, double fallback, Range range) {
  const char* value = raw(name);
  if (!value) return fallback;
  const auto parsed = parseNumbers(value);
  if (!parsed || parsed->size() != 1 || !within((*parsed)[0], range)) {
    error(numberDefect(name, value, range));
    return fallback;
  }
  return (*parsed)[0];
}

double Element::requiredNumber(const char* name, Range range) {
  if (has(name)) return number(name, 1.0, range);
  asked_.insert(name);
  error(fmt::format("attribute {} is missing (needs {})", name, describeRange(range)));
  return 1.0;
}

int Element::integer(const char* name, int fallback, int lower, int upper) {
  const char* value = raw(name);
  if (!value) return fallback;
  int parsed = 0;
  const char* end = value + std::char_traits<char>::length(value);
  const auto [next, problem] = std::from_chars(value, end, parsed);
  if (problem != std::errc() || next != end || parsed < lower || parsed > upper) {
    error(integerDefect(name, value, lower, upper));
    return fallback;
  }
  return parsed;
}

bool Element::boolean(const char* name, bool fallback) {
  return choice(name, fallback ? 1 : 0, {"false", "true"}) == 1;
}

std::vector<double> Element::numbers(const char* name, std::initializer_list<std::size_t> counts) {
  const char* value = raw(name);
  if (!value) return {};
  const auto parsed = parseNumbers(value);
  if (!parsed || std::find(counts.begin(), counts.end(), parsed->size()) == counts.end()) {
    std::string wanted;
    for (const std::size_t c : counts) wanted += (wanted.empty() ? "" : " or ") + std::to_string(c);
    error(numbersDefect(name, value, wanted));
    return {};
  }
  return *parsed;
}

Vec3 Element::vector(const char* name, const Vec3& fallback) {
  const auto values = numbers(name, {3});
  return values.empty() ? fallback : Vec3(values[0], values[1], values[2]);
}

int Element::choice(const char* name, int fallback, const std::vector<std::string>& words) {
  const char* value = raw(name);
  if (!value) return fallback;
  const auto at = std::find(words.begin(), words.end(), value);
  if (at != words.end()) return static_cast<int>(at - words.begin());
  error(wordDefect(name, value, words));
  return fallback;
}

std::uint32_t Element::bits(const char* name, std::uint32_t fallback) {
  if (!raw(name)) return fallback;
  std::uint32_t set = 0;
  const auto parsed = parseNumbers(element_->Attribute(name));
  bool good = parsed.has_value();
  if (good)
    for (const double b : *parsed) {
      good = good && b >= 0.0 && b <= 31.0 && b == std::floor(b);
      if (good) set |= 1u << static_cast<unsigned>(b);
    }
  if (good) return set;
  error(fmt::format("{}=\"{}\" is not allowed (needs group numbers from 0 to 31, separated by blanks)", name,
                    element_->Attribute(name)));
  return fallback;
}

Quat Element::rotation() {
  const auto q = numbers("quaternion", {4});
  const auto rpy = numbers("rpy", {3});
  if (has("quaternion") && has("rpy")) error("both quaternion and rpy are given (keep one)");
  if (!q.empty()) {
    const Quat quaternion(q[0], q[1], q[2], q[3]);
    if (const auto defect = quaternionDefect(quaternion)) {
      error(*defect);
      return Quat::Identity();
    }
    return quaternion.normalized();
  }
  if (!rpy.empty())
    return Quat(Eigen::AngleAxisd(rpy[2], Vec3::UnitZ()) * Eigen::AngleAxisd(rpy[1], Vec3::UnitY()) *
                Eigen::AngleAxisd(rpy[0], Vec3::UnitX()));
  return Quat::Identity();
}

Pose Element::pose() { return {vector("position", Vec3::Zero()), rotation()}; }

std::vector<Element> Element::children() const {
  std::vector<Element> all;
  for (auto* child = element_->FirstChildElement(); child; child = child->NextSiblingElement()) {
    std::string path = path_.empty() ? "" : path_ + "/";
    path += child->Name();
    if (const char* name = child->Attribute("name")) path += fmt::format("[{}]", name);
    all.emplace_back(*child, file_, path, *found_);
  }
  return all;
}

void Element::set(const char* name, const std::string& value) { element_->SetAttribute(name, value.c_str()); }

std::vector<std::string> Element::unread() const {
  std::vector<std::string> all;
  for (const auto* a = element_->FirstAttribute(); a; a = a->Next())
    if (!asked_.contains(a->Name())) all.emplace_back(a->Name());
  return all;
}

void Element::finish() {
  for (const auto* a = element_->FirstAttribute(); a; a = a->Next()) {
    if (asked_.contains(a->Name())) continue;
    const std::vector<std::string> known(asked_.begin(), asked_.end());
    const std::string near = closest(a->Name(), known);
    error(a->GetLineNum(), fmt::format("unknown attribute {} ({})", a->Name(),
                                       near.empty() ? fmt::format("known here: {}", joined(known))
                                                    : "did you mean " + near + "?"));
  }
  for (const auto* node = element_->FirstChild(); node; node = node->NextSibling())
    if (node->ToText())
      error(node->GetLineNum(), "text between the tags is not read (use attributes, or a comment)");
}

void Element::finishLeaf() {
  finish();
  for (const Element& child : children())
    child.error("unknown element (nothing may stand inside <" + tag() + ">)");
}

void Element::unknownChild(const Element& child, const std::vector<std::string>& known) const {
  const std::string near = closest(child.tag(), known);
  child.error(fmt::format("unknown element <{}> ({})", child.tag(),
                          near.empty() ? "known here: " + joined(known) : "did you mean <" + near + ">?"));
}

}  // namespace grashof::xml
