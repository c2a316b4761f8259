#include "engine/scenario/xml_element.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// The root element of an XML text, and what was found in it.
struct Parsed {
  tinyxml2::XMLDocument document;
  std::vector<Diagnostic> found;
  xml::Element element;

  explicit Parsed(const std::string& text) : element(parse(text), "f.xml", "e", found) {}
  tinyxml2::XMLElement& parse(const std::string& text) {
    REQUIRE(document.Parse(text.c_str()) == tinyxml2::XML_SUCCESS);
    return *document.RootElement();
  }
  std::string messages() const {
    std::string all;
    for (const Diagnostic& d : found) all += d.message + '\n';
    return all;
  }
};

}  // namespace

TEST_CASE("numbers are finite and fill the whole text; inf, words and commas are none") {
  CHECK(*xml::parseNumbers(" 1  -2.5e3\n+4 ") == std::vector<double>{1.0, -2500.0, 4.0});
  CHECK(xml::parseNumbers("")->empty());
  for (const char* text : {"inf", "nan", "1,2", "1x", "0x10", "1e999", "-", "1 two"})
    CHECK_FALSE_MESSAGE(xml::parseNumbers(text), text);
}

TEST_CASE("attributes have their value, else the default; a wrong one is a defect and gets the default") {
  Parsed p(R"(<e a="2.5" n="7" yes="true" v="1 2 3" word="two" bits="0 3" bad="x" far="9"/>)");
  xml::Element& e = p.element;
  CHECK(e.number("a", 1.0) == 2.5);
  CHECK(e.number("missing", 1.5) == 1.5);
  CHECK(e.integer("n", 0) == 7);
  CHECK(e.boolean("yes", false));
  CHECK(e.vector("v", Vec3::Zero()) == Vec3(1.0, 2.0, 3.0));
  CHECK(e.choice("word", 0, {"one", "two"}) == 1);
  CHECK(e.bits("bits", 1u) == 9u);
  CHECK(p.found.empty());
  CHECK(e.number("bad", 3.0) == 3.0);
  CHECK(e.integer("a", 4) == 4);  // not whole
  CHECK(e.number("far", 0.5, xml::kShare) == 0.5);
  CHECK(e.boolean("n", true));
  CHECK(e.vector("a", Vec3::Ones()) == Vec3::Ones());
  CHECK(e.choice("bad", 1, {"one", "two"}) == 1);
  CHECK(e.requiredText("gone").empty());
  CHECK(p.found.size() == 7);
  CHECK(p.messages().find("bad=\"x\"") != std::string::npos);
  CHECK(p.messages().find("gone") != std::string::npos);
}

TEST_CASE("what nobody asked for is an error on its line, with a suggestion where a known name is near") {
  Parsed p("<e\n timstep='1'\n zzz='2'>text<child/></e>");
  p.element.number("timestep", 1.0);
  CHECK(p.element.unread() == std::vector<std::string>{"timstep", "zzz"});
  p.element.finishLeaf();
  REQUIRE(p.found.size() == 4);
  CHECK(p.found[0].message.find("did you mean timestep?") != std::string::npos);
  CHECK(p.found[0].line == 2);
  CHECK(p.found[1].message.find("known here: timestep") != std::string::npos);
  CHECK(p.found[2].message.find("text between the tags") != std::string::npos);
  CHECK(p.found[3].element == "e/child");
}

TEST_CASE("rpy turns about the fixed axes x, y, z in turn; a quaternion beside it is one too many") {
  Parsed p("<e rpy='0.1 0.2 0.3'/>");
  const Vec3 v(1.0, 2.0, 3.0);
  const Vec3 wanted = Eigen::AngleAxisd(0.3, Vec3::UnitZ()) *
                      (Eigen::AngleAxisd(0.2, Vec3::UnitY()) * (Eigen::AngleAxisd(0.1, Vec3::UnitX()) * v));
  CHECK((p.element.rotation() * v - wanted).norm() < 1e-14);
  Parsed both("<e rpy='0 0 0' quaternion='1 0 0 0'/>");
  both.element.rotation();
  CHECK(both.messages().find("keep one") != std::string::npos);
  Parsed zero("<e quaternion='0 0 0 0'/>");
  CHECK(zero.element.rotation().coeffs() == Quat::Identity().coeffs());
  CHECK(zero.found.size() == 1);
}

TEST_CASE("the path of a child carries its name") {
  Parsed p("<e><body name='crank'><inertial/></body></e>");
  const auto children = p.element.children();
  REQUIRE(children.size() == 1);
  CHECK(children[0].path() == "e/body[crank]");
  CHECK(children[0].children()[0].path() == "e/body[crank]/inertial");
}
