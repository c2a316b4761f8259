#include "contacts/shape.h"
#include "engine/base/contact_law.h"
#include "engine/model/shapes.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("two laws in series give the force at which their penetrations add up") {
  test::forAll(451, 50, [](test::Random& random, int trial) {
    ContactLaw a, b;
    a.exponent = b.exponent = trial % 2 == 0 ? 1.0 : random.uniform(1.0, 3.0);
    a.stiffness = std::pow(10.0, random.uniform(2.0, 8.0));
    b.stiffness = std::pow(10.0, random.uniform(2.0, 8.0));
    const ElasticContact own = contactAt(mixed(a, b), 0.0), of = contactAt(a, 0.0), on = contactAt(b, 0.0);
    const double force = 17.0;
    const auto penetration = [&](const ElasticContact& c) {
      return std::pow(force / c.stiffness, 1.0 / c.exponent);
    };
    CHECK(penetration(own) == doctest::Approx(penetration(of) + penetration(on)));
    CHECK(mixed(a, b).stiffness == doctest::Approx(mixed(b, a).stiffness));
  });
}

TEST_CASE("dissipation of a pair is weighed by who is pressed in") {
  ContactLaw hard, soft;
  hard.stiffness = 9e5;
  hard.huntCrossley = 1.0;
  soft.stiffness = 1e5;
  soft.huntCrossley = 11.0;
  CHECK(mixed(hard, soft).huntCrossley == doctest::Approx(0.1 * 1.0 + 0.9 * 11.0));
  CHECK(mixed(hard, soft) == mixed(soft, hard));
  soft.huntCrossley = 0.0;
  soft.relaxationTime = 1e-3;
  CHECK(mixed(hard, soft).huntCrossley == 0.0);
  CHECK(mixed(hard, soft).relaxationTime == 1e-3);
  CHECK(mixed(hard, ContactLaw{}).stiffness == 9e5);
}

TEST_CASE("the modulus of a pair is Hertz's, and a given stiffness counts before it") {
  ContactLaw steel, rubber, spring;
  steel.youngModulus = 200e9;
  rubber.youngModulus = 5e6;
  rubber.poissonRatio = 0.5;
  spring.stiffness = 1e4;
  const double steelSide = (1.0 - 0.09) / 200e9, rubberSide = (1.0 - 0.25) / 5e6;
  CHECK(mixed(steel, rubber).planeModulus() == doctest::Approx(1.0 / (steelSide + rubberSide)));
  CHECK(mixed(steel, steel).planeModulus() == doctest::Approx(0.5 / steelSide));
  CHECK(mixed(steel, ContactLaw{}).planeModulus() == doctest::Approx(1.0 / steelSide));
  CHECK(mixed(steel, spring).stiffness == 1e4);
  CHECK(!mixed(steel, spring).hertz());
  CHECK(contactAt(mixed(steel, ContactLaw{}), 0.04).stiffness ==
        doctest::Approx(4.0 / 3.0 / steelSide * 0.2));
  CHECK(contactAt(mixed(steel, ContactLaw{}), 0.04).exponent == 1.5);
}

TEST_CASE("a hydroelastic modulus counts before all others, and the softer shape's dissipation the more") {
  ContactLaw pad, foam, spring;
  pad.hydroelasticModulus = 3e6;
  pad.huntCrossley = 1.0;
  foam.hydroelasticModulus = 1e6;
  foam.huntCrossley = 5.0;
  spring.stiffness = 1e4;
  spring.huntCrossley = 7.0;
  CHECK(mixed(pad, foam).hydroelasticModulus == doctest::Approx(0.75e6));
  CHECK(mixed(pad, foam).huntCrossley == doctest::Approx(0.25 * 1.0 + 0.75 * 5.0));
  CHECK(mixed(pad, foam) == mixed(foam, pad));
  CHECK(mixed(pad, spring) == mixed(spring, pad));
  CHECK(mixed(pad, spring).stiffness == 0.0);
  CHECK(mixed(pad, spring).huntCrossley == 1.0);
  const ElasticContact polygon = patchContact(mixed(pad, foam), 2e-4, 1e8);
  CHECK(polygon.stiffness == doctest::Approx(2e4));
  CHECK(polygon.huntCrossley == doctest::Approx(4.0));
  CHECK(polygon.force(-1e-3, 0.0) == doctest::Approx(20.0));
}

TEST_CASE("the energy of an elastic contact is the integral of its force") {
  for (const double exponent : {1.0, 1.5, 2.2}) {
    ElasticContact law;
    law.stiffness = 3e4;
    law.exponent = exponent;
    const double x = 2e-3, h = 1e-8;
    CHECK((law.energy(-x - h) - law.energy(-x + h)) / (2.0 * h) == doctest::Approx(law.force(-x, 0.0)));
    CHECK(law.energy(1e-3) == 0.0);
  }
}

TEST_CASE("the radius of a shape is that of its curvature") {
  CHECK(curvatureRadius(sphereShape(0.3), Vec3::UnitX()) == 0.3);
  CHECK(std::isinf(curvatureRadius(boxShape(Vec3::Ones()), Vec3::UnitX())));
  // At its end an ellipsoid of revolution has the radius b²/a, at its waist radii b and a²/b.
  const Shape egg = ellipsoidShape({0.1, 0.1, 0.4});
  CHECK(curvatureRadius(egg, Vec3::UnitZ()) == doctest::Approx(0.01 / 0.4));
  CHECK(curvatureRadius(egg, Vec3::UnitX()) == doctest::Approx(std::sqrt(0.1 * 0.16 / 0.1)));
}
