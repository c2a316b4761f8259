#include "tests/fuzz/random_mechanism.h"

#include <algorithm>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "engine/analysis/assembly.h"
#include "engine/model/model_builder.h"
#include "engine/model/shapes.h"
#include "joints/joint_type.h"
#include "tests/fuzz/dice.h"

namespace grashof::fuzz {
namespace {

constexpr double kSpacing = 0.4;  // m, of bodies that stand apart

/// Fills a builder. Joint frames are given once in the world, so that loops close wherever the bodies are.
class Generator {
 public:
  Generator(std::uint64_t seed, std::int64_t startStep, bool rough)
      : dice_(seed),
        roughDice_(seed + 0x5eed),
        rough_(rough),
        startStep_(startStep),
        builder_(fmt::format("fuzz-{}", seed)) {}

  Mechanism make() {
    Mechanism made;
    made.kind = kind_ = dice_.pick<const char*>(
        {"tree", "tree", "net", "ring", "planar", "planar", "singular", "pile", "free"});
    chooseOptions();
    addBodies();
    addJoints();
    if (dice_.chance(0.3)) addCouplings();
    if (dice_.chance(0.4)) addElements();
    if (kind_ == "pile" || dice_.chance(0.35)) addContacts();
    if (rough_ && size() > 1 && roughDice_.chance(0.15)) addKnifeEdge();
    if (dice_.chance(0.15) && !driven_) disturbAndAssemble();
    made.isolated = isolated_;
    try {
      made.model = builder_.build();
    } catch (const InputError& error) {
      made.refusal = error.what();
    }
    return made;
  }

 private:
  struct Placed {
    BodyId id;
    Pose pose;
  };
  struct Joined {
    JointId id;
    std::string type;
  };

  void chooseOptions() {
    StepOptions& o = builder_.options();
    o.timestep = dice_.pick({1e-4, 5e-4, 1e-3, 1e-3, 2e-3, 5e-3});
    o.integrator = dice_.chance(0.5) ? Integrator::Moreau : Integrator::Euler;
    o.projection = !dice_.chance(0.1);
    o.geometricStiffness = dice_.chance(0.15);
    if (!o.projection) builder_.stabilization().alpha = dice_.real(0.0, 0.5);
    builder_.solver().warmStart = !dice_.chance(0.1);
    if (dice_.chance(0.3))
      builder_.solver().name = dice_.pick<const char*>(
          {"NEWTON-NCP", "ADMM", "IPM-NCP", "PGS-NCP", "NBGS", "RAISIM-DS", "PROX", "CCP-NEWTON"});
    weightless_ = dice_.chance(0.4);
    builder_.gravity() = weightless_ ? Vec3(Vec3::Zero()) : Vec3(0.0, 0.0, -9.81);
    if (!weightless_) isolated_ = false;
  }

  int numBodies() {
    if (dice_.chance(0.03)) return 30 + dice_.below(50);
    return kind_ == "ring" || kind_ == "planar" || kind_ == "singular" ? 2 + dice_.below(7)
                                                                       : 1 + dice_.below(10);
  }

  Pose poseOf(int i, int n) {
    const double angle = 2.0 * std::numbers::pi * i / n;
    const double radius = 0.3 + 0.06 * n;
    if (kind_ == "planar") return {radius * Vec3(std::cos(angle), 0.0, std::sin(angle)), Quat::Identity()};
    if (kind_ == "ring")
      return {Vec3(radius * std::cos(angle), dice_.real(-0.2, 0.2), radius * std::sin(angle)),
              dice_.rotation()};
    if (kind_ == "singular") return {Vec3(0.5 * i, 0.0, 0.0), Quat::Identity()};
    if (kind_ == "pile" || kind_ == "free")
      return {kSpacing * Vec3(i % 3, (i / 3) % 2, i / 6) + dice_.vector(0.02), dice_.rotation()};
    return {dice_.vector(0.3 * std::cbrt(n)), dice_.rotation()};
  }

