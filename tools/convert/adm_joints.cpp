#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "tools/convert/adm_context.h"

namespace grashof::convert {
namespace {

constexpr double kSmallTurn = 1e-9;  // rad, m: what is no value

/// Axes in which the first of the joint frame is z of the marker: y is its x.
Quat alongZ() {
  Mat3 axes;
  axes << Vec3::UnitZ(), Vec3::UnitX(), Vec3::UnitY();
  return Quat(axes);
}
/// Half a turn about x of the marker: coordinates against z of the other marker keep their sign.
Quat flipped() { return Quat(0.0, 1.0, 0.0, 0.0); }
Quat axesOf(const Vec3& x, const Vec3& y) {
  Mat3 axes;
  axes << x, y, x.cross(y);
  return Quat(axes);
}

FrameDef frameAt(const AdmContext& c, const AdmMarker& m, const Quat& turn) {
  // A marker of the ground is placed in the world.
  const Pose& pose = c.partOf(m).ground ? m.inWorld : m.inPart;
  FrameDef frame;
  frame.position = pose.position;
  frame.rotation = (pose.rotation * turn).normalized();
  return frame;
}

/// Frames of a kind of joint: how those of base and follower stand in their markers.
struct JointShape {
  const char* type = "";
  Quat base = Quat::Identity(), follower = Quat::Identity();
  int translation = -1, rotation = -1;
};

/// Makes the joints of a dataset.
class JointMaker {
 public:
  explicit JointMaker(AdmContext& c) : c_(c) {}

  void joint(const AdmStatement& s) {
    if (s.id == 0) return c_.fail(s, "has no identifier (write JOINT/id)");
    const char* kind = onlyOne(s, {"REVOLUTE", "TRANSLATIONAL", "CYLINDRICAL", "SPHERICAL", "UNIVERSAL",
                                   "HOOKE", "FIXED", "PLANAR", "SCREW", "RACKPIN", "CONVEL"});
    if (!kind || !readMarkers(s)) return;
    const std::string_view name = kind;
    if (name == "RACKPIN") return;  // a coupling of other joints
    if (name == "REVOLUTE" || name == "CYLINDRICAL" || name == "SCREW" || name == "PLANAR" ||
        name == "TRANSLATIONAL")
      alignSenses(s, name == "TRANSLATIONAL");
    if (c_.joints.contains(s.id) || c_.missingJoints.contains(s.id))
      return c_.fail(s, "a second joint has this identifier (choose another)");
    if (rubs(s)) c_.leaveOut(s, "its friction is left out: add <dynamics friction-coefficient=...>");
    const JointId id = add(s, c_.nameFor("joint", s), shapeOf(name));
    AdmJoint made = measured(s, id);
    made.translation = shape_.translation;
    made.rotation = shape_.rotation;
    if (name == "SCREW") screw(s, made);
    if (name == "CONVEL") hold(s, id, 2);
    readStart(s, made);
    c_.joints.emplace(s.id, made);
  }

  void primitive(const AdmStatement& s) {
    const char* kind =
        onlyOne(s, {"ATPOINT", "INLINE", "INPLANE", "ORIENTATION", "PARALLEL_AXES", "PERPENDICULAR"});
    if (!kind || !readMarkers(s)) return;
    const std::string_view name = kind;
    if (name == "PERPENDICULAR")
      return c_.leaveOut(s, "there is no joint that holds two axes at right angles alone");
    const std::string called = c_.nameFor("joint", s);
    if (name == "ATPOINT") add(s, called, {"spherical"});
    if (name == "ORIENTATION") add(s, called, {"cartesian"});
    if (name == "INLINE") add(s, called, {"point-on-line", alongZ(), alongZ()}, true);
    if (name == "INPLANE") add(s, called, {"point-on-plane"}, true);
    if (name == "PARALLEL_AXES") {
      const bool turned = i_->axis().dot(j_->axis()) < 0.0;
      const JointId id = add(s, called, {"free", Quat::Identity(), turned ? flipped() : Quat::Identity()});
      hold(s, id, 3);
      hold(s, id, 4);
    }
  }

  /// GCON: a constant distance.
  void constraint(const AdmStatement& s) {
    std::optional<AdmExpression> e = c_.expression(s, "FUNCTION");
    if (!e) {
      if (!s.has("FUNCTION")) c_.fail(s, "FUNCTION is missing (an expression that is to be zero)");
      return;
    }
    const std::optional<AdmLinear> form = e->linear();
    const bool distance = form && form->coefficients.size() == 1 &&
                          form->coefficients.begin()->first.name == "DM" && e->constant(form->rest);
    if (!distance) return c_.leaveOut(s, "only the constant distance of two markers is a joint here");
    const AdmMeasure& measure = form->coefficients.begin()->first;
    const double length = -e->value(form->rest, 0.0) / form->coefficients.begin()->second * c_.units.length;
    i_ = measure.markers[0] > 0 ? c_.markerCalled(s, measure.markers[0], "DM") : nullptr;
    j_ = measure.markers[1] > 0 ? c_.markerCalled(s, measure.markers[1], "DM") : nullptr;
    if (!i_ || !j_) return c_.leaveOut(s, "its distance is not that of two markers");
    if (!(length > 0.0) || !std::isfinite(length)) return c_.fail(s, "the distance it keeps is not above 0");
    if (!differ(s)) return;
    length_ = length;
    add(s, c_.nameFor("joint", s), {"distance"});
    length_.reset();
  }

