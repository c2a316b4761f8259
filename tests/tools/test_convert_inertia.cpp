#include "engine/base/error.h"
#include "tests/support.h"
#include "tools/convert/formats.h"
#include "tools/convert/inertia.h"

using namespace grashof;
using namespace grashof::convert;

namespace {

/// A base and one link on a hinge; `inertial` and `shapes` of the link.
Scenario hingedLink(const std::string& inertial, const std::string& shapes, const BuildOptions& options,
                    Report& report) {
  const test::ScratchFolder folder;
  const std::string path =
      folder.write("r.urdf", "<robot name='r'><link name='base'/><link name='arm'><inertial>" + inertial +
                                 "</inertial>" + shapes +
                                 "</link><joint name='j' type='continuous'><parent link='base'/><child "
                                 "link='arm'/></joint></robot>");
  return buildScenario(readUrdf(path, {}, report), options, report);
}

Mat3 diagonal(double x, double y, double z) { return Vec3(x, y, z).asDiagonal(); }

}  // namespace

TEST_CASE("a repaired inertia is one that a body can have, and changes no more than it must") {
  const RepairedInertia r = repairInertia(diagonal(1.0, 2.0, 3.2));
  CHECK(principalMoments(r.inertia).possible());
  // The largest moment stays, the others grow by half of what is missing.
  CHECK(r.inertia(2, 2) == doctest::Approx(3.2).epsilon(1e-3));
  CHECK(r.inertia(0, 0) == doctest::Approx(1.1).epsilon(1e-3));
  CHECK(r.inertia(1, 1) == doctest::Approx(2.1).epsilon(1e-3));
  CHECK(r.change == doctest::Approx(0.1 / 3.2).epsilon(0.01));
  CHECK(principalMoments(repairInertia(diagonal(-0.01, 1.0, 1.0)).inertia).possible());
  CHECK(principalMoments(repairInertia(diagonal(0.0, 1.0, 1.0)).inertia).possible());
}

TEST_CASE("an inertia that is possible stays as it is, bit for bit") {
  const Mat3 fine = diagonal(1.0, 2.0, 2.9);
  CHECK(principalMoments(fine).possible());
  const RepairedInertia r = repairInertia(fine);
  CHECK((r.inertia - fine).norm() <= 1e-14);
  CHECK(r.change == 0.0);
  CHECK(!principalMoments(diagonal(1.0, 2.0, 3.1)).possible());
  CHECK(!principalMoments(diagonal(0.0, 1.0, 1.0)).possible());
}

TEST_CASE(
    "inertias slightly off are repaired and reported; strict refuses them, and far off ones are refused") {
  const std::string off = "<mass value='1'/><inertia ixx='1' iyy='2' izz='3.2'/>";
  Report report;
  const Scenario s = hingedLink(off, "", {}, report);
  CHECK(principalMoments(s.model->bodies[0].inertia).possible());
  REQUIRE(report.repaired.size() == 1);
  CHECK(report.repaired[0].find("link arm") != std::string::npos);
  BuildOptions strict;
  strict.strict = true;
  CHECK_THROWS_WITH_AS(hingedLink(off, "", strict, report), doctest::Contains("triangle inequality"),
                       InputError);
  CHECK_THROWS_WITH_AS(hingedLink("<mass value='1'/><inertia ixx='1' iyy='2' izz='9'/>", "", {}, report),
                       doctest::Contains("triangle inequality"), InputError);
}

TEST_CASE("a link with a mass but without inertia is given that of its shapes, or of a ball") {
  Report report;
  const std::string box = "<collision><geometry><box size='1 2 3'/></geometry></collision>";
  const Scenario shaped = hingedLink("<mass value='12'/>", box, {}, report);
  CHECK(shaped.model->bodies[0].inertia(0, 0) == doctest::Approx(13.0));
  CHECK(shaped.model->bodies[0].inertia(2, 2) == doctest::Approx(5.0));
  REQUIRE(report.assumed.size() >= 1);
  CHECK(report.assumed.back().find("12 kg but no inertia: given that of its shapes") != std::string::npos);
  const Scenario plain = hingedLink("<mass value='1'/>", "", {}, report);
  CHECK(plain.model->bodies[0].inertia(0, 0) ==
        doctest::Approx(0.4 * std::pow(3.0 / 4000.0 / M_PI, 2.0 / 3.0)));
}

TEST_CASE("an end without mass that has a shape stays, one without goes") {
  const std::string arm = "<mass value='1'/><inertia ixx='1' iyy='1' izz='1'/>";
  const auto withEnd = [&](const std::string& end, Report& report) {
    return hingedLink(
        arm,
        "</link><joint name='k' type='continuous'><parent link='arm'/><child link='end'/></joint>"
        "<link name='end'>" +
            end,
        {}, report);
  };
  Report report;
  CHECK(withEnd("", report).model->bodies.size() == 1);
  CHECK(
      withEnd("<visual><geometry><sphere radius='0.1'/></geometry></visual>", report).model->bodies.size() ==
      2);
  CHECK(report.approximated.back().find("link end has no mass of its own: given") != std::string::npos);
}

