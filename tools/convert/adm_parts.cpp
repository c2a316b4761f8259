#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "engine/model/body_mass.h"
#include "tools/convert/adm_context.h"
#include "tools/convert/inertia.h"

namespace grashof::convert {
namespace {

constexpr double kLight = 1e-4;         // of the mean mass: what a part without a mass gets
constexpr double kRepaired = 0.2;       // of the largest moment: more is a wrong number
constexpr double kWater = 1000.0;       // kg/m³, of parts that have no inertia
constexpr double kOneDirection = 1e-9;  // sine below which two directions are one

Quat aboutZ(double angle) { return expRotation(Vec3(0.0, 0.0, angle)); }

/// The rotation by body-fixed angles about z, x, z, rad.
Quat fromEuler(const std::vector<double>& a) {
  return (aboutZ(a[0]) * expRotation(Vec3(a[1], 0.0, 0.0)) * aboutZ(a[2])).normalized();
}

/// Axes of which `main` (0: x, 2: z) points along `along`, and the other of the two is near `beside`.
Quat fromDirections(int main, const Vec3& along, const Vec3& beside) {
  const Vec3 first = along.normalized();
  Vec3 second = beside - beside.dot(first) * first;
  if (second.norm() <= kOneDirection * beside.norm() || second.norm() == 0.0) second = first.unitOrthogonal();
  second.normalize();
  const Vec3 x = main == 0 ? first : second, z = main == 0 ? second : first;
  Mat3 axes;
  axes << x, z.cross(x), z;
  return Quat(axes).normalized();
}

/// Names of the arguments that place a frame.
struct FrameArguments {
  const char *point, *onX, *onZ;
};

/// The frame of a part or marker in what it is counted from, m.
Pose readFrame(AdmContext& c, const AdmStatement& s, const FrameArguments& names) {
  const double length = c.units.length;
  Pose pose{c.vector(s, names.point, length), Quat::Identity()};
  const bool points = s.has(names.onX) || s.has(names.onZ);
  if (s.has("REULER") && points) {
    c.fail(s, fmt::format("has REULER and {} or {} (leave one way out)", names.onX, names.onZ));
  } else if (s.has("REULER")) {
    const std::vector<double> angles = c.numbers(s, "REULER", 3, 3);
    if (!angles.empty()) pose.rotation = fromEuler(angles);
  } else if (points) {
    const Vec3 x = s.has(names.onX) ? Vec3(c.vector(s, names.onX, length) - pose.position) : Vec3::UnitX();
    const Vec3 z = s.has(names.onZ) ? Vec3(c.vector(s, names.onZ, length) - pose.position) : Vec3::UnitZ();
    const bool byX = s.has("USEXP");
    const Vec3& along = byX ? x : z;
    if (along.norm() == 0.0)
      c.fail(s, fmt::format("{} is the origin of the frame (give a point on its axis)",
                            byX ? names.onX : names.onZ));
    else
      pose.rotation = fromDirections(byX ? 0 : 2, along, byX ? z : x);
  }
  return pose;
}

Mat3 ballOfWater(double mass) {
  const double radius = std::cbrt(mass / (4.0 / 3.0 * std::numbers::pi * kWater));
  return 0.4 * mass * radius * radius * Mat3::Identity();
}

/// Makes the bodies of parts.
class PartBodies {
 public:
  explicit PartBodies(AdmContext& c) : c_(c) {
    double mass = 0.0;
    int count = 0;
    for (const auto& [id, part] : c.parts)
      if (!part.ground && part.mass > 0.0) {
        mass += part.mass;
        ++count;
      }
    light_ = count > 0 ? kLight * mass / count : kLight;
  }

