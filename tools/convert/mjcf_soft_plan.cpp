#include "tools/convert/mjcf_soft_plan.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "contacts/collision_filter.h"
#include "engine/base/error.h"
#include "tools/convert/formats.h"
#include "tools/convert/impedance.h"
#include "tools/convert/mjcf_writer.h"

namespace grashof::convert {
namespace {

using ShapePair = std::pair<std::size_t, std::size_t>;

constexpr double kAlike = 1e-9;        // relative, of numbers that came through the file
constexpr double kSameInertia = 1e-6;  // relative: what counts the same inertia needs no conversion
constexpr double kLeastWritten = 2e-4,
                 kMostWritten = 0.9998;  // of an impedance in a file, inside of MuJoCo's bounds
constexpr std::size_t kMostPairs = 300, kMostPaired = 40, kMostShapes = 2000;

bool impeded(const Softness& s) { return s.kind == Softness::Kind::Impedance; }

bool alike(double a, double b) { return std::abs(a - b) <= kAlike * std::max(std::abs(a), std::abs(b)); }

double yieldOf(double impedance) { return (1.0 - impedance) / impedance; }

/// How `read` yields, over `written`.
double shareOf(const Softness& read, const Softness& written) {
  return yieldOf(read.impedanceWidth) / yieldOf(written.impedanceWidth);
}

bool alike(const Softness& a, const Softness& b) {
  return alike(yieldOf(a.impedance0), yieldOf(b.impedance0)) &&
         alike(yieldOf(a.impedanceWidth), yieldOf(b.impedanceWidth)) && alike(a.width, b.width) &&
         alike(a.midpoint, b.midpoint) && alike(a.power, b.power) && alike(a.timeConstant, b.timeConstant) &&
         alike(a.dampingRatio, b.dampingRatio) && alike(a.impedanceRatio, b.impedanceRatio);
}

/// Points of a shape at which it usually touches, without the radius of round ones; in its body's CoM frame.
std::vector<Vec3> touchingPoints(const Shape& s) {
  std::vector<Vec3> points;
  const auto corners = [&](const Vec3& half) {
    for (int i = 0; i < 8; ++i)
      points.push_back(
          s.pose * Vec3(i & 1 ? half[0] : -half[0], i & 2 ? half[1] : -half[1], i & 4 ? half[2] : -half[2]));
  };
  switch (s.type) {
    case ShapeType::Box:
      corners(0.5 * s.size);
      break;
    case ShapeType::Ellipsoid:
      corners(s.size / std::sqrt(3.0));
      break;
    case ShapeType::Capsule:
      corners(Vec3(0.0, 0.0, 0.5 * s.length));
      break;
    case ShapeType::Cylinder:
      corners(Vec3(s.radius / std::sqrt(2.0), s.radius / std::sqrt(2.0), 0.5 * s.length));
      break;
    case ShapeType::Hull:
      for (const Vec3& v : s.mesh->vertices) points.push_back(s.pose * v);
      break;
    default:
      points.push_back(s.pose.position);
  }
  return points;
}

/// How each body alone gives way where its shapes touch, the mean of all places and directions, 1/kg.
std::vector<double> mobilitiesAtContacts(const Model& model) {
  std::vector<double> sums(model.bodies.size(), 0.0);
  std::vector<int> counts(model.bodies.size(), 0);
  for (const Shape& s : model.shapes) {
    if (!s.collides || s.body < 0) continue;
    const auto body = static_cast<std::size_t>(s.body);
    for (const Vec3& p : touchingPoints(s)) {
      const Mat3 arm = skew(p);
      sums[body] += (arm.transpose() * model.bodies[body].inverseInertia * arm).trace() / 3.0;
      ++counts[body];
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i)
    sums[i] = 1.0 / model.bodies[i].mass + (counts[i] > 0 ? sums[i] / counts[i] : 0.0);
  return sums;
}

/// The materials of shapes that collide.
std::set<int> materialsOf(const Model& model) {
  std::set<int> used;
  for (const Shape& shape : model.shapes)
    if (shape.collides) used.insert(shape.material);
  return used;
}

class SoftPlanner {
 public:
  SoftPlanner(const Scenario& scenario, const std::string& path)
      : scenario_(scenario),
        model_(*scenario.model),
        path_(path),
        filter_(model_.shapes, model_.exclusions),
        hard_(asHardAsMayBe(model_.step.timestep)),
        touching_(mobilitiesAtContacts(model_)) {
    for (const Shape& shape : model_.shapes) {
      const Softness& own = ownOf(shape);
      plan_.shapes.push_back(impeded(own) ? own : hard_);
      plan_.mix.push_back(impeded(own) ? 1.0 : 0.0);
    }
    if (std::none_of(plan_.mix.begin(), plan_.mix.end(), [](double mix) { return mix > 0.0; }))
      std::fill(plan_.mix.begin(), plan_.mix.end(), 1.0);
  }

  SoftPlan plan() {
    if (!matters()) return std::move(plan_);
    try {
      fit();
    } catch (const InputError&) {
      // What cannot be read back keeps the numbers of the scenario.
    }
    return std::move(plan_);
  }

 private:
  const Softness& ownOf(const Shape& shape) const {
    return model_.surface(shape.material, shape.material).softness;
  }
  bool matters() const;
  /// Cones whose tangents yield as in the scenario: pyramids where all do by their rule.
  void chooseCones();
  void useCones();
  void fit();
  void readBack();
  /// False where MuJoCo's bounds leave one out.
  bool fitShapes();
  void fitPairs();
  void fitRows();
  /// What the file gives two shapes; its impedance is brought to the inertia that the scenario's counts.
  SurfacePair read(std::size_t a, std::size_t b) const;
  double touching(int body) const { return body < 0 ? 0.0 : touching_[static_cast<std::size_t>(body)]; }
  SurfacePair wanted(std::size_t a, std::size_t b) const;
  bool differs(std::size_t a, std::size_t b) const;
  std::vector<ShapePair> different() const;
  void tellLost(const std::vector<ShapePair>& pairs);

  const Scenario& scenario_;
  const Model& model_;
  std::string path_;
  CollisionFilter filter_;
  Softness hard_;
  std::vector<double> touching_;  // how each body alone gives way at its contacts, 1/kg
  SoftPlan plan_;
  Tree tree_;                        // of the file
  std::vector<int> materialOf_;      // of each shape, in the tree; -1: the file has none
  std::vector<RowMobility> rows_{};  // of what is soft in the file
  double usualRatio_ = 1.0;          // of most pairs of materials
};

bool SoftPlanner::matters() const {
  const auto soft = [](const auto& all, auto of) {
    return std::any_of(all.begin(), all.end(), [&](const auto& each) { return impeded(of(each)); });
  };
  const bool limits = std::any_of(model_.joints.begin(), model_.joints.end(), [&](const Joint& j) {
    return soft(j.coordinates, [](const JointCoordinate& c) { return c.limit.softness; });
  });
  if (limits || soft(model_.joints, [](const Joint& j) { return j.softness; }) ||
      soft(model_.forces, [](const ForceElement& e) { return e.law.softness; }))
    return true;
  const std::set<int> used = materialsOf(model_);
  for (const int a : used)
    for (const int b : used) {
      const SurfacePair &pair = model_.surface(a, b), &first = model_.surface(a, a);
      // MuJoCo takes the larger friction.
      if (impeded(pair.softness) || pair.friction != std::max(first.friction, model_.surface(b, b).friction))
        return true;
    }
  return false;
}

void SoftPlanner::chooseCones() {
  const std::set<int> used = materialsOf(model_);
  std::map<double, int> pairs;  // by their ratio
  bool pyramids = true;
  for (const int a : used)
    for (const int b : used) {
      const SurfacePair& pair = model_.surface(a, b);
      if (a > b || !impeded(pair.softness) || !(pair.friction > 0.0)) continue;
      const double ratio = pair.softness.impedanceRatio;
      pyramids = pyramids && alike(ratio, pyramidRatio(pair.friction, condimOf(pair)));
      ++pairs[ratio];
    }
  const auto rarer = [](const auto& x, const auto& y) { return x.second < y.second; };
  if (!pairs.empty()) usualRatio_ = std::max_element(pairs.begin(), pairs.end(), rarer)->first;
  if (!pyramids) useCones();
}

void SoftPlanner::useCones() {
  plan_.elliptic = true;
  plan_.impedanceRatio = usualRatio_;
}

void SoftPlanner::readBack() {
  Report ignored;
  MjcfWriter writer(scenario_, path_, plan_, ignored);
  writer.write();
  rows_ = writer.softRows();
  FileOptions files;
  files.skipMissingMeshes = true;
  tree_ = readMjcf(path_, files, "", ignored);
  std::map<std::string, int> byName;
  for (const Shape& s : tree_.worldShapes) byName[s.name] = s.material;
  for (const Link& link : tree_.links)
    for (const Shape& s : link.shapes) byName[s.name] = s.material;
  materialOf_.clear();
  for (std::size_t i = 0; i < model_.shapes.size(); ++i) {
    const auto at = byName.find(writer.shapeName(i));
    materialOf_.push_back(at == byName.end() || !model_.shapes[i].collides ? -1 : at->second);
  }
}

SurfacePair SoftPlanner::read(std::size_t a, std::size_t b) const {
  const std::pair<int, int> pair = std::minmax(materialOf_[a], materialOf_[b]);
  SurfacePair made = pair.first == pair.second ? tree_.materials[static_cast<std::size_t>(pair.first)].surface
                                               : tree_.surfaces.at(pair);
  const Shape &first = model_.shapes[a], &second = model_.shapes[b];
  const double given = model_.surface(first.material, second.material).softness.mobility;
  const double counted = given > 0.0 ? given : touching(first.body) + touching(second.body);
  if (made.softness.mobility > 0.0 && counted > 0.0)
    made.softness = scaledImpedance(made.softness, made.softness.mobility / counted);
  made.softness.mobility = 0.0;
  return made;
}

SurfacePair SoftPlanner::wanted(std::size_t a, std::size_t b) const {
  SurfacePair pair = model_.surface(model_.shapes[a].material, model_.shapes[b].material);
  if (!impeded(pair.softness)) pair.softness = hard_;
  return pair;
}

bool SoftPlanner::differs(std::size_t a, std::size_t b) const {
  const SurfacePair target = wanted(a, b);
  const SurfacePair made = read(a, b);
  if (!alike(target.friction, made.friction) || !alike(target.rollingFriction, made.rollingFriction) ||
      !alike(target.torsionalFriction, made.torsionalFriction))
    return true;
  const Shape &first = model_.shapes[a], &second = model_.shapes[b];
  const bool soft = impeded(model_.surface(first.material, second.material).softness);
  if (!soft) return impeded(ownOf(first)) || impeded(ownOf(second));
  return !alike(target.softness, made.softness);
}

std::vector<ShapePair> SoftPlanner::different() const {
  std::vector<ShapePair> all;
  const std::size_t n = model_.shapes.size();
  if (n > kMostShapes) return all;
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = a + 1; b < n; ++b)
      if (materialOf_[a] >= 0 && materialOf_[b] >= 0 &&
          filter_.mayTouch(static_cast<int>(a), static_cast<int>(b)) && differs(a, b))
        all.emplace_back(a, b);
  return all;
}

bool SoftPlanner::fitShapes() {
  bool within = true;
  for (std::size_t i = 0; i < model_.shapes.size(); ++i) {
    const Softness& own = ownOf(model_.shapes[i]);
    if (materialOf_[i] < 0 || !impeded(own)) continue;
    const double share = shareOf(read(i, i).softness, plan_.shapes[i]);
    plan_.shapes[i] = scaledImpedance(own, 1.0 / share);
    within = within &&
             std::min(plan_.shapes[i].impedance0, plan_.shapes[i].impedanceWidth) >= kLeastWritten &&
             std::max(plan_.shapes[i].impedance0, plan_.shapes[i].impedanceWidth) <= kMostWritten;
  }
  return within;
}

void SoftPlanner::fit() {
  chooseCones();
  readBack();
  fitRows();
  const std::vector<Softness> own = plan_.shapes;
  if (!fitShapes()) {
    useCones();
    plan_.shapes = own;
    readBack();
    fitShapes();
  }
  readBack();
  std::vector<ShapePair> off = different();
  if (off.empty()) return;
  // The shapes of the world say nothing where those that move say it.
  SoftPlan before = plan_;
  for (std::size_t i = 0; i < model_.shapes.size(); ++i)
    if (model_.shapes[i].body < 0) plan_.mix[i] = 0.0;
  readBack();
  std::vector<ShapePair> still = different();
  if (still.size() < off.size())
    off = std::move(still);
  else
    plan_ = std::move(before);
  if (off.empty()) return;
  std::set<std::size_t> paired;
  for (const auto& [a, b] : off) paired.insert({a, b});
  if (off.size() > kMostPairs || paired.size() > kMostPaired) return tellLost(off);
  for (const auto& [a, b] : off) plan_.pairs.push_back({a, b, wanted(a, b)});
  fitPairs();
}

void SoftPlanner::fitPairs() {
  readBack();
  for (GeomPair& pair : plan_.pairs) {
    const Softness target = wanted(pair.a, pair.b).softness;
    if (!impeded(model_.surface(model_.shapes[pair.a].material, model_.shapes[pair.b].material).softness))
      continue;
    const double share = shareOf(read(pair.a, pair.b).softness, pair.surface.softness);
    pair.surface.softness = scaledImpedance(target, 1.0 / share);
  }
  readBack();
  tellLost(different());
}

void SoftPlanner::tellLost(const std::vector<ShapePair>& pairs) {
  std::set<std::string> names;
  for (const auto& [a, b] : pairs) {
    const auto nameOf = [&](std::size_t shape) {
      return model_.materials[static_cast<std::size_t>(model_.shapes[shape].material)].name;
    };
    const std::string first = nameOf(a), second = nameOf(b);
    names.insert(first == second ? first : std::min(first, second) + " with " + std::max(first, second));
  }
  plan_.lost.assign(names.begin(), names.end());
}

/// Rows of the mechanism: of limits, loops and couplings.
void SoftPlanner::fitRows() {
  std::map<std::string, double> limits, equalities;
  for (const LinkJoint& j : tree_.joints) limits[j.name] = j.mobility;
  for (const Loop& l : tree_.loops) equalities[l.name] = l.mobility;
  for (const Mimic& m : tree_.mimics) equalities[m.name] = m.softness.mobility;
  for (const CoordinateSum& s : tree_.sums) equalities[s.name] = s.softness.mobility;
  for (const RowMobility& row : rows_) {
    const auto& known = row.limit ? limits : equalities;
    const auto at = known.find(row.name);
    if (at == known.end() || !(at->second > 0.0) || !(row.mobility > 0.0)) continue;
    const double share = row.mobility / at->second;
    if (std::abs(share - 1.0) > kSameInertia) (row.limit ? plan_.limits : plan_.equalities)[row.name] = share;
  }
}

}  // namespace

Softness asHardAsMayBe(double timestep) {
  Softness hard;
  hard.kind = Softness::Kind::Impedance;
  hard.impedance0 = 0.99;
  hard.impedanceWidth = 0.9999;
  hard.width = 1e-4;
  hard.timeConstant = 2.0 * timestep;
  return hard;
}

SoftPlan planSoftness(const Scenario& scenario, const std::string& path) {
  return SoftPlanner(scenario, path).plan();
}

}  // namespace grashof::convert
