#include "tools/convert/mjcf_writer.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/analysis/assembly.h"
#include "engine/base/error.h"
#include "engine/base/listed.h"
#include "engine/dynamics/simulator.h"
#include "engine/model/mechanism_size.h"
#include "engine/model/model_builder.h"
#include "joints/types/types.h"
#include "tools/convert/impedance.h"
#include "tools/convert/soft_coupling.h"
#include "tools/convert/tidy.h"

namespace grashof::convert {
namespace {

constexpr double kGhost = 1e-4;         // mass of an auxiliary body, of the body it is welded to
constexpr double kNearlyStill = 1e-12;  // of rates: what projection leaves, m/s, rad/s

/// A scenario that starts where its run does: assembled, with velocities that the joints allow.
Scenario atStart(const Scenario& scenario) {
  const Model& model = *scenario.model;
  const bool moves = std::any_of(model.bodies.begin(), model.bodies.end(),
                                 [](const Body& b) { return !b.initialTwist.isZero(0.0); });
  if (!model.assembly && !moves) return scenario;
  Scenario started = scenario;
  try {
    const State state = Simulator(scenario.model, startState(model)).state();
    ModelBuilder builder(model);
    if (model.assembly) builder.setInitialPoses(state.poses);
    builder.setInitialTwists(state.twists);
    started.model = builder.build();
  } catch (const AssemblyError&) {
    // It is written as it is described.
  }
  return started;
}

/// Soft joints that equalities are, unless something acts along their coordinates.
std::vector<bool> softBesideTree(const Model& model, const std::vector<bool>& turns) {
  std::vector<bool> beside(turns);
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    const bool plain =
        std::none_of(joint.coordinates.begin(), joint.coordinates.end(), [](const JointCoordinate& c) {
          return c.limit.bounded() || c.passive.smooth() || c.passive.dryFriction > 0.0 ||
                 c.actuator.kind != Actuator::Kind::None;
        });
    if (joint.softness.kind == Softness::Kind::Impedance && plain &&
        (joint.type == &sphericalJoint() || joint.type == &fixedJoint()))
      beside[j] = true;
  }
  return beside;
}

}  // namespace

MjcfWriter::MjcfWriter(const Scenario& scenario, const std::string& path, SoftPlan plan, Report& report)
    : scenario_(scenario),
      model_(*scenario.model),
      path_(path),
      plan_(std::move(plan)),
      report_(report),
      size_(mechanismSize(model_)) {
  findWelds();
  tree_ = spanningTree(model_, softBesideTree(model_, turns_));
  children_.resize(model_.bodies.size() + 1);
  for (const int body : tree_.order) {
    const int slot = tree_.parent(model_, body) + 1;
    children_[static_cast<std::size_t>(slot)].push_back(body);
  }
  nameItems();
  start_ = model_.initialState();
  geometry_.resize(model_.joints.size());
  evaluateJoints(model_, start_.poses, start_.coordinates, geometry_);
  copyCoordinates(model_, geometry_, start_.coordinates);
  planTendons();
  planWrenches();
}

void MjcfWriter::write() {
  out_.open("mujoco").attribute("model", scenario_.name);
  out_.open("compiler").attribute("angle", "radian").attribute("autolimits", true).close();
  writeOption();
  writeMeshes();
  out_.open("worldbody");
  writeShapes(kWorld);
  writeSites(kWorld);
  for (const int body : children_[0]) writeBody(body);
  ghostsOf(kWorld);
  out_.close();
  writeTendons();
  writeEqualities();
  writeActuators();
  writeContacts();
  writeKeyframe();
  out_.close();
  reportRest();
  out_.save(path_);
}

std::string MjcfWriter::unique(const char* kind, const std::string& wanted) {
  std::set<std::string>& used = used_[kind];
  std::string name = wanted;
  for (int n = 2; !used.insert(name).second; ++n) name = fmt::format("{}_{}", wanted, n);
  return name;
}

