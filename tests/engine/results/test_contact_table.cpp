#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <hdf5.h>

#include "engine/base/error.h"
#include "engine/results/hdf5_id.h"
#include "engine/results/recorder.h"
#include "engine/results/trajectory.h"
#include "engine/run.h"
#include "tests/support.h"

using namespace grashof;

namespace {

constexpr double kBoxMass = 2.0;  // kg

/// A box on the ground with the velocity `v` along x (m/s), all contacts recorded at every step.
Scenario boxOnGround(double v, double duration) {
  Scenario s = test::scenarioOf(
      R"(<options timestep="1e-3"/><material name="default" friction="0.4"/><shape name="ground" type="plane"/>
    <body name="box" position="0 0 0.1" velocity=")" +
      std::to_string(v) + R"( 0 0"><inertial mass="2" inertia="0.02 0.02 0.02"/>
      <shape type="box" size="0.2 0.2 0.2"/></body>)");
  s.duration = duration;
  s.output.interval = 0.0;
  s.output.contacts = true;
  return s;
}

/// The box slides, stops, and stands; steps are so many that there are several chunks.
Scenario stoppingBox() { return boxOnGround(2.0, 1.3); }

void runTo(const Scenario& scenario, const std::string& folder, std::int64_t steps, bool resume) {
  RunSettings settings;
  std::int64_t made = 0;
  settings.progress = [&](double, std::int64_t step, const Simulator&) { made = step; };
  settings.stop = [&] { return std::string(steps > 0 && made >= steps - 1 ? "SIGTERM" : ""); };
  settings.checkpointInterval = 0.0;
  settings.resume = resume;
  run(scenario, folder, settings);
}

/// Writes `value` into the first number of a dataset.
void damage(const std::string& path, const char* name, double value) {
  const Hdf5Id file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), &H5Fclose);
  const Hdf5Id data(H5Dopen2(file, name, H5P_DEFAULT), &H5Dclose);
  const Hdf5Id space(H5Dget_space(data), &H5Sclose);
  std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  REQUIRE(!values.empty());
  values.back() = value;
  H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
}

/// +1 where the first body is the second of a contact, -1 where it is the first.
double signOf(const ContactPoint& c) { return c.bodyB == 0 ? 1.0 : -1.0; }

/// Makes the first dimension of a dataset `rows` long.
void resizeRows(const std::string& path, const char* name, hsize_t rows) {
  const Hdf5Id file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), &H5Fclose);
  const Hdf5Id data(H5Dopen2(file, name, H5P_DEFAULT), &H5Dclose);
  const Hdf5Id space(H5Dget_space(data), &H5Sclose);
  hsize_t shape[2] = {0, 0};
  REQUIRE(H5Sget_simple_extent_dims(space, shape, nullptr) >= 1);
  shape[0] = rows;
  REQUIRE(H5Dset_extent(data, shape) >= 0);
}

}  // namespace

TEST_CASE("the impulses of the contacts of a box at rest carry its weight, and they stick") {
  const test::ScratchFolder folder;
  run(boxOnGround(0.0, 0.2), folder.path("out"));
  const Trajectory trajectory(folder.path("out"));
  REQUIRE(trajectory.contactPoints().has_value());
  const ContactPoints& contacts = *trajectory.contactPoints();
  REQUIRE(contacts.start.size() == trajectory.records() + 1);
  CHECK(contacts.of(0).empty());
  for (std::size_t r = 100; r < trajectory.records(); ++r) {
    Vec3 sum = Vec3::Zero();
    REQUIRE(contacts.of(r).size() == 4);
    for (const ContactPoint& c : contacts.of(r)) {
      sum += signOf(c) * c.impulse;
      CHECK(c.bodyA + c.bodyB == -1);
      CHECK(c.mode == ContactMode::Sticking);
      CHECK((signOf(c) * c.normal - Vec3::UnitZ()).norm() < 1e-9);
      CHECK(std::abs(std::abs(c.point.x()) - 0.1) < 1e-6);
      CHECK(std::abs(c.gap) < 1e-4);
      CHECK(c.slip.norm() < 1e-7);
    }
    CHECK(sum.z() / trajectory.timestep() == doctest::Approx(kBoxMass * test::kGravity).epsilon(1e-6));
    CHECK(sum.head<2>().norm() < 1e-6);
  }
}

