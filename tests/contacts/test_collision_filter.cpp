#include <algorithm>

#include "contacts/collision_filter.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// The rule of the filter in plain words.
bool judged(const Shape& a, const Shape& b, const std::vector<ExcludedPair>& excluded, bool wanted) {
  if (!a.collides || !b.collides || a.body == b.body) return false;
  if ((a.group & b.mask) == 0 || (b.group & a.mask) == 0) return false;
  const auto in = [](const Shape& s, const ShapeSet& set) {
    return s.body == set.body && (set.link.empty() || set.link == s.link);
  };
  const bool never = std::any_of(excluded.begin(), excluded.end(), [&](const ExcludedPair& p) {
    return (in(a, p.a) && in(b, p.b)) || (in(a, p.b) && in(b, p.a));
  });
  return never == wanted;
}

}  // namespace

TEST_CASE("a pair of shapes touches unless an exclusion names the bodies or links of both") {
  test::forAll(17, 40, [](test::Random& random, int) {
    const auto pick = [&](int count) { return static_cast<int>(random.uniform(0.0, count - 1e-9)); };
    const auto someLink = [&] { return std::vector<std::string>{"", "p", "q", "r"}[pick(4)]; };
    std::vector<Shape> shapes(30);
    for (Shape& s : shapes) {
      s.body = pick(5) - 1;
      s.link = someLink();
      s.collides = pick(8) > 0;
      s.group = 1u << pick(2);
      if (pick(4) == 0) s.mask = 1;
    }
    std::vector<ExcludedPair> excluded;
    for (int i = pick(6); i > 0; --i)
      excluded.emplace_back(ShapeSet{pick(5) - 1, someLink()}, ShapeSet{pick(5) - 1, someLink()});
    const CollisionFilter touching(shapes, excluded);
    const CollisionFilter never(shapes, excluded, CollisionFilter::Wanted::Excluded);
    for (int i = 0; i < 30; ++i)
      for (int j = 0; j < 30; ++j) {
        const Shape &a = shapes[static_cast<std::size_t>(i)], &b = shapes[static_cast<std::size_t>(j)];
        CHECK(touching.mayTouch(i, j) == judged(a, b, excluded, false));
        CHECK(never.mayTouch(i, j) == judged(a, b, excluded, true));
      }
  });
}
