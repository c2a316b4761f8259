// What is made of the list of elements and their attributes is up to date, and the reader reads what is in
// it.
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <tinyxml2.h>

#include "engine/base/error.h"
#include "engine/base/expression.h"
#include "engine/base/input_file.h"
#include "engine/base/output_file.h"
#include "engine/scenario/scenario.h"
#include "engine/scenario/units.h"
#include "engine/scenario/words.h"
#include "engine/scenario/writer.h"
#include "tests/support.h"

using namespace grashof;
using namespace grashof::xml;

namespace {

/// A file of the repository must have this content.
void compare(const std::string& path, const std::string& present, const std::string& wanted) {
  if (std::getenv("GRASHOF_RENEW")) saveText(test::sourceFolder() + path, wanted);
  INFO(path, " is renewed by GRASHOF_RENEW=1 grashof_tests -tc='*list of attributes*'");
  CHECK(present == wanted);
}

std::string contentOf(const std::string& path) {
  return readInputFile(test::sourceFolder() + path, 1u << 24, "a text");
}

/// What stands in a file by hand: up to the end of the line with `mark`.
std::string head(const std::string& text, const std::string& mark) {
  const auto at = text.find(mark);
  REQUIRE(at != std::string::npos);
  return text.substr(0, text.find('\n', at) + 1);
}

std::string attributeOf(const AttributeType& a) {
  const std::string open = fmt::format("    <xs:attribute name=\"{}\"{}", a.name,
                                       a.standard == "required" ? " use=\"required\"" : "");
  if (a.words.empty() || a.kind == "truth") return fmt::format("{} type=\"{}\"/>\n", open, a.kind);
  std::string text = open + "><xs:simpleType><xs:restriction base=\"xs:string\">\n     ";
  for (const std::string& word : a.words) text += fmt::format(" <xs:enumeration value=\"{}\"/>", word);
  return text + "\n    </xs:restriction></xs:simpleType></xs:attribute>\n";
}

std::string childrenOf(const std::string& tags) {
  std::string text;
  for (const std::string_view tag : splitItems(tags))
    text += tag == "@parts" ? "      <xs:group ref=\"parts\"/>\n"
                            : fmt::format("      <xs:element name=\"{0}\" type=\"{0}\"/>\n", tag);
  return text;
}

std::string typesOfXsd() {
  std::string text;
  for (const ElementType& type : elementTypes()) {
    text += fmt::format("  <xs:complexType name=\"{}\">\n", type.tag);
    const bool open = type.children == "@arguments";
    if (!open && !type.children.empty())
      text += fmt::format("    <xs:choice minOccurs=\"{}\" maxOccurs=\"unbounded\">\n{}    </xs:choice>\n",
                          type.least, childrenOf(type.children));
    for (const AttributeType& a : type.attributes)
      if (!a.refused) text += attributeOf(a);
    if (open) text += "    <xs:anyAttribute namespace=\"##local\" processContents=\"skip\"/>\n";
    text += "  </xs:complexType>\n";
  }
  return text +
         fmt::format("  <xs:group name=\"parts\">\n    <xs:choice>\n{}    </xs:choice>\n  </xs:group>\n",
                     childrenOf(kParts)) +
         "  <xs:element name=\"scenario\" type=\"scenario\"/>\n</xs:schema>\n";
}

std::string withPowers(std::string unit) {
  for (const auto& [plain, raised] : {std::pair("^2", "²"), std::pair("^3", "³")})
    for (auto at = unit.find(plain); at != std::string::npos; at = unit.find(plain))
      unit.replace(at, 2, raised);
  return unit;
}

std::string tableOf(const ElementType& type) {
  bool units = false;
  for (const AttributeType& a : type.attributes) units = units || !a.shown.empty();
  std::string text = units ? "| attribute | meaning | unit | default |\n|---|---|---|---|\n"
                           : "| attribute | meaning | default |\n|---|---|---|\n";
  for (std::size_t i = 0; i < type.attributes.size(); ++i) {
    const AttributeType& a = type.attributes[i];
    if (a.refused) continue;
    std::string names = "`" + a.name + "`";
    while (i + 1 < type.attributes.size() && !a.meaning.empty()) {  // told of together
      const AttributeType& next = type.attributes[i + 1];
      if (next.meaning != a.meaning || next.shown != a.shown || next.standard != a.standard) break;
      names += ", `" + next.name + "`";
      ++i;
    }
    const auto cell = [](const std::string& content) {
      return content.empty() ? " |" : " " + content + " |";
    };
    text += "| " + names + " |" + cell(a.meaning) + (units ? cell(withPowers(a.shown)) : "") +
            cell(a.standard) + "\n";
  }
  return text;
}

/// The reference with the table of an element replaced: the first below its heading.
std::string withTable(const std::string& reference, const ElementType& type) {
  const std::string head = "| attribute |";
  for (auto at = reference.find("\n#"); at != std::string::npos; at = reference.find("\n#", at + 1)) {
    const auto start = reference.find(' ', at) + 1;
    const std::string names = ", " + reference.substr(start, reference.find('\n', start) - start) + ", ";
    if (names.find(", " + type.tag + ", ") == std::string::npos) continue;
    const auto table = reference.find(head, start), end = reference.find("\n\n", table);
    if (table > reference.find("\n#", start)) break;
    return reference.substr(0, table) + tableOf(type) + reference.substr(end + 1);
  }
  FAIL_CHECK("assets/schema.md has no table '" << head << " …' below a heading " << type.tag);
  return reference;
}

/// Every element, and of those that have types every type.
constexpr const char* kEveryElement = R"(<scenario name="all">
  <options timestep="0.001" duration="1"/>
  <solver/>
  <stabilization/>
  <perturb/>
  <output><channel name="energy.total"/></output>
  <parameter name="L" value="0.3"/>
  <tolerance of="spring[s].stiffness" value="2%"/>
  <include file="fourbar-fixed.xml" prefix="i."/>
  <template name="t"><body name="tb" position="5 0 0"><shape type="sphere" radius="0.1"/></body></template>
  <use template="t" prefix="one."/>
  <replicate count="2" prefix="r{i}."><body name="b" position="i 5 0"><shape type="sphere" radius="0.1"/></body></replicate>
  <material name="m"/>
  <surface a="m" b="default"/>
  <motion name="constant" type="constant" value="1"/>
  <motion name="sine" type="sine" amplitude="1" frequency="1"/>
  <motion name="series" type="series" samples="0 0 1 1"/>
  <motor name="motor"/>
  <shape name="plane" type="plane"/>
  <shape name="field" type="height-field" file="none.txt" spacing="1"/>
  <shape name="mesh" type="mesh" file="none.stl"/>
  <body name="a" position="0 0 1"><inertial mass="1" inertia="1 1 1"/>
    <shape name="box" type="box" size="0.1 0.1 0.1"/></body>
  <body name="b" position="1 0 1"><inertial mass="1" inertia="1 1 1"/>
    <shape name="sphere" type="sphere" radius="0.1"/></body>
  <body name="c" position="2 0 1"><inertial mass="1" inertia="1 1 1"/>
    <shape name="capsule" type="capsule" radius="0.1" length="0.1"/></body>
  <body name="d" position="3 0 1"><inertial mass="1" inertia="1 1 1"/>
    <shape name="cylinder" type="cylinder" radius="0.1" length="0.1"/></body>
  <body name="e" position="4 0 1"><inertial mass="1" inertia="1 1 1"/>
    <shape name="cone" type="cone" radius="0.1" length="0.1"/></body>
  <body name="f" position="6 0 1"><inertial mass="1" inertia="1 1 1"/>
    <shape name="ellipsoid" type="ellipsoid" size="0.1 0.1 0.1"/></body>
  <joint name="ja" type="cylindrical" follower="a" axis="1 0 0"><limit lower="-9" upper="9"/><dynamics damping="1"/>
    <actuator type="effort" motion="constant"/></joint>
  <joint name="jb" type="revolute" axis="0 1 0" follower="b"><limit lower="-9" upper="9"/><dynamics damping="1"/>
    <actuator type="position" kp="1" motion="sine"/></joint>
  <joint name="jc" type="revolute" follower="c" position="2 0 1" axis="0 1 0"/>
  <body name="p" position="8 0 1"><inertial mass="1" inertia="1 1 1"/></body>
  <joint name="jp" type="planar" follower="p"><base-frame position="8 0 1"/><follower-frame/>
    <clearance radial="0.001"/></joint>
  <joint name="jd" type="prismatic" follower="d" axis="0 1 0"><actuator type="velocity" kd="1" motion="series"/></joint>
  <joint name="je" type="revolute" follower="e" axis="0 1 0"><actuator type="motion" motion="sine"/></joint>
  <joint name="jf" type="distance" base="e" follower="f"><base-frame/><follower-frame/></joint>
  <coupling name="gear" type="gear" joint-a="jb" joint-b="jc" ratio="2"/>
  <coupling name="screw" type="screw" joint="ja" pitch="0.01"/>
  <coupling name="rack" type="rack-and-pinion" rack="jd" pinion="jb" radius="0.1"/>
  <coupling name="cam" type="cam" cam="jb" follower="jc" samples="0 0 1 1 2 2"/>
  <coupling name="linear" type="linear"><term joint="jb" coefficient="1"/><term joint="jc" coefficient="2"/></coupling>
  <wrench name="w" body="a" force="0 0 1"/>
  <spring name="s" body2="a" point1="0 0 2" stiffness="1"/>
  <gas-spring name="gs" body2="a" point1="0 0 2" length="1.5" force="100" compressed-length="0.5" progression="1.5"/>
  <force name="fj" joint="jb" stiffness="1"><table over="length" samples="0 0 1 1"/></force>
  <force name="fb" body2="a" point1="0 0 2" stiffness="1"><table over="speed" samples="0 0 1 1"/></force>
  <cable name="cable" stiffness="10"><point/><pulley position="3 0 3" radius="0.1"/><sphere body="a" position="0.5 0 0" radius="0.05"/>
    <point body="a" position="1 0 0"/><drum joint="jb" radius="0.1"/></cable>
  <tendon name="tendon" stiffness="10"><term joint="jb" coefficient="1"/><term joint="jc" coefficient="2"/></tendon>
  <bushing name="bushing" follower="f" stiffness="1 1 1 1 1 1"><base-frame position="6 0 1"/><follower-frame/></bushing>
  <rolling name="rolling" follower="f" radius="0.1"/>
  <knife-edge name="knife" follower="f" across="0 1 0"/>
  <control name="control"><drive joint="jb"/></control><control name="other"><drive element="fj"/></control>
  <contacts><exclude a="a" b="b"/></contacts>
  <assemble><pin body="f"/><input joint="jb" value="0"/></assemble>
  <expect><check channel="energy.total" max="1e9"/><divergence/></expect>
</scenario>)";

