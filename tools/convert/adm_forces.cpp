#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "tools/convert/adm_context.h"

namespace grashof::convert {
namespace {

constexpr double kSameAxis = 1e-6;  // sine of an angle; m
constexpr int kTableSteps = 4000;   // of functions that are curved
constexpr double kReach = 10.0;     // times the distance at the start, to which such a table reaches
constexpr double kRounds = 1e-9;    // of values that differ by rounding

/// What acts on I against J along a length or angle x: constant + f(t) - stiffness x - damping ẋ, in the
/// units of the file.
struct LinearForce {
  double stiffness = 0.0, damping = 0.0, constant = 0.0;
  int ofTime = -1;                    ///< node of f; -1: none
  std::vector<double> at{}, force{};  ///< a table over x besides; empty: none
};

bool parallel(const Vec3& a, const Vec3& b) { return a.cross(b).norm() <= kSameAxis; }

/// The pose of a marker in the frame of its body; of the ground in the world.
const Pose& admPlace(const AdmContext& c, const AdmMarker& m) {
  return c.partOf(m).ground ? m.inWorld : m.inPart;
}

FrameDef admFrame(const AdmContext& c, const AdmMarker& m) {
  FrameDef f;
  f.position = admPlace(c, m).position;
  f.rotation = admPlace(c, m).rotation;
  return f;
}

/// The angle of `a` about z of `b`.
double angleBetween(const AdmMarker& a, const AdmMarker& b) {
  const Vec3 x = b.inWorld.rotation.conjugate() * (a.inWorld.rotation * Vec3::UnitX());
  return std::atan2(x.y(), x.x());
}

/// Makes forces along the line of two markers, and torques about z of the second.
class ForceMaker {
 public:
  explicit ForceMaker(AdmContext& c) : c_(c) {}

  void springDamper(const AdmStatement& s) {
    if (!begin(s)) return;
    LinearForce f;
    f.stiffness = c_.numberOr(s, turns_ ? "KT" : "K", 0.0);
    f.damping = c_.numberOr(s, turns_ ? "CT" : "C", 0.0);
    f.constant = c_.numberOr(s, turns_ ? "TORQUE" : "FORCE", 0.0) +
                 f.stiffness * c_.numberOr(s, turns_ ? "ANGLE" : "LENGTH", 0.0);
    act(s, f, nullptr);
  }

  void singleForce(const AdmStatement& s) {
    if (!begin(s)) return;
    std::optional<AdmExpression> e = c_.expression(s, "FUNCTION");
    if (!e) {
      if (!s.has("FUNCTION")) c_.fail(s, "FUNCTION is missing (an expression)");
      return;
    }
    const std::optional<AdmLinear> form = e->linear();
    if (!form) return curved(s, *e);
    LinearForce f;
    for (const auto& [measure, coefficient] : form->coefficients) {
      const std::optional<Own> mine = own(s, measure);
      if (!mine) return;
      (mine->rate ? f.damping : f.stiffness) -= coefficient * mine->factor;
      f.constant += coefficient * mine->offset;
    }
    if (e->constant(form->rest))
      f.constant += e->value(form->rest, 0.0);
    else
      f.ofTime = form->rest;
    act(s, f, &*e);
  }

  void bushing(const AdmStatement& s) {
    if (!readMarkers(s)) return;
    const bool swapped = c_.partOf(*i_).ground;
    const double side = swapped ? -1.0 : 1.0;
    BushingDef b = bushingBetween(s);
    b.stiffness.diagonal() << c_.vector(s, "K", c_.unit(1, -1, 0)), c_.vector(s, "KT", c_.unit(1, 1, 0));
    b.damping.diagonal() << c_.vector(s, "C", c_.unit(1, -1, 1)), c_.vector(s, "CT", c_.unit(1, 1, 1));
    b.preload << side * c_.vector(s, "FORCE", c_.unit(1, 0, 0)),
        side * c_.vector(s, "TORQUE", c_.unit(1, 1, 0));
    if (b.stiffness.isZero(0.0) && b.damping.isZero(0.0) && b.preload.isZero(0.0))
      return c_.report.assumed.push_back(fmt::format("{}: it is zero, and left out", s.element()));
    if (swapped)
      c_.report.approximated.push_back(
          fmt::format("{}: displacements are counted against I, on the ground, instead of J", s.element()));
    c_.builder.addBushing(std::move(b));
  }

