#include "tests/tools/converted.h"
#include "tools/convert/xacro.h"
#include "tools/convert/xacro_expression.h"

using namespace grashof;
using namespace grashof::convert;

namespace {

constexpr const char* kMass =
    "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>";

/// What stands in a robot of a xacro file, expanded, without its first and last line.
std::string expandedXacro(const std::string& inside, const FileOptions& options = {}) {
  const test::ScratchFolder folder;
  std::string text =
      expandXacro(folder.write("r.urdf.xacro", "<robot name='r' xmlns:xacro='x'>" + inside + "</robot>"),
                  options)
          .text;
  text = text.substr(text.find('\n') + 1);
  return text.substr(0, text.rfind("</robot>"));
}

/// The message about what stands in a robot of a xacro file.
std::string xacroMessage(const std::string& inside, const FileOptions& options = {}) {
  try {
    expandedXacro(inside, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing is wrong";
}

std::string xacroValue(const std::string& expression) {
  const auto names = [](const std::string& name) -> std::optional<XacroValue> {
    if (name == "side") return xacroLiteral("left");
    if (name == "n") return xacroLiteral("3");
    if (name == "L") return xacroLiteral("0.4");
    return std::nullopt;
  };
  try {
    return evaluateXacro(expression, names).written();
  } catch (const XacroDefect& defect) {
    return std::string("! ") + defect.what();
  }
}

}  // namespace

TEST_CASE("xacro's expressions are worth what Python makes of them") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"L/2", "0.2"},
      {"n + 1", "4"},
      {"n / 2", "1.5"},
      {"n // 2", "1"},
      {"-7 % 3", "2"},
      {"2 ** 3", "8"},
      {"-2 ** 2", "-4"},
      {"2.0 * 1", "2.0"},
      {"radians(180) - pi", "0.0"},
      {"round(math.sin(pi/2) * 5)", "5"},
      {"side", "left"},
      {"side == 'left'", "True"},
      {"not side == 'left' or n != 3", "False"},
      {"'l_' + side", "l_left"},
      {"1 if side == 'left' else -1", "1"},
      {"'a' if n > 5 else 'b' if n > 2 else 'c'", "b"},
      {"1/0 if n > 5 else (n if n else 2)", "3"},
      {"'ef' in side", "True"},
      {"max(n, 1) - min(2, 5)", "1"},
      {"1 < n < 5", "True"},
      {"int(2.7) + float('1.5')", "3.5"},
      {"str(n) + 'x'", "3x"},
      {"1e-3", "0.001"},
      {"1e3 + .5 + 5.", "1005.5"},
      {"0x1F + 0X_0a + 0b11 + 0o17", "59"},
      {"1_000 * 2 + 1_0.2_5e0_1", "2102.5"},
      {"1__0", "! '__0' is not expected"},
      {"0x", "! 'x' is not expected"},
      {"0xfffffffffffffffff", "! 'xfffffffffff' is not expected"},
      {"1.2.3", "! '1.2.3' is no number, or out of range"},
      {"x0", "! there is no property x0"},
      {"side * 2", "! 'left' is no number"},
      {"1 / 0", "! has no finite value (is something divided by 0?)"},
      {"(1", "! ')' is missing"},
      {"", "! is empty"},
  };
  for (const auto& one : cases) {
    CAPTURE(one.first);
    CHECK(xacroValue(one.first) == one.second);
  }
  for (const char* foreign : {"[1, 2]", "n['a']", "{'a': 1}", "side.upper()", "xacro.load_yaml('f')"}) {
    CAPTURE(foreign);
    CHECK(xacroValue(foreign).find("lists, dictionaries, methods") != std::string::npos);
  }
  CHECK(xacroValue(std::string(5000, '(')).find("nested too deeply") != std::string::npos);
  CHECK(xacroValue(std::string(5000, '-') + "1").find("nested too deeply") != std::string::npos);
}

