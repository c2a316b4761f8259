// Contacts with a law of their own: what they store, what they lose, and what they weigh down by.
#include <cmath>

#include "contacts/shape.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A sphere of 1 kg and 0.1 m that meets the ground at 1 m/s without gravity; `law`: attributes of its
/// material.
std::string meeting(const std::string& law, double timestep, const std::string& solver = "auto") {
  return "<options timestep=\"" + std::to_string(timestep) + "\" gravity=\"0 0 0\"/><solver name=\"" +
         solver + "\"/><material name=\"elastic\" friction=\"0.3\" " + law +
         "/><material name=\"ground\" friction=\"0.3\"/><shape name=\"ground\" type=\"plane\" "
         "material=\"ground\"/>"
         "<body name=\"ball\" position=\"0 0 0.11\" velocity=\"0 0 -1\"><shape type=\"sphere\" "
         "radius=\"0.1\" mass=\"1\" "
         "material=\"elastic\"/></body>";
}

/// Restitution of Hunt and Crossley's law: d v - ln(1 + d v) = -e d v - ln(1 - e d v), by bisection.
double huntCrossleyRestitution(double dv) {
  double low = 0.0, high = 1.0;
  for (int i = 0; i < 100; ++i) {
    const double e = 0.5 * (low + high);
    const double excess = -e * dv - std::log1p(-std::min(e * dv, 1.0 - 1e-16)) - dv + std::log1p(dv);
    (excess > 0.0 ? high : low) = e;
  }
  return low;
}

double restitutionOf(test::Run& run) {
  run.until(0.1);
  return run["body.ball.velocity.z"];
}

}  // namespace

TEST_CASE(
    "restitution follows the closed form of Hunt and Crossley, for any stiffness and exponent, with the "
    "first order" *
    doctest::test_suite("long")) {
  for (const double d : {0.1, 0.5, 2.0, 10.0})
    for (const std::string stiffness : {"stiffness=\"1e5\"", "stiffness=\"1e6\" exponent=\"1.5\""}) {
      CAPTURE(d);
      CAPTURE(stiffness);
      const double exact = huntCrossleyRestitution(d);
      const std::string law = stiffness + " hunt-crossley=\"" + std::to_string(d) + "\"";
      test::Run coarse(meeting(law, 4e-5)), fine(meeting(law, 1e-5));
      const double error = restitutionOf(coarse) - exact, less = restitutionOf(fine) - exact;
      CHECK(std::abs(less) < 0.02);
      CHECK(std::abs(error) > 2.5 * std::abs(less));
      CHECK(std::abs(error) < 6.0 * std::abs(less));
    }
}

TEST_CASE(
    "the budget of a bouncing Hunt-Crossley sphere closes to 1e-6, and what is lost is what the closed form "
    "says") {
  const double d = 0.4;
  test::Run run("<options timestep=\"5e-6\"/><material name=\"rubber\" stiffness=\"5e5\" hunt-crossley=\"" +
                std::to_string(d) +
                "\"/><material name=\"ground\"/><shape name=\"ground\" type=\"plane\" material=\"ground\"/>"
                "<body name=\"ball\" position=\"0 0 0.3\"><shape type=\"sphere\" radius=\"0.1\" mass=\"1\" "
                "material=\"rubber\"/></body>");
  double speed = std::sqrt(2.0 * test::kGravity * 0.2), lost = 0.0, stored = 0.0;
  int bounces = 0;
  double before = 0.0;
  const double start = run.simulator().initialEnergy().total();
  while (bounces < 2) {
    run.simulator().step();
    const double v = run["body.ball.velocity.z"];
    stored = std::max(stored, run["energy.elastic"]);
    const StepReport& report = run.simulator().report();
    const double balance = report.energy.total() - start + run.simulator().energyFlow().dissipated;
    REQUIRE(std::abs(balance) < 1e-6 * start);
    REQUIRE(std::abs(run.simulator().relativeEnergyDrift()) < 1e-6);
    if (before > 0.0 && v <= 0.0) {  // at the top
      ++bounces;
      const double e = huntCrossleyRestitution(d * speed);
      lost += 0.5 * speed * speed * (1.0 - e * e);
      speed *= e;
      CHECK(run.simulator().energyFlow().dissipated == doctest::Approx(lost).epsilon(0.03));
    }
    before = v;
  }
  CHECK(stored > 1.0);
}

