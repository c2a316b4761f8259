#include <fmt/format.h>

#include "engine/base/error.h"
#include "tests/support.h"

using namespace grashof;

namespace {

constexpr const char* kBody =
    R"(<body name="a" position="0 0 0"><inertial mass="1" inertia="1 1 1"/></body>)";
constexpr const char* kTwo =
    R"(<body name="a" position="0 0 0"><inertial mass="1" inertia="1 1 1"/></body><body name="b" position="1 0 0"><inertial mass="1" inertia="1 1 1"/></body>)";

struct Case {
  const char* what;     ///< the defect
  std::string inner;    ///< content of <scenario>, from line 2 on
  const char* element;  ///< that the message must name
  const char* message;  ///< that it must say
};

std::string body(const std::string& inner) { return R"(<body name="a">)" + inner + "</body>"; }
std::string joint(const std::string& rest) {
  return std::string(kTwo) + "\n" + R"(<joint name="j" base="a" follower="b" )" + rest;
}
std::string hinge(const std::string& inside) { return joint(R"(type="revolute">)" + inside + "</joint>"); }
std::string motion(const std::string& rest) {
  return std::string(kBody) + "\n<motion name=\"m\" " + rest + "/>";
}

/// Everything a user is known to get wrong. Files named here are made by the test.
std::vector<Case> cases() {
  return {
      {"no body", "", "", "there is no <body>"},
      {"unknown element", "<bodie/>", "bodie", "did you mean <body>"},
      {"unknown attribute", body(R"(<inertial mass="1" inertia="1 1 1" massive="2"/>)"), "body[a]/inertial",
       "massive"},
      {"misspelt attribute gets a suggestion", "<options timstep='1e-3'/>", "options", "timestep"},
      {"text between tags", std::string(kBody) + "stray words", "", "text between the tags"},
      {"number that is a word", "<options timestep='small'/>", "options", "timestep=\"small\""},
      {"number with a comma", "<options timestep='0,001'/>", "options", "timestep"},
      {"trailing letters", "<options duration='10s'/>", "options", "duration"},
      {"zero timestep", "<options timestep='0'/>", "options", "timestep"},
      {"negative duration", "<options duration='-1'/>", "options", "duration"},
      {"huge number of steps", "<options timestep='1e-9' duration='1e6'/>", "options", "steps"},
      {"NaN", "<options gravity='0 0 nan'/>", "options", "gravity"},
      {"infinity", "<options duration='inf'/>", "options", "duration"},
      {"overflowing number", "<options duration='1e999'/>", "options", "duration"},
      {"too few components", "<options gravity='0 -9.81'/>", "options", "needs 3"},
      {"unknown integrator", "<options integrator='rk4'/>", "options", "moreau"},
      {"bad boolean", "<options projection='yes'/>", "options", "true"},
      {"unknown solver", "<solver name='ADNM'/>", "solver", "did you mean ADMM"},
      {"tolerance out of range", "<solver tolerance='0'/>", "solver", "tolerance"},
      {"unknown kind of tolerance", "<solver tolerance-kind='both'/>", "solver", "absolute"},
      {"negative recovery", "<stabilization max-recovery-speed='-1'/>", "stabilization",
       "max-recovery-speed"},
      {"fractional iterations", "<solver max-iterations='10.5'/>", "solver", "whole number"},
      {"stabilization above one", "<stabilization gamma='1.5'/>", "stabilization", "gamma"},
      {"body without a name", R"(<body><inertial mass="1" inertia="1 1 1"/></body>)", "body", "name"},
      {"body called world", R"(<body name="world"><inertial mass="1" inertia="1 1 1"/></body>)",
       "body[world]", "taken"},
      {"duplicate body", std::string(kBody) + kBody, "body[a]", "duplicate"},
      {"body without mass", body(""), "body[a]", "no mass"},
      {"zero mass", body(R"(<inertial mass="0" inertia="1 1 1"/>)"), "body[a]/inertial", "mass"},
      {"negative mass", body(R"(<inertial mass="-2" inertia="1 1 1"/>)"), "body[a]/inertial", "mass"},
      {"mass without inertia", body(R"(<inertial mass="1"/>)"), "body[a]", "inertia"},
      {"inertia not positive definite", body(R"(<inertial mass="1" inertia="1 1 1 2 0 0"/>)"),
       "body[a]/inertial", "positive definite"},
      {"negative inertia", body(R"(<inertial mass="1" inertia="1 -1 1"/>)"), "body[a]/inertial",
       "positive definite"},
      {"inertia against the triangle inequality", body(R"(<inertial mass="1" inertia="1 1 3"/>)"),
       "body[a]/inertial", "triangle"},
      {"two inertials", body(R"(<inertial mass="1" inertia="1 1 1"/><inertial mass="1" inertia="1 1 1"/>)"),
       "body[a]/inertial", "second"},
      {"quaternion not of unit length",
       R"(<body name="a" quaternion="1 1 0 0"><inertial mass="1" inertia="1 1 1"/></body>)", "body[a]",
       "norm"},
      {"zero quaternion",
       R"(<body name="a" quaternion="0 0 0 0"><inertial mass="1" inertia="1 1 1"/></body>)", "body[a]",
       "norm 0"},
      {"quaternion of three numbers",
       R"(<body name="a" quaternion="1 0 0"><inertial mass="1" inertia="1 1 1"/></body>)", "body[a]",
       "needs 4"},
      {"quaternion and rpy",
       R"(<body name="a" quaternion="1 0 0 0" rpy="0 0 1"><inertial mass="1" inertia="1 1 1"/></body>)",
       "body[a]", "keep one"},
      {"unknown shape", body(R"(<shape type="blob"/>)"), "body[a]/shape", "blob"},
      {"shape without type", body(R"(<shape size="1 1 1"/>)"), "body[a]/shape", "type"},
      {"box without size", body(R"(<shape type="box"/>)"), "body[a]/shape", "size"},
      {"box with a negative edge", body(R"(<shape type="box" size="1 -1 1"/>)"), "body[a]/shape", "size"},
      {"sphere of no radius", body(R"(<shape type="sphere" radius="0"/>)"), "body[a]/shape", "radius"},
      {"attribute of another shape", body(R"(<shape type="sphere" radius="1" length="2"/>)"), "body[a]/shape",
       "length"},
      {"plane on a body", body(R"(<shape type="plane"/>)"), "body[a]", "plane"},
      {"unknown material", body(R"(<shape type="sphere" radius="1" material="stone"/>)"), "body[a]/shape",
       "stone"},
      {"missing mesh", body(R"(<shape type="mesh" file="nowhere.obj"/>)"), "body[a]/shape", "nowhere.obj"},
      {"mesh that is none", body(R"(<shape type="mesh" file="words.obj"/>)"), "body[a]/shape", "words.obj"},
      {"mesh with an index out of range", body(R"(<shape type="mesh" file="range.obj"/>)"), "body[a]/shape",
       "range.obj"},
      {"mesh with NaN", body(R"(<shape type="mesh" file="nan.obj"/>)"), "body[a]/shape", "nan.obj"},
      {"truncated binary mesh", body(R"(<shape type="mesh" file="short.stl"/>)"), "body[a]/shape",
       "short.stl"},
      {"open mesh as a solid", body(R"(<shape type="mesh" file="open.obj"/>)"), "body[a]", "volume"},
      {"hull of flat points", body(R"(<shape type="hull" file="open.obj"/>)"), "body[a]/shape", "volume"},
      {"ragged height field",
       std::string(kBody) + R"(<shape type="height-field" file="ragged.txt" spacing="1"/>)", "shape",
       "ragged.txt:2"},
      {"options twice", "<options timestep='1e-3'/>\n<solver/><options duration='2'/>", "options",
       "stands in line 2 already"},
      {"solver twice", "<solver/><solver/>", "solver", "already"},
      {"default material twice", "<material name='default'/><material name='default'/>", "material[default]",
       "already"},
      {"friction that nothing can tell from sticking", R"(<material name="m" friction="1e12"/>)",
       "material[m]", "10000"},
      {"two springs on a coordinate", hinge(R"(<dynamics damping="1"/><dynamics stiffness="1"/>)"),
       "joint[j]/dynamics", "already"},
      {"negative friction", R"(<material name="m" friction="-0.1"/>)", "material[m]", "friction"},
      {"restitution above one", R"(<material name="m" restitution="1.1"/>)", "material[m]", "restitution"},
      {"negative stiffness", R"(<material name="m" stiffness="-1"/>)", "material[m]", "stiffness"},
      {"exponent below one", R"(<material name="m" stiffness="1" exponent="0.5"/>)", "material[m]",
       "exponent"},
      {"exponent of nothing", R"(<material name="m" exponent="2"/>)", "material[m]", "does nothing"},
      {"dissipation of nothing", R"(<material name="m" hunt-crossley="2"/>)", "material[m]", "does nothing"},
      {"two dissipations", R"(<material name="m" stiffness="1" hunt-crossley="2" relaxation-time="1"/>)",
       "material[m]", "exclude each other"},
      {"relaxation of Hertz's law", R"(<material name="m" young-modulus="1e9" relaxation-time="1"/>)",
       "material[m]", "hunt-crossley instead"},
      {"two stiffnesses", R"(<material name="m" young-modulus="1e9" stiffness="1e5"/>)", "material[m]",
       "exclude each other"},
      {"stiffness and compliance", R"(<material name="m" stiffness="1e5" compliance="1e-5"/>)", "material[m]",
       "compliance"},
      {"springs and impedance", R"(<material name="m" tangential-stiffness="1e5" reference="0.02 1"/>)",
       "material[m]", "impedance"},
      {"Poisson's ratio beyond a half", R"(<material name="m" young-modulus="1e9" poisson-ratio="0.6"/>)",
       "material[m]", "poisson-ratio"},
      {"Poisson's ratio of -1", R"(<material name="m" young-modulus="1e9" poisson-ratio="-1"/>)",
       "material[m]", "poisson-ratio"},
      {"stiction speed of zero", R"(<material name="m" stiction-speed="0"/>)", "material[m]",
       "stiction-speed"},
      {"modulus of a pair", R"(<material name="m"/><surface a="m" b="m" young-modulus="1e9"/>)", "surface",
       "belongs to materials"},
      {"pressure field of zero", R"(<material name="m" hydroelastic-modulus="0"/>)", "material[m]",
       "hydroelastic-modulus"},
      {"negative pressure field", R"(<material name="m" hydroelastic-modulus="-1e6"/>)", "material[m]",
       "hydroelastic-modulus"},
      {"pressure field that is no number", R"(<material name="m" hydroelastic-modulus="nan"/>)",
       "material[m]", "hydroelastic-modulus"},
      {"pressure field and stiffness", R"(<material name="m" hydroelastic-modulus="1e6" stiffness="1e5"/>)",
       "material[m]", "excludes stiffness"},
      {"pressure field and compliance",
       R"(<material name="m" hydroelastic-modulus="1e6" compliance="1e-5"/>)", "material[m]",
       "exclude compliance"},
      {"pressure field and tangential springs",
       R"(<material name="m" hydroelastic-modulus="1e6" tangential-stiffness="1e5"/>)", "material[m]",
       "tangential-stiffness"},
      {"pressure field of a pair", R"(<material name="m"/><surface a="m" b="m" hydroelastic-modulus="1e6"/>)",
       "surface", "hydroelastic-modulus"},
      {"stiffness of a pair with a pressure field",
       R"(<material name="m" hydroelastic-modulus="1e6"/><surface a="m" b="m" stiffness="1e6"/>)", "surface",
       "excludes stiffness"},
      {"pressure field of an open mesh",
       R"(<material name="m" hydroelastic-modulus="1e6"/><shape type="mesh" file="open.obj" material="m"/>)" +
           std::string(kBody),
       "shape", "closed mesh"},
      {"pressure field of a plane without thickness",
       R"(<material name="m" hydroelastic-modulus="1e6"/><shape type="plane" material="m"/>)" +
           std::string(kBody),
       "shape", "thickness"},
      {"resolution of zero", R"(<shape type="box" size="1 1 1" resolution="0"/>)" + std::string(kBody),
       "shape", "resolution"},
      {"Hertz's law without a radius",
       R"(<material name="m" young-modulus="1e9"/><shape type="plane"/>)" +
           body(R"(<shape type="box" size="1 1 1" material="m"/>)"),
       "body[a]/shape", "edge-radius"},
      {"SAP without regularization", R"(<solver name="SAP" stiction-regularization="0"/>)", "solver",
       "stiction-regularization"},
      {"an odd pyramid", R"(<solver name="LCP-PGS" facets="5"/>)", "solver",
       "facets=\"5\" is not allowed (needs an even number from 4 to 256)"},
      {"no near-rigid period", R"(<solver name="SAP" near-rigid="0"/>)", "solver", "near-rigid"},
      {"a pair of surfaces twice",
       std::string(kBody) +
           R"(<surface a="default" b="default" friction="1"/><surface a="default" b="default"/>)",
       "surface", "already"},
      {"unknown joint type", joint(R"(type="revolut"/>)"), "joint[j]", "did you mean revolute"},
      {"joint without type", joint("/>"), "joint[j]", "type"},
      {"joint to itself",
       std::string(kBody) + "\n" + R"(<joint name="j" type="fixed" base="a" follower="a"/>)", "joint[j]",
       "itself"},
      {"joint to nobody",
       std::string(kBody) + "\n" + R"(<joint name="j" type="fixed" base="world" follower="aa"/>)", "joint[j]",
       "did you mean a"},
      {"world as a follower",
       std::string(kBody) + "\n" + R"(<joint name="j" type="fixed" base="a" follower="world"/>)", "joint[j]",
       "world"},
      {"axis of no length", joint(R"(type="revolute" axis="0 0 0"/>)"), "joint[j]", "no length"},
      {"second axis parallel", joint(R"(type="universal" axis="1 0 0" axis2="-2 0 0"/>)"), "joint[j]",
       "parallel"},
      {"limits reversed", hinge(R"(<limit lower="1" upper="-1"/>)"), "joint[j]/limit", "swap"},
      {"empty limit", hinge("<limit/>"), "joint[j]/limit", "neither"},
      {"limit on a fixed joint", joint(R"(type="fixed"><limit lower="0"/></joint>)"), "joint[j]/limit",
       "no free direction"},
      {"coordinate out of range", hinge(R"(<limit coordinate="1" lower="0"/>)"), "joint[j]/limit",
       "coordinate"},
      {"negative damping", hinge(R"(<dynamics damping="-1"/>)"), "joint[j]/dynamics", "damping"},
      {"actuator without type", hinge(R"(<actuator/>)"), "joint[j]/actuator", "type"},
      {"actuator of an unknown motion", hinge(R"(<actuator type="effort" motion="m"/>)"), "joint[j]/actuator",
       "no such motion"},
      {"position servo without gain",
       motion(R"(type="constant" value="1")") +
           R"(<joint name="j" type="revolute" follower="a"><actuator type="position" motion="m"/></joint>)",
       "joint[j]/actuator", "kp"},
      {"two actuators",
       motion(R"(type="constant" value="1")") +
           R"(<joint name="j" type="revolute" follower="a"><actuator type="effort" motion="m"/><actuator type="effort" motion="m"/></joint>)",
       "joint[j]/actuator", "already"},
      {"one frame of two", hinge(R"(<base-frame position="0 0 0"/>)"), "joint[j]",
       "both|base-frame and follower-frame"},
      {"rod of no length",
       joint(R"(type="distance"><base-frame position="1 0 0"/><follower-frame position="0 0 0"/></joint>)"),
       "joint[j]", "coincide"},
      {"motion of unknown type", motion(R"(type="cosine")"), "motion[m]", "cosine"},
      {"sine without amplitude", motion(R"(type="sine" frequency="1")"), "motion[m]", "amplitude"},
      {"series of an odd count", motion(R"(type="series" samples="0 1 2")"), "motion[m]", "pairs"},
      {"series that goes back in time", motion(R"(type="series" samples="0 1 1 1 0.5 2")"), "motion[m]",
       "increase"},
      {"missing table", motion(R"(type="series" file="nowhere.csv")"), "motion[m]", "nowhere.csv"},
      {"table with a word", motion(R"(type="series" file="words.csv")"), "motion[m]", "words.csv:3"},
      {"table without the column", motion(R"(type="series" file="words.csv" column="hip")"), "motion[m]",
       "hip"},
      {"coupling of an unknown joint",
       std::string(kBody) + R"(<coupling name="c" type="gear" joint-a="x" joint-b="y" ratio="2"/>)",
       "coupling[c]", "no such joint"},
      {"screw on a hinge", hinge("") + R"(<coupling name="c" type="screw" joint="j" pitch="0.1"/>)",
       "coupling[c]", "cylindrical"},
      {"coupling to itself",
       hinge("") + R"(<coupling name="c" type="gear" joint-a="j" joint-b="j" ratio="2"/>)", "coupling[c]",
       "itself"},
      {"linear coupling of one coordinate",
       hinge("") + R"(<coupling name="c" type="linear"><term joint="j" coefficient="2"/></coupling>)",
       "coupling[c]", "two or more terms"},
      {"linear coupling of one coordinate twice",
       hinge("") + R"(<coupling name="c" type="linear"><term joint="j" coefficient="2"/>
         <term joint="j" coefficient="1"/></coupling>)",
       "coupling[c]/term", "add up"},
      {"linear coupling of an unknown joint",
       hinge("") + R"(<coupling name="c" type="linear"><term joint="j" coefficient="2"/>
         <term joint="k" coefficient="1"/></coupling>)",
       "coupling[c]/term", "no such joint"},
      {"term of no coordinate",
       hinge("") + R"(<coupling name="c" type="linear"><term joint="j" coefficient="2"/>
         <term joint="j" coordinate="1" coefficient="1"/></coupling>)",
       "coupling[c]/term", "coordinate"},
      {"term without effect",
       hinge("") + R"(<coupling name="c" type="linear"><term joint="j" coefficient="0"/></coupling>)",
       "coupling[c]/term", "takes no part"},
      {"linear coupling of something else",
       hinge("") + R"(<coupling name="c" type="linear"><turn joint="j" coefficient="2"/></coupling>)",
       "coupling[c]", "term"},
      {"cable of one point",
       std::string(kBody) + R"(<cable name="c" stiffness="1"><point body="a"/></cable>)", "cable[c]",
       "from a point to a point"},
      {"cable that ends on a pulley",
       std::string(kBody) +
           R"(<cable name="c" stiffness="1"><point position="1 1 1"/><pulley body="a" radius="0.1"/></cable>)",
       "cable[c]", "from a point to a point"},
      {"pulley without a radius",
       std::string(kBody) +
           R"(<cable name="c" stiffness="1"><point/><pulley body="a" radius="-1"/><point position="5 0 0"/></cable>)",
       "cable[c]", "radius"},
      {"cable from inside a pulley",
       std::string(kBody) +
           R"(<cable name="c" stiffness="1"><point position="9 0 0"/><pulley position="9 0.1 0" radius="1"/><point body="a"/></cable>)",
       "cable[c]", "inside the radius"},
      {"cable on an unknown body",
       std::string(kBody) +
           R"(<cable name="c" stiffness="1"><point position="9 0 0"/><point body="z"/></cable>)",
       "cable[c]", "no such body"},
      {"drum of an unknown joint",
       std::string(kBody) +
           R"(<cable name="c" stiffness="1"><point position="9 0 0"/><point body="a"/><drum joint="z" radius="1"/></cable>)",
       "cable[c]", "no such joint"},
      {"cable on one body",
       std::string(kBody) +
           R"(<cable name="c" stiffness="1"><point body="a" position="9 0 0"/><point body="a"/></cable>)",
       "cable[c]", "one body alone"},
      {"cable that does nothing",
       std::string(kBody) + R"(<cable name="c"><point position="9 0 0"/><point body="a"/></cable>)",
       "cable[c]", "does nothing"},
      {"inextensible cable with a stiffness",
       std::string(kBody) +
           R"(<cable name="c" inextensible="true" stiffness="1"><point position="9 0 0"/><point body="a"/></cable>)",
       "cable[c]", "inextensible"},
      {"cable that pushes",
       std::string(kBody) +
           R"(<cable name="c" pretension="-1"><point position="9 0 0"/><point body="a"/></cable>)",
       "cable[c]", "pulls only"},
      {"cable over something else",
       std::string(kBody) +
           R"(<cable name="c" stiffness="1"><ring position="9 0 0"/><point body="a"/></cable>)",
       "cable[c]", "ring"},
      {"tendon without terms", hinge("") + R"(<tendon name="t" stiffness="1"/>)", "tendon[t]", "no terms"},
      {"tendon that is kept both ways",
       hinge("") + R"(<tendon name="t" inextensible="true"><term joint="j" coefficient="1"/></tendon>)",
       "tendon[t]", "coupling"},
      {"command without a motion",
       hinge("") +
           R"(<tendon name="t" stiffness="1" command="length"><term joint="j" coefficient="1"/></tendon>)",
       "tendon[t]", "name the motion"},
      {"wrench on nobody", std::string(kBody) + R"(<wrench name="w" body="z" force="1 0 0"/>)", "wrench",
       "no such body"},
      {"wrench of nothing", std::string(kBody) + R"(<wrench name="w" body="a"/>)", "wrench", "neither"},
      {"exclude of one body", std::string(kBody) + R"(<contacts><exclude a="a" b="a"/></contacts>)",
       "contacts/exclude", "same"},
      {"expectation of nothing", std::string(kBody) + R"(<expect><check channel="time"/></expect>)",
       "expect/check", "says nothing"},
      {"expectation of an unknown channel",
       std::string(kBody) + R"(<expect><check channel="body.a.colour" max="1"/></expect>)", "channel",
       "body.a.colour"},
      {"expectation with min above max",
       std::string(kBody) + R"(<expect><check channel="time" min="2" max="1"/></expect>)", "expect/check",
       "swap"},
      {"expectation after the end",
       std::string(kBody) + R"(<expect><check channel="time" at="5" max="9"/></expect>)", "expect/check",
       "beyond the duration"},
      {"missing include", R"(<include file="nowhere.xml"/>)", "include", "nowhere.xml"},
      {"include of itself", R"(<include file="test.xml"/>)", "include", "itself"},
      {"include cycle", R"(<include file="ring.xml"/>)", "include", "itself"},
      {"include that defines a name twice", std::string(kBody) + R"(<include file="figure.xml"/>)", "body[a]",
       "prefix"},
      {"group out of range", body(R"(<shape type="sphere" radius="1" groups="32"/>)"), "body[a]/shape",
       "groups"},
  };
}

}  // namespace

