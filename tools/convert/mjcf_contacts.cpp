#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "tools/convert/impedance.h"
#include "tools/convert/mjcf_features.h"
#include "tools/convert/mjcf_reader.h"

namespace grashof::convert {

using xml::Element;

namespace {

constexpr std::size_t kGroups = 32;                // of a scenario
constexpr std::size_t kMostMaterials = 80;         // more make files long, by their pairs
constexpr int kExactDigits = 9, kRoughDigits = 3;  // digits of mobilities that make materials differ
constexpr double kNotKnown = -1.0;                 // mobility

}  // namespace

void MjcfReader::readContact(Element& e, int link, Shape& shape) {
  const Filter filter{static_cast<std::uint32_t>(e.integer("contype", 1, 0)),
                      static_cast<std::uint32_t>(e.integer("conaffinity", 1, 0))};
  shape.collides = (filter.type != 0 || filter.affinity != 0) && enabled("contact");
  auto at = std::find(filters_.begin(), filters_.end(), filter);
  if (at == filters_.end()) at = filters_.insert(filters_.end(), filter);
  shape.group = static_cast<std::uint32_t>(at - filters_.begin());  // until makeGroups()
  Surface s;
  const auto friction = e.numbers("friction", {1, 2, 3});
  if (!friction.empty()) s.friction = std::max(friction[0], 0.0);
  if (friction.size() > 1) s.torsional = std::max(friction[1], 0.0);
  if (friction.size() > 2) s.rolling = std::max(friction[2], 0.0);
  s.condim = e.integer("condim", 3, 1, 6);
  s.priority = e.integer("priority", 0);
  s.mix = e.number("solmix", 1.0, xml::kNotNegative);
  s.softness = readSoftness(e, "solref", "solimp");
  s.margin = e.number("margin", 0.0);
  if (e.number("gap", 0.0) != 0.0 && shape.collides)
    Report::once(report_.assumed,
                 "gap of geoms adds to what is detected, not to what acts, as in the newest MuJoCo (in 2.x "
                 "the force began at margin - gap)");
  if (shape.collides && s.condim > 3)
    Report::once(report_.approximated,
                 "torsional and rolling friction (condim 4 and 6) have bounds apart from sliding");
  s.link = link;
  const auto known = std::find(surfaces_.begin(), surfaces_.end(), s);
  shape.material = static_cast<int>(known - surfaces_.begin());
  if (known == surfaces_.end()) surfaces_.push_back(s);
}

Shape& MjcfReader::shapeOf(const GeomPlace& geom) {
  return (geom.link < 0 ? tree_.worldShapes
                        : tree_.links[static_cast<std::size_t>(geom.link)].shapes)[geom.index];
}

bool MjcfReader::touch(const Filter& a, const Filter& b) const {
  return (a.type & b.affinity) || (b.type & a.affinity) || pairs_.contains(std::minmax(a.paired, b.paired));
}

void MjcfReader::readPair(Element& e) {
  const int a = find(kGeoms, e, "geom1"), b = find(kGeoms, e, "geom2");
  Pair pair;
  if (e.has("condim")) pair.condim = e.integer("condim", 3, 1, 6);
  const auto friction = e.numbers("friction", {1, 2, 3, 4, 5});
  if (!friction.empty()) pair.friction = std::max(friction[0], 0.0);
  if (friction.size() > 2) pair.torsional = std::max(friction[2], 0.0);
  if (friction.size() > 3) pair.rolling = std::max(friction[3], 0.0);
  if (e.has("margin")) pair.margin = e.number("margin", 0.0);
  pair.softness = {e.numbers("solref", {1, 2}), e.numbers("solimp", {1, 2, 3, 4, 5})};
  e.text("class");
  noteMjcf(e, report_);
  if (a == -2 || b == -2 || !enabled("contact")) return;
  if (a == -1 || b == -1) {
    Report::once(report_.leftOut, "contact pairs with geoms that are left out");
    return;
  }
  const auto number = [&](int geom) {
    const auto known = std::find(paired_.begin(), paired_.end(), geom);
    const int n = static_cast<int>(known - paired_.begin()) + 1;
    if (known != paired_.end()) return n;
    paired_.push_back(geom);
    Shape& shape = shapeOf(geoms_[static_cast<std::size_t>(geom)]);
    Filter filter = filters_[shape.group];
    filter.paired = n;
    shape.group = static_cast<std::uint32_t>(filters_.size());
    filters_.push_back(filter);
    Surface surface = surfaces_[static_cast<std::size_t>(shape.material)];
    surface.paired = n;
    shape.material = static_cast<int>(surfaces_.size());
    surfaces_.push_back(surface);
    shape.collides = true;
    return n;
  };
  const int first = number(a), second = number(b);
  pairs_[std::minmax(first, second)] = pair;
  const auto linkOf = [&](int geom) { return geoms_[static_cast<std::size_t>(geom)].link; };
  for (const LinkJoint& j : tree_.joints)
    if (j.parent >= 0 && std::minmax(j.parent, j.child) == std::minmax(linkOf(a), linkOf(b)))
      Report::once(report_.leftOut, "contact pairs of bodies that a joint joins");
}

std::vector<std::pair<int, Shape*>> MjcfReader::allShapes() {
  std::vector<std::pair<int, Shape*>> all;
  for (Shape& s : tree_.worldShapes) all.emplace_back(kWorldLink, &s);
  for (std::size_t i = 0; i < tree_.links.size(); ++i)
    for (Shape& s : tree_.links[i].shapes) all.emplace_back(static_cast<int>(i), &s);
  return all;
}

void MjcfReader::applyMargins() {
  if (std::none_of(surfaces_.begin(), surfaces_.end(), [](const Surface& s) { return s.margin != 0.0; }) &&
      std::none_of(pairs_.begin(), pairs_.end(), [](const auto& p) { return p.second.margin.has_value(); }))
    return;
  const std::vector<std::pair<int, Shape*>> shapes = allShapes();
  const auto surface = [&](const Shape* s) -> const Surface& {
    return surfaces_[static_cast<std::size_t>(s->material)];
  };
  std::set<double> distances;
  std::set<std::tuple<int, int, std::uint32_t, std::uint32_t>> kinds;  // link, surface, group, mask
  for (const auto& [link, s] : shapes)
    if (s->collides) kinds.insert({link, s->material, s->group, s->mask});
  for (const auto& a : kinds)
    for (const auto& b : kinds) {
      const auto& [linkA, first, groupA, maskA] = a;
      const auto& [linkB, second, groupB, maskB] = b;
      if (linkA >= linkB || !(groupA & maskB) || !(groupB & maskA)) continue;
      const Surface &sa = surfaces_[static_cast<std::size_t>(first)],
                    &sb = surfaces_[static_cast<std::size_t>(second)];
      const auto pair = pairs_.find(std::minmax(sa.paired, sb.paired));
      const double sum = sa.margin + sb.margin;
      distances.insert(pair == pairs_.end() ? sum : pair->second.margin.value_or(sum));
    }
  int grown = 0;
  double lost = 0.0;
  if (distances.size() == 1) {
    tree_.contactDistance = *distances.begin();
  } else {
    for (const auto& [link, s] : shapes) {
      const double margin = s->collides ? surface(s).margin : 0.0;
      if (margin == 0.0) continue;
      const bool round = s->type == ShapeType::Sphere || s->type == ShapeType::Capsule;
      if (s->type == ShapeType::Plane)
        s->pose.position += margin * (s->pose.rotation * Vec3::UnitZ());
      else if (round && s->radius + margin > 0.0)
        s->radius += margin;
      else
        lost = std::max(lost, std::abs(margin));
      grown += s->type == ShapeType::Plane || round ? 1 : 0;
    }
  }
  if (grown > 0)
    report_.approximated.push_back(fmt::format(
        "margins of {} planes, spheres and capsules by their size: they touch where they did", grown));
  if (lost > 0.0)
    report_.leftOut.push_back(fmt::format(
        "margins of other geoms, of which pairs differ: their contacts act up to {:g} m later", lost));
  for (Surface& s : surfaces_) s.margin = 0.0;
}

void MjcfReader::makeGroups() {
  std::vector<Shape*> shapes;
  for (const auto& [link, s] : allShapes()) shapes.push_back(s);
  std::vector<bool> present(filters_.size(), false);
  for (const Shape* s : shapes) present[s->group] = present[s->group] || s->collides;
  // Filters that touch the same ones are one group.
  std::map<std::vector<bool>, std::size_t> groups;
  std::vector<std::size_t> groupOf(filters_.size(), 0);
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    std::vector<bool> touched(filters_.size(), false);
    for (std::size_t k = 0; k < filters_.size(); ++k)
      touched[k] = present[i] && present[k] && touch(filters_[i], filters_[k]);
    groupOf[i] = groups.try_emplace(touched, groups.size()).first->second;
  }
  if (groups.size() > kGroups)
    Report::once(report_.approximated,
                 fmt::format("{} kinds of contype and conaffinity in {} groups: the rarest touch too much",
                             groups.size(), kGroups));
  const auto bit = [&](std::size_t filter) { return 1u << std::min(groupOf[filter], kGroups - 1); };
  std::vector<std::uint32_t> masks(filters_.size(), 0);
  for (std::size_t i = 0; i < filters_.size(); ++i)
    for (std::size_t k = 0; k < filters_.size(); ++k)
      if (touch(filters_[i], filters_[k])) masks[i] |= bit(k);
  if (groups.size() > kGroups)
    for (std::size_t i = 0; i < filters_.size(); ++i)
      for (std::size_t k = 0; k < filters_.size(); ++k)
        if (bit(i) == bit(k)) masks[i] |= masks[k];
  for (Shape* s : shapes) {
    const std::size_t filter = s->group;
    s->group = bit(filter);
    s->mask = masks[filter];
    s->collides = s->collides && s->mask != 0;
  }
}

