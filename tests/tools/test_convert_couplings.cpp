// Couplings that are written as MJCF and URDF, and what a file holds that lost some.
#include "engine/model/model_builder.h"
#include "tests/support.h"
#include "tools/convert/cam_polynomial.h"
#include "tools/convert/formats.h"
#include "tools/convert/soft_coupling.h"
#include "tools/convert/written.h"

using namespace grashof;
using namespace grashof::convert;

namespace {

bool anyHolds(const std::vector<std::string>& lines, const std::string& part) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& l) { return l.find(part) != std::string::npos; });
}

const std::string kWheel = "<shape type='cylinder' radius='0.1' length='0.02' mass='1' collides='false'/>";

std::string wheel(const std::string& name, const std::string& base, const std::string& x) {
  return "<body name='" + name + "' position='" + x + " 0 0'>" + kWheel + "</body><joint name='" + name +
         "_pin' type='revolute' follower='" + name + "'" + (base.empty() ? "" : " base='" + base + "'") +
         " position='" + x + " 0 0' axis='0 0 1'/>";
}

/// Writes a scenario and reads it back.
Scenario roundTrip(const Scenario& s, bool urdf, Report& report, const test::ScratchFolder& folder) {
  Report ignored;
  if (!urdf) {
    writeMjcf(s, folder.path("m.xml"), report);
    return buildScenario(readMjcf(folder.path("m.xml"), {}, "", ignored), {}, ignored);
  }
  writeUrdf(s, folder.path("m.urdf"), report);
  Tree tree = readUrdf(folder.path("m.urdf"), {}, ignored);
  readLoops(folder.path("m.yaml"), tree, ignored);
  return buildScenario(tree, {}, ignored);
}

/// All couplings, also those that are soft.
std::vector<Coupling> couplingsOf(const Model& model) {
  std::vector<Coupling> all = model.couplings;
  for (const ForceElement& e : model.forces)
    if (const auto coupling = couplingOf(e)) all.push_back(*coupling);
  return all;
}

int written(const test::ScratchFolder& folder, bool urdf) {
  return writtenMobility(folder.path(urdf ? "m.urdf" : "m.xml"), urdf);
}

/// The sun, the ring and the planet of an epicyclic train, each about the carrier or the world: the carrier
/// is the mean of the other two. Two inputs remain of four coordinates.
const std::string kDifferential =
    "<body name='carrier'>" + kWheel +
    "</body><joint name='carrier_pin' type='revolute' follower='carrier' position='0 0 0' axis='0 0 1'/>" +
    wheel("left", "carrier", "0.1") + wheel("right", "carrier", "0.2") + wheel("planet", "carrier", "0.3") +
    "<coupling name='left_mesh' type='gear' joint-a='left_pin' joint-b='planet_pin' ratio='-1'/>"
    "<coupling name='right_mesh' type='gear' joint-a='right_pin' joint-b='planet_pin' ratio='1'/>";

}  // namespace

TEST_CASE("a gear train comes back from MJCF and URDF with its ratios, offsets and mobility") {
  const Scenario s =
      test::scenarioOf(wheel("a", "", "0") + wheel("b", "", "0.2") + wheel("c", "", "0.4") +
                       "<coupling name='ab' type='gear' joint-a='b_pin' joint-b='a_pin' ratio='-0.5' />"
                       "<coupling name='bc' type='gear' joint-a='c_pin' joint-b='b_pin' ratio='-3'/>");
  for (const bool urdf : {false, true}) {
    CAPTURE(urdf);
    const test::ScratchFolder folder;
    Report report;
    const Scenario back = roundTrip(s, urdf, report, folder);
    REQUIRE(couplingsOf(*back.model).size() == 2);
    for (const Coupling& c : couplingsOf(*back.model)) {
      const std::string a = back.model->joints[static_cast<std::size_t>(c.jointA)].name;
      CHECK(c.ratio == doctest::Approx(a == "b_pin" ? -0.5 : -3.0));
      CHECK(std::abs(c.offset) <= 1e-12);
    }
    CHECK(written(folder, urdf) == 1);
    CHECK(!anyHolds(report.leftOut, "coupling"));
  }
}

TEST_CASE("a differential comes back with two freedoms") {
  const Scenario s = test::scenarioOf(kDifferential);
  CHECK(rigidMobility(*s.model) == 2);
  for (const bool urdf : {false, true}) {
    CAPTURE(urdf);
    const test::ScratchFolder folder;
    Report report;
    const Scenario back = roundTrip(s, urdf, report, folder);
    CHECK(rigidMobility(*back.model) == 2);
    CHECK(written(folder, urdf) == 2);
  }
}

TEST_CASE("coordinates that coupled joints start at are those of the file that is written") {
  // The wheels start turned, and mesh with an offset.
  Scenario s =
      test::scenarioOf(wheel("a", "", "0") + wheel("b", "", "0.2") +
                       "<coupling name='ab' type='gear' joint-a='b_pin' joint-b='a_pin' ratio='-2'/>");
  ModelBuilder builder(*s.model);
  std::vector<Pose> poses = s.model->initialState().poses;
  const double turn = 0.3;
  poses[0].rotation = expRotation(turn * Vec3::UnitZ());
  poses[1].rotation = expRotation(-2.0 * turn * Vec3::UnitZ());
  builder.setInitialPoses(poses);
  s.model = builder.build();
  const test::ScratchFolder folder;
  Report report;
  const Scenario back = roundTrip(s, false, report, folder);
  REQUIRE(couplingsOf(*back.model).size() == 1);
  Simulator one(s.model), two(back.model);
  for (Simulator* each : {&one, &two}) CHECK(each->step().jointResidual <= 1e-9);
}

