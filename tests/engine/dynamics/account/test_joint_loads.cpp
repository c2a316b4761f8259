#include <numbers>

#include <fmt/format.h>

#include "engine/analysis/loads.h"
#include "engine/dynamics/account/joint_loads.h"
#include "tests/support.h"

using namespace grashof;
using test::kGravity;

namespace {

constexpr double kFullTurn = 2.0 * std::numbers::pi;  // rad

/// 1 kg on a vertical slider that `what` acts along, after some time.
struct HeldBlock : test::Run {
  explicit HeldBlock(const std::string& what)
      : Run(R"(<motion name="zero" type="constant" value="0"/>
          <body name="a"><inertial mass="1" inertia="1 1 1"/></body>
          <joint name="p" type="prismatic" follower="a" axis="0 0 1">)" +
            what + "</joint>") {
    until(0.5);
  }
};

/// Largest difference (N, N·m) of the load of a joint and the sum of its parts.
double partsMiss(const test::Run& run, const std::string& joint) {
  double miss = 0.0;
  for (const std::string what : {"force.x", "force.y", "force.z", "moment.x", "moment.y", "moment.z"}) {
    double sum = 0.0;
    for (const std::string_view cause : kLoadCauseNames)
      sum += run[fmt::format("joint.{}.{}.{}", joint, cause, what)];
    miss = std::max(miss, std::abs(sum - run[fmt::format("joint.{}.{}", joint, what)]));
  }
  return miss;
}

}  // namespace

TEST_CASE("the load of a clamp carries weight and moment, before the first step as well") {
  test::Run run(R"(<options gravity="0 0 -10"/>
    <body name="beam" position="0.5 0 0"><inertial mass="2" inertia="0.1 0.1 0.1"/></body>
    <joint name="wall" type="fixed" follower="beam" position="0 0 0"/>)");
  Vec6 expected;
  expected << 0.0, 0.0, 20.0, 0.0, -10.0, 0.0;
  CHECK((run.simulator().jointReaction(0) - expected).norm() < 1e-8);
  run.simulator().step();
  CHECK((run.simulator().jointReaction(0) - expected).norm() < 1e-8);
  CHECK((run.simulator().loads().joints()[0].of(LoadCause::Constraint) - expected).norm() < 1e-8);
  run.simulator().setState(run.simulator().state());
  CHECK((run.simulator().jointReaction(0) - expected).norm() < 1e-8);
}

TEST_CASE(
    "whatever holds a weight along a slider carries it: the load of the joint is 9.81 N, of one cause") {
  const std::vector<std::pair<std::string, LoadCause>> holders = {
      {R"(<actuator type="position" motion="zero" kp="1e4" kd="200"/>)", LoadCause::Drive},
      {R"(<actuator type="position" motion="zero" kp="1e4" kd="200" effort-limit="50"/>)", LoadCause::Drive},
      {R"(<actuator type="motion" motion="zero"/>)", LoadCause::Drive},
      {R"(<limit lower="-0.001"/>)", LoadCause::Limit},
      {R"(<dynamics friction="20"/>)", LoadCause::Friction},
      {R"(<dynamics stiffness="1e4" damping="200"/>)", LoadCause::Spring}};
  for (const auto& holder : holders) {
    const std::string& what = holder.first;
    const LoadCause cause = holder.second;
    CAPTURE(what);
    const HeldBlock run(what);
    // The slider's axis is the x axis of its frame.
    CHECK(run["joint.p.force.x"] == doctest::Approx(kGravity).epsilon(1e-6));
    CHECK(run["joint.p.reaction"] == doctest::Approx(kGravity).epsilon(1e-6));
    const std::string name(kLoadCauseNames[static_cast<std::size_t>(cause)]);
    CHECK(run["joint.p." + name + ".force.x"] == doctest::Approx(kGravity).epsilon(1e-6));
    CHECK(partsMiss(run, "p") <= 1e-12);
    CHECK(run["joint.p.effort.0"] ==
          doctest::Approx(cause == LoadCause::Drive ? kGravity : 0.0).epsilon(1e-6));
  }
}

