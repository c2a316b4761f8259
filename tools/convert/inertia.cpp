#include "tools/convert/inertia.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "engine/model/body_mass.h"

namespace grashof::convert {
namespace {

constexpr double kRounding = 1e-6;  // of the largest moment: the model allows as much
constexpr double kNeedle =
    1e-6;  // of the largest moment: a rod as long as a thousand times its width has more
constexpr double kNoReach = 1e-7;     // m: a smaller radius of gyration is none
constexpr double kThin = 1e-4;        // of all second moments: what a repaired one is at least
constexpr double kRepairable = 0.2;   // of the largest moment: more is a wrong number, not a rounded one
constexpr double kTiny = 1e-4;        // of the heaviest link: a mass whose inertia is repaired in any case
constexpr double kSpared = 0.05;      // of a group's mass and moments: so much can be taken from it
constexpr double kLeastReach = 0.02;  // m, of a group without a mass of its own
constexpr double kUsualDensity = 1000.0;  // kg/m³, of links that have neither inertia nor shapes

/// Volume, centre and inertia of a link's collision shapes at density 1, else of what it shows; mass 0: it
/// has no shapes with a volume.
MassProperties ofShapes(const Link& link) {
  for (const bool collides : {true, false}) {
    std::vector<MassPart> parts;
    for (const Shape& s : link.shapes) {
      if (s.collides != collides) continue;
      const VolumeProperties volume = placedVolume(s);
      if (volume.volume > 0.0) parts.push_back({1.0, volume});
    }
    MassProperties sum = massProperties(parts);
    if (sum.mass > 0.0) return sum;
  }
  return {};
}

/// Inertia of a homogeneous body of the link's mass: of its shapes, else of a ball.
Mat3 homogeneous(const Link& link, std::string& source) {
  if (const MassProperties sum = ofShapes(link); sum.mass > 0.0) {
    source = "its shapes";
    return sum.inertia * (link.mass / sum.mass);
  }
  source = "a ball of 1000 kg/m^3";
  const double radius = std::cbrt(link.mass / (4.0 / 3.0 * std::numbers::pi * kUsualDensity));
  return 0.4 * link.mass * radius * radius * Mat3::Identity();
}

/// The sum over the links of a group, about `center`; `own`: inertia of each link about its own centre.
Mat3 sumOf(const LinkGraph& g, int group, const Vec3& center, std::span<const Mat3> own) {
  Mat3 inertia = Mat3::Zero();
  for (std::size_t i = 0; i < g.group.size(); ++i) {
    if (g.group[i] != group) continue;
    const Link& link = g.tree.links[i];
    const Mat3 r = g.inGroup[i].rotation.toRotationMatrix();
    inertia += r * own[i] * r.transpose() + pointInertia(link.mass, g.inGroup[i] * link.center - center);
  }
  for (const AddedMass& a : g.added)
    if (a.group == group) inertia += inertiaOfAdded(g, a, center);
  return inertia;
}

/// Whether a link has a mass whose inertia is zero but for rounding.
bool lacksInertia(const Link& link, const Mat3& inertia) {
  return link.mass > 0.0 && inertia.norm() <= kNoReach * kNoReach * link.mass;
}

/// Gives the links of a group that have no inertia one of their own: all, or those that have shapes; others
/// may be points. Reports them.
void fillIn(const LinkGraph& g, int group, bool all, std::vector<Mat3>& own, Report& report) {
  for (std::size_t i = 0; i < g.group.size(); ++i) {
    const Link& link = g.tree.links[i];
    if (g.group[i] != group || !lacksInertia(link, own[i])) continue;
    if (!all && !(ofShapes(link).mass > 0.0)) continue;
    std::string source;
    own[i] = homogeneous(link, source);
    report.assumed.push_back(
        fmt::format("link {} has {:.3g} kg but no inertia: given that of {}", link.name, link.mass, source));
  }
}

double heaviest(const Tree& tree) {
  double mass = 0.0;
  for (const Link& link : tree.links) mass = std::max(mass, link.mass);
  return mass;
}

}  // namespace

Mat3 inertiaOfAdded(const LinkGraph& g, const AddedMass& added, const Vec3& center) {
  Mat3 inertia = pointInertia(added.mass, added.point - center);
  if (!(added.mass > 0.0)) return inertia;
  double size = kLeastReach;
  for (const int e : g.edgesAt(added.group)) {
    const GraphJoint& edge = g.edges[static_cast<std::size_t>(e)];
    const Pose& frame = edge.base == added.group ? edge.baseFrame : edge.followerFrame;
    size = std::max(size, (frame.position - added.point).norm());
  }
  return inertia + added.mass * size * size * Mat3::Identity();
}

bool canSpare(const LinkGraph& g, int group, const AddedMass& taken) {
  Vec3 moment = Vec3::Zero();
  std::vector<Mat3> own;
  for (std::size_t i = 0; i < g.group.size(); ++i) {
    own.push_back(g.tree.links[i].inertia);
    if (g.group[i] == group) moment += g.tree.links[i].mass * (g.inGroup[i] * g.tree.links[i].center);
  }
  const double mass = g.massOf(group);
  if (!(taken.mass <= kSpared * mass)) return false;
  const Vec3 center = moment / mass;
  const double least = principalMoments(sumOf(g, group, center, own)).moments[0];
  return taken.mass * (taken.point - center).squaredNorm() <= kSpared * least;
}

void weighByShapes(Tree& tree, Report& report) {
  if (std::any_of(tree.links.begin(), tree.links.end(), [](const Link& l) { return l.mass > 0.0; })) return;
  int weighed = 0;
  for (Link& link : tree.links) {
    const MassProperties sum = ofShapes(link);
    if (!(sum.mass > 0.0)) continue;
    link.mass = kUsualDensity * sum.mass;
    link.center = sum.center;
    ++weighed;
  }
  if (weighed > 0)
    report.assumed.push_back(fmt::format("no link has a mass: {} have those of their shapes, at {:g} kg/m^3",
                                         weighed, kUsualDensity));
}

bool PrincipalMoments::possible() const {
  return moments[2] > 0.0 && moments[0] > kNeedle * moments[2] &&
         moments[0] + moments[1] >= moments[2] * (1.0 - kRounding);
}

PrincipalMoments principalMoments(const Mat3& inertia) {
  return {Eigen::SelfAdjointEigenSolver<Mat3>(inertia, Eigen::EigenvaluesOnly).eigenvalues()};
}

RepairedInertia repairInertia(const Mat3& inertia) {
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(inertia);
  const Vec3& principal = eigen.eigenvalues();
  Vec3 second = Vec3::Constant(0.5 * principal.sum()) - principal;  // of the mass, along the principal axes
  const Vec3 before = second;
  second = second.cwiseMax(kThin * second.cwiseMax(0.0).sum());
  const Vec3 mended = Vec3::Constant(second.sum()) - second;
  const Mat3& axes = eigen.eigenvectors();
  const double largest = principal.cwiseAbs().maxCoeff();
  return {axes * mended.asDiagonal() * axes.transpose(),
          largest > 0.0 ? (second - before).sum() / largest : 0.0};
}

InertialDef inertiaOf(const LinkGraph& g, int group, bool strict, Report& report) {
  const std::size_t first = static_cast<std::size_t>(group);
  InertialDef inertial;
  inertial.mass = g.wholeMassOf(group);
  Vec3 moment = Vec3::Zero();
  std::vector<Mat3> own;
  for (std::size_t i = 0; i < g.group.size(); ++i) {
    const Link& link = g.tree.links[i];
    own.push_back(0.5 * (link.inertia + link.inertia.transpose()));
    if (g.group[i] == group) moment += link.mass * (g.inGroup[i] * link.center);
  }
  for (const AddedMass& a : g.added)
    if (a.group == group) moment += a.mass * a.point;
  const Vec3 center = inertial.mass > 0.0 ? Vec3(moment / inertial.mass) : Vec3::Zero();
  fillIn(g, group, false, own, report);
  Mat3 inertia = sumOf(g, group, center, own);
  if (inertia.allFinite() && !principalMoments(inertia).possible()) {
    fillIn(g, group, true, own, report);
    inertia = sumOf(g, group, center, own);
  }
  if (const PrincipalMoments p = principalMoments(inertia); inertia.allFinite() && !p.possible() && !strict) {
    const RepairedInertia repaired = repairInertia(inertia);
    if (repaired.change <= kRepairable || g.massOf(group) <= kTiny * heaviest(g.tree)) {
      inertia = repaired.inertia;
      const Vec3 now = principalMoments(inertia).moments;
      report.repaired.push_back(fmt::format(
          "inertia of link {}: no body has the principal moments {:.3g} {:.3g} {:.3g} kg m^2; made {:.3g} "
          "{:.3g} "
          "{:.3g} (--strict refuses them)",
          g.tree.links[first].name, p.moments[0], p.moments[1], p.moments[2], now[0], now[1], now[2]));
    }
  }
  inertial.inertia = Mat3(0.5 * (inertia + inertia.transpose()));
  inertial.center = center;
  return inertial;
}

}  // namespace grashof::convert
