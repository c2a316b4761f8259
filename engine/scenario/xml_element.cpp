#include "engine/scenario/xml_element.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "engine/base/listed.h"
#include "engine/base/spelling.h"
#include "engine/scenario/unit_remarks.h"

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

const AttributeType* Element::find(const char* name) const {
  if (!type_) type_ = findElementType(element_->Name());
  if (!type_) return nullptr;
  const std::string_view wanted(name);
  // Attributes are mostly asked for twice, and in the order of the list.
  for (std::size_t i = 0; i < type_->attributes.size(); ++i, ++last_) {
    if (last_ >= type_->attributes.size()) last_ = 0;
    if (type_->attributes[last_].name == wanted) return &type_->attributes[last_];
  }
  return nullptr;
}

void Element::note(const char* name) {
  if (const AttributeType* const found = find(name))
    asked_.push_back(found);
  else
    askedOthers_.insert(name);
}

std::set<std::string> Element::asked() const {
  std::set<std::string> names = askedOthers_;
  for (const AttributeType* const type : asked_) names.insert(type->name);
  return names;
}

const AttributeType& Element::listed(const char* name) const {
  const AttributeType* const found = find(name);
  return found ? *found : listedAttribute(element_->Name(), name);
}

void Element::read(const char* name, double& value) {
  const AttributeType& type = listed(name);
  if (type.required)
    value = requiredNumber(name, type.range);
  else
    value = number(name, type.usual.empty() ? value : type.usual[0], type.range);
}

void Element::read(const char* name, std::optional<double>& value) {
  const std::size_t errorsBefore = defects();
  const double given = number(name, 0.0, listed(name).range);
  if (has(name) && defects() == errorsBefore) value = given;
}

void Element::read(const char* name, int& value) {
  const AttributeType& type = listed(name);
  constexpr int kLowest = std::numeric_limits<int>::min(), kHighest = std::numeric_limits<int>::max();
  if (type.required && !has(name)) error(missingDefect(name));
  value = integer(name, type.usual.empty() ? value : static_cast<int>(type.usual[0]),
                  type.range.lower == kAny.lower ? kLowest : static_cast<int>(type.range.lower),
                  type.range.upper == kAny.upper ? kHighest : static_cast<int>(type.range.upper));
}

void Element::read(const char* name, bool& value) {
  const std::string& usual = listed(name).usualText;
  value = boolean(name, usual.empty() ? value : usual == "true");
}

void Element::read(const char* name, Vec3& value) {
  const AttributeType& type = listed(name);
  if (type.required && !has(name)) error(fmt::format("attribute {} is missing ({})", name, type.meaning));
  value = vector(name, type.usual.size() == 3 ? Vec3(type.usual.data()) : value);
}

double Element::requiredNumber(const char* name) {
  return requiredNumber(name, context_ ? listed(name).range : kAny);
}

std::vector<double> Element::numbers(const char* name) { return numbersOf(name, listed(name).counts); }

int Element::choice(const char* name, int fallback) {
  const AttributeType& type = listed(name);
  if (type.required && !has(name))
    error(fmt::format("attribute {} is missing (one of: {})", name, joined(type.words)));
  const auto usual = std::find(type.words.begin(), type.words.end(), type.usualText);
  return choice(name, usual == type.words.end() ? fallback : static_cast<int>(usual - type.words.begin()),
                type.words);
}

std::string Element::text(const char* name) {
  return text(name, context_ ? listed(name).usualText : std::string());
}

std::string Element::filled(const char* text, std::string& defect) const {
  std::string result;
  for (const char* at = text; *at != '\0'; ++at) {
    if (*at != '{') {
      result += *at;
      continue;
    }
    const std::string_view rest(at + 1);
    const auto close = rest.find('}');
    if (close == std::string_view::npos) {
      defect = "'{' is never closed";
      return result;
    }
    const Evaluation value = evaluate(
        rest.substr(0, close), [this](std::string_view name) { return context_->find(name); },
        context_->units.angles(), [this] { return context_->known(); });
    if (!value.defect.empty()) {
      defect = fmt::format("{{{}}}: {}", rest.substr(0, close), value.defect);
      return result;
    }
    result += fmt::format("{}", value.value + 0.0);
    at += close + 1;
  }
  return result;
}

const char* Element::raw(const char* name) {
  note(name);
  const char* value = element_->Attribute(name);
  if (!value || !context_ || !context_->fillsTexts || !std::strchr(value, '{')) return value;
  std::string defect;
  filled_.push_back(filled(value, defect));
  if (!defect.empty()) error(fmt::format("{}=\"{}\" is not allowed: {}", name, value, defect));
  return filled_.back().c_str();
}

