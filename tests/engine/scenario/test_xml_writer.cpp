#include "engine/base/error.h"
#include "engine/scenario/xml_element.h"
#include "engine/scenario/xml_writer.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("numbers read back the same, bit for bit, and zero has no sign") {
  CHECK(xml::numbers({0.1, -2.0, 1e-300}) == "0.1 -2 1e-300");
  CHECK(xml::numbers({-0.0}) == "0");
  test::Random random(41);
  for (int i = 0; i < 100; ++i) {
    const double x = random.uniform() * std::pow(10.0, 20.0 * random.uniform());
    CHECK((*xml::parseNumbers(xml::numbers({x})))[0] == x);
  }
}

TEST_CASE("attributes are escaped, quaternions start with w, booleans are words, comments cannot end early") {
  xml::Writer writer;
  writer.open("e").attribute("text", "a<b&\"c\"").attribute("q", Quat(1.0, 2.0, 3.0, 4.0));
  writer.attribute("b", true).attribute("i", 3).comment("a --> b").close();
  tinyxml2::XMLDocument document;
  REQUIRE(document.Parse(writer.text().c_str()) == tinyxml2::XML_SUCCESS);
  const auto* e = document.RootElement();
  CHECK(std::string(e->Attribute("text")) == "a<b&\"c\"");
  CHECK(std::string(e->Attribute("q")) == "1 2 3 4");
  CHECK(std::string(e->Attribute("b")) == "true");
  CHECK(std::string(e->Attribute("i")) == "3");
  CHECK(e->NextSibling() == nullptr);
}

TEST_CASE("a document that cannot be written is a FileError") {
  xml::Writer writer;
  writer.open("e").close();
  CHECK_THROWS_AS(writer.save("/nonexistent/folder/e.xml"), FileError);
}
