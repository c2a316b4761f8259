#include <algorithm>
#include <cmath>
#include <limits>

#include "contacts/collision_world.h"
#include "tests/support.h"

using namespace grashof;

namespace {

constexpr double kStep = 1e-3;  // s

/// A solid of a random kind and size, 2 to 20 cm.
Shape randomShape(test::Random& random, int body) {
  constexpr ShapeType kKinds[] = {ShapeType::Box,      ShapeType::Sphere, ShapeType::Capsule,
                                  ShapeType::Cylinder, ShapeType::Cone,   ShapeType::Ellipsoid};
  const auto extent = [&] { return random.uniform(0.02, 0.2); };
  Shape shape;
  shape.type = kKinds[static_cast<int>(random.uniform(0.0, 5.999))];
  shape.body = body;
  shape.size = Vec3(extent(), extent(), extent()) * (shape.type == ShapeType::Ellipsoid ? 0.5 : 1.0);
  shape.radius = 0.5 * extent();
  shape.length = extent();
  shape.pose = random.pose(0.05);
  return shape;
}

/// A step of two bodies that turn by up to 0.3 rad, and pass each other.
struct Flight {
  std::vector<Pose> start, rows;
  std::vector<Vec6> before, after;

  explicit Flight(test::Random& random) {
    const double speed = std::pow(10.0, random.uniform(0.0, 2.5));  // m/s
    for (int body = 0; body < 2; ++body) {
      Vec6 u;
      u << random.vector(speed), random.vector(std::min(2.0 * speed, 300.0));
      before.push_back(u);
      u.head<3>() += random.vector(0.01);
      after.push_back(u);
      rows.push_back(random.pose(0.1 + 0.2 * speed * kStep));
      start.push_back(movePose(rows.back(), before.back(), -0.5 * kStep));
    }
  }
  StepMotion motion() const { return {start, rows, before, after, 0.5 * kStep, 0.5 * kStep, 0.0}; }
  std::vector<Pose> at(double time) const {
    std::vector<Pose> poses;
    for (std::size_t b = 0; b < rows.size(); ++b)
      poses.push_back(movePose(rows[b], time < 0.5 * kStep ? before[b] : after[b], time - 0.5 * kStep));
    return poses;
  }
};

double gapAt(CollisionWorld& world, const std::vector<Pose>& poses) {
  std::vector<Contact> found;
  world.detectPair(poses, 10.0, 0, 1, found);
  double gap = std::numeric_limits<double>::infinity();
  for (const Contact& contact : found) gap = std::min(gap, contact.gap);
  return gap;
}

}  // namespace

TEST_CASE("sweeps of 2000 random pairs find the meeting that fine time steps find, and no other") {
  constexpr int kSamples = 200;
  constexpr double kApart = 1e-4;  // m
  int met = 0, passed = 0;
  test::forAll(31, 2000, [&](test::Random& random, int) {
    const std::vector<Shape> shapes = {randomShape(random, 0), randomShape(random, 1)};
    CollisionWorld world(shapes, {});
    const Flight flight(random);
    if (gapAt(world, flight.start) < kApart) return;
    double least = std::numeric_limits<double>::infinity(), first = -1.0;
    for (int i = 0; i <= kSamples && first < 0.0; ++i) {
      least = std::min(least, gapAt(world, flight.at(i * kStep / kSamples)));
      if (least < 0.0) first = i * kStep / kSamples;
    }
    std::vector<Contact> contacts;
    world.detectOver(flight.motion(), 0.0, contacts);
    if (least > kApart) {
      ++passed;
      CHECK(contacts.empty());
      return;
    }
    // Between two samples shapes may graze each other unseen, and samples may graze what a sweep passes.
    if (first < 0.0 || gapAt(world, flight.at(first)) > -1e-7) return;
    ++met;
    REQUIRE(!contacts.empty());
    REQUIRE(contacts[0].meets());
    CHECK(contacts[0].meeting <= first + 1e-9);
    CHECK(std::abs(gapAt(world, flight.at(contacts[0].meeting))) < 1e-5);
    CHECK(gapAt(world, flight.at(0.5 * contacts[0].meeting)) > -1e-9);
  });
  MESSAGE(met << " meet, " << passed << " pass");
  CHECK(met > 100);
  CHECK(passed > 500);
}
