// Who touches whom, and how softly, in models read from MJCF.
#include <random>

#include <fmt/format.h>

#include "tests/tools/mjcf_support.h"

using namespace grashof;
using test::anyLine, test::fromMjcfText;

namespace {

bool mayTouch(const Shape& a, const Shape& b) {
  return a.collides && b.collides && (a.group & b.mask) && (b.group & a.mask);
}

const Shape& shapeOf(const Model& model, const std::string& name) {
  const auto at =
      std::find_if(model.shapes.begin(), model.shapes.end(), [&](const Shape& s) { return s.name == name; });
  REQUIRE(at != model.shapes.end());
  return *at;
}

}  // namespace

TEST_CASE("geoms of an MJCF touch exactly where a contype meets a conaffinity") {
  std::mt19937 random(5);
  for (int trial = 0; trial < 10; ++trial) {
    CAPTURE(trial);
    std::string bodies;
    std::vector<std::pair<unsigned, unsigned>> filters;
    for (int i = 0; i < 20; ++i) {
      filters.emplace_back(random() % 8, random() % 8);
      bodies += fmt::format(
          "<body pos='0 0 {}'><freejoint/><geom name='g{}' size='.1' contype='{}' conaffinity='{}'/></body>",
          i, i, filters.back().first, filters.back().second);
    }
    const auto made = fromMjcfText("<worldbody>" + bodies + "</worldbody>");
    for (std::size_t i = 0; i < filters.size(); ++i)
      for (std::size_t k = 0; k < i; ++k) {
        const bool wanted = (filters[i].first & filters[k].second) || (filters[k].first & filters[i].second);
        CHECK(mayTouch(shapeOf(made.model(), fmt::format("g{}", i)),
                       shapeOf(made.model(), fmt::format("g{}", k))) == wanted);
      }
    CHECK(!anyLine(made.report.approximated, "contype"));
  }
}

TEST_CASE("more than 32 kinds of contype and conaffinity are reported") {
  std::string bodies;
  for (int i = 0; i < 20; ++i)
    bodies += fmt::format(
        "<body pos='0 0 {0}'><freejoint/><geom size='.1' contype='{1}' conaffinity='0'/>"
        "<geom size='.1' contype='0' conaffinity='{1}'/></body>",
        i, 1 << i);
  CHECK(anyLine(fromMjcfText("<worldbody>" + bodies + "</worldbody>").report.approximated, "in 32 groups"));
}

TEST_CASE("contacts of an MJCF have the softness and the friction that MuJoCo mixes") {
  const auto surfaces = [](const std::string& a, const std::string& b) {
    const auto made =
        fromMjcfText("<option cone='elliptic'/><worldbody><geom name='a' type='plane' " + a +
                     "/><body><freejoint/><geom name='b' size='.1' " + b + "/></body></worldbody>");
    const Model& m = made.model();
    return m.surface(shapeOf(m, "a").material, shapeOf(m, "b").material);
  };
  const SurfacePair usual = surfaces("", "");
  CHECK(usual.friction == 1.0);
  CHECK(usual.softness.kind == Softness::Kind::Impedance);
  CHECK(usual.softness.impedance0 == 0.9);
  CHECK(usual.softness.impedanceWidth == 0.95);
  CHECK(usual.softness.timeConstant == 0.02);
  // Weighted means, and the larger friction.
  const SurfacePair mixed = surfaces("solref='0.01 1.5' solmix='3' friction='0.4'",
                                     "solref='0.03' solimp='0.5 0.9 0.01' friction='0.6'");
  CHECK(mixed.softness.timeConstant == doctest::Approx(0.015));
  CHECK(mixed.softness.dampingRatio == doctest::Approx(1.375));
  CHECK(mixed.softness.impedance0 == doctest::Approx(0.8));
  CHECK(mixed.softness.width == doctest::Approx(0.00325));
  CHECK(mixed.friction == 0.6);
  // Priority decides alone.
  const SurfacePair first = surfaces("friction='0.2' priority='1' condim='3'", "friction='0.9' condim='1'");
  CHECK(first.friction == 0.2);
  // Without tangents there is no friction, unless the other geom has them.
  CHECK(surfaces("condim='1'", "condim='1'").friction == 0.0);
  CHECK(surfaces("condim='1'", "condim='3' friction='0.5'").friction == 1.0);
  // Torsional friction from condim 4 on, rolling friction with 6, by the larger of both.
  CHECK(surfaces("friction='1 0.02 0.003'", "").torsionalFriction == 0.0);
  const SurfacePair four = surfaces("condim='4' friction='1 0.02 0.003'", "condim='3' friction='1 0.01'");
  CHECK(four.torsionalFriction == 0.02);
  CHECK(four.rollingFriction == 0.0);
  CHECK(surfaces("condim='6' friction='1 0.02 0.003'", "").rollingFriction == 0.003);
  CHECK(surfaces("condim='6'", "").rollingFriction == 1e-4);
  // A stiffness and a damping: b = 2/(dw T), k = d/(dw T ζ)².
  const Softness direct = surfaces("solref='-1000 -80'", "solref='-1000 -80'").softness;
  CHECK(2.0 / direct.timeConstant == doctest::Approx(80.0));
  CHECK(1.0 / std::pow(direct.timeConstant * direct.dampingRatio, 2) == doctest::Approx(1000.0));
}

