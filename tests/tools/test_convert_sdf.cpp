// SDF to scenarios: links, joints, loops, frames, shapes, worlds. Without libsdformat one error says so.
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <sstream>

#include <fmt/format.h>

#include "tests/tools/sdf_support.h"

using namespace grashof;
using namespace grashof::convert;
using test::anyLine, test::fromSdfText, test::FromSdf, test::sdfError, test::sdfJoint, test::sdfLink;

namespace {

std::string sdfModel(const std::string& inner, const std::string& attributes = "name='m'") {
  return "<model " + attributes + ">" + inner + "</model>";
}

std::string sdfWorld(const std::string& inner) { return "<world name='w'>" + inner + "</world>"; }

}  // namespace

#ifndef GRASHOF_SDF

TEST_CASE("without its library SDF is an error that says how to mend that") {
  CHECK(sdfError(sdfModel(sdfLink("a", "0 0 0 0 0 0"))).find("libsdformat-dev") != std::string::npos);
}

#else

namespace {

/// A planar four-bar, a parallelogram in the xz plane; `last`: elements of the joint that closes it.
std::string fourBar(const std::string& last) {
  return sdfModel(
      sdfLink("crank", "0 0 0.1 0 0 0") + sdfLink("coupler", "0.2 0 0.2 0 0 0") +
      sdfLink("rocker", "0.4 0 0.1 0 0 0") +
      sdfJoint("main", "revolute", "world", "crank", "0 1 0", "", "<pose>0 0 -0.1 0 0 0</pose>") +
      sdfJoint("pin", "revolute", "crank", "coupler", "0 1 0", "", "<pose>-0.2 0 0 0 0 0</pose>") +
      sdfJoint("wrist", "revolute", "coupler", "rocker", "0 1 0", "", "<pose>0 0 0.1 0 0 0</pose>") + last);
}

const std::string kFollower =
    sdfJoint("follower", "revolute", "world", "rocker", "0 1 0",
             "<dynamics><damping>0.3</damping></dynamics>", "<pose>0 0 -0.1 0 0 0</pose>");

Vec3 originOf(const FromSdf& made, const std::string& name) {
  const Body& b = made.body(name);
  return (b.initialPose * b.userFrame).position;
}

}  // namespace

TEST_CASE("a pendulum of SDF has the joint, masses and dynamics of the file") {
  const FromSdf made = fromSdfText(sdfModel(
      "<pose>0 0 2 0 0 0</pose><link name='arm'><pose>0 0 0.5 0 0 0</pose><inertial><pose>0 0 -0.5 0 0 "
      "1.5707963267948966</pose><mass>2</mass><inertia><ixx>0.1</ixx><ixy>0</ixy><ixz>0</ixz><iyy>0.2</iyy>"
      "<iyz>0</iyz><izz>0.15</izz></inertia></inertial></link>" +
      sdfJoint("pivot", "revolute", "world", "arm", "0 2 0",
               "<limit><lower>-1</lower><upper>2</upper></limit><dynamics><damping>0.1</damping><friction>0.2"
               "</friction><spring_reference>0.3</spring_reference><spring_stiffness>4</spring_stiffness>"
               "</dynamics>")));
  const JointCoordinate& q = made.joint("pivot").coordinates[0];
  CHECK(made.joint("pivot").type == &revoluteJoint());
  CHECK(q.limit.lower == -1.0);
  CHECK(q.limit.upper == 2.0);
  CHECK(q.passive.damping == 0.1);
  CHECK(q.passive.dryFriction == 0.2);
  CHECK(q.passive.rest == 0.3);
  CHECK(q.passive.stiffness == 4.0);
  const Body& arm = made.body("arm");
  CHECK(arm.mass == 2.0);
  CHECK((arm.initialPose.position - Vec3(0.0, 0.0, 2.0)).norm() <= 1e-12);
  const Mat3 r = arm.initialPose.rotation.toRotationMatrix();
  const Mat3 world = r * arm.inertia * r.transpose();
  CHECK((world - Mat3(Vec3(0.2, 0.1, 0.15).asDiagonal())).norm() <= 1e-12);
}

