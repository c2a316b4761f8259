#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "engine/base/expression.h"
#include "tests/support.h"

using namespace grashof;

namespace {

std::optional<double> names(std::string_view name) {
  if (name == "L") return 0.12;
  if (name == "n_2") return 3.0;
  return std::nullopt;
}

double valueOf(const std::string& text, AngleUnit unit = AngleUnit::Radian) {
  const Evaluation value = evaluate(text, names, unit);
  CAPTURE(text);
  CHECK(value.defect == "");
  return value.value;
}

}  // namespace

TEST_CASE("operators bind as in mathematics, and the order of operations is that of the text") {
  CHECK(valueOf("1+2*3") == 7.0);
  CHECK(valueOf(" ( 1 + 2 ) * 3 ") == 9.0);
  CHECK(valueOf("2^3^2") == 512.0);
  CHECK(valueOf("-2^2") == -4.0);
  CHECK(valueOf("2^-1") == 0.5);
  CHECK(valueOf("8/4/2") == 1.0);
  CHECK(valueOf("7-4-2") == 1.0);
  CHECK(valueOf("7%4") == 3.0);
  CHECK(valueOf("--3") == 3.0);
  CHECK(valueOf("0.1+L*3+L*7") == 0.1 + 0.12 * 3 + 0.12 * 7);
  CHECK(valueOf("1<2 && 2<=2 && 3>2 && 3>=3 && 1!=2 && 1==1") == 1.0);
  CHECK(valueOf("0 || !0") == 1.0);
  CHECK(valueOf("L>1 ? 5 : n_2==3 ? 6 : 7") == 6.0);
}

TEST_CASE("numbers are the doubles nearest to their decimals, as those that are no expressions") {
  CHECK(valueOf("0.1") == 0.1);
  CHECK(valueOf(".5e-3") == .5e-3);
  CHECK(valueOf("1.7976931348623157e308") == 1.7976931348623157e308);
  CHECK(valueOf("pi") == std::numbers::pi);
}

TEST_CASE("functions are those of the standard library") {
  CHECK(valueOf("sin(0.3)") == std::sin(0.3));
  CHECK(valueOf("atan2(1, -2)") == std::atan2(1.0, -2.0));
  CHECK(valueOf("hypot(3, 4)") == 5.0);
  CHECK(valueOf("hypot(2, 3, 6)") == 7.0);
  CHECK(valueOf("min(3, 1, 2) + max(3, 1, 2)") == 4.0);
  CHECK(valueOf("round(2.5) + floor(-0.5) + ceil(0.5) + sign(-3)") == 2.0);
  CHECK(valueOf("pow(2, 10) - exp(0) - log(1) - log10(100)") == 1021.0);
  CHECK(valueOf("cbrt(27) + sqrt(16) + abs(-1)") == 8.0);
}

TEST_CASE("angles in degrees: functions take and give them, and quarters of a turn are exact") {
  for (int quarter = -9; quarter <= 9; ++quarter) {
    const std::string angle = std::to_string(90 * quarter);
    CAPTURE(angle);
    const int phase = ((quarter % 4) + 4) % 4;
    CHECK(valueOf("sin(" + angle + ")", AngleUnit::Degree) == (phase == 1 ? 1.0 : phase == 3 ? -1.0 : 0.0));
    CHECK(valueOf("cos(" + angle + ")", AngleUnit::Degree) == (phase == 0 ? 1.0 : phase == 2 ? -1.0 : 0.0));
    CHECK_FALSE(std::signbit(valueOf("abs(cos(" + angle + "))", AngleUnit::Degree)));
  }
  test::forAll(31, 50, [](test::Random& random, int) {
    const double x = random.uniform(-1000.0, 1000.0);
    const std::string angle = fmt::format("({})", x);
    const double radian = x * std::numbers::pi / 180.0;
    CHECK(std::abs(valueOf("sin" + angle, AngleUnit::Degree) - std::sin(radian)) < 1e-13);
    CHECK(std::abs(valueOf("cos" + angle, AngleUnit::Degree) - std::cos(radian)) < 1e-13);
  });
  CHECK(std::abs(valueOf("atan2(1, 1)", AngleUnit::Degree) - 45.0) < 1e-13);
  CHECK(std::abs(valueOf("tan(45)", AngleUnit::Degree) - 1.0) < 1e-15);
}

TEST_CASE("what is no expression is said, with its place; nothing is guessed") {
  const std::vector<std::tuple<std::string, std::string, std::size_t>> cases = {
      {"", "is empty", 0},
      {"L/", "ends where a value is missing", 2},
      {"(L", "')' is missing", 2},
      {"L)", "')' is not expected", 1},
      {"2 3", "'3' is not expected", 2},
      {"1,2", "',' is not expected", 1},
      {"L = 2", "'=' is not expected", 2},
      {"10s", "'s' is not expected after a number", 2},
      {"0x10", "'x10' is not expected after a number", 1},
      {"1.2.3", "'.' is not expected after a number", 3},
      {"1e999", "out of range", 0},
      {"K*2", "there is no parameter K", 0},
      {"2*foo(1)", "there is no function foo", 2},
      {"sin", "sin is a function", 0},
      {"sin(1, 2)", "takes 1 argument", 0},
      {"atan2(1)", "takes 2 arguments", 0},
      {"a ? b", "there is no parameter a", 0},
      {"1 ? 2", "':' is missing", 5},
      {"1/0", "is infinite", 0},
      {"sqrt(-1)", "has no value", 0},
      {"nan", "there is no parameter nan", 0},
      {"inf", "there is no parameter inf", 0},
      {"2 ± 1", "'±' is not expected", 2},
  };
  for (const auto& [given, message, position] : cases) {
    const std::string& text = given;  // macros cannot capture a binding
    CAPTURE(text);
    const Evaluation value = evaluate(text, names);
    CHECK_MESSAGE(value.defect.find(message) != std::string::npos, value.defect);
    CHECK(value.position == position);
    CHECK(value.value == 0.0);
  }
  CHECK(evaluate("K", names, AngleUnit::Radian, [] {
          return std::vector<std::string>{"L", "n_2"};
        }).defect.find("known: L, n_2") != std::string::npos);
}

TEST_CASE("no depth of parentheses, signs or choices exhausts the stack") {
  for (const char* open : {"(", "-", "!", "sin(", "1?", "2^", "1?1:"}) {
    std::string text;
    for (int i = 0; i < 100000; ++i) text += open;
    CAPTURE(open);
    CHECK(evaluate(text + "1", names).defect.find("nested too deeply") != std::string::npos);
  }
  CHECK(valueOf(std::string(60, '(') + "1" + std::string(60, ')')) == 1.0);
  // Long is not deep.
  std::string sum = "0";
  for (int i = 0; i < 100000; ++i) sum += "+1";
  CHECK(valueOf(sum) == 100000.0);
}

TEST_CASE("lists are split at blanks outside of parentheses; names of parameters are no functions") {
  CHECK(splitItems(" a  (b - c)\t-d\n").size() == 3);
  CHECK(splitItems("a  (b - c)")[1] == "(b - c)");
  CHECK(splitItems("").empty());
  CHECK(splitItems(") a b").size() == 3);
  for (const char* good : {"L", "_x", "a1", "left_2"}) CHECK(isParameterName(good));
  for (const char* bad : {"", "1a", "a-b", "sin", "pi", "a.b", "a b", "ä"}) CHECK_FALSE(isParameterName(bad));
}