void MjcfWriter::leaveOut(const std::string& what, const std::vector<std::string>& names, const char* why) {
  if (names.empty()) return;
  report_.leftOut.push_back(fmt::format("{} {}{}", what, listed(names), why));
}

/// Names of one kind differ; those of the scenario stay, others make room. Links that exclusions tell apart
/// from the rest of their body are bodies without joint in it.
void MjcfWriter::nameItems() {
  used_["body"].insert("world");
  for (const Body& body : model_.bodies) used_["body"].insert(body.name);
  for (const ExcludedPair& pair : model_.exclusions)
    for (const ShapeSet& set : {pair.a, pair.b})
      if (!set.link.empty() && !linkBodies_.contains(set))
        linkBodies_.emplace(set, unique("body", set.link == "world" ? "world_shapes" : set.link));
  // Those of one coordinate are called as their joint.
  for (const Joint& joint : model_.joints)
    if (joint.type->numDofs() == 1) used_["joint"].insert(joint.name);
  for (const Joint& joint : model_.joints) {
    std::vector<std::string> names;
    names.reserve(static_cast<std::size_t>(joint.type->numDofs()));
    for (int c = 0; c < joint.type->numDofs(); ++c)
      names.push_back(joint.type->numDofs() == 1 ? joint.name
                                                 : unique("joint", fmt::format("{}_{}", joint.name, c)));
    coordinateNames_.push_back(std::move(names));
    ghostNames_.emplace_back();
  }
  for (std::size_t j = 0; j < model_.joints.size(); ++j)
    if (loop(j) && !turns_[j] && !closable(model_.joints[j]) && model_.joints[j].type != &distanceJoint())
      ghostNames_[j] = unique("body", model_.joints[j].name + "_ghost");
  for (const Shape& shape : model_.shapes) shapeNames_.push_back(unique("geom", shape.name));
}

void MjcfWriter::writeOption() {
  const StepOptions& step = model_.step;
  out_.open("option")
      .attribute("timestep", tidy(step.timestep))
      .attribute("gravity", tidy(model_.gravity, 1e-3));
  if (step.integrator != Integrator::Euler) {
    out_.attribute("integrator", "RK4");
    report_.approximated.push_back(
        fmt::format("integrator {} by RK4", kIntegratorNames[static_cast<std::size_t>(step.integrator)]));
  }
  if (plan_.elliptic) out_.attribute("cone", "elliptic");
  if (plan_.impedanceRatio != 1.0) out_.attribute("impratio", tidy(plan_.impedanceRatio));
  if (parentsTouch()) out_.open("flag").attribute("filterparent", "disable").close();
  out_.close();
}

void MjcfWriter::place(const Pose& pose) {
  const Vec3 position = tidy(pose.position, size_);
  const Quat rotation = tidy(pose.rotation);
  if (!position.isZero(0.0)) out_.attribute("pos", position);
  if (!rotation.vec().isZero(0.0)) out_.attribute("quat", rotation);
}

void MjcfWriter::writeBody(int body) {
  const Body& b = model_.bodies[static_cast<std::size_t>(body)];
  const int parent = tree_.parent(model_, body);
  const Pose own = userFrameOf(model_, body);
  out_.open("body").attribute("name", b.name);
  place(userFrameOf(model_, parent).inverse() * own);
  const int joint = tree_.parentJoint[static_cast<std::size_t>(body)];
  if (joint < 0)
    writeFreeRates(body, own);
  else
    writeJoint(static_cast<std::size_t>(joint), own,
               model_.joints[static_cast<std::size_t>(joint)].follower != body);
  writeInertial(b.mass, b.userFrame.inverse().position, b.inertia);
  writeShapes(body);
  writeSites(body);
  for (const int child : children_[static_cast<std::size_t>(body) + 1]) writeBody(child);
  ghostsOf(body);
  out_.close();
}

