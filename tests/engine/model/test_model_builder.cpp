#include <functional>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/model/model_builder.h"
#include "engine/world.h"
#include "tests/support.h"

using namespace grashof;

namespace {

constexpr const char* kOneBody = R"(<body name="a"><inertial mass="1" inertia="1 1 1"/></body>)";

std::vector<Diagnostic> defectsOf(const std::function<void()>& make) {
  try {
    make();
  } catch (const InputError& error) {
    return error.diagnostics();
  }
  return {};
}

InertialDef unit() { return {.mass = 1.0, .inertia = Mat3::Identity()}; }
BodyId addBody(ModelBuilder& b) { return b.addBody({.name = "a", .inertial = unit()}); }
JointId addHinge(ModelBuilder& b) {
  return b.addJoint({.name = "j", .type = "revolute", .follower = addBody(b)});
}
std::string hingeXml(const std::string& inside) {
  return std::string(kOneBody) + R"(<joint name="j" type="revolute" follower="a">)" + inside + "</joint>";
}
SignalId addOne(ModelBuilder& b) { return b.addSignal({.name = "m", .offset = 1.0}); }
constexpr const char* kMotion = R"(<motion name="m" type="constant" value="1"/>)";

/// One defect, as XML and in code.
struct Twice {
  std::string xml;
  std::function<void(ModelBuilder&)> code;
};

InertialDef inertial(double mass, const Vec3& moments) {
  return {.mass = mass, .inertia = Mat3(moments.asDiagonal())};
}

std::vector<Twice> bodyDefects() {
  const auto body = [](const InertialDef& i) {
    return [i](ModelBuilder& b) { b.addBody({.name = "a", .inertial = i}); };
  };
  const auto shape = [](const Shape& s) {
    return [s](ModelBuilder& b) { b.addShape(b.addBody({.name = "a"}), s); };
  };
  return {
      {"", [](ModelBuilder&) {}},
      {R"(<body name="a"><inertial mass="0" inertia="1 1 1"/></body>)", body(inertial(0.0, Vec3::Ones()))},
      {R"(<body name="a"><inertial mass="-2" inertia="1 1 1"/></body>)", body(inertial(-2.0, Vec3::Ones()))},
      {R"(<body name="a"><inertial mass="1" inertia="1 -1 1"/></body>)",
       body(inertial(1.0, Vec3(1.0, -1.0, 1.0)))},
      {R"(<body name="a"><inertial mass="1" inertia="1 1 3"/></body>)",
       body(inertial(1.0, Vec3(1.0, 1.0, 3.0)))},
      {R"(<body name="a"><inertial mass="1"/></body>)", body({.mass = 1.0})},
      {R"(<body name="a"/>)", [](ModelBuilder& b) { b.addBody({.name = "a"}); }},
      {R"(<body><inertial mass="1" inertia="1 1 1"/></body>)",
       [](ModelBuilder& b) { b.addBody({.inertial = unit()}); }},
      {R"(<body name="world"><inertial mass="1" inertia="1 1 1"/></body>)",
       [](ModelBuilder& b) { b.addBody({.name = "world", .inertial = unit()}); }},
      {std::string(kOneBody) + kOneBody, [](ModelBuilder& b) { addBody(b), addBody(b); }},
      {R"(<body name="a"><shape type="box" size="1 -1 1"/></body>)", shape(grashof::boxShape({1, -1, 1}))},
      {R"(<body name="a"><shape type="sphere" radius="0"/></body>)", shape(grashof::sphereShape(0.0))},
      {R"(<body name="a"><shape type="plane"/></body>)", shape(grashof::planeShape())},
      {std::string(R"(<material name="s" friction="-0.1"/>)") + kOneBody,
       [](ModelBuilder& b) {
         b.addMaterial({.name = "s", .surface = {.friction = -0.1}});
         addBody(b);
       }},
      {std::string(kOneBody) + R"(<wrench name="w" body="a"/>)",
       [](ModelBuilder& b) { b.addWrench({.name = "w", .body = addBody(b)}); }},
      {std::string(kOneBody) + R"(<contacts><exclude a="a" b="a"/></contacts>)",
       [](ModelBuilder& b) {
         const BodyId a = addBody(b);
         b.exclude(a, a);
       }},
  };
}

std::vector<Twice> jointDefects() {
  return {
      {std::string(kOneBody) + R"(<joint name="j" type="revolut" follower="a"/>)",
       [](ModelBuilder& b) { b.addJoint({.name = "j", .type = "revolut", .follower = addBody(b)}); }},
      {std::string(kOneBody) + R"(<joint name="j" type="fixed" base="a" follower="a"/>)",
       [](ModelBuilder& b) {
         const BodyId a = addBody(b);
         b.addJoint({.name = "j", .type = "fixed", .base = a, .follower = a});
       }},
      {std::string(kOneBody) + R"(<joint name="j" type="fixed" follower="world"/>)",
       [](ModelBuilder& b) {
         addBody(b);
         b.addJoint({.name = "j", .type = "fixed", .follower = kWorldBody});
       }},
      {std::string(kOneBody) + R"(<joint name="j" type="revolute" follower="a" axis="0 0 0"/>)",
       [](ModelBuilder& b) {
         b.addJoint({.name = "j",
                     .type = "revolute",
                     .follower = addBody(b),
                     .frame = FrameDef{.axis = Vec3::Zero()}});
       }},
      {hingeXml(R"(<limit lower="1" upper="-1"/>)"),
       [](ModelBuilder& b) { b.addLimit(addHinge(b), {.lower = 1.0, .upper = -1.0}); }},
      {hingeXml("<limit/>"), [](ModelBuilder& b) { b.addLimit(addHinge(b), {}); }},
      {hingeXml(R"(<limit coordinate="1" lower="0"/>)"),
       [](ModelBuilder& b) { b.addLimit(addHinge(b), {.lower = 0.0}, 1); }},
      {hingeXml(R"(<dynamics damping="-1"/>)"),
       [](ModelBuilder& b) { b.addDynamics(addHinge(b), {.damping = -1.0}); }},
      {kMotion + hingeXml(R"(<actuator type="position" motion="m" kp="-3"/>)"),
       [](ModelBuilder& b) {
         const SignalId m = addOne(b);
         b.addActuator(addHinge(b), {.kind = Actuator::Kind::Position, .proportionalGain = -3.0}, m);
       }},
      {kMotion + hingeXml(R"(<actuator type="effort" motion="m" effort-limit="0"/>)"),
       [](ModelBuilder& b) {
         const SignalId m = addOne(b);
         b.addActuator(addHinge(b), {.kind = Actuator::Kind::Effort, .effortLimit = 0.0}, m);
       }},
      {std::string(kOneBody) + R"(<motion name="m" type="series" samples="0 1 1 1 0.5 2"/>)",
       [](ModelBuilder& b) {
         addBody(b);
         b.addSignal({.name = "m",
                      .kind = Signal::Kind::Series,
                      .times = {0.0, 1.0, 0.5},
                      .values = {1.0, 1.0, 2.0}});
       }},
      {hingeXml("") + R"(<coupling name="c" type="gear" joint-a="j" joint-b="j" ratio="2"/>)",
       [](ModelBuilder& b) {
         const JointId j = addHinge(b);
         b.addCoupling({.name = "c", .jointA = j, .jointB = j, .ratio = 2.0});
       }},
      {hingeXml("") + R"(<coupling name="c" type="screw" joint="j" pitch="0.1"/>)",
       [](ModelBuilder& b) {
         const JointId j = addHinge(b);
         b.addCoupling({.name = "c", .kind = CouplingKind::Screw, .jointA = j, .jointB = j});
       }},
  };
}

std::vector<Twice> motorDefects() {
  const auto motor = [](const Motor& m) {
    return [m](ModelBuilder& b) {
      addBody(b);
      b.addMotor(m);
    };
  };
  const auto xml = [](const std::string& attributes) {
    return std::string(kOneBody) + "<motor name=\"m\" " + attributes + "/>";
  };
  const auto with = [](auto change) {
    Motor m;
    m.name = "m";
    change(m);
    return m;
  };
  return {
      {xml("gear-ratio='0'"), motor(with([](Motor& m) { m.gearRatio = 0.0; }))},
      {xml("efficiency='1.2'"), motor(with([](Motor& m) { m.efficiency = 1.2; }))},
      {xml("back-efficiency='0'"), motor(with([](Motor& m) { m.backEfficiency = 0.0; }))},
      {xml("rotor-inertia='-1'"), motor(with([](Motor& m) { m.rotorInertia = -1.0; }))},
      {xml("stall-torque='-1'"), motor(with([](Motor& m) { m.stallTorque = -1.0; }))},
      {xml("rms-torque='0'"), motor(with([](Motor& m) { m.rmsTorque = 0.0; }))},
      {xml("no-load-speed='100'"), motor(with([](Motor& m) { m.noLoadSpeed = 100.0; }))},
      {xml("voltage='12'"), motor(with([](Motor& m) { m.voltage = 12.0; }))},
      {std::string(kOneBody) + "<motor gear-ratio='2'/>",
       [](ModelBuilder& b) {
         addBody(b);
         b.addMotor({});
       }},
      {xml("") + "<motor name='m'/>",
       [](ModelBuilder& b) {
         addBody(b);
         Motor m;
         m.name = "m";
         b.addMotor(m);
         b.addMotor(m);
       }},
  };
}

std::vector<Twice> settingDefects() {
  const auto with = [](auto change) {
    return [change](ModelBuilder& b) {
      addBody(b);
      change(b);
    };
  };
  return {
      {std::string("<options timestep='0'/>") + kOneBody,
       with([](ModelBuilder& b) { b.options().timestep = 0.0; })},
      {std::string("<options contact-margin='-1'/>") + kOneBody,
       with([](ModelBuilder& b) { b.options().contactMargin = -1.0; })},
      {std::string("<solver name='ADNM'/>") + kOneBody,
       with([](ModelBuilder& b) { b.solver().name = "ADNM"; })},
      {std::string("<solver max-iterations='0'/>") + kOneBody,
       with([](ModelBuilder& b) { b.solver().maxIterations = 0; })},
      {std::string("<stabilization gamma='1.5'/>") + kOneBody,
       with([](ModelBuilder& b) { b.stabilization().gamma = 1.5; })},
  };
}

void checkTwice(const std::vector<Twice>& cases) {
  for (const Twice& c : cases) {
    CAPTURE(c.xml);
    const auto read = defectsOf([&] { parseScenario("<scenario>" + c.xml + "</scenario>", "t.xml"); });
    const auto made = defectsOf([&] {
      ModelBuilder b("t");
      c.code(b);
      b.build();
    });
    REQUIRE(read.size() == 1);
    REQUIRE(made.size() == 1);
    CHECK(made[0].message == read[0].message);
    CHECK(made[0].element == read[0].element);
    CHECK(made[0].file.empty());
    CHECK(read[0].file == "t.xml");
  }
}

}  // namespace

