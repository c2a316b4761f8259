// Parameters, tolerances, and what a scenario that uses them is written from.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/base/expression.h"
#include "engine/base/listed.h"
#include "engine/base/spelling.h"
#include "engine/scenario/reader.h"

namespace grashof::xml {
namespace {

/// A parameter while it is being defined.
struct Definition {
  Element element;
  std::string name;
  Parameter parameter{};
  bool open = false;  ///< its value is being looked for
  bool done = false;
};

/// Bounds of a tolerance, both >= 0.
struct Bounds {
  double below = 0.0, above = 0.0;
  bool relative = false;  ///< shares of the value
};

bool eat(std::string_view& text, std::string_view start) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  if (!text.starts_with(start)) return false;
  text.remove_prefix(start.size());
  return true;
}

/// Names of directions, whose errors are tilts.
bool isDirection(const std::string& attribute) {
  return attribute == "axis" || attribute == "axis2" || attribute == "across" || attribute == "normal" ||
         attribute == "friction-direction";
}

/// Whether an attribute is a quantity, which a real part may miss.
bool isQuantity(const tinyxml2::XMLElement& element, const std::string& attribute) {
  const ElementType* const type = findElementType(element.Name());
  const AttributeType* const a = type ? type->find(attribute) : nullptr;
  return a && a->numeric() && a->kind != "whole" && a->kind != "groups" && a->kind != "unitQuaternion";
}

/// What the deviations of an attribute with this text are called.
std::vector<std::string> deviationNames(const std::string& of, const std::string& attribute,
                                        const char* text) {
  const std::size_t count = isDirection(attribute) ? 2 : splitItems(text).size();
  if (count == 1) return {of};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i)
    names.push_back(of + "." +
                    (isDirection(attribute) ? std::string(1, "uv"[i])
                     : count == 3           ? std::string(1, "xyz"[i])
                                            : std::to_string(i)));
  return names;
}

}  // namespace

std::shared_ptr<Context> Reader::defineParameters(Element& block, Arguments& arguments, bool listed) {
  std::shared_ptr<Context> context = insideOf(block.context());
  block.readWithin(context);
  std::vector<Definition> all;
  std::map<std::string, std::size_t, std::less<>> index;
  for (Element& e : block.children("parameter")) {
    const std::string name = e.ownName();
    if (!isParameterName(name))
      e.error(name.empty()
                  ? missingDefect("name")
                  : fmt::format("name=\"{}\" is not allowed (letters, digits and _, beginning with a "
                                "letter, and not the name of a function)",
                                name));
    else if (!index.emplace(name, all.size()).second)
      e.error(fmt::format("'{}' is defined in line {} already (keep one)", name,
                          all[index.find(name)->second].element.line()));
    else
      all.push_back({e, name});
  }
  context->pending = [&](std::string_view name) -> std::optional<double> {
    const auto at = index.find(name);
    if (at == index.end()) return std::nullopt;
    throw NotYet{at->second};
  };
  // Without recursion: a value that is needed and not yet known is looked for first, then the other again.
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<std::size_t> wanted = {i};
    while (!wanted.empty()) {
      Definition& d = all[wanted.back()];
      try {
        if (!d.done) context->names[d.name] = parameterValue(d.element, d.parameter, *context, arguments);
        d.done = true;
        wanted.pop_back();
      } catch (const NotYet& first) {
        d.open = true;
        Definition& other = all[first.index];
        if (other.open) {
          d.element.error(
              fmt::format("'{}' needs its own value, through '{}' (break the circle)", d.name, other.name));
          context->names[other.name] = 1.0;
          other.done = true;
        } else {
          wanted.push_back(first.index);
        }
      }
    }
  }
  context->pending = nullptr;
  for (Definition& d : all)
    if (listed) scenario_.parameters.push_back(std::move(d.parameter));
  arguments.taken = true;
  return context;
}