  /// Bodies as boxes by their inertia; masses spread over up to eight decades.
  void addBodies() {
    const int n = numBodies();
    const double spread = dice_.chance(0.3) ? dice_.real(0.0, 8.0) : dice_.real(0.0, 1.5);
    const double speed = dice_.chance(0.3) ? 0.0 : dice_.decades(-2.0, 0.7);
    for (int i = 0; i < n; ++i) {
      BodyDef body;
      body.name = fmt::format("b{}", i);
      body.pose = poseOf(i, n);
      body.velocity = dice_.vector(speed);
      body.angularVelocity = dice_.vector(3.0 * speed);
      InertialDef inertial;
      inertial.mass = dice_.decades(-0.5 * spread, 0.5 * spread);
      Vec3 edges = Vec3::Constant(0.175) + dice_.vector(0.125);
      if (dice_.chance(0.1)) edges.z() = 1e-3;
      const Vec3 s = edges.cwiseProduct(edges);
      inertial.inertia =
          Mat3(Vec3(inertial.mass / 12.0 * Vec3(s.y() + s.z(), s.x() + s.z(), s.x() + s.y())).asDiagonal());
      if (dice_.chance(0.3)) inertial.center = dice_.vector(0.05);
      inertial.rotation = dice_.rotation();
      body.inertial = inertial;
      bodies_.push_back({builder_.addBody(body), body.pose});
    }
  }

  Vec3 pointOf(int body) const { return bodies_[static_cast<std::size_t>(body)].pose.position; }
  BodyId idOf(int body) {
    if (body < 0) isolated_ = false;
    return body < 0 ? kWorldBody : bodies_[static_cast<std::size_t>(body)].id;
  }
  int size() const { return static_cast<int>(bodies_.size()); }

  std::string jointType() {
    if (kind_ == "planar" && !dice_.chance(0.15)) return dice_.chance(0.85) ? "revolute" : "prismatic";
    if (dice_.chance(0.4)) return "revolute";
    return dice_.pick<const char*>({"fixed", "prismatic", "cylindrical", "universal", "gimbal", "spherical",
                                    "spherical", "planar", "cartesian", "point-on-line", "point-on-plane",
                                    "distance", "free"});
  }

  Vec3 axisOf(const std::string& type) {
    if (kind_ == "singular") return Vec3::UnitY();
    if (kind_ != "planar") return dice_.direction();
    if (type != "prismatic") return Vec3::UnitY();
    const double angle = dice_.real(0.0, 3.0);
    return {std::cos(angle), 0.0, std::sin(angle)};
  }

  /// A joint between two bodies (-1: the world) at a point near them.
  void join(int base, int follower, const Vec3& point) {
    JointDef joint;
    joint.name = fmt::format("j{}", joints_.size());
    joint.type = jointType();
    joint.base = idOf(base);
    joint.follower = idOf(follower);
    if (joint.type == "distance") {
      joint.baseFrame = FrameDef{.position = base < 0 ? Vec3(point + dice_.vector(0.3)) : dice_.vector(0.1)};
      joint.followerFrame = FrameDef{.position = dice_.vector(0.1)};
    } else {
      joint.frame = FrameDef{.position = point, .axis = axisOf(joint.type)};
    }
    if (dice_.chance(0.12)) joint.softness = softness();
    if (rough_ && (joint.type == "planar" || joint.type == "cartesian" || joint.type == "free"))
      joint.clearance = {.radial = roughDice_.decades(-4.0, -2.0),
                         .journalRadius = roughDice_.real(0.0, 0.02),
                         .friction = roughDice_.real(0.0, 0.5),
                         .restitution = roughDice_.real(0.0, 0.9)};
    add(joint);
    // The same joint twice: all of its rows are redundant.
    if (!dice_.chance(0.06)) return;
    joint.name = fmt::format("j{}", joints_.size());
    add(joint);
  }

  void add(const JointDef& joint) {
    const JointId id = builder_.addJoint(joint);
    joints_.push_back({id, joint.type});
    for (int c = 0; c < builder_.numDofs(id); ++c) addAlong(id, c);
  }

  Softness softness() {
    Softness s;
    s.kind = dice_.chance(0.5) ? Softness::Kind::Compliant : Softness::Kind::Impedance;
    s.compliance = dice_.decades(-8.0, -3.0);
    s.timeConstant = dice_.decades(-2.5, -1.0);
    s.dampingRatio = dice_.real(0.3, 1.5);
    return s;
  }

  /// What acts along a coordinate.
  void addAlong(JointId id, int c) {
    if (dice_.chance(0.2)) {
      Limit limit;
      if (dice_.chance(0.8)) limit.lower = -dice_.real(0.0, 0.5);
      if (dice_.chance(0.8)) limit.upper = dice_.real(0.0, 0.5);
      if (dice_.chance(0.1)) {
        // It starts beyond its limit, and is displaced: that keeps no angular momentum.
        limit.lower = 0.02, limit.upper = 0.5;
        isolated_ = false;
      }
      if (dice_.chance(0.3)) limit.softness = softness();
      builder_.addLimit(id, limit, c);
    }
    if (dice_.chance(0.3)) {
      PassiveDynamics p;
      if (dice_.chance(0.5)) p.stiffness = dice_.decades(-1.0, 5.0);
      if (dice_.chance(0.3)) p.rest = dice_.real(-0.3, 0.3);
      if (dice_.chance(0.5)) p.damping = dice_.decades(-3.0, 3.0);
      if (dice_.chance(0.3)) p.armature = dice_.decades(-4.0, 1.0);
      if (dice_.chance(0.3)) p.dryFriction = dice_.decades(-3.0, 2.0);
      builder_.addDynamics(id, p, c);
    }
    if (dice_.chance(0.15)) addActuator(id, c);
    if (rough_ && roughDice_.chance(0.3)) addBearing(id, c);
  }