void MjcfReader::joinSurfaces() {
  const auto rounded = [](double x, int digits) {
    if (digits == 0) return kNotKnown;
    if (!(x > 0.0)) return 0.0;
    const double unit = std::pow(10.0, std::floor(std::log10(x)) + 1.0 - digits);
    return std::round(x / unit) * unit;
  };
  std::vector<bool> counts(surfaces_.size(), false);
  const auto mark = [&](const Shape& s) {
    counts[static_cast<std::size_t>(s.material)] = counts[static_cast<std::size_t>(s.material)] || s.collides;
  };
  for (const Shape& s : tree_.worldShapes) mark(s);
  for (const Link& link : tree_.links)
    for (const Shape& s : link.shapes) mark(s);
  std::vector<std::size_t> place(surfaces_.size());
  std::vector<Surface> joined;
  const auto join = [&](int digits) {  // of the mobility; 0: it does not count
    joined.clear();
    for (std::size_t i = 0; i < surfaces_.size(); ++i) {
      Surface s = counts[i] ? surfaces_[i] : Surface{};
      s.link = kWorldLink;
      s.mobility = rounded(s.mobility, digits);
      const auto known = std::find(joined.begin(), joined.end(), s);
      place[i] = static_cast<std::size_t>(known - joined.begin());
      if (known == joined.end()) joined.push_back(s);
    }
  };
  join(kExactDigits);
  if (joined.size() > kMostMaterials) join(kRoughDigits);
  if (joined.size() > kMostMaterials) {
    join(0);
    Report::once(report_.approximated,
                 "softness of contacts refers to the inertia of the bodies alone (they are too many)");
  }
  surfaces_ = joined;
  const auto move = [&](Shape& s) {
    s.material = static_cast<int>(place[static_cast<std::size_t>(s.material)]);
  };
  for (Shape& s : tree_.worldShapes) move(s);
  for (Link& link : tree_.links)
    for (Shape& s : link.shapes) move(s);
}