TEST_CASE("an effort limit that is not reached changes no load") {
  const auto brake = [](const std::string& limit) {
    test::Run run(fmt::format(
        R"(<options gravity="0 0 0"/><motion name="m" type="constant" value="0"/>
           <body name="a" velocity="1 0 0"><inertial mass="100" inertia="1 1 1"/></body>
           <joint name="p" type="prismatic" follower="a" axis="1 0 0">
             <actuator type="velocity" motion="m" kd="10" {}/></joint>)",
        limit));
    run.until(0.01);
    return run["joint.p.force.x"];
  };
  CHECK(brake("") == doctest::Approx(-10.0).epsilon(2e-3));
  CHECK(brake("effort-limit='100'") == doctest::Approx(brake("")).epsilon(1e-9));
}

TEST_CASE("a screw jack: the thread carries the load, and its bearing the torque F p / 2 pi") {
  test::Run run(R"(<motion name="turn" type="constant" value="0"/>
    <body name="nut" position="0 0 0.1"><inertial mass="0.8" inertia="1e-3 1e-3 1e-3"/></body>
    <body name="screw" position="0 0 0.15"><inertial mass="1.1" inertia="1e-3 1e-3 1e-3"/></body>
    <joint name="bearing" type="revolute" follower="nut" position="0 0 0.1" axis="0 0 1">
      <actuator type="motion" motion="turn"/></joint>
    <joint name="guide" type="prismatic" follower="screw" position="0 0 0.15" axis="0 0 1"/>
    <joint name="thread" type="cylindrical" base="nut" follower="screw" position="0 0 0.1" axis="0 0 1"/>
    <coupling name="pitch" type="screw" joint="thread" pitch="0.005"/>
    <wrench name="car" body="screw" force="0 0 -5000"/>)");
  run.until(0.1);
  const double thrust = 5000.0 + 1.1 * kGravity, torque = thrust * 0.005 / kFullTurn;
  CHECK(std::abs(run["coupling.pitch.effort.a"]) == doctest::Approx(thrust).epsilon(1e-6));
  CHECK(std::abs(run["coupling.pitch.effort.b"]) == doctest::Approx(torque).epsilon(1e-6));
  CHECK(run["joint.thread.reaction"] == doctest::Approx(thrust).epsilon(1e-6));
  CHECK(std::abs(run["joint.thread.coupling.force.x"]) == doctest::Approx(thrust).epsilon(1e-6));
  CHECK(std::abs(run["joint.bearing.drive.moment.x"]) == doctest::Approx(torque).epsilon(1e-6));
  CHECK(run["joint.bearing.reaction"] == doctest::Approx(thrust + 0.8 * kGravity).epsilon(1e-6));
}

TEST_CASE("a gear that holds a torque: torque and torque over ratio, the same tooth force on both wheels") {
  test::Run run(R"(<options gravity="0 0 0"/><motion name="torque" type="constant" value="6"/>
    <motion name="hold" type="constant" value="0"/>
    <body name="small"><inertial mass="1" inertia="0.01 0.01 0.01"/></body>
    <body name="large" position="0.3 0 0"><inertial mass="2" inertia="0.1 0.1 0.1"/></body>
    <joint name="s" type="revolute" follower="small" axis="0 0 1"><actuator type="effort" motion="torque"/></joint>
    <joint name="l" type="revolute" follower="large" position="0.3 0 0" axis="0 0 1">
      <actuator type="motion" motion="hold"/></joint>
    <coupling name="mesh" type="gear" joint-a="s" joint-b="l" ratio="-2"/>)");
  run.until(0.05);
  // The small wheel has the radius 0.1, the large one 0.2.
  CHECK(run["coupling.mesh.effort.a"] == doctest::Approx(-6.0).epsilon(1e-9));
  CHECK(run["coupling.mesh.effort.b"] == doctest::Approx(-12.0).epsilon(1e-9));
  CHECK(run["coupling.mesh.effort.a"] / 0.1 == doctest::Approx(run["coupling.mesh.effort.b"] / 0.2));
  CHECK(run["joint.l.effort.0"] == doctest::Approx(12.0).epsilon(1e-9));
  CHECK(run["joint.l.moment.x"] == doctest::Approx(0.0).epsilon(1e-9));
  CHECK(run["joint.l.coupling.moment.x"] == doctest::Approx(-12.0).epsilon(1e-9));
}