TEST_CASE("a wrong body says the same in code as in XML") { checkTwice(bodyDefects()); }
TEST_CASE("a wrong joint says the same in code as in XML") { checkTwice(jointDefects()); }
TEST_CASE("a wrong motor says the same in code as in XML") { checkTwice(motorDefects()); }
TEST_CASE("a wrong setting says the same in code as in XML") { checkTwice(settingDefects()); }

TEST_CASE("all defects of a model are reported at once, and numbers that are not finite are some") {
  ModelBuilder b("bad");
  b.gravity().z() = std::nan("");
  const BodyId a = b.addBody({.name = "a", .pose = at(0, 0, std::nan("")), .inertial = unit()});
  b.addBody({.name = "a", .inertial = unit()});
  b.addJoint({.name = "j", .type = "revolute", .follower = {7}});
  b.addShape(a, grashof::sphereShape(std::numeric_limits<double>::infinity()));
  CHECK(defectsOf([&] { b.build(); }).size() == 5);
}

TEST_CASE("a model opened and built again is the same bit for bit") {
  const Scenario s = readScenario(test::sourceFolder() + "/assets/scenarios/jansen-walker.xml");
  const std::shared_ptr<const Model> again = ModelBuilder(*s.model).build();
  CHECK(again->initialState() == s.model->initialState());
  CHECK(again->exclusions == s.model->exclusions);
  REQUIRE(again->shapes.size() == s.model->shapes.size());
  World first(s.model), second(again);
  for (int i = 0; i < 20; ++i) first.step(), second.step();
  CHECK(first.state() == second.state());
}

