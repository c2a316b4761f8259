#include "engine/base/softness.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A 2 kg box of which one face, 0.2 m by 0.2 m, rests on a plane.
std::string boxOnPlane(const std::string& material, double height, const std::string& options) {
  return "<options " + options + "/><material name=\"default\" " + material +
         "/><shape type=\"plane\"/><body name=\"box\" position=\"0 0 " + std::to_string(height) +
         "\"><shape type=\"box\" size=\"0.2 0.2 0.2\" mass=\"2\"/></body>";
}

}  // namespace

TEST_CASE("impedance rises from d0 to dw along MuJoCo's sigmoid") {
  Softness s;
  s.kind = Softness::Kind::Impedance;
  CHECK(impedanceAt(s, 0.0) == 0.9);
  CHECK(impedanceAt(s, -0.5e-3) == doctest::Approx(0.925));  // the midpoint, with power 2
  CHECK(impedanceAt(s, 0.25e-3) == doctest::Approx(0.9 + 0.05 * 0.125));
  CHECK(impedanceAt(s, 0.75e-3) == doctest::Approx(0.9 + 0.05 * 0.875));
  CHECK(impedanceAt(s, -1e-3) == 0.95);
  CHECK(impedanceAt(s, 5.0) == 0.95);
  s.power = 1.0;
  CHECK(impedanceAt(s, 0.3e-3) == doctest::Approx(0.9 + 0.05 * 0.3));
}

TEST_CASE("a row alone moves by the reference acceleration law (1-d) a0 - d (b v + k r)") {
  test::Random random(3);
  for (int trial = 0; trial < 200; ++trial) {
    Softness s;
    s.kind = Softness::Kind::Impedance;
    s.impedance0 = random.uniform(0.1, 0.5);
    s.impedanceWidth = random.uniform(0.5, 0.99);
    s.timeConstant = random.uniform(0.01, 0.1);
    s.dampingRatio = random.uniform(0.3, 2.0);
    const double r = random.uniform(-2e-3, 2e-3), v = random.uniform(-1.0, 1.0),
                 free = random.uniform(-9.0, 9.0);
    const double delassus = random.uniform(0.1, 10.0), dt = 1e-3;
    const SoftRow row = softRow(s, r, v, delassus, dt);
    // v⁺ = v + dt a0 + D λ and v⁺ + bias + R λ = 0.
    const double lambda = -(v + dt * free + row.bias) / (delassus + row.compliance);
    const double acceleration = free + delassus * lambda / dt;
    const double d = impedanceAt(s, r), w = s.impedanceWidth;
    const double b = 2.0 / (w * s.timeConstant);
    const double k = d / (w * w * s.timeConstant * s.timeConstant * s.dampingRatio * s.dampingRatio);
    CHECK(acceleration == doctest::Approx((1.0 - d) * free - d * (b * v + k * r)));
  }
}

TEST_CASE(
    "a mixing is a spring and a damper at the end of the step, and a gap that is open may close within it") {
  test::Random random(4);
  for (int trial = 0; trial < 100; ++trial) {
    Softness s;
    s.kind = Softness::Kind::Mixing;
    s.erp = random.uniform(0.05, 1.0);
    s.cfm = random.uniform(1e-4, 1e-1);
    const double r = random.uniform(-2e-3, 2e-3), dt = random.uniform(1e-3, 1e-2);
    const double stiffness = s.erp / (s.cfm * dt), damping = (1.0 - s.erp) / s.cfm;
    const double free = random.uniform(-1.0, 1.0), delassus = random.uniform(0.1, 10.0);
    const SoftRow row = softRow(s, r, random.uniform(-1.0, 1.0), delassus, dt);
    const double lambda = -(free + row.bias) / (delassus + row.compliance), after = free + delassus * lambda;
    CHECK(lambda / dt == doctest::Approx(-stiffness * (r + dt * after) - damping * after));
    CHECK(softGapRow(s, std::abs(r), 0.0, delassus, dt).bias == doctest::Approx(std::abs(r) / dt));
    CHECK(softGapRow(s, -std::abs(r), 0.0, delassus, dt).bias == doctest::Approx(-s.erp * std::abs(r) / dt));
    CHECK(softGapRow(s, -std::abs(r), 0.0, delassus, dt).compliance == row.compliance);
  }
}

