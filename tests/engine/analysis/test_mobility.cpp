// Mobility and redundancy of textbook mechanisms.
#include <numbers>

#include <fmt/format.h>

#include "engine/analysis/mobility.h"
#include "tests/support.h"

using namespace grashof;

namespace {

std::string text(const Vec3& v) { return fmt::format("{:.17g} {:.17g} {:.17g}", v.x(), v.y(), v.z()); }

/// Builds scenarios of bodies (at the middle of two points) and joints.
struct Mechanism {
  std::string xml;

  void body(const std::string& name, const Vec3& at) {
    xml +=
        fmt::format(R"(<body name="{}" position="{}"><inertial mass="1" inertia="0.01 0.01 0.01"/></body>)",
                    name, text(at));
  }
  void joint(const std::string& type, const std::string& base, const std::string& follower, const Vec3& at,
             const Vec3& axis = Vec3::UnitX()) {
    xml += fmt::format(R"(<joint name="j{}" type="{}" base="{}" follower="{}" position="{}"{}/>)", count++,
                       type, base, follower, text(at),
                       type == "spherical" ? "" : fmt::format(R"( axis="{}")", text(axis)));
  }
  /// A closed chain of hinges: the first and the last body are the world.
  void loop(const std::vector<Vec3>& points, const std::vector<Vec3>& axes) {
    const std::size_t n = points.size();
    for (std::size_t i = 0; i + 1 < n; ++i) body(fmt::format("b{}", i), 0.5 * (points[i] + points[i + 1]));
    for (std::size_t i = 0; i < n; ++i) joint("revolute", before(i, n), after(i, n), points[i], axes[i]);
  }
  /// The bodies on both sides of hinge i of n in a closed chain.
  static std::string before(std::size_t i, std::size_t n) {
    return i == 0 || i + 1 == n ? "world" : fmt::format("b{}", i - 1);
  }
  static std::string after(std::size_t i, std::size_t n) { return fmt::format("b{}", std::min(i, n - 2)); }

  Mobility analysed() const {
    const Scenario scenario = test::scenarioOf(xml);
    const Simulator start(scenario.model, startState(*scenario.model));
    return analyseMobility(*scenario.model, start.state().poses, start.state().coordinates);
  }

  int count = 0;
};

/// What must hold for every analysis: the numbers fit together and the modes are motions.
void checkConsistent(const Mobility& m) {
  double redundancy = 0.0;
  int dependent = 0;
  for (const ConstraintRow& row : m.rows) {
    redundancy += row.redundancy;
    dependent += row.dependent;
  }
  CHECK(redundancy == doctest::Approx(m.redundant()).epsilon(1e-9));
  CHECK(dependent == m.redundant());
  CHECK(static_cast<int>(m.modes.size()) == m.mobility());
}

Mobility check(const Mechanism& mechanism, int kutzbach, int mobility, int nearby) {
  const Mobility m = mechanism.analysed();
  CHECK(m.kutzbach() == kutzbach);
  CHECK(m.mobility() == mobility);
  CHECK(m.nearby == nearby);
  CHECK(m.redundant() == mobility - kutzbach);
  checkConsistent(m);
  return m;
}

}  // namespace

TEST_CASE("a planar four-bar of full hinges: Kutzbach -2, mobility 1; its modes are the engine's motion") {
  const Scenario scenario = readScenario(test::sourceFolder() + "/assets/scenarios/fourbar-fixed.xml");
  Simulator simulator(scenario.model, startState(*scenario.model));
  for (int i = 0; i < 300; ++i) simulator.step();
  const Mobility m = analyseMobility(*scenario.model, simulator.state().poses, simulator.state().coordinates);
  CHECK(m.kutzbach() == -2);
  CHECK(m.mobility() == 1);
  CHECK(m.nearby == 1);
  CHECK(m.redundant() == 3);
  checkConsistent(m);
  REQUIRE(m.modes[0].coordinate == 0);
  const Vec6& crank = simulator.state().twists[0];
  const double speed =
      crank.tail<3>().dot(m.modes[0].twists[0].tail<3>()) / m.modes[0].twists[0].tail<3>().squaredNorm();
  REQUIRE(std::abs(speed) > 0.1);
  for (std::size_t b = 0; b < 3; ++b)
    CHECK((simulator.state().twists[b] - speed * m.modes[0].twists[b]).norm() < 1e-6 * std::abs(speed));
}