TEST_CASE("SDF and URDF of one pendulum move alike") {
  const test::ScratchFolder folder;
  const std::string urdf = folder.write(
      "p.urdf",
      "<robot name='p'><link name='base'/><link name='arm'><inertial><origin xyz='0.3 0 -0.4'/><mass "
      "value='2'/>"
      "<inertia ixx='0.1' iyy='0.1' izz='0.01'/></inertial></link><joint name='pivot' "
      "type='revolute'><parent "
      "link='base'/><child link='arm'/><axis xyz='0 1 0'/><limit lower='-2' upper='2'/><dynamics "
      "damping='0.1'/></joint></robot>");
  Report report;
  const Scenario a = buildScenario(readUrdf(urdf, {}, report), {}, report);
  const FromSdf b = fromSdfText(sdfModel(
      "<link name='arm'><inertial><pose>0.3 0 -0.4 0 0 "
      "0</pose><mass>2</mass><inertia><ixx>0.1</ixx><ixy>0</ixy>"
      "<ixz>0</ixz><iyy>0.1</iyy><iyz>0</iyz><izz>0.01</izz></inertia></inertial></link>" +
      sdfJoint(
          "pivot", "revolute", "world", "arm", "0 1 0",
          "<limit><lower>-2</lower><upper>2</upper></limit><dynamics><damping>0.1</damping></dynamics>")));
  Simulator one(a.model), two(b.scenario.model);
  while (one.state().time < 0.5) one.step(), two.step();
  CHECK(std::abs(one.state().coordinates[0]) > 0.1);
  CHECK(two.state().coordinates[0] == doctest::Approx(one.state().coordinates[0]).epsilon(1e-9));
}

TEST_CASE("a link that is child of two joints closes a loop, which keeps what its joint has") {
  const FromSdf made = fromSdfText(fourBar(kFollower));
  CHECK(made.model().joints.size() == 4);
  CHECK(made.mobility() == 1);
  CHECK(made.report.residual <= 1e-9);
  double damping = 0.0;
  for (const Joint& j : made.model().joints) damping += j.coordinates[0].passive.damping;
  CHECK(damping == 0.3);
  Simulator simulator(made.scenario.model);
  double worst = 0.0;
  while (simulator.state().time < 1.0) worst = std::max(worst, simulator.step().jointResidual);
  CHECK(worst <= 1e-9);
}

TEST_CASE("a loop whose axes are parallel but for rounding moves, and stays closed") {
  const FromSdf made = fromSdfText(fourBar(
      sdfJoint("follower", "revolute", "world", "rocker", "4e-6 1 2e-6", "", "<pose>0 0 -0.1 0 0 0</pose>")));
  CHECK(anyLine(made.report.approximated, "axes of 1 joints turned by up to 4.5e-06 rad"));
  CHECK(made.mobility() == 1);
  Simulator simulator(made.scenario.model);
  double worst = 0.0;
  while (simulator.state().time < 1.0) worst = std::max(worst, simulator.step().jointResidual);
  CHECK(worst <= 1e-9);
  // Further apart they are what the file says.
  const FromSdf apart = fromSdfText(fourBar(
      sdfJoint("follower", "revolute", "world", "rocker", "4e-4 1 2e-4", "", "<pose>0 0 -0.1 0 0 0</pose>")));
  CHECK(!anyLine(apart.report.approximated, "axes of"));
}

TEST_CASE("a rod that is only a parent hangs in its loop, its joint turned around") {
  // The same four-bar; the coupler is the parent of both its joints.
  const FromSdf made = fromSdfText(sdfModel(
      sdfLink("crank", "0 0 0.1 0 0 0") + sdfLink("coupler", "0.2 0 0.2 0 0 0") +
      sdfLink("rocker", "0.4 0 0.1 0 0 0") +
      sdfJoint("main", "revolute", "world", "crank", "0 1 0",
               "<limit><lower>-0.5</lower><upper>0.7</upper></limit>", "<pose>0 0 -0.1 0 0 0</pose>") +
      sdfJoint("pin", "revolute", "coupler", "crank", "0 1 0",
               "<limit><lower>-0.2</lower><upper>0.4</upper></limit>", "<pose>0 0 0.1 0 0 0</pose>") +
      sdfJoint("wrist", "revolute", "coupler", "rocker", "0 1 0", "", "<pose>0 0 0.1 0 0 0</pose>") +
      kFollower));
  CHECK(made.mobility() == 1);
  CHECK(!anyLine(made.report.assumed, "has no parent"));
  // The coordinate of the turned joint is still that of the file: limits stay as they are.
  const Limit& limit = made.joint("pin").coordinates[0].limit;
  CHECK(limit.lower == -0.2);
  CHECK(limit.upper == 0.4);
}