TEST_CASE("limits and loops of an MJCF are as soft as it says, the step is MuJoCo's") {
  const auto made = fromMjcfText(R"(<worldbody>
    <body name="a"><joint name="j" type="slide" range="-3 3" axis="0 1 0" solreflimit="0.05 0.8" solimplimit="0 .99 .01"/><geom size=".1"/></body>
    <body name="b" pos="1 0 0"><joint name="k" axis="0 1 0"/><geom size=".1" pos=".5 0 0"/></body></worldbody>
    <equality><weld name="w" body1="a" body2="b" solref="0.1 2"/></equality>)");
  const Limit& limit = made.joint("j").coordinates[0].limit;
  CHECK(limit.softness.kind == Softness::Kind::Impedance);
  CHECK(limit.softness.timeConstant == doctest::Approx(0.05));
  CHECK(limit.softness.dampingRatio == doctest::Approx(0.8));
  CHECK(limit.softness.impedance0 == doctest::Approx(1e-4));  // the least that MuJoCo takes
  CHECK(limit.softness.impedanceWidth == doctest::Approx(0.99));
  CHECK(limit.softness.width == 0.01);
  // A weld is the place and the orientation, each with the inertia that MuJoCo counts.
  CHECK(made.joint("w").type->name() == "spherical");
  CHECK(made.joint("w_turn").type->name() == "cartesian");
  for (const char* name : {"w", "w_turn"}) {
    CHECK(made.joint(name).softness.impedanceWidth == 0.95);
    CHECK(made.joint(name).softness.timeConstant == 0.1);
    CHECK(made.joint(name).softness.mobility > 0.0);
  }
  CHECK(made.model().step.timestep == 2e-3);
  CHECK(made.model().step.integrator == Integrator::Euler);
  const auto other = fromMjcfText(
      "<option integrator='RK4' timestep='1e-3'/><worldbody><body><joint/><geom "
      "size='.1'/></body></worldbody>");
  CHECK(other.model().step.integrator == Integrator::Auto);
  CHECK(other.model().step.timestep == 1e-3);
}

TEST_CASE("a body that starts inside the floor rises as softly as in MuJoCo") {
  const auto made = fromMjcfText(
      "<worldbody><geom type='plane'/><body name='b' pos='0 0 .09'><freejoint/><geom "
      "size='.1'/></body></worldbody>");
  Simulator simulator(made.model());
  double highest = 0.0;
  while (simulator.state().time < 0.5) {
    simulator.step();
    highest = std::max(highest, simulator.state().poses[0].position.z());
  }
  CHECK(highest < 0.1);
  CHECK(highest > 0.099);
}

TEST_CASE("a weld to the world is a soft joint") {
  const auto made = fromMjcfText(
      "<worldbody><body name='1'><freejoint/><geom size='.1'/></body></worldbody><equality><weld "
      "name='w' body1='1'/></equality>");
  REQUIRE(made.model().bodies.size() == 1);
  CHECK(made.joint("w").base == kWorld);
  Simulator simulator(made.model());
  for (int i = 0; i < 500; ++i) simulator.step();
  const double z = simulator.state().poses[0].position.z();
  CHECK(z < -1e-5);
  CHECK(z > -0.01);
}