  /// Friction by the load of a joint that carries one across the coordinate.
  void addBearing(JointId id, int c) {
    const JointType& type = *findJointType(joints_.back().type);
    const bool angle = isRotation(type.freeDirections()[static_cast<std::size_t>(c)]);
    if (type.numConstraints() == 0 || type.name() == "distance" || (angle && !type.isAngle(c))) return;
    PassiveDynamics& p = builder_.coordinate(id, c).passive;
    p.bearing.coefficient = roughDice_.decades(-2.0, 0.0);
    if (angle) p.bearing.radius = roughDice_.real(0.002, 0.03);
    if (angle && roughDice_.chance(0.3)) p.bearing.thrustRadius = roughDice_.real(0.002, 0.03);
    if (roughDice_.chance(0.5)) p.bearing.length = roughDice_.real(0.03, 0.3);
    if (roughDice_.chance(0.3)) p.staticRatio = roughDice_.real(1.0, 3.0);
  }

  void addKnifeEdge() {
    VelocityConstraintDef edge;
    edge.name = "edge";
    const int follower = roughDice_.below(size());
    edge.base = idOf(roughDice_.chance(0.4) ? -1 : (follower + 1) % size());
    edge.follower = idOf(follower);
    edge.point = roughDice_.vector(0.1);
    edge.axis = roughDice_.direction();
    builder_.addVelocityConstraint(edge);
  }

  void addActuator(JointId id, int c) {
    Actuator a;
    a.kind = dice_.pick(
        {Actuator::Kind::Effort, Actuator::Kind::Position, Actuator::Kind::Velocity, Actuator::Kind::Motion});
    a.proportionalGain = dice_.decades(-1.0, 5.0);
    a.derivativeGain = dice_.decades(-2.0, 3.0);
    if (dice_.chance(0.4)) a.effortLimit = dice_.decades(-2.0, 2.0);
    // The rotation vector of a distance joint starts anywhere, and ends at half a turn.
    if (a.kind == Actuator::Kind::Motion && joints_.back().type == "distance")
      a.kind = Actuator::Kind::Effort;
    if (a.kind == Actuator::Kind::Motion) driven_ = true;
    builder_.addActuator(id, a, signal(a.kind == Actuator::Kind::Motion ? 0.3 : 2.0), c);
  }

  /// A sine that is zero at the start of the runs, or a constant zero.
  SignalId signal(double amplitude) {
    Signal s;
    s.name = fmt::format("s{}", builder_.numSignals());
    s.kind = dice_.chance(0.8) ? Signal::Kind::Sine : Signal::Kind::Constant;
    s.amplitude = dice_.real(0.0, amplitude);
    s.frequency_Hz = dice_.real(0.1, 3.0);
    const double start = static_cast<double>(startStep_) * builder_.options().timestep;
    s.phase_rad = -2.0 * std::numbers::pi * s.frequency_Hz * start;
    return builder_.addSignal(s);
  }

  void addJoints() {
    const int n = size();
    if (kind_ == "free") return;
    if (kind_ == "pile") {  // some boxes of the pile hang together
      for (int i = 1; i < n; ++i)
        if (dice_.chance(0.15)) join(i - 1, i, 0.5 * (pointOf(i - 1) + pointOf(i)));
      return;
    }
    const bool grounded = dice_.chance(0.7);
    if (kind_ == "ring" || kind_ == "planar" || kind_ == "singular") return addRing(grounded);
    if (grounded) join(-1, 0, pointOf(0) + dice_.vector(0.2));
    for (int i = 1; i < n; ++i) {
      const int parent = grounded && dice_.chance(0.1) ? -1 : dice_.below(i);
      join(parent, i,
           (parent < 0 ? pointOf(i) : Vec3(0.5 * (pointOf(i) + pointOf(parent)))) + dice_.vector(0.1));
    }
    if (kind_ != "net") return;
    for (int k = 1 + dice_.below(3); k > 0 && n > 1; --k) {
      const int a = dice_.below(n), b = dice_.below(n);
      if (a != b) join(a, b, 0.5 * (pointOf(a) + pointOf(b)));
    }
  }