TEST_CASE("an elastic contact without dissipation gives back what it took, but for the order of the step") {
  for (const std::string law :
       {"stiffness=\"1e5\"", "stiffness=\"1e6\" exponent=\"1.5\"", "young-modulus=\"1e7\""}) {
    test::Run coarse(meeting(law, 4e-5)), fine(meeting(law, 1e-5));
    const double lost = 1.0 - restitutionOf(coarse), less = 1.0 - restitutionOf(fine);
    CAPTURE(law);
    CHECK(less > 0.0);
    CHECK(less < 0.02);
    CHECK(lost > 3.0 * less);
  }
}

TEST_CASE(
    "a relaxation time damps as Kelvin and Voigt: restitution of the linear oscillator that leaves at zero "
    "force") {
  const double k = 1e5, tau = 1e-3, m = 1.0;
  // m x'' = -k (x + tau x') from where that is positive until it is zero, integrated finely.
  double x = -tau, v = 1.0;
  const double h = 1e-8;
  do {
    v -= h * k / m * (x + tau * v);
    x += h * v;
  } while (x + tau * v > 0.0);
  test::Run run(meeting("stiffness=\"1e5\" relaxation-time=\"0.001\"", 2e-6));
  CHECK(restitutionOf(run) == doctest::Approx(-v).epsilon(0.01));
  CHECK(-v < 0.7);
}

TEST_CASE("what rests on an elastic contact is pressed in by its weight") {
  const auto depth = [](const std::string& law, const std::string& shape, double size) {
    test::Run run("<options timestep=\"0.001\"/><material name=\"elastic\" " + law +
                  "/><material name=\"rigid\"/><shape type=\"plane\" material=\"rigid\"/><body name=\"b\" "
                  "position=\"0 0 " +
                  std::to_string(size) + "\"><shape type=\"" + shape +
                  "\" mass=\"2\" material=\"elastic\"/></body>");
    run.until(1.0);
    return size - run["body.b.position.z"];
  };
  const double weight = 2.0 * test::kGravity;
  CHECK(depth("stiffness=\"1e5\" hunt-crossley=\"5\"", "sphere\" radius=\"0.1", 0.1) ==
        doctest::Approx(weight / 1e5));
  CHECK(depth("stiffness=\"1e5\" relaxation-time=\"0.005\"", "box\" size=\"0.2 0.2 0.2", 0.1) ==
        doctest::Approx(weight / 4e5));
  const double modulus = 1e6 / (1.0 - 0.09);
  CHECK(depth("young-modulus=\"1e6\" hunt-crossley=\"5\"", "sphere\" radius=\"0.1", 0.1) ==
        doctest::Approx(std::pow(0.75 * weight / (modulus * std::sqrt(0.1)), 2.0 / 3.0)));
  CHECK(depth("young-modulus=\"1e6\" edge-radius=\"0.02\" hunt-crossley=\"5\"", "box\" size=\"0.2 0.2 0.2",
              0.1) ==
        doctest::Approx(std::pow(0.75 * 0.25 * weight / (modulus * std::sqrt(0.02)), 2.0 / 3.0)));
}

TEST_CASE("stiff contacts do not limit the step") {
  for (const std::string stiffness : {"1e3", "1e6", "1e9", "1e12"}) {
    test::Run run(
        "<options timestep=\"0.01\"/><material name=\"elastic\" stiffness=\"" + stiffness +
        "\" hunt-crossley=\"1\"/><material name=\"rigid\"/><shape type=\"plane\" material=\"rigid\"/>"
        "<body name=\"a\" position=\"0 0 0.15\"><shape type=\"box\" size=\"0.2 0.2 0.2\" mass=\"1\" "
        "material=\"elastic\"/></body>"
        "<body name=\"b\" position=\"0.02 0 0.4\"><shape type=\"sphere\" radius=\"0.1\" mass=\"0.5\" "
        "material=\"elastic\"/></body>");
    double highest = 0.0;
    while (run.simulator().state().time < 1.0) {
      run.simulator().step();
      REQUIRE(!run.simulator().diverged());
      CHECK(run.simulator().report().status == SolveStatus::Solved);
      highest = std::max(highest, run["energy.total"]);
    }
    CAPTURE(stiffness);
    CHECK(highest <= run.simulator().initialEnergy().total() * (1.0 + 1e-9));
    CHECK(run["body.a.speed"] < 1.0);
  }
}