TEST_CASE("every joint type of SDF becomes the one with its motions") {
  const auto of = [](const std::string& type, const std::string& more = {}) {
    const std::string second =
        type == "universal" || type == "revolute2" ? "<axis2><xyz>0 1 0</xyz></axis2>" : "";
    return fromSdfText(sdfModel(sdfLink("a", "0 0 1 0 0 0") +
                                sdfJoint("j", type, "world", "a", "0 0 1", "", second + more)));
  };
  CHECK(of("revolute").joint("j").type == &revoluteJoint());
  CHECK(of("continuous").joint("j").type == &revoluteJoint());
  CHECK(of("prismatic").joint("j").type == &prismaticJoint());
  CHECK(of("ball").joint("j").type == &sphericalJoint());
  CHECK(of("universal").joint("j").type == &universalJoint());
  CHECK(of("revolute2").joint("j").type == &universalJoint());
  CHECK(sdfError(sdfModel(sdfLink("a", "0 0 1 0 0 0") + sdfJoint("j", "fixed", "world", "a", "0 0 1")))
            .find("no body that moves") != std::string::npos);
  CHECK(anyLine(of("ball").report.leftOut, "<axis> of ball joints"));
  const FromSdf screw = of("screw", "<thread_pitch>-100</thread_pitch>");
  CHECK(screw.mobility() == 1);
}

TEST_CASE("axes of a revolute2 that are not square are two hinges") {
  const FromSdf made =
      fromSdfText(sdfModel(sdfLink("a", "0 0 1 0 0 0") + sdfJoint("j", "revolute2", "world", "a", "0 0 1", "",
                                                                  "<axis2><xyz>0 1 1</xyz></axis2>")));
  CHECK(made.model().joints.size() == 2);
  CHECK(made.mobility() == 2);
  CHECK(sdfError(sdfModel(sdfLink("a", "0 0 1 0 0 0") + sdfJoint("j", "revolute2", "world", "a", "0 0 1", "",
                                                                 "<axis2><xyz>0 0 2</xyz></axis2>")))
            .find("parallel") != std::string::npos);
}

TEST_CASE("a right-handed screw advances by its pitch over a turn") {
  // thread_pitch counts left-handed radians per metre.
  const double pitch = 0.01;
  const auto nutOn = [](const std::string& thread) {
    return fromSdfText(sdfModel(sdfLink("nut", "0 0 1 0 0 0") +
                                sdfJoint("j", "screw", "world", "nut", "0 0 1", "", thread)));
  };
  const FromSdf made = nutOn(fmt::format("<thread_pitch>{:.12g}</thread_pitch>", -2.0 * M_PI / pitch));
  // SDF 1.10 has metres a turn.
  const FromSdf newer = nutOn(fmt::format("<screw_thread_pitch>{:.12g}</screw_thread_pitch>", pitch));
  REQUIRE(newer.model().couplings.size() == 1);
  CHECK(newer.model().couplings[0].ratio == doctest::Approx(made.model().couplings[0].ratio));
  CHECK(newer.report.leftOut.empty());
  Simulator simulator(made.scenario.model);
  while (simulator.state().time < 0.2) simulator.step();
  const Pose& pose = simulator.state().poses[0];
  const double fallen = pose.position.z() - 1.0;
  CHECK(fallen < -1e-5);
  CHECK(fallen == doctest::Approx(pitch / (2.0 * M_PI) * simulator.state().coordinates[1]).epsilon(1e-6));
  // Of the accelerations m a = -m g - F, F = I alpha / h with a = h alpha.
  const double h = pitch / (2.0 * M_PI), a = -test::kGravity / (1.0 + 0.01 / (h * h));
  CHECK(fallen == doctest::Approx(0.5 * a * 0.04).epsilon(0.02));
}

TEST_CASE("a gearbox couples the rotations of both sides about its reference body") {
  const auto made = [](const std::string& axis2) {
    return fromSdfText(sdfModel(
        sdfLink("frame", "0 0 0 0 0 0") + sdfLink("rotor", "0 0 1 0 0 0") + sdfLink("arm", "0 0 1 0 0 0") +
        sdfJoint("hold", "fixed", "world", "frame", "0 0 1") +
        sdfJoint("in", "revolute", "frame", "rotor", "0 0 1") +
        sdfJoint("out", "revolute", "frame", "arm", axis2) +
        sdfJoint(
            "gear", "gearbox", "rotor", "arm", "0 0 1", "",
            "<axis2><xyz>0 0 1</xyz></axis2><gearbox_ratio>0.04</gearbox_ratio><gearbox_reference_body>frame"
            "</gearbox_reference_body>")));
  };
  // theta_2 = -ratio theta_1
  for (const auto& [axis, ratio] : {std::pair{"0 0 1", -0.04}, std::pair{"0 0 -1", 0.04}}) {
    const FromSdf gear = made(axis);
    REQUIRE(gear.model().couplings.size() == 1);
    const Coupling& c = gear.model().couplings[0];
    CHECK(gear.model().joints[static_cast<std::size_t>(c.jointA)].name == "out");
    CHECK(gear.model().joints[static_cast<std::size_t>(c.jointB)].name == "in");
    CHECK(c.ratio == doctest::Approx(ratio).epsilon(1e-12));
    CHECK(gear.mobility() == 1);
  }
  CHECK(sdfError(sdfModel(sdfLink("rotor", "0 0 1 0 0 0") + sdfLink("arm", "0 0 1 0 0 0") +
                          sdfJoint("gear", "gearbox", "rotor", "arm", "0 0 1", "",
                                   "<gearbox_reference_body>arm</gearbox_reference_body>")))
            .find("which are not there (add them)") != std::string::npos);
}

