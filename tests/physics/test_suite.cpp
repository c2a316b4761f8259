// The systems of assets/suite against the table of [Tsounis 2025, table II], and what they touch.
#include <set>

#include <fmt/format.h>

#include "engine/dynamics/kinematics/joint_kinematics.h"
#include "tests/support.h"

using namespace grashof;

namespace {

struct Row {
  const char* system;
  int bodies, joints, rows;
  double massRatio;
};

// Arm7D: its 41 rows are seven hinges and the weld of its column, which the table does not count as a joint.
constexpr Row kTable[] = {
    {"box-on-plane", 1, 0, 0, 1.0},     {"boxes-fixed", 2, 1, 6, 1000.0}, {"nunchuk", 3, 2, 6, 1.0},
    {"fourbar-fixed", 4, 5, 26, 1.0},   {"fourbar-free", 4, 4, 20, 1.0},  {"arm7d", 8, 8, 41, 19.54},
    {"quadruped", 13, 12, 60, 29.07},   {"bdx", 15, 14, 70, 42.49},       {"lima", 21, 20, 100, 321.39},
    {"misha", 22, 24, 121, 90.67},      {"walker", 31, 36, 180, 99.55},   {"gazelle", 38, 45, 214, 1012.54},
    {"ironman", 54, 67, 304, 25544.44},
};

struct PaperFigure {
  const char* system;
  int motors;
  std::vector<std::pair<const char*, const char*>> touching;  // bodies, as the file's comment says
};

// The table counts coordinates of joints, 23 and 24 of which have motors in Misha and Walker.
const PaperFigure kFigures[] = {
    {"misha", 23, {{"world", "right-paw"}, {"right-ear", "hat"}}},
    {"walker", 24, {{"world", "left-foot"}, {"world", "tail"}}},
    {"gazelle",
     22,
     {{"world", "jaw"}, {"world", "head"}, {"world", "left-fore-hoof"}, {"world", "tail-tip"}}},
    {"ironman", 20, {{"world", "left-finger"}, {"left-thumb", "left-finger"}}},
};

/// What pressed in a run: pairs of bodies, and joints on their limits.
struct Touches {
  std::set<std::pair<std::string, std::string>> pairs;
  std::set<std::string> limits;
  int contactSteps = 0, limitSteps = 0, unsolved = 0;

  void add(const Simulator& simulator) {
    const Model& model = simulator.model();
    const auto name = [&](int body) { return body < 0 ? "world" : model.bodies[body].name; };
    unsolved += simulator.report().status != SolveStatus::Solved;
    bool presses = false, limited = false;
    for (int k = 0; k < static_cast<int>(simulator.contacts().size()); ++k) {
      if (simulator.contactForce(k).norm() < 1e-6) continue;
      const auto [a, b] = std::minmax(simulator.contacts()[k].bodyA, simulator.contacts()[k].bodyB);
      pairs.emplace(name(a), name(b));
      presses = true;
    }
    for (std::size_t j = 0; j < model.joints.size(); ++j)
      for (int c = model.coordinateStart[j]; c < model.coordinateStart[j + 1]; ++c)
        for (const int row : {simulator.coordinateRows()[c].lower, simulator.coordinateRows()[c].upper}) {
          if (row < 0 || std::abs(simulator.solution().impulse[row]) < 1e-9) continue;
          limits.insert(model.joints[j].name);
          limited = true;
        }
    contactSteps += presses;
    limitSteps += limited;
  }
};

}  // namespace

TEST_CASE(
    "the thirteen systems have the bodies, joints, rows and mass ratio of the table, and start assembled") {
  for (const Row& row : kTable) {
    CAPTURE(row.system);
    const Scenario scenario =
        readScenario(fmt::format("{}/assets/suite/{}.xml", test::sourceFolder(), row.system));
    const Model& model = *scenario.model;
    CHECK(static_cast<int>(model.bodies.size()) == row.bodies);
    CHECK(static_cast<int>(model.joints.size()) == row.joints);
    int rows = 0;
    for (const Joint& joint : model.joints) rows += joint.type->numConstraints();
    CHECK(rows == row.rows);
    double lightest = model.bodies[0].mass, heaviest = lightest;
    for (const Body& body : model.bodies) {
      lightest = std::min(lightest, body.mass);
      heaviest = std::max(heaviest, body.mass);
    }
    CHECK(heaviest / lightest == doctest::Approx(row.massRatio).epsilon(1e-6));

    State state = model.initialState();
    std::vector<JointGeometry> geometry(model.joints.size());
    evaluateJoints(model, state.poses, state.coordinates, geometry);
    CHECK(jointViolation(model, geometry, 0.0) < 1e-12);

    Simulator simulator(std::make_shared<const Model>(model), startState(model));
    for (int i = 0; i < 50; ++i) simulator.step();
    CHECK(!simulator.diverged());
    CHECK(simulator.report().jointResidual < 1e-8);
    CHECK(simulator.report().penetration < 1e-4);
  }
}

TEST_CASE("all bodies of the figures collide; they touch what their comments name, and reach limits" *
          doctest::test_suite("long")) {
  constexpr int steps = 800;
  for (const PaperFigure& figure : kFigures) {
    CAPTURE(figure.system);
    Model model =
        *readScenario(fmt::format("{}/assets/suite/{}.xml", test::sourceFolder(), figure.system)).model;
    std::set<int> colliding;
    for (const Shape& shape : model.shapes)
      if (shape.collides && shape.body >= 0) colliding.insert(shape.body);
    CHECK(colliding.size() == model.bodies.size());

    model.step.timestep = 2e-3;
    Simulator simulator(std::make_shared<const Model>(model), startState(model));
    CHECK(static_cast<int>(simulator.actuators().size()) == figure.motors);
    Touches touches;
    double penetration = 0.0;
    for (int i = 0; i < steps; ++i) {
      simulator.step();
      REQUIRE(!simulator.diverged());
      touches.add(simulator);
      penetration += simulator.report().penetration / steps;
    }
    for (const auto& pair : figure.touching) {
      CAPTURE(pair.first);
      CAPTURE(pair.second);
      CHECK(touches.pairs.contains(pair));
    }
    CHECK(touches.limits.size() >= 3);
    CHECK(touches.contactSteps > steps / 3);
    CHECK(touches.limitSteps > steps / 3);
    CHECK(touches.unsolved <= steps / 100);
    CHECK(penetration < 1e-4);
  }
}
