#include "engine/dynamics/account/energy.h"
#include "tests/support.h"

using namespace grashof;

namespace {

Energy energyOf(const Model& model, const State& state) {
  std::vector<JointGeometry> geometry(model.joints.size());
  evaluateJoints(model, state.poses, state.coordinates, geometry);
  return mechanicalEnergy(model, state.time, state.poses, state.twists, geometry);
}

}  // namespace

TEST_CASE("the energy of a free body is ½ m v² + ½ ω·Iω - m g·r, I turned with the body") {
  const Scenario s = test::scenarioOf(R"(<options gravity="1 2 -3"/>
    <body name="a" position="0.5 1 2"><inertial mass="2" inertia="0.3 0.4 0.5"/></body>)");
  State state = s.model->initialState();
  state.poses[0].rotation =
      Quat(Eigen::AngleAxisd(0.5 * M_PI, Vec3::UnitZ()));  // x of the body: y of the world
  state.twists[0] << 1.0, 2.0, 2.0, 0.0, 4.0, 0.0;
  const Energy e = energyOf(*s.model, state);
  CHECK(e.kinetic == doctest::Approx(0.5 * 2.0 * 9.0 + 0.5 * 0.3 * 16.0));
  CHECK(e.potential == doctest::Approx(-2.0 * (0.5 + 2.0 - 6.0)));
  CHECK(e.elastic == 0.0);
}

TEST_CASE("an armature adds ½ a q̇² and a spring ½ k (q - rest)²") {
  const auto energy = [](const std::string& dynamics) {
    const Scenario s = test::scenarioOf(R"(<body name="a" position="0 0 0" angular-velocity="0 0 3">
        <inertial mass="2" inertia="0.3 0.4 0.5"/></body>
      <joint name="j" type="revolute" follower="a" position="0 0 0" axis="0 0 1">)" +
                                        dynamics + "</joint>");
    return energyOf(*s.model, s.model->initialState());
  };
  const Energy bare = energy("");
  CHECK(bare.kinetic == doctest::Approx(0.5 * 0.5 * 9.0));
  const Energy geared = energy(R"(<dynamics armature="0.7"/>)");
  CHECK(geared.kinetic - bare.kinetic == doctest::Approx(0.5 * 0.7 * 9.0));
  const Energy sprung = energy(R"(<dynamics stiffness="8" rest="-0.25"/>)");
  CHECK(sprung.elastic == doctest::Approx(0.5 * 8.0 * 0.0625));
  CHECK(sprung.total() == doctest::Approx(sprung.kinetic + sprung.potential + sprung.elastic));
}