  /// All bodies in a ring, closed by the world or by the first body; sometimes a second loop across it.
  void addRing(bool grounded) {
    const int n = size();
    for (int i = 1; i < n; ++i) join(i - 1, i, 0.5 * (pointOf(i - 1) + pointOf(i)));
    const Vec3 middle = 0.5 * (pointOf(0) + pointOf(n - 1));
    if (grounded) {
      const Vec3 aside = kind_ == "singular" ? Vec3(0.3, 0.0, 0.0) : Vec3(0.1, 0.0, 0.1);
      join(-1, 0, pointOf(0) - aside);
      join(-1, n - 1, pointOf(n - 1) + aside);
    } else if (n > 2) {
      join(0, n - 1, middle);
    }
    if (n > 3 && dice_.chance(0.3)) join(0, n / 2, 0.5 * (pointOf(0) + pointOf(n / 2)));
  }

  void addCouplings() {
    std::vector<JointId> hinges, slides;
    for (const Joined& j : joints_) {
      if (j.type == "revolute") hinges.push_back(j.id);
      if (j.type == "prismatic") slides.push_back(j.id);
    }
    for (const Joined& j : joints_)
      if (j.type == "cylindrical" && dice_.chance(0.5))
        couple(CouplingKind::Screw, j.id, j.id, dice_.real(0.002, 0.05), 1);
    if (hinges.size() > 1) couple(CouplingKind::Gear, hinges[0], hinges[1], dice_.real(-3.0, 3.0), 0);
    if (!hinges.empty() && !slides.empty())
      couple(CouplingKind::RackAndPinion, slides[0], hinges.back(), dice_.real(0.02, 0.2), 0);
  }

  void couple(CouplingKind kind, JointId a, JointId b, double ratio, int coordinateB) {
    CouplingDef c;
    c.name = fmt::format("c{}", couplings_++);
    c.kind = kind;
    c.jointA = a;
    c.jointB = b;
    c.coordinateB = coordinateB;
    c.ratio = ratio;
    if (rough_ && kind == CouplingKind::Screw)
      c.frictionCoefficient = roughDice_.real(0.0, 0.3), c.threadRadius = roughDice_.real(0.003, 0.02);
    else if (rough_)
      c.efficiency = roughDice_.real(0.3, 1.0);
    builder_.addCoupling(c);
  }

  void addElements() {
    for (int k = 1 + dice_.below(3); k > 0; --k) {
      const int follower = dice_.below(size());
      const int base = size() > 1 && dice_.chance(0.6) ? (follower + 1) % size() : -1;
      if (dice_.chance(0.25))
        addBushing(base, follower);
      else
        addForce(base, follower);
    }
    if (!dice_.chance(0.2)) return;
    WrenchDef wrench;
    wrench.name = "push";
    wrench.body = idOf(dice_.below(size()));
    wrench.force = dice_.vector(5.0);
    wrench.torque = dice_.vector(0.5);
    wrench.point = dice_.vector(0.1);
    wrench.local = dice_.chance(0.5);
    builder_.addWrench(wrench);
    isolated_ = false;
  }

  void addForce(int base, int follower) {
    ForceDef f;
    f.name = fmt::format("f{}", elements_++);
    f.body1 = idOf(base);
    f.body2 = idOf(follower);
    f.point1 = base < 0 ? Vec3(pointOf(follower) + dice_.vector(1.0)) : dice_.vector(0.1);
    f.point2 = dice_.vector(0.1);
    const Vec3 from = base < 0 ? f.point1 : bodies_[static_cast<std::size_t>(base)].pose * f.point1;
    const double length = (bodies_[static_cast<std::size_t>(follower)].pose * f.point2 - from).norm();
    const int what = dice_.below(4);
    if (what <= 1) {
      f.stiffness = dice_.decades(0.0, 5.0);
      if (dice_.chance(0.6)) f.damping = dice_.decades(-2.0, 2.0);
      if (dice_.chance(0.5)) f.length = length * dice_.real(0.5, 1.5);
      if (what == 1) f.side = dice_.chance(0.5) ? ForceSide::Tension : ForceSide::Compression;
    } else if (what == 2) {
      f.gas = GasSpringDef{1.2 * length, 50.0, 0.5 * length, dice_.real(60.0, 200.0), dice_.real(1.0, 1.4)};
    } else {
      f.overLength = ForceTableDef{{0.5 * length, length, 2.0 * length}, {20.0, 0.0, -30.0}, {}};
      f.overSpeed = ForceTableDef{{-1.0, 0.0, 1.0}, {4.0, 0.0, -5.0}, {}};
    }
    builder_.addForce(f);
  }