TEST_CASE("contacts of a sliding box slip by its velocity with the force of friction, until they stick") {
  const test::ScratchFolder folder;
  run(stoppingBox(), folder.path("out"));
  const Trajectory trajectory(folder.path("out"));
  const ContactPoints& contacts = *trajectory.contactPoints();
  const auto velocity = trajectory.series("body.box.velocity.x");
  std::size_t slid = 0, stuck = 0;
  for (std::size_t r = 1; r < trajectory.records(); ++r) {
    Vec3 sum = Vec3::Zero();
    for (const ContactPoint& c : contacts.of(r)) {
      sum += signOf(c) * c.impulse;
      if (c.mode == ContactMode::Sliding) {
        ++slid;
        CHECK(signOf(c) * c.slip.x() == doctest::Approx(velocity[r]).epsilon(1e-2).scale(0.01));
        CHECK(std::abs(c.slip.z()) < 1e-9);
      } else if (c.mode == ContactMode::Sticking) {
        ++stuck;
        CHECK(c.slip.norm() < 1e-6);
      }
    }
    // 2 m/s are gone after v / (μ g) = 0.51 s.
    if (r > 10 && trajectory.times()[r] < 0.4)
      CHECK(sum.x() == doctest::Approx(-0.4 * sum.z()).epsilon(1e-3));
    if (trajectory.times()[r] > 0.6) CHECK(std::abs(sum.x()) < 1e-6);
  }
  CHECK(slid > 1000);
  CHECK(stuck > 1000);
}

TEST_CASE(
    "contacts that are recorded are those that press, and open ones; the other datasets stay the same") {
  const test::ScratchFolder folder;
  Scenario s = stoppingBox();
  run(s, folder.path("all"));
  s.output.contacts = false;
  run(s, folder.path("usual"));
  const Trajectory all(folder.path("all")), usual(folder.path("usual"));
  CHECK(!usual.contactPoints().has_value());
  CHECK(all.channels() == usual.channels());
  for (const std::string& channel : usual.channels()) {
    CAPTURE(channel);
    const auto ours = all.series(channel), theirs = usual.series(channel);
    CHECK(std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end(), [](double a, double b) {
      return a == b || (std::isnan(a) && std::isnan(b));  // not known at the start
    }));
  }
  for (std::size_t r = 0; r < all.records(); ++r) {
    const auto pressing = usual.contacts(r);
    std::size_t next = 0;
    for (const ContactPoint& c : all.contactPoints()->of(r)) {
      if (!(c.impulse.norm() > kLeastRecordedForce * all.timestep() * (1.0 + 1e-9))) continue;
      REQUIRE(next < pressing.size());
      CHECK(pressing[next].point == c.point);
      CHECK((pressing[next].force * all.timestep() - c.impulse).norm() < 1e-12);
      ++next;
    }
  }
}

TEST_CASE("a box on its edge has open contacts within the margin, and a lifted one has none") {
  const test::ScratchFolder folder, other;
  const double tilt = 0.002;
  Scenario s = readScenario(other.write(
      "tilted.xml", fmt::format(R"(<scenario><options timestep="1e-3" gravity="0 0 0" duration="0.02"/>
    <output interval="0" contacts="true"/><shape name="ground" type="plane"/>
    <body name="tilted" position="0 0 {}" rpy="0 {} 0"><inertial mass="1" inertia="0.01 0.01 0.01"/>
      <shape type="box" size="0.2 0.2 0.2"/></body>
    <body name="lifted" position="2 0 0.1005"><inertial mass="1" inertia="0.01 0.01 0.01"/>
      <shape type="box" size="0.2 0.2 0.2"/></body></scenario>)",
                                0.1 * (std::cos(tilt) + std::sin(tilt)), tilt)));
  REQUIRE(s.output.contacts);
  run(s, folder.path("out"));
  const Trajectory trajectory(folder.path("out"));
  std::size_t onEdge = 0, open = 0;
  for (const ContactPoint& c : trajectory.contactPoints()->all) {
    CHECK(c.mode == ContactMode::Open);
    CHECK(std::max(c.bodyA, c.bodyB) == 0);
    CHECK(c.impulse.norm() == 0.0);
    ++(c.gap < 1e-9 ? onEdge : open);
    if (c.gap >= 1e-9) CHECK(c.gap == doctest::Approx(0.2 * std::sin(tilt)).epsilon(1e-6));
  }
  CHECK(onEdge == 2 * (trajectory.records() - 1));
  CHECK(open == onEdge);
}