 private:
  bool begin(const AdmStatement& s) {
    turns_ = s.has("ROTATIONAL");
    if (turns_ != s.has("TRANSLATIONAL")) return readMarkers(s);
    c_.fail(s, "is to be either TRANSLATIONAL or ROTATIONAL");
    return false;
  }
  bool readMarkers(const AdmStatement& s) {
    i_ = c_.marker(s, "I");
    j_ = c_.marker(s, "J");
    if (!i_ || !j_) return false;
    if (i_->part != j_->part || s.has("ACTIONONLY")) return true;
    c_.fail(s, fmt::format("I and J are both markers of {} (a force is between two parts)",
                           c_.partOf(*i_).statement->element()));
    return false;
  }

  /// What a measure is by the force's own length or angle x, or its rate: factor x + offset.
  struct Own {
    bool rate = false;
    double factor = 1.0, offset = 0.0;
  };
  /// None: it is not of the force's own line or axis, which is reported.
  std::optional<Own> own(const AdmStatement& s, const AdmMeasure& m) {
    const AdmMarker* a = m.markers[0] > 0 ? c_.markerCalled(s, m.markers[0], "its function") : nullptr;
    const AdmMarker* b = m.markers[1] > 0 ? c_.markerCalled(s, m.markers[1], "its function") : nullptr;
    const auto same = [](const AdmMarker* x, const AdmMarker* y) {
      return x && x->part == y->part && (x->inWorld.position - y->inWorld.position).norm() <= kSameAxis;
    };
    const bool line = (same(a, i_) && same(b, j_)) || (same(a, j_) && same(b, i_));
    if (!turns_ && line && (m.name == "DM" || m.name == "VR")) return Own{m.name == "VR"};
    std::optional<Own> angle;
    if (turns_ && a && b) angle = ownAngle(s, m, *a, *b);
    if (!angle)
      c_.leaveOut(s, fmt::format("{} in its function is not that of the {} between I and J", m.name,
                                 turns_ ? "angle about z" : "distance"));
    return angle;
  }
  /// Angles about z of J, which the parts keep parallel where a joint has this axis.
  std::optional<Own> ownAngle(const AdmStatement& s, const AdmMeasure& m, const AdmMarker& a,
                              const AdmMarker& b) {
    const bool straight = a.part == i_->part && b.part == j_->part,
               turned = a.part == j_->part && b.part == i_->part;
    if (!straight && !turned) return std::nullopt;
    Vec3 axis = b.axis();
    if (m.name == "WZ") {
      const AdmMarker* in = m.markers[2] > 0 ? c_.markerCalled(s, m.markers[2], "its function") : nullptr;
      axis = in ? in->axis() : Vec3::UnitZ();
    } else if (m.name != "AZ") {
      return std::nullopt;
    }
    if (!parallel(axis, j_->axis())) return std::nullopt;
    Own own;
    own.rate = m.name == "WZ";
    own.factor = (straight ? 1.0 : -1.0) * (axis.dot(j_->axis()) > 0.0 ? 1.0 : -1.0);
    // Markers that are turned about the axis count from elsewhere.
    if (!own.rate) own.offset = angleBetween(a, b) - own.factor * angleBetween(*i_, *j_);
    return own;
  }

  /// A function that is curved over x, and straight over its rate: a table.
  void curved(const AdmStatement& s, const AdmExpression& e) {
    const auto measures = e.measures();
    if (!measures || s.has("ACTIONONLY"))
      return c_.leaveOut(s, fmt::format("its function is not linear in {}", e.obstacle(e.root())));
    std::map<AdmMeasure, Own> owns;
    for (const AdmMeasure& m : *measures) {
      const std::optional<Own> mine = own(s, m);
      if (!mine) return;
      owns.emplace(m, *mine);
    }
    const auto valueAt = [&](double x, double rate, double time) {
      return e.value(e.root(), time, [&](const AdmMeasure& m) {
        const Own& mine = owns.at(m);
        return mine.factor * (mine.rate ? rate : x) + mine.offset;
      });
    };
    const double start = (i_->inWorld.position - j_->inWorld.position).norm() / c_.units.length;
    const double reach =
        turns_ ? 2.0 * std::numbers::pi : kReach * (start > 0.0 ? start : 1.0 / c_.units.length);
    LinearForce f;
    f.damping = valueAt(turns_ ? 0.1 : start, 0.0, 0.0) - valueAt(turns_ ? 0.1 : start, 1.0, 0.0);
    const double least = turns_ ? -reach : 0.0, step = (reach - least) / kTableSteps;
    for (int k = 0; k <= kTableSteps; ++k) {
      const double x = least + step * k, value = valueAt(x, 0.0, 0.0);
      const double size = std::abs(value) + std::abs(f.damping);
      const bool plain = std::abs(valueAt(x, 0.0, 1.7) - value) <= kRounds * size &&
                         std::abs(valueAt(x, -3.0, 0.0) - value - 3.0 * f.damping) <= kRounds * size;
      if (!std::isfinite(value) || !plain)
        return c_.leaveOut(
            s, fmt::format("its function is no sum of one over the {} and a damping, over its whole range",
                           turns_ ? "angle" : "distance"));
      f.at.push_back(x);
      f.force.push_back(value);
    }
    c_.report.approximated.push_back(fmt::format(
        "{}: its function is a table of {} {}s from {:g} to {:g} (of the units of the file), held beyond",
        s.element(), kTableSteps + 1, turns_ ? "angle" : "distance", least, reach));
    act(s, f, &e);
  }