TEST_CASE("the reaction of a hinge holds the weight of a bar at rest") {
  ModelBuilder b("bar");
  const BodyId bar = b.addBody({.name = "bar", .pose = at(0.0, 0.0, -0.5)});
  b.addShape(bar, grashof::boxShape({0.02, 0.02, 1.0}), {.mass = 3.0});
  b.addJoint(
      {.name = "pivot", .type = "revolute", .follower = bar, .frame = FrameDef{.axis = Vec3::UnitY()}});
  World world(b.build());
  for (int i = 0; i < 10; ++i) world.step();
  const Vec6 reaction = world.simulator().jointReaction(0);
  CHECK(reaction.head<3>().norm() == doctest::Approx(3.0 * test::kGravity));
  CHECK(reaction.tail<3>().norm() < 1e-9);
  CHECK(world.model().bodies[0].mass == 3.0);
}

TEST_CASE("a changed actuator and signal of an opened model are those of the new one") {
  ModelBuilder b("motor");
  const SignalId speed = addOne(b);
  const JointId j = addHinge(b);
  b.addActuator(j, {.kind = Actuator::Kind::Velocity, .derivativeGain = 5.0}, speed);
  const auto first = b.build();
  ModelBuilder opened(*first);
  opened.signal(speed).offset = 7.0;
  opened.coordinate(j).actuator.derivativeGain = 9.0;
  const auto second = opened.build();
  CHECK(first->signals[0].offset == 1.0);
  CHECK(second->signals[0].offset == 7.0);
  CHECK(second->joints[0].coordinates[0].actuator.derivativeGain == 9.0);
}

