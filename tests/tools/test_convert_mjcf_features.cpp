// Every attribute of MJCF is taken, has no effect, or is reported: as the table says that the reader and the
// documentation share.
#include <fstream>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "tests/tools/mjcf_support.h"
#include "tools/convert/mjcf_features.h"

using namespace grashof;
using namespace grashof::convert;
using test::anyLine, test::fromMjcfText;

namespace {

std::vector<std::string> wordsOf(const std::string& list) {
  std::istringstream words(list);
  std::vector<std::string> all;
  for (std::string word; words >> word;) all.push_back(word);
  return all;
}

/// A value that an attribute may have.
std::string sampleOf(const std::string& element, const std::string& attribute) {
  static const std::map<std::string, std::string> samples = {
      {"compiler.angle", "radian"},
      {"compiler.eulerseq", "xyz"},
      {"compiler.coordinate", "local"},
      {"compiler.inertiafromgeom", "auto"},
      {"compiler.inertiagrouprange", "0 5"},
      {"option.integrator", "Euler"},
      {"option.cone", "elliptic"},
      {"option.gravity", "0 0 -9.81"},
      {"joint.type", "hinge"},
      {"joint.axis", "0 0 1"},
      {"joint.range", "-1 1"},
      {"joint.springdamper", "1 1"},
      {"joint.actuatorfrcrange", "-1 1"},
      {"geom.type", "sphere"},
      {"geom.fromto", "0 0 0 0 0 1"},
      {"geom.mesh", "m"},
      {"site.fromto", "0 0 0 0 0 1"},
      {"inertial.diaginertia", "1 1 1"},
      {"inertial.fullinertia", "1 1 1 0 0 0"},
      {"mesh.vertex", "0 0 0 1 0 0 0 1 0 0 0 1"},
      {"mesh.face", "0 2 1 0 1 3 0 3 2 1 2 3"},
      {"mesh.file", "none.obj"},
      {"mesh.inertia", "exact"},
      {"mesh.builtin", "cone' params='3 1"},
      {"freejoint.align", "true"},
      {"geom.hfield", "f"},
      {"hfield.file", "none.png"},
      {"hfield.size", "1 1 1 1"},
      {"hfield.elevation", "1 2 3 4"},
      {"hfield.nrow", "2"},
      {"hfield.ncol", "2"},
      {"replicate.offset", "0 0 1"},
      {"fixed.range", "-1 1"},
      {"spatial.range", "0 9"},
      {"site", "s"},
      {"sidesite", "t"},
      {"spatial/geom.geom", "g"},
      {"pulley.divisor", "2"},
      {"general.gaintype", "fixed"},
      {"general.biastype", "none"},
      {"general.dyntype", "none"},
      {"ctrlrange", "-1 1"},
      {"forcerange", "-1 1"},
      {"jointinparent", "k"},
      {"tendon", "f"},
      {"geom1", "g"},
      {"geom2", "u"},
      {"body1", "a"},
      {"body2", "b"},
      {"site1", "s"},
      {"site2", "t"},
      {"joint1", "j"},
      {"joint2", "k"},
      {"tendon1", "f"},
      {"tendon2", "h"},
      {"fixed/joint.joint", "j"},
      {"joint", "j"},
      {"relpose", "0 0 0 1 0 0 0"},
      {"anchor", "0 0 0"},
      {"name", "given"},
      {"class", "c"},
      {"childclass", "c"},
      {"pos", "0 0 0"},
      {"quat", "1 0 0 0"},
      {"axisangle", "0 0 1 0"},
      {"xyaxes", "1 0 0 0 1 0"},
      {"zaxis", "0 0 1"},
      {"euler", "0 0 0"},
      {"scale", "1 1 1"},
      {"refpos", "0 0 0"},
      {"refquat", "1 0 0 0"},
      {"qpos", "0 0 0"},
      {"qvel", "0 0 0"},
      {"ctrl", ""},
      {"act", ""},
      {"refsite", "t"},
      {"content_type", "model/obj"},
      {"torquescale", "2"},
      {"limited", "true"},
      {"ctrllimited", "true"},
      {"forcelimited", "true"},
      {"actuatorfrclimited", "true"},
      {"active", "true"},
      {"mocap", "true"},
      {"autolimits", "true"},
      {"balanceinertia", "true"},
      {"strippath", "true"},
      {"exactmeshinertia", "true"},
      {"alignfree", "true"},
      {"fitaabb", "true"},
      {"sep", "-"},
  };
  for (const std::string& key : {element + "." + attribute, attribute}) {
    const auto at = samples.find(key);
    if (at != samples.end()) return at->second;
  }
  return element == "flag" ? "enable" : "1";
}

/// A model in which `@` stands for the attributes of an element; empty: not tried.
std::string modelWith(const std::string& element) {
  const std::string top =
      "<asset><hfield name='f' nrow='2' ncol='2' size='1 1 1 1'/><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 "
      "0 1'/></asset><default><default "
      "class='c'/></default>";
  const auto world = [&](const std::string& inBody, const std::string& beside = {},
                         const std::string& bodyAttributes = "name='a'") {
    return top + "<worldbody><body " + bodyAttributes +
           "><joint name='j' range='-9 9'/><geom name='g' size='.1' pos='.5 0 0'/><site name='s'/>" + inBody +
           "</body><body name='b' pos='0 0 2'><joint name='k'/><geom size='.1' pos='.5 0 0'/><site "
           "name='t'/><body><joint name='l' range='-9 9'/>"
           "<geom size='.1' pos='.5 0 0'/></body></body></worldbody>" +
           "<tendon><fixed name='f'><joint joint='j' coef='1'/></fixed><fixed name='h'><joint joint='k' "
           "coef='2'/></fixed></tendon>" +
           beside;
  };
  if (element == "compiler" || element == "option") return "<" + element + " @/>" + world("");
  if (element == "flag") return "<option><flag @/></option>" + world("");
  if (element == "body") return world("", "", "@");
  if (element == "frame" || element == "replicate")
    return world("<" + element + " " + (element == "replicate" ? "count='1' " : "") + "@/>");
  if (element == "inertial") return world("<inertial mass='1' pos='0 0 0' diaginertia='1 1 1' @/>");
  if (element == "site") return world("<site @/>");
  if (element == "joint") return world("<body><joint @/><geom size='.1' pos='.5 0 0'/></body>");
  if (element == "freejoint")
    return world("", "<worldbody><body><freejoint @/><geom size='.1'/></body></worldbody>");
  if (element == "geom") return world("<geom size='.1' pos='.5 0 0' @/>");
  if (element == "mesh")
    return world("", "<asset><mesh name='n' vertex='0 0 0 1 0 0 0 1 0 0 0 1' @/></asset>");
  if (element == "hfield")
    return world("", "<asset><hfield name='h' nrow='2' ncol='2' size='1 1 1 1' @/></asset>");
  if (element == "exclude") return world("", "<contact><exclude body1='a' body2='b' @/></contact>");
  if (element == "pair")
    return world("",
                 "<worldbody><geom name='u' type='plane'/></worldbody><contact><pair geom1='g' geom2='u' "
                 "@/></contact>");
  if (element == "connect")
    return world("", "<equality><connect body1='a' body2='b' anchor='0 0 0' @/></equality>");
  if (element == "weld") return world("", "<equality><weld body1='a' body2='b' @/></equality>");
  if (element == "equality/joint") return world("", "<equality><joint joint1='j' joint2='k' @/></equality>");
  if (element == "equality/tendon")
    return world("", "<equality><tendon tendon1='f' tendon2='h' @/></equality>");
  if (element == "fixed") return world("", "<tendon><fixed @><joint joint='j' coef='1'/></fixed></tendon>");
  const std::string path = "<site site='s'/><site site='t'/>";
  if (element == "spatial") return world("", "<tendon><spatial @>" + path + "</spatial></tendon>");
  if (element == "spatial/site")
    return world("", "<tendon><spatial>" + path + "<site site='s' @/></spatial></tendon>");
  if (element == "spatial/geom")
    return world("",
                 "<tendon><spatial stiffness='1'><site site='t'/><geom geom='g' @/><site "
                 "site='s'/></spatial></tendon>");
  if (element == "pulley")
    return world("", "<tendon><spatial>" + path + "<pulley @/>" + path + "</spatial></tendon>");
  if (element == "fixed/joint")
    return world("", "<tendon><fixed><joint joint='j' coef='1' @/></fixed></tendon>");
  if (element == "keyframe/key") return world("", "<keyframe><key name='k' @/></keyframe>");
  if (element == "motor" || element == "position" || element == "velocity" || element == "general" ||
      element == "intvelocity")
    return world("", "<actuator><" + element + " joint='l' @/></actuator>");
  return {};
}

/// `model` with the attribute in place of `@`, once: what the model has of it already goes.
std::string filled(std::string model, const std::string& attribute, const std::string& value) {
  const auto at = model.find('@');
  const auto start = model.rfind('<', at);
  std::string tag = model.substr(start, at - start);
  const auto drop = [&](const std::string& name) {
    const auto had = tag.find(" " + name + "='");
    if (had != std::string::npos) tag.erase(had, tag.find('\'', had + name.size() + 3) - had + 1);
  };
  drop(attribute);
  // What excludes it.
  if (attribute == "tendon" || attribute == "jointinparent") drop("joint");
  if (attribute == "site1" || attribute == "site2") {
    drop("body1");
    drop("body2");
    tag += attribute == "site1" ? " site2='t'" : " site1='s'";
  }
  if (attribute == "fullinertia") drop("diaginertia");
  if (attribute == "builtin" || attribute == "file") drop("vertex");
  if (attribute == "fromto" && tag.find("<geom") == 0) tag += " type='capsule'";
  if (attribute == "limited" && tag.find("<joint") == 0) tag += " range='-1 1'";
  const std::string text = value.empty() ? "" : fmt::format(" {}='{}'", attribute, value);
  return model.substr(0, start) + tag + text + model.substr(at + 1);
}

}  // namespace

