#include <fmt/format.h>

#include "engine/analysis/mobility.h"
#include "engine/base/error.h"
#include "tests/support.h"
#include "tools/convert/formats.h"

using namespace grashof;
using namespace grashof::convert;

namespace {

std::string solidLink(const std::string& name) {
  return "<link name='" + name +
         "'><inertial><mass value='1'/><inertia ixx='0.1' iyy='0.1' izz='0.1'/></inertial></link>";
}

std::string turning(const std::string& parent, const std::string& child, const Vec3& at, double limit = 0.0) {
  return fmt::format(
      "<joint name='{0}' type='{1}'><parent link='{2}'/><child link='{0}'/><origin xyz='{3} {4} {5}'/><axis "
      "xyz='0 1 "
      "0'/><limit lower='-{6}' upper='{6}'/></joint>",
      child, limit > 0.0 ? "revolute" : "continuous", parent, at.x(), at.y(), at.z(), limit);
}

Scenario withLoops(const std::string& urdf, const std::string& yaml, Report& report) {
  const test::ScratchFolder folder;
  Tree tree = readUrdf(folder.write("r.urdf", "<robot name='r'>" + urdf + "</robot>"), {}, report);
  readLoops(folder.write("r.yaml", yaml), tree, report);
  return buildScenario(tree, {}, report);
}

/// A four-bar whose links lie on one line at the zero pose: base 0.4 m, crank, coupler and rocker of the
/// given lengths, the end of the coupler `missing` its place on the rocker.
std::string stretched(double crank, double coupler, double rocker, double limit = 0.0) {
  return solidLink("base") + solidLink("crank") + solidLink("coupler") + solidLink("rocker") +
         "<link name='end'/><link name='seat'/>" + turning("base", "crank", Vec3::Zero()) +
         turning("crank", "coupler", {crank, 0.0, 0.0}) + turning("base", "rocker", {0.4, 0.0, 0.0}, limit) +
         fmt::format(
             "<joint name='to_end' type='fixed'><parent link='coupler'/><child link='end'/><origin xyz='{} 0 "
             "0'/></joint><joint name='to_seat' type='fixed'><parent link='rocker'/><child "
             "link='seat'/><origin xyz='{} 0 0'/></joint>",
             coupler, rocker);
}

/// Two chains of four hinges from the base, whose ends a loop of type `type` joins; they meet at random
/// coordinates, `reach` rad from these is a limit (0: none).
Tree randomLoop(std::mt19937& random, const JointType& type, double reach) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const auto vector = [&] { return Vec3(uniform(random), uniform(random), uniform(random)); };
  Tree tree;
  tree.name = "random";
  const auto add = [&](const std::string& name) {
    Link link;
    link.name = name;
    link.mass = 1.0;
    link.inertia = 0.1 * Mat3::Identity();
    tree.links.push_back(link);
    return static_cast<int>(tree.links.size()) - 1;
  };
  const int base = add("base");
  Pose ends[2];
  int last[2];
  for (int chain = 0; chain < 2; ++chain) {
    last[chain] = base;
    for (int i = 0; i < 4; ++i) {
      LinkJoint joint;
      joint.kind = LinkJointKind::Revolute;
      joint.parent = last[chain];
      joint.child = add(fmt::format("link{}{}", chain, i));
      joint.name = fmt::format("hinge{}{}", chain, i);
      joint.parentFrame = {0.3 * vector(), expRotation(3.0 * vector())};
      joint.coordinates.resize(1);
      const double q = 2.5 * uniform(random);
      if (reach > 0.0) joint.coordinates[0].limit = {q - reach, q + reach};
      ends[chain] = ends[chain] * (joint.parentFrame * Pose{Vec3::Zero(), expRotation(q * Vec3::UnitX())});
      last[chain] = joint.child;
      tree.joints.push_back(joint);
    }
  }
  Loop loop;
  loop.name = "loop";
  loop.type = &type;
  loop.linkA = last[0];
  loop.linkB = last[1];
  loop.frameB = ends[1].inverse() * ends[0];
  tree.loops.push_back(loop);
  return tree;
}

}  // namespace

TEST_CASE("random loops far from closed close, with limits and without, by one way or another") {
  std::mt19937 random(7);
  bool slowly = false, elsewhere = false;
  for (int trial = 0; trial < 12; ++trial)
    for (const double reach : {0.0, 1.0}) {
      CAPTURE(trial);
      CAPTURE(reach);
      Report report;
      const Scenario s = buildScenario(
          randomLoop(random, trial % 3 == 0 ? sphericalJoint() : fixedJoint(), reach), {}, report);
      CHECK(report.residual <= 1e-10);
      const State state = Simulator(s.model).state();
      for (std::size_t j = 0; j < s.model->joints.size(); ++j)
        if (s.model->joints[j].type == &revoluteJoint())
          CHECK(s.model->joints[j].coordinates[0].limit.gap(
                    state.coordinates[static_cast<std::size_t>(s.model->coordinateStart[j])]) >= -1e-7);
      for (const std::string& line : report.assumed) {
        slowly = slowly || line.find("step by step") != std::string::npos;
        elsewhere = elsewhere || line.find("from another one") != std::string::npos;
      }
    }
  CHECK(slowly);
  CHECK(elsewhere);
}

