#include <Eigen/Eigenvalues>
#include <algorithm>

#include <fmt/format.h>

#include "tools/convert/mjcf_axes.h"
#include "tools/convert/mjcf_features.h"
#include "tools/convert/mjcf_reader.h"

namespace grashof::convert {

using xml::Element;

namespace {

constexpr std::size_t kMostModels = 200;  // that are attached
constexpr int kMostCopies = 100000;       // of all <replicate>s, those inside each other multiplied
constexpr double kNoGeomMass = 1e-14;     // kg: of a geom that has no say about the inertial frame

/// The <inertial> of a body, also in a <frame>, which does not move it.
std::vector<xml::Element> inertials(MjcfDocument& document, const xml::Element& body) {
  std::vector<xml::Element> found;
  for (const xml::Element& child : document.children(body)) {
    if (child.tag() == "inertial") found.push_back(child);
    if (child.tag() != "frame") continue;
    for (const xml::Element& inner : inertials(document, child)) found.push_back(inner);
  }
  return found;
}

}  // namespace

void MjcfReader::readChildren(Element& e, int link, const Pose& pose, const std::string& childClass) {
  for (Element child : document_->children(e)) {
    const std::string tag = child.tag();
    const auto innerClass = [&] { return child.has("childclass") ? child.text("childclass") : childClass; };
    if (tag == "body") {
      readBody(child, link, pose, childClass);
    } else if (tag == "geom") {
      readGeom(child, link, pose, childClass);
    } else if (tag == "frame") {
      child.text("name");
      const std::string inner = innerClass();
      const Pose inside = pose * document_->place(child);
      noteMjcf(child, report_);
      readChildren(child, link, inside, inner);
    } else if (tag == "replicate") {
      const std::string inner = innerClass();
      replicate(child, pose, [&](const Pose& place) { readChildren(child, link, place, inner); });
    } else if (tag == "attach") {
      attach(child, link, pose);
    } else if (tag == "site") {
      document_->fill(child, childClass);
      child.text("class");
      Pose place = document_->place(child);
      const auto ends = child.numbers("fromto", {6});
      if (!ends.empty()) {
        const Vec3 a(ends[0], ends[1], ends[2]), b(ends[3], ends[4], ends[5]);
        place = {0.5 * (a + b), rotationBetween(Vec3::UnitZ(), a - b)};
      }
      enter(kSites, child, static_cast<int>(sites_.size()));
      sites_.push_back({link, pose * place});
      noteMjcf(child, report_);
    } else if (tag != "inertial" && tag != "joint" && tag != "freejoint") {
      noteMjcfElement(child, report_);
    }
  }
}

/// Reads the body or frame of this name below `parent`; true where there is one.
bool MjcfReader::readPart(Element& parent, const char* tag, const std::string& name, int link,
                          const Pose& pose) {
  for (Element child : document_->children(parent)) {
    const std::string kind = child.tag();
    if (kind == tag && child.has("name") && child.text("name") == name) {
      if (kind == "body")
        readBody(child, link, pose, "");
      else
        readChildren(child, link, pose * document_->place(child), child.text("childclass"));
      return true;
    }
    if ((kind == "body" || kind == "frame") && readPart(child, tag, name, link, pose)) return true;
  }
  return false;
}

/// Copies a body or frame of the file that is being read.
void MjcfReader::attachOwn(Element& e, const char* tag, const std::string& prefix, int link,
                           const Pose& pose) {
  const std::string name = e.text(tag), outer = prefix_;
  if (++copiesAttached_ > static_cast<int>(kMostModels)) {
    e.error(fmt::format("more than {} parts are attached (does one attach itself?)", kMostModels));
    return;
  }
  // Its assets are known under the prefix, too.
  const auto copy = [&](auto& assets) {
    const auto known = assets;
    for (const auto& [key, asset] : known)
      if (key.starts_with(outer)) assets.emplace(outer + prefix + key.substr(outer.size()), asset);
  };
  copy(meshes_);
  copy(heightFields_);
  prefix_ = outer + prefix;
  bool placed = false;
  const std::vector<Element> sections = current().sections;
  for (Element section : sections)
    if (section.tag() == "worldbody" && !placed) placed = readPart(section, tag, name, link, pose);
  prefix_ = outer;
  if (!placed) e.error(fmt::format("there is no <{} name=\"{}\"> to attach", tag, name));
  Report::once(report_.leftOut,
               "actuators, tendons, equalities and exclusions of parts that are attached in their own file");
}

void MjcfReader::attach(Element& e, int link, const Pose& pose) {
  const std::string prefix = e.text("prefix");
  const char* const tag = e.has("frame") ? "frame" : "body";
  if (!e.has("model") && e.has(tag)) {
    attachOwn(e, tag, prefix, link, pose);
    noteMjcf(e, report_);
    return;
  }
  const std::string model = e.requiredText("model"), body = e.text(tag);
  noteMjcf(e, report_);
  const auto known = models_.find(prefix_ + model);
  if (known == models_.end()) {
    if (!model.empty()) e.error(fmt::format("there is no <model name=\"{}\"> among the assets", model));
    return;
  }
  if (files_.size() > kMostModels) {
    e.error(fmt::format("more than {} models are attached (does one attach itself?)", kMostModels));
    return;
  }
  const auto here = std::find_if(files_.begin(), files_.end(),
                                 [&](const auto& file) { return &file->document == document_; });
  MjcfFile& outer = **here;
  const std::string path = findFile(document_->path(), known->second, options_);
  if (path.empty()) {
    e.error(fmt::format("the model '{}' is not there (say where with --path)", known->second));
    return;
  }
  MjcfFile& inner = open(path, prefix_ + prefix);
  bool placed = false;
  for (Element section : inner.sections) {
    if (section.tag() != "worldbody" || placed) continue;
    if (body.empty()) readChildren(section, link, pose, "");
    placed = body.empty() || readPart(section, tag, body, link, pose);
  }
  if (!placed) e.error(fmt::format("the model '{}' has no {} '{}'", model, tag, body));
  for (const Element& section : inner.sections)
    if (section.tag() == "option" || section.tag() == "keyframe")
      Report::once(report_.leftOut, fmt::format("<{}> of attached models", section.tag()));
  turnTo(outer);
}

void MjcfReader::replicate(Element& e, const Pose& pose, const std::function<void(const Pose&)>& each) {
  const int count = e.has("count") ? e.integer("count", 1, 1, kMostCopies) : 1;
  if (!e.has("count")) e.error("needs count (how many copies)");
  if (copiesMade_ > kMostCopies) return;  // that was reported
  copiesMade_ += count;
  if (copiesMade_ > kMostCopies) {
    e.error(fmt::format("makes more than {} copies with those before it (fewer would do)", kMostCopies));
    return;
  }
  const std::string separator = e.text("sep");
  const Vec3 offset = e.vector("offset", Vec3::Zero());
  const auto euler = e.numbers("euler", {3});
  noteMjcf(e, report_);
  const std::string outer = suffix_;
  const std::size_t digits = std::to_string(count - 1).size();
  Vec3 position = Vec3::Zero();
  for (int i = 0; i < count; ++i) {
    Quat turn = Quat::Identity();
    if (!euler.empty()) turn = document_->eulerRotation({i * euler[0], i * euler[1], i * euler[2]});
    suffix_ = fmt::format("{}{:0{}}{}", separator, i, digits, outer);
    each(pose * Pose{position, turn});
    position += turn * offset;
  }
  suffix_ = outer;
}

void MjcfReader::readBody(Element& e, int parent, const Pose& outer, const std::string& outerClass) {
  Link link;
  link.line = e.line();
  link.name = unique(e, "body", linkNames_);
  const Pose pose = outer * document_->place(e);
  const std::string childClass = e.has("childclass") ? e.text("childclass") : outerClass;
  link.gravityCompensation = e.number("gravcomp", 0.0);
  if (e.text("sleep") == "init" && sleeps_)
    Report::once(report_.leftOut, "sleep=\"init\" of bodies: they move from the start on");
  link.handled = e.boolean("mocap", false);
  if (link.handled)
    Report::once(report_.assumed, "mocap bodies stay where they are (nothing moves them here)");
  std::optional<Pose> inertial;
  if (compiler_.fromGeoms != 1)
    for (Element child : inertials(*document_, e)) inertial = readInertial(child, link);
  std::vector<PlacedJoint> joints;
  collectJoints(e, {}, childClass, joints);
  // Between several joints stand links without mass.
  const int base = readJoints(joints, link, parent, pose);
  const Pose inBase = base == parent ? pose : Pose{};
  const std::string name = link.name;
  tree_.links.push_back(std::move(link));
  const int index = static_cast<int>(tree_.links.size()) - 1;
  enter(kBodies, e, index);
  if (joints.empty()) {
    LinkJoint fixed;
    fixed.name = name + "_fixed";
    fixed.line = e.line();
    fixed.parent = parent;
    fixed.child = index;
    fixed.parentFrame = pose;
    tree_.joints.push_back(std::move(fixed));
    references_.push_back(0.0);
  } else {
    readJoint(joints.back(), base, index, inBase);
  }
  const int joint = static_cast<int>(tree_.joints.size()) - 1;
  noteMjcf(e, report_);
  readChildren(e, index, {}, childClass);
  addGeomMass(index, inertial);
  const bool alone = joint + 1 == static_cast<int>(tree_.joints.size());  // no bodies inside
  if (joints.size() == 1 && aligned_.contains(joint) && alone && inertial) moveFrame(index, *inertial);
}

int MjcfReader::readJoints(std::vector<PlacedJoint>& joints, const Link& link, int parent, const Pose& pose) {
  int base = parent;
  for (std::size_t k = 0; k + 1 < joints.size(); ++k) {
    Link between;
    for (std::size_t n = k + 1; n == k + 1 || given_.contains(between.name); ++n)
      between.name = fmt::format("{}_between{}", link.name, n);
    between.line = link.line;
    between.between = true;
    tree_.links.push_back(between);
    virtual_.push_back(tree_.links.size() - 1);
    const int next = static_cast<int>(tree_.links.size()) - 1;
    readJoint(joints[k], base, next, k == 0 ? pose : Pose{});
    base = next;
  }
  return base;
}

Pose MjcfReader::readInertial(Element& e, Link& link) {
  Pose frame = document_->place(e);
  link.mass = e.requiredNumber("mass", xml::kNotNegative);
  link.center = frame.position;
  const auto full = e.numbers("fullinertia", {6});
  Mat3 i = e.vector("diaginertia", Vec3::Zero()).asDiagonal();
  if (!full.empty()) i << full[0], full[3], full[4], full[3], full[1], full[5], full[4], full[5], full[2];
  const Mat3 r = frame.rotation.toRotationMatrix();
  link.inertia = r * i * r.transpose();
  if (!full.empty()) frame.rotation = frame.rotation * principalAxes(i);
  noteMjcf(e, report_);
  return frame;
}

void MjcfReader::addGeomMass(int index, std::optional<Pose>& inertial) {
  if (compiler_.fromGeoms == 0 || (compiler_.fromGeoms == 2 && inertial)) return;
  Link& link = tree_.links[static_cast<std::size_t>(index)];
  Vec3 moment = Vec3::Zero();
  link.mass = 0.0;
  std::vector<Pose> frames;
  for (const GeomMass& g : geomMasses_)
    if (g.link == index) {
      if (g.mass > kNoGeomMass) frames.push_back(g.frame);
      link.mass += g.mass;
      moment += g.mass * g.properties.center;
    }
  link.center = link.mass > 0.0 ? Vec3(moment / link.mass) : Vec3::Zero();
  link.inertia.setZero();
  for (const GeomMass& g : geomMasses_)
    if (g.link == index) {
      const Vec3 arm = g.properties.center - link.center;
      link.inertia += g.mass / g.properties.volume * g.properties.inertia +
                      g.mass * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
    }
  if (frames.size() == 1)
    inertial = frames[0];
  else if (frames.size() > 1)
    inertial = Pose{link.center, principalAxes(link.inertia)};
}

void MjcfReader::moveFrame(int index, const Pose& inertial) {
  Link& link = tree_.links[static_cast<std::size_t>(index)];
  const Pose back = inertial.inverse();
  const Mat3 r = back.rotation.toRotationMatrix();
  link.center = back * link.center;
  link.inertia = r * link.inertia * r.transpose();
  for (Shape& shape : link.shapes) shape.pose = back * shape.pose;
  for (Site& site : sites_)
    if (site.link == index) site.pose = back * site.pose;
  LinkJoint& joint = tree_.joints.back();
  joint.parentFrame = joint.parentFrame * inertial;
}

void MjcfReader::boundInertias() {
  double total = 0.0;
  for (std::size_t i = 0; i < tree_.links.size(); ++i) {
    Link& link = tree_.links[i];
    if (std::find(virtual_.begin(), virtual_.end(), i) != virtual_.end()) continue;
    link.mass = std::max(link.mass, compiler_.leastMass);
    if (compiler_.leastInertia > 0.0 || compiler_.balance) {
      const Eigen::SelfAdjointEigenSolver<Mat3> eigen(link.inertia);
      Vec3 p = eigen.eigenvalues().cwiseMax(compiler_.leastInertia);
      if (compiler_.balance && p[0] + p[1] < p[2]) p.setConstant(p.mean());
      link.inertia = eigen.eigenvectors() * p.asDiagonal() * eigen.eigenvectors().transpose();
    }
    total += link.mass;
  }
  if (compiler_.totalMass > 0.0 && total > 0.0)
    for (Link& link : tree_.links) {
      link.mass *= compiler_.totalMass / total;
      link.inertia *= compiler_.totalMass / total;
    }
}

bool MjcfReader::standsStill(int link) const {
  while (link >= 0) {
    const auto j = std::find_if(tree_.joints.begin(), tree_.joints.end(),
                                [&](const LinkJoint& joint) { return joint.child == link; });
    if (j == tree_.joints.end() || j->kind != LinkJointKind::Fixed) return false;
    link = j->parent;
  }
  return true;
}

Pose MjcfReader::zeroPose(int link) const {
  Pose pose;
  while (link >= 0) {
    const auto j = std::find_if(tree_.joints.begin(), tree_.joints.end(),
                                [&](const LinkJoint& joint) { return joint.child == link; });
    if (j == tree_.joints.end()) break;
    pose = j->parentFrame * (j->childFrame.inverse() * pose);
    link = j->parent;
  }
  return pose;
}

}  // namespace grashof::convert