TEST_CASE("every attribute of MJCF is taken, without effect, or reported as the table says") {
  FileOptions options;
  options.skipMissingMeshes = true;
  int tried = 0;
  for (const Feature& f : mjcfFeatures()) {
    if (*f.attributes == '\0') continue;
    for (const std::string& element : wordsOf(f.elements)) {
      const std::string model = modelWith(element);
      if (model.empty()) continue;
      for (const std::string& attribute : wordsOf(f.attributes)) {
        CAPTURE(element);
        CAPTURE(attribute);
        ++tried;
        const std::string text = filled(model, attribute, sampleOf(element, attribute));
        CAPTURE(text);
        std::vector<std::string> lines;
        try {
          // Only the chosen keyframe is read.
          lines = fromMjcfText(text, element == "keyframe/key" ? (attribute == "name" ? "given" : "k") : "",
                               options)
                      .report.leftOut;
        } catch (const InputError& error) {
          FAIL_CHECK(error.what());
          continue;
        }
        const std::string tag = element.substr(element.find('/') + 1);
        const bool reported = anyLine(lines, fmt::format("attribute {} of <{}>", attribute, tag)) ||
                              anyLine(lines, attribute + " of") || anyLine(lines, "flag " + attribute);
        if (f.treatment == Treatment::LeftOut)
          CHECK(reported);
        else
          CHECK(!reported);
      }
    }
  }
  CHECK(tried > 250);
}