TEST_CASE("malformed scenarios: each is refused with file, line, element, what is wrong and how to mend it") {
  const test::ScratchFolder folder;
  folder.write("words.obj", "this is not a mesh\n");
  folder.write("range.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n");
  folder.write("nan.obj", "v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n");
  folder.write("short.stl", std::string(80, ' ') + std::string("\x10\0\0\0", 4) + "abc");
  folder.write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  folder.write("ragged.txt", "0 0 0\n0 0\n");
  folder.write("words.csv", "time,knee\n0,1\n1,bent\n");
  folder.write("ring.xml", R"(<scenario><include file="test.xml"/></scenario>)");
  folder.write("figure.xml", std::string("<scenario>") + kBody + "</scenario>");
  const auto all = cases();
  CHECK(all.size() >= 60);
  for (const Case& c : all) {
    const std::string what = c.what;
    CAPTURE(what);
    const std::string path =
        folder.write("test.xml", "<scenario name=\"t\">\n" + c.inner + "\n</scenario>\n");
    std::vector<Diagnostic> found;
    try {
      readScenario(path);
    } catch (const InputError& error) {
      found = error.diagnostics();
    }
    REQUIRE_MESSAGE(!found.empty(), "was accepted");
    const auto says = [&](const Diagnostic& d) {
      const std::string wanted = c.message;
      const auto bar = wanted.find('|');
      return d.element.find(c.element) != std::string::npos &&
             (d.message.find(wanted.substr(0, bar)) != std::string::npos ||
              (bar != std::string::npos && d.message.find(wanted.substr(bar + 1)) != std::string::npos));
    };
    std::string text;
    for (const Diagnostic& d : found) text += d.text() + "\n";
    CAPTURE(text);
    const auto hit = std::find_if(found.begin(), found.end(), says);
    CHECK(hit != found.end());
    if (hit == found.end()) continue;
    CHECK(hit->file.starts_with(folder.path()));
    CHECK(hit->message.find('(') != std::string::npos);  // how to mend it
    if (*c.element != '\0' && std::string(c.element) != "channel" &&
        std::string(c.message) != "beyond the duration")
      CHECK(hit->line >= 1);
  }
}