TEST_CASE("of two materials that yield in different ways one counts, whatever their order") {
  const auto of = [](Softness::Kind kind) {
    Softness s;
    s.kind = kind;
    s.compliance = kind == Softness::Kind::Compliant ? 1e-6 : 0.0;
    return s;
  };
  using Kind = Softness::Kind;
  const Kind order[] = {Kind::Compliant, Kind::Impedance, Kind::Mixing, Kind::Rigid};
  for (int i = 0; i < 4; ++i)
    for (int j = i + 1; j < 4; ++j) {
      CHECK(softer(of(order[i]), of(order[j])).kind == order[i]);
      CHECK(softer(of(order[j]), of(order[i])).kind == order[i]);
    }
  Softness stiff = of(Kind::Mixing), soft = stiff, slow = stiff;
  soft.cfm = 1e-3;
  slow.erp = 0.1;
  CHECK(&softer(stiff, soft) == &soft);
  CHECK(&softer(soft, stiff) == &soft);
  CHECK(&softer(stiff, slow) == &slow);
}

TEST_CASE("a compliant contact sinks by the weight times the compliance, shared by its points") {
  // Four contacts of c = 1e-4 m/N carry 2 kg: r = c m g / 4.
  const double expected = 1e-4 * 2.0 * 9.81 / 4.0;
  for (const std::string integrator : {"moreau", "euler"}) {
    test::Run run(boxOnPlane("compliance=\"1e-4\"", 0.1 - expected,
                             "integrator=\"" + integrator + "\" timestep=\"1e-3\""));
    run.until(1.0);
    CHECK(run["body.box.position.z"] == doctest::Approx(0.1 - expected).epsilon(1e-6));
    CHECK(std::abs(run["body.box.velocity.z"]) < 1e-6);
  }
}

TEST_CASE("a mass on a compliant contact swings at sqrt(k/m) and is damped by the implicit step alone") {
  // Dropped 0.2 mm above its rest: period 2π √(c m / 4).
  const double c = 1e-4, rest = c * 2.0 * 9.81 / 4.0, omega = std::sqrt(4.0 / (c * 2.0));
  const double amplitude = 2e-4;
  test::Run run(boxOnPlane("compliance=\"1e-4\"", 0.1 - rest + amplitude, "timestep=\"1e-5\""));
  const double quarter = 0.5 * 3.14159265358979 / omega;
  run.until(quarter);
  CHECK(std::abs(run["body.box.position.z"] - (0.1 - rest)) < 0.02 * amplitude);
  run.until(2.0 * quarter);
  CHECK(run["body.box.position.z"] - (0.1 - rest) == doctest::Approx(-amplitude).epsilon(0.03));
}

TEST_CASE("a contact with impedance rests where d k r = (1 - d) g, as MuJoCo's does") {
  Softness s;
  s.kind = Softness::Kind::Impedance;
  double depth = 1e-3;
  // The four corners are coupled through the box, so that D_nn of one is not 1/m: only the law on the box
  // counts. With R = (1-d)/d D_nn and four equal corners, D_eff = 1/m: (1-d)/d D_nn/4 takes the place of it.
  const double arm = 0.1, inertia = 2.0 / 12.0 * (0.04 + 0.04);
  const double own = 1.0 / 2.0 + 2.0 * arm * arm / inertia;  // D_nn of a corner
  for (int i = 0; i < 200; ++i) {
    const double d = impedanceAt(s, depth);
    const double k = d / std::pow(s.impedanceWidth * s.timeConstant, 2);
    depth = (1.0 - d) / d * own / 4.0 * 2.0 * 9.81 / k;  // R λ = k r dt, λ = m g dt / 4
  }
  test::Run run(boxOnPlane("impedance=\"0.9 0.95 0.001 0.5 2\"", 0.1, "timestep=\"1e-3\""));
  run.until(1.0);
  CHECK(0.1 - run["body.box.position.z"] == doctest::Approx(depth).epsilon(1e-3));
}

TEST_CASE("soft limits and joints give way by force times compliance, and are not projected") {
  test::Run limit(
      "<options timestep=\"1e-3\"/><body name=\"bob\" position=\"0 0 0\"><inertial mass=\"3\" inertia=\"1 1 "
      "1\"/></body>"
      "<joint name=\"slide\" type=\"prismatic\" follower=\"bob\" axis=\"0 0 1\">"
      "<limit lower=\"-0.001\" compliance=\"1e-5\"/><dynamics damping=\"200\"/></joint>");
  limit.until(2.0);
  CHECK(limit["joint.slide.displacement"] == doctest::Approx(-0.001 - 1e-5 * 3.0 * 9.81).epsilon(1e-6));

  test::Run joint(
      "<options timestep=\"1e-3\" integrator=\"euler\"/><body name=\"bob\" position=\"0 0 0\">"
      "<inertial mass=\"3\" inertia=\"1 1 1\"/></body>"
      "<joint name=\"hold\" type=\"fixed\" follower=\"bob\" compliance=\"1e-5\"/>");
  joint.until(3.0);
  CHECK(joint["body.bob.position.z"] == doctest::Approx(-1e-5 * 3.0 * 9.81).epsilon(1e-3));
  CHECK(joint.simulator().report().jointResidual == 0.0);
}
