#include <Eigen/Eigenvalues>

#include "engine/base/error.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("a body takes mass, centre and inertia from its shapes: two spheres on the z axis") {
  const Scenario s = test::scenarioOf(R"(<body name="a" position="0 0 1">
    <shape type="sphere" radius="0.1" mass="1" position="0 0 0.3"/>
    <shape type="sphere" radius="0.1" mass="3" position="0 0 -0.1"/></body>)");
  const Body& body = s.model->bodies[0];
  CHECK(body.mass == doctest::Approx(4.0));
  CHECK((body.initialPose.position - Vec3(0.0, 0.0, 1.0)).norm() < 1e-14);
  const Vec3 moments = Eigen::SelfAdjointEigenSolver<Mat3>(body.inertia).eigenvalues();
  const double own = 0.4 * 4.0 * 0.01, across = 0.09 + 3.0 * 0.01;
  CHECK(moments[0] == doctest::Approx(own));
  CHECK(moments[1] == doctest::Approx(own + across));
  CHECK(moments[2] == doctest::Approx(own + across));
}

TEST_CASE("shapes have the density of their material unless they have their own") {
  const auto mass = [](const std::string& attributes) {
    const Scenario s =
        test::scenarioOf(R"(<material name="lead" density="11000"/><body name="a" position="0 0 0">
      <shape type="box" size="0.1 0.2 0.3" )" +
                         attributes + "/></body>");
    return s.model->bodies[0].mass;
  };
  CHECK(mass(R"(material="lead")") == doctest::Approx(0.006 * 11000.0));
  CHECK(mass(R"(material="lead" density="500")") == doctest::Approx(3.0));
}

TEST_CASE("groups, masks and exclusions of contacts are read") {
  const Scenario s = test::scenarioOf(R"(<contacts><exclude a="b" b="a"/><exclude a="world" b="a"/></contacts>
    <body name="a" position="0 0 0"><inertial mass="1" inertia="1 1 1"/>
      <shape type="sphere" radius="0.1" groups="1 4" touches="0"/></body>
    <body name="b" position="1 0 0"><inertial mass="1" inertia="1 1 1"/></body>)");
  CHECK(s.model->shapes[0].group == 0b10010u);
  CHECK(s.model->shapes[0].mask == 1u);
  const auto excludes = [&](int a, int b) {
    return std::count(s.model->exclusions.begin(), s.model->exclusions.end(), ExcludedPair(a, b)) == 1;
  };
  CHECK(excludes(0, 1));
  CHECK(excludes(-1, 0));
}

TEST_CASE("attributes that bodies and shapes need are asked for by name") {
  const auto message = [](const std::string& inner) -> std::string {
    try {
      test::scenarioOf(inner);
    } catch (const InputError& e) {
      return e.what();
    }
    return {};
  };
  const auto body = [](const std::string& inside) {
    return "<body name='a' position='0 0 0'>" + inside + "</body>";
  };
  CHECK(message(body("<inertial inertia='1 1 1'/>")).find("mass is missing") != std::string::npos);
  CHECK(message(body("<shape type='box'/>")).find("size is missing") != std::string::npos);
  CHECK(message(body("<shape type='capsule' radius='1'/>")).find("length is missing") != std::string::npos);
  CHECK(message(body("<shape type='ball' radius='1'/>")).find("type=\"ball\"") != std::string::npos);
  CHECK(message(body("<inertial mass='1' inertia='1 1'/>")).find("3 or 6") != std::string::npos);
  CHECK(message(body("<inertial mass='1' inertia='1 1 1'/><inertial mass='1' inertia='1 1 1'/>"))
            .find("keep one") != std::string::npos);
  CHECK(message(body("<shape type='sphere' radius='1' material='led'/>") + "<material name='lead'/>")
            .find("did you mean lead?") != std::string::npos);
}
