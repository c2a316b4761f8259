#include <cstdlib>
#include <set>
#include <stdexcept>
#include <vector>

#include "tests/support.h"

using namespace grashof;

namespace {

/// Sets an environment variable as long as it lives, and restores what was there.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value, 1);
  }
  ~Environment() {
    if (before_.empty())
      unsetenv(name_);
    else
      setenv(name_, before_.c_str(), 1);
  }

 private:
  const char* name_;
  std::string before_;
};

/// The first number of each trial, by trial.
std::vector<std::pair<int, double>> firstNumbers(unsigned seed, int count) {
  std::vector<std::pair<int, double>> numbers;
  test::forAll(seed, count,
               [&](test::Random& random, int trial) { numbers.emplace_back(trial, random.uniform()); });
  return numbers;
}

}  // namespace

TEST_CASE("forAll: every trial draws numbers of its own, the same ones in every run") {
  const Environment all("GRASHOF_TRIAL", "");
  const auto numbers = firstNumbers(5, 100);
  CHECK(numbers == firstNumbers(5, 100));
  std::set<double> different;
  for (const auto& [trial, number] : numbers) different.insert(number);
  for (const auto& [trial, number] : firstNumbers(6, 100)) different.insert(number);
  CHECK(different.size() == 200);
}

TEST_CASE("forAll: GRASHOF_TRIAL runs one trial alone, with the numbers that it has among all") {
  const auto all = [] {
    const Environment none("GRASHOF_TRIAL", "");
    return firstNumbers(5, 10);
  }();
  const Environment one("GRASHOF_TRIAL", "5:7");
  CHECK(firstNumbers(5, 10) == std::vector{all[7]});
  CHECK(firstNumbers(4, 10).size() == 10);
}

// CTest runs the two that follow and reads the report; see tests/CMakeLists.txt.
TEST_CASE("report of a check that fails in forAll" * doctest::skip()) {
  test::forAll(11, 5, [](test::Random&, int trial) { CHECK(trial != 3); });
}

TEST_CASE("report of an exception in forAll" * doctest::skip()) {
  test::forAll(12, 5, [](test::Random&, int trial) {
    if (trial == 4) throw std::runtime_error("thrown on purpose");
  });
}
