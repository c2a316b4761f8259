#include <algorithm>

#include "joints/motor.h"
#include "tests/support.h"

using namespace grashof;

namespace {

constexpr double kDriveStep = 2e-3;  // s

/// The law of a drive as the theory states it: impulse over the rate.
double clampedImpulse(const LinearLaw& command, const DriveBounds& b, double rate) {
  double impulse = command.impulse(rate);
  if (b.line())
    impulse = std::clamp(impulse, -b.stall * (1.0 + rate / b.noLoad) * kDriveStep,
                         b.stall * (1.0 - rate / b.noLoad) * kDriveStep);
  return std::clamp(impulse, -b.limit * kDriveStep, b.limit * kDriveStep);
}

double sumOf(const DriveRamps& ramps, double rate) {
  double sum = 0.0;
  for (const DriveRamp& ramp : ramps) sum += ramp.impulse(rate);
  return sum;
}

Motor lineMotor() {
  Motor m;
  m.gearRatio = 50.0;
  m.stallTorque = 0.2;
  m.noLoadSpeed = 400.0;
  return m;
}

}  // namespace

TEST_CASE("the ramps of a drive add up to its clamped law at every speed") {
  test::forAll(41, 400, [](test::Random& random, int trial) {
    DriveBounds bounds;
    bounds.stall = std::exp(random.uniform(-3.0, 5.0));
    bounds.noLoad = std::exp(random.uniform(-2.0, 4.0));
    if (trial % 3 == 0) bounds.limit = bounds.stall * std::exp(random.uniform(-2.0, 2.0));
    const double lineSlope = bounds.stall / bounds.noLoad * kDriveStep;
    LinearLaw command{lineSlope * std::exp(random.uniform(-8.0, 8.0)),
                      kDriveStep * bounds.stall * random.uniform(-5.0, 5.0)};
    if (trial % 4 == 0) command.slope = 0.0;
    if (trial % 4 == 1) command.slope = lineSlope;
    const DriveRamps ramps = driveRamps(command, bounds, kDriveStep);
    for (const DriveRamp& ramp : ramps) {
      CHECK(ramp.lower <= 0.0);
      CHECK(ramp.upper >= 0.0);
    }
    const double scale = kDriveStep * bounds.stall;
    for (int i = 0; i < 200; ++i) {
      const double rate = bounds.noLoad * random.uniform(-8.0, 8.0);
      const double size = scale + std::abs(clampedImpulse(command, bounds, rate));
      CHECK(std::abs(sumOf(ramps, rate) - clampedImpulse(command, bounds, rate)) <= 1e-11 * size);
    }
  });
}

TEST_CASE("a limit alone is one ramp, the clamped command itself") {
  DriveBounds bounds;
  bounds.limit = 3.0;
  const LinearLaw command{0.7, -0.2};
  const DriveRamps ramps = driveRamps(command, bounds, kDriveStep);
  CHECK(ramps[kCommandRamp].slope == 0.7);
  CHECK(ramps[kCommandRamp].zeroRate == 0.2 / 0.7);
  CHECK(ramps[kCommandRamp].upper == 3.0 * kDriveStep);
  CHECK(ramps[kCommandRamp].lower == -3.0 * kDriveStep);
  CHECK(ramps[kUpperLineRamp].slope == 0.0);
  CHECK(ramps[kLowerLineRamp].slope == 0.0);
}

TEST_CASE("bounds at the joint: torques times the ratio, speeds over it, the least limit") {
  Actuator servo;
  CHECK_FALSE(driveBounds(servo, nullptr).bounded());
  Motor motor = lineMotor();
  DriveBounds bounds = driveBounds(servo, &motor);
  CHECK(bounds.stall == doctest::Approx(10.0));
  CHECK(bounds.noLoad == doctest::Approx(8.0));
  CHECK(std::isinf(bounds.limit));
  CHECK(bounds.upper(4.0) == doctest::Approx(5.0));
  CHECK(bounds.upper(-4.0) == doctest::Approx(15.0));
  CHECK(bounds.lower(4.0) == doctest::Approx(-15.0));
  CHECK(bounds.upper(16.0) == doctest::Approx(-10.0));
  motor.torqueLimit = 0.1;
  CHECK(driveBounds(servo, &motor).limit == doctest::Approx(5.0));
  servo.effortLimit = 2.0;
  CHECK(driveBounds(servo, &motor).limit == 2.0);
  // A stall torque without a no-load speed is a limit.
  Motor stallOnly;
  stallOnly.stallTorque = 0.5;
  CHECK_FALSE(driveBounds(servo, &stallOnly).line());
  CHECK(driveBounds(servo, &stallOnly).limit == 0.5);
}

TEST_CASE("the line follows from voltage, torque constant and resistance where it is not given") {
  Motor m;
  CHECK(m.stall() == Motor::kNone);
  CHECK(m.noLoad() == Motor::kNone);
  m.voltage = 12.0;
  m.torqueConstant = 0.02;
  CHECK(m.noLoad() == doctest::Approx(600.0));
  CHECK(m.stall() == Motor::kNone);
  m.resistance = 3.0;
  CHECK(m.stall() == doctest::Approx(0.08));
  m.stallTorque = 0.07;
  CHECK(m.stall() == 0.07);
  CHECK(m.current(0.04) == doctest::Approx(2.0));
  CHECK(m.copperLoss(-0.04) == doctest::Approx(12.0));
}

TEST_CASE("the use of the line is the voltage that torque and speed need") {
  Motor m;
  m.voltage = 12.0;
  m.torqueConstant = 0.02;
  m.resistance = 3.0;
  for (const double torque : {-0.1, 0.0, 0.05})
    for (const double speed : {-900.0, 0.0, 300.0}) {
      const double needed = m.resistance * m.current(torque) + m.torqueConstant * speed;
      CHECK(m.lineUse(torque, speed) == doctest::Approx(std::abs(needed) / m.voltage));
    }
}

TEST_CASE("a gear takes its share of what the motor gives, and helps it to brake") {
  Motor m;
  m.efficiency = 0.8;
  m.backEfficiency = 0.6;
  CHECK(m.gearedTorque(2.0, 5.0) == doctest::Approx(2.5));
  CHECK(m.gearedTorque(-2.0, -5.0) == doctest::Approx(-2.5));
  CHECK(m.gearedTorque(2.0, -5.0) == doctest::Approx(1.2));
  CHECK(m.gearedTorque(2.0, 0.0) == 2.0);
}