void MjcfWriter::writeInertial(double mass, const Vec3& center, const Mat3& i) {
  out_.open("inertial").attribute("pos", tidy(center, size_)).attribute("mass", tidy(mass));
  out_.attribute("fullinertia",
                 tidyNumbers({i(0, 0), i(1, 1), i(2, 2), i(0, 1), i(0, 2), i(1, 2)}, i.cwiseAbs().maxCoeff()))
      .close();
}

void MjcfWriter::writeFreeRates(int body, const Pose& frame) {
  const std::string& name = model_.bodies[static_cast<std::size_t>(body)].name;
  out_.open("freejoint").attribute("name", unique("joint", name + "_free")).close();
  const auto b = static_cast<std::size_t>(body);
  const Vec3 spin = start_.twists[b].tail<3>();
  const Vec3 velocity = start_.twists[b].head<3>() + spin.cross(frame.position - start_.poses[b].position);
  const Vec3 own = frame.rotation.conjugate() * spin;
  for (const Vec3& v : {velocity, own})
    for (int i = 0; i < 3; ++i) rates_.push_back(v[i]);
}

void MjcfWriter::writeJoint(std::size_t index, const Pose& body, bool against) {
  const Joint& joint = model_.joints[index];
  Pose frame = userFrameOf(model_, joint.base) * frameInUser(model_, joint.base, joint.baseFrame);
  struct Placed {
    SimpleJoint simple;
    Vec3 axis, point;
  };
  std::vector<Placed> steps;
  for (const SimpleJoint& s : simpleJoints(*joint.type)) {
    steps.push_back({s, frame.rotation * s.axis, frame.position});
    const double q = initial(index, s.coordinate);
    if (s.kind == SimpleJoint::Kind::Slide) frame.position += q * (frame.rotation * s.axis);
    if (s.kind == SimpleJoint::Kind::Turn) frame.rotation = frame.rotation * expRotation(q * s.axis);
  }
  if (against) {
    std::reverse(steps.begin(), steps.end());
    for (Placed& s : steps) s.axis = -s.axis;
  }
  const Pose inverse = body.inverse();
  for (const Placed& s : steps) {
    const auto c = static_cast<std::size_t>(s.simple.coordinate);
    out_.open("joint").attribute("name", coordinateName(index, s.simple.coordinate));
    const bool ball = s.simple.kind == SimpleJoint::Kind::Ball;
    out_.attribute("type", ball ? "ball" : s.simple.kind == SimpleJoint::Kind::Turn ? "hinge" : "slide");
    out_.attribute("pos", tidy(Vec3(inverse * s.point), size_));
    if (ball) {
      const auto twist = [&](int b) -> Vec3 {
        return b < 0 ? Vec3(Vec3::Zero()) : Vec3(start_.twists[static_cast<std::size_t>(b)].tail<3>());
      };
      const Vec3 relative = (against ? -1.0 : 1.0) * (twist(joint.follower) - twist(joint.base));
      const Vec3 own = inverse.rotation * relative;
      for (int i = 0; i < 3; ++i) rates_.push_back(own[i]);
    } else {
      rates_.push_back(coordinateRate(joint, geometry_[index].coordinateRow[c], start_.twists));
    }
    writeCoordinate(index, s.simple, inverse.rotation * s.axis);
    out_.close();
  }
  if (joint.softness.soft())
    report_.approximated.push_back(fmt::format("soft joint {} is rigid", joint.name));
}