TEST_CASE("poses and axes refer to the frames that they name") {
  const FromSdf made = fromSdfText(sdfModel(
      "<frame name='corner'><pose>1 2 3 0 0 1.5707963267948966</pose></frame>" + sdfLink("a", "0 0 0 0 0 0") +
      "<link name='b'><pose relative_to='corner'>1 0 0 0 0 0</pose><inertial><mass>1</mass></inertial></link>"
      "<joint name='slide' type='prismatic'><parent>world</parent><child>b</child><axis><xyz "
      "expressed_in='corner'>1 0 0</xyz></axis></joint>" +
      sdfJoint("pin", "revolute", "world", "a", "0 0 1")));
  CHECK((originOf(made, "b") - Vec3(1.0, 3.0, 3.0)).norm() <= 1e-12);
  const Joint& j = made.joint("slide");
  CHECK((j.baseFrame.rotation * Vec3::UnitX() - Vec3::UnitY()).norm() <= 1e-12);
  CHECK(anyLine(made.report.assumed, "link b has no <inertia>"));
}

TEST_CASE("nested models have names and places of their own") {
  const FromSdf made = fromSdfText(sdfModel("<pose>0 0 1 0 0 0</pose>" + sdfLink("base", "0 0 0 0 0 0") +
                                            "<model name='inner'><pose>1 0 0 0 0 "
                                            "1.5707963267948966</pose>" +
                                            sdfLink("tip", "1 0 0 0 0 0") + "</model>" +
                                            sdfJoint("pin", "revolute", "base", "inner::tip", "0 0 1") +
                                            sdfJoint("root", "revolute", "world", "base", "0 0 1")));
  CHECK((originOf(made, "inner::tip") - Vec3(1.0, 1.0, 1.0)).norm() <= 1e-12);
  CHECK(made.joint("pin").follower == made.model().findBody("inner::tip"));
}

TEST_CASE("a world has gravity and step of the file, scenery that stands still, and models that fall") {
  const FromSdf made = fromSdfText(sdfWorld(
      "<gravity>0 0 -1.6</gravity><physics type='ode'><max_step_size>0.002</max_step_size></physics>"
      "<model name='ground'><static>true</static><link name='l'><collision "
      "name='c'><geometry><plane><normal>0 0 1"
      "</normal></plane></geometry></collision></link></model>"
      "<model name='ball'><pose>0 0 0.5 0 0 0</pose>" +
      sdfLink("l", "0 0 0 0 0 0",
              "<collision name='c'><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>") +
      "</model>"));
  CHECK(made.model().gravity.z() == -1.6);
  CHECK(made.model().step.timestep == 0.002);
  REQUIRE(made.model().bodies.size() == 1);
  CHECK(made.model().bodies[0].name == "ball::l");
  CHECK(made.mobility() == 6);
  Simulator simulator(made.scenario.model);
  while (simulator.state().time < 3.0) simulator.step();
  CHECK(simulator.state().poses[0].position.z() == doctest::Approx(0.1).epsilon(1e-3));
}

TEST_CASE("joints of a world join its models, in the frames that they name") {
  const std::string models = "<model name='a'><pose>0 0 1 0 0 0</pose>" + sdfLink("l", "0 0 0 0 0 0") +
                             "</model><model name='b'><pose>0 0 2 0 0 1.5707963267948966</pose>" +
                             sdfLink("l", "0 0 0 0 0 0") + "</model>";
  const FromSdf made = fromSdfText(sdfWorld(
      models +
      "<joint name='k' type='fixed'><parent>world</parent><child>a::l</child></joint>"
      "<joint name='j' type='revolute'><pose relative_to='a'>0 0 0.5 0 0 0</pose><parent>a::l</parent>"
      "<child>b::l</child><axis><xyz expressed_in='b'>1 0 0</xyz></axis></joint>"));
  CHECK(made.mobility() == 1);
  const Joint& joint = made.joint("j");
  const Pose frame = made.body("b::l").initialPose * joint.followerFrame;
  CHECK((frame.position - Vec3(0.0, 0.0, 1.5)).norm() < 1e-9);
  CHECK(std::abs(std::abs((frame.rotation * Vec3::UnitX()).y()) - 1.0) < 1e-9);
  CHECK(sdfError(
            sdfWorld(models + "<joint name='j' type='ball'><parent>a::l</parent><child>c::l</child></joint>"))
            .find("there is no link 'c::l' (did you mean 'a::l'?)") != std::string::npos);
}

