// Force elements as tendons.
#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "joints/types/types.h"
#include "tools/convert/mjcf_wraps.h"
#include "tools/convert/mjcf_writer.h"
#include "tools/convert/soft_coupling.h"
#include "tools/convert/tendon_path.h"
#include "tools/convert/tidy.h"

namespace grashof::convert {
namespace {

/// A place beside the cylinder `i` of a path, in the world, on the side on which the path passes it; none
/// where it runs straight.
std::optional<Vec3> sideOf(const std::vector<CableSupport>& path, std::size_t i,
                           const std::vector<Pose>& poses) {
  const CableNode round = cableNode(path[i], poses);
  const Vec3 from = cableNode(path[i - 1], poses).position, to = cableNode(path[i + 1], poses).position;
  const Vec3 axis =
      path[i].sense * (path[i].body < 0
                           ? path[i].axis
                           : Vec3(poses[static_cast<std::size_t>(path[i].body)].rotation * path[i].axis));
  const Vec3 across = axis.cross(to - from);
  if (!(across.norm() > 0.0)) return std::nullopt;
  for (const double sign : {1.0, -1.0}) {
    const Vec3 side = round.position + sign * 2.0 * round.radius * across.normalized();
    const auto chosen =
        wrapSide({round.kind, round.position, axis.normalized(), round.radius, 1.0, 0.0}, from, to, side);
    if (chosen && chosen->axis.dot(axis) > 0.0) return side;
  }
  return std::nullopt;
}

}  // namespace

std::vector<CoordinateTerm> MjcfWriter::termsOf(const ForceElement& e) {
  if (e.onJoint()) return {{e.joint, e.coordinate, 1.0}};
  return e.terms;
}

std::string MjcfWriter::hindrance(const ForceElement& e) const {
  const ForceLaw& law = e.law;
  if (law.gas) return "its gas";
  if (!law.overLength.empty() || !law.overSpeed.empty()) return "its table";
  if (!e.path.empty() && !e.terms.empty()) return "a cable that is wound";
  if (law.preload != 0.0 && !(law.stiffness > 0.0)) return "its constant force";
  for (const CoordinateTerm& t : termsOf(e))
    if (!written(t.joint, t.coordinate)) return "no joint of MJCF has one of its coordinates";
  for (std::size_t i = 0; i < e.path.size(); ++i) {
    const CableSupport& s = e.path[i];
    if (s.kind == CableNodeKind::Point) continue;
    if (s.friction > 0.0) return "its friction on what it runs over";
    if (s.turns > 0) return "it runs round a pulley more than once";
    if (e.path[i - 1].kind != CableNodeKind::Point || e.path[i + 1].kind != CableNodeKind::Point)
      return "it runs over two pulleys without a point between them";
    if (s.kind == CableNodeKind::Cylinder && !sideOf(e.path, i, start_.poses))
      return "its pulley has no side";
  }
  // A spring that acts one way has a range of lengths without force, which begins at 0 and has an end.
  if (law.side != ForceSide::Both && !law.rigid && (e.onJoint() || !e.terms.empty()))
    return "its spring acts one way along coordinates";
  if (law.side != ForceSide::Both && !law.rigid && law.damping > 0.0) return "its damper acts one way";
  if (law.stiffness > 0.0 && restOf(e) < 0.0 && !e.onJoint() && e.terms.empty())
    return "its spring is slack at a length below 0";
  if (e.commandSide != ForceSide::Both && e.signal >= 0) return "its force has one direction";
  return {};
}

double MjcfWriter::restOf(const ForceElement& e) const {
  const double length = e.lengthSignal >= 0
                            ? model_.signals[static_cast<std::size_t>(e.lengthSignal)].value(0.0)
                            : e.law.length;
  return length + e.law.preload / e.law.stiffness;
}

const MjcfWriter::Sum* MjcfWriter::sumOf(char kind, const std::string& of) const {
  const auto at =
      std::find_if(sums_.begin(), sums_.end(), [&](const Sum& s) { return s.kind == kind && s.of == of; });
  return at == sums_.end() ? nullptr : &*at;
}

/// Sums of more than two coordinates that couplings keep, and those of efforts that one control gives.
void MjcfWriter::planSums() {
  const auto add = [&](char kind, const std::string& name, std::vector<CoordinateTerm> terms) {
    const bool all = std::all_of(terms.begin(), terms.end(),
                                 [&](const CoordinateTerm& t) { return written(t.joint, t.coordinate); });
    if (all) sums_.push_back({kind, name, unique("tendon", name), std::move(terms)});
  };
  const auto addCoupling = [&](char kind, const Coupling& c) {
    if (c.more.empty()) return;
    std::vector<CoordinateTerm> terms = {{c.jointA, c.coordinateA, 1.0}, {c.jointB, c.coordinateB, -c.ratio}};
    for (const CoordinateTerm& t : c.more) terms.push_back({t.joint, t.coordinate, -t.coefficient});
    add(kind, c.name, std::move(terms));
  };
  for (const Coupling& c : model_.couplings) addCoupling('c', c);
  for (const ForceElement& e : model_.forces)
    if (const auto soft = couplingOf(e)) addCoupling('s', *soft);
  for (std::size_t i = 0; i < model_.controls.size(); ++i) {
    std::vector<CoordinateTerm> terms;
    for (const ControlTarget& t : model_.controls[i].targets)
      if (t.joint >= 0 && t.offset == 0.0 && (!servoAt(t) || firstControlOf(t) < i))
        terms.push_back({t.joint, t.coordinate, unitOf(actuatorOf(t.joint, t.coordinate)) * t.gain});
    if (terms.size() > 1 && terms.size() == model_.controls[i].targets.size())
      add('u', model_.controls[i].name, std::move(terms));
  }
}

void MjcfWriter::planTendons() {
  std::vector<std::string> lost;
  const std::vector<Pose>& poses = start_.poses;
  for (std::size_t i = 0; i < model_.forces.size(); ++i) {
    const ForceElement& e = model_.forces[i];
    if (couplingOf(e)) continue;  // an equality
    if (const std::string why = hindrance(e); !why.empty()) {
      lost.push_back(fmt::format("{} ({})", e.name, why));
      continue;
    }
    Tendon tendon{unique("tendon", e.name), i};
    // A spring rests at a length of 0 or more.
    if ((e.onJoint() || e.onSum()) && e.path.empty() && e.law.stiffness > 0.0 && restOf(e) < 0.0)
      tendon.sign = -1.0;
    for (const CoordinateTerm& t : termsOf(e))
      tendon.start += t.coefficient * initial(static_cast<std::size_t>(t.joint), t.coordinate);
    const auto site = [&](int body, const Vec3& point) {
      const Vec3 own =
          body < 0 ? point : Vec3(model_.bodies[static_cast<std::size_t>(body)].userFrame.inverse() * point);
      std::vector<SitePoint>& all = sites_[i];
      all.push_back({unique("site", fmt::format("{}_{}", e.name, all.size())), body, own});
      return body < 0 ? point : Vec3(poses[static_cast<std::size_t>(body)] * point);
    };
    if (!e.onJoint() && !e.onSum()) {
      const Vec3 a = site(e.bodyA, e.pointA), b = site(e.bodyB, e.pointB);
      tendon.start = (b - a).norm();
    }
    planPath(i, tendon);
    tendons_.push_back(std::move(tendon));
  }
  leaveOut("force elements:", lost);
  for (std::size_t j = 0; j < model_.joints.size(); ++j)
    if (model_.joints[j].type == &distanceJoint()) planRod(j);
  planSums();
}

/// The sites and geoms of a cable, and its length at the start.
void MjcfWriter::planPath(std::size_t element, Tendon& tendon) {
  const ForceElement& e = model_.forces[element];
  std::vector<PathNode> nodes;
  for (std::size_t i = 0; i < e.path.size(); ++i) {
    const CableSupport& s = e.path[i];
    const Pose inverse =
        s.body < 0 ? Pose{} : model_.bodies[static_cast<std::size_t>(s.body)].userFrame.inverse();
    std::vector<SitePoint>& all = sites_[element];
    const bool point = s.kind == CableNodeKind::Point;
    const std::string wanted = fmt::format("{}_{}", e.name, all.size());
    SitePoint place{unique(point ? "site" : "geom", wanted), s.body, inverse * s.position};
    if (!point) {
      place.radius = s.radius;
      place.sphere = s.kind == CableNodeKind::Sphere;
      place.axis = inverse.rotation * (s.sense * s.axis);
    }
    if (const auto side = point || place.sphere ? std::nullopt : sideOf(e.path, i, start_.poses)) {
      const Pose body = s.body < 0 ? Pose{} : start_.poses[static_cast<std::size_t>(s.body)];
      place.sideName = unique("site", wanted + "_side");
      place.sidePosition = inverse * (body.inverse() * *side);
    }
    all.push_back(std::move(place));
    PathNode node{s.kind, s.body, s.position, s.axis, s.radius, s.sense};
    if (s.begins && (i > 0 || s.share != 1.0)) node.divisor = 1.0 / s.share;
    nodes.push_back(node);
  }
  if (nodes.empty()) return;
  const auto poseOf = [&](int body) {
    return body < 0 ? Pose{} : start_.poses[static_cast<std::size_t>(body)];
  };
  tendon.start += pathWay(nodes, poseOf).length;
}

/// A distance joint: a tendon between two sites, whose length an equality keeps.
void MjcfWriter::planRod(std::size_t index) {
  const Joint& joint = model_.joints[index];
  Rod rod{unique("tendon", joint.name), index};
  const auto site = [&](int body, const Pose& frame) {
    const std::string name = unique("site", fmt::format("{}_{}", joint.name, rod.sites.size()));
    rod.sites.push_back({name, body, frameInUser(model_, body, frame).position});
  };
  site(joint.base, joint.baseFrame);
  site(joint.follower, joint.followerFrame);
  rods_.push_back(std::move(rod));
}

const MjcfWriter::Tendon* MjcfWriter::tendonOf(int element) const {
  const auto at = std::find_if(tendons_.begin(), tendons_.end(),
                               [&](const Tendon& t) { return static_cast<int>(t.element) == element; });
  return at == tendons_.end() ? nullptr : &*at;
}

void MjcfWriter::writeTerms(const std::vector<CoordinateTerm>& terms, double sign) {
  for (const CoordinateTerm& t : terms)
    out_.open("joint")
        .attribute("joint", coordinateName(static_cast<std::size_t>(t.joint), t.coordinate))
        .attribute("coef", tidy(sign * t.coefficient))
        .close();
}

void MjcfWriter::writeLaw(const Tendon& tendon, double sign) {
  const ForceElement& e = model_.forces[tendon.element];
  const ForceLaw& law = e.law;
  if (law.rigid && law.side != ForceSide::Both) {
    const bool longest = law.side == ForceSide::Tension;
    out_.attribute("limited", true);
    out_.attribute("range", longest ? tidyNumbers({-1e3, law.length}) : tidyNumbers({law.length, 1e3}));
    softness(law.softness, "solreflimit", "solimplimit", "inextensible cables and stops");
  }
  if (law.stiffness > 0.0 && !law.rigid) {
    const double rest = sign * restOf(e);
    out_.attribute("stiffness", tidy(law.stiffness));
    out_.attribute("springlength", law.side == ForceSide::Tension       ? tidyNumbers({0.0, rest})
                                   : law.side == ForceSide::Compression ? tidyNumbers({rest, 1e3})
                                                                        : tidyNumbers({rest}));
  }
  if (law.damping > 0.0) out_.attribute("damping", tidy(law.damping));
}

void MjcfWriter::writeTendon(const Tendon& tendon) {
  const ForceElement& e = model_.forces[tendon.element];
  const bool spatial = sites_.contains(tendon.element);
  out_.open(spatial ? "spatial" : "fixed").attribute("name", tendon.name);
  writeLaw(tendon, tendon.sign);
  writeTerms(termsOf(e), tendon.sign);
  if (spatial) {
    const std::vector<SitePoint>& points = sites_.at(tendon.element);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const bool begins = i < e.path.size() && e.path[i].begins;
      if (begins && (i > 0 || e.path[i].share != 1.0))
        out_.open("pulley").attribute("divisor", tidy(1.0 / e.path[i].share)).close();
      const SitePoint& p = points[i];
      out_.open(p.radius > 0.0 ? "geom" : "site").attribute(p.radius > 0.0 ? "geom" : "site", p.name);
      if (!p.sideName.empty()) out_.attribute("sidesite", p.sideName);
      out_.close();
    }
  }
  out_.close();
}

void MjcfWriter::writeTendons() {
  if (tendons_.empty() && sums_.empty() && rods_.empty()) return;
  out_.open("tendon");
  for (const Tendon& t : tendons_) writeTendon(t);
  for (const Sum& sum : sums_) {
    out_.open("fixed").attribute("name", sum.name);
    writeTerms(sum.terms, 1.0);
    out_.close();
  }
  for (const Rod& rod : rods_) {
    out_.open("spatial").attribute("name", rod.name);
    for (const SitePoint& site : rod.sites) out_.open("site").attribute("site", site.name).close();
    out_.close();
  }
  out_.close();
}

}  // namespace grashof::convert
