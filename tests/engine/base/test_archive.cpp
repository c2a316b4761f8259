#include "engine/base/archive.h"
#include "tests/support.h"

using namespace grashof;

namespace {

template <typename T>
T restored(double number) {
  const std::vector<double> numbers = {number};
  Archive archive{std::span<const double>(numbers)};
  T value{};
  archive(value);
  archive.finish();
  return value;
}

}  // namespace

TEST_CASE("what is saved is restored, bit for bit") {
  std::vector<double> numbers;
  Archive saving(numbers);
  double a = -0.0;
  std::int64_t b = -(std::int64_t{1} << 52);
  bool c = true;
  std::vector<Vec3> d = {Vec3(1.0, 2.0, 1.0 / 3.0)};
  saving(a, b, c, d);
  Archive restoring{std::span<const double>(numbers)};
  double a2 = 1.0;
  std::int64_t b2 = 0;
  bool c2 = false;
  std::vector<Vec3> d2;
  restoring(a2, b2, c2, d2);
  restoring.finish();
  CHECK(std::signbit(a2));
  CHECK(a2 == 0.0);
  CHECK(b2 == b);
  CHECK(c2);
  CHECK(d2 == d);
}

TEST_CASE("a number that an integer cannot hold is refused") {
  CHECK(restored<int>(-2147483648.0) == std::numeric_limits<int>::lowest());
  CHECK(restored<std::size_t>(3.0) == 3);
  CHECK_THROWS_AS(restored<int>(2147483648.0), InputError);
  CHECK_THROWS_AS(restored<int>(-2147483649.0), InputError);
  CHECK_THROWS_AS(restored<int>(0.5), InputError);
  CHECK_THROWS_AS(restored<bool>(2.0), InputError);
  CHECK_THROWS_AS(restored<std::size_t>(-1.0), InputError);
  CHECK_THROWS_AS(restored<std::int64_t>(0x1p53), InputError);
  CHECK_THROWS_AS(restored<std::int64_t>(std::numeric_limits<double>::quiet_NaN()), InputError);
  CHECK_THROWS_AS(restored<int>(std::numeric_limits<double>::infinity()), InputError);
}

TEST_CASE("a list longer than what was saved is refused before it takes memory") {
  const std::vector<double> numbers = {1e15, 1.0};
  Archive archive{std::span<const double>(numbers)};
  std::vector<double> list;
  CHECK_THROWS_AS(archive(list), InputError);
  CHECK(list.empty());
}