double Reader::parameterValue(Element& e, Parameter& p, const Context& context, Arguments& arguments) {
  const double own = e.requiredNumber("value");
  p = Parameter{};
  p.name = e.ownName();
  p.value = own;
  readBounds(e, "tolerance", own, p);
  const std::string text = e.text("unit");
  Factor factor;
  Dimension dimension;
  if (e.has("unit") && !text.empty()) {
    if (const auto unit = parseUnit(text)) {
      dimension = unit->dimension;
      factor = unit->si * context.units.toSi(dimension).inverse();
    } else {
      e.error(
          fmt::format("unit=\"{}\" is unknown (products and quotients of m cm mm um in, rad deg, kg g lb, s "
                      "ms, N kN, Hz, W V A ohm, as in N/mm or kg mm^2)",
                      text));
    }
  }
  p.unit = text;
  e.finishLeaf();
  double value = factor(own);
  if (arguments.giver) {
    const std::vector<std::string> given = arguments.giver->unread();
    if (std::find(given.begin(), given.end(), p.name) != given.end()) {
      const Factor giving = arguments.giver->context()->units.toSi(dimension);
      const Factor taking = context.units.toSi(dimension);
      value = arguments.giver->number(p.name.c_str(), 0.0);
      if (giving(1.0) != taking(1.0)) value = (giving * taking.inverse())(value);
    }
  }
  return value;
}

void Reader::readBounds(Element& e, const char* attribute, double value, Parameter& p) {
  if (!e.has(attribute)) {
    if (e.has("spread")) e.error(fmt::format("spread without a tolerance (add {}=\"...\")", attribute));
    return;
  }
  const std::string whole = e.text(attribute);
  std::string_view text = whole;
  const bool both = eat(text, "±") || eat(text, "+/-") || eat(text, "+-");
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  const bool percent = !text.empty() && text.back() == '%';
  if (percent) text.remove_suffix(1);
  std::string defect;
  const auto numbers = e.evaluatedItems(attribute, std::string(text).c_str(), true, defect);
  p.spread = e.choice<Spread>("spread");
  bool good = numbers && (numbers->size() == 1 || (numbers->size() == 2 && !both));
  if (good) {
    p.above = (*numbers)[0];
    p.below = numbers->size() == 2 ? -(*numbers)[1] : p.above;
    good = p.above >= 0.0 && p.below >= 0.0;
  }
  if (good && percent)
    for (double* x : {&p.above, &p.below}) *x *= std::abs(value) / 100.0;
  if (good) return;
  p.above = p.below = 0.0;
  e.error(fmt::format("{}=\"{}\" is not allowed (as in \"±0.05\", \"2%\", or \"+0.1 -0.05\"){}", attribute,
                      whole, defect));
}

void Reader::readTolerance(Element e) {
  const std::string of = e.requiredText("of");
  Parameter p;
  const std::size_t errorsBefore = found_.size();
  std::string value = e.requiredText("value");
  while (!value.empty() && value.back() == ' ') value.pop_back();
  // A share of a number is a deviation of 1 from its nominal 0.
  readBounds(e, "value", 1.0, p);
  PathEnd end{};
  try {
    end = followPath(*e.element_->GetDocument()->RootElement(), of, false);
  } catch (const InputError& error) {
    if (!of.empty()) e.error(fmt::format("of=\"{}\": {}", of, error.what()));
  }
  const char* const text = end.element ? end.element->Attribute(end.attribute.c_str()) : nullptr;
  if (end.element) {
    if (!text)
      e.error(fmt::format("of=\"{}\": the element has no {} (write it down, for an error of it)", of,
                          end.attribute));
    else if (!isQuantity(*end.element, end.attribute))
      e.error(fmt::format("of=\"{}\": {} is no length, angle or other quantity (rpy, for rotations)", of,
                          end.attribute));
  }
  const std::vector<std::string> names =
      text ? deviationNames(of, end.attribute, text) : std::vector<std::string>{of};
  Deviation deviation;
  deviation.tilt = isDirection(end.attribute);
  deviation.relative = !value.empty() && value.back() == '%';
  if (deviation.tilt && deviation.relative) e.error("value: a tilt is an angle, no share");
  deviation.by = e.numbers("deviation", {names.size()});
  e.finishLeaf();
  if (found_.size() > errorsBefore) return;
  for (std::size_t i = 0; i < names.size(); ++i) {
    p.name = names[i];
    p.value = i < deviation.by.size() ? deviation.by[i] : 0.0;
    scenario_.parameters.push_back(p);
  }
  if (std::any_of(deviation.by.begin(), deviation.by.end(), [](double x) { return x != 0.0; }) &&
      !notes_->deviations.emplace(std::pair(end.element, end.attribute), deviation).second)
    e.error(fmt::format("of=\"{}\": has a tolerance already (keep one)", of));
}

