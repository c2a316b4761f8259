#include "engine/scenario/unit_remarks.h"
#include "tests/support.h"

using namespace grashof;

namespace {

std::vector<std::string> remarksIn(const std::string& units, const std::string& inner) {
  return parseScenario("<scenario" + (units.empty() ? "" : " units='" + units + "'") + ">" + inner +
                           "<body name='any'><inertial mass='1' inertia='1 1 1'/></body></scenario>",
                       "a.xml")
      .remarks;
}

bool anyNames(const std::vector<std::string>& remarks, const std::string& text) {
  return remarks.size() == 1 && remarks[0].find(text) != std::string::npos;
}

std::string boxOf(const std::string& density) {
  return "<body name='a'><shape type='box' size='0.1 0.1 0.1' density='" + density + "'/></body>";
}

std::string motorOf(const std::string& constant) {
  return "<motor name='m' torque-constant='" + constant + "' resistance='0.5' voltage='12'/>";
}

}  // namespace

TEST_CASE("densities beyond osmium are named with file, line and the unit that is meant") {
  const std::string mm = "mm deg kg";
  CHECK(anyNames(remarksIn(mm, boxOf("7800")),
                 "a.xml:1: <shape>: density=\"7800\" is 7.8e+12 kg/m³, denser than osmium"));
  CHECK(remarksIn(mm, boxOf("7.8e-6")).empty());
  CHECK(remarksIn("", boxOf("22590")).empty());
  CHECK(anyNames(remarksIn("", boxOf("78000")), "denser than osmium"));
}

TEST_CASE("rpy beyond a turn, the earth's gravity in another unit, and motors of 1e5 rad/s are named") {
  const std::string box = "<shape type='box' size='0.1 0.1 0.1' mass='1'/></body>";
  CHECK(anyNames(remarksIn("", "<body name='a' rpy='0 0 90'>" + box), "write 1.5708"));
  CHECK(remarksIn("", "<body name='a' rpy='0 0 6.2831853'>" + box).empty());
  CHECK(remarksIn("mm deg kg", "<body name='a' rpy='0 0 90'>" + box).empty());
  CHECK(anyNames(remarksIn("mm deg kg", "<options gravity='0 0 -9.81'/>"), "the earth's is 9810"));
  CHECK(remarksIn("mm deg kg", "<options gravity='0 0 -9810'/>").empty());
  CHECK(remarksIn("", "<options gravity='0 0 -1.62'/>").empty());
  CHECK(anyNames(remarksIn("mm deg kg", motorOf("0.025")), "it would turn at 4.8e+05 rad/s at 12 V"));
  CHECK(remarksIn("mm deg kg", motorOf("25")).empty());
  CHECK(remarksIn("", motorOf("0.025")).empty());
}

TEST_CASE("a mesh is in its own unit, else in that of the scenario") {
  const test::ScratchFolder folder;
  // A tetrahedron of edges 10 along the axes.
  folder.write("t.obj", "v 0 0 0\nv 10 0 0\nv 0 10 0\nv 0 0 10\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  const auto mass = [&](const std::string& units, const std::string& more, const std::string& density) {
    const Scenario s = readScenario(folder.write(
        "s.xml", "<scenario" + units + "><body name='a'><shape type='mesh' file='t.obj' density='" + density +
                     "' " + more + "/></body></scenario>"));
    return s.model->bodies[0].mass;
  };
  const std::string mm = " units='mm deg kg'";
  CHECK(mass("", "", "6") == doctest::Approx(1000.0));
  CHECK(mass("", "units='mm'", "6000") == doctest::Approx(1e-3));
  CHECK(mass("", "units='mm' scale='2'", "6000") == doctest::Approx(8e-3));
  CHECK(mass(mm, "", "6e-6") == doctest::Approx(1e-3));
  CHECK(mass(mm, "units='m' scale='0.001'", "6e-6") == doctest::Approx(1e-3));
  CHECK_THROWS_WITH_AS(mass("", "units='deg'", "6"), doctest::Contains("is no unit of length"), InputError);
}
