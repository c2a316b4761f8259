// Function expressions of Adams/Solver have their values, and become the signals that they are.
#include <cmath>
#include <numbers>

#include "tests/tools/adm_support.h"
#include "tools/convert/adm_expression.h"
#include "tools/convert/adm_signal.h"

using namespace grashof;
using namespace grashof::test;
using convert::AdmExpression;

namespace {

constexpr double kDegree = std::numbers::pi / 180.0;

const std::string* noVariable(int) { return nullptr; }

double valueOf(const std::string& text, double time = 0.0) {
  std::string defect;
  const AdmExpression e(text, noVariable, defect);
  CHECK_MESSAGE(defect.empty(), text << ": " << defect);
  return e.value(e.root(), time);
}

std::string admDefect(const std::string& text) {
  std::string defect;
  const AdmExpression e(text, noVariable, defect);
  return defect;
}

convert::AdmSignal signalOf(const std::string& text, const convert::AdmSignalUse& use = {}) {
  std::string defect;
  const AdmExpression e(text, noVariable, defect);
  const auto made = convert::admSignal(e, e.root(), use, defect);
  REQUIRE_MESSAGE(made.has_value(), text << ": " << defect);
  return *made;
}

}  // namespace

TEST_CASE("arithmetic of functions is Fortran's, with degrees") {
  CHECK(valueOf("1 + 2*3 - 8/4") == 5.0);
  CHECK(valueOf("-2**2") == -4.0);
  CHECK(valueOf("2**3**2") == 512.0);
  CHECK(valueOf("2*-3") == -6.0);
  CHECK(valueOf("(1+2)*(3-5)") == -6.0);
  CHECK(valueOf("90D") == doctest::Approx(90.0 * kDegree));
  CHECK(valueOf("1.5E-2 + 1.0D+1 + 2.e3 + .5") == doctest::Approx(2010.515));
  CHECK(valueOf("180*DTOR - PI + RTOD*PI - 180") == doctest::Approx(0.0).epsilon(1e-12));
  CHECK(valueOf("time**2", 3.0) == 9.0);
}

TEST_CASE("functions of numbers have the values of their definitions") {
  CHECK(valueOf("STEP(TIME, 1, 2, 3, 6)", 0.5) == 2.0);
  CHECK(valueOf("STEP(TIME, 1, 2, 3, 6)", 2.0) == 4.0);
  CHECK(valueOf("STEP(TIME, 1, 2, 3, 6)", 1.5) == doctest::Approx(2.0 + 4.0 * (3.0 / 16.0 - 2.0 / 64.0)));
  CHECK(valueOf("STEP5(TIME, 0, 0, 1, 1)", 0.25) ==
        doctest::Approx(10.0 / 64.0 - 15.0 / 256.0 + 6.0 / 1024.0));
  CHECK(valueOf("HAVSIN(TIME, 0, 1, 2, 3)", 0.5) == doctest::Approx(2.0 - std::cos(std::numbers::pi / 4.0)));
  CHECK(valueOf("POLY(TIME, 1, 2, 3, 4)", 3.0) == 2.0 + 3.0 * 2.0 + 4.0 * 4.0);
  CHECK(valueOf("SHF(TIME, 25D, PI, 360D, 30D, 5)", 0.7) ==
        doctest::Approx(std::numbers::pi *
                            std::sin(2.0 * std::numbers::pi * (0.7 - 25.0 * kDegree) - 30.0 * kDegree) +
                        5.0));
  CHECK(valueOf("IF(TIME-1: 2, 3, 4)", 0.0) == 2.0);
  CHECK(valueOf("IF(TIME-1: 2, 3, 4)", 1.0) == 3.0);
  CHECK(valueOf("IF(TIME-1: 2, 3, 1/0*0)", 0.0) == 2.0);
  CHECK(valueOf("MIN(2, 3) + MAX(2, 3) + ABS(-4) + MOD(7, 4) + SIGN(2, -1)") == 10.0);
  CHECK(valueOf("SQRT(16) + EXP(0) + LOG(1) + LOG10(100) + ATAN2(0, 1) + COS(0) + SIN(0)") == 8.0);
  CHECK(valueOf("FORSIN(TIME, 0, 2, 1, 3)", 0.3) == doctest::Approx(1.0 + 3.0 * std::sin(0.6)));
  CHECK(valueOf("CHEBY(TIME, 0, 1, 2, 3)", 0.5) ==
        doctest::Approx(1.0 + 2.0 * 0.5 + 3.0 * (2.0 * 0.25 - 1.0)));
}