TEST_CASE("loop types and joint types are read in capitals or not") {
  for (const std::string type : {"3d", "3D", "spherical"}) {
    CAPTURE(type);
    Report report;
    const Scenario s =
        withLoops(stretched(0.1, 0.5, 0.2), "closed_loop: [[end, seat]]\ntype: [" + type + "]\n", report);
    CHECK(s.model->joints.size() == 4);
    CHECK(report.residual <= 1e-10);
  }
  for (const std::string type : {"6d", "6D", "FIXED"}) {
    CAPTURE(type);
    Report report;
    const Scenario s =
        withLoops(stretched(0.1, 0.5, 0.2), "closed_loop: [[end, seat]]\ntype: [" + type + "]\n", report);
    CHECK(s.model->bodies.size() == 2);  // coupler and rocker are one
  }
}

TEST_CASE("a universal joint of the YAML turns about the two axes of its name, in their order") {
  const Vec3 axes[] = {Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
  const std::string names = "XYZ";
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      const std::string type =
          std::string("UJOINT_") + names[static_cast<std::size_t>(a)] + names[static_cast<std::size_t>(b)];
      CAPTURE(type);
      Report report;
      const std::string yaml = "joint_name: [arm]\njoint_type: [" + type + "]\n";
      const std::string urdf =
          solidLink("base") + solidLink("arm") + turning("base", "arm", Vec3(1.0, 2.0, 3.0));
      if (a == b) {
        CHECK_THROWS_WITH_AS(withLoops(urdf, yaml, report), doctest::Contains("unknown type"), InputError);
        continue;
      }
      const Scenario s = withLoops(urdf, yaml, report);
      const Joint& j = s.model->joints[0];
      CHECK(j.type == &universalJoint());
      CHECK((j.baseFrame.rotation * Vec3::UnitX() - axes[a]).norm() <= 1e-14);
      CHECK((j.baseFrame.rotation * Vec3::UnitY() - axes[b]).norm() <= 1e-14);
      CHECK((j.followerFrame.rotation * Vec3::UnitY() - axes[b]).norm() <= 1e-14);
      CHECK((j.baseFrame.position - Vec3(1.0, 2.0, 3.0)).norm() <= 1e-14);
    }
}

TEST_CASE("a joint of the YAML may be fixed, and may stay revolute") {
  Report report;
  const std::string urdf = solidLink("base") + solidLink("arm") + solidLink("hand") +
                           turning("base", "arm", Vec3::Zero()) + turning("arm", "hand", Vec3::UnitX());
  const Scenario s = withLoops(urdf, "joint_name: [arm, hand]\njoint_type: [Revolute, FIXED]\n", report);
  CHECK(s.model->bodies.size() == 1);
  CHECK(s.model->joints[0].type == &revoluteJoint());
}

TEST_CASE("loops far from closed at the zero pose close") {
  // All links on one line: no direction in which a bar could turn brings the ends nearer to first order.
  for (const double rocker : {0.1, 0.25, 0.38}) {
    CAPTURE(rocker);
    Report report;
    const Scenario s =
        withLoops(stretched(0.15, 0.45, rocker), "closed_loop: [[end, seat]]\ntype: [3d]\n", report);
    CHECK(report.residual <= 1e-10);
    const State state = s.model->initialState();
    CHECK(analyseMobility(*s.model, state.poses, state.coordinates).mobility() == 1);
  }
}

TEST_CASE("loops that close only within limits far from zero are found from other starts") {
  // Zero is the middle of the limits, but the loop closes only with the rocker turned by more than 2 rad.
  Report report;
  const Scenario s =
      withLoops(stretched(0.1, 0.25, 0.2, 3.0), "closed_loop: [[end, seat]]\ntype: [3d]\n", report);
  CHECK(report.residual <= 1e-10);
  const int rocker = s.model->findJoint("rocker");
  REQUIRE(rocker >= 0);
  const State state = s.model->initialState();
  CHECK(s.model->joints[static_cast<std::size_t>(rocker)].coordinates[0].limit.gap(
            state.coordinates[static_cast<std::size_t>(
                s.model->coordinateStart[static_cast<std::size_t>(rocker)])]) >= -1e-7);
}

TEST_CASE("loops that cannot close say which and by how much") {
  Report report;
  CHECK_THROWS_WITH_AS(
      withLoops(stretched(0.05, 0.05, 0.05), "closed_loop: [[end, seat]]\ntype: [3d]\n", report),
      doctest::Contains("the loops do not close"), InputError);
}
