#include "engine/base/material.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE(
    "two surfaces make one: mean friction, the larger of what brakes and bounces, whichever comes first") {
  SurfacePair a, b;
  a.friction = 0.4;
  a.restitution = 0.1;
  a.rollingFriction = 2e-3;
  a.staticRatio = 1.2;
  a.stribeckSpeed = 0.05;
  b.friction = 0.9;
  b.frictionAcross = 0.1;
  b.restitution = 0.6;
  b.torsionalFriction = 1e-3;
  for (const SurfacePair& pair : {mixed(a, b), mixed(b, a)}) {
    CHECK(pair.friction == doctest::Approx(0.6));
    CHECK(pair.across() == doctest::Approx(0.2));
    CHECK(pair.restitution == 0.6);
    CHECK(pair.rollingFriction == 2e-3);
    CHECK(pair.torsionalFriction == 1e-3);
    CHECK(pair.staticRatio == 1.2);
    CHECK(pair.stribeckSpeed == 0.05);
  }
}