TEST_CASE("a comma that continues a line is one only where the text needs it") {
  CHECK(valueOf("STEP(TIME, 0, 0\x01 1, 8)", 0.5) == 4.0);
  CHECK(valueOf("STEP(TIME, 0, 0,\x01 1, 8)", 0.5) == 4.0);
  CHECK(valueOf("1 +\x01 2 \x01 - 4") == -1.0);
  CHECK(valueOf("STEP(TIME, 0\x01 -8, 1\x01 8)", 0.5) == 0.0);
  CHECK(valueOf("STEP(TIME, 0\x01 0, 1\x01 8) -\x01 1", 0.5) == 3.0);
}

TEST_CASE("what is no expression is a defect that says why") {
  CHECK(admDefect("1 +") == "it ends too early");
  CHECK(admDefect("(1") == "a closing parenthesis is missing");
  CHECK(admDefect("1 2").find("is too much") != std::string::npos);
  CHECK(admDefect("STEP(TIME, 1)").find("another number of arguments") != std::string::npos);
  CHECK(admDefect("DM(TIME, 1)").find("by their identifiers") != std::string::npos);
  CHECK(admDefect("#").find("is not understood") != std::string::npos);
  CHECK(admDefect("").find("too early") != std::string::npos);
  CHECK(admDefect(std::string(5000, '(')).find("nested too deep") != std::string::npos);
  CHECK(admDefect(std::string(5000, '-') + "1").empty());
  std::string towers = "2";
  for (int i = 0; i < 1000; ++i) towers += "**2";
  CHECK(admDefect(towers).find("nested too deep") != std::string::npos);
}

TEST_CASE("an expression is linear in what it measures, or not") {
  std::string defect;
  AdmExpression e("-100*(DM(1,2) - 2) - VR(1,2)/4 + SIN(TIME)", noVariable, defect);
  const auto form = e.linear();
  REQUIRE(form.has_value());
  CHECK(form->coefficients.size() == 2);
  CHECK(form->coefficients.begin()->first.name == "DM");
  CHECK(form->coefficients.begin()->second == -100.0);
  CHECK(e.value(form->rest, 0.5) == doctest::Approx(200.0 + std::sin(0.5)));
  for (const char* curved : {"DM(1,2)**2", "DM(1,2)*VR(1,2)", "SIN(DM(1,2))", "TIME*DM(1,2)", "1/DM(1,2)"}) {
    CAPTURE(curved);
    AdmExpression other(curved, noVariable, defect);
    CHECK_FALSE(other.linear().has_value());
  }
}

TEST_CASE("variables stand for their functions, and not for themselves") {
  const std::string two = "2*TIME", circle = "VARVAL(2)";
  const auto variables = [&](int id) { return id == 1 ? &two : id == 2 ? &circle : nullptr; };
  std::string defect;
  const AdmExpression e("VARVAL(1) + 1", variables, defect);
  CHECK(e.value(e.root(), 3.0) == 7.0);
  const AdmExpression none("VARVAL(2)", variables, defect);
  CHECK(defect.find("in a circle") != std::string::npos);
  defect.clear();
  const AdmExpression unknown("VARVAL(3)", variables, defect);
  CHECK(unknown.obstacle(unknown.root()) == "VARVAL");
}