TEST_CASE(
    "loads add up to the change of momentum, also where a motion has kinks and the twists are projected") {
  test::Run run(
      R"(<motion name="up" type="series" samples="0 0 0.1 0 0.2 0.05 0.4 0.05" interpolation="linear"/>
    <body name="a"><inertial mass="2" inertia="1 1 1"/></body>
    <joint name="p" type="prismatic" follower="a" axis="0 0 1"><dynamics armature="0.5"/>
      <actuator type="motion" motion="up"/></joint>)");
  double impulse = 0.0, drive = 0.0;
  for (int i = 0; i < 150; ++i) {  // half-way up, at 0.5 m/s
    run.simulator().step();
    impulse += 1e-3 * (run["joint.p.force.x"] - 2.0 * kGravity);
    drive += 1e-3 * (run["joint.p.effort.0"] - 2.0 * kGravity);
  }
  CHECK(impulse == doctest::Approx(2.0 * 0.5).epsilon(1e-9));
  CHECK(drive == doctest::Approx(2.5 * 0.5).epsilon(1e-9));  // the rotor takes its share
}

TEST_CASE(
    "the load of a redundant pin is the same from every solver and from the loads of a run, and marked") {
  const std::string differential =
      R"(<options gravity="0 0 0"/><motion name="engine" type="constant" value="20"/>
    <body name="carrier"><inertial mass="3" inertia="0.02 0.02 0.02"/></body>
    <body name="spider" position="0 0 0.03"><inertial mass="0.2" inertia="1e-4 1e-4 1e-4"/></body>
    <body name="left" position="-0.3 0 0"><inertial mass="8" inertia="0.1 0.1 0.1"/></body>
    <body name="right" position="0.3 0 0"><inertial mass="8" inertia="0.1 0.1 0.1"/></body>
    <joint name="axle" type="revolute" follower="carrier" axis="1 0 0">
      <actuator type="velocity" motion="engine" kd="50" effort-limit="40"/></joint>
    <joint name="pin" type="revolute" base="carrier" follower="spider" position="0 0 0.03" axis="0 0 1"/>
    <joint name="sunL" type="revolute" base="carrier" follower="left" position="-0.05 0 0" axis="1 0 0"/>
    <joint name="sunR" type="revolute" base="carrier" follower="right" position="0.05 0 0" axis="1 0 0"/>
    <coupling name="gl" type="gear" joint-a="sunL" joint-b="pin" ratio="0.5"/>
    <coupling name="gr" type="gear" joint-a="sunR" joint-b="pin" ratio="-0.5"/>
    <joint name="roadL" type="revolute" follower="left" position="-0.3 0 0" axis="1 0 0">
      <dynamics damping="0.2"/></joint>
    <joint name="roadR" type="revolute" follower="right" position="0.3 0 0" axis="1 0 0">
      <dynamics damping="1.0"/></joint>)";
  const std::vector<std::string> joints = {"pin", "roadL", "roadR", "sunL"};
  std::vector<std::vector<double>> found;
  double scale = 0.0;
  for (const std::string solver : {"auto", "IPM-NCP", "ADMM"}) {
    test::Run run(differential + "<solver name='" + solver + "'/>");
    run.until(0.3);
    found.emplace_back();
    for (const std::string& joint : joints) found.back().push_back(run["joint." + joint + ".reaction"]);
    CHECK(findRedundancy(run.model(), "joint.roadL.reaction")(run.simulator()));
    CHECK_FALSE(findRedundancy(run.model(), "coupling.gl.effort.a")(run.simulator()));
    for (const std::string& joint : joints) CHECK(partsMiss(run, joint) <= 1e-9);
    scale = std::max(scale, run.simulator().jointReaction(0).norm());
  }
  for (std::size_t i = 0; i < joints.size(); ++i) {
    CAPTURE(joints[i]);
    CHECK(found[1][i] == doctest::Approx(found[0][i]).epsilon(1e-5 * scale));
    CHECK(found[2][i] == doctest::Approx(found[0][i]).epsilon(1e-5 * scale));
  }
  // The observer of loads sees the channel.
  test::Run run(differential);
  LoadsObserver observer(run.model());
  double peak = 0.0;
  for (int i = 0; i < 300; ++i) {
    run.simulator().step();
    observer.observe(run.simulator());
    peak = std::max(peak, run["joint.roadL.reaction"]);
  }
  const Loads loads = observer.finish();
  CHECK(loads.joints[static_cast<std::size_t>(run.model().findJoint("roadL"))].force.value == peak);
  CHECK(loads.degreeOfStaticIndeterminacy > 0);
}