TEST_CASE("equal runs with contacts make equal bytes, and so do runs that were interrupted and resumed") {
  const test::ScratchFolder folder;
  Scenario s = stoppingBox();
  s.duration = 5.0;
  run(s, folder.path("whole"));
  runTo(s, folder.path("again"), 0, false);
  CHECK(test::contentOf(folder.path("whole/trajectory.h5")) ==
        test::contentOf(folder.path("again/trajectory.h5")));
  runTo(s, folder.path("parts"), 2500, false);
  runTo(s, folder.path("parts"), 4400, true);
  runTo(s, folder.path("parts"), 0, true);
  CHECK(test::contentOf(folder.path("whole/trajectory.h5")) ==
        test::contentOf(folder.path("parts/trajectory.h5")));
  CHECK(!std::filesystem::exists(folder.path("parts/trajectory.h5.contacts.tail")));
  // A run that is continued keeps what it records.
  runTo(s, folder.path("other"), 2500, false);
  s.output.contacts = false;
  CHECK_THROWS_WITH_AS(runTo(s, folder.path("other"), 0, true), doctest::Contains("keeps its <output>"),
                       InputError);
}

TEST_CASE("a part of a run is repeated with its contacts") {
  const test::ScratchFolder folder;
  Scenario s = stoppingBox();
  s.duration = 2.2;
  runTo(s, folder.path("out"), 0, false);
  RunSettings replay;
  replay.replay = folder.path("out");
  replay.recordFrom = 2.1;
  run(s, folder.path("again"), replay);
  const Trajectory whole(folder.path("out")), again(folder.path("again"));
  const ContactPoints &ours = *again.contactPoints(), &theirs = *whole.contactPoints();
  REQUIRE(ours.all.size() > 300);
  const std::size_t skipped = theirs.all.size() - ours.all.size();
  for (std::size_t k = 0; k < ours.all.size(); ++k) {
    CHECK(ours.all[k].impulse == theirs.all[skipped + k].impulse);
    CHECK(ours.all[k].slip == theirs.all[skipped + k].slip);
  }
}

TEST_CASE("of a run that was killed, all records have their contacts, from the datasets and the tails") {
  const test::ScratchFolder folder;
  const Scenario s = stoppingBox();
  Simulator simulator(s.model);
  Recorder recorder(s, folder.path());
  std::vector<Vec3> sums;
  for (int i = 0; i < 1250; ++i) {
    recorder.record(simulator);
    Vec3 sum = Vec3::Zero();
    for (std::size_t k = 0; k < simulator.contacts().size(); ++k)
      sum += simulator.contactForce(static_cast<int>(k));
    sums.push_back(sum * 1e-3);
    simulator.step();
    if (i == 700) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1010));
      recorder.keep();
    }
    if (i != 600 && i != 702 && i != 1249) continue;
    const test::ScratchFolder killed;
    for (const char* name : {"trajectory.h5", "trajectory.h5.tail", "trajectory.h5.contacts.tail"})
      std::filesystem::copy(folder.path(name), killed.path(name));
    const Trajectory trajectory(killed.path());
    CHECK(trajectory.records() >= (i == 702 ? 701U : 512U));
    for (std::size_t r = 1; r < trajectory.records(); ++r) {
      Vec3 sum = Vec3::Zero();
      for (const ContactPoint& c : trajectory.contactPoints()->of(r)) sum += c.impulse;
      CHECK((sum - sums[r]).norm() < 1e-12);
      CHECK(!trajectory.contactPoints()->of(r).empty());
    }
  }
}