TEST_CASE("cones have their tip along z, and versions that are not known are told") {
  const FromSdf made = fromSdfText(
      "<model name='m'>" +
      sdfLink("l", "0 0 0 0 0 0",
              "<collision name='c'><geometry><cone><radius>0.1</radius><length>0.3</length></cone></geometry>"
              "</collision>") +
      "</model>");
  REQUIRE(made.model().shapes.size() == 1);
  CHECK(made.model().shapes[0].type == ShapeType::Cone);
  CHECK(made.model().shapes[0].radius == 0.1);
  CHECK(made.model().shapes[0].length == 0.3);
  CHECK(made.report.leftOut.empty());
  const test::ScratchFolder folder;
  const FromSdf newer = test::fromSdfFile(folder.write(
      "n.sdf", "<sdf version='2.0'><model name='m'>" + sdfLink("l", "0 0 0 0 0 0") + "</model></sdf>"));
  CHECK(anyLine(newer.report.assumed, "SDF 2.0 is read as 1.12"));
}

TEST_CASE("a model by itself stands on the world until its base is let go") {
  const std::string robot = sdfModel(sdfLink("base", "0 0 1 0 0 0") + sdfLink("arm", "0 0 2 0 0 0") +
                                     sdfJoint("pin", "revolute", "base", "arm", "0 1 0"));
  const FromSdf fixed = fromSdfText(robot);
  CHECK(fixed.mobility() == 1);
  CHECK((originOf(fixed, "arm") - Vec3(0.0, 0.0, 2.0)).norm() <= 1e-12);
  CHECK(anyLine(fixed.report.assumed, "link base has no parent: fixed to the world (--floating-base"));
  BuildOptions options;
  options.floatingBase = true;
  const FromSdf floating = fromSdfText(robot, options);
  CHECK(floating.mobility() == 7);
  CHECK((originOf(floating, "base") - Vec3(0.0, 0.0, 1.0)).norm() <= 1e-12);
}

TEST_CASE("shapes of SDF have the sizes, places and surfaces of the file") {
  const auto shape = [](const char* name, const char* geometry, const char* more = "") {
    return fmt::format("<collision name='{}'><pose>0 0 0.1 0 0 0</pose><geometry>{}</geometry>{}</collision>",
                       name, geometry, more);
  };
  const FromSdf made = fromSdfText(sdfModel(
      sdfLink("a", "0 0 1 0 0 0",
              shape("box", "<box><size>1 2 3</size></box>",
                    "<surface><friction><ode><mu>0.4</mu><mu2>0.6</mu2></ode></friction><bounce>"
                    "<restitution_coefficient>0.5</restitution_coefficient></bounce></surface>") +
                  shape("ball", "<sphere><radius>0.2</radius></sphere>",
                        "<surface><friction><ode><mu>0.8</mu><mu2>0.8</mu2></ode></friction><contact>"
                        "<collide_bitmask>6</collide_bitmask></contact></surface>") +
                  shape("can", "<cylinder><radius>0.3</radius><length>0.7</length></cylinder>") +
                  shape("pill", "<capsule><radius>0.1</radius><length>0.4</length></capsule>") +
                  shape("egg", "<ellipsoid><radii>0.1 0.2 0.3</radii></ellipsoid>") +
                  "<visual name='seen'><geometry><box><size>1 1 1</size></box></geometry></visual>") +
      sdfJoint("j", "revolute", "world", "a", "0 0 1")));
  const auto find = [&](const std::string& name) -> const Shape& {
    for (const Shape& s : made.model().shapes)
      if (s.name == name) return s;
    FAIL("no shape " << name);
    return made.model().shapes[0];
  };
  CHECK(find("a_box").size == Vec3(1.0, 2.0, 3.0));
  CHECK(find("a_box").pose.position.z() == doctest::Approx(0.1));
  CHECK(find("a_ball").radius == 0.2);
  CHECK(find("a_ball").group == 6u);
  CHECK(find("a_ball").mask == 6u);
  CHECK(find("a_can").length == 0.7);
  CHECK(find("a_pill").length == 0.4);
  CHECK(find("a_pill").radius == 0.1);
  CHECK(find("a_egg").size == Vec3(0.1, 0.2, 0.3));
  CHECK(!find("a_seen").collides);
  // Of a pair the smaller values count; where the file is silent the friction is 1.
  const int box = find("a_box").material, ball = find("a_ball").material, can = find("a_can").material;
  CHECK(made.model().surface(box, box).friction == 0.5);
  CHECK(made.model().surface(box, ball).friction == 0.5);
  CHECK(made.model().surface(box, ball).restitution == 0.0);
  CHECK(made.model().surface(ball, can).friction == 0.8);
  CHECK(made.model().surface(can, can).friction == 1.0);
  CHECK(anyLine(made.report.approximated, "mu, mu2"));
}

