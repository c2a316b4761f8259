#include <set>

#include "joints/joint_type.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("directions follow the order of a twist: three translations, then three rotations") {
  const Direction all[] = {Direction::Tx, Direction::Ty, Direction::Tz,
                           Direction::Rx, Direction::Ry, Direction::Rz};
  for (int i = 0; i < 6; ++i) {
    CHECK(index(all[i]) == i);
    CHECK(isRotation(all[i]) == (i >= 3));
    CHECK(axisOf(all[i]) == i % 3);
  }
}

TEST_CASE("a type is found by its name, and by no other") {
  std::set<std::string_view> names;
  for (const JointType* type : jointTypes()) {
    CHECK(findJointType(type->name()) == type);
    names.insert(type->name());
  }
  CHECK(names.size() == jointTypes().size());
  CHECK(findJointType("Revolute") == nullptr);
  CHECK(findJointType("") == nullptr);
}

TEST_CASE("coordinates that can jump are components of rotation vectors, Euler angles, and an azimuth") {
  const auto jumping = [](std::string_view name) {
    const JointType& type = *findJointType(name);
    std::string which;
    for (int i = 0; i < type.numDofs(); ++i) which += type.canJump(i) ? std::to_string(i) : "";
    return which;
  };
  CHECK(jumping("revolute").empty());
  CHECK(jumping("universal").empty());
  CHECK(jumping("cylindrical").empty());
  CHECK(jumping("spherical") == "012");
  CHECK(jumping("gimbal") == "012");
  CHECK(jumping("free") == "345");
  CHECK(jumping("distance") == "0234");  // not the elevation
}

TEST_CASE("angles about one axis count whole turns; Euler angles and rotation vectors do not") {
  const auto anglesOf = [](std::string_view name) {
    const JointType& type = *findJointType(name);
    int count = 0;
    for (int i = 0; i < type.numDofs(); ++i) count += type.isAngle(i);
    return count;
  };
  CHECK(anglesOf("revolute") == 1);
  CHECK(anglesOf("prismatic") == 0);
  CHECK(anglesOf("cylindrical") == 1);
  CHECK(anglesOf("universal") == 2);
  CHECK(anglesOf("planar") == 1);
  CHECK(anglesOf("distance") == 1);  // the azimuth
  for (const char* name : {"cartesian", "gimbal", "spherical", "point-on-line", "point-on-plane", "free"})
    CHECK(anglesOf(name) == 0);
}