TEST_CASE("properties, arguments and conditions of xacro are put in where they are used") {
  CHECK(expandedXacro("<xacro:property name='a' value='${b*2}'/><xacro:property name='b' value='0.25'/>"
                      "<x v='${a} ${b}' w='p_$(arg side)' u='$${a}'/><xacro:arg name='side' default='left'/>",
                      {{}, false, false, {{"side", "right"}}}) ==
        "<x v=\"0.5 0.25\" w=\"p_right\" u=\"${a}\"/>\n");
  CHECK(expandedXacro("<xacro:arg name='side' default='left'/><x w='$(arg side)'/>") == "<x w=\"left\"/>\n");
  CHECK(expandedXacro(
            "<xacro:property name='on' value='true'/><xacro:if value='${on}'><y/></xacro:if>"
            "<xacro:unless value='${on}'><z/></xacro:unless><xacro:if value='${1 > 2}'><z/></xacro:if>") ==
        "<y/>\n");
  CHECK(expandedXacro("<x>${1+1} &lt; 3</x>") == "<x>2 &lt; 3</x>\n");
  CHECK(expandedXacro("<m f='$(find arm)/m.stl'/>") == "<m f=\"package://arm/m.stl\"/>\n");
}

TEST_CASE("macros of xacro take values, defaults and blocks, and keep what they define to themselves") {
  CHECK(expandedXacro("<xacro:macro name='leg' params='side len:=${base*2} name:=\"a b\" *place **rest'>"
                      "<xacro:property name='own' value='1'/>"
                      "<link name='${side}_leg' l='${len}' n='${name}'><xacro:insert_block name='place'/>"
                      "<xacro:insert_block name='rest'/></link></xacro:macro>"
                      "<xacro:property name='base' value='0.5'/><xacro:property name='x' value='7'/>"
                      "<xacro:leg side='left'><origin xyz='${x} 0 0'/><all><one/><two/></all></xacro:leg>") ==
        "<link name=\"left_leg\" l=\"1.0\" n=\"a b\">\n<origin xyz=\"7 0 0\"/>\n<one/>\n<two/>\n</link>\n");
  // Blocks that are handed on, blocks under conditions, parameters that are forwarded.
  CHECK(
      expandedXacro("<xacro:macro name='in' params='p:=^|9 *b'><i p='${p}'><xacro:insert_block "
                    "name='b'/></i></xacro:macro>"
                    "<xacro:macro name='out' params='p *b'><xacro:in><xacro:if value='1'><xacro:insert_block "
                    "name='b'/></xacro:if></xacro:in></xacro:macro>"
                    "<xacro:out p='5'><o/></xacro:out><xacro:in><o/></xacro:in>") ==
      "<i p=\"5\">\n<o/>\n</i>\n<i p=\"9\">\n<o/>\n</i>\n");
  CHECK(expandedXacro(
            "<xacro:property name='tail'><a/><b/></xacro:property><xacro:insert_block name='tail'/>") ==
        "<a/>\n<b/>\n");
  // Recursion ends where its condition says.
  CHECK(expandedXacro("<xacro:macro name='chain' params='n'><l n='${n}'/><xacro:if value='${n > 1}'>"
                      "<xacro:chain n='${n - 1}'/></xacro:if></xacro:macro><xacro:chain n='3'/>") ==
        "<l n=\"3\"/>\n<l n=\"2\"/>\n<l n=\"1\"/>\n");
}

