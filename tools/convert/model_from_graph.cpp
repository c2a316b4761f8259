#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/model/model_builder.h"
#include "tools/convert/close_loops.h"
#include "tools/convert/drives.h"
#include "tools/convert/inertia.h"
#include "tools/convert/link_graph.h"
#include "tools/convert/lowest_point.h"
#include "tools/convert/self_contact.h"
#include "tools/convert/start.h"

namespace grashof::convert {
namespace {

/// Joint and coordinate that a joint of the tree became.
struct Place {
  JointId joint{};
  int coordinate = 0;
  double sign = 1.0;
};

/// The model of a graph while it is made.
struct Making {
  const LinkGraph& g;
  ModelBuilder builder;
  std::vector<BodyId> bodyOf;    ///< of each group, by its first link
  std::vector<JointId> jointOf;  ///< of each edge that is alive
};

BodyId bodyOfGroup(const Making& m, int group) {
  return group < 0 ? kWorldBody : m.bodyOf[static_cast<std::size_t>(group)];
}

/// Shapes of the links of a group. Lines of the source name the links, which own no line for a shape.
void addShapes(Making& m, int group, BodyId body) {
  const bool several = group < 0 || std::count(m.g.group.begin(), m.g.group.end(), group) > 1;
  for (std::size_t i = 0; i < m.g.group.size(); ++i) {
    if (m.g.group[i] != group) continue;
    const Link& link = m.g.tree.links[i];
    for (Shape shape : link.shapes) {
      shape.pose = m.g.inGroup[i] * shape.pose;
      if (several) shape.link = link.name;
      m.builder.addShape(body, std::move(shape), {}, {m.g.tree.file, link.line, "link " + link.name});
    }
  }
}

void addBodies(Making& m, const BuildOptions& options, Report& report) {
  const LinkGraph& g = m.g;
  m.bodyOf.assign(g.tree.links.size(), kWorldBody);
  for (std::size_t first = 0; first < g.tree.links.size(); ++first) {
    const int group = static_cast<int>(first);
    if (g.group[first] != group || g.gone[first]) continue;
    const Link& link = g.tree.links[first];
    const Where where{g.tree.file, link.line, "link " + link.name};
    BodyDef body{.name = link.name,
                 .pose = g.startOf(group),
                 .inertial = inertiaOf(g, group, options.strict, report),
                 .where = where};
    body.inertial->where = where;
    m.bodyOf[first] = m.builder.addBody(std::move(body));
    addShapes(m, group, m.bodyOf[first]);
  }
  if (m.builder.numBodies() == 0) {
    std::string lost;
    for (const std::string& line : report.leftOut) lost += (lost.empty() ? "; left out: " : ", ") + line;
    g.fail(0, g.tree.name,
           fmt::format(
               "no body that moves is left (give links a mass and joints{}){}",
               options.floatingBase || g.tree.startsAsGiven ? "" : ", or free the root by --floating-base",
               lost));
  }
  for (Shape shape : g.tree.worldShapes) {
    if (shape.link.empty()) shape.link = ownWorldLink(g.tree);
    m.builder.addShape(kWorldBody, std::move(shape));
  }
  addShapes(m, kWorldLink, kWorldBody);
}

void addJoints(Making& m) {
  for (const GraphJoint& e : m.g.edges) {
    if (!e.alive) continue;
    const auto frame = [](const Pose& pose) {
      return FrameDef{.position = pose.position, .rotation = pose.rotation};
    };
    const Where where{m.g.tree.file, e.line, "joint " + e.name};
    const JointId joint = m.builder.addJoint({.name = e.name,
                                              .type = std::string(e.type->name()),
                                              .base = bodyOfGroup(m, e.base),
                                              .follower = bodyOfGroup(m, e.follower),
                                              .baseFrame = frame(e.baseFrame),
                                              .followerFrame = frame(e.followerFrame),
                                              .softness = e.softness,
                                              .where = where});
    for (std::size_t c = 0; c < e.axes.size(); ++c)
      m.builder.coordinate(joint, static_cast<int>(c)) = e.axes[c];
    m.jointOf.push_back(joint);
  }
}

Place placeOf(const Making& m, int treeJoint) {
  const std::string& name = m.g.tree.joints[static_cast<std::size_t>(treeJoint)].name;
  std::size_t index = 0;
  for (const GraphJoint& e : m.g.edges) {
    if (!e.alive) continue;
    for (std::size_t c = 0; c < e.names.size(); ++c)
      if (e.names[c] == name) return {m.jointOf[index], e.coordinates[c], e.signs[c]};
    ++index;
  }
  return {};
}

/// A profile in the signs of the present coordinates.
Signal placedProfile(Signal profile, double signA, double signB) {
  for (double& q : profile.times) q *= signB;
  for (double& lift : profile.values) lift *= signA;
  if (signB < 0.0) {
    std::reverse(profile.times.begin(), profile.times.end());
    std::reverse(profile.values.begin(), profile.values.end());
  }
  return profile;
}

void addCouplings(Making& m, Report& report) {
  for (const Mimic& mimic : m.g.tree.mimics) {
    const Place a = placeOf(m, mimic.jointA), b = placeOf(m, mimic.jointB);
    if (a.joint == JointId{} || b.joint == JointId{}) {
      report.leftOut.push_back(fmt::format("mimic {} (a joint of it is gone)", mimic.name));
      continue;
    }
    if (mimic.profile) {
      m.builder.addCoupling({.name = mimic.name,
                             .kind = CouplingKind::Cam,
                             .jointA = a.joint,
                             .jointB = b.joint,
                             .coordinateA = a.coordinate,
                             .coordinateB = b.coordinate,
                             .profile = placedProfile(*mimic.profile, a.sign, b.sign)});
      continue;
    }
    m.builder.addCoupling({.name = mimic.name,
                           .jointA = a.joint,
                           .jointB = b.joint,
                           .coordinateA = a.coordinate,
                           .coordinateB = b.coordinate,
                           .ratio = mimic.ratio * a.sign * b.sign,
                           .offset = mimic.offset * a.sign,
                           .softness = mimic.softness});
  }
}

/// The supports of a tendon over places of links, without those in which it would begin at the start; empty
/// where nothing can move it.
std::vector<CableSupportDef> supportsOf(const Making& m, const CoordinateSum& sum, Report& report) {
  const auto poseOf = [&](int link) { return m.g.startOf(m.g.groupOf(link)) * m.g.placed(link); };
  std::vector<CableSupportDef> all;
  const bool lost = std::any_of(sum.path.begin(), sum.path.end(), [&](const PathNode& n) {
    const int group = m.g.groupOf(n.link);
    return group >= 0 && m.g.gone[static_cast<std::size_t>(group)];
  });
  if (lost) {
    report.leftOut.push_back(fmt::format("tendon {} (a body of it without mass is gone)", sum.name));
    return {};
  }
  bool moves = !sum.terms.empty();
  for (std::size_t i = 0; i < sum.path.size(); ++i) {
    const PathNode& n = sum.path[i];
    if (n.kind != CableNodeKind::Point) {
      const CableNode round = nodeAt(n, poseOf(n.link));
      const auto inside = [&](const PathNode& other) {
        return other.kind == CableNodeKind::Point && isInside(round, poseOf(other.link) * other.position);
      };
      if (inside(sum.path[i - 1]) || inside(sum.path[i + 1])) {
        report.leftOut.push_back(
            fmt::format("a geom that tendon {} would wrap (a site beside it lies inside)", sum.name));
        continue;
      }
    }
    const Pose frame = m.g.placed(n.link);
    moves = moves || m.g.groupOf(n.link) != m.g.groupOf(sum.path[0].link);
    all.push_back({.kind = n.kind,
                   .body = bodyOfGroup(m, m.g.groupOf(n.link)),
                   .position = frame * n.position,
                   .axis = frame.rotation * n.axis,
                   .radius = n.radius,
                   .sense = n.sense,
                   .divisor = n.divisor});
  }
  if (all.size() > kMaxCableSupports) {
    report.leftOut.push_back(fmt::format("tendon {} (it runs over {} places, {} at most)", sum.name,
                                         all.size(), kMaxCableSupports));
    return {};
  }
  if (moves) return all;
  report.leftOut.push_back(fmt::format("tendon {} (all its places are on one body)", sum.name));
  return {};
}

/// The force elements of a sum: what keeps it, or its spring, damper and drive; bounds as inextensible ones.
void addElements(Making& m, const CoordinateSum& sum, const ForceDef& common) {
  const auto add = [&](const char* what, ForceSide side, double length, const auto& fill) {
    ForceDef element = common;
    element.name = sum.name + what;
    element.side = element.pathSide = side;
    element.length = length;
    fill(element);
    m.builder.addForce(std::move(element));
  };
  const auto rigid = [&](ForceDef& e) {
    e.rigid = true;
    e.softness = sum.softness;
  };
  if (sum.kept) return add("", ForceSide::Both, *sum.kept, rigid);
  const bool slack = sum.restUpper && *sum.restUpper > sum.rest && sum.stiffness > 0.0;
  const auto spring = [&](ForceDef& e) { e.stiffness = sum.stiffness; };
  if (slack) {
    add("_short", ForceSide::Compression, sum.rest, spring);
    add("_long", ForceSide::Tension, *sum.restUpper, spring);
  }
  const bool springs = sum.stiffness > 0.0 && !slack;
  if (springs || sum.damping > 0.0 || sum.signal >= 0)
    add("", ForceSide::Both, sum.rest, [&](ForceDef& e) {
      if (springs) spring(e);
      e.damping = sum.damping;
      if (sum.signal < 0) return;
      e.signal = SignalId{sum.signal};
      e.command = sum.command;
      if (sum.command == SumCommand::Length) e.length.reset();
    });
  if (std::isfinite(sum.lower)) add("_lower", ForceSide::Compression, sum.lower, rigid);
  if (std::isfinite(sum.upper)) add("_upper", ForceSide::Tension, sum.upper, rigid);
}

/// Sums of coordinates as linear couplings, tendons and cables.
void addSums(Making& m, Report& report) {
  for (const CoordinateSum& sum : m.g.tree.sums) {
    ForceDef common;
    for (const auto& [joint, coefficient] : sum.terms) {
      const Place place = placeOf(m, joint);
      if (!(place.joint == JointId{}))
        common.terms.push_back(
            {.joint = place.joint, .coordinate = place.coordinate, .coefficient = coefficient * place.sign});
    }
    if (common.terms.size() < sum.terms.size()) {
      report.leftOut.push_back(fmt::format("tendon {} (a joint of it is gone)", sum.name));
      continue;
    }
    if (!sum.path.empty()) {
      common.path = supportsOf(m, sum, report);
      if (common.path.empty()) continue;
    }
    if (sum.kept && !sum.softness.soft())
      m.builder.addCoupling(
          {.name = sum.name, .kind = CouplingKind::Linear, .offset = *sum.kept, .terms = common.terms});
    else
      addElements(m, sum, common);
  }
}

/// The controls of the file, in the signs of the present coordinates.
void addControls(Making& m) {
  for (const TreeControl& control : m.g.tree.controls) {
    ControlDef def{
        .name = control.name, .lower = control.lower, .upper = control.upper, .start = control.start};
    for (const TreeControl::Share& share : control.shares) {
      ControlTargetDef target{.gain = share.gain, .offset = share.offset};
      if (share.sum >= 0) {
        target.element = m.g.tree.sums[static_cast<std::size_t>(share.sum)].name;
        if (m.builder.find("element", target.element) < 0) continue;
      } else {
        const Place place = placeOf(m, share.joint);
        if (place.joint == JointId{}) continue;
        target.joint = place.joint;
        target.coordinate = place.coordinate;
        target.gain *= place.sign;
        target.offset *= place.sign;
      }
      def.targets.push_back(std::move(target));
    }
    m.builder.addControl(std::move(def));
  }
}

/// The signals of the tree, in the signs of the present coordinates.
void addSignals(Making& m) {
  std::vector<Signal> signals = m.g.tree.signals;
  for (const GraphJoint& e : m.g.edges) {
    if (!e.alive) continue;
    for (std::size_t k = 0; k < e.names.size(); ++k) {
      const Actuator& a = e.axes[static_cast<std::size_t>(e.coordinates[k])].actuator;
      if (e.signs[k] > 0.0 || a.kind == Actuator::Kind::None || a.signal < 0) continue;
      Signal& s = signals[static_cast<std::size_t>(a.signal)];
      s.offset = -s.offset;
      s.amplitude = -s.amplitude;
      for (double& value : s.values) value = -value;
    }
  }
  for (Signal& signal : signals) m.builder.addSignal(std::move(signal));
}

/// A force up for each link whose weight is carried.
void addCompensation(Making& m) {
  const Tree& tree = m.g.tree;
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    const Link& link = tree.links[i];
    const int group = m.g.group[i];
    const Vec3 force = -link.gravityCompensation * link.mass * tree.gravity;
    if (group < 0 || m.g.gone[static_cast<std::size_t>(group)] || force.isZero(0.0)) continue;
    m.builder.addWrench({.name = link.name + "_gravcomp",
                         .body = bodyOfGroup(m, group),
                         .force = force,
                         .point = m.g.inGroup[i] * link.center});
  }
}

void addWrenches(Making& m, Report& report) {
  for (const TreeWrench& w : m.g.tree.wrenches) {
    const int group = m.g.groupOf(w.link);
    if (group < 0 || m.g.gone[static_cast<std::size_t>(group)]) {
      report.leftOut.push_back(fmt::format("the force of {} (on the world, or a body without mass)", w.name));
      continue;
    }
    const Pose& frame = m.g.placed(w.link);
    const auto inBody = [&](const Vec3& v) { return w.local ? Vec3(frame.rotation * v) : v; };
    m.builder.addWrench({.name = w.name,
                         .body = bodyOfGroup(m, group),
                         .force = inBody(w.force),
                         .torque = inBody(w.torque),
                         .point = frame * w.point,
                         .local = w.local});
  }
}

/// The velocities that the file gives to links, to the bodies: about the centres of mass.
void setTwists(Making& m, const State& state) {
  const std::vector<Vec6> ofLinks = startTwists(m.g);
  if (ofLinks.empty()) return;
  std::vector<Vec6> twists(state.poses.size(), Vec6::Zero());
  for (std::size_t i = 0; i < m.g.group.size(); ++i) {
    if (m.g.group[i] != static_cast<int>(i) || m.g.gone[i]) continue;
    const auto body = static_cast<std::size_t>(m.bodyOf[i].value);
    const Vec3 spin = ofLinks[i].tail<3>();
    twists[body] << ofLinks[i].head<3>() + spin.cross(state.poses[body].position - m.g.start[i].position),
        spin;
  }
  m.builder.setInitialTwists(twists);
}

std::shared_ptr<const Model> makeModel(Making& m, const BuildOptions& options, Report& report) {
  const Tree& tree = m.g.tree;
  ModelBuilder& b = m.builder;
  b.gravity() = tree.gravity;
  if (tree.timestep) b.options().timestep = *tree.timestep;
  if (tree.integrator) b.options().integrator = *tree.integrator;
  b.stabilization().margin = -tree.contactDistance;
  b.options().contactMargin += std::max(tree.contactDistance, 0.0);
  if (tree.solverTolerance) b.solver().tolerance = *tree.solverTolerance;
  for (std::size_t i = 0; i < tree.materials.size(); ++i)
    if (i == 0)
      b.material(kDefaultMaterial) = tree.materials[0];
    else
      b.addMaterial(tree.materials[i]);
  for (const auto& [pair, surface] : tree.surfaces) b.addSurface({pair.first}, {pair.second}, surface);
  addSignals(m);
  addBodies(m, options, report);
  addJoints(m);
  addCouplings(m, report);
  addSums(m, report);
  addControls(m);
  addCompensation(m);
  addWrenches(m, report);
  excludeNeighbours(m.g, m.bodyOf, b);
  return b.build();
}

/// Brings the model onto its loops; motors follow where the loops take them.
State assembledState(const Making& m, const Model& model, Report& report) {
  ModelBuilder builder(model);
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (std::size_t c = 0; c < model.joints[j].coordinates.size(); ++c) {
      Actuator& actuator = builder.coordinate({static_cast<int>(j)}, static_cast<int>(c)).actuator;
      if (actuator.kind == Actuator::Kind::Motion) actuator = {};
    }
  State state = model.initialState();
  if (m.g.tree.startsAsGiven) keepStart(builder, model, state, report);
  const std::shared_ptr<const Model> free = builder.build();
  const Closing closing = closeLoops(m.g, *free, m.bodyOf, state);
  report.residual = closing.result.violation;
  report.assemblyIterations = closing.result.iterations;
  if (!closing.result.assembled)
    m.g.fail(0, m.g.tree.name, "the loops do not close: " + assemblyFailure(*free, closing.result));
  if (closing.way == Closing::Way::Slowly)
    report.assumed.push_back(
        "the loops are far from closed at the zero pose: closed step by step from there");
  if (closing.way == Closing::Way::OtherStart)
    report.assumed.push_back("the loops do not close from the zero pose: closed from another one");
  return state;
}

/// Joints whose zero is outside their limits, and where they start instead.
void reportStart(const Making& m, const Model& model, const State& state, Report& report) {
  std::string moved;
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (std::size_t c = 0; c < model.joints[j].coordinates.size(); ++c) {
      const Limit& limit = model.joints[j].coordinates[c].limit;
      if (!limit.bounded() || limit.gap(0.0) >= 0.0) continue;
      moved += fmt::format("{}{} at {:.3g}", moved.empty() ? "" : ", ", model.joints[j].name,
                           state.coordinates[static_cast<std::size_t>(model.coordinateStart[j]) + c]);
    }
  const bool given = std::any_of(m.g.tree.joints.begin(), m.g.tree.joints.end(),
                                 [](const LinkJoint& j) { return !j.initial.empty(); });
  if (!moved.empty() && !given)
    report.assumed.push_back("joints whose limits leave zero out start within them: " + moved);
}

}  // namespace