TEST_CASE("elements of MJCF that are not read are reported, those without effect are not") {
  const std::string body = "<worldbody><body><joint/><geom size='.1'/>";
  const std::vector<std::string> inBody = {"composite", "flexcomp", "plugin", "light", "camera"};
  const std::vector<std::string> atTop = {"sensor", "deformable", "visual", "statistic", "size", "custom"};
  const std::vector<std::string> inAsset = {"texture", "material"};
  const auto check = [](const std::string& element, const std::string& text) {
    CAPTURE(element);
    const Feature* feature = findFeature(mjcfFeatures(), element, "");
    REQUIRE(feature);
    const auto made = fromMjcfText(text);
    CHECK(anyLine(made.report.leftOut, "<" + element + ">") == (feature->treatment == Treatment::LeftOut));
  };
  for (const std::string& element : inBody) check(element, body + "<" + element + "/></body></worldbody>");
  for (const std::string& element : atTop)
    check(element, "<" + element + "/>" + body + "</body></worldbody>");
  for (const std::string& element : inAsset)
    check(element, "<asset><" + element + "/></asset>" + body + "</body></worldbody>");
  CHECK(anyLine(fromMjcfText(body + "</body></worldbody><tendon><spatial/></tendon>").report.leftOut,
                "<spatial> tendon1"));
  // What MJCF does not know is told, too.
  CHECK(anyLine(fromMjcfText(body + "<nonsense/></body></worldbody>").report.leftOut, "<nonsense>"));
  CHECK(anyLine(fromMjcfText("<worldbody><body nonsense='1'><joint/><geom size='.1'/></body></worldbody>")
                    .report.leftOut,
                "attribute nonsense of <body>"));
}