TEST_CASE(
    "a tangential spring yields by force over stiffness, gives it back, and slides at the bound of "
    "friction") {
  // Four contacts of 2e4 N/m under a box of 1 kg, friction 0.5.
  test::Run run(
      "<options timestep=\"0.001\"/><material name=\"pad\" friction=\"0.5\" tangential-stiffness=\"2e4\"/>"
      "<material name=\"floor\" friction=\"0.5\"/><shape type=\"plane\" material=\"floor\"/>"
      "<motion name=\"pull\" type=\"series\" samples=\"0 0 0.5 4 1 4 1.5 0 2 0 3 6\" "
      "interpolation=\"linear\"/>"
      "<body name=\"box\" position=\"0 0 0.1\"><shape type=\"box\" size=\"0.4 0.4 0.2\" mass=\"1\" "
      "material=\"pad\"/></body>"
      "<wrench body=\"box\" force=\"1 0 0\" point=\"0 0 -0.1\" motion=\"pull\"/>");
  run.until(0.99);
  CHECK(run["body.box.position.x"] == doctest::Approx(4.0 / 8e4).epsilon(1e-3));
  CHECK(run["energy.elastic"] == doctest::Approx(0.5 * 16.0 / 8e4).epsilon(1e-2));
  run.until(2.0);
  CHECK(std::abs(run["body.box.position.x"]) < 1e-7);
  const double slides = 2.0 + 0.5 * test::kGravity / 6.0;
  run.until(slides - 0.01);
  CHECK(run["body.box.position.x"] < 0.5 * test::kGravity / 8e4);
  run.until(slides + 0.1);
  CHECK(run["body.box.position.x"] > 5e-4);
  CHECK(std::abs(run.simulator().relativeEnergyDrift()) < 1e-6);
}

TEST_CASE("every solver runs a contact with a law, and those of Coulomb's law agree") {
  double reference = 0.0;
  for (const SolverEntry& solver : solverRegistry()) {
    test::Run run(
        "<options timestep=\"0.002\"/><solver name=\"" + std::string(solver.name) +
        "\" max-iterations=\"20000\"/><material name=\"elastic\" friction=\"0.3\" stiffness=\"2e4\" "
        "hunt-crossley=\"1\"/><material name=\"ground\" friction=\"0.3\"/><shape type=\"plane\" "
        "material=\"ground\"/>"
        "<body name=\"ball\" position=\"0 0 0.12\" velocity=\"1 0 0\"><shape type=\"sphere\" radius=\"0.1\" "
        "mass=\"1\" "
        "material=\"elastic\"/></body>");
    CAPTURE(solver.name);
    int unsolved = 0;
    while (run.simulator().state().time < 0.4) {
      run.simulator().step();
      unsolved += run.simulator().report().status != SolveStatus::Solved ? 1 : 0;
    }
    CHECK(unsolved <= (solver.name == "IPM-NCP-LAGGED" || solver.name == "RAISIM-DS-ES" ? 60 : 2));
    CHECK(std::isfinite(run["body.ball.position.z"]));
    CHECK(run["body.ball.position.z"] > 0.09);
    if (solver.name == "auto") reference = run["body.ball.position.x"];
    if (solver.model == ContactModel::Ncp && unsolved == 0)
      CHECK(run["body.ball.position.x"] == doctest::Approx(reference).epsilon(1e-4));
  }
}

TEST_CASE("dissipation ends a bounce as the same law of LAGGED and of auto has it") {
  test::Run newton(meeting("stiffness=\"1e5\" hunt-crossley=\"2\"", 1e-4));
  test::Run lagged(meeting("stiffness=\"1e5\" hunt-crossley=\"2\"", 1e-4, "LAGGED"));
  CHECK(restitutionOf(newton) == doctest::Approx(restitutionOf(lagged)).epsilon(1e-6));
}
