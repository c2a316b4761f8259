#include <set>

#include "contacts/broad_phase.h"
#include "tests/support.h"

using namespace grashof;

namespace {

struct RandomBox {
  Vec3 low, high;
  explicit RandomBox(test::Random& random) {
    const Vec3 center = random.vector(), half = random.vector(0.15).cwiseAbs();
    low = center - half;
    high = center + half;
  }
  bool overlaps(const RandomBox& other) const {
    return (low.array() <= other.high.array()).all() && (other.low.array() <= high.array()).all();
  }
};

}  // namespace

TEST_CASE("pairs are those of boxes that overlap and may meet, in order, whatever was placed before") {
  test::forAll(72, 20, [](test::Random& random, int) {
    constexpr int kBoxes = 120, kFixed = 30;  // the first ones
    const auto mayMeet = [](int i, int j) {
      return i != j && (i + j) % 7 != 0 && (i >= kFixed || j >= kFixed);
    };
    BroadPhase broad(mayMeet);
    broad.resize(kBoxes);
    std::vector<RandomBox> boxes;
    for (int i = 0; i < kBoxes; ++i) boxes.emplace_back(random);
    for (int round = 0; round < 8; ++round) {
      for (int i = 0; i < kBoxes; ++i) {
        if (round > 0 && (i < kFixed || random.uniform() < 0.3)) continue;
        boxes[i] = RandomBox(random);
        broad.place(i, toBullet(boxes[i].low), toBullet(boxes[i].high));
      }
      broad.update();
      std::vector<std::pair<int, int>> wanted, found;
      for (int i = 0; i < kBoxes; ++i)
        for (int j = i + 1; j < kBoxes; ++j)
          if (mayMeet(i, j) && boxes[i].overlaps(boxes[j])) wanted.emplace_back(i, j);
      for (const NearPair& pair : broad.pairs()) found.emplace_back(pair.a, pair.b);
      CHECK(found == wanted);
      CHECK(!wanted.empty());
    }
  });
}

TEST_CASE("a pair that stays keeps what is known of it; one that parts and meets again does not") {
  BroadPhase broad([](int, int) { return true; });
  broad.resize(3);
  const auto put = [&](int shape, double x) {
    broad.place(shape, btVector3(x, 0, 0), btVector3(x + 1, 1, 1));
    broad.update();
  };
  for (const int shape : {0, 1, 2}) put(shape, 0.5 * shape);
  REQUIRE(broad.pairs().size() == 3);
  for (NearPair& pair : broad.pairs()) pair.clear = 10.0 * pair.a + pair.b;
  put(1, 0.6);
  REQUIRE(broad.pairs().size() == 3);
  for (const NearPair& pair : broad.pairs()) CHECK(pair.clear == 10.0 * pair.a + pair.b);
  put(2, 5.0);
  REQUIRE(broad.pairs().size() == 1);
  put(2, 1.0);
  REQUIRE(broad.pairs().size() == 3);
  CHECK(broad.pairs()[0].clear == 1.0);
  CHECK(broad.pairs()[1].clear < -1e300);
  CHECK(broad.pairs()[2].clear < -1e300);
}

TEST_CASE("boxes that lie apart are never asked whether they may meet, at the start neither") {
  long asked = 0;
  BroadPhase broad([&](int, int) { return ++asked > 0; });
  broad.resize(4000);
  for (int i = 0; i < 4000; ++i) {
    const btVector3 low(3 * (i % 20), 3 * (i / 20 % 20), 3 * (i / 400));
    broad.place(i, low, low + btVector3(1, 1, 1));
  }
  broad.update();
  CHECK(asked == 0);
  CHECK(broad.pairs().empty());
}