std::optional<std::vector<double>> Element::evaluatedItems(const char* name, const char* text, bool list,
                                                           std::string& defect) {
  const NameValues names = [this](std::string_view wanted) { return context_->find(wanted); };
  const std::vector<std::string_view> items =
      list ? splitItems(text) : std::vector<std::string_view>{std::string_view(text)};
  std::vector<double> numbers;
  for (const std::string_view item : items) {
    const Evaluation value =
        evaluate(item, names, context_->units.angles(), [this] { return context_->known(); });
    if (!value.defect.empty()) {
      defect =
          fmt::format(": {}{}", value.defect,
                      value.position > 0
                          ? fmt::format(", at character {}",
                                        item.data() - text + static_cast<std::ptrdiff_t>(value.position) + 1)
                          : "");
      return std::nullopt;
    }
    numbers.push_back(value.value);
  }
  context_->notes->expressions.push_back({file_, line(), path_, name, text});
  return numbers;
}

void Element::deviate(const char* name, std::vector<double>& numbers) const {
  const auto found = context_->notes->deviations.find({element_, name});
  if (found == context_->notes->deviations.end()) return;
  const Deviation& d = found->second;
  if (d.tilt) {
    if (numbers.size() != 3 || d.by.size() != 2) return;
    const Vec3 axis(numbers[0], numbers[1], numbers[2]);
    if (!(axis.norm() > 0.0)) return;
    const Mat3 frame = frameFromNormal(axis.normalized());
    const Vec3 turn =
        context_->units.angle(d.by[0]) * frame.col(0) + context_->units.angle(d.by[1]) * frame.col(1);
    if (!(turn.norm() > 0.0)) return;
    const Vec3 tilted = Eigen::AngleAxisd(turn.norm(), turn.normalized()) * axis;
    for (std::size_t i = 0; i < 3; ++i) numbers[i] = tilted[static_cast<Eigen::Index>(i)];
    return;
  }
  for (std::size_t i = 0; i < numbers.size() && i < d.by.size(); ++i)
    numbers[i] += d.relative ? numbers[i] * d.by[i] : d.by[i];
}

std::optional<std::vector<double>> Element::evaluated(const char* name, const char* text, bool list,
                                                      std::string& defect) {
  auto numbers = parseNumbers(text);
  if (!context_) return numbers && (list || numbers->size() == 1) ? numbers : std::nullopt;
  if (!numbers || (!list && numbers->size() != 1)) {
    numbers = evaluatedItems(name, text, list, defect);
    if (!numbers) return std::nullopt;
  }
  if (!context_->notes->deviations.empty()) deviate(name, *numbers);
  if (context_->converts) {
    const AttributeType* const type = find(name);
    const AttributeUnit unit = type ? type->measure : AttributeUnit{};
    const Factor factor = context_->units.toSi(angle_ && unit.turn ? *unit.turn : unit.translation);
    for (double& x : *numbers) x = factor(x);
  }
  for (const double x : *numbers)
    if (!std::isfinite(x)) return std::nullopt;
  if (const std::string odd = unitRemark(name, text, *numbers, context_->units); !odd.empty()) remark(odd);
  return numbers;
}

void Element::remark(const std::string& message) const {
  if (!context_) return;
  std::vector<std::string>& all = context_->notes->remarks;
  const std::string said = fmt::format("{}:{}: <{}>: {}", file_, line(), tag(), message);
  if (std::find(all.begin(), all.end(), said) == all.end()) all.push_back(said);
}

std::string Element::text(const char* name, const std::string& fallback) {
  const char* value = raw(name);
  if (!value) return fallback;
  if (*value == '\0')
    error(fmt::format("{}=\"\" is empty (leave the attribute out, or give it a value)", name));
  return value;
}

std::string Element::requiredText(const char* name) {
  std::string given = text(name);
  if (given.empty() && !has(name)) error(missingDefect(name));
  return given;
}

std::string Element::ownName() {
  const char* value = raw("name");
  return value ? value : "";
}

double Element::number(const char* name, double fallback, Range range) {
  const char* value = raw(name);
  if (!value) return fallback;
  std::string defect;
  const auto parsed = evaluated(name, value, false, defect);
  if (parsed && within((*parsed)[0], range)) return (*parsed)[0];
  if (parsed && !parseNumbers(value)) defect = fmt::format(": it is {}", (*parsed)[0]);
  error(numberDefect(name, value, range) + defect);
  return fallback;
}