/// A name that no attribute has, and none comes near to.
constexpr const char* kUnknown = "QQQQQQQQQQQQ";

/// Attributes that the reader asks an element for, one of which it may have.
std::set<std::string> asked(const std::string& element, const std::string& given) {
  std::vector<Override> overrides = {{element + kUnknown, "1"}};
  if (!given.empty()) overrides.push_back({element + given, "1"});
  try {
    parseScenario(kEveryElement, test::sourceFolder() + "/assets/scenarios/all.xml", overrides);
  } catch (const InputError& error) {
    for (const Diagnostic& d : error.diagnostics()) {
      const std::string head = fmt::format("unknown attribute {} (known here: ", kUnknown);
      if (!d.message.starts_with(head)) continue;
      std::set<std::string> names;
      const std::string all = d.message.substr(head.size(), d.message.size() - head.size() - 1);
      for (std::string_view name : splitItems(all)) {
        if (name.ends_with(',')) name.remove_suffix(1);
        names.emplace(name);
      }
      return names;
    }
  }
  return {};
}

/// Collects what elements are asked for, by tag.
void collect(tinyxml2::XMLElement& e, const std::string& path,
             std::map<std::string, std::set<std::string>>& found) {
  std::set<std::string>& names = found[e.Name()];
  names.merge(asked(path, {}));
  for (const AttributeType& a : findElementType(e.Name())->attributes)
    if (!names.contains(a.name)) names.merge(asked(path, a.name));
  const std::string_view tag = e.Name();
  if (tag == "template" || tag == "replicate") return;
  for (auto* child = e.FirstChildElement(); child; child = child->NextSiblingElement()) {
    const char* const name = child->Attribute("name");
    collect(*child, path + child->Name() + (name ? fmt::format("[{}].", name) : "."), found);
  }
}

}  // namespace

