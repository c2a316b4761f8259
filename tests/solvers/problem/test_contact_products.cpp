#include <array>
#include <utility>
#include <vector>

#include "engine/base/math.h"
#include "solvers/problem/contact_products.h"
#include "solvers/problem/dual_problem.h"
#include "tests/support.h"

using namespace grashof;

namespace {

std::vector<const ContactProducts*> contactProductSets() {
  std::vector<const ContactProducts*> all = {&portable::kContactProducts};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) all.push_back(&avx2::kContactProducts);
#endif
  return all;
}

constexpr int kContactBodies = 4;

Mat36 randomContactJacobian(test::Random& random) {
  Mat36 j;
  for (int r = 0; r < 3; ++r) j.row(r) = random.twist().transpose();
  return j;
}

/// Contacts between two bodies, and of either side with the world.
std::vector<ContactBlock> randomContacts(test::Random& random) {
  std::vector<ContactBlock> contacts(9);
  for (int k = 0; k < static_cast<int>(contacts.size()); ++k) {
    contacts[k].row = 2 + 3 * k;
    contacts[k].bodyA = k % 3 == 1 ? -1 : k % kContactBodies;
    contacts[k].bodyB = k % 3 == 2 ? -1 : (k + 1) % kContactBodies;
    contacts[k].jacobianA = randomContactJacobian(random);
    contacts[k].jacobianB = randomContactJacobian(random);
  }
  return contacts;
}

}  // namespace

TEST_CASE(
    "velocities and wrenches of contacts are those of the plain formula, in every set of instructions") {
  for (const ContactProducts* products : contactProductSets()) {
    test::Random random(37);
    const std::vector<ContactBlock> contacts = randomContacts(random);
    std::vector<Vec6> twist(kContactBodies), wrench(kContactBodies), expected(kContactBodies);
    std::vector<double> impulse(2 + 3 * contacts.size()), velocity(impulse.size() + 1, 7.0);
    for (Vec6& u : twist) u = random.twist();
    for (double& x : impulse) x = random.uniform();
    for (int r = 0; r < 3; ++r) impulse[contacts[4].row + r] = 0.0;
    for (int b = 0; b < kContactBodies; ++b) wrench[b] = expected[b] = random.twist();
    products->velocities(viewOf(contacts), twist[0].data(), velocity.data());
    products->wrenches(viewOf(contacts), impulse.data(), wrench[0].data());
    for (const ContactBlock& contact : contacts) {
      const Vec3 lambda(&impulse[contact.row]);
      Vec3 v = Vec3::Zero();
      for (const auto& [body, jacobian] : {std::pair<int, const Mat36&>(contact.bodyA, contact.jacobianA),
                                           std::pair<int, const Mat36&>(contact.bodyB, contact.jacobianB)}) {
        if (body < 0) continue;
        v += jacobian * twist[body];
        expected[body] += jacobian.transpose() * lambda;
      }
      CHECK((Vec3(&velocity[contact.row]) - v).norm() < 1e-14);
    }
    for (int b = 0; b < kContactBodies; ++b) CHECK((wrench[b] - expected[b]).norm() < 1e-14);
    // Rows of others are left alone.
    CHECK(velocity[0] == 7.0);
    CHECK(velocity[1] == 7.0);
    CHECK(velocity.back() == 7.0);
  }
}

TEST_CASE("all sets of instructions give the same bits") {
  test::Random random(39);
  const std::vector<ContactBlock> contacts = randomContacts(random);
  std::vector<Vec6> twist(kContactBodies);
  std::vector<double> impulse(2 + 3 * contacts.size());
  for (Vec6& u : twist) u = random.twist();
  for (double& x : impulse) x = random.uniform();
  Mat3 weight;
  for (int c = 0; c < 3; ++c) weight.col(c) = random.twist().head<3>();
  const auto results = [&](const ContactProducts& products) {
    std::vector<double> all(impulse.size());
    std::vector<Vec6> wrench(kContactBodies, Vec6::Ones());
    Mat6 block = Mat6::Ones();
    products.velocities(viewOf(contacts), twist[0].data(), all.data());
    products.wrenches(viewOf(contacts), impulse.data(), wrench[0].data());
    products.condense(contacts[0].jacobianA.data(), contacts[0].jacobianB.data(), weight.data(),
                      {nullptr, nullptr, block.data(), nullptr});
    for (const Vec6& w : wrench) all.insert(all.end(), w.begin(), w.end());
    all.insert(all.end(), block.reshaped().begin(), block.reshaped().end());
    return all;
  };
  for (const ContactProducts* products : contactProductSets())
    CHECK(results(*products) == results(portable::kContactProducts));
}

TEST_CASE("a contact is condensed into the blocks that are asked for, with an unsymmetric weight") {
  for (const ContactProducts* products : contactProductSets()) {
    test::Random random(38);
    for (int asked = 0; asked < 16; ++asked) {
      const Mat36 a = randomContactJacobian(random), b = randomContactJacobian(random);
      Mat3 w;
      for (int c = 0; c < 3; ++c) w.col(c) = random.twist().head<3>();
      const std::array<Mat6, 4> exact = {a.transpose() * w * a, b.transpose() * w * b, a.transpose() * w * b,
                                         b.transpose() * w * a};
      std::array<Mat6, 4> before, block;
      for (Mat6& m : before)
        for (int c = 0; c < 6; ++c) m.col(c) = random.twist();
      block = before;
      const auto target = [&](int i) { return (asked >> i & 1) != 0 ? block[i].data() : nullptr; };
      products->condense(a.data(), b.data(), w.data(), {target(0), target(1), target(2), target(3)});
      for (int i = 0; i < 4; ++i)
        CHECK((block[i] - before[i] - (target(i) != nullptr ? exact[i] : Mat6::Zero())).norm() < 1e-13);
    }
  }
}
