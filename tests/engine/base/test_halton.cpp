#include "engine/base/halton.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("Halton's sequence mirrors digits to the bases of the first primes") {
  CHECK(radicalInverse(6, 2) == 0.375);  // 110 -> 0.011
  const std::vector<double> x = haltonPoint(5, 4);
  CHECK(x[0] == 0.625);
  CHECK(x[1] == doctest::Approx(7.0 / 9.0));
  CHECK(x[2] == doctest::Approx(1.0 / 25.0));
  CHECK(x[3] == doctest::Approx(5.0 / 7.0));
}
