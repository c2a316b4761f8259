#include "contacts/contact_cache.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("impulses follow their contact as the body moves, and strangers get none") {
  std::vector<Pose> poses = {Pose{Vec3(0, 0, 0.1), Quat::Identity()}};
  std::vector<Contact> contacts(4);
  std::vector<Vec3> impulse(4);
  for (int i = 0; i < 4; ++i) {
    contacts[i].shapeB = 1;
    contacts[i].bodyB = 0;
    contacts[i].point = Vec3(i % 2, i / 2, 0.0);
    impulse[i] = Vec3(0, 0, i + 1.0);
  }
  ContactCache cache;
  cache.store(contacts, poses, impulse);
  // The body moves by 3 m and turns; its contacts come back in another order.
  const Pose moved{Vec3(3, 0, 0.1), Quat(Eigen::AngleAxisd(1.0, Vec3::UnitZ()))};
  std::vector<Contact> later = {contacts[2], contacts[0], contacts[3], contacts[1]};
  for (Contact& c : later) c.point = moved * (poses[0].inverse() * c.point) + Vec3(1e-3, 0, 0);
  later.push_back(later[0]);
  later.back().shapeB = 2;
  std::vector<Vec3> found;
  cache.recall(later, {&moved, 1}, 0.02, found);
  REQUIRE(found.size() == 5);
  for (int i = 0; i < 4; ++i) CHECK(found[i].z() == (std::array{3.0, 1.0, 4.0, 2.0})[i]);
  CHECK(found[4].isZero());
  cache.recall(later, {&moved, 1}, 1e-4, found);
  CHECK(found[0].isZero());
  cache.clear();
  cache.recall(later, {&moved, 1}, 0.02, found);
  CHECK(found[0].isZero());
}