TEST_CASE("links touch their own model only where self_collide says so") {
  const auto excluded = [](const char* model, const char* ofLink) {
    const std::string ball =
        "<collision name='c'><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>";
    return fromSdfText(sdfModel(std::string(model) + sdfLink("a", "0 0 1 0 0 0", ball + ofLink) +
                                sdfLink("b", "0 0 2 0 0 0", ball + ofLink) +
                                sdfLink("c", "0 0 3 0 0 0", ball) +
                                sdfJoint("j", "revolute", "world", "a", "1 0 0") +
                                sdfJoint("k", "revolute", "a", "b", "1 0 0") +
                                sdfJoint("l", "revolute", "b", "c", "1 0 0")))
        .model()
        .exclusions.size();
  };
  const std::size_t all = excluded("<self_collide>1</self_collide>", "");
  CHECK(excluded("", "") > all);
  CHECK(excluded("<self_collide>1</self_collide>", "<self_collide>0</self_collide>") > all);
}

TEST_CASE("a bound that the given pose is beyond is left out, the other stays") {
  const FromSdf made = fromSdfText(sdfModel(sdfLink("a", "0 0 1 0 0 0") +
                                            sdfJoint("j", "revolute", "world", "a", "0 0 1",
                                                     "<limit><lower>-2</lower><upper>-0.5</upper></limit>")));
  const Limit& limit = made.joint("j").coordinates[0].limit;
  CHECK(limit.lower == -2.0);
  CHECK(std::isinf(limit.upper));
  CHECK(anyLine(made.report.leftOut, "upper limit -0.5 of joint j, which it starts beyond"));
}

TEST_CASE("inertias that no body can have are repaired or refused, as of URDF") {
  const auto model = [](const char* izz, const char* mass = "1") {
    return sdfModel("<link name='a'><inertial><mass>" + std::string(mass) +
                    "</mass><inertia><ixx>0.1</ixx><ixy>0</ixy><ixz>0</ixz><iyy>0.1</iyy><iyz>0</iyz><izz>" +
                    izz + "</izz></inertia></inertial></link>" + sdfLink("b", "0 0 1 0 0 0") +
                    sdfJoint("j", "revolute", "world", "a", "0 0 1") +
                    sdfJoint("k", "revolute", "a", "b", "1 0 0"));
  };
  CHECK(anyLine(fromSdfText(model("0.21")).report.repaired, "inertia of link a"));
  BuildOptions strict;
  strict.strict = true;
  CHECK(sdfError(model("0.21"), strict).find("violates the triangle inequality") != std::string::npos);
  CHECK(sdfError(model("0.9")).find("violates the triangle inequality") != std::string::npos);
  // Of a part that weighs hardly anything in any case.
  CHECK(anyLine(fromSdfText(model("0.9", "0.00005")).report.repaired, "inertia of link a"));
}

TEST_CASE("gravity that a link does not feel is carried") {
  const FromSdf made = fromSdfText(sdfModel(sdfLink("a", "0 0 1 0 0 0", "<gravity>0</gravity>") +
                                            sdfJoint("j", "prismatic", "world", "a", "0 0 1")));
  Simulator simulator(made.scenario.model);
  while (simulator.state().time < 0.5) simulator.step();
  CHECK(std::abs(simulator.state().coordinates[0]) <= 1e-9);
}

