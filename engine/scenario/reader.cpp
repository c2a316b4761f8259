#include "engine/scenario/reader.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <random>

#include <fmt/format.h>

#include "engine/dynamics/channels.h"
#include "engine/scenario/scenario.h"

namespace grashof::xml {
namespace {

constexpr std::uintmax_t kLargestFile = 256u << 20;
constexpr double kMaxSteps = 1e9;

/// Applies one override to the document: walks the path, creating the last element when it is missing.
void apply(tinyxml2::XMLElement& root, const Override& override, std::vector<Diagnostic>& found) {
  const auto fail = [&](const std::string& why) {
    found.push_back({{}, 0, "--set " + override.path + "=" + override.value, why});
  };
  tinyxml2::XMLElement* at = &root;
  std::string rest = override.path;
  while (true) {
    const auto bracket = rest.find('[');
    const auto dot = rest.find('.');
    if (bracket == std::string::npos && dot == std::string::npos) break;
    std::string tag, name;
    if (bracket < dot) {
      const auto close = rest.find(']', bracket);
      if (close == std::string::npos || close + 1 >= rest.size() || rest[close + 1] != '.')
        return fail("bad path (as in options.timestep or body[crank].inertial.mass)");
      tag = rest.substr(0, bracket);
      name = rest.substr(bracket + 1, close - bracket - 1);
      rest = rest.substr(close + 2);
    } else {
      tag = rest.substr(0, dot);
      rest = rest.substr(dot + 1);
    }
    auto* child = at->FirstChildElement(tag.c_str());
    while (child && !name.empty() && !(child->Attribute("name") && name == child->Attribute("name")))
      child = child->NextSiblingElement(tag.c_str());
    if (!child && name.empty()) child = at->InsertNewChildElement(tag.c_str());
    if (!child) return fail(fmt::format("there is no <{} name=\"{}\">", tag, name));
    at = child;
  }
  if (rest.empty()) return fail("the path ends without an attribute (as in options.timestep)");
  at->SetAttribute(rest.c_str(), override.value.c_str());
}

}  // namespace

std::string besideFile(const std::string& file, const std::string& name) {
  const std::filesystem::path path(name);
  if (path.is_absolute()) return name;
  return (std::filesystem::path(file).parent_path() / path).lexically_normal().string();
}

void Reader::report(const std::string& path, int line, const std::string& message,
                    const Element* includedBy) {
  if (includedBy)
    includedBy->error(fmt::format("{}: {}", path, message));
  else
    found_.push_back({path, line, {}, message});
}

void Reader::readFile(const std::string& path, const Placement& placement, const Element* includedBy,
                      const std::vector<Override>& overrides) {
  const auto fail = [&](const std::string& message) { report(path, 0, message, includedBy); };
  std::error_code code;
  const auto size = std::filesystem::file_size(path, code);
  if (code || !std::filesystem::is_regular_file(path, code))
    return fail("cannot be read (is the path right, and a file?)");
  if (size > kLargestFile)
    return fail("larger than 256 MiB (split it, and move meshes to files of their own)");
  const std::string identity = std::filesystem::canonical(path, code).string();
  if (std::find(openFiles_.begin(), openFiles_.end(), identity) != openFiles_.end())
    return fail("includes itself (remove one include of the cycle)");
  if (openFiles_.size() > 32) return fail("includes are nested more than 32 deep");

  documents_.push_back(std::make_unique<tinyxml2::XMLDocument>());
  tinyxml2::XMLDocument& document = *documents_.back();
  document.LoadFile(path.c_str());
  openFiles_.push_back(identity);
  readDocument(document, path, placement, includedBy, overrides);
  openFiles_.pop_back();
}

void Reader::readText(const std::string& text, const std::string& path,
                      const std::vector<Override>& overrides) {
  documents_.push_back(std::make_unique<tinyxml2::XMLDocument>());
  tinyxml2::XMLDocument& document = *documents_.back();
  document.Parse(text.c_str(), text.size());
  readDocument(document, path, {}, nullptr, overrides);
}

void Reader::readDocument(tinyxml2::XMLDocument& document, const std::string& path,
                          const Placement& placement, const Element* includedBy,
                          const std::vector<Override>& overrides) {
  const auto fail = [&](int line, const std::string& message) { report(path, line, message, includedBy); };
  if (document.Error())
    return fail(document.ErrorLineNum(), fmt::format("not well-formed XML: {}",
                                                     document.ErrorStr() ? document.ErrorStr() : "unknown"));
  auto* root = document.RootElement();
  if (!root || std::string(root->Name()) != "scenario")
    return fail(root ? root->GetLineNum() : 0, "the root element must be <scenario>");
  for (const Override& override : overrides) apply(*root, override, found_);
  readRoot(Element(*root, path, {}, found_), placement, includedBy != nullptr);
}

void Reader::readRoot(Element root, const Placement& placement, bool included) {
  const std::string name = root.text("name", std::filesystem::path(root.file()).stem().string());
  if (!included) {
    scenario_.name = name;
    model_.name = name;
  }
  root.finish();
  static const std::vector<std::string> known = {
      "options", "solver", "stabilization", "material", "surface", "body",   "shape",   "joint",   "coupling",
      "motion",  "wrench", "contacts",      "include",  "output",  "expect", "perturb", "assemble"};
  for (Element& e : root.children()) {
    const std::string tag = e.tag();
    // A figure may be included that also runs on its own: how to run it is then the including scenario's
    // matter.
    const bool runs = tag == "options" || tag == "solver" || tag == "stabilization" || tag == "output" ||
                      tag == "expect" || tag == "perturb" || tag == "assemble";
    if (runs && included) continue;
    if (tag == "options")
      readOptions(e);
    else if (tag == "solver")
      readSolver(e);
    else if (tag == "stabilization")
      readStabilization(e);
    else if (tag == "output")
      readOutput(e);
    else if (tag == "expect")
      readExpect(e);
    else if (tag == "perturb")
      readPerturb(e);
    else if (tag == "assemble")
      assemble_.push_back({e, placement});
    else if (tag == "material")
      readMaterial(e, placement);
    else if (tag == "include")
      readInclude(e, placement);
    else if (tag == "body")
      bodies_.push_back({e, placement});
    else if (tag == "surface")
      surfaces_.push_back({e, placement});
    else if (tag == "shape")
      worldShapes_.push_back({e, placement});
    else if (tag == "joint")
      joints_.push_back({e, placement});
    else if (tag == "coupling")
      couplings_.push_back({e, placement});
    else if (tag == "motion")
      motions_.push_back({e, placement});
    else if (tag == "wrench")
      wrenches_.push_back({e, placement});
    else if (tag == "contacts")
      contacts_.push_back({e, placement});
    else
      root.unknownChild(e, known);
  }
}

void Reader::readInclude(Element e, const Placement& placement) {
  const std::string file = e.requiredText("file");
  Placement inner;
  inner.pose = placement.pose * e.pose();
  inner.prefix = placement.prefix + e.text("prefix");
  e.finishLeaf();
  if (!file.empty()) readFile(besideFile(e.file(), file), inner, &e, {});
}

void Reader::readOptions(Element e) {
  StepOptions& o = model_.step;
  o.timestep = e.number("timestep", o.timestep, {1e-9, 1.0, false});
  scenario_.duration = e.number("duration", scenario_.duration, kPositive);
  o.integrator = e.choice("integrator", 1, {"euler", "moreau"}) == 0 ? Integrator::Euler : Integrator::Moreau;
  model_.gravity = e.vector("gravity", model_.gravity);
  o.projection = e.boolean("projection", o.projection);
  o.projectionTolerance = e.number("projection-tolerance", o.projectionTolerance, {1e-15, 1.0, false});
  o.restitutionThreshold = e.number("restitution-threshold", o.restitutionThreshold, kNotNegative);
  o.contactMargin = e.number("contact-margin", o.contactMargin, kNotNegative);
  o.geometricStiffness = e.boolean("geometric-stiffness", o.geometricStiffness);
  o.limitMargin = e.number("limit-margin", o.limitMargin, kNotNegative);
  o.divergenceSpeed = e.number("divergence-speed", o.divergenceSpeed, kPositive);
  o.divergenceResidual = e.number("divergence-residual", o.divergenceResidual, kPositive);
  o.divergenceEnergy = e.number("divergence-energy", o.divergenceEnergy, kPositive);
  e.finishLeaf();
  if (scenario_.duration / o.timestep > kMaxSteps)
    e.error(fmt::format("duration / timestep is {:.3g} steps (at most {:.0e})",
                        scenario_.duration / o.timestep, kMaxSteps));
}

void Reader::readSolver(Element e) {
  SolverOptions& o = model_.solver;
  std::vector<std::string> names;
  for (const SolverEntry& entry : solverRegistry()) names.emplace_back(entry.name);
  o.name = names[static_cast<std::size_t>(e.choice("name", 0, names))];
  o.tolerance = e.number("tolerance", o.tolerance, {1e-14, 1.0, false});
  o.maxIterations = e.integer("max-iterations", o.maxIterations, 1, 10000000);
  o.proximal = e.number("proximal", o.proximal, {1e-15, 1.0, false});
  o.jointProximal = e.number("joint-proximal", o.jointProximal, {1e-15, 1.0, false});
  o.penaltyExponent = e.number("penalty-exponent", o.penaltyExponent, {-0.5, 1.0, false});
  o.penaltyStep = e.number("penalty-step", o.penaltyStep, {0.0, 1.0, false});
  o.penaltyThreshold = e.number("penalty-threshold", o.penaltyThreshold, {1.0, 1e9, true});
  o.penalty = e.number("penalty", o.penalty, {1e-9, 1e9, false});
  o.penaltyFactor = e.number("penalty-factor", o.penaltyFactor, {1.0, 1e3, true});
  o.acceleration =
      static_cast<Acceleration>(e.choice("acceleration", 0, {"default", "none", "nesterov", "anderson"}));
  o.relaxation = e.number("relaxation", o.relaxation, {0.0, 2.0, true});
  o.relaxationDecay = e.number("relaxation-decay", o.relaxationDecay, kShare);
  o.relaxationMin = e.number("relaxation-min", o.relaxationMin, {0.0, 2.0, true});
  o.deSaxce = e.boolean("de-saxce", o.deSaxce);
  o.warmStart = e.boolean("warm-start", o.warmStart);
  e.finishLeaf();
}

void Reader::readStabilization(Element e) {
  Stabilization& s = model_.stabilization;
  s.alpha = e.number("alpha", s.alpha, kShare);
  s.beta = e.number("beta", s.beta, kShare);
  s.gamma = e.number("gamma", s.gamma, kShare);
  s.margin = e.number("margin", s.margin, {-1.0, 1.0, false});
  e.finishLeaf();
}

void Reader::readOutput(Element e) {
  OutputOptions& o = scenario_.output;
  o.trajectory = e.boolean("trajectory", o.trajectory);
  o.csv = e.boolean("csv", o.csv);
  o.interval = e.number("interval", o.interval, kNotNegative);
  e.finish();
  for (Element& child : e.children()) {
    if (child.tag() != "channel") {
      e.unknownChild(child, {"channel"});
      continue;
    }
    o.channels.push_back(child.requiredText("name"));
    child.finishLeaf();
  }
}

void Reader::readPerturb(Element e) {
  perturbation_.velocity = e.number("velocity", 0.0, kNotNegative);
  perturbation_.angularVelocity = e.number("angular-velocity", 0.0, kNotNegative);
  perturbation_.seed = static_cast<unsigned>(e.integer("seed", 1, 0, std::numeric_limits<int>::max()));
  e.finishLeaf();
}

void Reader::perturb() {
  // Bits of the generator itself: the distributions of the standard library differ between libraries.
  std::mt19937_64 generator(perturbation_.seed);
  const auto uniform = [&] { return std::ldexp(static_cast<double>(generator() >> 11), -52) - 1.0; };
  for (Body& body : model_.bodies)
    for (int i = 0; i < 6; ++i)
      body.initialTwist[i] += (i < 3 ? perturbation_.velocity : perturbation_.angularVelocity) * uniform();
}

void Reader::readExpect(Element e) {
  e.finish();
  for (Element& child : e.children()) {
    if (child.tag() == "divergence") {
      scenario_.expectDivergence = true;
      child.finishLeaf();
      continue;
    }
    if (child.tag() != "check") {
      e.unknownChild(child, {"check", "divergence"});
      continue;
    }
    Expectation x;
    x.channel = child.requiredText("channel");
    const std::string when = child.text("at", "always");
    if (when == "end") {
      x.when = When::End;
    } else if (when != "always") {
      const auto time = parseNumbers(when);
      if (!time || time->size() != 1 || !(time->front() >= 0.0))
        child.error(fmt::format("at=\"{}\" is not allowed (always, end, or a time in s)", when));
      else
        x.when = When::At, x.time = time->front();
    }
    if (child.has("value")) {
      const double value = child.number("value", 0.0);
      const double tolerance = child.requiredNumber("tolerance", kNotNegative);
      x.lower = value - tolerance;
      x.upper = value + tolerance;
      if (child.has("min") || child.has("max")) child.error("value and min/max exclude each other");
    } else {
      if (!child.has("min") && !child.has("max"))
        child.error("says nothing (needs min, max, or value and tolerance)");
      x.lower = child.number("min", x.lower);
      x.upper = child.number("max", x.upper);
      if (x.lower > x.upper) child.error("min is larger than max (swap them)");
    }
    const std::string moment = x.when == When::Always ? "always"
                               : x.when == When::End  ? "at the end"
                                                      : fmt::format("at {} s", x.time);
    x.text = std::isinf(x.lower) ? fmt::format("{} <= {:g} {}", x.channel, x.upper, moment)
             : std::isinf(x.upper)
                 ? fmt::format("{} >= {:g} {}", x.channel, x.lower, moment)
                 : fmt::format("{} in [{:.9g}, {:.9g}] {}", x.channel, x.lower, x.upper, moment);
    child.finishLeaf();
    scenario_.expectations.push_back(std::move(x));
  }
}

void Reader::readContacts(Element e, const Placement& placement) {
  neighboursCollide_ = e.boolean("neighbours", neighboursCollide_);
  e.finish();
  for (Element& child : e.children()) {
    if (child.tag() != "exclude") {
      e.unknownChild(child, {"exclude"});
      continue;
    }
    const int a = bodyIndex(child, "a", placement, true), b = bodyIndex(child, "b", placement, true);
    child.finishLeaf();
    if (a < kWorld || b < kWorld) continue;
    if (a == b) child.error("a and b are the same (two shapes of one body never touch anyway)");
    model_.excludedBodies.emplace_back(std::minmax(a, b));
  }
}

void Reader::readAssemble(Element e, const Placement& placement) {
  e.finish();
  if (!model_.assembly) model_.assembly.emplace();
  for (Element& child : e.children()) {
    if (child.tag() == "pin") {
      const int body = bodyIndex(child, "body", placement, false);
      if (body >= 0) model_.assembly->pinned.push_back(body);
    } else if (child.tag() == "input") {
      AssemblyInput input;
      input.joint = jointIndex(child, "joint", placement);
      const int freedoms = input.joint < 0 ? 6 : model_.joints[input.joint].type->numDofs();
      input.axis = child.integer("coordinate", 0, 0, 5);
      input.value = child.requiredNumber("value");
      if (input.axis >= freedoms)
        child.error(fmt::format("coordinate=\"{}\": joint '{}' has {} coordinates, counted from 0",
                                input.axis, model_.joints[input.joint].name, freedoms));
      else if (input.joint >= 0)
        model_.assembly->inputs.push_back(input);
    } else {
      e.unknownChild(child, {"pin", "input"});
      continue;
    }
    child.finishLeaf();
  }
}

std::string Reader::newName(Element& e, const Placement& placement, const char* kind) {
  std::string name = e.requiredText("name");
  if (name.empty()) return name;
  if (name == "world") e.error("the name 'world' is taken (choose another)");
  if (name.find_first_of("[]=\"<>\n\t") != std::string::npos)
    e.error("a name may not hold any of [ ] = < > or line breaks");
  name = placement.prefix + name;
  if (!names_.insert(std::string(kind) + "/" + name).second)
    e.error(fmt::format(
        "duplicate name: there is a {} '{}' already (names of one kind must differ; include with a "
        "prefix)",
        kind, name));
  return name;
}

namespace {

template <typename T>
int lookUp(Element& e, const char* attribute, const std::string& wanted, const char* kind,
           const std::vector<T>& items) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].name == wanted) return static_cast<int>(i);
    names.push_back(items[i].name);
  }
  const std::string near = closest(wanted, names);
  e.error(
      fmt::format("{}=\"{}\": there is no such {} ({})", attribute, wanted, kind,
                  near.empty() ? fmt::format("{} are known", names.size()) : "did you mean " + near + "?"));
  return -2;
}

}  // namespace