/// What acts along a simple joint; of a ball along all its axes.
void MjcfWriter::writeCoordinate(std::size_t index, const SimpleJoint& simple, const Vec3& axis) {
  const Joint& joint = model_.joints[index];
  const auto first = static_cast<std::size_t>(simple.coordinate);
  const JointCoordinate& c = joint.coordinates[first];
  if (simple.kind == SimpleJoint::Kind::Ball) {
    const auto other = [&](const JointCoordinate& o) {
      return o.limit.bounded() || o.passive.stiffness > 0.0 || o.passive.damping != c.passive.damping ||
             o.passive.inertia() != c.passive.inertia() || o.passive.dryFriction != c.passive.dryFriction;
    };
    if (std::any_of(joint.coordinates.begin() + static_cast<std::ptrdiff_t>(first), joint.coordinates.end(),
                    other))
      report_.leftOut.push_back(
          fmt::format("limits and springs of ball joint {}, and what differs between its axes", joint.name));
  } else {
    const double start =
        tidy(initial(index, simple.coordinate), simple.kind == SimpleJoint::Kind::Turn ? 1.0 : size_);
    out_.attribute("axis", tidy(axis, 1.0));
    if (start != 0.0) out_.attribute("ref", start);
    if (c.limit.bounded()) {
      out_.attribute("range", tidyNumbers({std::max(c.limit.lower, -1e3), std::min(c.limit.upper, 1e3)}));
      softRow(true, coordinateName(index, simple.coordinate), c.limit.softness,
              mobilityOf(joint, geometry_[index].coordinateRow[first]));
    }
    if (c.passive.stiffness > 0.0)
      out_.attribute("stiffness", tidy(c.passive.stiffness)).attribute("springref", tidy(c.passive.rest));
  }
  if (c.passive.damping > 0.0) out_.attribute("damping", tidy(c.passive.damping));
  if (c.passive.inertia() > 0.0) out_.attribute("armature", tidy(c.passive.inertia()));
  if (c.passive.dryFriction > 0.0) {
    out_.attribute("frictionloss", tidy(c.passive.dryFriction));
    Report::once(report_.approximated, "dry friction of joints is soft in MuJoCo");
  }
}

bool MjcfWriter::closable(const Joint& joint) {
  return joint.type == &fixedJoint() || joint.type == &sphericalJoint() || joint.type == &revoluteJoint();
}

bool MjcfWriter::loop(std::size_t j) const {
  return !tree_.inTree[j] && model_.joints[j].type != &freeJoint();
}

bool MjcfWriter::written(int joint, int coordinate) const {
  const auto j = static_cast<std::size_t>(joint);
  const Joint& own = model_.joints[j];
  return (tree_.inTree[j] || (loop(j) && !turns_[j] && !closable(own) && own.type != &distanceJoint())) &&
         simpleCoordinate(*own.type, coordinate);
}

void MjcfWriter::ghostsOf(int base) {
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Joint& joint = model_.joints[j];
    if (ghostNames_[j].empty() || joint.base != base) continue;
    const Body& follower = model_.bodies[static_cast<std::size_t>(joint.follower)];
    const Pose own = userFrameOf(model_, joint.follower);
    out_.open("body").attribute("name", ghostNames_[j]);
    place(userFrameOf(model_, base).inverse() * own);
    writeJoint(j, own, false);
    writeInertial(kGhost * follower.mass, follower.userFrame.inverse().position, kGhost * follower.inertia);
    out_.close();
    report_.approximated.push_back(
        fmt::format("{} joint {} closes a loop: a light body carries it, welded to {}", joint.type->name(),
                    joint.name, follower.name));
  }
}

void MjcfWriter::softness(const Softness& given, const char* reference, const char* impedance,
                          const char* what) {
  const bool known = given.kind == Softness::Kind::Impedance;
  const Softness s = known ? given : asHardAsMayBe(model_.step.timestep);
  out_.attribute(reference, tidyNumbers({s.timeConstant, s.dampingRatio}));
  out_.attribute(impedance, tidyNumbers({s.impedance0, s.impedanceWidth, s.width, s.midpoint, s.power}));
  if (known) return;
  Report::once(report_.approximated, fmt::format("{} that are {} are impedances, as hard as may be", what,
                                                 given.soft() ? "soft otherwise" : "rigid"));
}

double MjcfWriter::mobilityOf(const Joint& joint, const JointRow& row) const {
  const auto of = [&](int body, const Vec6& v) {
    if (body < 0) return 0.0;
    const Body& b = model_.bodies[static_cast<std::size_t>(body)];
    const Vec3 turn = start_.poses[static_cast<std::size_t>(body)].rotation.conjugate() * Vec3(v.tail<3>());
    return v.head<3>().squaredNorm() / b.mass + turn.dot(b.inertia.ldlt().solve(turn));
  };
  return of(joint.base, row.base) + of(joint.follower, row.follower);
}

