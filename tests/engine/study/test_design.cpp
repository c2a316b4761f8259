#include <cmath>
#include <set>

#include "engine/study/design.h"
#include "tests/support.h"

using namespace grashof;
using study::Design;
using study::Sampler;

TEST_CASE("points do not depend on the order in which they are asked for") {
  for (const Design design : {Design::Random, Design::Latin, Design::Sobol}) {
    Sampler forward(design, 3, 64, 5), backward(design, 3, 64, 5), other(design, 4, 64, 5);
    std::vector<std::vector<double>> points;
    for (std::uint64_t i = 0; i < 64; ++i) points.push_back(forward(i));
    for (std::uint64_t i = 64; i-- > 0;) CHECK(backward(i) == points[i]);
    CHECK(other(7) != points[7]);
  }
}

TEST_CASE("a Latin hypercube has one point in each share of each factor") {
  Sampler sampler(Design::Latin, 1, 100, 3);
  std::vector<std::set<int>> shares(3);
  for (std::uint64_t i = 0; i < 100; ++i)
    for (std::size_t d = 0; d < 3; ++d) shares[d].insert(static_cast<int>(100.0 * sampler(i)[d]));
  for (const auto& share : shares) CHECK(share.size() == 100);
}

TEST_CASE(
    "2^k points of Sobol's sequence are a net: one in each elementary interval of the first two dimensions") {
  Sampler sampler(Design::Sobol, 9, 64, 2);
  for (int bits = 0; bits <= 6; ++bits) {
    std::set<std::pair<int, int>> boxes;
    for (std::uint64_t i = 0; i < 64; ++i) {
      const auto p = sampler(i);
      boxes.emplace(static_cast<int>(std::ldexp(p[0], bits)), static_cast<int>(std::ldexp(p[1], 6 - bits)));
    }
    CAPTURE(bits);
    CHECK(boxes.size() == 64);
  }
}

TEST_CASE("Sobol's sequence integrates a smooth function better than random points do") {
  const auto error = [](Design design) {
    double worst = 0.0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      Sampler sampler(design, seed, 4096, 4);
      double sum = 0.0;
      for (std::uint64_t i = 0; i < 4096; ++i) {
        double product = 1.0;
        for (const double x : sampler(i)) product *= 2.0 * x;
        sum += product / 4096.0;
      }
      worst = std::max(worst, std::abs(sum - 1.0));
    }
    return worst;
  };
  CHECK(error(Design::Sobol) < 2e-3);
  CHECK(error(Design::Random) > 5e-3);
}