TEST_CASE("a link without mass is given little beside its neighbours, however heavy others are") {
  Report report;
  const auto slide = [](const std::string& name, const std::string& parent) {
    return "<joint name='" + name + "_joint' type='prismatic'><parent link='" + parent + "'/><child link='" +
           name + "'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint>";
  };
  const Scenario s =
      hingedLink("<mass value='1000'/><inertia ixx='1' iyy='1' izz='1'/>",
                 "</link>" + slide("between", "base") + "<link name='between'/>" + slide("light", "between") +
                     "<link name='light'><inertial><mass value='0.01'/><inertia ixx='1' "
                     "iyy='1' izz='1'/></inertial>",
                 {}, report);
  const int between = s.model->findBody("between");
  REQUIRE(between >= 0);
  CHECK(s.model->bodies[static_cast<std::size_t>(between)].mass == doctest::Approx(1e-6));
}

TEST_CASE("a least moment that is zero but for rounding is repaired, that of a thin rod is not") {
  Report report;
  const Scenario s =
      hingedLink("<mass value='0.0235'/><inertia ixx='1e-22' iyy='1.47e-5' izz='1.47e-5'/>", "", {}, report);
  REQUIRE(report.repaired.size() == 1);
  CHECK(principalMoments(s.model->bodies[0].inertia).moments[0] > 1e-4 * 1.47e-5);
  // A rod of 1 m and 2 mm: m r²/2 and m (3 r² + l²)/12.
  CHECK(principalMoments(diagonal(0.5e-6, 1.0 / 12.0, 1.0 / 12.0)).possible());
}

TEST_CASE("a mass whose inertia is only rounding is a ball of 1000 kg/m^3") {
  Report report;
  const Scenario s =
      hingedLink("<mass value='1.3'/><inertia ixx='0' iyy='0' izz='0' ixz='2.4e-35'/>", "", {}, report);
  CHECK(s.model->bodies[0].inertia(0, 0) ==
        doctest::Approx(0.4 * 1.3 * std::pow(3.0 * 1.3 / 4000.0 / M_PI, 2.0 / 3.0)));
}

TEST_CASE("a part without inertia that is welded to another has that of its shapes, and is told") {
  const std::string box = "<collision><geometry><box size='1 2 3'/></geometry></collision>";
  const auto welded = [&](const std::string& shapes, Report& report) {
    return hingedLink("<mass value='1'/><inertia ixx='5' iyy='5' izz='5'/>",
                      "</link><joint name='w' type='fixed'><parent link='arm'/><child link='part'/></joint>"
                      "<link name='part'><inertial><mass value='12'/></inertial>" +
                          shapes,
                      {}, report);
  };
  Report told, silent;
  CHECK(welded(box, told).model->bodies[0].inertia(0, 0) == doctest::Approx(5.0 + 4.0 + 9.0));
  CHECK(told.assumed.back().find("link part has 12 kg but no inertia: given that of its shapes") !=
        std::string::npos);
  CHECK(welded("", silent).model->bodies[0].inertia(0, 0) == doctest::Approx(5.0));  // a point
}

TEST_CASE("shapes without size are left out and counted") {
  Report report;
  const Scenario s = hingedLink("<mass value='1'/><inertia ixx='1' iyy='1' izz='1'/>",
                                "<collision><geometry><sphere radius='0'/></geometry></collision><visual>"
                                "<geometry><box size='0 0 0'/></geometry></visual>",
                                {}, report);
  CHECK(s.model->shapes.empty());
  CHECK(report.leftOut.back().find("2 shapes without size") == 0);
}

TEST_CASE("a robot of one link moves freely; one that is fixed to the world does not") {
  const test::ScratchFolder folder;
  const std::string drone =
      "<link name='drone'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>";
  Report report;
  const Scenario s = buildScenario(
      readUrdf(folder.write("d.urdf", "<robot name='d'>" + drone + "</robot>"), {}, report), {}, report);
  CHECK(s.model->bodies.size() == 1);
  CHECK(s.model->joints.empty());
  CHECK(report.assumed.back().find("--floating-base") != std::string::npos);
  const std::string held =
      folder.write("h.urdf", "<robot name='h'><link name='world'/>" + drone +
                                 "<joint name='j' type='fixed'><parent link='world'/><child "
                                 "link='drone'/></joint></robot>");
  CHECK_THROWS_AS(buildScenario(readUrdf(held, {}, report), {}, report), InputError);
}