TEST_CASE("constants, straight lines, sines and single steps are exact signals") {
  CHECK(signalOf("3*2").signal.kind == Signal::Kind::Constant);
  const Signal line = signalOf("1 + 30D*TIME").signal;
  CHECK(line.interpolation == Interpolation::Linear);
  CHECK(line.value(2.0) == doctest::Approx(1.0 + 60.0 * kDegree));
  CHECK(line.rate(0.0) == doctest::Approx(30.0 * kDegree));
  const Signal sine = signalOf("2 - 3*COS(4*TIME + 0.5)/2").signal;
  CHECK(sine.kind == Signal::Kind::Sine);
  const Signal step = signalOf("10*STEP(TIME, 1, 0, 2, 5) - 1").signal;
  CHECK(step.times == std::vector<double>{1.0, 2.0});
  const Signal backwards = signalOf("SIN(1 - 2*TIME)").signal;
  for (const double t : {0.0, 0.3, 1.4, 1.9, 2.7}) {
    CAPTURE(t);
    CHECK(sine.value(t) == doctest::Approx(2.0 - 1.5 * std::cos(4.0 * t + 0.5)));
    CHECK(step.value(t) == doctest::Approx(valueOf("10*STEP(TIME, 1, 0, 2, 5) - 1", t)));
    CHECK(backwards.value(t) == doctest::Approx(std::sin(1.0 - 2.0 * t)));
  }
}

TEST_CASE("velocities and accelerations are integrated") {
  convert::AdmSignalUse use{.order = 1, .start = 0.5};
  CHECK(signalOf("2", use).signal.value(3.0) == doctest::Approx(6.5));
  CHECK(signalOf("0", use).signal.value(3.0) == 0.5);
  const convert::AdmSignal wave = signalOf("3*SIN(2*TIME)", use);
  CHECK_FALSE(wave.sampled);
  CHECK(wave.signal.value(0.7) == doctest::Approx(0.5 + 1.5 - 1.5 * std::cos(1.4)));
  const convert::AdmSignal ramp = signalOf("4*TIME", use);
  CHECK(ramp.sampled);
  CHECK(ramp.signal.value(0.6) == doctest::Approx(0.5 + 2.0 * 0.36).epsilon(1e-9));
  use = {.order = 2, .start = 0.5, .startRate = -1.0};
  const convert::AdmSignal thrown = signalOf("-10", use);
  CHECK(thrown.signal.value(0.3456) == doctest::Approx(0.5 - 0.3456 - 5.0 * 0.3456 * 0.3456).epsilon(1e-9));
  CHECK(thrown.signal.rate(0.0) == doctest::Approx(-1.0).epsilon(1e-6));
}

TEST_CASE("samples follow a function, its rate and its acceleration from the start on") {
  const convert::AdmSignal made = signalOf("EXP(-TIME)*SIN(5*TIME)", {.scale = 1e-3, .duration = 2.0});
  CHECK(made.sampled);
  double value = 0.0, rate = 0.0;
  for (double t = 0.0; t < 1.999; t += 0.0137) {
    value = std::max(value, std::abs(made.signal.value(t) - 1e-3 * std::exp(-t) * std::sin(5.0 * t)));
    rate = std::max(rate, std::abs(made.signal.rate(t) -
                                   1e-3 * std::exp(-t) * (5.0 * std::cos(5.0 * t) - std::sin(5.0 * t))));
  }
  CHECK(value <= 1e-11);
  CHECK(rate <= 1e-7);
  // Where it has no value before the start, it goes on as it begins.
  const convert::AdmSignal root = signalOf("SQRT(TIME + 0*LOG(TIME + 1E-3))", {.duration = 1.0});
  CHECK(root.signal.value(0.25) == doctest::Approx(0.5));
  std::string defect;
  const AdmExpression pole("LOG(1 - TIME)", noVariable, defect);
  CHECK_FALSE(convert::admSignal(pole, pole.root(), {.duration = 2.0}, defect).has_value());
  CHECK(defect.find("has no value at 1") != std::string::npos);
}

TEST_CASE("a dataset in milliseconds has its motions in seconds") {
  const Signal sine = signalOf("SIN(0.002*TIME)", {.timeUnit = 1e-3}).signal;
  CHECK(sine.value(0.4) == doctest::Approx(std::sin(0.8)));
  const Signal line = signalOf("0.002*TIME", {.timeUnit = 1e-3}).signal;
  CHECK(line.value(20.0) == doctest::Approx(40.0));
  const convert::AdmSignal sampled = signalOf("TIME**2", {.timeUnit = 1e-3, .duration = 1.0});
  CHECK(sampled.signal.value(0.5) == doctest::Approx(250000.0));
}
