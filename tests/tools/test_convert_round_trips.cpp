// Every shipped scenario through MJCF and URDF and back: the same motion, or a report of what is missing.
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "engine/analysis/assembly.h"
#include "engine/base/error.h"
#include "engine/model/model_builder.h"
#include "engine/world.h"
#include "tests/tools/converted.h"
#include "tools/convert/impedance.h"
#include "tools/convert/tidy.h"

using namespace grashof;
using namespace grashof::convert;
using test::anyLine;

namespace {

constexpr double kSame = 1e-9;  // m
constexpr int kSteps = 200;

std::string textOf(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

Scenario readBack(const std::string& path, bool urdf) {
  Report ignored;
  BuildOptions options;
  options.selfContact = SelfContact::All;
  if (!urdf) {
    const bool key = textOf(path).find("<key name=\"start\"") != std::string::npos;
    return buildScenario(readMjcf(path, {}, key ? "start" : "", ignored), options, ignored);
  }
  Tree tree = readUrdf(path, {}, ignored);
  readLoops(std::filesystem::path(path).replace_extension(".yaml").string(), tree, ignored);
  options.floatingBase = tree.findLink("world_") < 0;
  return buildScenario(tree, options, ignored);
}

/// The model with the options of another one: those are not the matter here.
std::shared_ptr<const Model> stepped(const Model& model, const Model& like) {
  ModelBuilder builder(model);
  builder.options() = like.step;
  builder.options().timestep = std::min(like.step.timestep, 1e-3);  // long ones make rounding grow
  builder.stabilization() = like.stabilization;
  builder.solver() = like.solver;
  builder.gravity() = like.gravity;
  return builder.build();
}

/// Largest distance of bodies of the same name over some steps, m; infinite when one of the runs ends.
double apart(const std::shared_ptr<const Model>& a, const std::shared_ptr<const Model>& b) {
  try {
    Simulator first(a, startState(*a)), second(b, startState(*b));
    double worst = 0.0;
    for (int k = 0; k <= kSteps; ++k) {
      for (int i = 0; i < static_cast<int>(a->bodies.size()); ++i) {
        const int other = b->findBody(a->bodies[static_cast<std::size_t>(i)].name);
        if (other < 0) continue;  // welded to another one
        // Centres of mass: links of URDF have frames of their own.
        const Vec3 off = first.state().poses[static_cast<std::size_t>(i)].position -
                         second.state().poses[static_cast<std::size_t>(other)].position;
        worst = std::max(worst, off.norm());
      }
      if (worst > kSame) return worst;
      first.step();
      second.step();
      if (first.diverged() || second.diverged()) return std::numeric_limits<double>::infinity();
    }
    return worst;
  } catch (const std::exception&) {
    return std::numeric_limits<double>::infinity();
  }
}

/// Lines that tell of a loss. That of motions and materials, which every URDF has, counts where there are
/// any.
std::size_t losses(const Report& report, const Model& model) {
  std::size_t count = report.approximated.size() + report.assumed.size();
  const bool touches =
      std::any_of(model.shapes.begin(), model.shapes.end(), [](const Shape& s) { return s.collides; });
  for (const std::string& line : report.leftOut)
    count += line.starts_with("motions, options, materials") && model.signals.empty() && !touches ? 0 : 1;
  return count;
}

std::vector<std::filesystem::path> scenarios() {
  std::vector<std::filesystem::path> all;
  for (const auto& entry : std::filesystem::directory_iterator(test::sourceFolder() + "/assets/scenarios"))
    if (entry.path().extension() == ".xml") all.push_back(entry.path());
  std::sort(all.begin(), all.end());
  return all;
}

/// Scenarios that move the same after writing and reading; the others have losses in their report.
std::set<std::string> sameMotion(bool urdf) {
  std::set<std::string> same;
  for (const std::filesystem::path& path : scenarios()) {
    const std::string name = path.stem().string();
    CAPTURE(name);
    const test::ScratchFolder folder;
    const Scenario s = readScenario(path.string());
    Report report;
    const std::string out = folder.path(urdf ? "m.urdf" : "m.xml");
    if (urdf)
      writeUrdf(s, out, report);
    else
      writeMjcf(s, out, report);
    double off = std::numeric_limits<double>::infinity();
    try {
      off = apart(stepped(*s.model, *s.model), stepped(*readBack(out, urdf).model, *s.model));
    } catch (const InputError& error) {
      MESSAGE(name << " is not read back: " << error.what());
    }
    if (off <= kSame)
      same.insert(name);
    else
      CHECK_MESSAGE(losses(report, *s.model) > 0, off);
  }
  return same;
}

Report mjcfOf(const std::string& inner, std::string* text = nullptr) {
  const test::ScratchFolder folder;
  Report report;
  writeMjcf(test::scenarioOf(inner), folder.path("m.xml"), report);
  if (text) *text = textOf(folder.path("m.xml"));
  return report;
}

constexpr const char* kSlider =
    "<body name='a'><inertial mass='2' inertia='1 1 1'/></body><joint name='A' type='prismatic' "
    "follower='a' axis='1 0 0'/>";

}  // namespace

TEST_CASE("shipped scenarios move the same after MJCF, or the report says what is missing") {
  const std::set<std::string> same = sameMotion(false);
  // falling-steel-sphere, ring-chain and thrown-shell touch within the time; their report names the contacts.
  for (const char* name :
       {"cable-eye", "differential", "double-pendulum", "heavy-chain-swing", "newtons-cradle", "nunchaku"}) {
    CAPTURE(name);
    CHECK(same.contains(name));
  }
}

TEST_CASE("shipped scenarios move the same after URDF, or the report says what is missing") {
  const std::set<std::string> same = sameMotion(true);
  for (const char* name : {"double-pendulum", "fourbar-fixed", "heavy-chain-swing", "newtons-cradle"}) {
    CAPTURE(name);
    CHECK(same.contains(name));
  }
}

TEST_CASE("velocities of the start are the keyframe of MJCF, and a line of URDF") {
  const char* thrown =
      "<body name='ball' position='0 0 1' velocity='3 0 0' angular-velocity='0 5 0'><inertial mass='1' "
      "inertia='1 1 1'/></body>";
  std::string text;
  mjcfOf(thrown, &text);
  CHECK(text.find("qvel=\"3 0 0 0 5 0\"") != std::string::npos);
  const test::ScratchFolder folder;
  Report report;
  writeUrdf(test::scenarioOf(thrown), folder.path("m.urdf"), report);
  CHECK(anyLine(report.leftOut, "velocities of the start"));
}

TEST_CASE("a rate of every kind of joint comes back, also of joints that the tree passes backwards") {
  const std::string body = "<inertial mass='1' inertia='0.1 0.2 0.3' position='0 0 -0.3'/></body>";
  // Ball joints with slides are through massless links in MJCF, which are given a mass.
  for (const std::string type :
       {"revolute", "prismatic", "cylindrical", "universal", "gimbal", "spherical", "planar", "cartesian"})
    for (const bool against : {false, true}) {
      CAPTURE(type);
      CAPTURE(against);
      if (against && type == "planar") continue;  // its links without mass are given one
      const std::string ends = against ? "base='b' follower='a'" : "base='a' follower='b'";
      const Scenario s = test::scenarioOf(
          "<options timestep='0.001'/><body name='a' velocity='0.1 0 0' angular-velocity='0.2 0.1 0'>" +
          body + "<body name='b' position='1 0 0' velocity='0.3 -0.2 0.1' angular-velocity='-0.4 0.7 0.5'>" +
          body + "<joint name='w' type='spherical' follower='a'/><joint name='j' type='" + type + "' " +
          ends + " position='1 0 0' quaternion='0.9 0.1 -0.3 0.3'/>");
      const test::ScratchFolder folder;
      Report report;
      writeMjcf(s, folder.path("m.xml"), report);
      const double off =
          apart(stepped(*s.model, *s.model), stepped(*readBack(folder.path("m.xml"), false).model, *s.model));
      CHECK(off <= kSame);
    }
}

TEST_CASE("springs, tendons, stops and sums are tendons; what MJCF has no word for is called by its name") {
  const std::string two = std::string(kSlider) +
                          "<body name='b' position='0 1 0'><inertial mass='1' inertia='1 1 1'/></body>"
                          "<joint name='B' type='prismatic' follower='b' axis='1 0 0'/>";
  const auto same = [&](const std::string& more) {
    CAPTURE(more);
    const Scenario s = test::scenarioOf("<options gravity='1 0 0'/>" + two + more);
    const test::ScratchFolder folder;
    Report report;
    writeMjcf(s, folder.path("m.xml"), report);
    CHECK(report.leftOut.empty());
    CHECK(apart(s.model, stepped(*readBack(folder.path("m.xml"), false).model, *s.model)) <= kSame);
  };
  same("<spring name='s' body1='a' body2='b' stiffness='300' damping='2' length='0.7' preload='5'/>");
  same(
      "<spring name='s' body1='world' body2='b' point1='-1 0 0' stiffness='300' length='0.7' "
      "unilateral='tension'/>");
  same("<force name='f' joint='A' stiffness='200' damping='3' length='-0.2'/>");
  same(
      "<tendon name='t' stiffness='200' damping='1' length='-0.1'><term joint='A' coefficient='1'/><term "
      "joint='B' coefficient='-2'/></tendon>");
  same(
      "<cable name='c' stiffness='400' length='0.9' unilateral='none'><point position='-0.3 0 0'/><point "
      "body='a'/><point body='b'/></cable>");
  const Report gas = mjcfOf(two +
                            "<gas-spring name='strut' body1='a' body2='b' length='1.1' force='100' "
                            "compressed-length='0.5' compressed-force='200'/><wrench name='wind' body='a' "
                            "force='1 0 0'/><bushing name='mount' base='a' follower='b' stiffness='1 1 1 1 "
                            "1 1'/>");
  CHECK(anyLine(gas.leftOut, "strut (its gas)"));
  CHECK(!anyLine(gas.leftOut, "wind"));  // it does not change
  CHECK(anyLine(gas.leftOut, "mount"));
}

TEST_CASE("restitution, softness and laws of contacts are written or reported by the names of materials") {
  const std::string ball =
      "<body name='b' position='0 0 1'><shape type='sphere' radius='0.1' mass='1' "
      "material='m'/></body><shape name='floor' type='plane' material='m'/>";
  CHECK(anyLine(mjcfOf("<material name='m' restitution='0.8'/>" + ball).leftOut, "restitution of m"));
  CHECK(anyLine(mjcfOf("<material name='m' stiffness='1e5'/>" + ball).leftOut, "contact laws of m"));
  CHECK(anyLine(mjcfOf("<material name='m'/>" + ball).approximated, "contacts that are rigid"));
  std::string text;
  mjcfOf("<material name='m' friction='1' impedance='0.8 0.9 0.002 0.4 3' reference='0.05 0.7'/>" + ball,
         &text);
  CHECK(text.find("solref=\"0.05 0.7\" solimp=\"0.8 0.9 0.002 0.4 3\"") != std::string::npos);
}

TEST_CASE("controls of an MJCF keep name, order, gain and range through a scenario") {
  const test::ScratchFolder folder;
  Report report;
  const std::string first = folder.write("m.xml", R"(<mujoco><worldbody>
    <body name="a"><joint name="j" axis="0 1 0" ref="20"/><geom size=".1" pos=".5 0 0"/></body>
    <body name="b" pos="0 2 0"><joint name="k" axis="0 1 0"/><geom size=".1" pos=".5 0 0"/></body></worldbody>
    <tendon><fixed name="f"><joint joint="j" coef=".5"/><joint joint="k" coef="2"/></fixed></tendon>
    <actuator><position name="p" joint="k" kp="50" kv="2" gear="4" ctrlrange="-1 2"/>
    <motor name="both" tendon="f" gear="3"/><motor name="m" joint="j" gear="10" ctrlrange="-1 1"/></actuator>
    </mujoco>)");
  const Scenario once = buildScenario(readMjcf(first, {}, "", report), {}, report);
  writeMjcf(once, folder.path("again.xml"), report);
  const Scenario twice = readBack(folder.path("again.xml"), false);
  const auto forces = [](const Scenario& s) {
    World world(s.model);
    for (const char* name : {"p", "both", "m"}) world.control(name) = name[0] == 'b' ? 0.3 : 0.8;
    for (int i = 0; i < 50; ++i) world.step();
    return world.state();
  };
  const Model& model = *twice.model;
  REQUIRE(model.controls.size() == 3);
  CHECK(model.controls[0].name == "p");
  CHECK(model.controls[1].name == "both");
  CHECK(model.controls[0].lower == -1.0);
  CHECK(model.controls[0].upper == 2.0);
  const State a = forces(once), b = forces(twice);
  for (std::size_t i = 0; i < a.poses.size(); ++i)
    CHECK((a.poses[i].position - b.poses[i].position).norm() <= kSame);
}

TEST_CASE("names stay apart where joints become several") {
  const test::ScratchFolder folder;
  Report report;
  const Scenario s = test::scenarioOf(
      "<body name='table'><inertial mass='1' inertia='0.1 0.1 0.1' position='0 0 0.1'/></body><body "
      "name='pin' "
      "position='0.4 0 0'><inertial mass='0.5' inertia='0.01 0.01 0.01' position='0 0 -0.1'/></body><joint "
      "name='hinge' type='revolute' follower='pin' position='0.4 0 0' axis='0 1 0'/><joint name='slot' "
      "type='point-on-line' base='table' follower='pin' position='0.4 0 0' axis='1 0 0'/>");
  writeUrdf(s, folder.path("m.urdf"), report);
  test::Converted back{readBack(folder.path("m.urdf"), true), {}};
  CHECK(back.mobility() == 5);
}

TEST_CASE("numbers are without what rounding left") {
  CHECK(tidy(0.1 + 0.2) == 0.3);
  CHECK(tidy(1.0 / 3.0) == 1.0 / 3.0);
  CHECK(tidy(1e-17, 1.0) == 0.0);
  CHECK(tidy(1e-17) == 1e-17);
  CHECK(tidyNumbers({0.5 - 1e-17, 1e-18, -0.0}, 1.0) == "0.5 0 0");
  CHECK(tidy(Vec3(-0.1, 2e-17, 0.3), 0.0) == Vec3(-0.1, 0.0, 0.3));
}

namespace {

/// A scenario as MJCF and back.
Scenario throughMjcf(const Scenario& s, Report& report) {
  const test::ScratchFolder folder;
  writeMjcf(s, folder.path("m.xml"), report);
  return readBack(folder.path("m.xml"), false);
}

/// Largest difference of the numbers of two impedances, relative.
double off(const Softness& a, const Softness& b) {
  REQUIRE(a.kind == Softness::Kind::Impedance);
  REQUIRE(b.kind == Softness::Kind::Impedance);
  double worst = 0.0;
  const auto compare = [&](double x, double y) { worst = std::max(worst, std::abs(x - y) / std::abs(x)); };
  compare(a.impedance0, b.impedance0);
  compare(a.impedanceWidth, b.impedanceWidth);
  compare(a.width, b.width);
  compare(a.midpoint, b.midpoint);
  compare(a.power, b.power);
  compare(a.timeConstant, b.timeConstant);
  compare(a.dampingRatio, b.dampingRatio);
  return worst;
}

const SurfacePair& between(const Model& m, const std::string& a, const std::string& b) {
  const auto materialOf = [&](const std::string& name) {
    const auto at =
        std::find_if(m.shapes.begin(), m.shapes.end(), [&](const Shape& s) { return s.name == name; });
    REQUIRE(at != m.shapes.end());
    return at->material;
  };
  return m.surface(materialOf(a), materialOf(b));
}

}  // namespace

TEST_CASE("soft contacts come back from MJCF with their numbers, for the inertia that MuJoCo counts") {
  const Scenario s = test::scenarioOf(
      "<options timestep='0.001' integrator='euler'/>"
      "<material name='foam' friction='0.4' impedance='0.8 0.92 0.002 0.4 3' reference='0.05 0.7'/>"
      "<material name='cork' friction='0.6' impedance='0.7 0.9 0.001 0.5 2' reference='0.03 1.2'/>"
      "<material name='hard' friction='0.5'/>"
      "<shape name='floor' type='plane' material='hard'/>"
      "<body name='box' position='0 0 0.099'><shape name='crate' type='box' size='0.2 0.3 0.2' mass='2' "
      "material='foam'/></body>"
      "<body name='bar' position='1 0 0.05' velocity='0.5 0.3 0'><shape name='log' type='capsule' "
      "radius='0.05' length='0.4' "
      "quaternion='0.8 0.6 0 0' mass='1' material='cork'/></body>"
      "<body name='top' position='0.02 0 0.298'><shape name='lid' type='box' size='0.2 0.2 0.2' mass='1' "
      "material='cork'/></body>");
  Report report;
  const Scenario back = throughMjcf(s, report);
  for (const auto& pair : std::vector<std::pair<std::string, std::string>>{
           {"floor", "crate"}, {"floor", "log"}, {"crate", "lid"}, {"log", "lid"}, {"crate", "log"}}) {
    const SurfacePair &first = between(*s.model, pair.first, pair.second),
                      &second = between(*back.model, pair.first, pair.second);
    CAPTURE(pair.first);
    CAPTURE(pair.second);
    // The mass where the scenario says nothing and so counts how bodies give way where they touch.
    const auto yield = [](const Softness& s) { return (1.0 - s.impedanceWidth) / s.impedanceWidth; };
    const double share = yield(second.softness) / yield(first.softness);
    CHECK(off(scaledImpedance(first.softness, share), second.softness) <= 1e-12);
    CHECK(share >= 1.0);
    CHECK(first.friction == doctest::Approx(second.friction).epsilon(1e-12));
  }
  CHECK(!anyLine(report.leftOut, "friction and softness"));
  CHECK(apart(stepped(*s.model, *s.model), stepped(*back.model, *s.model)) <= 1e-3);
}

TEST_CASE("an MJCF comes back from a scenario with its solref and solimp, also of welds, limits and pairs") {
  const test::ScratchFolder folder;
  const std::string first = folder.write("m.xml", R"(<mujoco><option timestep="0.001"/><worldbody>
    <geom name="floor" type="plane" size="2 2 1" solref="0.05 1" solmix="3" friction=".7"/>
    <body name="arm" pos="0 0 1"><joint name="j" axis="0 1 0" range="-10 10" solreflimit="0.08 0.5"/>
    <geom name="rod" type="capsule" size="0.02" fromto="0 0 0 0.3 0 0" solimp=".8 .9 .01"/></body>
    <body name="ball" pos="1 0 .1"><freejoint/><geom name="ball" size="0.1" solref="0.04 1" friction=".7"/></body>
    <body name="hung" pos="0 1 1"><freejoint/><geom name="box" type="box" size="0.1 0.1 0.1" pos="0.2 0 0"/></body>
    <body name="held" pos="0 2 1"><freejoint/><geom name="beam" type="box" size="0.1 0.4 0.1" pos="0 .4 0"/></body></worldbody>
    <equality><connect name="c" body1="hung" anchor="0 0 0" solref="0.1 1"/>
    <weld name="w" body1="held" solref="0.06 1" torquescale=".5"/></equality></mujoco>)");
  Report report;
  const Scenario once = buildScenario(readMjcf(first, {}, "", report), {}, report);
  writeMjcf(once, folder.path("again.xml"), report);
  const Scenario twice = readBack(folder.path("again.xml"), false);
  for (const char* body : {"rod", "ball", "box", "beam"}) {
    CAPTURE(std::string(body));
    const Softness &first = between(*once.model, "floor", body).softness,
                   &second = between(*twice.model, "floor", body).softness;
    CHECK(off(first, second) <= 1e-9);
    CHECK(first.mobility == doctest::Approx(second.mobility).epsilon(1e-9));
  }
  const auto joint = [](const Scenario& s, const char* name) -> const Joint& {
    const int j = s.model->findJoint(name);
    REQUIRE_MESSAGE(j >= 0, name);
    return s.model->joints[static_cast<std::size_t>(j)];
  };
  for (const char* name : {"c", "w", "w_turn"}) {
    CAPTURE(std::string(name));
    CHECK(off(joint(once, name).softness, joint(twice, name).softness) <= 1e-12);
    CHECK(joint(once, name).softness.mobility ==
          doctest::Approx(joint(twice, name).softness.mobility).epsilon(1e-9));
  }
  CHECK(off(joint(once, "j").coordinates[0].limit.softness,
            joint(twice, "j").coordinates[0].limit.softness) <= 1e-12);
  const std::string text = textOf(folder.path("again.xml"));
  CHECK(text.find("torquescale=\"0.5\"") != std::string::npos);
  CHECK(!anyLine(report.approximated, "is rigid"));
  CHECK(apart(once.model, stepped(*twice.model, *once.model)) <= kSame);
}

TEST_CASE("soft limits of a scenario count the inertia of their bodies, also after MJCF") {
  const Scenario s = test::scenarioOf(
      "<options timestep='0.001' integrator='euler'/><body name='a'><inertial mass='1' inertia='0.1 0.1 0.1' "
      "position='0.5 0 0'/></body><joint name='j' type='revolute' follower='a' axis='0 1 0'><limit "
      "lower='-1' "
      "upper='0.02' impedance='0.9 0.9 0.001 0.5 2' reference='0.03 0.4'/></joint>");
  Report report;
  const Scenario back = throughMjcf(s, report);
  CHECK(apart(s.model, stepped(*back.model, *s.model)) <= kSame);
}

TEST_CASE("cables over pulleys and steady wrenches come back from MJCF") {
  const auto same = [](const std::string& inner) {
    CAPTURE(inner);
    const Scenario s = test::scenarioOf(inner);
    Report report;
    const Scenario back = throughMjcf(s, report);
    CHECK(!anyLine(report.leftOut, "cable"));
    CHECK(!anyLine(report.leftOut, "wrench"));
    CHECK(apart(stepped(*s.model, *s.model), stepped(*back.model, *s.model)) <= kSame);
  };
  const std::string ball = "<inertial mass='2' inertia='0.01 0.02 0.03' position='0.01 0 0.02'/></body>";
  for (const std::string sense : {"positive", "negative"})
    same("<body name='a' position='-0.3 0 -1'>" + ball + "<body name='b' position='0.4 0 0'>" + ball +
         "<cable name='cable' stiffness='50' damping='0' length='2.2' unilateral='none'><point "
         "body='a'/><pulley "
         "position='0 0 1' axis='0 1 0' radius='0.2' sense='" +
         sense + "'/><point body='b'/></cable>");
  same("<body name='a' position='-0.3 0 -1'>" + ball + "<body name='b' position='0.4 0.3 0'>" + ball +
       "<cable name='cable' stiffness='3000' damping='5' length='1' unilateral='none'><point "
       "body='a'/><sphere "
       "position='0 0.01 0.4' radius='0.2'/><point body='b'/></cable>");
  same("<body name='a' position='1 0 0' quaternion='0.8 0.6 0 0'>" + ball +
       "<wrench name='wrench' body='a' force='1 2 30' torque='0.1 0.2 -0.1' point='0.1 0.2 0.3'/>");
  same("<body name='a' position='1 0 0' quaternion='0.8 0.6 0 0'>" + ball +
       "<wrench name='wrench' body='a' force='1 2 30' torque='0.1 0.2 -0.1' point='0.1 0.2 0.3' "
       "frame='body'/>");
}

TEST_CASE("a root that moves freely stays free after URDF, without an option") {
  const test::ScratchFolder folder;
  Report report;
  const std::string inertial = "<inertial mass='1' inertia='0.1 0.1 0.1'/></body>";
  const Scenario s = test::scenarioOf(
      "<body name='trunk' position='0 0 1'>" + inertial + "<body name='leg' position='0 0 0.5'>" + inertial +
      "<joint name='hip' type='revolute' base='trunk' follower='leg' position='0 0 0.7' "
      "axis='0 1 0'/>");
  writeUrdf(s, folder.path("m.urdf"), report);
  CHECK(textOf(folder.path("m.urdf")).find("type=\"floating\"") != std::string::npos);
  CHECK(anyLine(report.assumed, "trunk move freely"));
  Report ignored;
  test::Converted back{buildScenario(readUrdf(folder.path("m.urdf"), {}, ignored), {}, ignored), {}};
  CHECK(back.mobility() == 7);
}
