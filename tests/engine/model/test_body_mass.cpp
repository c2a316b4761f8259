#include "engine/model/body_mass.h"
#include "engine/model/definitions.h"
#include "engine/model/shapes.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("two half boxes have the mass, centre and inertia of the whole one") {
  const double density = 700.0;
  const auto part = [&](const Shape& shape) { return MassPart{density, placedVolume(shape)}; };
  const Pose shift{Vec3(1.0, -2.0, 0.5), Quat::Identity()};
  const MassPart whole[] = {part(grashof::boxShape(Vec3(0.4, 0.2, 0.1), shift))};
  const MassPart halves[] = {part(grashof::boxShape(Vec3(0.2, 0.2, 0.1), shift * at(-0.1, 0.0, 0.0))),
                             part(grashof::boxShape(Vec3(0.2, 0.2, 0.1), shift * at(0.1, 0.0, 0.0)))};
  const MassProperties one = massProperties(whole), two = massProperties(halves);
  CHECK(one.mass == doctest::Approx(0.4 * 0.2 * 0.1 * density));
  CHECK(two.mass == doctest::Approx(one.mass));
  CHECK((two.center - one.center).norm() < 1e-14);
  CHECK((two.inertia - one.inertia).norm() < 1e-14);
}

TEST_CASE("inertia about another point is larger by that of the mass at its distance") {
  const Vec3 point(0.3, 0.1, -0.2);
  const MassPart parts[] = {{1000.0, placedVolume(sphereShape(0.1, at(0.0, 1.0, 0.0)))}};
  const MassProperties own = massProperties(parts), other = massProperties(parts, point);
  CHECK((other.inertia - own.inertia - pointInertia(own.mass, own.center - point)).norm() < 1e-12);
}

TEST_CASE("no parts, no mass") { CHECK(massProperties({}).mass == 0.0); }
