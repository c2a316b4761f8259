// Every element and attribute of URDF is taken, has no effect, or is reported: as the table says that the
// reader and the documentation share.
#include <fstream>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <tinyxml2.h>

#include "tests/tools/converted.h"
#include "tools/convert/urdf_features.h"

using namespace grashof;
using namespace grashof::convert;
using test::anyLine;

namespace {

/// A robot with all that is taken.
const char* const kAll = R"(<robot name="all">
  <link name="base"/>
  <link name="a"><inertial><origin xyz="0 0 .1" rpy="0 0 0"/><mass value="1"/><inertia ixx=".01" ixy="0" ixz="0" iyy=".01" iyz="0"
    izz=".01"/></inertial><collision name="c"><origin xyz="0 0 0" quat_xyzw="0 0 0 1"/><geometry><box size=".1 .1 .1"/></geometry>
    </collision><contact><lateral_friction value="1"/><rolling_friction value="0"/><spinning_friction value="0"/><restitution
    value="0"/><stiffness value="1e5"/><damping value="1"/></contact><visual name="v"><origin xyz="0 0 0"/><geometry><mesh filename="t.obj" scale="1 1 1"/></geometry></visual></link>
  <link name="b"><inertial><mass value="1"/><inertia ixx=".01" ixy="0" ixz="0" iyy=".01" iyz="0" izz=".01"/></inertial>
    <collision><geometry><cylinder radius=".02" length=".1"/></geometry></collision><collision><geometry><sphere radius=".02"/>
    </geometry></collision><visual><geometry><capsule radius=".02" length=".1"/></geometry></visual></link>
  <link name="c"><inertial><mass value="1"/><inertia ixx=".01" ixy="0" ixz="0" iyy=".01" iyz="0" izz=".01"/></inertial></link>
  <joint name="ja" type="revolute"><origin xyz="0 0 0"/><parent link="base"/><child link="a"/><axis xyz="0 1 0"/><limit lower="-1"
    upper="1" effort="1" velocity="1"/><dynamics damping=".1" friction=".1"/></joint>
  <joint name="jb" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/><limit lower="-1" upper="1"/><joint_properties
    damping=".1" friction=".1"/><mimic joint="ja" multiplier="1" offset="0"/></joint>
  <joint name="jc" type="continuous"><parent link="base"/><child link="c"/><axis xyz="0 1 0"/></joint>
  <loop name="l" type="revolute"><predecessor link="base"><origin xyz="0 0 0"/></predecessor><successor link="c"><origin xyz="0 0
    0"/></successor><axis xyz="0 1 0"/></loop>
  <transmission><joint name="ja"><mechanicalReduction>2</mechanicalReduction></joint><actuator><mechanicalReduction>2
    </mechanicalReduction><drake:gear_ratio value="2"/><drake:rotor_inertia value="1e-5"/></actuator></transmission>
  <ros2_control><joint name="jc"><command_interface/></joint><transmission><joint name="jc"><mechanical_reduction>2
    </mechanical_reduction></joint></transmission></ros2_control>
  <gazebo reference="a"><mu>1</mu><mu1>1</mu1><mu2>1</mu2><fdir1>1 0 0</fdir1><kp>1e5</kp><kd>1</kd><selfCollide>1</selfCollide>
    <self_collide>1</self_collide><turnGravityOff>0</turnGravityOff><gravity>1</gravity></gazebo>
  <gazebo reference="jc"><springStiffness>1</springStiffness><springReference>0</springReference></gazebo>
  <mujoco><compiler meshdir="." strippath="true"/></mujoco><drake:collision_filter_group name="g" ignore="false"><drake:member
    link="a"/><drake:ignored_collision_filter_group name="g"/></drake:collision_filter_group></robot>)";

std::vector<std::string> wordsOf(const char* list) {
  std::istringstream words(list);
  std::vector<std::string> all;
  for (std::string word; words >> word;) all.push_back(word);
  return all;
}