TEST_CASE("the schema, the reference and the dictionary say what the list of attributes says") {
  const std::string xsd = contentOf("/assets/scenario.xsd");
  compare("/assets/scenario.xsd", xsd, head(xsd, "<!-- From engine/scenario/schema") + typesOfXsd());

  const std::string reference = contentOf("/assets/schema.md");
  std::string renewed = reference;
  for (const ElementType& type : elementTypes())
    if (!type.attributes.empty()) renewed = withTable(renewed, type);
  compare("/assets/schema.md", reference, renewed);

  std::set<std::string> words;
  for (const ElementType& type : elementTypes()) {
    words.insert({"<" + type.tag + " ", "</" + type.tag + ">"});
    for (const AttributeType& a : type.attributes) {
      words.insert(" " + a.name + "=\\\"");
      if (a.kind != "truth") words.insert(a.words.begin(), a.words.end());
    }
  }
  const std::string dictionary = contentOf("/tests/fuzz/scenario.dict");
  std::string entries = head(dictionary, "# From engine/scenario/schema");
  for (const std::string& word : words) entries += "\"" + word + "\"\n";
  compare("/tests/fuzz/scenario.dict", dictionary, entries);
}

TEST_CASE("no element has an attribute twice, and units are units") {
  std::set<std::string> tags;
  int count = 0;
  for (const ElementType& type : elementTypes()) {
    CAPTURE(type.tag);
    CHECK(tags.insert(type.tag).second);
    std::set<std::string> names;
    for (const AttributeType& a : type.attributes) {
      CAPTURE(a.name);
      CHECK(names.insert(a.name).second);
      ++count;
      if (!a.numeric() || a.unit.empty() || a.unit.starts_with("SI")) continue;
      const auto comma = a.unit.find(", ");
      CHECK(parseUnit(a.unit.substr(0, comma)));
      if (comma != std::string::npos) CHECK(parseUnit(a.unit.substr(comma + 2)));
    }
  }
  CHECK(count > 300);
}