#ifdef GRASHOF_MUJOCO

TEST_CASE("the table of MJCF has all that MuJoCo's own schema has") {
  // The schema as the library prints it: an element a line, as far in as it is deep, with its attributes,
  // which go on in the lines below it.
  std::string text(1 << 20, '\0');
  const int size = mj_printSchema(nullptr, text.data(), static_cast<int>(text.size()), 0, 0);
  REQUIRE(size > 0);
  text.resize(static_cast<std::size_t>(size));
  std::vector<std::string> path;
  const auto covered = [&](const std::string& attribute) {
    const auto row = [&](std::size_t depth, const std::string& item) {
      const Feature* f =
          depth > 0 ? findFeature(mjcfFeatures(), path[depth - 1] + "/" + path[depth], item) : nullptr;
      return f ? f : findFeature(mjcfFeatures(), path[depth], item);
    };
    if (row(path.size() - 1, attribute)) return true;
    // All that is inside an element that is not read goes with it.
    for (std::size_t depth = 0; depth < path.size(); ++depth)
      if (const Feature* whole = row(depth, ""); whole && whole->treatment != Treatment::Taken) return true;
    return false;
  };
  std::istringstream lines(text);
  int attributes = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    const std::size_t indent = line.find_first_not_of(' ');
    if (indent == std::string::npos) continue;
    if (line.find('(') != std::string::npos) {
      path.resize(indent / 3);
      words >> word;
      path.push_back(word == "(world)body" ? "body" : word);
      words >> word;  // how often it may stand there
    }
    // Classes give what the elements have that they are of.
    if (path.size() > 1 && path[1] == "default") continue;
    while (words >> word) {
      ++attributes;
      std::string whole;
      for (const std::string& tag : path) whole += tag + "/";
      CHECK_MESSAGE(covered(word), whole << word);
    }
  }
  CHECK(attributes > 700);
}

#endif

TEST_CASE("the documentation has the table of MJCF that the reader follows") {
  std::ifstream file(test::sourceFolder() + "/assets/formats.md");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::string table = featureTable(mjcfFeatures());
  const bool same = text.find(table) != std::string::npos;
  if (!same) MESSAGE("the table to put into assets/formats.md:\n" << table);
  CHECK(same);
}

TEST_CASE("an inertial inside a frame of a body is the body's, where the frame does not move it") {
  const auto made = fromMjcfText(
      "<worldbody><body><joint axis='0 1 0'/><frame pos='1 2 3' euler='0 0 90'><inertial pos='.2 0 0' "
      "mass='7' "
      "diaginertia='.1 .2 .25'/><geom size='.1'/></frame></body></worldbody>");
  CHECK(made.model().bodies[0].mass == 7.0);
  CHECK((made.model().bodies[0].userFrame.inverse().position - Vec3(0.2, 0.0, 0.0)).norm() < 1e-12);
}