 private:
  const char* onlyOne(const AdmStatement& s, std::initializer_list<const char*> kinds) {
    const char* kind = nullptr;
    std::string all;
    for (const char* k : kinds) {
      all += fmt::format("{}{}", all.empty() ? "" : ", ", k);
      if (!s.has(k)) continue;
      if (kind) c_.fail(s, fmt::format("is {} and {} (leave one out)", kind, k));
      kind = k;
    }
    if (!kind) c_.fail(s, fmt::format("its kind is missing (one of {})", all));
    return kind;
  }
  /// Whether dry friction is asked for.
  static bool rubs(const AdmStatement& s) {
    const AdmArgument* friction = s.find("FRICTION");
    if (friction && !friction->values.empty() && admCapitals(friction->values[0]) == "OFF") return false;
    return friction || s.has("MU_DYNAMIC") || s.has("MU_STATIC");
  }
  bool readMarkers(const AdmStatement& s) {
    i_ = c_.marker(s, "I");
    j_ = c_.marker(s, "J");
    return i_ && j_ && differ(s);
  }
  bool differ(const AdmStatement& s) {
    if (i_->part == j_->part) {
      c_.fail(s, fmt::format("I and J are both markers of {} (a joint joins two parts)",
                             c_.partOf(*i_).statement->element()));
      return false;
    }
    return true;
  }
  /// Joints hold axes parallel, not their sense: what of I stands the other way at the start is turned by
  /// half a turn. `all`: of x and y as well as z.
  void alignSenses(const AdmStatement& s, bool all) {
    const Mat3 apart = (j_->inWorld.rotation.conjugate() * i_->inWorld.rotation).toRotationMatrix();
    const std::array<Quat, 4> turns = {Quat::Identity(), flipped(), Quat(0.0, 0.0, 1.0, 0.0),
                                       Quat(0.0, 0.0, 0.0, 1.0)};
    double best = -4.0;
    std::size_t nearest = 0;
    for (std::size_t k = 0; k < (all ? turns.size() : 2); ++k) {
      const Mat3 turned = apart * turns[k].toRotationMatrix();
      const double fit = all ? turned.trace() : turned(2, 2);
      if (fit <= best + kSmallTurn) continue;
      best = fit;
      nearest = k;
    }
    if (nearest == 0) return;
    c_.turned.push_back(*i_);
    AdmMarker& turned = c_.turned.back();
    turned.inPart.rotation = (turned.inPart.rotation * turns[nearest]).normalized();
    turned.inWorld.rotation = (turned.inWorld.rotation * turns[nearest]).normalized();
    i_ = &turned;
    c_.report.assumed.push_back(
        fmt::format("{}: axes of I and J point against each other, and stay so", s.element()));
  }
  /// Whether I is of the ground: the part of J follows then.
  bool swapped() const { return c_.partOf(*i_).ground; }

  JointShape shapeOf(std::string_view kind) const {
    const bool s = swapped();
    // Seen from I, J moves the other way: about, and along, the other z.
    const Quat z = s ? flipped() * alongZ() : alongZ();
    if (kind == "REVOLUTE") return {"revolute", z, z, -1, 0};
    if (kind == "TRANSLATIONAL") return {"prismatic", z, z, 0, -1};
    if (kind == "CYLINDRICAL" || kind == "SCREW") return {"cylindrical", z, z, 0, 1};
    if (kind == "SPHERICAL") return {"spherical"};
    if (kind == "FIXED") return {"fixed"};
    if (kind == "PLANAR") return {"planar"};
    if (kind == "HOOKE") {
      // x of I and y of J are the cross; the base turns about its x, the follower about its y.
      const Quat cross = axesOf(Vec3::UnitY(), Vec3::UnitX());
      return s ? JointShape{"universal"} : JointShape{"universal", cross, cross};
    }
    if (kind == "UNIVERSAL") return {"universal", alongZ(), axesOf(Vec3::UnitX(), Vec3::UnitZ())};
    // Constant velocity: the shafts may point away from each other.
    const bool turned = i_->axis().dot(j_->axis()) < 0.0;
    return {"spherical", Quat::Identity(), turned ? flipped() : Quat::Identity()};
  }