TEST_CASE("the reader asks for the attributes that are in the list, and for no others") {
  tinyxml2::XMLDocument document;
  REQUIRE(document.Parse(kEveryElement) == tinyxml2::XML_SUCCESS);
  std::map<std::string, std::set<std::string>> found;
  collect(*document.RootElement(), "", found);
  for (const ElementType& type : elementTypes()) {
    CAPTURE(type.tag);
    std::set<std::string> listed;
    for (const AttributeType& a : type.attributes) listed.insert(a.name);
    CHECK(found[type.tag] == listed);
  }
}

TEST_CASE("defaults in the list are those of models that are made in code") {
  const auto digest = [](const char* elements) {
    return motionDigest(parseScenario(
        fmt::format("<scenario>{}<body name=\"a\"><shape type=\"sphere\" radius=\"1\"/></body></scenario>",
                    elements),
        "defaults.xml"));
  };
  const std::string plain = digest("");
  for (const char* element : {"<options/>", "<solver/>", "<stabilization/>", "<material name='default'/>",
                              "<contacts/>", "<output/>"})
    CHECK_MESSAGE(digest(element) == plain, element);
}

TEST_CASE("words in the list are those of enumerations") {
  for (std::size_t i = 0; i < kIntegratorNames.size(); ++i)
    CHECK(wordOf(static_cast<Integrator>(i)) == kIntegratorNames[i]);
  CHECK(wordOf(ShapeType::HeightField) == "height-field");
  CHECK(wordOf(Actuator::Kind::Motion) == "motion");
  CHECK(wordOf(CouplingKind::Linear) == "linear");
  CHECK(wordOf(Neighbours::Touch) == "true");
}