TEST_CASE("flags of an MJCF switch gravity, contacts, limits, equalities, springs and the filter off") {
  const auto made =
      fromMjcfText(R"(<option><flag gravity="disable" contact="disable" limit="disable" equality="disable"
      passive="disable" frictionloss="disable" actuation="disable" filterparent="disable"/></option><worldbody>
    <body name="a"><joint name="j" range="-30 30" stiffness="3" damping="2" frictionloss="1" armature=".1"/><geom size=".1" pos=".5 0 0"/>
    <body name="b"><joint name="k"/><geom size=".1" pos=".5 0 0"/></body></body></worldbody>
    <equality><weld name="w" body1="a" body2="b"/></equality><actuator><motor joint="j"/></actuator>)");
  CHECK(made.model().gravity.isZero(0.0));
  CHECK(!made.model().shapes[0].collides);
  const JointCoordinate& q = made.joint("j").coordinates[0];
  CHECK(!q.limit.bounded());
  CHECK(q.passive.stiffness == 0.0);
  CHECK(q.passive.damping == 0.0);
  CHECK(q.passive.dryFriction == 0.0);
  CHECK(q.passive.armature == 0.1);
  CHECK(q.actuator.kind == Actuator::Kind::None);
  CHECK(made.model().findJoint("w") == -1);
  CHECK(made.model().exclusions.empty());
}

TEST_CASE("geoms of a contact pair touch whatever their filters say, as the pair says") {
  const auto made = fromMjcfText(
      R"(<option cone="elliptic"/><default><pair solref="0.05 1"/></default><worldbody><geom name="floor" type="plane" contype="0" conaffinity="0"/>
    <body name="a"><freejoint/><geom name="foot" size=".1" contype="0" conaffinity="0"/><geom name="leg" size=".1" contype="0" conaffinity="0"/></body>
    <body name="b"><freejoint/><geom name="other" size=".1" contype="0" conaffinity="0" friction=".3"/></body></worldbody>
    <contact><pair geom1="foot" geom2="floor" friction="0.6 0.6 0.01 0.001 0.001"/><pair geom1="other" geom2="foot" condim="1"/></contact>)");
  const Model& m = made.model();
  const auto pair = [&](const char* a, const char* b) { return mayTouch(shapeOf(m, a), shapeOf(m, b)); };
  CHECK(pair("foot", "floor"));
  CHECK(pair("foot", "other"));
  CHECK(!pair("leg", "floor"));
  CHECK(!pair("other", "floor"));
  CHECK(!pair("leg", "other"));
  const SurfacePair& floor = m.surface(shapeOf(m, "foot").material, shapeOf(m, "floor").material);
  CHECK(floor.friction == 0.6);
  CHECK(floor.softness.timeConstant == doctest::Approx(0.05));
  CHECK(m.surface(shapeOf(m, "foot").material, shapeOf(m, "other").material).friction == 0.0);
  CHECK(anyLine(
      fromMjcfText("<worldbody><body><joint/><geom name='g' size='.1'/><body><joint/><geom name='h' "
                   "size='.1'/></body></body></worldbody><contact><pair geom1='g' geom2='h'/></contact>")
          .report.leftOut,
      "a joint joins"));
}

TEST_CASE("a contact of pyramids yields by 2 mu^2/impratio over its edges, one of cones as the file says") {
  const auto yield = [](const std::string& option, const std::string& geom) {
    const auto made = fromMjcfText("<option " + option + "/><worldbody><geom type='plane' " + geom +
                                   "/><body><freejoint/><geom size='.1' " + geom + "/></body></worldbody>");
    const Model& m = made.model();
    const Softness& softness = m.surface(m.shapes[0].material, m.shapes[1].material).softness;
    CHECK(softness.impedanceWidth == 0.95);
    return softness.mobility * m.bodies[0].mass;
  };
  for (const double mu : {0.25, 0.5, 2.0}) {
    const std::string friction = fmt::format("friction='{}'", mu);
    const double square = mu * mu;
    CHECK(yield("", friction) == doctest::Approx(0.5 * square * (1.0 + square)));
    CHECK(yield("impratio='10'", friction) == doctest::Approx(0.05 * square * (1.0 + square)));
    CHECK(yield("", friction + " condim='4'") == doctest::Approx(square * (1.0 + square) / 3.0));
    CHECK(yield("", friction + " condim='1'") == doctest::Approx(1.0));
    CHECK(yield("cone='elliptic' impratio='10'", friction) == doctest::Approx(1.0));
  }
}

TEST_CASE(
    "along the surface a contact yields less than along the normal by mu^2/(condim - 1), or by impratio of "
    "cones") {
  const auto ratio = [](const std::string& option, const std::string& geom) {
    const auto made = fromMjcfText("<option " + option + "/><worldbody><geom type='plane' " + geom +
                                   "/><body><freejoint/><geom size='.1' " + geom + "/></body></worldbody>");
    const Model& m = made.model();
    return m.surface(m.shapes[0].material, m.shapes[1].material).softness.impedanceRatio;
  };
  CHECK(ratio("impratio='10'", "friction='0.5'") == doctest::Approx(0.125));
  CHECK(ratio("", "friction='0.5' condim='4'") == doctest::Approx(0.25 / 3.0));
  CHECK(ratio("", "condim='1'") == 1.0);
  CHECK(ratio("cone='elliptic' impratio='10'", "friction='0.5'") == doctest::Approx(10.0));
}

