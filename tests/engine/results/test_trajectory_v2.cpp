#include "engine/base/error.h"
#include "engine/results/hdf5_file.h"
#include "engine/results/trajectory.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// Two records of a body on a revolute joint with a spring, as version 0.2 wrote them.
struct OldFile {
  std::vector<int> coordinateStart{0, 1}, loadJoint{0, 0};

  void write(const std::string& path) const {
    Hdf5Writer file(path);
    file.attribute("format", "grashof-trajectory");
    file.attribute("version", 2.0);
    file.attribute("model", "swing");
    file.attribute("timestep", 1e-3);
    file.texts("bodies/names", {"bob"});
    file.texts("joints/names", {"pin"});
    file.texts("joints/types", {"revolute"});
    file.integers("joints/coordinate_start", coordinateStart);
    file.integers("joints/load_joint", loadJoint);
    file.texts("joints/load_cause", {"constraint", "spring"});
    file.texts("couplings/names", {});
    const auto add = [&](const char* name, hsize_t width, const std::vector<double>& rows) {
      Hdf5Writer::Series(file, name, H5T_NATIVE_DOUBLE, {width}, 4).append(rows.data(), 2);
    };
    add("time", 1, {0.0, 0.1});
    add("bodies/pose", 7, {1, 2, 3, 1, 0, 0, 0, 4, 5, 6, 1, 0, 0, 0});
    add("bodies/twist", 6, {3, 0, 4, 0, 1, 0, 0, 0, 0, 0, 2, 0});
    add("joints/coordinates", 1, {0.5, 0.6});
    add("joints/effort", 1, {7.0, 8.0});
    add("joints/reaction", 6, {2, 3, 6, 0, 0, 0, 0, 0, 0, 1, 1, 1});
    add("joints/load", 12, {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0});
    add("energy", 5, {1, 2, 3, 6, 0, 1, 2, 3, 6, 0});
    add("residuals", 4, {0, 0, 0, 0, 0, 0, 0, 0});
    add("solver", 4, {1, 1, 0, 0, 1, 1, 0, 0});
    add("joints/redundant", 1, {0.0, 5.0});  // force.x and force.z
    add("joints/effort_redundant", 1, {0.0, 0.0});
    add("contacts/count", 1, {0.0, 1.0});
    const auto addContact = [&](const char* name, hsize_t width, const std::vector<double>& row) {
      Hdf5Writer::Series(file, name, H5T_NATIVE_DOUBLE, {width}, 4).append(row.data(), 1);
    };
    addContact("contacts/bodies", 2, {-1, 0});
    addContact("contacts/point", 3, {1, 0, 0});
    addContact("contacts/force", 3, {0, 0, 10});
    addContact("contacts/normal_force", 1, {10});
    file.flush();
  }
};

}  // namespace

TEST_CASE("a file of version 2 is read with the channels that it had, and their units") {
  const test::ScratchFolder folder;
  OldFile().write(folder.path("old.h5"));
  const Trajectory old(folder.path("old.h5"));
  REQUIRE(old.records() == 2);
  using Values = std::vector<double>;
  CHECK(old.series("body.bob.position.y") == Values{2, 5});
  CHECK(old.series("body.bob.speed") == Values{5, 0});
  CHECK(old.series("joint.pin.angle") == Values{0.5, 0.6});
  CHECK(old.series("joint.pin.effort.0") == Values{7, 8});
  CHECK(old.series("joint.pin.reaction") == Values{7, 0});
  CHECK(old.series("joint.pin.spring.moment.y") == Values{9, 8});
  CHECK(old.series("contact.world.bob.normal") == Values{0, 10});
  CHECK(old.series("contact.world.bob.center.x") == Values{0, 1});
  CHECK(old.unit("joint.pin.q.0") == "rad");
  CHECK(old.unit("joint.pin.effort.0") == "N m");
  CHECK(old.redundant("joint.pin.force.z"));
  CHECK(old.redundant("joint.pin.reaction"));
  CHECK_FALSE(old.redundant("joint.pin.force.y"));
  CHECK(old.pose(1, 0).position == Vec3(4, 5, 6));
  for (const std::string& channel : old.channels()) CHECK(old.series(channel).size() == 2);
}

TEST_CASE("a file of version 2 whose names do not fit each other is refused") {
  const test::ScratchFolder folder;
  const std::string path = folder.path("old.h5");
  for (const std::vector<int>& wrong : {std::vector<int>{0}, {0, -1}, {0, 2147483647}, {1, 2}, {0, 7}}) {
    OldFile file;
    file.coordinateStart = wrong;
    file.write(path);
    CHECK_THROWS_WITH_AS(Trajectory{path}, doctest::Contains("coordinate"), InputError);
  }
  OldFile file;
  file.loadJoint = {0, 1};
  file.write(path);
  CHECK_THROWS_WITH_AS(Trajectory{path}, doctest::Contains("load_joint"), InputError);
}
