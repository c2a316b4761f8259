#include <cmath>

#include "engine/study/random.h"
#include "tests/support.h"

using namespace grashof;
using study::philox;
using study::uniformAt;

TEST_CASE("Philox gives the words that its authors publish") {
  using Words = std::array<std::uint32_t, 4>;
  constexpr std::uint32_t kAll = 0xffffffff;
  CHECK(philox({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox({kAll, kAll, kAll, kAll}, {kAll, kAll}) ==
        Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
}

TEST_CASE(
    "numbers depend on their place alone, lie in (0, 1), and have the moments of a uniform distribution") {
  CHECK(uniformAt(7, 3, 11) == uniformAt(7, 3, 11));
  CHECK(uniformAt(7, 3, 11) != uniformAt(8, 3, 11));
  CHECK(uniformAt(7, 3, 11) != uniformAt(7, 4, 11));
  CHECK(uniformAt(7, 3, std::uint64_t{1} << 33) != uniformAt(7, 3, 0));
  constexpr int kCount = 100000;
  double sum = 0.0, squares = 0.0, products = 0.0;
  for (int i = 0; i < kCount; ++i) {
    const double x = uniformAt(1, 0, static_cast<std::uint64_t>(i)),
                 y = uniformAt(1, 1, static_cast<std::uint64_t>(i));
    CHECK(0.0 < x);
    CHECK(x < 1.0);
    sum += x;
    squares += x * x;
    products += (x - 0.5) * (y - 0.5);
  }
  // Five standard errors each.
  CHECK(std::abs(sum / kCount - 0.5) < 5.0 * std::sqrt(1.0 / 12.0 / kCount));
  CHECK(std::abs(squares / kCount - 1.0 / 3.0) < 5.0 * std::sqrt(4.0 / 45.0 / kCount));
  CHECK(std::abs(products / kCount) < 5.0 / 12.0 / std::sqrt(double{kCount}));
}