  /// `oneWay`: the base has to be the part of J, and follows a body that is fixed to the ground if need be.
  JointId add(const AdmStatement& s, const std::string& name, const JointShape& shape, bool oneWay = false) {
    shape_ = shape;
    const AdmMarker *base = j_, *follower = i_;
    if (swapped() && !oneWay) std::swap(base, follower);
    JointDef joint;
    joint.name = name;
    joint.type = shape.type;
    joint.base = c_.partOf(*base).body;
    joint.follower = c_.partOf(*follower).body;
    joint.baseFrame = frameAt(c_, *base, shape.base);
    joint.followerFrame = frameAt(c_, *follower, shape.follower);
    if (swapped() && oneWay) joint.follower = anchor(s);
    joint.length = length_;
    joint.where = c_.where(s);
    return c_.builder.addJoint(std::move(joint));
  }
  /// A body that is fixed to the ground, for joints that need one there.
  BodyId anchor(const AdmStatement& s) {
    if (anchor_.value != BodyId::kUnset) return anchor_;
    AdmStatement named = s;
    named.name = "ground";
    BodyDef body;
    body.name = c_.nameFor("body", named);
    body.inertial = InertialDef{.mass = 1.0, .inertia = Mat3(0.01 * Mat3::Identity())};
    body.where = c_.where(s);
    c_.report.assumed.push_back(
        fmt::format("{}: the body '{}' is a part of the ground, fixed to the world", s.element(), body.name));
    named.name = body.name;
    anchor_ = c_.builder.addBody(std::move(body));
    JointDef weld;
    weld.name = c_.nameFor("joint", named);
    weld.type = "fixed";
    weld.follower = anchor_;
    weld.where = c_.where(s);
    c_.builder.addJoint(std::move(weld));
    return anchor_;
  }
  AdmJoint measured(const AdmStatement& s, JointId id) const {
    AdmJoint made;
    made.joint = id;
    made.statement = &s;
    made.i = i_;
    made.j = j_;
    const Pose apart = j_->inWorld.inverse() * i_->inWorld;
    const Vec3 x = apart.rotation * Vec3::UnitX();
    made.displacement = apart.position.z();
    made.angle = std::atan2(x.y(), x.x());
    return made;
  }
  void hold(const AdmStatement& s, JointId id, int coordinate) {
    Signal zero;
    zero.name = c_.nameFor("motion", s);
    Actuator actuator;
    actuator.kind = Actuator::Kind::Motion;
    const SignalId signal = c_.builder.addSignal(std::move(zero), c_.where(s));
    c_.builder.addActuator(id, actuator, signal, coordinate, c_.where(s));
    Report::once(
        c_.report.approximated,
        fmt::format("{}: a motion holds what no joint type holds; mobility does not count it", s.element()));
  }
  void screw(const AdmStatement& s, const AdmJoint& made) {
    const std::optional<double> pitch = c_.number(s, "PITCH", c_.units.length);
    if (!pitch) {
      if (!s.has("PITCH")) c_.fail(s, "PITCH is missing (the advance per turn)");
      return;
    }
    CouplingDef thread;
    thread.name = c_.nameFor("coupling", s);
    thread.kind = CouplingKind::Screw;
    thread.jointA = thread.jointB = made.joint;
    thread.coordinateA = 0;
    thread.coordinateB = 1;
    thread.ratio = *pitch / (2.0 * std::numbers::pi);
    thread.offset = made.displacement - thread.ratio * made.angle;
    thread.where = c_.where(s);
    if (std::abs(thread.offset) > kSmallTurn)
      c_.report.assumed.push_back(
          fmt::format("{}: displacement and angle stay as they start, {:.4g} m off the pitch", s.element(),
                      thread.offset));
    c_.builder.addCoupling(std::move(thread));
  }
  /// Values and rates of the start.
  void readStart(const AdmStatement& s, const AdmJoint& made) {
    const auto take = [&](const char* argument, int coordinate, double value, double unit) {
      const std::vector<double> given = c_.numbers(s, argument, 1, 2);
      if (given.empty()) return;
      if (coordinate < 0)
        return c_.fail(s, fmt::format("{}: its kind has no such coordinate (leave it out)", argument));
      AdmStart start{made.joint, coordinate, given[0] * unit, 0.0};
      if (given.size() > 1) start.rate = given[1] * unit / c_.units.time;
      // An angle is given within a turn of where the markers are.
      if (unit == 1.0) start.value = value + std::remainder(start.value - value, 2.0 * std::numbers::pi);
      c_.starts.push_back(start);
    };
    take("ICTRAN", made.translation, made.displacement, c_.units.length);
    take("ICROT", made.rotation, made.angle, 1.0);
    if (!s.has("IC")) return;
    if (made.translation >= 0 && made.rotation >= 0)
      return c_.fail(s, "IC: of a cylindrical joint ICTRAN or ICROT is meant (write that)");
    const bool slides = made.translation >= 0;
    take("IC", slides ? made.translation : made.rotation, slides ? made.displacement : made.angle,
         slides ? c_.units.length : 1.0);
  }

  AdmContext& c_;
  const AdmMarker *i_ = nullptr, *j_ = nullptr;
  std::optional<double> length_;
  JointShape shape_;
  BodyId anchor_{};
};

}  // namespace

void readAdmJoints(AdmContext& c, const AdmStatements& all) {
  JointMaker maker(c);
  for (const AdmStatement& s : all) {
    if (s.keyword == "JOINT") maker.joint(s);
    if (s.keyword == "JPRIM") maker.primitive(s);
    if (s.keyword == "GCON") maker.constraint(s);
  }
}

}  // namespace grashof::convert
