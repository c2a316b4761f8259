#include <fmt/format.h>

#include "engine/model/body_mass.h"
#include "tools/convert/sdf_math.h"
#include "tools/convert/sdf_reader.h"

namespace grashof::convert {
namespace {

bool touchesAnything(const Link& link) {
  for (const Shape& s : link.shapes)
    if (s.collides) return true;
  return false;
}

constexpr double kSdfDensity = 1000.0;  // kg/m³, of shapes with inertial auto

/// SDF has these from 1.11 on; libsdformat 12 keeps elements that it does not know as texts.
double densityIn(const sdf::ElementPtr& e, double usual) {
  if (!e || !e->HasElement("density")) return usual;
  const sdf::ParamPtr value = e->GetElement("density")->GetValue();
  const auto numbers = xml::parseNumbers(value ? value->GetAsString() : "");
  return numbers && numbers->size() == 1 && numbers->front() > 0.0 ? numbers->front() : usual;
}

}  // namespace

void SdfReader::readLink(const sdf::Link& source, const Scope& scope,
                         std::vector<std::pair<int, bool>>& collide) {
  const std::string own = scope.prefix + source.Name();
  const Where where = whereIs(source.Element(), fmt::format("{}/link[{}]", scope.path, source.Name()));
  Link link;
  link.name = scenarioName(own, report_);
  link.line = where.file == path_ ? where.line : 0;
  const Pose pose = scope.pose * poseOf(source.SemanticPose(), "", where);
  if (tree_.findLink(link.name) >= 0) error(where, "there is a link of this name already (names differ)");
  std::vector<double> densities;  // of the shapes; 0: none of their own
  for (std::uint64_t i = 0; i < source.CollisionCount(); ++i) {
    const sdf::Collision& collision = *source.CollisionByIndex(i);
    readCollision(collision, where, link.name, link.shapes, scope.fixed);
    densities.resize(link.shapes.size(), densityIn(collision.Element(), 0.0));
  }
  for (std::uint64_t i = 0; i < source.VisualCount(); ++i)
    readVisual(*source.VisualByIndex(i), where, link.name, link.shapes);
  if (scope.fixed) {
    for (Shape& shape : link.shapes) {
      shape.pose = pose * shape.pose;
      shape.link = link.name;
      tree_.worldShapes.push_back(std::move(shape));
    }
    placed_[own] = {kWorldLink, pose, link.name};
    return;
  }
  readInertial(source, where, densities, link);
  if (!source.Element()->Get<bool>("gravity", true).first) link.gravityCompensation = 1.0;
  const bool touches = source.Element()->HasElement("self_collide")
                           ? source.Element()->Get<bool>("self_collide")
                           : scope.selfCollide;
  placed_[own] = {static_cast<int>(tree_.links.size()), pose, {}};
  if (touchesAnything(link)) collide.emplace_back(static_cast<int>(tree_.links.size()), touches);
  worldPoses_.push_back(pose);
  tree_.links.push_back(std::move(link));
}

bool SdfReader::weigh(const sdf::ElementPtr& inertial, const std::vector<double>& densities, Link& link) {
  std::vector<MassPart> parts;
  for (std::size_t i = 0; i < densities.size(); ++i)
    if (const VolumeProperties volume = placedVolume(link.shapes[i]); volume.volume > 0.0)
      parts.push_back({densities[i] > 0.0 ? densities[i] : densityIn(inertial, kSdfDensity), volume});
  const MassProperties sum = massProperties(parts);
  if (!(sum.mass > 0.0)) return false;
  link.mass = sum.mass;
  link.center = sum.center;
  link.inertia = sum.inertia;
  return true;
}

void SdfReader::readInertial(const sdf::Link& source, const Where& where,
                             const std::vector<double>& densities, Link& link) {
  const sdf::ElementPtr inertial = source.Element()->FindElement("inertial");
  if (inertial && autoInertials_.contains(inertial->LineNumber().value_or(-1)) &&
      (inertial->FilePath().empty() || whereIs(inertial, "").file == path_) &&
      weigh(inertial, densities, link))
    return;
  const sdf::ElementPtr inertia = inertial ? inertial->FindElement("inertia") : nullptr;
  link.mass = inertial ? inertial->Get<double>("mass", 1.0).first : 1.0;
  const Pose frame =
      inertial ? poseFrom(inertial->Get<ignition::math::Pose3d>("pose", ignition::math::Pose3d::Zero).first)
               : Pose{};
  const auto moment = [&](const char* name, double fallback) {
    return inertia ? inertia->Get<double>(name, fallback).first : fallback;
  };
  Mat3 i;
  const double xy = moment("ixy", 0.0), xz = moment("ixz", 0.0), yz = moment("iyz", 0.0);
  i << moment("ixx", 1.0), xy, xz, xy, moment("iyy", 1.0), yz, xz, yz, moment("izz", 1.0);
  if (!(link.mass >= 0.0)) error(where, "the mass is below zero (kg)");
  if (!inertial)
    report_.assumed.push_back(fmt::format("link {} has no <inertial>: 1 kg and 1 kg m^2 by SDF", link.name));
  else if (!inertia && link.mass > 0.0)
    report_.assumed.push_back(fmt::format("link {} has no <inertia>: 1 kg m^2 by SDF", link.name));
  if (!inertia && !(link.mass > 0.0)) i.setZero();
  link.center = frame.position;
  const Mat3 r = frame.rotation.toRotationMatrix();
  link.inertia = r * i * r.transpose();
}

void SdfReader::excludePairs(const std::vector<std::pair<int, bool>>& collide) {
  for (std::size_t a = 0; a < collide.size(); ++a)
    for (std::size_t b = a + 1; b < collide.size(); ++b)
      if (!collide[a].second || !collide[b].second)
        tree_.excluded.emplace_back(collide[a].first, collide[b].first);
}

}  // namespace grashof::convert