  void addBushing(int base, int follower) {
    BushingDef b;
    b.name = fmt::format("f{}", elements_++);
    b.base = idOf(base);
    b.follower = idOf(follower);
    b.frame = FrameDef{.position = pointOf(follower) + dice_.vector(0.2), .axis = dice_.direction()};
    for (int i = 0; i < 6; ++i) {
      b.stiffness(i, i) = dice_.decades(0.0, 5.0);
      b.damping(i, i) = dice_.decades(-2.0, 2.0);
    }
    builder_.addBushing(b);
  }

  Shape shape() {
    const double a = dice_.real(0.02, 0.12), b = dice_.real(0.02, 0.12), c = dice_.real(0.02, 0.12);
    const Pose pose{dice_.vector(0.03), dice_.rotation()};
    switch (dice_.below(7)) {
      case 0:
        return sphereShape(a, pose);
      case 1:
        return capsuleShape(0.5 * a, b, pose);
      case 2:
        return cylinderShape(a, b, pose);
      case 3:
        return coneShape(a, b, pose);
      case 4:
        return ellipsoidShape({a, b, c}, pose);
      case 5:
        return hullShape({{a, 0, 0}, {-a, 0, 0}, {0, b, 0}, {0, -b, 0}, {0, 0, c}, {0, 0, -c}}, pose);
      default:
        return boxShape({2.0 * a, 2.0 * b, 2.0 * c}, pose);
    }
  }

  void addContacts() {
    Material material{"default", 1000.0, {dice_.real(0.0, 1.2), 0.0, {}}};
    if (dice_.chance(0.4)) material.surface.restitution = dice_.real(0.0, 1.0);
    if (dice_.chance(0.15)) material.surface.softness = softness();
    if (rough_) roughen(material.surface);
    builder_.addMaterial(material);
    double lowest = 0.0;
    for (const Placed& body : bodies_) lowest = std::min(lowest, body.pose.position.z());
    if (dice_.chance(kind_ == "free" ? 0.3 : 0.8)) {
      const Quat tilt = dice_.chance(0.3) ? expRotation(dice_.vector(0.3)) : Quat::Identity();
      builder_.addShape(kWorldBody, planeShape({Vec3(0.0, 0.0, lowest - 0.25), tilt}));
      isolated_ = false;
    }
    for (const Placed& body : bodies_)
      if (dice_.chance(0.85)) {
        Shape own = shape();
        if (rough_ && roughDice_.chance(0.5)) own.frictionDirection = roughDice_.direction();
        builder_.addShape(body.id, own);
      }
  }

  void roughen(SurfacePair& surface) {
    if (roughDice_.chance(0.5)) surface.rollingFriction = roughDice_.decades(-5.0, -2.0);
    if (roughDice_.chance(0.5)) surface.torsionalFriction = roughDice_.decades(-5.0, -2.0);
    if (roughDice_.chance(0.4)) surface.frictionAcross = roughDice_.real(0.0, 1.0);
    if (roughDice_.chance(0.3)) surface.staticRatio = roughDice_.real(1.0, 2.0);
  }

  /// Bodies a little off their joints, to be assembled.
  void disturbAndAssemble() {
    std::vector<Pose> poses;
    try {
      const std::shared_ptr<const Model> model = builder_.build();
      for (const Body& body : model->bodies) poses.push_back(body.initialPose);
    } catch (const InputError&) {
      return;  // that is reported when it is built at last
    }
    for (Pose& pose : poses) {
      pose.position += dice_.vector(0.02);
      pose.rotation = (pose.rotation * expRotation(dice_.vector(0.05))).normalized();
    }
    builder_.setInitialPoses(poses);
    builder_.assemble();
  }

  Dice dice_, roughDice_;  // the second one leaves the draws of the first as they are
  bool rough_;
  std::int64_t startStep_;
  ModelBuilder builder_;
  std::string kind_;
  std::vector<Placed> bodies_;
  std::vector<Joined> joints_;
  int couplings_ = 0, elements_ = 0;
  bool weightless_ = false, isolated_ = true, driven_ = false;
};

}  // namespace

Mechanism randomMechanism(std::uint64_t seed, std::int64_t startStep, bool rough) {
  return Generator(seed, startStep, rough).make();
}

State startOf(const Model& model, std::int64_t startStep) {
  State state = startState(model);
  state.step = startStep;
  state.time = static_cast<double>(startStep) * model.step.timestep;
  return state;
}

}  // namespace grashof::fuzz