TEST_CASE("included models are found above the file, by --path and by the variables of Gazebo") {
  const test::ScratchFolder folder, far;
  for (const test::ScratchFolder* f : {&folder, &far}) {
    const std::string name = f == &folder ? "near" : "away";
    std::filesystem::create_directories(f->path(name));
    f->write(name + "/model.config",
             "<model><name>" + name + "</name><sdf version='1.9'>it.sdf</sdf></model>");
    f->write(
        name + "/it.sdf",
        "<sdf version='1.9'>" + sdfModel(sdfLink("part", "0 0 1 0 0 0"), "name='" + name + "'") + "</sdf>");
  }
  std::filesystem::create_directories(folder.path("deep"));
  const auto world = [&](const std::string& uri) {
    return folder.write("deep/w.sdf",
                        "<sdf version='1.9'>" +
                            sdfWorld("<include><uri>" + uri + "</uri><pose>1 0 0 0 0 0</pose></include>") +
                            "</sdf>");
  };
  const FromSdf near = test::fromSdfFile(world("model://near"));
  CHECK((originOf(near, "near::part") - Vec3(1.0, 0.0, 1.0)).norm() <= 1e-12);
  const std::string away = world("model://away");
  FileOptions options;
  options.folders = {far.path()};
  CHECK(test::fromSdfFile(away, {}, options).model().findBody("away::part") >= 0);
  setenv("GAZEBO_MODEL_PATH", far.path().c_str(), 1);
  CHECK(test::fromSdfFile(away).model().findBody("away::part") >= 0);
  unsetenv("GAZEBO_MODEL_PATH");
  Report report;
  CHECK_THROWS_WITH_AS(readSdf(away, {}, report),
                       doctest::Contains("w.sdf:1: include/uri: 'model://away' is not there"), InputError);
  // A file that includes itself, also through another.
  for (const char* uri : {"w.sdf", "../deep/w.sdf"})
    CHECK_THROWS_WITH_AS(readSdf(world(uri), {}, report), doctest::Contains("includes itself"), InputError);
}

TEST_CASE("meshes of SDF are found as those of URDF, and missing ones are one line") {
  const test::ScratchFolder folder;
  std::filesystem::create_directories(folder.path("robot/meshes"));
  std::filesystem::create_directories(folder.path("robot/sdf"));
  folder.write("robot/meshes/t.obj",
               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  const auto model = [&](const std::string& uri) {
    return folder.write(
        "robot/sdf/m.sdf",
        "<sdf version='1.9'>" +
            sdfModel(sdfLink("a", "0 0 0 0 0 0",
                             "<collision name='c'><geometry><mesh><uri>" + uri +
                                 "</uri><scale>2 2 2</scale></mesh></geometry></collision><visual "
                                 "name='v'><geometry><mesh><uri>" +
                                 uri + "</uri></mesh></geometry></visual>") +
                     sdfJoint("j", "revolute", "world", "a", "0 0 1")) +
            "</sdf>");
  };
  for (const char* uri : {"model://robot/meshes/t.obj", "../meshes/t.obj"}) {
    const FromSdf made = test::fromSdfFile(model(uri));
    REQUIRE(made.model().shapes.size() == 2);
    CHECK(made.model().shapes[0].type == ShapeType::Hull);
    double reach = 0.0;
    for (const Vec3& v : made.model().shapes[0].mesh->vertices) reach = std::max(reach, v.norm());
    CHECK(reach == doctest::Approx(2.0));
  }
  Report report;
  const std::string gone = model("model://robot/meshes/gone.obj");
  FileOptions strict;
  strict.strict = true;
  CHECK_THROWS_WITH_AS(readSdf(gone, strict, report), doctest::Contains("; and so on, 2 shapes in all"),
                       InputError);
  CHECK(anyLine(test::fromSdfFile(gone).report.leftOut, "2 shapes whose mesh is not there"));
}

TEST_CASE("errors of SDF name file, line and element, and the library prints nothing") {
  struct Case {
    std::string inner, part;
  };
  const std::string a = sdfLink("a", "0 0 0 0 0 0");
  const std::vector<Case> cases = {
      {"", "holds neither a world nor a model"},
      {sdfModel(""), "A model must have at least one link"},
      {sdfModel(a + a), "(names differ within a model)"},
      {sdfModel(a + sdfJoint("j", "hinge", "world", "a", "0 0 1")), "hinge"},
      {sdfModel(a + sdfJoint("j", "revolute", "world", "b", "0 0 1")),
       "(name a link, a frame, or as the parent the world)"},
      {sdfModel(a + sdfJoint("j", "revolute", "a", "a", "0 0 1")), "(parent and child differ)"},
      {sdfModel(a + sdfJoint("j", "revolute", "world", "a", "0 0 0")),
       "model.sdf:2: axis/xyz: the axis has no length"},
      {sdfModel(a + sdfJoint("j", "universal", "world", "a", "0 0 1")), "needs <axis2>"},
      {sdfModel(a + sdfJoint("j", "screw", "world", "a", "0 0 1", "", "<thread_pitch>0</thread_pitch>")),
       "thread_pitch"},
      {sdfModel(a + sdfJoint("j", "gearbox", "world", "a", "0 0 1")), "gearbox_reference_body"},
      {sdfModel(a + sdfJoint("j", "revolute", "world", "a", "0 0 1",
                             "<limit><lower>2</lower><upper>1</upper></limit>")),
       "lower is larger than upper (swap them)"},
      {sdfModel(a + sdfJoint("j", "revolute", "world", "a", "0 0 1",
                             "<dynamics><damping>-1</damping></dynamics>")),
       "damping must be >= 0"},
      {sdfModel(sdfLink("a", "nan 0 0 0 0 0")),
       "model.sdf:2: /sdf/model[@name=\"m\"]/link[@name=\"a\"]/pose: Error reading element <pose>: Pose "
       "values must "
       "be finite ("},
      {sdfModel("<link name='a'><pose relative_to='none'>0 0 0 0 0 0</pose></link>"),
       "(name a frame, link, joint or model)"},
      {sdfModel(
           sdfLink("a", "0 0 0 0 0 0",
                   "<collision name='c'><geometry><box><size>1 -2 1</size></box></geometry></collision>")),
       "the lengths of a shape must be >= 0 (m)"},
      {sdfModel("<include><uri>none.sdf</uri></include>"), "is not there"},
      {"<model name='m'><link name='a'>", "not well-formed XML"},
  };
  std::ostringstream printed;
  std::streambuf* const error = std::cerr.rdbuf(printed.rdbuf());
  std::streambuf* const output = std::cout.rdbuf(printed.rdbuf());
  std::vector<std::string> messages;
  for (const Case& c : cases) messages.push_back(sdfError(c.inner));
  std::cerr.rdbuf(error);
  std::cout.rdbuf(output);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CAPTURE(cases[i].inner);
    CAPTURE(messages[i]);
    CHECK(messages[i].find(cases[i].part) != std::string::npos);
    CHECK(messages[i].find("model.sdf") != std::string::npos);
  }
  CHECK(printed.str().empty());
}

