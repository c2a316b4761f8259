// What is made of the list of elements and their attributes is up to date.
#include <cstdlib>
#include <set>
#include <string>

#include <fmt/format.h>

#include "engine/base/expression.h"
#include "engine/base/input_file.h"
#include "engine/base/output_file.h"
#include "engine/scenario/schema.h"
#include "engine/scenario/units.h"
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

std::vector<std::string> wordsOf(const AttributeType& a) {
  std::vector<std::string> words;
  for (std::size_t at = 0, bar = 0; a.kind.find('|') != std::string::npos && bar != std::string::npos;
       at = bar + 1) {
    bar = a.kind.find('|', at);
    words.push_back(a.kind.substr(at, bar - at));
  }
  return words;
}

std::string attributeOf(const AttributeType& a) {
  const std::string open = fmt::format("    <xs:attribute name=\"{}\"{}", a.name,
                                       a.standard == "required" ? " use=\"required\"" : "");
  const auto words = wordsOf(a);
  if (words.empty()) return fmt::format("{} type=\"{}\"/>\n", open, a.kind);
  std::string text = open + "><xs:simpleType><xs:restriction base=\"xs:string\">\n     ";
  for (const std::string& word : words) text += fmt::format(" <xs:enumeration value=\"{}\"/>", word);
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
    for (const AttributeType& a : type.attributes) text += attributeOf(a);
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
      for (const std::string& word : wordsOf(a)) words.insert(word);
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
      CHECK(attributeUnit(type.tag, a.name).known == a.numeric());
      ++count;
      if (!a.numeric() || a.unit.empty() || a.unit.starts_with("SI")) continue;
      const auto comma = a.unit.find(", ");
      CHECK(parseUnit(a.unit.substr(0, comma)));
      if (comma != std::string::npos) CHECK(parseUnit(a.unit.substr(comma + 2)));
    }
  }
  CHECK(count > 300);
}