/// condim 1: without friction; from 4 on with torsional, from 6 on with rolling friction.
SurfacePair MjcfReader::surfaceOf(const Surface& s, const Softness& softness) {
  SurfacePair pair;
  pair.friction = s.condim == 1 ? 0.0 : s.friction;
  pair.torsionalFriction = s.condim >= 4 ? s.torsional : 0.0;
  pair.rollingFriction = s.condim >= 6 ? s.rolling : 0.0;
  pair.softness = softness;
  return pair;
}

/// Of a pyramid all edges yield alike, by a rule that depends on the friction: 2 μ²/impratio of what yields
/// along the normal and a tangent together, over the 2 (condim - 1) edges that carry the normal force.
double MjcfReader::yieldOf(const Surface& s) const {
  if (elliptic_ || s.condim == 1) return 1.0;
  return pyramidRatio(s.friction, s.condim) * (1.0 + s.friction * s.friction) / impedanceRatio_;
}

double MjcfReader::ratioOf(const Surface& s) const {
  if (s.condim == 1) return 1.0;
  return elliptic_ ? impedanceRatio_ : pyramidRatio(s.friction, s.condim);
}

void MjcfReader::makeSurfaces() {
  if (surfaces_.empty()) surfaces_.push_back({});
  const std::size_t n = surfaces_.size();
  const auto softnessBetween = [&](const Surface& a, const Surface& b, const Surface& both) {
    Softness softness = softnessOf(both.softness);
    softness.impedanceRatio = ratioOf(both);
    if (a.mobility == kNotKnown) return scaledImpedance(softness, yieldOf(both));
    softness.mobility = yieldOf(both) * (a.mobility + b.mobility);  // 0: turns about its centre, or stands
    return softness;
  };
  for (std::size_t i = 0; i < n; ++i) {
    const Surface& s = surfaces_[i];
    const SurfacePair own = surfaceOf(s, softnessBetween(s, s, s));
    std::string name = i == 0 ? "default" : fmt::format("friction-{:g}", s.friction);
    if (std::any_of(tree_.materials.begin(), tree_.materials.end(),
                    [&](const Material& m) { return m.name == name; }))
      name += fmt::format("-{}", i + 1);
    tree_.materials.push_back({name, 1000.0, own});
  }
  // Of two surfaces the one of higher priority counts; else the larger friction and dimension do, and the
  // softness is mixed.
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = i + 1; k < n; ++k) {
      const Surface &a = surfaces_[i], &b = surfaces_[k];
      const double sum = a.mix + b.mix;
      Surface pair = a.priority >= b.priority ? a : b;
      if (a.priority == b.priority) {
        pair.friction = std::max(a.friction, b.friction);
        pair.torsional = std::max(a.torsional, b.torsional);
        pair.rolling = std::max(a.rolling, b.rolling);
        pair.condim = std::max(a.condim, b.condim);
        pair.softness = mixed(a.softness, b.softness, sum > 0.0 ? a.mix / sum : 0.5);
      }
      const auto given = pairs_.find(std::minmax(a.paired, b.paired));
      if (given != pairs_.end()) {
        const Pair& p = given->second;
        pair.friction = p.friction.value_or(pair.friction);
        pair.torsional = p.torsional.value_or(pair.torsional);
        pair.rolling = p.rolling.value_or(pair.rolling);
        pair.condim = p.condim.value_or(pair.condim);
        std::copy(p.softness[0].begin(), p.softness[0].end(), pair.softness.reference.begin());
        std::copy(p.softness[1].begin(), p.softness[1].end(), pair.softness.impedance.begin());
      }
      tree_.surfaces[{static_cast<int>(i), static_cast<int>(k)}] =
          surfaceOf(pair, softnessBetween(a, b, pair));
    }
}

}  // namespace grashof::convert
