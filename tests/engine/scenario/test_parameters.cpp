#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/scenario/writer.h"
#include "tests/support.h"

using namespace grashof;

namespace {

constexpr const char* kArm = R"x(<parameter name="L" value="r*4" tolerance="+0.01 -0.02"/>
  <parameter name="r" value="25" unit="mm" tolerance="2%" spread="uniform"/>
  <body name="arm" position="L/2 0 (r - 1e-3)"><inertial mass="3*L" inertia="1 1 1"/></body>
  <joint name="pin" type="revolute" follower="arm" position="0 0 0" axis="cos(0) 0 0"/>)x";

Scenario parsed(const std::string& inner, const std::vector<Override>& overrides = {}) {
  return parseScenario("<scenario>" + inner + "</scenario>", "m.xml", overrides);
}

std::string parameterDefect(const std::string& inner, const std::vector<Override>& overrides = {}) {
  try {
    parsed(inner, overrides);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE(
    "attributes are what their expressions say, whatever the order of parameters, and --set overrides them") {
  const Scenario s = parsed(kArm);
  CHECK(s.model->bodies[0].initialPose.position == Vec3(0.1 / 2, 0.0, 0.025 - 1e-3));
  CHECK(s.model->bodies[0].mass == 3 * (0.025 * 4));
  REQUIRE(s.parameters.size() == 2);
  CHECK(s.parameters[1].name == "r");
  CHECK(s.parameters[1].value == 25.0);
  CHECK(s.parameters[1].unit == "mm");
  CHECK(s.parameters[1].below == 0.5);
  CHECK(s.parameters[1].spread == Spread::Uniform);
  CHECK(s.parameters[0].below == 0.02);
  CHECK(s.parameters[0].above == 0.01);
  const Scenario longer = parsed(kArm, {{"param.L", "0.3"}});
  CHECK(longer.model->bodies[0].mass == 3 * 0.3);
  const Scenario thicker = parsed(kArm, {{"param.r", "50"}, {"param.L", "r*2"}});
  CHECK(thicker.model->bodies[0].mass == 3 * (0.05 * 2));
}

TEST_CASE("120 mm are the double 0.12") {
  const Scenario s = parsed(
      R"(<parameter name="L" value="120" unit="mm"/><body name="a" position="L 0 0"><inertial mass="1" inertia="1 1 1"/></body>)");
  CHECK(s.model->bodies[0].initialPose.position.x() == 0.12);
}

TEST_CASE("errors name the expression, its file, line and element, also when the model refuses its value") {
  CHECK(parameterDefect(R"(<body name="a"><inertial mass="L*2" inertia="1 1 1"/></body>)") ==
        "m.xml:1: body[a]/inertial: mass=\"L*2\" is not allowed (needs a finite number): there is no "
        "parameter L");
  CHECK(
      parameterDefect(R"(<parameter name="L" value="2"/>
<body name="a" position="0 (L 0 0"><inertial mass="1" inertia="1 1 1"/></body>)")
          .find("m.xml:2: body[a]: position=\"0 (L 0 0\" is not allowed (needs 3 finite numbers separated by "
                "blanks): ')' is missing (to match '('), at character 6") == 0);
  CHECK(parameterDefect(R"(<parameter name="L" value="2"/>
<body name="a"><inertial mass="L - 3" inertia="1 1 1"/></body>)") ==
        "m.xml:2: body[a]/inertial: mass=\"-1\" is not allowed (needs a number > 0), from mass=\"L - 3\"");
  CHECK(parameterDefect(R"(<parameter name="L" value="2"/><options duration="L-2"/>)").find("it is 0") !=
        std::string::npos);
  CHECK(
      parameterDefect(R"(<parameter name="n" value="2.5"/><solver max-iterations="n"/>)").find("it is 2.5") !=
      std::string::npos);
  CHECK(parameterDefect(R"(<parameter name="L" value="2"/><options gravity="0 0 - L"/>)")
            .find("ends where a value is missing") != std::string::npos);
  CHECK(parameterDefect(R"(<parameter name="L" value="2"/><options gravity="0 L"/>)").find("there are 2") !=
        std::string::npos);
}

TEST_CASE("a circle of parameters is an error at one of them; a long chain against its order is none") {
  CHECK(
      parameterDefect(
          R"(<parameter name="a" value="b+1"/><parameter name="b" value="c"/><parameter name="c" value="a"/>)")
          .find("break the circle") != std::string::npos);
  CHECK(parameterDefect(R"(<parameter name="a" value="a"/>)").find("break the circle") != std::string::npos);
  std::string chain = R"(<body name="a"><inertial mass="p0" inertia="1 1 1"/></body>)";
  constexpr int kLong = 3000;
  for (int i = 0; i < kLong; ++i) chain += fmt::format(R"(<parameter name="p{}" value="p{}+1"/>)", i, i + 1);
  CHECK(parsed(chain + fmt::format(R"(<parameter name="p{}" value="0"/>)", kLong)).model->bodies[0].mass ==
        kLong);
}

TEST_CASE("parameters and tolerances that make no sense are refused") {
  const std::string body = R"(<body name="a" position="0 0 0"><inertial mass="1" inertia="1 1 1"/></body>)";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"(<parameter value="1"/>)", "attribute name is missing"},
      {R"(<parameter name="sin" value="1"/>)", "not the name of a function"},
      {R"(<parameter name="a-b" value="1"/>)", "letters, digits and _"},
      {R"(<parameter name="a"/>)", "attribute value is missing"},
      {R"(<parameter name="a" value="1"/><parameter name="a" value="2"/>)", "is defined in line 1 already"},
      {R"(<parameter name="a" value="1" unit="furlong"/>)", "unit=\"furlong\" is unknown"},
      {R"(<parameter name="a" value="1" tolerance="-1"/>)", "tolerance=\"-1\" is not allowed"},
      {R"(<parameter name="a" value="1" tolerance="±1 2"/>)", "is not allowed"},
      {R"(<parameter name="a" value="1" tolerance="±b"/>)", "there is no parameter b"},
      {R"(<parameter name="a" value="1" spread="normal"/>)", "spread without a tolerance"},
      {R"(<parameter name="a" value="1" tolerance="1" spread="flat"/>)",
       "one of: normal, uniform, triangular"},
      {R"(<tolerance of="body[b].position" value="1"/>)", "there is no <body name=\"b\">"},
      {R"(<tolerance of="body[a].velocity" value="1"/>)", "write it down"},
      {R"(<tolerance of="body[a].name" value="1"/>)", "is no length, angle"},
      {R"(<tolerance of="body[a].position"/>)", "attribute value is missing"},
      {R"(<tolerance of="body[a].position" value="1" deviation="1 2"/>)", "needs 3 finite numbers"},
  };
  for (const auto& [given, message] : cases) {
    const std::string& text = given;  // macros cannot capture a binding
    const std::string said = parameterDefect(text + body);
    CAPTURE(text);
    CHECK_MESSAGE(said.find(message) != std::string::npos, said);
  }
  CHECK(parameterDefect(body, {{"param.L", "1"}}).find("has no <parameter>") != std::string::npos);
  CHECK(parameterDefect(std::string(kArm), {{"param.M", "1"}}).find("there is no such parameter") !=
        std::string::npos);
}

