// Surfaces, masses and motors as SDF describes them.
#include "tests/tools/sdf_support.h"
#include "tools/convert/surfaces.h"

using namespace grashof;
using namespace grashof::convert;
using test::anyLine, test::Converted, test::heightAtRest, test::materialOf;

TEST_CASE("looks, sensors and friction without a bound do not refuse an SDF") {
  const Converted made = test::fromSdfText(
      "<world name='w'><model name='m'><link name='a'><inertial><mass>1</mass></inertial><sensor name='s' "
      "type='wonder'/><visual "
      "name='v'><geometry><sphere><radius>1</radius></sphere></geometry><material><script>"
      "<name>Gazebo/Grey</name></script></material></visual><collision name='c'><geometry><sphere><radius>0.1"
      "</radius></sphere></geometry><surface><friction><ode><mu>-1</mu><mu2>-1</mu2></ode></friction></"
      "surface>"
      "</collision></link></model></world>");
  CHECK(made.model().surface(materialOf(made, "m::a_c"), materialOf(made, "m::a_c")).friction == kNoSlip);
  CHECK(made.model().surface(materialOf(made, "m::a_c"), 0).friction == 1.0);
  CHECK(anyLine(made.report.leftOut, "material of <visual>"));
  CHECK(anyLine(made.report.leftOut, "sensor of <link>"));
  CHECK(anyLine(made.report.approximated, "friction without a bound"));
  CHECK(test::sdfError(
            "<model name='m'><link name='a'><sensor name='s' type='wonder'/></link><joint name='j' "
            "type='revolute'><parent>a</parent><child>none</child><axis><xyz>1 0 0</xyz></axis></joint>"
            "</model>") != "");
}

TEST_CASE("a ball of an SDF sinks by its weight over kp, and fdir1 directs its friction") {
  const Converted made = test::fromSdfText(
      "<world name='w'><model name='g'><static>1</static><link name='l'><collision name='c'><geometry><plane>"
      "<normal>0 0 1</normal></plane></geometry></collision></link></model><model name='m'><pose>0 0 0.1 0 0 "
      "0"
      "</pose><link name='a'><inertial><mass>2</mass></inertial><collision "
      "name='c'><geometry><sphere><radius>0.1"
      "</radius></sphere></geometry><surface><friction><ode><mu>0.2</mu><mu2>0.8</mu2><fdir1>0 1 "
      "0</fdir1></ode>"
      "</friction><contact><ode><kp>1e4</kp><kd>100</kd></ode></contact></surface></collision></link></model>"
      "</world>");
  CHECK(heightAtRest(made.model()) == doctest::Approx(0.1 - 2.0 * 9.8 / 1e4).epsilon(1e-6));
  const SurfacePair& pair = made.model().surface(materialOf(made, "m::a_c"), 0);
  CHECK(pair.friction == 0.2);
  CHECK(pair.across() == 0.8);
}

TEST_CASE("inertial auto weighs the shapes of an SDF by their densities") {
  const auto weighed = [](const std::string& inertial, const std::string& density) {
    return test::fromSdfText(
        "<world name='w'><model name='m'><link name='a'>" + inertial + "<collision name='c'>" + density +
        "<geometry><box><size>1 2 3</size></box></geometry></collision></link></model></world>");
  };
  const Body usual = weighed("<inertial auto='true'/>", "").body("m::a");
  CHECK(usual.mass == doctest::Approx(6000.0));
  CHECK(usual.inertia(0, 0) == doctest::Approx(6500.0));  // m (4 + 9)/12
  CHECK(weighed("<inertial auto='true'><density>500</density></inertial>", "").body("m::a").mass ==
        doctest::Approx(3000.0));
  CHECK(weighed("<inertial auto='true'><density>500</density></inertial>", "<density>200</density>")
            .body("m::a")
            .mass == doctest::Approx(1200.0));
}

TEST_CASE("efforts of an SDF bound the motors that are asked for") {
  const Converted made =
      test::fromSdfText("<model name='m'>" + test::sdfLink("a", "0 0 1 0 0 0") +
                            test::sdfJoint("j", "revolute", "world", "a", "0 0 1",
                                           "<limit><effort>7</effort><velocity>2</velocity></limit>") +
                            "</model>",
                        {.allMotors = true});
  REQUIRE(made.model().motors.size() == 1);
  CHECK(made.model().motors[0].torqueLimit == 7.0);
  CHECK(made.model().motors[0].speedLimit == 2.0);
}
