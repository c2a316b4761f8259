#include "tools/convert/mjcf_reader.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "tools/convert/mjcf_features.h"

namespace grashof::convert {

using xml::Element;

namespace {

/// What an asset without a name, a model, is called: as its file says, else as the file. `from`: the file
/// that has it.
std::string nameOfModel(const std::string& from, const std::string& asset, const FileOptions& options) {
  std::string stem = std::filesystem::path(asset).stem().string();
  const std::string path = findFile(from, asset, options);
  if (path.empty()) return stem;
  std::vector<Diagnostic> ofThatFile;  // told when it is attached
  MjcfDocument model(path, options, ofThatFile);
  return model.load() ? model.root().text("model", stem) : stem;
}

}  // namespace

MjcfFile& MjcfReader::open(const std::string& path, const std::string& prefix) {
  files_.push_back(std::make_unique<MjcfFile>(path, options_, found_));
  MjcfFile& file = *files_.back();
  file.prefix = prefix;
  file.suffix = suffix_;
  file.outer = document_ ? &current() : nullptr;
  turnTo(file);
  if (!file.document.load()) return file;
  file.sections = file.document.sections();
  for (const Element& e : file.sections)
    if (e.tag() != "default") collectNames(e);
  for (Element e : file.sections)
    if (e.tag() == "compiler") readCompiler(e);
  file.compiler = compiler_;
  for (Element e : file.sections)
    if (e.tag() == "default") document_->readDefaults(e);
  for (const Element& section : file.sections) {
    if (section.tag() != "asset") continue;
    for (Element e : document_->children(section)) {
      if (e.tag() == "mesh") {
        readMesh(e);
      } else if (e.tag() == "hfield") {
        readHeights(e);
      } else if (e.tag() == "model") {
        const std::string asset = e.text("file");
        models_[prefix_ +
                (e.has("name") ? e.text("name") : nameOfModel(document_->path(), asset, options_))] = asset;
        noteMjcf(e, report_);
      } else if (e.tag() != "skin") {
        noteMjcfElement(e, report_);
      }
    }
  }
  return file;
}

void MjcfReader::turnTo(MjcfFile& file) {
  document_ = &file.document;
  compiler_ = file.compiler;
  prefix_ = file.prefix;
}

const MjcfFile& MjcfReader::current() const {
  return **std::find_if(files_.begin(), files_.end(),
                        [&](const auto& file) { return &file->document == document_; });
}

void MjcfReader::readRelations(const char* tag, const std::function<void(Element&)>& read) {
  for (const auto& file : files_) {
    turnTo(*file);
    suffix_ = file->suffix;
    for (Element e : file->sections)
      if (e.tag() == tag) read(e);
  }
  suffix_.clear();
  turnTo(*files_.front());
}

Tree MjcfReader::read() {
  tree_.timestep = 2e-3;  // MuJoCo's, where the file is silent
  tree_.integrator = Integrator::Euler;
  tree_.startsAsGiven = true;
  tree_.neighbours = TreeNeighbours::ParentAndChild;
  const MjcfFile& model = open(path_, "");
  if (!model.sections.empty()) {
    Element root = document_->root();
    tree_.name = root.text("model", std::filesystem::path(path_).stem().string());
    noteMjcf(root, report_);
    for (Element e : model.sections)
      if (e.tag() == "option") readOption(e);
    for (Element e : model.sections)
      if (e.tag() == "worldbody") readChildren(e, kWorldLink, {}, "");
    static const std::vector<std::string> known = {"compiler", "option",   "default", "asset",   "worldbody",
                                                   "equality", "actuator", "tendon",  "contact", "keyframe"};
    for (const Element& e : model.sections)
      if (std::find(known.begin(), known.end(), e.tag()) == known.end()) noteMjcfElement(e, report_);
    boundInertias();
    readRelations("tendon", [&](Element& e) { readTendons(e); });
    readRelations("equality", [&](Element& e) { readEqualities(e); });
    readRelations("actuator", [&](Element& e) { readActuators(e); });
    readRelations("contact", [&](Element& e) { readContacts(e); });
    missing_.conclude("meshes and height fields",
                      "meshes and height fields that are not there or cannot be used, with their shapes",
                      !options_.skipMissingMeshes,
                      "--skip-missing-meshes leaves them out, and the masses that they give", found_,
                      report_);
    resolveByInertia();
    readKeyframes(model.sections);
    makeActuators();
    for (const auto& [what, count] : countedOut_)
      report_.leftOut.push_back(fmt::format("{} {} ({})", count.first, what, count.second));
  }
  if (found_.empty() && tree_.links.empty())
    found_.push_back({path_, 0, {}, "there is no <body> (a model moves at least one)"});
  if (!found_.empty()) throw InputError(found_);
  makeGroups();
  applyMargins();
  joinSurfaces();
  makeSurfaces();
  return std::move(tree_);
}

void MjcfReader::readCompiler(Element& e) {
  document_->readAngles(e);
  compiler_.meshFolder = e.text("meshdir", e.text("assetdir", compiler_.meshFolder));
  if (e.has("inertiafromgeom"))
    compiler_.fromGeoms = e.choice("inertiafromgeom", 2, {"false", "true", "auto"});
  compiler_.autoLimits = e.boolean("autolimits", compiler_.autoLimits);
  compiler_.leastMass = e.number("boundmass", compiler_.leastMass, xml::kNotNegative);
  compiler_.leastInertia = e.number("boundinertia", compiler_.leastInertia, xml::kNotNegative);
  compiler_.balance = e.boolean("balanceinertia", compiler_.balance);
  compiler_.totalMass = e.number("settotalmass", compiler_.totalMass);
  compiler_.stripPath = e.boolean("strippath", compiler_.stripPath);
  compiler_.exactMeshes = e.boolean("exactmeshinertia", compiler_.exactMeshes);
  compiler_.alignFree = e.boolean("alignfree", compiler_.alignFree);
  compiler_.fitBoxes = e.boolean("fitaabb", compiler_.fitBoxes);
  const auto groups = e.numbers("inertiagrouprange", {2});
  if (!groups.empty()) compiler_.groupRange = groups;
  noteMjcf(e, report_);
  for (const Element& child : e.children())
    if (child.tag() != "lengthrange") noteMjcfElement(child, report_);
}

void MjcfReader::readOption(Element& e) {
  if (e.has("timestep")) tree_.timestep = e.number("timestep", 2e-3, {1e-9, 1.0, false});
  tree_.gravity = e.vector("gravity", tree_.gravity);
  const std::vector<std::string> names = {"Euler", "RK4", "implicit", "implicitfast"};
  const int integrator = e.choice("integrator", 0, names);
  if (integrator == 1) {
    tree_.integrator = Integrator::Auto;
    Report::once(report_.approximated,
                 "integrator RK4 by auto, whose steps are as long as its tolerance allows");
  } else if (e.has("integrator")) {
    tree_.integrator = Integrator::Euler;
    if (integrator > 1)
      Report::once(report_.approximated,
                   fmt::format("integrator {} by euler", names[static_cast<std::size_t>(integrator)]));
  }
  elliptic_ = e.choice("cone", elliptic_ ? 1 : 0, {"pyramidal", "elliptic"}) == 1;
  impedanceRatio_ = e.number("impratio", impedanceRatio_, {0.0, xml::kInfinity, true});
  if (const auto groups = xml::parseNumbers(e.text("actuatorgroupdisable"))) {
    for (const double group : *groups) disabledGroups_.insert(static_cast<int>(group));
  } else {
    e.error("actuatorgroupdisable needs numbers");
  }
  noteMjcf(e, report_);
  for (Element child : document_->children(e)) {
    if (child.tag() == "flag")
      readFlags(child);
    else if (child.tag() != "custom")
      noteMjcfElement(child, report_);
  }
}

void MjcfReader::readFlags(Element& e) {
  for (const char* flag : {"constraint", "equality", "frictionloss", "limit", "contact", "passive", "spring",
                           "damper", "gravity", "clampctrl", "filterparent", "actuation"}) {
    if (!e.has(flag)) continue;
    if (e.choice(flag, 0, {"enable", "disable"}) == 1)
      disabled_.insert(flag);
    else
      disabled_.erase(flag);
  }
  if (!enabled("constraint")) disabled_.insert({"equality", "frictionloss", "limit", "contact"});
  if (!enabled("passive")) disabled_.insert({"spring", "damper"});
  if (!enabled("gravity")) tree_.gravity.setZero();
  if (!enabled("filterparent")) tree_.neighbours = TreeNeighbours::Touch;
  if (e.has("sleep")) sleeps_ = e.choice("sleep", 1, {"enable", "disable"}) == 0;
  if (e.has("override") && e.choice("override", 1, {"enable", "disable"}) == 0)
    Report::once(report_.leftOut, "flag override (contacts have their own parameters)");
  noteMjcf(e, report_);
}

void MjcfReader::countLeftOut(const std::string& what, const char* cure) {
  auto& [count, line] = countedOut_[what];
  ++count;
  line = cure;
}

void MjcfReader::collectNames(const Element& e) {
  Element named = e;
  if (named.has("name")) given_.insert(prefix_ + named.text("name"));
  for (const Element& child : document_->children(e)) collectNames(child);
}

std::string MjcfReader::unique(Element& e, const char* kind, std::set<std::string>& used) {
  std::string name;
  if (e.has("name")) {
    const std::string own = scenarioName(prefix_ + e.text("name") + suffix_, report_);
    name = own;
    for (int n = 2; used.contains(name); ++n) name = fmt::format("{}_{}", own, n);
    if (name != own) report_.assumed.push_back(fmt::format("a second '{}' is called '{}'", own, name));
  } else {
    std::size_t n = used.size();
    do {
      name = fmt::format("{}{}{}", kind, ++n, suffix_);
    } while (used.contains(name) || given_.contains(name));
  }
  used.insert(name);
  return name;
}

void MjcfReader::enter(Kind kind, Element& e, int index) {
  if (!e.has("name")) return;
  const std::string name = prefix_ + e.text("name");
  static constexpr std::array<const char*, kKinds> words = {"body", "joint", "site", "tendon", "geom"};
  if (!known_[kind].emplace(name + suffix_, index).second)
    e.error(fmt::format("there is a {} of this name already (names differ)", words[kind]));
  if (!suffix_.empty()) copies_[kind][name].push_back({suffix_, &current()});
}

int MjcfReader::findName(Kind kind, const std::string& name) const {
  for (const std::string& wanted : {prefix_ + name + suffix_, prefix_ + name}) {
    const auto at = known_[kind].find(wanted);
    if (at != known_[kind].end()) return at->second;
  }
  return -2;
}

int MjcfReader::find(Kind kind, Element& e, const char* attribute) {
  const std::string name = e.requiredText(attribute);
  if (name.empty()) return -2;
  if (kind == kBodies && name == "world") return kWorldLink;
  const int index = findName(kind, name);
  static constexpr std::array<const char*, kKinds> words = {"body", "joint", "site", "tendon", "geom"};
  // What an attached model says of bodies that were not attached does not count.
  if (index == -2 && !attached())
    e.error(fmt::format("{}=\"{}\": there is no such {}", attribute, name, words[kind]));
  return index;
}

void MjcfReader::forCopies(Element& e, const std::vector<std::pair<Kind, const char*>>& references,
                           const std::function<void(Element&)>& read) {
  std::vector<std::string> suffixes;
  for (const auto& [kind, attribute] : references)
    if (suffixes.empty() && e.has(attribute)) suffixes = suffixesOf(kind, prefix_ + e.text(attribute));
  const std::string own = suffix_;
  if (suffixes.empty()) suffixes.push_back(own);
  for (const std::string& suffix : suffixes) {
    suffix_ = suffix;
    read(e);
  }
  suffix_ = own;
}

std::vector<std::string> MjcfReader::suffixesOf(Kind kind, const std::string& name) const {
  std::vector<std::string> suffixes;
  const auto copies = copies_[kind].find(name);
  if (copies == copies_[kind].end() || known_[kind].contains(name)) return suffixes;
  // What is attached within a copy is read once for each, and is about its own.
  for (const Copy& copy : copies->second)
    for (const MjcfFile* file = copy.file; file; file = file->outer)
      if (&file->document == document_) suffixes.push_back(copy.suffix);
  return suffixes;
}

Tree readMjcf(const std::string& path, const FileOptions& options, const std::string& keyframe,
              Report& report) {
  return MjcfReader(path, options, keyframe, report).read();
}

}  // namespace grashof::convert
