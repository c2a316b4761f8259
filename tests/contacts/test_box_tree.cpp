#include <algorithm>
#include <vector>

#include "contacts/box_tree.h"
#include "tests/support.h"

using namespace grashof;

namespace {

std::vector<PieceBounds> randomPieces(test::Random& random, int count) {
  std::vector<PieceBounds> pieces;
  for (int i = 0; i < count; ++i) {
    const Vec3 center = random.vector(1.0), half = 0.2 * (random.vector(0.5).array() + 0.6);
    pieces.push_back({center - half, center + half});
  }
  return pieces;
}

bool holds(const PieceBounds& box, const Vec3& x) {
  return (x.array() >= box.low.array()).all() && (x.array() <= box.high.array()).all();
}

}  // namespace

TEST_CASE("two trees find every pair of boxes that share a point, each once, and few others") {
  test::Random random(5);
  const auto a = randomPieces(random, 80), b = randomPieces(random, 50);
  const BoxTree of(a), with(b);
  BoxTree::Stack stack;
  for (int trial = 0; trial < 10; ++trial) {
    const Pose pose = random.pose(0.5);
    std::vector<std::pair<int, int>> pairs;
    of.overlaps(with, pose, stack, pairs);
    std::sort(pairs.begin(), pairs.end());
    CHECK(std::adjacent_find(pairs.begin(), pairs.end()) == pairs.end());
    CHECK(pairs.size() < a.size() * b.size() / 4);
    int shared = 0;
    for (int j = 0; j < 50; ++j)
      for (int k = 0; k < 20; ++k) {
        const PieceBounds& box = b[static_cast<std::size_t>(j)];
        const Vec3 x = pose * Vec3(box.center() + box.half().cwiseProduct(random.vector(1.0)));
        for (int i = 0; i < 80; ++i) {
          if (!holds(a[static_cast<std::size_t>(i)], x)) continue;
          ++shared;
          CHECK(std::binary_search(pairs.begin(), pairs.end(), std::pair(i, j)));
        }
      }
    CHECK(shared > 10);
  }
}

TEST_CASE("a tree finds the boxes that reach below a plane, and no others") {
  test::Random random(6);
  const auto pieces = randomPieces(random, 100);
  const BoxTree tree(pieces);
  BoxTree::Stack stack;
  for (int trial = 0; trial < 20; ++trial) {
    const Vec3 n = random.vector(1.0).normalized();
    const double offset = random.uniform(-0.8, 0.8);
    std::vector<std::pair<int, int>> found;
    tree.below(n, offset, stack, found);
    std::vector<bool> below(pieces.size(), false);
    for (const auto& [piece, plane] : found) below[static_cast<std::size_t>(piece)] = true;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      double lowest = 1e9;
      for (int corner = 0; corner < 8; ++corner) {
        Vec3 x;
        for (int k = 0; k < 3; ++k) x[k] = (corner >> k & 1) ? pieces[i].high[k] : pieces[i].low[k];
        lowest = std::min(lowest, n.dot(x));
      }
      CHECK(below[i] == (lowest <= offset));
    }
  }
}
