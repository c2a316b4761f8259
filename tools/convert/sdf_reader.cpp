#include "tools/convert/sdf_reader.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sdf/Physics.hh>
#include <sdf/SemanticPose.hh>
#include <sstream>

#include <fmt/format.h>

#include "tools/convert/sdf_document.h"
#include "tools/convert/sdf_features.h"
#include "tools/convert/sdf_math.h"

namespace grashof::convert {
namespace {

/// Of contact problems, relative; as for URDF.
constexpr double kSdfTolerance = 1e-6;
constexpr double kSdfFriction = 1.0;  // SDF's, where the file is silent
constexpr double kSdfDamping = 1.0;   // N s/m, the same

/// Lines of the elements <inertial auto="true">, whose attribute libsdformat 12 does not keep.
void findAutoInertials(const tinyxml2::XMLElement& e, std::set<int>& lines) {
  if (std::string_view(e.Name()) == "inertial" && e.BoolAttribute("auto")) lines.insert(e.GetLineNum());
  for (const auto* child = e.FirstChildElement(); child; child = child->NextSiblingElement())
    findAutoInertials(*child, lines);
}

/// A version that is newer than all that are known.
void tellVersion(const tinyxml2::XMLElement& root, Report& report) {
  constexpr int kNewest = 12;  // 1.12
  const char* version = root.Attribute("version");
  int major = 0, minor = 0;
  if (!version || std::sscanf(version, "%d.%d", &major, &minor) < 1) return;
  if (major > 1 || minor > kNewest)
    report.assumed.push_back(fmt::format(
        "SDF {} is read as 1.{}: what it has anew, or means otherwise, is not known", version, kNewest));
}

/// Whether a value is not the one that counts where the file is silent.
bool differs(const sdf::ParamPtr& value) {
  const std::string own = value->GetAsString(), usual = value->GetDefaultAsString();
  if (own == usual) return false;
  if (value->GetTypeName() == "bool") {
    const auto holds = [](const std::string& text) { return text == "1" || text == "true"; };
    return holds(own) != holds(usual);
  }
  const auto a = xml::parseNumbers(own), b = xml::parseNumbers(usual);
  return !a || !b || *a != *b;
}

/// The same of an element, with all that is inside it.
bool differs(const sdf::ElementPtr& e) {
  if (const sdf::ParamPtr value = e->GetValue(); value && differs(value)) return true;
  for (const sdf::ParamPtr& a : e->GetAttributes())
    if (a->GetSet() && differs(a)) return true;
  for (sdf::ElementPtr child = e->GetFirstElement(); child; child = child->GetNextElement())
    if (differs(child)) return true;
  return !e->GetValue() && e->GetAttributeCount() == 0 && !e->GetFirstElement();
}

bool isNumeric(const std::string& type) {
  return type == "double" || type == "float" || type == "vector3" || type == "vector2d" ||
         type == "vector2i" || type == "pose";
}

}  // namespace

SdfReader::SdfReader(const std::string& path, const FileOptions& options, Report& report)
    : path_(path), options_(options), report_(report), meshes_(path, options) {
  tree_.file = path;
  tree_.solverTolerance = kSdfTolerance;
  surfaces_.materialOf({.friction = kSdfFriction, .across = kSdfFriction, .damping = kSdfDamping}, tree_);
}

Tree SdfReader::read() {
  const XmlFile file(path_);
  findAutoInertials(file.rootElement(), autoInertials_);
  tellVersion(file.rootElement(), report_);
  const sdf::Root root = loadSdf(path_, options_, found_, report_);
  const SdfSilence silence;
  // Also where the library refuses the file: it does not always say where.
  if (root.Element()) note(root.Element(), "");
  if (!found_.empty()) throw InputError(found_);
  if (const sdf::World* world = root.WorldByIndex(0)) {
    readWorld(*world);
    for (std::uint64_t i = 1; i < root.WorldCount(); ++i)
      report_.leftOut.push_back(
          fmt::format("world {} (the first one is read)", root.WorldByIndex(i)->Name()));
  } else if (root.Model()) {
    tree_.name = root.Model()->Name();
    readModel(*root.Model(), {});
  } else {
    found_.push_back({path_, 0, "sdf", "holds neither a world nor a model (add a <model>)"});
  }
  if (found_.empty()) {
    coupleGearboxes();
    rankCoupled();
    alignAxes();
    growTree(edges_, worldPoses_, tree_);
    addCouplings();
    if (scene_) freeRoots();
  }
  meshes_.conclude(found_, report_);
  sizeless_.conclude("shapes", "shapes without size", options_.strict, "without --strict they are left out",
                     found_, report_);
  if (found_.empty() && tree_.links.empty())
    found_.push_back({path_, 0, {}, "there is no <link> that moves (a model that is not static has one)"});
  if (!found_.empty()) throw InputError(found_);
  return std::move(tree_);
}

void SdfReader::readWorld(const sdf::World& world) {
  scene_ = true;
  tree_.name = world.Name();
  tree_.gravity = vectorOf(world.Gravity());
  if (const sdf::Physics* physics = world.PhysicsDefault(); physics && world.PhysicsCount() > 0) {
    const double step = physics->MaxStepSize();
    if (step > 0.0 && step <= 1.0)
      tree_.timestep = step;
    else
      error(whereIs(physics->Element(), "physics"), "max_step_size must lie in (0, 1] (s)");
  }
  for (std::uint64_t i = 0; i < world.ModelCount(); ++i) readModel(*world.ModelByIndex(i), {});
  readWorldJoints();
}

void SdfReader::readModel(const sdf::Model& model, const Scope& around) {
  Scope scope = around;
  const bool outermost = around.path.empty();
  scope.path = (outermost ? "" : around.path + "/") + fmt::format("model[{}]", model.Name());
  const Where where = whereIs(model.Element(), scope.path);
  // By itself a model stands where it says, in a world or a model where its pose is resolved to.
  if (outermost && !scene_)
    scope.pose = poseFrom(model.RawPose());
  else
    scope.pose = around.pose * poseOf(model.SemanticPose(), "", where);
  modelPoses_[scope.prefix + model.Name()] = scope.pose;
  if (!outermost || scene_) scope.prefix += model.Name() + "::";
  scope.fixed = around.fixed || model.Static();
  scope.selfCollide = model.SelfCollide();
  std::vector<std::pair<int, bool>> collide;
  for (std::uint64_t i = 0; i < model.LinkCount(); ++i) readLink(*model.LinkByIndex(i), scope, collide);
  for (std::uint64_t i = 0; i < model.ModelCount(); ++i) readModel(*model.ModelByIndex(i), scope);
  for (std::uint64_t i = 0; i < model.JointCount(); ++i) readJoint(*model.JointByIndex(i), scope);
  excludePairs(collide);
}

void SdfReader::freeRoots() {
  std::vector<bool> held(tree_.links.size(), false);
  for (const LinkJoint& j : tree_.joints) held[static_cast<std::size_t>(j.child)] = true;
  std::vector<LinkJoint> joints;
  for (std::size_t i = 0; i < held.size(); ++i) {
    if (held[i]) continue;
    LinkJoint free;
    free.name = unique(tree_.links[i].name + "_free", jointNames_);
    free.kind = LinkJointKind::Free;
    free.child = static_cast<int>(i);
    free.parentFrame = tree_.links[i].pose;
    joints.push_back(std::move(free));
  }
  // In front of all others, behind which they may be needed; couplings count joints.
  const int shift = static_cast<int>(joints.size());
  for (Mimic& m : tree_.mimics) m.jointA += shift, m.jointB += shift;
  tree_.joints.insert(tree_.joints.begin(), joints.begin(), joints.end());
}

void SdfReader::noteItem(const std::string& tag, const std::string& parent, const std::string& item) {
  const Feature* feature = findFeature(sdfFeatures(), parent + "/" + tag, item);
  if (!feature) feature = findFeature(sdfFeatures(), tag, item);
  if ((feature && feature->treatment != Treatment::LeftOut) || item.starts_with("xmlns")) return;
  Report::once(report_.leftOut,
               fmt::format("{} of <{}>{}", item, tag, feature ? fmt::format(" ({})", feature->note) : ""));
}

void SdfReader::note(const sdf::ElementPtr& e, const std::string& parent) {
  const std::string tag = e->GetName(), path = fmt::format("{}/{}", parent, tag);
  checkNumbers(e);
  for (const sdf::ParamPtr& a : e->GetAttributes())
    if (a->GetSet() && differs(a)) noteItem(tag, parent, a->GetKey());
  for (sdf::ElementPtr child = e->GetFirstElement(); child; child = child->GetNextElement()) {
    const std::string& name = child->GetName();
    if (!child->GetExplicitlySetInFile() && e->HasElementDescription(name)) continue;
    const Feature* feature = findFeature(sdfFeatures(), path, name);
    if (!feature) feature = findFeature(sdfFeatures(), tag, name);
    if (feature && feature->treatment == Treatment::Taken)
      note(child, tag);
    else if (!feature || differs(child))
      noteItem(tag, parent, name);
  }
}

void SdfReader::checkNumbers(const sdf::ElementPtr& e) {
  const sdf::ParamPtr value = e->GetValue();
  if (!value || !isNumeric(value->GetTypeName())) return;
  const std::string& tag = e->GetName();
  std::istringstream words(value->GetAsString());
  if (tag == "xyz" && xml::parseNumbers(value->GetAsString()) == std::vector<double>(3, 0.0))
    error(whereIs(e, "axis/xyz"), "the axis has no length (give a direction)");
  for (std::string word; words >> word;) {
    const bool infinite = word.find("inf") != std::string::npos;
    if (word.find("nan") == std::string::npos &&
        (!infinite || tag == "lower" || tag == "upper" || tag == "effort" || tag == "velocity"))
      continue;
    error(whereIs(e, tag), fmt::format("'{}' is no finite number (give one)", word));
    return;
  }
}

Where SdfReader::whereIs(const sdf::ElementPtr& e, const std::string& path) const {
  if (!e) return {path_, 0, path};
  const bool own =
      e->FilePath().empty() || e->FilePath() == "data-string" || e->FilePath() == "<data-string>";
  return {own ? path_ : e->FilePath(), e->LineNumber().value_or(0), path};
}

void SdfReader::error(const Where& where, const std::string& message) {
  found_.push_back({where.file, where.line, where.element, message});
}

bool SdfReader::sound(const sdf::Errors& errors, const Where& where) {
  for (const sdf::Error& e : errors) error(where, e.Message() + " (see the specification of SDF)");
  return errors.empty();
}

Pose SdfReader::poseOf(const sdf::SemanticPose& pose, const std::string& in, const Where& where) {
  ignition::math::Pose3d resolved;
  if (!sound(pose.Resolve(resolved, in), where)) return {};
  return poseFrom(resolved);
}

std::string SdfReader::unique(const std::string& name, std::set<std::string>& used) {
  std::string own = name;
  for (int n = 2; !used.insert(own).second; ++n) own = fmt::format("{}_{}", name, n);
  return own;
}

Tree readSdf(const std::string& path, const FileOptions& options, Report& report) {
  return SdfReader(path, options, report).read();
}

}  // namespace grashof::convert