TEST_CASE("a joint that follows two others hands one of the couplings to its partner") {
  const Scenario s =
      test::scenarioOf(wheel("a", "", "0") + wheel("b", "", "0.2") + wheel("c", "", "0.4") +
                       "<coupling name='ab' type='gear' joint-a='a_pin' joint-b='b_pin' ratio='2'/>"
                       "<coupling name='ac' type='gear' joint-a='a_pin' joint-b='c_pin' ratio='4'/>");
  const test::ScratchFolder folder;
  Report report;
  const Scenario back = roundTrip(s, true, report, folder);
  REQUIRE(couplingsOf(*back.model).size() == 2);
  CHECK(rigidMobility(*back.model) == 1);
  for (const Coupling& c : couplingsOf(*back.model))
    if (back.model->joints[static_cast<std::size_t>(c.jointA)].name == "c_pin")
      CHECK(c.ratio == doctest::Approx(0.25));
    else
      CHECK(c.ratio == doctest::Approx(2.0));
}

TEST_CASE("screws and racks are written as linear couplings") {
  const std::string rack =
      "<body name='rack' position='0 0.3 0'>" + kWheel +
      "</body><joint name='slide' type='prismatic' follower='rack' position='0 0.3 0' axis='1 0 0'/>"
      "<coupling name='teeth' type='rack-and-pinion' rack='slide' pinion='a_pin' radius='0.1'/>";
  const std::string screw =
      "<body name='nut' position='0 -0.3 0'>" + kWheel +
      "</body><joint name='thread' type='cylindrical' follower='nut' position='0 -0.3 0' axis='0 0 1'/>"
      "<coupling name='lead' type='screw' joint='thread' pitch='0.01'/>";
  const Scenario s = test::scenarioOf(wheel("a", "", "0") + rack + screw);
  for (const bool urdf : {false, true}) {
    CAPTURE(urdf);
    const test::ScratchFolder folder;
    Report report;
    const Scenario back = roundTrip(s, urdf, report, folder);
    CHECK(!anyHolds(report.leftOut, "coupling"));
    CHECK(couplingsOf(*back.model).size() == 2);
    CHECK(rigidMobility(*back.model) == 2);
    CHECK(written(folder, urdf) == rigidMobility(*s.model));
  }
}

TEST_CASE("a cam is written where its profile is a polynomial, else it is lost, and the mobility says so") {
  const auto camOf = [](const std::vector<double>& values, Interpolation interpolation) {
    Coupling c;
    c.kind = CouplingKind::Cam;
    c.profile.kind = Signal::Kind::Series;
    c.profile.interpolation = interpolation;
    for (std::size_t i = 0; i < values.size(); ++i) {
      c.profile.times.push_back(-1.0 + 2.0 * static_cast<double>(i) / static_cast<double>(values.size() - 1));
      c.profile.values.push_back(values[i]);
    }
    return c;
  };
  const auto straight = camPolynomial(camOf({-0.25, 0.0, 0.25, 0.5, 0.75}, Interpolation::Linear), 0.5);
  REQUIRE(straight);
  CHECK(straight->coefficients[0] == doctest::Approx(0.5));
  CHECK(straight->coefficients[1] == doctest::Approx(0.5));
  for (const int p : {2, 3, 4}) CHECK(std::abs(straight->coefficients[static_cast<std::size_t>(p)]) <= 1e-9);
  CHECK(!camPolynomial(camOf({0.0, 1.0, 0.0, -1.0, 0.2}, Interpolation::Linear), 0.0));
  std::vector<double> quartic;
  for (int i = 0; i <= 2000; ++i) quartic.push_back(std::pow(-1.0 + 1e-3 * i, 4));
  const auto smooth = camPolynomial(camOf(quartic, Interpolation::Linear), 0.0);
  REQUIRE(smooth);
  CHECK(smooth->coefficients[4] == doctest::Approx(1.0).epsilon(1e-4));
  const auto exported = [](const std::string& samples, Report& report) {
    const Scenario s = test::scenarioOf(wheel("a", "", "0") + wheel("b", "", "0.2") +
                                        "<coupling name='lift' type='cam' follower='b_pin' cam='a_pin' "
                                        "interpolation='linear' samples='" +
                                        samples + "'/>");
    CHECK(rigidMobility(*s.model) == 1);
    const test::ScratchFolder folder;
    writeMjcf(s, folder.path("m.xml"), report);
    return writtenMobility(folder.path("m.xml"), false);
  };
  Report kept, lost;
  CHECK(exported("-1 -0.5 0 0 1 0.5", kept) == 1);
  CHECK(anyHolds(kept.approximated, "cam lift by a polynomial"));
  CHECK(exported("-1 0 -0.5 0.5 0 0 0.5 -0.5 1 0.1", lost) == 2);
  CHECK(anyHolds(lost.leftOut, "cam lift"));
}