double Element::requiredNumber(const char* name, Range range) {
  if (has(name)) return number(name, 1.0, range);
  note(name);
  error(fmt::format("attribute {} is missing (needs {})", name, describeRange(range)));
  return 1.0;
}

int Element::integer(const char* name, int fallback, int lower, int upper) {
  const char* value = raw(name);
  if (!value) return fallback;
  int parsed = 0;
  const char* end = value + std::char_traits<char>::length(value);
  const auto [next, problem] = std::from_chars(value, end, parsed);
  if (problem == std::errc() && next == end && parsed >= lower && parsed <= upper) return parsed;
  std::string defect;
  if (context_ && !parseNumbers(value)) {
    const auto number = evaluatedItems(name, value, false, defect);
    if (number && (*number)[0] == std::floor((*number)[0]) && (*number)[0] >= lower && (*number)[0] <= upper)
      return static_cast<int>((*number)[0]);
    if (number) defect = fmt::format(": it is {}", (*number)[0]);
  }
  error(integerDefect(name, value, lower, upper) + defect);
  return fallback;
}

bool Element::boolean(const char* name, bool fallback) {
  return choice(name, fallback ? 1 : 0, {"false", "true"}) == 1;
}

std::vector<double> Element::numbers(const char* name, std::initializer_list<std::size_t> counts) {
  return numbersOf(name, {counts.begin(), counts.size()});
}

std::vector<double> Element::numbersOf(const char* name, std::span<const std::size_t> counts) {
  const char* value = raw(name);
  if (!value) return {};
  std::string defect;
  auto parsed = evaluated(name, value, true, defect);
  if (parsed && (counts.empty() || std::find(counts.begin(), counts.end(), parsed->size()) != counts.end()))
    return std::move(*parsed);
  std::string wanted;
  for (const std::size_t c : counts) wanted += (wanted.empty() ? "" : " or ") + std::to_string(c);
  if (defect.empty() && parsed && !parseNumbers(value))
    defect = fmt::format(": there are {} (an expression with blanks stands in parentheses)", parsed->size());
  error(numbersDefect(name, value, wanted.empty() ? "any number of" : wanted) + defect);
  return {};
}

std::string Element::filePath(const std::string& name) const {
  const std::filesystem::path path(name);
  std::string full = path.is_absolute()
                         ? name
                         : (std::filesystem::path(file_).parent_path() / path).lexically_normal().string();
  if (context_) context_->notes->files.push_back(full);
  return full;
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
  const char* value = raw(name);
  if (!value) return fallback;
  std::uint32_t set = 0;
  std::string defect;
  const auto parsed = evaluated(name, value, true, defect);
  bool good = parsed.has_value();
  if (good)
    for (const double b : *parsed) {
      good = good && b >= 0.0 && b <= 31.0 && b == std::floor(b);
      if (good) set |= 1u << static_cast<unsigned>(b);
    }
  if (good) return set;
  error(fmt::format("{}=\"{}\" is not allowed (needs group numbers from 0 to 31, separated by blanks){}",
                    name, value, defect));
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

std::vector<Element> Element::children(const char* tag) const {
  std::vector<Element> all;
  for (auto* child = element_->FirstChildElement(tag); child; child = child->NextSiblingElement(tag)) {
    std::string path = path_.empty() ? "" : path_ + "/";
    path += child->Name();
    if (const char* name = child->Attribute("name")) {
      std::string defect;  // it is reported where the name is read
      path += fmt::format("[{}]", context_ && context_->fillsTexts ? filled(name, defect) : name);
    }
    all.emplace_back(*child, file_, path, *found_, context_);
  }
  return all;
}

void Element::set(const char* name, const std::string& value) { element_->SetAttribute(name, value.c_str()); }

std::vector<std::string> Element::unread() const {
  std::vector<std::string> all;
  const std::set<std::string> known = asked();
  for (const auto* a = element_->FirstAttribute(); a; a = a->Next())
    if (!known.contains(a->Name())) all.emplace_back(a->Name());
  return all;
}

void Element::finish() {
  for (const auto* a = element_->FirstAttribute(); a; a = a->Next()) {
    const bool wasAsked = askedOthers_.contains(a->Name()) ||
                          std::any_of(asked_.begin(), asked_.end(),
                                      [&](const AttributeType* type) { return type->name == a->Name(); });
    if (wasAsked) continue;
    const std::set<std::string> names = asked();
    const std::vector<std::string> known(names.begin(), names.end());
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