TEST_CASE("a motor made in code drives the actuators that name it, and one that is not there is a defect") {
  ModelBuilder b("motor");
  Motor motor;
  motor.name = "m";
  motor.gearRatio = 10.0;
  motor.rotorInertia = 1e-3;
  motor.torqueLimit = 0.5;
  const MotorId m = b.addMotor(motor);
  const SignalId speed = addOne(b);
  const JointId j = addHinge(b);
  b.addActuator(j, {.kind = Actuator::Kind::Velocity, .motor = m.value, .derivativeGain = 5.0}, speed);
  const auto model = b.build();
  const JointCoordinate& c = model->joints[0].coordinates[0];
  CHECK(c.passive.inertia() == doctest::Approx(0.1));
  CHECK(model->boundsOf(c.actuator).limit == doctest::Approx(5.0));
  REQUIRE(model->motorOf(c.actuator));
  CHECK(model->motorOf(c.actuator)->name == "m");
  // Its rotor leaves with it, and is not counted twice.
  ModelBuilder opened(*model);
  opened.motor(m).rotorInertia = 2e-3;
  CHECK(opened.build()->joints[0].coordinates[0].passive.inertia() == doctest::Approx(0.2));
  opened.coordinate(j).actuator.motor = -1;
  CHECK(opened.build()->joints[0].coordinates[0].passive.inertia() == 0.0);
  opened.coordinate(j).actuator.motor = 3;
  CHECK(defectsOf([&] { opened.build(); }).size() == 1);
}
