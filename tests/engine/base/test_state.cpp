#include <sstream>

#include "engine/base/error.h"
#include "engine/base/state.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("a state is written and read back bit for bit; damaged ones are refused") {
  test::Random random(41);
  State state;
  state.time = 0.1 + 0.2;
  state.step = 12345678901;
  for (int b = 0; b < 5; ++b) {
    state.poses.push_back(random.pose());
    state.twists.push_back(random.twist());
    state.coordinates.push_back(random.uniform());
  }
  std::stringstream stream;
  state.write(stream);
  const std::string bytes = stream.str();
  CHECK(State::read(stream) == state);
  State other = state;
  other.twists[2][4] = std::nextafter(state.twists[2][4], 10.0);
  CHECK_FALSE(other == state);
  for (const std::size_t length : {std::size_t{0}, std::size_t{5}, std::size_t{20}, bytes.size() - 1}) {
    std::stringstream cut(bytes.substr(0, length));
    CHECK_THROWS_AS(State::read(cut), InputError);
  }
  std::stringstream foreign("not a state at all, but long enough to be read as one");
  CHECK_THROWS_AS(State::read(foreign), InputError);
  std::string absurd = bytes;
  absurd.replace(24, 8, 8, '\x7f');
  std::stringstream damaged(absurd);
  CHECK_THROWS_AS(State::read(damaged), InputError);
}

TEST_CASE("a run continued from a saved state goes on as the one that was not interrupted") {
  const std::string text =
      R"(<body name="a" position="0.3 0 0"><inertial mass="1" inertia="0.01 0.01 0.02"/></body>
    <body name="b" position="0.6 0 0"><inertial mass="2" inertia="0.01 0.01 0.02"/></body>
    <joint name="p" type="spherical" follower="a" position="0 0 0"/>
    <joint name="q" type="revolute" base="a" follower="b" position="0.45 0 0" axis="0 1 0"/>)";
  test::Run whole(text), part(text);
  whole.until(1.0);
  part.until(0.5);
  std::stringstream stream;
  part.simulator().state().write(stream);
  test::Run resumed(text);
  resumed.simulator().setState(State::read(stream));
  resumed.until(1.0);
  for (int b = 0; b < 2; ++b)
    // Not bit for bit: the projection starts from the matrix of the last step, which the resumed run lacks.
    CHECK(
        (resumed.simulator().state().poses[b].position - whole.simulator().state().poses[b].position).norm() <
        1e-7);
}