TEST_CASE("damaged SDF is an error or a model, never a crash") {
  const std::string whole = "<sdf version='1.9'>\n" + fourBar(kFollower) + "</sdf>";
  const test::ScratchFolder folder;
  int errors = 0;
  const auto attempt = [&](const std::string& text) {
    try {
      test::fromSdfFile(folder.write("m.sdf", text));
    } catch (const InputError&) {
      ++errors;
    }
  };
  for (std::size_t n = 0; n < whole.size(); n += whole.size() / 12) attempt(whole.substr(0, n));
  CHECK(errors >= 12);
  const std::string junk = "<>/'9-e .\x01\xffnaxz";
  test::forAll(5, 60, [&](test::Random& random, int) {
    std::string text = whole;
    for (int k = 0; k < 3; ++k) {
      const auto at = static_cast<std::size_t>(random.uniform(0.0, static_cast<double>(text.size() - 1)));
      text[at] = junk[static_cast<std::size_t>(random.uniform(0.0, static_cast<double>(junk.size() - 1)))];
    }
    attempt(text);
  });
}

TEST_CASE("a four-bar of SDF goes to URDF and MJCF and comes back with its mobility and poses") {
  const FromSdf made = fromSdfText(fourBar(kFollower));
  const test::ScratchFolder folder;
  Report report;
  writeUrdf(made.scenario, folder.path("m.urdf"), report);
  writeMjcf(made.scenario, folder.path("m.xml"), report);
  Tree urdf = readUrdf(folder.path("m.urdf"), {}, report);
  readLoops(folder.path("m.yaml"), urdf, report);
  const Scenario fromUrdf = buildScenario(urdf, {}, report);
  const Scenario fromMjcf = buildScenario(readMjcf(folder.path("m.xml"), {}, "", report), {}, report);
  const State state = fromUrdf.model->initialState();
  CHECK(analyseMobility(*fromUrdf.model, state.poses, state.coordinates).mobility() == 1);
  CHECK(fromUrdf.model->bodies.size() == 3);
  for (const Body& b : made.model().bodies) {
    const int other = fromMjcf.model->findBody(b.name);
    REQUIRE(other >= 0);
    const Body& o = fromMjcf.model->bodies[static_cast<std::size_t>(other)];
    CHECK((o.initialPose.position - b.initialPose.position).norm() <= 1e-9);
    CHECK(o.mass == doctest::Approx(b.mass));
  }
}

#endif
