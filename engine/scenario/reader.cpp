#include "engine/scenario/reader.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <random>

#include <fmt/format.h>

#include "engine/base/input_file.h"
#include "engine/base/spelling.h"
#include "engine/dynamics/channels.h"
#include "engine/scenario/scenario.h"
#include "engine/scenario/xml_defect.h"

namespace grashof::xml {
namespace {

constexpr int kMostFiles = 4096;

}  // namespace

PathEnd followPath(tinyxml2::XMLElement& root, const std::string& path, bool make) {
  tinyxml2::XMLElement* at = &root;
  std::string rest = path;
  while (true) {
    const auto bracket = rest.find('[');
    const auto dot = rest.find('.');
    if (bracket == std::string::npos && dot == std::string::npos) break;
    std::string tag, name;
    if (bracket < dot) {
      const auto close = rest.find(']', bracket);
      if (close == std::string::npos || close + 1 >= rest.size() || rest[close + 1] != '.')
        throw InputError("bad path (as in options.timestep or body[crank].inertial.mass)");
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
    if (!child && name.empty() && make) child = at->InsertNewChildElement(tag.c_str());
    if (!child)
      throw InputError(name.empty() ? fmt::format("there is no <{}>", tag)
                                    : fmt::format("there is no <{} name=\"{}\">", tag, name));
    at = child;
  }
  if (rest.empty()) throw InputError("the path ends without an attribute (as in options.timestep)");
  return {at, rest};
}

Reader::Reader(Scenario& scenario) : scenario_(scenario), builder_(std::string{}) {
  builder_.where().model.file = scenario.file;
}

void Reader::report(const std::string& path, int line, const std::string& message,
                    const Element* includedBy) {
  if (includedBy)
    includedBy->error(fmt::format("{}: {}", path, message));
  else
    found_.push_back({path, line, {}, message});
}

bool Reader::admit(const std::string& path, std::uintmax_t size, const Element* includedBy) {
  if (files_ > kMostFiles) return false;  // that was reported
  fileBytes_ += size;
  if (++files_ <= kMostFiles && fileBytes_ <= kLargestScenario) return true;
  files_ = kMostFiles + 1;
  report(
      path, 0,
      fmt::format("with what it includes, the scenario has more than {} files or {} MiB (split it, and move "
                  "meshes to files of their own)",
                  kMostFiles, kLargestScenario >> 20),
      includedBy);
  return false;
}

void Reader::readFile(const std::string& path, const Placement& placement, Arguments& arguments,
                      const std::vector<Override>& overrides) {
  const Element* const includedBy = arguments.giver;
  const auto fail = [&](const std::string& message) { report(path, 0, message, includedBy); };
  std::error_code code;
  const auto size = std::filesystem::file_size(path, code);
  if (code || !std::filesystem::is_regular_file(path, code))
    return fail("cannot be read (is the path right, and a file?)");
  if (!admit(path, size, includedBy)) return;
  const std::string identity = std::filesystem::canonical(path, code).string();
  if (std::find(openFiles_.begin(), openFiles_.end(), identity) != openFiles_.end())
    return fail("includes itself (remove one include of the cycle)");
  if (openFiles_.size() > 32) return fail("includes are nested more than 32 deep");
  openFiles_.push_back(identity);
  readContent(readInputFile(path, kLargestScenario, "a scenario"), path, placement, arguments, overrides);
  openFiles_.pop_back();
}

void Reader::readText(const std::string& text, const std::string& path,
                      const std::vector<Override>& overrides) {
  Arguments none;
  readContent(text, path, {}, none, overrides);
}

void Reader::readContent(const std::string& text, const std::string& path, const Placement& placement,
                         Arguments& arguments, const std::vector<Override>& overrides) {
  if (!arguments.giver) notes_->files.push_back(path);  // an include has noted its own
  documents_.push_back(std::make_unique<tinyxml2::XMLDocument>());
  tinyxml2::XMLDocument& document = *documents_.back();
  if (const XmlDefect defect = parseXml(document, text); !defect.message.empty())
    return report(path, defect.line, defect.message, arguments.giver);
  readDocument(document, path, placement, arguments, overrides);
}

void Reader::readDocument(tinyxml2::XMLDocument& document, const std::string& path,
                          const Placement& placement, Arguments& arguments,
                          const std::vector<Override>& overrides) {
  const auto fail = [&](int line, const std::string& message) {
    report(path, line, message, arguments.giver);
  };
  auto* root = document.RootElement();
  if (!root || std::string(root->Name()) != "scenario")
    return fail(root ? root->GetLineNum() : 0, "the root element must be <scenario>");
  for (const auto* more = root->NextSibling(); more; more = more->NextSibling())
    if (more->ToElement() || more->ToText())
      return fail(more->GetLineNum(), "stands after </scenario> (move it inside, or remove it)");
  for (const Override& override : overrides) try {
      if (override.path.starts_with("param.")) continue;
      const PathEnd end = followPath(*root, override.path, true);
      if (!override.value.empty())
        end.element->SetAttribute(end.attribute.c_str(), override.value.c_str());
      else if (end.element->Attribute(end.attribute.c_str()))
        end.element->DeleteAttribute(end.attribute.c_str());
      else
        throw InputError(fmt::format("there is no attribute {} to take away", end.attribute));
    } catch (const InputError& error) {
      found_.push_back({{}, 0, "--set " + override.path + "=" + override.value, error.what()});
    }
  applyParameters(*root, overrides);
  auto context = std::make_shared<Context>();
  context->notes = notes_;
  readRoot(Element(*root, path, {}, found_, std::move(context)), placement, arguments);
}

const std::vector<Reader::Section>& Reader::sections() {
  static const std::vector<Section> all = {
      {"options", &Reader::readOptions, true, true, 0},
      {"solver", &Reader::readSolver, true, true, 0},
      {"stabilization", &Reader::readStabilization, true, true, 0},
      {"material", &Reader::readMaterial, false, false, 0},
      {"surface", &Reader::readSurface, false, false, 1},
      {"body", &Reader::readBody, false, false, 2},
      {"shape", &Reader::readWorldShape, false, false, 3},
      {"joint", &Reader::readJoint, false, false, 5},
      {"coupling", &Reader::readCoupling, false, false, 6},
      {"motion", &Reader::readMotion, false, false, 4},
      {"motor", &Reader::readMotor, false, false, 4},
      {"wrench", &Reader::readWrench, false, false, 7},
      {"spring", &Reader::readSpring, false, false, 7},
      {"gas-spring", &Reader::readGasSpring, false, false, 7},
      {"cable", &Reader::readCable, false, false, 7},
      {"tendon", &Reader::readTendon, false, false, 7},
      {"force", &Reader::readForce, false, false, 7},
      {"bushing", &Reader::readBushing, false, false, 7},
      {"knife-edge", &Reader::readKnifeEdge, false, false, 7},
      {"rolling", &Reader::readRolling, false, false, 7},
      {"control", &Reader::readControl, false, false, 8},
      {"contacts", &Reader::readContacts, false, true, 8},
      {"include", &Reader::readInclude, false, false, 0},
      {"replicate", &Reader::readReplicate, false, false, 0},
      {"use", &Reader::readUse, false, false, 0},
      {"output", &Reader::readOutput, true, true, 0},
      {"expect", &Reader::readExpect, true, false, 0},
      {"perturb", &Reader::readPerturb, true, true, 0},
      {"assemble", &Reader::readAssemble, true, true, 9},
  };
  return all;
}

void Reader::readRoot(Element root, const Placement& placement, Arguments& arguments) {
  const std::string name = root.text("name", std::filesystem::path(root.file()).stem().string());
  if (!arguments.giver) {
    scenario_.name = name;
    builder_.name() = name;
  }
  auto context = std::make_shared<Context>(*root.context());
  try {
    context->units = parseFileUnits(root.text("units"));
    context->converts = !context->units.si();
  } catch (const InputError& error) {
    root.error(fmt::format("units=\"{}\": {}", root.text("units"), error.what()));
  }
  root.finish();
  root.readWithin(std::move(context));
  defineParameters(root, arguments, !arguments.giver);
  if (!arguments.giver)
    for (Element& e : root.children("tolerance")) readTolerance(e);
  readBlock(root, placement, arguments.giver ? Block::IncludedFile : Block::File);
}

void Reader::readBlock(Element& block, const Placement& placement, Block kind) {
  defineTemplates(block);
  std::vector<std::string> known = {"parameter", "template", "tolerance"};
  for (const Section& section : sections()) known.emplace_back(section.tag);
  std::map<std::string, int> lines;  // of elements that stand once
  for (Element& e : block.children()) {
    const std::string tag = e.tag();
    if (tag == "parameter" || tag == "template") continue;
    if (tag == "tolerance") {
      if (kind == Block::Copy) e.error("does not stand inside of a copy (declare it of a <parameter>)");
      continue;
    }
    const auto section =
        std::find_if(sections().begin(), sections().end(), [&](const Section& s) { return tag == s.tag; });
    if (section == sections().end()) {
      block.unknownChild(e, known);
      continue;
    }
    if (kind == Block::Copy && (section->runs || section->once)) {
      e.error("stands once, in the scenario (move it out of <" + block.tag() + ">)");
      continue;
    }
    // A figure may be included that also runs on its own: how to run it is then the including scenario's
    // matter.
    if (section->runs && kind == Block::IncludedFile) continue;
    if (const auto [first, fresh] = lines.emplace(tag, e.line()); section->once && !fresh)
      e.error(fmt::format("stands in line {} already (keep one)", first->second));
    if (section->stage == 0)
      (this->*section->read)(e, placement);
    else
      deferred_[section->stage].push_back({section->read, e, placement});
  }
}

void Reader::readInclude(Element e, const Placement& placement) {
  const std::string file = e.requiredText("file");
  Placement inner;
  inner.pose = placement.pose * e.pose();
  inner.prefix = placement.prefix + e.text("prefix");
  Arguments arguments{&e};
  if (!file.empty()) readFile(e.filePath(file), inner, arguments, {});
  if (arguments.taken) e.finishLeaf();
}

std::string Reader::newName(Element& e, const Placement& placement) {
  const std::string name = e.ownName();
  return name.empty() ? name : placement.prefix + name;
}

int Reader::lookUp(Element& e, const char* attribute, const std::string& wanted, const char* kind) {
  const int found = builder_.find(kind, wanted);
  if (found >= 0) return found;
  const std::vector<std::string> names = builder_.names(kind);
  const std::string near = closest(wanted, names);
  e.error(
      fmt::format("{}=\"{}\": there is no such {} ({})", attribute, wanted, kind,
                  near.empty() ? fmt::format("{} are known", names.size()) : "did you mean " + near + "?"));
  return BodyId::reported().value;
}

BodyId Reader::bodyId(Element& e, const char* attribute, const Placement& placement, bool worldAllowed) {
  const std::string name = e.requiredText(attribute);
  if (name.empty()) return BodyId::reported();
  if (name != "world") return {lookUp(e, attribute, placement.prefix + name, "body")};
  if (worldAllowed) return kWorldBody;
  e.error(fmt::format("{}=\"world\" is not allowed (name a body)", attribute));
  return BodyId::reported();
}

JointId Reader::jointId(Element& e, const char* attribute, const Placement& placement) {
  const std::string name = e.requiredText(attribute);
  if (name.empty()) return JointId::reported();
  return {lookUp(e, attribute, placement.prefix + name, "joint")};
}

SignalId Reader::signalId(Element& e, const Placement& placement) {
  const std::string name = e.requiredText("motion");
  if (name.empty()) return SignalId::reported();
  return {lookUp(e, "motion", placement.prefix + name, "motion")};
}

MotorId Reader::motorId(Element& e, const Placement& placement) {
  const std::string name = e.requiredText("motor");
  if (name.empty()) return MotorId::reported();
  // As of materials: a figure may have its own motors, or use those of the scenario that includes it.
  const int own = builder_.find("motor", placement.prefix + name);
  return {own >= 0 ? own : lookUp(e, "motor", name, "motor")};
}

MaterialId Reader::materialId(Element& e, const char* attribute, const Placement& placement) {
  const std::string name = e.text(attribute);
  if (name == "default") return kDefaultMaterial;
  // A figure may define its own material or use one of the scenario that includes it.
  const int own = builder_.find("material", placement.prefix + name);
  return {own >= 0 ? own : std::max(0, lookUp(e, attribute, name, "material"))};
}

void Reader::perturb() {
  // Bits of the generator itself: the distributions of the standard library differ between libraries.
  std::mt19937_64 generator(perturbation_.seed);
  const auto uniform = [&] { return std::ldexp(static_cast<double>(generator() >> 11), -52) - 1.0; };
  std::vector<Vec6> twists;
  for (const Body& body : scenario_.model->bodies) {
    twists.push_back(body.initialTwist);
    for (int i = 0; i < 6; ++i)
      twists.back()[i] += (i < 3 ? perturbation_.velocity : perturbation_.angularVelocity) * uniform();
  }
  ModelBuilder moved(*scenario_.model);
  moved.setInitialTwists(twists);
  scenario_.model = moved.build();
}

void Reader::resolve() {
  for (auto& [stage, elements] : deferred_)
    for (auto& [read, e, placement] : elements) (this->*read)(e, placement);
  builder_.setNeighbours(neighbours_);
}

void Reader::checkExpectations(bool durationOverridden) {
  const auto check = [&](const std::string& channel) {
    try {
      findChannel(*scenario_.model, channel);
    } catch (const InputError& error) {
      found_.push_back({scenario_.file, 0, "channel", error.what()});
    }
  };
  const double end = scenario_.duration + 0.5 * scenario_.model->step.timestep;
  for (const Expectation& x : scenario_.expectations) {
    check(x.channel);
    // A run cut short on the command line just doesn't get there.
    if (!durationOverridden && x.when == When::At && x.time > end)
      found_.push_back(
          {scenario_.file, 0, "expect/check",
           fmt::format("'{}' lies beyond the duration of {} s (make the run longer, or look earlier)", x.text,
                       scenario_.duration)});
  }
  for (const std::string& channel : scenario_.output.channels) check(channel);
}

void Reader::finish(bool durationOverridden) {
  if (found_.empty()) resolve();
  for (const Diagnostic& defect : found_) builder_.report(defect);
  try {
    scenario_.model = builder_.build();
  } catch (const InputError& error) {
    std::vector<Diagnostic> defects = error.diagnostics();
    nameExpressions(defects);
    throw InputError(std::move(defects));
  }
  if (perturbation_.velocity > 0.0 || perturbation_.angularVelocity > 0.0) perturb();
  checkExpectations(durationOverridden);
  if (!found_.empty()) throw InputError(found_);
  for (const std::string& file : notes_->files)
    if (std::find(scenario_.files.begin(), scenario_.files.end(), file) == scenario_.files.end())
      scenario_.files.push_back(file);
  scenario_.remarks.insert(scenario_.remarks.end(), notes_->remarks.begin(), notes_->remarks.end());
  keepSource();
}

void Reader::nameExpressions(std::vector<Diagnostic>& defects) const {
  std::multimap<std::pair<std::string_view, int>, const ReadingNotes::Expression*> places;
  for (const ReadingNotes::Expression& x : notes_->expressions)
    places.emplace(std::pair(std::string_view(x.element), x.line), &x);
  for (Diagnostic& d : defects) {
    const auto [first, last] = places.equal_range({d.element, d.line});
    for (auto at = first; at != last; ++at) {
      const ReadingNotes::Expression& x = *at->second;
      if (x.file != d.file) continue;
      const std::string said = fmt::format("{}=\"{}\"", x.attribute, x.text);
      if (d.message.find(x.attribute) != std::string::npos && d.message.find(said) == std::string::npos)
        d.message += fmt::format(", from {}", said);
    }
  }
}

}  // namespace grashof::xml

namespace grashof {

namespace {

Scenario emptyScenario(const std::string& path) {
  Scenario scenario;
  scenario.file = path;
  return scenario;
}

bool durationOverridden(const std::vector<Override>& overrides) {
  return std::any_of(overrides.begin(), overrides.end(),
                     [](const Override& o) { return o.path == "options.duration"; });
}

}  // namespace

Scenario readScenario(const std::string& path, const std::vector<Override>& overrides) {
  Scenario scenario = emptyScenario(path);
  xml::Reader reader(scenario);
  xml::Arguments none;
  reader.readFile(path, {}, none, overrides);
  reader.finish(durationOverridden(overrides));
  return scenario;
}

Scenario parseScenario(const std::string& text, const std::string& path,
                       const std::vector<Override>& overrides) {
  Scenario scenario = emptyScenario(path);
  xml::Reader reader(scenario);
  reader.readText(text, path, overrides);
  reader.finish(durationOverridden(overrides));
  return scenario;
}

}  // namespace grashof