  void make(AdmPart& part) {
    const AdmStatement& s = *part.statement;
    const AdmMarker* cm = own(part, "CM", part.mass > 0.0);
    const double mass = part.mass > 0.0 ? part.mass : light_;
    const Pose center = cm ? cm->inPart : Pose{};
    Mat3 inertia = inertiaOf(part, center);
    if (!(part.mass > 0.0))
      c_.report.approximated.push_back(fmt::format("{} '{}' has no mass: given {:.3g} kg as a ball of water",
                                                   s.element(), part.name, mass));
    if (inertia.isZero(0.0)) {
      inertia = ballOfWater(mass);
      if (s.keyword == "PART" && part.mass > 0.0)
        c_.report.assumed.push_back(
            fmt::format("{} '{}' has {:.3g} kg but no inertia: given that of a ball of water", s.element(),
                        part.name, mass));
    }
    mend(part, inertia);
    const Vec3 velocity = axesOf(part, "VM", Pose{}) * velocities("VX", "VY", "VZ", s, c_.units.length);
    const Vec3 spin = axesOf(part, "WM", part.pose * center) * velocities("WX", "WY", "WZ", s, 1.0);
    BodyDef body;
    body.name = part.name;
    body.pose = part.pose;
    body.angularVelocity = spin;
    body.velocity = velocity - spin.cross(part.pose.rotation * center.position);
    body.inertial = InertialDef{.mass = mass, .inertia = inertia, .center = center.position};
    body.where = c_.where(s);
    part.body = c_.builder.addBody(std::move(body));
  }

 private:
  /// A marker of this part; null: none, or wrong.
  const AdmMarker* own(const AdmPart& part, const char* argument, bool needed) {
    const AdmMarker* m = c_.marker(*part.statement, argument, !needed);
    if (!m || &c_.partOf(*m) == &part) return m;
    c_.fail(*part.statement, fmt::format("{}: {} is a marker of {} (name one of this part)", argument,
                                         m->statement->element(), c_.partOf(*m).statement->element()));
    return nullptr;
  }
  /// About the centre of mass, in the axes of the part, kg m²; zero: it has none.
  Mat3 inertiaOf(const AdmPart& part, const Pose& center) {
    const AdmStatement& s = *part.statement;
    if (s.keyword != "PART" || !(part.mass > 0.0)) return Mat3::Zero();
    const std::vector<double> ip =
        c_.numbers(s, "IP", 3, 6, c_.units.mass * c_.units.length * c_.units.length);
    if (ip.empty()) return Mat3::Zero();
    Mat3 inertia = Vec3(ip[0], ip[1], ip[2]).asDiagonal();
    if (ip.size() > 3) {
      // Products are positive integrals of xy, xz, yz; the tensor has them with a minus.
      const double xy = -ip[3], xz = ip.size() > 4 ? -ip[4] : 0.0, yz = ip.size() > 5 ? -ip[5] : 0.0;
      inertia(0, 1) = inertia(1, 0) = xy;
      inertia(0, 2) = inertia(2, 0) = xz;
      inertia(1, 2) = inertia(2, 1) = yz;
    }
    const AdmMarker* im = own(part, "IM", false);
    const Pose frame = im ? im->inPart : center;
    const Mat3 r = frame.rotation.toRotationMatrix();
    return r * inertia * r.transpose() - pointInertia(part.mass, center.position - frame.position);
  }
  /// Repairs an inertia that no body can have, or reports it.
  void mend(const AdmPart& part, Mat3& inertia) {
    inertia = Mat3(0.5 * (inertia + inertia.transpose()));
    const AdmStatement& s = *part.statement;
    if (!inertia.allFinite()) return;  // the builder says so
    const PrincipalMoments p = principalMoments(inertia);
    if (p.possible()) return;
    const RepairedInertia repaired = repairInertia(inertia);
    const std::string moments =
        fmt::format("no body has the principal moments {:.3g} {:.3g} {:.3g} kg m^2 about its centre of mass",
                    p.moments[0], p.moments[1], p.moments[2]);
    if (c_.strict || !(repaired.change <= kRepaired)) {
      c_.fail(s, fmt::format(
                     "IP: {} (none may exceed the sum of the two others; products are positive integrals)",
                     moments));
      return;
    }
    const Vec3 now = principalMoments(repaired.inertia).moments;
    c_.report.repaired.push_back(
        fmt::format("inertia of {} '{}': {}; made {:.3g} {:.3g} {:.3g} (--strict refuses them)", s.element(),
                    part.name, moments, now[0], now[1], now[2]));
    inertia = repaired.inertia;
  }
  /// The axes of a marker, or of `usual`, in the world.
  Quat axesOf(const AdmPart& part, const char* argument, const Pose& usual) {
    const AdmMarker* m = c_.marker(*part.statement, argument, true);
    return m ? m->inWorld.rotation : usual.rotation;
  }
  Vec3 velocities(const char* x, const char* y, const char* z, const AdmStatement& s, double unit) {
    const double perTime = unit / c_.units.time;
    return {c_.numberOr(s, x, 0.0, perTime), c_.numberOr(s, y, 0.0, perTime),
            c_.numberOr(s, z, 0.0, perTime)};
  }