TEST_CASE("releasing what is said to depend makes a mechanism isostatic, with the same motions") {
  Mechanism planar;
  const std::vector<Vec3> points = {{0, 0, 0}, {0.05, 0, 0.09}, {0.4, 0, 0.25}, {0.35, 0, 0}};
  planar.loop(points, std::vector<Vec3>(4, Vec3::UnitY()));
  const Mobility m = check(planar, -2, 1, 1);
  std::vector<std::vector<int>> released(4);
  for (const ConstraintRow& row : m.rows)
    if (row.dependent) released[row.joint].push_back(row.direction);
  Mechanism isostatic;
  for (std::size_t i = 0; i < 3; ++i)
    isostatic.body(fmt::format("b{}", i), 0.5 * (points[i] + points[i + 1]));
  for (std::size_t i = 0; i < 4; ++i) {
    const std::string type = released[i].empty() ? "revolute" : relaxedType(revoluteJoint(), released[i]);
    CAPTURE(type);
    REQUIRE(!type.empty());
    isostatic.joint(type, Mechanism::before(i, 4), Mechanism::after(i, 4), points[i], Vec3::UnitY());
  }
  const Mobility relaxed = isostatic.analysed();
  CHECK(relaxed.redundant() == 0);
  CHECK(relaxed.mobility() == 1);
}

TEST_CASE("Bennett's linkage moves though Kutzbach says -2; off its proportions it does not") {
  // The skew isogram: opposite sides equal, hinges square to the sides that meet.
  std::vector<Vec3> p = {{0.3, 0.05, 0.1}, {0.1, 0.25, -0.1}, {-0.3, -0.05, 0.1}, {-0.1, -0.25, -0.1}};
  const auto axes = [&] {
    std::vector<Vec3> n;
    for (int i = 0; i < 4; ++i)
      n.push_back((p[i] - p[(i + 3) % 4]).cross(p[(i + 1) % 4] - p[i]).normalized());
    return n;
  };
  Mechanism bennett;
  bennett.loop(p, axes());
  check(bennett, -2, 1, 1);
  p[2] += Vec3(0.05, 0.02, 0.03);
  Mechanism off;
  off.loop(p, axes());
  CHECK(off.analysed().mobility() == 0);
}

TEST_CASE("a spherical four-bar: four hinges through one point") {
  Mechanism m;
  const std::vector<Vec3> axes = {Vec3(1, 0, 0.2).normalized(), Vec3(0.6, 0.7, 0.5).normalized(),
                                  Vec3(-0.3, 0.9, 0.4).normalized(), Vec3(-0.8, -0.1, 0.6).normalized()};
  std::vector<Vec3> points;
  for (const Vec3& axis : axes) points.push_back(0.3 * axis);
  m.loop(points, axes);
  check(m, -2, 1, 1);
}

TEST_CASE("Sarrus' linkage: two chains of parallel hinges leave a straight line") {
  Mechanism m;
  m.body("platform", {0, 0, 0.4});
  const auto leg = [&](const std::string& name, const Vec3& out, const Vec3& axis) {
    const Vec3 low = 0.2 * out, middle = 0.35 * out + Vec3(0, 0, 0.2), high = 0.2 * out + Vec3(0, 0, 0.4);
    m.body(name + "-low", 0.5 * (low + middle));
    m.body(name + "-high", 0.5 * (middle + high));
    m.joint("revolute", "world", name + "-low", low, axis);
    m.joint("revolute", name + "-low", name + "-high", middle, axis);
    m.joint("revolute", name + "-high", "platform", high, axis);
  };
  leg("a", Vec3::UnitX(), Vec3::UnitY());
  leg("b", Vec3::UnitY(), Vec3::UnitX());
  const Mobility found = check(m, 0, 1, 1);
  // The platform goes up and down, and nowhere else.
  Vec6 platform = found.modes[0].twists[0];
  REQUIRE(std::abs(platform[2]) > 1e-3);
  platform[2] = 0.0;
  CHECK(platform.norm() < 1e-9);
}

TEST_CASE("Bricard's line-symmetric linkage: six hinges, a half-turn takes the loop into itself") {
  Mechanism m;
  std::vector<Vec3> points = {{0.3, 0.0, 0.1}, {0.25, 0.2, -0.05}, {0.05, 0.3, 0.12}};
  std::vector<Vec3> axes = {Vec3(0.3, 0.5, 0.9).normalized(), Vec3(-0.6, 0.2, 0.7).normalized(),
                            Vec3(0.4, -0.8, 0.5).normalized()};
  for (int i = 0; i < 3; ++i) {
    points.emplace_back(-points[i].x(), -points[i].y(), points[i].z());
    axes.emplace_back(-axes[i].x(), -axes[i].y(), axes[i].z());
  }
  m.loop(points, axes);
  check(m, 0, 1, 1);
  axes[4] = Vec3(0.1, 0.9, 0.3).normalized();
  Mechanism off;
  off.loop(points, axes);
  CHECK(off.analysed().mobility() == 0);
}

TEST_CASE("a parallelogram stretched out: a second motion at that pose, one nearby") {
  Mechanism flat;
  flat.loop({{0, 0, 0}, {0.1, 0, 0}, {0.4, 0, 0}, {0.3, 0, 0}}, std::vector<Vec3>(4, Vec3::UnitY()));
  check(flat, -2, 2, 1);
}