double MjcfWriter::mobilityOf(std::size_t joint) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < 3; ++i)
    sum += mobilityOf(model_.joints[joint], geometry_[joint].constraintRow[i]) / 3.0;
  return sum;
}

void MjcfWriter::softRow(bool limit, const std::string& name, const Softness& s, double own) {
  const char* what = limit ? "limits" : "loops and couplings";
  const auto& shares = limit ? plan_.limits : plan_.equalities;
  const auto share = shares.find(name);
  softness(share == shares.end() ? s : scaledImpedance(s, share->second), limit ? "solreflimit" : "solref",
           limit ? "solimplimit" : "solimp", what);
  if (s.kind == Softness::Kind::Impedance)
    softRows_.push_back({limit, name, s.mobility > 0.0 ? s.mobility : own});
}

/// What no element of the file has room for.
void MjcfWriter::reportRest() {
  std::vector<std::string> wrenches, bushings, rolling, free;
  for (std::size_t i = 0; i < model_.wrenches.size(); ++i) {
    const ExternalWrench& each = model_.wrenches[i];
    if (!wrenchSites_.contains(i))
      wrenches.push_back((each.name.empty() ? "on " + bodyName(each.body) : each.name) + " (it changes)");
  }
  for (const Bushing& b : model_.bushings) bushings.push_back(b.name);
  for (const VelocityConstraint& c : model_.velocityConstraints) rolling.push_back(c.name);
  for (const Joint& joint : model_.joints)
    if (joint.type == &freeJoint() &&
        std::any_of(joint.coordinates.begin(), joint.coordinates.end(), [](const JointCoordinate& c) {
          return c.limit.bounded() || c.passive.smooth() || c.passive.dryFriction > 0.0 ||
                 c.actuator.kind != Actuator::Kind::None;
        }))
      free.push_back(joint.name);
  leaveOut("wrenches from outside:", wrenches);
  leaveOut("bushings", bushings);
  leaveOut("constraints on velocities:", rolling);
  leaveOut("what acts along the coordinates of free joints", free);
  for (std::string& lost : lostFriction(model_)) report_.leftOut.push_back(std::move(lost));
  reportSurfaces();
  const StepOptions usual;
  if (model_.stabilization.margin > 0.0)
    report_.leftOut.emplace_back("the margin of the stabilization, by which shapes overlap at rest");
  if (!model_.step.projection || model_.stabilization.decayRate > 0.0 ||
      model_.step.restitutionThreshold != usual.restitutionThreshold || model_.solver.name != "auto")
    report_.leftOut.emplace_back("options of steps and of the solver, but timestep and gravity");
}

/// The velocities of the start are those of the keyframe.
void MjcfWriter::writeKeyframe() {
  const bool moves =
      std::any_of(rates_.begin(), rates_.end(), [](double r) { return std::abs(r) > kNearlyStill; });
  if (!moves && controls_.empty()) return;
  out_.open("keyframe").open("key").attribute("name", "start");
  for (double& r : rates_)
    if (std::abs(r) <= kNearlyStill) r = 0.0;
  if (moves) {
    out_.attribute("qvel", tidyNumbers(rates_));
    report_.assumed.emplace_back(
        "the start has velocities: they are in the keyframe 'start' (convert --keyframe start, or "
        "mj_resetDataKeyframe)");
  }
  if (!controls_.empty()) out_.attribute("ctrl", tidyNumbers(controls_, 1e-3));
  out_.close().close();
}

void writeMjcf(const Scenario& scenario, const std::string& path, Report& report) {
  const Scenario started = atStart(scenario);
  MjcfWriter(started, path, planSoftness(started, path), report).write();
}

}  // namespace grashof::convert
