// Tendons: sums of joint coordinates, and lengths of paths over sites and geoms.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "tools/convert/mjcf_features.h"
#include "tools/convert/mjcf_reader.h"
#include "tools/convert/mjcf_wraps.h"

namespace grashof::convert {

using xml::Element;

bool MjcfReader::simple(const std::vector<Term>& terms) const {
  return std::all_of(terms.begin(), terms.end(), [&](const Term& t) {
    return tree_.joints[static_cast<std::size_t>(t.joint)].coordinates.size() == 1;
  });
}

std::string MjcfReader::sumName(const std::string& name) {
  std::string own = name;
  for (int n = 2; std::any_of(tree_.sums.begin(), tree_.sums.end(),
                              [&](const CoordinateSum& s) { return s.name == own; });
       ++n)
    own = fmt::format("{}_{}", name, n);
  return own;
}

bool MjcfReader::startSum(const std::string& name, const Tendon& tendon, CoordinateSum& sum) {
  if (!simple(tendon.terms)) {
    report_.leftOut.push_back(
        fmt::format("springs, dampers, friction, limits and drives of tendon {} (its joints have not one "
                    "coordinate)",
                    name));
    return false;
  }
  std::map<int, double> coefficients;  // a joint may be named twice
  for (const Term& t : tendon.terms) coefficients[t.joint] += t.coefficient;
  for (const auto& [joint, coefficient] : coefficients)
    if (coefficient != 0.0) sum.terms.emplace_back(joint, coefficient);
  sum.path = tendon.path;
  sum.name = sumName(name);
  if (!sum.terms.empty() || !sum.path.empty()) return true;
  report_.leftOut.push_back(fmt::format("tendon {} (nothing moves it)", name));
  return false;
}

MjcfReader::Tendon MjcfReader::readFixed(Element& e) {
  Tendon tendon;
  for (Element part : document_->children(e)) {
    const int joint = find(kJoints, part, "joint");
    const double coefficient = part.number("coef", 0.0);
    noteMjcf(part, report_, "fixed/joint");
    if (joint < 0) continue;
    tendon.terms.push_back({joint, coefficient});
    tendon.length += coefficient * references_[static_cast<std::size_t>(joint)];
  }
  std::erase_if(tendon.terms, [](const Term& t) { return t.coefficient == 0.0; });
  return tendon;
}

/// A geom that a tendon wraps, as far as it says so itself; false, and reported, when it cannot be wrapped.
bool MjcfReader::readWrap(Element& part, const std::string& name, PathNode& node, int& side) {
  const int geom = find(kGeoms, part, "geom");
  side = part.has("sidesite") ? find(kSites, part, "sidesite") : -1;
  noteMjcf(part, report_, "spatial/geom");
  if (geom == -2 || side == -2) return false;
  const Shape* shape = geom < 0 ? nullptr : &shapeOf(geoms_[static_cast<std::size_t>(geom)]);
  if (!shape || (shape->type != ShapeType::Sphere && shape->type != ShapeType::Cylinder)) {
    report_.leftOut.push_back(fmt::format(
        "geom {} that tendon {} would wrap (no sphere or cylinder of a body)", part.text("geom"), name));
    return false;
  }
  node.kind = shape->type == ShapeType::Sphere ? CableNodeKind::Sphere : CableNodeKind::Cylinder;
  node.link = geoms_[static_cast<std::size_t>(geom)].link;
  node.position = shape->pose.position;
  node.axis = shape->pose.rotation * Vec3::UnitZ();
  node.radius = shape->radius;
  return true;
}

/// The side on which a path passes a geom, at the reference pose. False, and reported, when it runs straight.
bool MjcfReader::takeSide(const std::string& name, const PathNode& before, const PathNode& after, int side,
                          PathNode& node) {
  const auto inWorld = [&](int link, const Vec3& point) -> Vec3 { return zeroPose(link) * point; };
  const Pose pose = zeroPose(node.link);
  const CableNode round = nodeAt(node, pose);
  std::optional<Vec3> place;
  if (side >= 0) {
    const Site& site = sites_[static_cast<std::size_t>(side)];
    place = inWorld(site.link, site.pose.position);
    if ((*place - round.position).norm() < round.radius) {
      report_.leftOut.push_back(fmt::format(
          "a geom that tendon {} passes inside (a sidesite within it): it runs straight there", name));
      return false;
    }
  }
  const auto chosen =
      wrapSide(round, inWorld(before.link, before.position), inWorld(after.link, after.position), place);
  if (!chosen) {
    // A site inside: supportsOf() leaves the geom out where that is so at the start.
    if (place) {
      const Vec3 way = inWorld(after.link, after.position) - inWorld(before.link, before.position);
      node.sense =
          node.axis.dot(pose.rotation.conjugate() * (*place - round.position).cross(way)) < 0.0 ? -1.0 : 1.0;
    }
    return true;
  }
  if (node.kind == CableNodeKind::Sphere && (!place || !chosen->otherWay)) return true;
  if (node.kind == CableNodeKind::Sphere) {
    report_.approximated.push_back(fmt::format(
        "tendon {} takes the longer way around a sphere, as around a cylinder across its plane", name));
    node.kind = CableNodeKind::Cylinder;
  } else if (!place) {
    report_.approximated.push_back(fmt::format(
        "tendon {} passes a cylinder without a sidesite on the side that is shorter at the reference pose",
        name));
  }
  node.axis = pose.rotation.conjugate() * chosen->axis;
  return true;
}

MjcfReader::Tendon MjcfReader::readSpatial(Element& e, const std::string& name) {
  Tendon tendon;
  std::vector<PathNode> all;
  std::vector<int> sides;
  std::optional<double> divisor;
  for (Element part : document_->children(e)) {
    PathNode node;
    int side = -1;
    if (part.tag() == "pulley") {
      divisor = part.number("divisor", 1.0, xml::kPositive);
      noteMjcf(part, report_);
      continue;
    }
    if (part.tag() == "geom") {
      if (!readWrap(part, name, node, side)) continue;
    } else if (part.tag() == "site") {
      const int site = find(kSites, part, "site");
      noteMjcf(part, report_, "spatial/site");
      if (site < 0) continue;
      node.link = sites_[static_cast<std::size_t>(site)].link;
      node.position = sites_[static_cast<std::size_t>(site)].pose.position;
    } else {
      noteMjcfElement(part, report_);
      continue;
    }
    node.divisor = std::exchange(divisor, std::nullopt);
    all.push_back(node);
    sides.push_back(side);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool last = i + 1 == all.size() || all[i + 1].divisor;
    const bool first = i == 0 || all[i].divisor;
    const auto point = [&](std::size_t k) { return all[k].kind == CableNodeKind::Point; };
    if ((first && last) || (!point(i) && (first || last || !point(i - 1) || !point(i + 1)))) {
      if (!attached())
        e.error("a branch of a spatial tendon has two sites at least, and each geom is between two sites");
      return {};
    }
    PathNode node = all[i];
    if (point(i) || takeSide(name, all[i - 1], all[i + 1], sides[i], node)) tendon.path.push_back(node);
  }
  if (tendon.path.empty())
    report_.leftOut.push_back(fmt::format("<spatial> {} (it has no way over sites)", name));
  else
    tendon.length = pathWay(tendon.path, [&](int link) { return zeroPose(link); }).length;
  return tendon;
}

void MjcfReader::readTendons(Element& section) {
  for (Element each : document_->children(section)) {
    const bool spatial = each.tag() == "spatial";
    if (each.tag() != "fixed" && !spatial) {
      noteMjcfElement(each, report_);
      continue;
    }
    document_->fill(each, "", "tendon");
    const std::string own = suffix_;
    std::vector<std::string> copies;
    for (Element part : document_->children(each))
      if (copies.empty())
        copies = suffixesOf(spatial ? kSites : kJoints, prefix_ + part.text(spatial ? "site" : "joint"));
    if (copies.empty()) copies.push_back(own);
    for (const std::string& copy : copies) {
      suffix_ = copy;
      Element e = each;
      const std::string name = scenarioName(
          prefix_ + e.text("name", fmt::format("tendon{}", tendons_.size() + 1)) + suffix_, report_);
      const Tendon tendon = spatial ? readSpatial(e, name) : readFixed(e);
      enter(kTendons, e, static_cast<int>(tendons_.size()));
      tendons_.push_back(tendon);
      readTendonLaw(e, name, tendon);
    }
    suffix_ = own;
  }
}

void MjcfReader::readTendonLaw(Element& e, const std::string& name, const Tendon& tendon) {
  e.text("class");
  CoordinateSum law;
  law.stiffness = firstOf(e, "stiffness");
  law.damping = firstOf(e, "damping");
  double friction = e.number("frictionloss", 0.0, xml::kNotNegative);
  const bool bounded = limited(e, "limited", "range") && enabled("limit");
  const auto range = e.numbers("range", {2});
  const auto rest = e.numbers("springlength", {1, 2});
  law.softness = softnessOf(readSoftness(e, "solreflimit", "solimplimit"));
  const double margin = e.number("margin", 0.0, xml::kNotNegative);
  const double armature = e.number("armature", 0.0, xml::kNotNegative);
  noteMjcf(e, report_);
  if (!enabled("spring")) law.stiffness = 0.0;
  if (!enabled("damper")) law.damping = 0.0;
  if (!enabled("frictionloss")) friction = 0.0;
  // What the sum in the scenario has less than the length in the file.
  const double zero = tendon.path.empty() ? tendon.length : 0.0;
  // -1 stands for the length at the reference pose; sums of coordinates may be negative.
  const bool given = std::any_of(rest.begin(), rest.end(), [](double length) { return length != -1.0; });
  law.rest = (given ? rest[0] : tendon.length) - zero;
  if (given && rest.size() == 2 && rest[1] > rest[0]) law.restUpper = rest[1] - zero;
  if (bounded && range.size() == 2) {
    law.lower = range[0] - zero;
    law.upper = range[1] - zero;
    narrow(law.lower, law.upper, margin);
  }
  const bool single = tendon.terms.size() == 1 && tendon.path.empty() && simple(tendon.terms);
  if (armature > 0.0 && single)
    tree_.joints[static_cast<std::size_t>(tendon.terms[0].joint)].coordinates[0].passive.armature +=
        armature * std::pow(tendon.terms[0].coefficient, 2);
  else if (armature > 0.0)
    report_.leftOut.push_back(fmt::format(
        "armature of tendon {} (it is not over one joint): its joints move as if it were 0", name));
  const bool limits = std::isfinite(law.upper);
  if (!limits && law.stiffness == 0.0 && law.damping == 0.0 && friction == 0.0) return;
  if (law.stiffness > 0.0 && !given && !tendon.path.empty() &&
      std::any_of(tree_.joints.begin(), tree_.joints.end(), [](const LinkJoint& j) {
        return std::any_of(j.coordinates.begin(), j.coordinates.end(), [](const JointCoordinate& c) {
          return c.passive.stiffness > 0.0 && c.passive.rest != 0.0;
        });
      }))
    Report::once(report_.approximated,
                 "springs of tendons without a springlength rest at the reference pose, not at springref");
  if (single && !law.restUpper) return addToJoint(tendon.terms[0], law, friction);
  if (friction > 0.0)
    report_.leftOut.push_back(fmt::format("friction of tendon {} (it is not over one joint)", name));
  if (!limits && law.stiffness == 0.0 && law.damping == 0.0) return;
  if (!startSum(name, tendon, law)) return;
  if (limits) softRows_.push_back({false, tree_.sums.size(), {tendon}, 1.0});
  tree_.sums.push_back(std::move(law));
}

/// A tendon over one joint is a spring, damper, friction and limit of its own.
void MjcfReader::addToJoint(const Term& term, const CoordinateSum& law, double friction) {
  const double c = term.coefficient;
  JointCoordinate& q = tree_.joints[static_cast<std::size_t>(term.joint)].coordinates[0];
  if (law.stiffness > 0.0) {
    const double k = law.stiffness * c * c, own = q.passive.stiffness;
    q.passive.rest = (own * q.passive.rest + k * law.rest / c) / (own + k);
    q.passive.stiffness = own + k;
  }
  q.passive.damping += law.damping * c * c;
  q.passive.dryFriction += friction * std::abs(c);
  if (!std::isfinite(law.upper)) return;
  if (!q.limit.softness.soft()) {
    q.limit.softness = law.softness;
    q.limit.softness.width /= std::abs(c);
  }
  q.limit.lower = std::max(q.limit.lower, std::min(law.lower / c, law.upper / c));
  q.limit.upper = std::min(q.limit.upper, std::max(law.lower / c, law.upper / c));
}

}  // namespace grashof::convert