TEST_CASE("damaged contacts are refused with the dataset's name") {
  struct Case {
    const char* name;
    double value;
    const char* said;
  };
  const test::ScratchFolder folder;
  run(boxOnGround(0.0, 0.05), folder.path("out"));
  const std::string whole = test::contentOf(folder.path("out/trajectory.h5"));
  for (const Case& c : {Case{"contact_points/bodies", 1.0, "contact_points/bodies"},
                        {"contact_points/bodies", -2.0, "bodies are counted from 0"},
                        {"contact_points/mode", 3.0, "1: sticking"},
                        {"contact_points/normal", 2.0, "length of a normal"},
                        {"contact_points/gap", std::nan(""), "contact_points/gap"},
                        {"contact_points/impulse", std::numeric_limits<double>::infinity(), "finite"},
                        {"contact_points/count", 5.0, "more contacts than"},
                        {"contact_points/count", 1000000000.0, "more contacts than"},
                        {"contact_points/count", -1.0, "contact_points/count"},
                        {"contact_points/count", 3.0, "has 200 rows"}}) {
    const std::string path = folder.write("damaged.h5", whole);
    damage(path, c.name, c.value);
    const std::string said = c.said;
    CAPTURE(said);
    CHECK_THROWS_WITH_AS(Trajectory{path}, doctest::Contains(said.c_str()), InputError);
  }
  for (const char* name : {"contact_points/point", "contact_points/mode"})
    for (const hsize_t rows : {hsize_t{0}, hsize_t{199}, hsize_t{201}}) {
      const std::string path = folder.write("resized.h5", whole);
      resizeRows(path, name, rows);
      CHECK_THROWS_WITH_AS(Trajectory{path}, doctest::Contains("contact_points"), InputError);
    }
  const std::string path = folder.write("removed.h5", whole);
  {
    const Hdf5Id file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), &H5Fclose);
    REQUIRE(H5Ldelete(file, "contact_points/slip", H5P_DEFAULT) >= 0);
  }
  CHECK_THROWS_WITH_AS(Trajectory{path}, doctest::Contains("contact_points/slip"), InputError);
  // A tail that claims to begin elsewhere.
  const std::string odd = folder.write("odd.h5", whole);
  std::string tail = "grashof1";
  for (const std::uint64_t n : {std::uint64_t{16}, ~std::uint64_t{0}})
    tail.append(reinterpret_cast<const char*>(&n), sizeof n);
  folder.write("odd.h5.contacts.tail", tail + std::string(16 * sizeof(double), '\0'));
  damage(odd, "contact_points/count", 5.0);
  CHECK_THROWS_WITH_AS(Trajectory{odd}, doctest::Contains("contact_points"), InputError);
}

TEST_CASE("any bits of a trajectory with contacts may be changed: it is read or refused") {
  const test::ScratchFolder folder;
  run(boxOnGround(0.5, 0.02), folder.path("out"));
  const std::string whole = test::contentOf(folder.path("out/trajectory.h5"));
  int refused = 0;
  test::forAll(6, 100, [&](test::Random& random, int) {
    std::string changed = whole;
    for (int i = 0; i < 20; ++i) {
      const auto at = static_cast<std::size_t>(random.uniform(0.0, static_cast<double>(whole.size()) - 1.0));
      changed[at] = static_cast<char>(static_cast<int>(random.uniform(0.0, 255.0)));
    }
    try {
      const Trajectory trajectory(folder.write("changed.h5", changed));
      if (!trajectory.contactPoints()) return;
      CHECK(trajectory.contactPoints()->start.size() == trajectory.records() + 1);
    } catch (const InputError&) {
      ++refused;
    }
  });
  CHECK(refused > 20);
}
