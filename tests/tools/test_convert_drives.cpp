// Motors of URDF files with the bounds that these give them.
#include <cmath>
#include <numbers>

#include "engine/dynamics/kinematics/joint_kinematics.h"
#include "tests/tools/converted.h"

using namespace grashof;
using namespace grashof::convert;
using test::anyLine, test::Converted, test::fromUrdf;

namespace {

/// An arm of 2 kg on a hinge, 0.5 m from its centre: m g l = 9.81 N m when it is level, as at zero.
std::string arm(const std::string& more, const std::string& limit = "effort='5' velocity='3'") {
  return "<robot name='r'><link name='base'/><link name='arm'><inertial><origin xyz='0.5 0 0'/><mass "
         "value='2'/>"
         "<inertia ixx='0.1' iyy='0.1' izz='0.1'/></inertial></link><joint name='pivot' "
         "type='revolute'><parent "
         "link='base'/><child link='arm'/><axis xyz='0 1 0'/><limit lower='-2' upper='2' " +
         limit + "/><dynamics damping='2'/></joint>" + more + "</robot>";
}

const Actuator& drivenBy(const Converted& made, const std::string& joint) {
  return made.joint(joint).coordinates[0].actuator;
}

const char* const kDriven =
    "<transmission name='t'><joint name='pivot'/><actuator "
    "name='m'><mechanicalReduction>50</mechanicalReduction>"
    "</actuator></transmission>";

}  // namespace

TEST_CASE(
    "effort and velocity of a driven joint are the limits of a motor behind the gear of its transmission") {
  const Converted made = fromUrdf(arm(kDriven));
  const Actuator& a = drivenBy(made, "pivot");
  CHECK(a.kind == Actuator::Kind::Motion);
  REQUIRE(made.model().motors.size() == 1);
  const Motor& motor = made.model().motors[0];
  CHECK(motor.gearRatio == 50.0);
  CHECK(motor.torqueLimit == doctest::Approx(0.1));
  CHECK(motor.speedLimit == doctest::Approx(150.0));
  CHECK(made.model().boundsOf(a).limit == doctest::Approx(5.0));
  CHECK(anyLine(made.report.assumed, "ratings of 1 motors"));
}

TEST_CASE(
    "a servo is critically damped, and its effort ends at that of the file: the arm rests where that carries "
    "it") {
  const Converted made = fromUrdf(arm(kDriven), {.servo = 2.0});
  const Actuator& a = drivenBy(made, "pivot");
  const double inertia = 0.1 + 2.0 * 0.25, omega = 4.0 * std::numbers::pi;
  CHECK(a.kind == Actuator::Kind::Position);
  CHECK(a.proportionalGain == doctest::Approx(inertia * omega * omega));
  CHECK(a.derivativeGain == doctest::Approx(2.0 * inertia * omega));
  Simulator simulator(made.model());
  while (simulator.state().time < 10.0) simulator.step();
  CHECK(simulator.state().coordinates[0] ==
        doctest::Approx(std::acos(5.0 / (2.0 * test::kGravity * 0.5))).epsilon(1e-3));
}

TEST_CASE("joints with bounds but without a motor are named; all motors drives them, but none that follows") {
  const std::string follower =
      "<link name='tip'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
      "izz='1'/></inertial></link><joint "
      "name='nod' type='revolute'><parent link='arm'/><child link='tip'/><axis xyz='0 1 0'/><limit "
      "lower='-1' "
      "upper='1' effort='1' velocity='1'/><mimic joint='pivot'/></joint>";
  const Converted idle = fromUrdf(arm(follower));
  CHECK(anyLine(idle.report.leftOut, "effort and velocity limits of 2 joints without a motor: pivot, nod"));
  CHECK(idle.model().signals.empty());
  const Converted all = fromUrdf(arm(follower), {.allMotors = true});
  CHECK(all.model().boundsOf(drivenBy(all, "pivot")).limit == 5.0);
  CHECK(drivenBy(all, "nod").kind == Actuator::Kind::None);
}

TEST_CASE("limits of 0 bound nothing, and are told") {
  const Converted made = fromUrdf(arm(kDriven, "effort='0' velocity='0'"));
  CHECK(!made.model().boundsOf(drivenBy(made, "pivot")).bounded());
  CHECK(anyLine(made.report.assumed, "a limit of effort that is not above 0 bounds nothing"));
}

TEST_CASE("Drake's rotor counts with the square of its gear") {
  const Converted made =
      fromUrdf(arm("<transmission><joint name='pivot'/><actuator name='m'><drake:gear_ratio "
                   "value='20'/><drake:rotor_inertia "
                   "value='1e-4'/></actuator></transmission>"));
  REQUIRE(made.model().motors.size() == 1);
  CHECK(made.model().motors[0].reflectedInertia() == doctest::Approx(0.04));
}

TEST_CASE("mimics start in the direction that the file gives") {
  const auto link = [](const std::string& name) {
    return "<link name='" + name +
           "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>";
  };
  const auto joint = [](const std::string& name, const std::string& parent, const std::string& child,
                        const std::string& more) {
    return "<joint name='" + name + "' type='continuous'><origin xyz='0.1 0 0'/><parent link='" + parent +
           "'/><child link='" + child + "'/><axis xyz='0 1 0'/>" + more + "</joint>";
  };
  // The chain is given backwards: j3 follows j2, which follows j1.
  const Converted made = fromUrdf(
      "<robot name='finger'><link name='base'/>" + link("a") + link("b") + link("c") +
      joint("j3", "b", "c", "<mimic joint='j2' multiplier='-2' offset='0.05'/>") +
      joint("j2", "a", "b", "<mimic joint='j1' multiplier='0.5' offset='0.1'/>") +
      joint("j1", "base", "a", "") + "<transmission name='t'><joint name='j1'/></transmission></robot>");
  const State state = made.model().initialState();
  std::vector<JointGeometry> geometry(made.model().joints.size());
  evaluateJoints(made.model(), state.poses, state.coordinates, geometry);
  const auto at = [&](const char* name) {
    return geometry[static_cast<std::size_t>(made.model().findJoint(name))].coordinate[0];
  };
  CHECK(at("j1") == doctest::Approx(0.0).epsilon(1e-12));
  CHECK(at("j2") == doctest::Approx(0.1).epsilon(1e-12));
  CHECK(at("j3") == doctest::Approx(-0.15).epsilon(1e-12));
}