  AdmContext& c_;
  double light_ = 0.0;
};

void readPart(AdmContext& c, const AdmStatement& s) {
  if (s.id == 0) return c.fail(s, "has no identifier (write PART/id)");
  AdmPart part;
  part.statement = &s;
  part.ground = s.has("GROUND");
  if (part.ground) {
    part.name = "world";
    for (const auto& [id, other] : c.parts)
      if (other.ground)
        c.fail(s, fmt::format("{} is the ground already (only one part is)", other.statement->element()));
  } else {
    part.name = c.nameFor("body", s);
    part.pose = readFrame(c, s, {"QG", "XG", "ZG"});
    part.mass = c.numberOr(s, "MASS", 0.0, c.units.mass);
    if (part.mass < 0.0) c.fail(s, "MASS is negative (it is 0 or more)");
  }
  if (!c.parts.emplace(s.id, part).second) c.fail(s, "a second part has this identifier (choose another)");
}

void readMarker(AdmContext& c, const AdmStatement& s) {
  if (s.id == 0) return c.fail(s, "has no identifier (write MARKER/id)");
  AdmMarker marker;
  marker.statement = &s;
  marker.floating = s.has("FLOATING");
  const char* owner = s.has("PART") ? "PART" : "POINT_MASS";
  const std::vector<int> part = c.identifiers(s, owner, 1, 1);
  for (const char* other : {"FLEX_BODY", "FE_PART", "CURVE", "SURFACE"})
    if (s.has(other)) {
      marker.floating = true;  // it may be named, but nothing can be fixed to it
      c.leaveOut(s, fmt::format("a marker of {}", other));
      c.markers.emplace(s.id, marker);
      return;
    }
  if (part.empty()) {
    if (!s.has(owner)) c.fail(s, "PART is missing (the part that it belongs to)");
    return;
  }
  const auto at = c.parts.find(part[0]);
  if (at == c.parts.end())
    return c.fail(s, fmt::format("there is no PART/{} (add it, or name another)", part[0]));
  marker.part = part[0];
  if (!marker.floating) marker.inPart = readFrame(c, s, {"QP", "XP", "ZP"});
  marker.inWorld = at->second.pose * marker.inPart;
  if (!c.markers.emplace(s.id, marker).second)
    c.fail(s, "a second marker has this identifier (choose another)");
}

}  // namespace

void readAdmParts(AdmContext& c, const AdmStatements& all) {
  c.builder.gravity() = Vec3::Zero();
  for (const AdmStatement& s : all)
    if (s.keyword == "PART" || s.keyword == "POINT_MASS") readPart(c, s);
  for (const AdmStatement& s : all)
    if (s.keyword == "MARKER") readMarker(c, s);
  PartBodies bodies(c);
  for (const AdmStatement& s : all) {
    if (s.keyword == "PART" || s.keyword == "POINT_MASS") {
      const auto at = c.parts.find(s.id);
      if (at != c.parts.end() && at->second.statement == &s && !at->second.ground) bodies.make(at->second);
    }
    if (s.keyword != "ACCGRAV") continue;
    const double unit = c.unit(0, 1, -2);
    c.builder.gravity() = Vec3(c.numberOr(s, "IGRAV", 0.0, unit), c.numberOr(s, "JGRAV", 0.0, unit),
                               c.numberOr(s, "KGRAV", 0.0, unit));
  }
}

}  // namespace grashof::convert