TEST_CASE("defaults of xacro's parameters are worth what the names of the caller say") {
  // A parameter before it does not count, even where the call gives it.
  CHECK(expandedXacro(
            "<xacro:property name='r' value='2'/>"
            "<xacro:macro name='m' params='r d:=${2*r} x:=${x}'><i r='${r}' d='${d}' x='${x}'/></xacro:macro>"
            "<xacro:property name='x' value='7'/><xacro:m r='10'/>") == "<i r=\"10\" d=\"4\" x=\"7\"/>\n");
  // Parameters of the calling macro count.
  CHECK(expandedXacro(
            "<xacro:property name='r' value='2'/>"
            "<xacro:macro name='in' params='d:=${r} e:=^ f:=^|${r}'><i d='${d}' e='${e}' "
            "f='${f}'/></xacro:macro>"
            "<xacro:macro name='out' params='r e'><xacro:in/></xacro:macro><xacro:out r='5' e='6'/>") ==
        "<i d=\"5\" e=\"6\" f=\"5\"/>\n");
  const std::string message =
      xacroMessage("<xacro:macro name='m' params='a b:=${a}'><i/></xacro:macro>\n<xacro:m a='1'/>");
  CAPTURE(message);
  CHECK(
      message.find("there is no property a (in the default of parameter 'b', by the names of the caller, ") !=
      std::string::npos);
}

TEST_CASE("xacro includes files beside it and of packages") {
  const test::ScratchFolder folder;
  std::filesystem::create_directories(folder.path("arm/urdf"));
  std::filesystem::create_directories(folder.path("hand"));
  folder.write("arm/package.xml", "<package/>");
  folder.write("hand/package.xml", "<package/>");
  folder.write("arm/urdf/size.xacro", "<robot><xacro:property name='L' value='0.4'/></robot>");
  folder.write("hand/hand.xacro",
               "<robot><xacro:macro name='hand' params='l'><h l='${l}'/></xacro:macro></robot>");
  const std::string path = folder.write("arm/urdf/arm.urdf.xacro",
                                        "<robot name='r'><xacro:include filename='size.xacro'/>\n"
                                        "<xacro:include filename='$(find hand)/hand.xacro'/>\n"
                                        "<xacro:include filename='none.xacro' optional='true'/>\n"
                                        "<xacro:hand l='${L}'/></robot>");
  CHECK(expandXacro(path, {}).text == "<robot name=\"r\">\n<h l=\"0.4\"/>\n</robot>\n");
  folder.write("arm/urdf/round.xacro", "<robot><xacro:include filename='round.xacro'/></robot>");
  CHECK_THROWS_WITH_AS(expandXacro(folder.path("arm/urdf/round.xacro"), {}),
                       doctest::Contains("nested too deeply (does a macro or a file include itself?)"),
                       InputError);
  folder.write("arm/urdf/out.xacro", "<robot><xacro:include filename='/etc/passwd'/></robot>");
  CHECK_THROWS_WITH_AS(expandXacro(folder.path("arm/urdf/out.xacro"), {}),
                       doctest::Contains("lies outside the folder of the model"), InputError);
}

TEST_CASE("what xacro cannot do here is named with its place") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"<x a='${b}'/>", "${b}: there is no property b"},
      {"<x a='${b'/>", "'${b' does not end"},
      {"<xacro:leg/>", "there is no macro 'leg' (is the file that defines it included?)"},
      {"<xacro:macro name='leg' params='a'/><xacro:lag a='1'/>", "did you mean 'leg'?"},
      {"<xacro:macro name='leg' params='a'/><xacro:leg/>", "parameter 'a' of macro leg is not given"},
      {"<xacro:macro name='leg' params='a:=1'/><xacro:leg b='1'/>", "macro leg has no parameter 'b'"},
      {"<xacro:macro name='leg' params='*a'/><xacro:leg/>",
       "lacks an element for the block 'a' of macro leg"},
      {"<xacro:macro name='leg'/><xacro:leg><x/></xacro:leg>", "macro leg has no block for this element"},
      {"<xacro:insert_block name='b'/>", "there is no block 'b'"},
      {"<x a='$(arg side)'/>", "argument 'side' is not given (--arg side:=VALUE)"},
      {"<x a='$(env HOME)'/>", "$(env HOME) is not expanded"},
      {"<xacro:if value='maybe'><x/></xacro:if>", "is neither true nor false"},
      {"<xacro:include filename='a.xacro'/>", "'a.xacro' is not there"},
      {"<xacro:include filename='a.xacro' ns='n'/>", "namespaces are not expanded"},
      {"<xacro:include filename='*.xacro'/>", "patterns are not expanded"},
      {"<xacro:element/>", "is not expanded"},
      {"<xacro:property name='a' value='${b}'/><xacro:property name='b' value='${a}'/><x c='${a}'/>",
       "depends on itself"},
      {"<xacro:property name='a' value=\"${xacro.load_yaml('f')}\"/><x c='${a}'/>", "lists, dictionaries"},
      {"<xacro:macro name='leg'><xacro:leg/></xacro:macro><xacro:leg/>", "nested too deeply"},
  };
  for (const auto& one : cases) {
    CAPTURE(one.first);
    const std::string found = xacroMessage("\n" + one.first);
    CAPTURE(found);
    CHECK(found.find(one.second) != std::string::npos);
    CHECK(found.find("r.urdf.xacro:2: ") != std::string::npos);
  }
  CHECK(xacroMessage("<xacro:macro name='leg'>\n<x a='${b}'/></xacro:macro>\n<xacro:leg/>")
            .find("(in macro leg, called at ") != std::string::npos);
  CHECK(xacroMessage("<xacro:arg name='side' default='left'/>", {{}, false, false, {{"sid", "right"}}})
            .find("has no argument 'sid' (it has: side)") != std::string::npos);
  CHECK_THROWS_WITH_AS(parseXacroArgument("side=left"), doctest::Contains("needs NAME:=VALUE"), InputError);
}