  void act(const AdmStatement& s, const LinearForce& f, const AdmExpression* e) {
    if (!std::isfinite(f.stiffness) || !std::isfinite(f.damping) || !std::isfinite(f.constant))
      return c_.fail(s, "its numbers have no finite value");
    if (f.stiffness < 0.0 || f.damping < 0.0)
      return c_.leaveOut(s, fmt::format("its {} is negative", f.stiffness < 0.0 ? "stiffness" : "damping"));
    const bool springs = f.stiffness != 0.0 || f.damping != 0.0 || !f.at.empty();
    if (!springs && f.constant == 0.0 && f.ofTime < 0)
      return c_.report.assumed.push_back(fmt::format("{}: it is zero, and left out", s.element()));
    if (s.has("ACTIONONLY")) {
      if (springs) return c_.leaveOut(s, "it acts on I alone, by what it measures");
      return push(s, f, e);
    }
    ForceDef force = lawOf(f);
    const AdmJoint* joint = turns_ ? jointAbout() : nullptr;
    if (turns_ && !joint) return springs ? twist(s, f) : push(s, f, e);
    force.name = c_.nameFor("element", s);
    force.where = c_.where(s);
    if (f.ofTime >= 0) {
      force.signal = timed(s, f, *e, force.name, joint ? senseAt(*joint) : 1.0);
      if (!force.signal) return;
    }
    if (joint) {
      alongJoint(*joint, f, force);
    } else {
      const bool worldLast = c_.partOf(*j_).ground;
      const AdmMarker &one = worldLast ? *j_ : *i_, &two = worldLast ? *i_ : *j_;
      force.body1 = c_.partOf(one).body;
      force.body2 = c_.partOf(two).body;
      force.point1 = admPlace(c_, one).position;
      force.point2 = admPlace(c_, two).position;
    }
    c_.builder.addForce(std::move(force));
  }
  /// The law along the line or angle of the force, SI.
  ForceDef lawOf(const LinearForce& f) const {
    const double length = turns_ ? 1.0 : c_.units.length, unit = c_.unit(1, turns_ ? 1 : 0, 0);
    ForceDef force;
    force.stiffness = f.stiffness * unit / length;
    force.damping = f.damping * unit / length * c_.units.time;
    force.length = 0.0;
    force.preload = f.constant * unit;
    if (!f.at.empty()) {
      ForceTableDef table{f.at, f.force, {}};
      for (double& x : table.at) x *= length;
      for (double& y : table.force) y *= unit;
      force.overLength = std::move(table);
    }
    // A spring is told by its free length.
    if (!turns_ && f.stiffness > 0.0 && f.constant > 0.0) {
      force.length = force.preload / force.stiffness;
      force.preload = 0.0;
    }
    return force;
  }
  std::optional<SignalId> timed(const AdmStatement& s, const LinearForce& f, const AdmExpression& e,
                                const std::string& name, double sense) {
    AdmSignalUse use;
    use.scale = sense * c_.unit(1, turns_ ? 1 : 0, 0);
    return c_.signal(s, e, f.ofTime, use, name);
  }
  /// A joint between both parts that turns about z of J; null: none.
  const AdmJoint* jointAbout() const {
    for (const auto& [id, j] : c_.joints) {
      const bool both = (j.i->part == i_->part && j.j->part == j_->part) ||
                        (j.i->part == j_->part && j.j->part == i_->part);
      if (both && j.rotation >= 0 && parallel(j.j->axis(), j_->axis())) return &j;
    }
    return nullptr;
  }
  /// Angle of the force per coordinate of the joint.
  double senseAt(const AdmJoint& j) const {
    return (j.i->part == i_->part ? 1.0 : -1.0) * (j.j->axis().dot(j_->axis()) > 0.0 ? 1.0 : -1.0);
  }
  void alongJoint(const AdmJoint& j, const LinearForce& f, ForceDef& force) const {
    // x = sense q + offset, and what acts on q is sense times the torque.
    const double sense = senseAt(j), offset = angleBetween(*i_, *j_) - sense * j.angle;
    force.joint = j.joint;
    force.coordinate = j.rotation;
    force.preload = sense * (f.constant - f.stiffness * offset) * c_.unit(1, 1, 0);
    force.length = 0.0;
    if (!force.overLength) return;
    ForceTableDef& table = *force.overLength;
    for (double& x : table.at) x = sense * (x - offset);
    for (double& y : table.force) y *= sense;
    if (sense > 0.0) return;
    std::reverse(table.at.begin(), table.at.end());
    std::reverse(table.force.begin(), table.force.end());
  }