TEST_CASE(
    "contacts of an MJCF count the mechanism's inertia at the centres of its bodies, wherever they are") {
  const auto made = fromMjcfText(
      R"(<option cone="elliptic"/><worldbody><geom name="floor" type="plane"/>
    <body name="a" pos="0 0 1"><freejoint/><geom name="bar" type="box" size=".5 .1 .1" pos=".3 0 0" mass="2"/></body>
    <body name="b" pos="0 0 2"><freejoint/><geom name="ball" size=".1" mass="5"/></body>
    <body name="c" pos="0 0 3"><joint type="slide" axis="0 0 1"/><geom name="lift" size=".1" mass="4"/></body></worldbody>)");
  const Model& m = made.model();
  const auto between = [&](const char* a, const char* b) {
    return m.surface(shapeOf(m, a).material, shapeOf(m, b).material).softness;
  };
  CHECK(between("floor", "bar").mobility == doctest::Approx(0.5));
  CHECK(between("floor", "bar").impedance0 == 0.9);
  CHECK(between("bar", "ball").mobility == doctest::Approx(0.7));
  CHECK(between("lift", "ball").mobility == doctest::Approx(0.25 + 0.2));
  // Beyond 80 kinds of surfaces that of each is rounded, or bodies count alone.
  std::string bodies;
  for (int i = 0; i < 82; ++i)
    bodies += fmt::format("<body><freejoint/><geom size='.1' mass='{}'/></body>", i + 1.0);
  const auto many = fromMjcfText("<worldbody>" + bodies + "</worldbody>");
  CHECK(anyLine(many.report.approximated, "they are too many"));
  CHECK(many.model().surface(0, 0).softness.mobility == 0.0);
}

TEST_CASE("a child of a mocap body touches others, but not that body") {
  const std::string inside =
      "<geom name='m' size='.1'/><body><geom name='post' size='.1'/></body><body name='b' pos='1 0 "
      "0'><joint/>"
      "<geom name='g' size='.1'/></body></body><body name='d' pos='2 0 0'><joint/><geom name='other' "
      "size='.1'/></body></worldbody>";
  const auto excluded = [&](const std::string& head) {
    return fromMjcfText("<worldbody>" + head + inside).model().exclusions.size();
  };
  CHECK(excluded("<body name='a'>") == 0);
  CHECK(excluded("<body name='a' mocap='true'>") == 2);  // with it, and with what is fixed to it
  CHECK(fromMjcfText(
            "<option><flag filterparent='disable'/></option><worldbody><body name='a' mocap='true'>" + inside)
            .model()
            .exclusions.empty());
}

TEST_CASE("a surface of a geom that moves along is a belt, one that turns is told") {
  const auto belt = [](const std::string& velocity) {
    return fromMjcfText("<worldbody><geom name='belt' type='box' size='1 1 .1' surfacevel='" + velocity +
                        "'/><body><freejoint/><geom size='.1'/></body></worldbody>");
  };
  const auto straight = belt("0.5 0.2 0 0 0 0");
  CHECK(shapeOf(straight.model(), "belt").surfaceVelocity.isApprox(Vec3(0.5, 0.2, 0.0)));
  CHECK(!anyLine(straight.report.leftOut, "surfacevel"));
  CHECK(anyLine(belt("0 0 0 0 0 2").report.leftOut, "surfacevel"));
}

TEST_CASE("margins of geoms are one distance for all, or the size of those that are round") {
  const auto made = fromMjcfText(
      "<default><geom margin='.01'/></default><worldbody><geom type='plane'/><body pos='0 0 .2'>"
      "<freejoint/><geom type='box' size='.1 .1 .1'/></body></worldbody>");
  CHECK(made.model().stabilization.margin == doctest::Approx(-0.02));
  CHECK(test::heightAtRest(made.model()) == doctest::Approx(0.12).epsilon(0.01));
  const auto mixed = fromMjcfText(
      "<worldbody><geom type='plane' margin='.01'/><body pos='0 0 .2'><freejoint/><geom size='.1' "
      "margin='.02'/></body><body pos='1 0 .2'><freejoint/><geom type='box' size='.1 .1 .1' "
      "margin='.03'/></body></worldbody>");
  CHECK(mixed.model().stabilization.margin == 0.0);
  CHECK(test::heightAtRest(mixed.model()) == doctest::Approx(0.13).epsilon(0.01));
  CHECK(anyLine(mixed.report.leftOut, "up to 0.03 m later"));
}