TEST_CASE("a Stewart platform has six motions, a Delta robot three and the spins of its rods") {
  const Scenario stewart = readScenario(test::sourceFolder() + "/assets/scenarios/stewart-platform.xml");
  const Simulator start(stewart.model, startState(*stewart.model));
  const Mobility six = analyseMobility(*stewart.model, start.state().poses, start.state().coordinates);
  CHECK(six.kutzbach() == 6);
  CHECK(six.mobility() == 6);
  checkConsistent(six);

  Mechanism delta;
  delta.body("platform", {0, 0, -0.4});
  for (int k = 0; k < 3; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / 3.0;
    const Vec3 out(std::cos(angle), std::sin(angle), 0.0), side(-std::sin(angle), std::cos(angle), 0.0);
    const std::string arm = fmt::format("arm{}", k);
    const Vec3 shoulder = 0.15 * out, elbow = 0.3 * out - Vec3(0, 0, 0.08),
               wrist = 0.05 * out - Vec3(0, 0, 0.4);
    delta.body(arm, 0.5 * (shoulder + elbow));
    delta.joint("revolute", "world", arm, shoulder, side);
    for (const double s : {-0.04, 0.04}) {
      const std::string rod = fmt::format("rod{}{}", k, s < 0 ? "a" : "b");
      delta.body(rod, 0.5 * (elbow + wrist) + s * side);
      delta.joint("spherical", arm, rod, elbow + s * side);
      delta.joint("spherical", rod, "platform", wrist + s * side);
    }
  }
  const Mobility found = check(delta, 9, 9, 9);
  // Three motions move the platform, and none turns it.
  Eigen::MatrixXd platform(6, found.mobility());
  for (int k = 0; k < found.mobility(); ++k) platform.col(k) = found.modes[k].twists[0];
  CHECK(platform.bottomRows<3>().norm() < 1e-9);
  CHECK(Eigen::FullPivLU<Eigen::MatrixXd>(platform).setThreshold(1e-9).rank() == 3);
}

TEST_CASE("what a joint becomes without some directions") {
  const auto relaxed = [](const JointType& type, std::vector<int> released) {
    return relaxedType(type, released);
  };
  CHECK(relaxed(revoluteJoint(), {4, 5}) == "spherical");
  CHECK(relaxed(revoluteJoint(), {4}) == "universal");
  CHECK(relaxed(revoluteJoint(), {0}) == "cylindrical");
  CHECK(relaxed(revoluteJoint(), {0, 4, 5}) == "point-on-line");
  CHECK(relaxed(revoluteJoint(), {1}) == "");
  CHECK(relaxed(fixedJoint(), {3}) == "revolute");
}

TEST_CASE("loads that hold each other in balance leave every body at rest") {
  const Scenario s = readScenario(test::sourceFolder() + "/assets/scenarios/fourbar-fixed.xml");
  const State state = s.model->initialState();
  const Mobility m = analyseMobility(*s.model, state.poses, state.coordinates);
  REQUIRE(m.internalLoads.size() == static_cast<std::size_t>(m.redundant()));
  std::vector<JointGeometry> geometry(s.model->joints.size());
  evaluateJoints(*s.model, state.poses, state.coordinates, geometry);
  for (const std::vector<double>& load : m.internalLoads) {
    std::vector<Vec6> wrench(s.model->bodies.size(), Vec6::Zero());
    std::size_t row = 0;
    for (std::size_t j = 0; j < s.model->joints.size(); ++j)
      for (int i = 0; i < s.model->joints[j].type->numConstraints(); ++i, ++row) {
        const Joint& joint = s.model->joints[j];
        const JointRow& r = geometry[j].constraintRow[static_cast<std::size_t>(i)];
        if (joint.base >= 0) wrench[static_cast<std::size_t>(joint.base)] += load[row] * r.base;
        wrench[static_cast<std::size_t>(joint.follower)] += load[row] * r.follower;
      }
    for (const Vec6& w : wrench) CHECK(w.norm() <= 1e-9);
  }
}