Report reportOf(const std::string& text) {
  const test::ScratchFolder folder;
  folder.write("t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
  Report report;
  readUrdf(folder.write("robot.urdf", text), {}, report);
  return report;
}

/// The first element of this name in a table, PARENT/TAG or TAG; null: there is none.
tinyxml2::XMLElement* find(tinyxml2::XMLElement* e, const std::string& name) {
  const auto slash = name.find('/');
  const std::string tag = slash == std::string::npos ? name : name.substr(slash + 1);
  const tinyxml2::XMLElement* around = e->Parent() ? e->Parent()->ToElement() : nullptr;
  if (e->Name() == tag && (slash == std::string::npos || (around && around->Name() == name.substr(0, slash))))
    return e;
  for (tinyxml2::XMLElement* child = e->FirstChildElement(); child; child = child->NextSiblingElement())
    if (tinyxml2::XMLElement* found = find(child, name)) return found;
  return nullptr;
}

std::string printed(const tinyxml2::XMLDocument& document) {
  tinyxml2::XMLPrinter printer;
  document.Print(&printer);
  return printer.CStr();
}

}  // namespace

TEST_CASE("the documentation has the table of URDF that the reader follows") {
  std::ifstream file(test::sourceFolder() + "/assets/formats.md");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::string table = featureTable(urdfFeatures());
  const bool same = text.find(table) != std::string::npos;
  if (!same) MESSAGE("the table to put into assets/formats.md:\n" << table);
  CHECK(same);
}

TEST_CASE("what the table of URDF calls taken stands in one robot, of which nothing is left out") {
  const Report report = reportOf(kAll);
  for (const std::string& line : report.leftOut) FAIL_CHECK(line);
  tinyxml2::XMLDocument document;
  REQUIRE(document.Parse(kAll) == tinyxml2::XML_SUCCESS);
  // What the elements of each name have, all together.
  std::set<std::pair<std::string, std::string>> present;
  const auto collect = [&](const tinyxml2::XMLElement* e, const std::string& around,
                           const auto& self) -> void {
    const std::string tag = e->Name();
    for (const std::string& name : {tag, around + "/" + tag}) {
      for (const auto* a = e->FirstAttribute(); a; a = a->Next()) present.emplace(name, a->Name());
      for (const auto* child = e->FirstChildElement(); child; child = child->NextSiblingElement())
        present.emplace(name, child->Name());
    }
    for (const auto* child = e->FirstChildElement(); child; child = child->NextSiblingElement())
      self(child, tag, self);
  };
  collect(document.RootElement(), "", collect);
  for (const Feature& f : urdfFeatures())
    if (f.treatment == Treatment::Taken)
      for (const std::string& element : wordsOf(f.elements))
        for (const std::string& item : wordsOf(f.attributes))
          CHECK_MESSAGE(present.contains({element, item}), element << " " << item);
}

TEST_CASE(
    "what is left out of a URDF is reported with its reason, what has no effect is not, what is unknown is") {
  int tried = 0;
  const auto check = [&](const std::string& element, const std::string& item, bool reported,
                         const std::string& note) {
    for (const bool attribute : {true, false}) {
      CAPTURE(element);
      CAPTURE(item);
      CAPTURE(attribute);
      tinyxml2::XMLDocument document;
      REQUIRE(document.Parse(kAll) == tinyxml2::XML_SUCCESS);
      tinyxml2::XMLElement* e = find(document.RootElement(), element);
      REQUIRE(e);
      if (attribute)
        e->SetAttribute(item.c_str(), "1");
      else
        e->InsertNewChildElement(item.c_str());
      const Report report = reportOf(printed(document));
      const std::string line = attribute ? fmt::format("attribute {} of <{}>{}", item, e->Name(), note)
                                         : fmt::format("<{}> in <{}>{}", item, e->Name(), note);
      CHECK(anyLine(report.leftOut, line) == reported);
      CHECK(report.leftOut.size() == (reported ? 1 : 0));
      ++tried;
    }
  };
  std::set<std::string> elements;
  for (const Feature& f : urdfFeatures())
    for (const std::string& element : wordsOf(f.elements)) {
      elements.insert(element);
      if (f.treatment == Treatment::Taken) continue;
      const bool leftOut = f.treatment == Treatment::LeftOut;
      for (const std::string& item : wordsOf(f.attributes))
        check(element, item, leftOut, leftOut ? fmt::format(" ({})", f.note) : "");
    }
  for (const std::string& element : elements)
    if (element != "geometry")
      check(element, "nonsense", true, "");  // which has one element, and none is left out
  CHECK(tried > 100);
}
