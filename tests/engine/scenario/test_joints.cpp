#include "engine/base/error.h"
#include "tests/support.h"

using namespace grashof;

// A body on a hinge, with `inside` in the joint and `after` behind it.
static std::string hingeWith(const std::string& inside, const std::string& after = {}) {
  return R"(<body name="a" position="0 0 0"><inertial mass="1" inertia="1 1 1"/></body>
    <joint name="j" type="cylindrical" follower="a" position="0 0 0" axis="0 0 1">)" +
         inside + "</joint>" + after;
}

TEST_CASE("what acts along a coordinate stands at that coordinate") {
  const Scenario s = test::scenarioOf(hingeWith(R"(
    <limit coordinate="1" lower="-0.5" upper="0.25"/>
    <dynamics coordinate="0" stiffness="1" rest="2" damping="3" armature="4" friction="5"/>
    <actuator coordinate="1" type="position" motion="u" kp="6" kd="7" effort-limit="8"/>)",
                                                R"(<motion name="u" type="constant" value="0.1"/>)"));
  const auto& c = s.model->joints[0].coordinates;
  CHECK_FALSE(c[0].limit.bounded());
  CHECK(c[1].limit.lower == -0.5);
  CHECK(c[1].limit.upper == 0.25);
  CHECK(c[0].passive.stiffness == 1.0);
  CHECK(c[0].passive.rest == 2.0);
  CHECK(c[0].passive.damping == 3.0);
  CHECK(c[0].passive.armature == 4.0);
  CHECK(c[0].passive.dryFriction == 5.0);
  CHECK(c[1].actuator.kind == Actuator::Kind::Position);
  CHECK(c[1].actuator.proportionalGain == 6.0);
  CHECK(c[1].actuator.derivativeGain == 7.0);
  CHECK(c[1].actuator.effortLimit == 8.0);
  CHECK(c[0].actuator.kind == Actuator::Kind::None);
}

TEST_CASE("a screw couples a joint with itself, by its pitch per turn") {
  const Scenario s =
      test::scenarioOf(hingeWith("", R"(<coupling name="s" type="screw" joint="j" pitch="0.01"/>)"));
  const Coupling& c = s.model->couplings[0];
  CHECK(c.jointA == c.jointB);
  CHECK(c.coordinateA == 0);
  CHECK(c.coordinateB == 1);
  CHECK(c.slope(0.0) == doctest::Approx(0.01 / (2.0 * M_PI)));
}

TEST_CASE("attributes that joints, motions and couplings need are asked for by name") {
  const auto message = [](const std::string& inner) -> std::string {
    try {
      test::scenarioOf(inner);
    } catch (const InputError& e) {
      return e.what();
    }
    return {};
  };
  struct Defect {
    std::string inner, says;
  };
  const std::string u = R"(<motion name="u" type="constant" value="0"/>)";
  const Defect defects[] = {
      {hingeWith("<actuator motion='u'/>", u), "type is missing (one of: effort"},
      {hingeWith("<actuator type='position' motion='u'/>", u), "kp is missing"},
      {hingeWith("<actuator type='effort' motion='v'/>", u), "there is no such motion"},
      {hingeWith("<actuator type='motion' motion='u' effort-limit='1'/>", u), "effort-limit"},
      {hingeWith("<actuator type='effort' motion='u' motor='big'/>", u + "<motor name='bag'/>"),
       "there is no such motor (did you mean bag?)"},
      {hingeWith("<dynamics coordinate='1' friction-coefficient='0.1'/>"),
       "needs journal-radius or thrust-radius"},
      {hingeWith("<dynamics journal-radius='0.1'/>"), "do nothing without friction-coefficient"},
      {hingeWith("<dynamics static-ratio='2'/>"), "static-ratio does nothing"},
      {hingeWith("<dynamics friction='1' static-ratio='0.5'/>"), "static-ratio"},
      {hingeWith("<clearance radial='0.001'/>"), "leaves no room for play"},
      {hingeWith("<clearance radial='-1'/>"), "radial=\"-1\""},
      {hingeWith("", "<motor name='m' gear-ration='3'/>"), "did you mean gear-ratio?"},
      {hingeWith("", "<motor name='m' efficiency='0'/>"), "needs a number > 0 and at most 1"},
      {hingeWith("", "<motor name='m' torque-constant='0'/>"), "torque-constant=\"0\""},
      {hingeWith("", "<motor name='m' voltage='12'/>"), "voltage without torque-constant"},
      {hingeWith("", "<motor name='m' no-load-speed='12'/>"), "give stall-torque"},
      {hingeWith("<limit coordinate='2' upper='1'/>"), "coordinate"},
      {hingeWith("<dynamic/>"), "did you mean <dynamics>?"},
      {hingeWith("<base-frame/><base-frame/><follower-frame/>"), "given twice"},
      {hingeWith("", "<coupling name='c' type='screw' joint='j'/>"), "pitch is missing"},
      {hingeWith("", "<coupling name='c' type='gear' joint-a='k' joint-b='j' ratio='1'/>"), "no such joint"},
      {hingeWith("", "<motion name='m' type='sine' amplitude='1'/>"), "frequency is missing"},
      {hingeWith("", "<motion name='m' type='series' samples='0 1 2'/>"), "pairs of finite numbers"},
      {hingeWith("", "<motion name='m' type='series'/>"), "either file or samples"},
  };
  CHECK(message(hingeWith("")) == "");
  for (const Defect& d : defects) {
    CAPTURE(d.says);
    CAPTURE(message(d.inner));
    CHECK(message(d.inner).find(d.says) != std::string::npos);
  }
}

TEST_CASE("a motor is read once and used by the actuators that name it") {
  const Scenario s = test::scenarioOf(hingeWith(
      "<actuator type='effort' motion='u' motor='m'/><actuator coordinate='1' type='motion' motion='u' "
      "motor='m'/>",
      R"(<motion name="u" type="constant" value="0"/>
    <motor name="m" gear-ratio="2" efficiency="0.7" back-efficiency="0.5" rotor-inertia="3" stall-torque="4"
      no-load-speed="5" torque-limit="6" speed-limit="7" rms-torque="8" torque-constant="9" resistance="10"
      voltage="11"/>)"));
  REQUIRE(s.model->motors.size() == 1);
  const Motor& m = s.model->motors[0];
  CHECK(m.name == "m");
  CHECK(m.gearRatio == 2.0);
  CHECK(m.efficiency == 0.7);
  CHECK(m.backEfficiency == 0.5);
  CHECK(m.rotorInertia == 3.0);
  CHECK(m.stallTorque == 4.0);
  CHECK(m.noLoadSpeed == 5.0);
  CHECK(m.torqueLimit == 6.0);
  CHECK(m.speedLimit == 7.0);
  CHECK(m.rmsTorque == 8.0);
  CHECK(m.torqueConstant == 9.0);
  CHECK(m.resistance == 10.0);
  CHECK(m.voltage == 11.0);
  for (const JointCoordinate& c : s.model->joints[0].coordinates) {
    CHECK(s.model->motorOf(c.actuator) == &m);
    CHECK(c.passive.rotor == 12.0);
  }
}