int Reader::bodyIndex(Element& e, const char* attribute, const Placement& placement, bool worldAllowed) {
  const std::string name = e.requiredText(attribute);
  if (name.empty()) return -2;
  if (name == "world") {
    if (worldAllowed) return kWorld;
    e.error(fmt::format("{}=\"world\" is not allowed (name a body)", attribute));
    return -2;
  }
  return lookUp(e, attribute, placement.prefix + name, "body", model_.bodies);
}

int Reader::jointIndex(Element& e, const char* attribute, const Placement& placement) {
  const std::string name = e.requiredText(attribute);
  return name.empty() ? -2 : lookUp(e, attribute, placement.prefix + name, "joint", model_.joints);
}

int Reader::signalIndex(Element& e, const Placement& placement, bool required) {
  if (!e.has("motion") && !required) {
    e.text("motion");
    return -1;
  }
  const std::string name = e.requiredText("motion");
  return name.empty() ? -2 : lookUp(e, "motion", placement.prefix + name, "motion", model_.signals);
}

int Reader::materialIndex(Element& e, const char* attribute, const Placement& placement) {
  const std::string name = e.text(attribute, "default");
  if (name == "default") return 0;
  // A figure may define its own material or use one of the scenario that includes it.
  for (const std::string& full : {placement.prefix + name, name})
    for (std::size_t i = 0; i < model_.materials.size(); ++i)
      if (model_.materials[i].name == full) return static_cast<int>(i);
  return std::max(0, lookUp(e, attribute, name, "material", model_.materials));
}