  BushingDef bushingBetween(const AdmStatement& s) {
    const bool swapped = c_.partOf(*i_).ground;
    const AdmMarker &base = swapped ? *i_ : *j_, &follower = swapped ? *j_ : *i_;
    BushingDef b;
    b.name = c_.nameFor("element", s);
    b.base = c_.partOf(base).body;
    b.follower = c_.partOf(follower).body;
    b.baseFrame = admFrame(c_, base);
    b.followerFrame = admFrame(c_, follower);
    b.where = c_.where(s);
    return b;
  }
  /// A torsion spring between parts that no joint with its axis joins.
  void twist(const AdmStatement& s, const LinearForce& f) {
    if (f.ofTime >= 0 || !f.at.empty())
      return c_.leaveOut(s, "no joint between its parts turns about z of J");
    BushingDef b = bushingBetween(s);
    b.stiffness(5, 5) = f.stiffness * c_.unit(1, 1, 0);
    b.damping(5, 5) = f.damping * c_.unit(1, 1, 1);
    b.preload[5] = (c_.partOf(*i_).ground ? -1.0 : 1.0) * f.constant * c_.unit(1, 1, 0);
    c_.report.approximated.push_back(fmt::format(
        "{}: no joint between its parts turns about z of J: it acts below half a turn", s.element()));
    c_.builder.addBushing(std::move(b));
  }
  /// A force or torque along z of J, of time alone, on the one part that is not the ground.
  void push(const AdmStatement& s, const LinearForce& f, const AdmExpression* e) {
    const bool onJ = c_.partOf(*i_).ground;
    if (onJ && s.has("ACTIONONLY")) return c_.leaveOut(s, "it acts on the ground");
    const AdmMarker& on = onJ ? *j_ : *i_;
    const bool world = c_.partOf(*j_).ground, own = j_->part == on.part;
    const bool reacts = !s.has("ACTIONONLY") && !world && !onJ;
    if ((!world && !own) || reacts)
      return c_.leaveOut(s, "its axis is fixed in another part, and no joint between them has it");
    const Vec3 axis = admPlace(c_, *j_).rotation * Vec3::UnitZ();
    WrenchDef w;
    w.name = c_.nameFor("wrench", s);
    w.body = c_.partOf(on).body;
    w.point = admPlace(c_, on).position;
    w.local = !world;
    w.where = c_.where(s);
    double size = (onJ ? -1.0 : 1.0) * c_.unit(1, turns_ ? 1 : 0, 0) * f.constant;
    if (f.ofTime >= 0) {
      w.signal = timed(s, f, *e, w.name, onJ ? -1.0 : 1.0);
      if (!w.signal) return;
      size = 1.0;
    }
    (turns_ ? w.torque : w.force) = size * axis;
    c_.builder.addWrench(std::move(w));
  }

  AdmContext& c_;
  const AdmMarker *i_ = nullptr, *j_ = nullptr;
  bool turns_ = false;
};

}  // namespace

void readAdmForces(AdmContext& c, const AdmStatements& all) {
  ForceMaker maker(c);
  for (const AdmStatement& s : all) {
    if (s.keyword == "SPRINGDAMPER") maker.springDamper(s);
    if (s.keyword == "SFORCE") maker.singleForce(s);
    if (s.keyword == "BUSHING") maker.bushing(s);
  }
}

}  // namespace grashof::convert