TEST_CASE("mechanisms side by side are analysed one by one: the same as each alone, modes in order") {
  const std::vector<Vec3> points = {{0, 0, 0}, {0.05, 0, 0.09}, {0.4, 0, 0.25}, {0.35, 0, 0}};
  const std::vector<Vec3> axes(4, Vec3::UnitY());
  Mechanism one, both;
  one.loop(points, axes);
  both.loop(points, axes);
  for (std::size_t i = 0; i < 3; ++i) {
    both.body(fmt::format("c{}", i), 0.5 * (points[i] + points[i + 1]));
    both.joint("revolute", i == 0 ? "world" : fmt::format("c{}", i - 1), fmt::format("c{}", i), points[i],
               axes[i]);
  }
  both.joint("revolute", "world", "c2", points[3], axes[3]);
  both.body("alone", {0, 1, 0});
  const Mobility a = one.analysed(), m = check(both, 2, 8, 8);
  CHECK(m.rank == 2 * a.rank);
  CHECK(m.regularity == doctest::Approx(a.regularity).epsilon(1e-9));
  for (std::size_t r = 0; r < m.rows.size(); ++r)
    CHECK(m.rows[r].redundancy == doctest::Approx(a.rows[r % a.rows.size()].redundancy).epsilon(1e-9));
  CHECK(m.modes[0].coordinate == 0);
  CHECK(m.modes[1].coordinate == 4);
  for (std::size_t k = 2; k < 8; ++k) {
    CHECK(m.modes[k].body == 6);
    CHECK(m.modes[k].component == static_cast<int>(k) - 2);
    CHECK(m.modes[k].twists[0].isZero());
  }
  REQUIRE(m.internalLoads.size() == 6);
  for (const std::vector<double>& load : m.internalLoads) {
    const auto half = load.begin() + static_cast<std::ptrdiff_t>(a.rows.size());
    const auto zero = [](double x) { return x == 0.0; };
    CHECK((std::all_of(load.begin(), half, zero) || std::all_of(half, load.end(), zero)));
  }
}

TEST_CASE("the mobility alone is that of the whole analysis, of small and of large mechanisms") {
  for (const char* name : {"fourbar-fixed", "scissor-lift", "all-joints", "neck"}) {
    CAPTURE(name);
    const Scenario s = readScenario(fmt::format("{}/assets/scenarios/{}.xml", test::sourceFolder(), name));
    const Simulator start(s.model, startState(*s.model));
    CHECK(mobilityAt(*s.model, start.state().poses, start.state().coordinates) ==
          analyseMobility(*s.model, start.state().poses, start.state().coordinates).mobility());
  }
  // A chain that is beyond dense decompositions, and free bodies beside it.
  Mechanism m;
  for (int i = 0; i < 70; ++i) {
    m.body(fmt::format("link{}", i), {0.1 * i, 0, 0});
    m.joint("revolute", i == 0 ? "world" : fmt::format("link{}", i - 1), fmt::format("link{}", i),
            {0.1 * i - 0.05, 0, 0}, Vec3::UnitY());
  }
  for (int i = 0; i < 500; ++i) m.body(fmt::format("free{}", i), {0.1 * i, 1, 0});
  const Scenario s = test::scenarioOf(m.xml);
  const State state = s.model->initialState();
  CHECK(mobilityAt(*s.model, state.poses, state.coordinates) == 70 + 3000);
}

TEST_CASE("the rank of a mechanism of many bodies comes from the sparse decomposition" *
          doctest::test_suite("long")) {
  // 60 four-bars in a row, each hanging on the rocker of the one before: mobility 1 each, 3 redundant rows
  // each.
  std::string xml;
  const auto body = [&](const std::string& name, double x, double z) {
    xml += "<body name='" + name + "' position='" + std::to_string(x) + " 0 " + std::to_string(z) +
           "'><inertial mass='1' inertia='0.1 0.1 0.1'/></body>";
  };
  const auto pin = [&](const std::string& name, const std::string& base, const std::string& follower,
                       double x, double z) {
    xml += "<joint name='" + name + "' type='revolute' base='" + base + "' follower='" + follower +
           "' axis='0 1 0' position='" + std::to_string(x) + " 0 " + std::to_string(z) + "'/>";
  };
  constexpr int kLoops = 140;
  for (int i = 0; i < kLoops; ++i) {
    const std::string n = std::to_string(i), base = i == 0 ? "world" : "rocker" + std::to_string(i - 1);
    const double x = 2.0 * i;
    body("crank" + n, x, 0.3);
    body("coupler" + n, x + 0.5, 0.7);
    body("rocker" + n, x + 1.1, 0.5);
    pin("a" + n, base, "crank" + n, x, 0.0);
    pin("b" + n, "crank" + n, "coupler" + n, x + 0.1, 0.6);
    pin("c" + n, "coupler" + n, "rocker" + n, x + 1.0, 0.9);
    pin("d" + n, base, "rocker" + n, x + 1.2, 0.1);
  }
  const Scenario s = test::scenarioOf(xml);
  REQUIRE(s.model->bodies.size() > static_cast<std::size_t>(kMaxBodies));
  const State state = s.model->initialState();
  const Mobility m = analyseMobility(*s.model, state.poses, state.coordinates);
  CHECK(m.mobility() == kLoops);
  CHECK(m.redundant() == 3 * kLoops);
  CHECK(m.kutzbach() == -2 * kLoops);
}