void Reader::resolve(bool durationOverridden) {
  for (auto& [e, placement] : surfaces_) readSurface(e, placement);
  for (auto& [e, placement] : bodies_) readBody(e, placement);
  for (auto& [e, placement] : worldShapes_) readWorldShape(e, placement);
  for (auto& [e, placement] : motions_) readMotion(e, placement);
  for (auto& [e, placement] : joints_) readJoint(e, placement);
  for (auto& [e, placement] : couplings_) readCoupling(e, placement);
  for (auto& [e, placement] : wrenches_) readWrench(e, placement);
  for (auto& [e, placement] : contacts_) readContacts(e, placement);
  for (auto& [e, placement] : assemble_) readAssemble(e, placement);
  if (!found_.empty()) return;
  if (model_.bodies.empty())
    found_.push_back({scenario_.file, 0, {}, "there is no <body> (a scenario moves at least one)"});
  if (perturbation_.velocity > 0.0 || perturbation_.angularVelocity > 0.0) perturb();
  model_.finish(neighboursCollide_);
  const auto check = [&](const std::string& channel) {
    try {
      findChannel(model_, channel);
    } catch (const InputError& error) {
      found_.push_back({scenario_.file, 0, "channel", error.what()});
    }
  };
  for (const Expectation& x : scenario_.expectations) {
    check(x.channel);
    // A run cut short on the command line just doesn't get there.
    if (!durationOverridden && x.when == When::At && x.time > scenario_.duration + 0.5 * model_.step.timestep)
      found_.push_back(
          {scenario_.file, 0, "expect/check",
           fmt::format("'{}' lies beyond the duration of {} s (make the run longer, or look earlier)", x.text,
                       scenario_.duration)});
  }
  for (const std::string& channel : scenario_.output.channels) check(channel);
  scenario_.model = std::make_shared<const Model>(std::move(model_));
}

}  // namespace grashof::xml

namespace grashof {

namespace {

Scenario emptyScenario(const std::string& path) {
  Scenario scenario;
  scenario.file = path;
  return scenario;
}

void conclude(xml::Reader& reader, const std::vector<Override>& overrides) {
  const bool durationOverridden = std::any_of(overrides.begin(), overrides.end(),
                                              [](const Override& o) { return o.path == "options.duration"; });
  if (reader.found().empty()) reader.resolve(durationOverridden);
  if (!reader.found().empty()) throw InputError(reader.found());
}

}  // namespace

Scenario readScenario(const std::string& path, const std::vector<Override>& overrides) {
  Scenario scenario = emptyScenario(path);
  xml::Reader reader(scenario);
  reader.readFile(path, {}, nullptr, overrides);
  conclude(reader, overrides);
  return scenario;
}

Scenario parseScenario(const std::string& text, const std::string& path,
                       const std::vector<Override>& overrides) {
  Scenario scenario = emptyScenario(path);
  xml::Reader reader(scenario);
  reader.readText(text, path, overrides);
  conclude(reader, overrides);
  return scenario;
}

}  // namespace grashof
