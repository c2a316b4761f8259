// Every element and attribute of SDF is taken, has no effect, or is reported: as the table says that the
// reader and the documentation share.
#include <fstream>
#include <set>

#include "tests/tools/sdf_support.h"
#include "tools/convert/sdf_features.h"

#ifdef GRASHOF_SDF
#include <sdf/sdf.hh>
#endif

using namespace grashof;
using namespace grashof::convert;
using test::anyLine, test::fromSdfText;

TEST_CASE("the documentation has the table of SDF that the reader follows") {
  std::ifstream file(test::sourceFolder() + "/assets/formats.md");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::string table = featureTable(sdfFeatures());
  const bool same = text.find(table) != std::string::npos;
  if (!same) MESSAGE("the table to put into assets/formats.md:\n" << table);
  CHECK(same);
}

#ifdef GRASHOF_SDF

namespace {

const Feature* rowOf(const std::string& parent, const std::string& tag, const std::string& item) {
  const Feature* row = findFeature(sdfFeatures(), parent + "/" + tag, item);
  return row ? row : findFeature(sdfFeatures(), tag, item);
}

/// Counts the items of the specification below an element; those without a row fail.
void checkRows(const sdf::ElementPtr& e, const std::string& parent, std::set<std::string>& seen, int& rows) {
  const std::string tag = e->GetName();
  if (!seen.insert(parent + "/" + tag).second) return;
  for (const sdf::ParamPtr& a : e->GetAttributes()) {
    CHECK_MESSAGE(rowOf(parent, tag, a->GetKey()), tag << " " << a->GetKey());
    ++rows;
  }
  for (std::size_t i = 0; i < e->GetElementDescriptionCount(); ++i) {
    const sdf::ElementPtr child = e->GetElementDescription(static_cast<unsigned>(i));
    const Feature* row = rowOf(parent, tag, child->GetName());
    CHECK_MESSAGE(row, parent << "/" << tag << " " << child->GetName());
    ++rows;
    if (row && row->treatment == Treatment::Taken) checkRows(child, tag, seen, rows);
  }
}

}  // namespace

TEST_CASE("the table of SDF has all that the specification has") {
  const sdf::SDFPtr specification(new sdf::SDF());
  sdf::init(specification);
  std::set<std::string> seen;
  int rows = 0;
  checkRows(specification->Root(), "", seen, rows);
  CHECK(rows > 150);
}

TEST_CASE("what is left out of an SDF is reported with its reason, what has no effect is not") {
  const std::string inertial =
      "<inertial><mass>1</mass><inertia><ixx>1</ixx><ixy>0</ixy><ixz>0</ixz><iyy>1</iyy><iyz>0</iyz><izz>1</"
      "izz>"
      "</inertia></inertial>";
  const auto made = fromSdfText(
      "<world name='w'><wind><linear_velocity>1 0 0</linear_velocity></wind><plugin name='p' filename='f'/>"
      "<scene><grid>false</grid></scene><model name='m'><allow_auto_disable>false</allow_auto_disable>"
      "<enable_wind>true</enable_wind><plugin name='p' filename='f'/><link name='a'>" +
      inertial +
      "<kinematic>true</kinematic><velocity_decay><linear>0.1</linear></velocity_decay><sensor name='s' "
      "type='imu'/>"
      "<light name='i' type='point'/><nonsense>3</nonsense>"
      "<collision "
      "name='c'><laser_retro>1</laser_retro><geometry><sphere><radius>1</radius></sphere></geometry>"
      "<surface><bounce><threshold>3</threshold></bounce><friction><ode><slip1>0.1</slip1></ode><torsional>"
      "<coefficient>0.5</coefficient></torsional></friction><contact><poissons_ratio>0.4</poissons_ratio></"
      "contact></"
      "surface>"
      "</collision><collision name='h'><geometry><heightmap><uri>u</uri></heightmap></geometry></collision>"
      "<collision name='p'><geometry><plane><normal>0 0 1</normal></plane></geometry></collision></link>"
      "<joint name='j' type='revolute'><parent>world</parent><child>a</child><axis><xyz>0 0 1</xyz><limit>"
      "<effort>5</effort><velocity>3</velocity><stiffness>100</stiffness></limit></axis><physics><ode>"
      "<cfm>0.1</cfm></ode><simbody><must_be_loop_joint>1</must_be_loop_joint></simbody></physics></joint></"
      "model>"
      "</world>");
  for (const char* line :
       {"wind of <world> (no fluid)", "plugin of <world> (plugins are not run)", "enable_wind of <model>",
        "plugin of <model>", "kinematic of <link>", "velocity_decay of <link> (no drag)", "sensor of <link>",
        "nonsense of <link>", "threshold of <bounce>", "slip1 of <ode>", "torsional of <friction>",
        "poissons_ratio of <contact>", "heightmap of <geometry>", "(only what is static has planes)",
        "effort and velocity limits of 1 joints without a motor: m::j", "stiffness of <limit>",
        "ode of <physics> (joints and limits are rigid)"})
    CHECK_MESSAGE(anyLine(made.report.leftOut, line), std::string(line));
  for (const char* word :
       {"scene", "allow_auto_disable", "light", "laser_retro", "simbody", "radius", "mass"})
    CHECK_MESSAGE(!anyLine(made.report.leftOut, word), std::string(word));
}

TEST_CASE("an element that says what holds without it is not reported") {
  const auto made = fromSdfText(
      "<model name='m'><enable_wind>false</enable_wind><link name='a'><kinematic>0</kinematic></link><joint "
      "name='j' "
      "type='revolute'><parent>world</parent><child>a</child><axis><xyz>0 0 "
      "1</xyz><limit><effort>-1</effort></limit>"
      "</axis></joint></model>");
  for (const std::string& line : made.report.leftOut) FAIL_CHECK(line);
}

#endif