Scenario scenarioOf(const LinkGraph& g, const BuildOptions& options, Report& report) {
  Making m{g, ModelBuilder(g.tree.name), {}, {}};
  const std::shared_ptr<const Model> loose = makeModel(m, options, report);
  const State state = assembledState(m, *loose, report);
  if (!g.tree.startsAsGiven) reportStart(m, *loose, state, report);
  // A model that is taken as given says itself what touches, unless nothing shall.
  const bool asGiven = g.tree.startsAsGiven && options.selfContact == SelfContact::Separate;
  limitSelfContact(g, m.bodyOf, *loose, state.poses, asGiven ? SelfContact::All : options.selfContact,
                   m.builder, report);
  if (options.floor) {
    Shape floor;
    floor.name = "floor";
    floor.type = ShapeType::Plane;
    floor.pose.position.z() = lowestPoint(*loose, state.poses) - *options.floor;
    m.builder.addShape(kWorldBody, std::move(floor));
  }
  addMotors(g, m.jointOf, state, loose->coordinateStart, options, m.builder, report);
  m.builder.setInitialPoses(state.poses);
  setTwists(m, state);
  Scenario scenario;
  scenario.name = g.tree.name;
  scenario.model = m.builder.build();
  return scenario;
}

}  // namespace grashof::convert