TEST_CASE("a tolerance changes nothing by itself; its deviations move points, scale numbers and tilt axes") {
  const std::string base = R"(<body name="arm" position="0.5 0 0"><inertial mass="2" inertia="1 1 1"/></body>
    <joint name="pin" type="revolute" follower="arm" position="0 0 0" axis="0 0 2"/>)";
  const std::string tolerances = R"(<tolerance of="joint[pin].position" value="0.01"/>
    <tolerance of="joint[pin].axis" value="0.1" spread="uniform"/><tolerance of="body[arm].inertial.mass" value="5%"/>)";
  const Scenario plain = parsed(base), tolerant = parsed(base + tolerances);
  CHECK(motionDigest(plain) == motionDigest(tolerant));
  std::vector<std::string> names;
  for (const Parameter& p : tolerant.parameters) names.push_back(p.name);
  CHECK(names == std::vector<std::string>{"joint[pin].position.x", "joint[pin].position.y",
                                          "joint[pin].position.z", "joint[pin].axis.u", "joint[pin].axis.v",
                                          "body[arm].inertial.mass"});
  CHECK(tolerant.parameters[5].above == 0.05);
  const Scenario off = parsed(base + tolerances, {{"param.joint[pin].position.y", "0.01"},
                                                  {"param.joint[pin].axis.u", "0.06"},
                                                  {"param.joint[pin].axis.v", "-0.08"},
                                                  {"param.body[arm].inertial.mass", "-0.05"}});
  const Joint& joint = off.model->joints[0];
  CHECK((joint.baseFrame.position - Vec3(0.0, 0.01, 0.0)).norm() < 1e-15);
  // Tilts of 0.06 and 0.08 about two axes at right angles: 0.1 in all.
  const double tilt = std::acos((joint.baseFrame.rotation * Vec3::UnitX()).z());
  CHECK(std::abs(tilt - 0.1) < 1e-9);
  CHECK(off.model->bodies[0].mass == 2.0 + 2.0 * -0.05);
}

TEST_CASE(
    "a scenario is written with its parameters, expressions and files, and reads back to the same model") {
  const test::ScratchFolder folder;
  std::filesystem::create_directories(folder.path("in"));
  std::filesystem::create_directories(folder.path("out"));
  folder.write("in/part.xml",
               "<scenario><parameter name='m' value='1'/><body name='p'><inertial mass='m' inertia='1 1 "
               "1'/></body></scenario>");
  const std::string file =
      folder.write("in/a.xml", "<scenario name='a'><!-- kept -->" + std::string(kArm) +
                                   "<include file='part.xml' prefix='x.' m='L'/></scenario>");
  const Scenario a = readScenario(file, {{"param.L", "0.2"}});
  CHECK(a.files.size() == 2);
  writeScenario(a, folder.path("out/b.xml"), "made -- here");
  std::ifstream in(folder.path("out/b.xml"));
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  for (const char* kept : {"<!-- kept -->", "position=\"L/2 0 (r - 1e-3)\"", "value=\"0.2\"", "unit=\"mm\"",
                           "file=\"../in/part.xml\"", "tolerance=\"2%\"", "made - - here"})
    CHECK_MESSAGE(text.find(kept) != std::string::npos, kept);
  const Scenario b = readScenario(folder.path("out/b.xml"));
  CHECK(motionDigest(a) == motionDigest(b));
  CHECK(b.parameters.size() == 2);
  // A model that was changed says which numbers were evaluated.
  Scenario changed = a;
  changed.duration = 3.0;
  writeScenario(changed, folder.path("out/c.xml"));
  std::ifstream numbers(folder.path("out/c.xml"));
  const std::string said{std::istreambuf_iterator<char>(numbers), {}};
  CHECK(said.find("L = 0.2") != std::string::npos);
  CHECK(said.find("<parameter") == std::string::npos);
  CHECK(readScenario(folder.path("out/c.xml")).duration == 3.0);
}
