// The systems of assets/suite against the report's table (formulation.md section 7).
#include <fmt/format.h>

#include "engine/dynamics/joint_kinematics.h"
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