TEST_CASE("files that are no scenarios") {
  const test::ScratchFolder folder;
  const auto message = [&](const std::string& path) {
    try {
      readScenario(path);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK(message(folder.path("missing.xml")).find("missing.xml: cannot be read") != std::string::npos);
  CHECK(message(folder.path()).find("cannot be read") != std::string::npos);
  CHECK(message(folder.write("empty.xml", "")).find("not well-formed") != std::string::npos);
  CHECK(message(folder.write("cut.xml", "<scenario>\n<body name=\"a\">\n")).find("cut.xml:") !=
        std::string::npos);
  CHECK(message(folder.write("root.xml", "<robot/>")).find("root element must be <scenario>") !=
        std::string::npos);
  CHECK(message(folder.write("binary.xml", std::string("\x7f\x45LF\0\0\xff", 7))).find("well-formed") !=
        std::string::npos);
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "<a>";
  CHECK(message(folder.write("deep.xml", deep)).find("well-formed") != std::string::npos);
  // Larger than allowed, without being written in full.
  const std::string huge = folder.write("huge.xml", "<scenario>");
  std::filesystem::resize_file(huge, std::uintmax_t{300} << 20);
  CHECK(message(huge).find("256 MiB") != std::string::npos);
}

TEST_CASE("scenarios in UTF-16 and ISO-8859-1 are read, and named where no encoding is said") {
  const test::ScratchFolder folder;
  const auto body = [](const std::string& name) {
    return "<scenario><body name=\"" + name +
           "\"><shape type='sphere' radius='1' mass='1'/></body></scenario>";
  };
  std::string wide = "\xff\xfe";
  for (const char c : body("B\xe4r")) wide += std::string{c, '\0'};
  CHECK(readScenario(folder.write("wide.xml", wide)).model->bodies[0].name == "B\u00e4r");
  CHECK(
      readScenario(folder.write("latin.xml", "<?xml version='1.0' encoding='ISO-8859-1'?>" + body("B\xe4r")))
          .model->bodies[0]
          .name == "B\u00e4r");
  CHECK_THROWS_WITH_AS(
      readScenario(folder.write("plain.xml", "<!-- -->\n" + body("B\xe4r"))),
      doctest::Contains("plain.xml:2: holds the byte 0xE4, which is no UTF-8 (save it as UTF-8"), InputError);
}

TEST_CASE("includes that multiply are cut off, with one message") {
  const test::ScratchFolder folder;
  for (int depth = 0; depth < 4; ++depth) {
    std::string text = "<scenario>";
    for (int i = 0; i < 30 && depth < 3; ++i)
      text += "<include prefix='" + std::to_string(i) + ".' file='" + std::to_string(depth + 1) + ".xml'/>";
    folder.write(std::to_string(depth) + ".xml", text + "</scenario>");
  }
  try {
    readScenario(folder.path("0.xml"));
    FAIL("was accepted");
  } catch (const InputError& error) {
    REQUIRE(error.diagnostics().size() == 1);
    CHECK(error.diagnostics()[0].message.find("more than 4096 files") != std::string::npos);
  }
}

TEST_CASE("a height field with more heights than memory is for is refused") {
  const test::ScratchFolder folder;
  std::string row = "0";
  for (int i = 1; i < 1100; ++i) row += " 0";
  std::string text;
  for (int i = 0; i < 1100; ++i) text += row + "\n";
  folder.write("field.txt", text);
  CHECK_THROWS_WITH_AS(readScenario(folder.write("s.xml", std::string("<scenario>") + kBody +
                                                              "<shape type='height-field' file='field.txt' "
                                                              "spacing='1'/></scenario>")),
                       doctest::Contains("more than 1000000 heights"), InputError);
}

TEST_CASE("all defects of a file are reported at once") {
  const test::ScratchFolder folder;
  try {
    readScenario(folder.write(
        "test.xml", "<scenario>\n<options timestep='0'/>\n<solver name='x'/>\n<bogus/>\n</scenario>"));
    FAIL("was accepted");
  } catch (const InputError& error) {
    REQUIRE(error.diagnostics().size() == 3);
    CHECK(error.diagnostics()[0].line == 2);
    CHECK(error.diagnostics()[1].line == 3);
    CHECK(error.diagnostics()[2].line == 4);
  }
}

TEST_CASE("initial poses that cannot be brought onto the joints are refused, naming the joint") {
  const Scenario scenario = test::scenarioOf(R"(
    <body name="a" position="0 0 0"><inertial mass="1" inertia="1 1 1"/></body>
    <joint name="near" type="spherical" follower="a" position="0 0 0"/>
    <joint name="far" type="spherical" follower="a">
      <base-frame position="5 0 0"/><follower-frame position="1 0 0"/></joint>)");
  CHECK_THROWS_WITH(Simulator(scenario.model), doctest::Contains("do not fit the joints"));
}

TEST_CASE("overrides: any attribute by path, and their defects") {
  const test::ScratchFolder folder;
  const std::string path = folder.write("test.xml", std::string("<scenario>") + kBody + "</scenario>");
  CHECK(readScenario(path, {{"options.timestep", "0.25"}}).model->step.timestep == 0.25);
  CHECK(readScenario(path, {{"body[a].inertial.mass", "7"}}).model->bodies[0].mass == 7.0);
  CHECK(readScenario(path, {{"solver.tolerance", "1e-5"}}).model->solver.tolerance == 1e-5);
  CHECK_THROWS_WITH(readScenario(path, {{"body[b].inertial.mass", "7"}}),
                    doctest::Contains("there is no <body name=\"b\">"));
  CHECK_THROWS_WITH(readScenario(path, {{"options.timestep", "fast"}}), doctest::Contains("timestep"));
  CHECK_THROWS_WITH(readScenario(path, {{"options.", "1"}}), doctest::Contains("without an attribute"));
  CHECK_THROWS_WITH(readScenario(path, {{"body[a", "1"}}), doctest::Contains("--set"));
}

TEST_CASE("includes: poses and prefixes compose, names do not clash") {
  const test::ScratchFolder folder;
  folder.write("leg.xml", R"(<scenario><options duration="99"/>
    <body name="shin" position="1 0 0"><inertial mass="1" inertia="1 1 1"/></body>
    <joint name="knee" type="revolute" follower="shin" position="0 0 0" axis="0 0 1"/></scenario>)");
  const Scenario s = readScenario(folder.write("two.xml", R"(<scenario><options duration="2"/>
    <include file="leg.xml" prefix="left." position="0 0 1"/>
    <include file="leg.xml" prefix="right." position="0 0 2" rpy="0 0 1.5707963267948966"/></scenario>)"));
  CHECK(s.duration == 2.0);
  REQUIRE(s.model->bodies.size() == 2);
  CHECK(s.model->bodies[0].name == "left.shin");
  CHECK((s.model->bodies[1].initialPose.position - Vec3(0, 1, 2)).norm() < 1e-12);
  CHECK(s.model->findJoint("right.knee") == 1);
  Simulator simulator(s.model);
  CHECK(simulator.report().jointResidual < 1e-12);
}