void Reader::applyParameters(tinyxml2::XMLElement& root, const std::vector<Override>& overrides) {
  constexpr std::string_view kStart = "param.";
  for (const Override& override : overrides) {
    if (!override.path.starts_with(kStart)) continue;
    const std::string name = override.path.substr(kStart.size());
    std::vector<std::string> known;
    bool set = false;
    for (auto* child = root.FirstChildElement("parameter"); child && !set;
         child = child->NextSiblingElement("parameter")) {
      known.emplace_back(child->Attribute("name") ? child->Attribute("name") : "");
      set = known.back() == name;
      if (set) child->SetAttribute("value", override.value.c_str());
    }
    for (auto* child = root.FirstChildElement("tolerance"); child && !set;
         child = child->NextSiblingElement("tolerance")) {
      const char* const of = child->Attribute("of");
      if (of) set = setDeviation(root, *child, of, name, override.value, known);
    }
    if (set) continue;
    const std::string near = closest(name, known);
    found_.push_back({{},
                      0,
                      "--set " + override.path + "=" + override.value,
                      near.empty() ? known.empty()
                                         ? "the file has no <parameter> and no <tolerance>"
                                         : "there is no such parameter (known: " + joined(known) + ")"
                                   : "there is no such parameter (did you mean " + near + "?)"});
  }
}

bool Reader::setDeviation(tinyxml2::XMLElement& root, tinyxml2::XMLElement& tolerance, const std::string& of,
                          const std::string& name, const std::string& value,
                          std::vector<std::string>& known) {
  try {
    const PathEnd end = followPath(root, of, false);
    const char* const text = end.element->Attribute(end.attribute.c_str());
    if (!text) return false;
    const std::vector<std::string> names = deviationNames(of, end.attribute, text);
    known.insert(known.end(), names.begin(), names.end());
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) return false;
    std::vector<std::string> items(names.size(), "0");
    if (const char* const before = tolerance.Attribute("deviation")) {
      const auto given = splitItems(before);
      if (given.size() == items.size()) items.assign(given.begin(), given.end());
    }
    items[static_cast<std::size_t>(at - names.begin())] = parseNumbers(value) ? value : "(" + value + ")";
    tolerance.SetAttribute("deviation", fmt::format("{}", fmt::join(items, " ")).c_str());
    return true;
  } catch (const InputError&) {
    return false;  // readTolerance() reports the path
  }
}

void Reader::keepSource() {
  if (documents_.empty() || !documents_.front()->RootElement()) return;
  const tinyxml2::XMLElement& root = *documents_.front()->RootElement();
  bool says = !notes_->expressions.empty() || !notes_->deviations.empty() || root.Attribute("units");
  for (const auto* e = root.FirstChildElement(); e && !says; e = e->NextSiblingElement())
    for (const char* tag : {"parameter", "template", "use", "replicate", "tolerance"})
      says = says || std::string_view(e->Name()) == tag;
  if (!says) return;
  tinyxml2::XMLPrinter printer;
  documents_.front()->Print(&printer);
  auto source = std::make_shared<ScenarioSource>();
  source->text = printer.CStr();
  source->path = scenario_.file;
  for (const Parameter& p : scenario_.parameters)
    source->evaluated.push_back(
        fmt::format("{} = {}{}{}", p.name, p.value, p.unit.empty() ? "" : " ", p.unit));
  source->model = scenario_.model.get();
  source->name = scenario_.name;
  source->duration = scenario_.duration;
  source->output = scenario_.output;
  source->expectations = scenario_.expectations.size();
  scenario_.source = std::move(source);
}

}  // namespace grashof::xml