TEST_CASE("texts and elements that grow without end are refused") {
  std::string doubling = "<xacro:property name='p0' value='xxxxxxxxxxxxxxxx'/>";
  for (int i = 1; i < 25; ++i)
    doubling += "<xacro:property name='p" + std::to_string(i) + "' value='${p" + std::to_string(i - 1) +
                "}${p" + std::to_string(i - 1) + "}'/>";
  CHECK(xacroMessage(doubling + "<x a='${p24}'/>").find("longer than a million characters") !=
        std::string::npos);
  CHECK(xacroMessage(
            "<xacro:macro name='m' params='n'><xacro:if value='${n > 0}'><xacro:m n='${n-1}'/><xacro:m "
            "n='${n-1}'/></xacro:if></xacro:macro><xacro:m n='40'/>")
            .find("larger than 262144 elements") != std::string::npos);
}

TEST_CASE("a robot in xacro is the robot that it expands to, and messages name its own lines") {
  const test::ScratchFolder folder;
  const auto robot = [&](const std::string& ratio) {
    return folder.write(
        "two.urdf.xacro",
        "<robot name='two' xmlns:xacro='http://www.ros.org/wiki/xacro'>\n"
        "<xacro:property name='len' value='0.4'/>\n"
        "<xacro:macro name='arm' params='name parent *origin'>\n"
        "<link name='${name}'>" +
            std::string(kMass) +
            "</link>\n"
            "<joint name='${name}_joint' type='continuous'><xacro:insert_block name='origin'/>\n"
            "<parent link='${parent}'/><child link='${name}'/><axis xyz='0 " +
            ratio +
            " 0'/></joint>\n"
            "</xacro:macro>\n<link name='base'/>\n"
            "<xacro:arm name='upper' parent='base'><origin xyz='0 0 1'/></xacro:arm>\n"
            "<xacro:arm name='lower' parent='upper'><origin xyz='${len} 0 0'/></xacro:arm>\n</robot>\n");
  };
  Report report;
  const Scenario made = buildScenario(readUrdf(robot("1"), {}, report), {}, report);
  REQUIRE(made.model->bodies.size() == 2);
  CHECK(made.model->findJoint("lower_joint") == 1);
  CHECK((made.model->bodies[1].initialPose.position - Vec3(0.4, 0.0, 1.0)).norm() < 1e-12);
  try {
    readUrdf(robot("x"), {}, report);
    FAIL("a bad axis was read");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()).find("two.urdf.xacro:6: ") != std::string::npos);
  }
}
