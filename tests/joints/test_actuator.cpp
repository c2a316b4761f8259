#include "joints/actuator.h"
#include "tests/support.h"

using namespace grashof;

namespace {

constexpr double kServoMass = 2.0;  // kg

/// One step of a mass under a position servo to `reference` at rest. `share`: of the step that lies after the
/// configuration where rows are evaluated, 1 for Euler, 1/2 for the midpoint scheme.
void servoStep(const Actuator& servo, double reference, double dt, double share, double& q, double& v) {
  const double rows = q + (1.0 - share) * dt * v;
  const LinearLaw law = servoLaw(servo, rows, reference, 0.0, dt, share * dt);
  v = (kServoMass * v - law.offset) / (kServoMass + law.slope);
  q = rows + share * dt * v;
}

}  // namespace

TEST_CASE("a position servo is stable for any gains and any step") {
  for (const double kp : {1.0, 1e4, 1e10})
    for (const double kd : {0.0, 1.0, 1e8})
      for (const double dt : {1e-4, 1e-2, 1.0})
        for (const double share : {1.0, 0.5}) {
          CAPTURE(kp);
          CAPTURE(kd);
          CAPTURE(dt);
          CAPTURE(share);
          Actuator servo;
          servo.kind = Actuator::Kind::Position;
          servo.proportionalGain = kp;
          servo.derivativeGain = kd;
          // The step is linear in (q, Δt v): its columns are the images of the unit vectors.
          Mat2 step;
          for (int i = 0; i < 2; ++i) {
            double q = i == 0 ? 1.0 : 0.0, v = i == 1 ? 1.0 / dt : 0.0;
            servoStep(servo, 0.0, dt, share, q, v);
            step.col(i) = Vec2(q, dt * v);
          }
          // Both eigenvalues lie within the unit circle (Jury's conditions).
          const double trace = step.trace(), determinant = step.determinant();
          CHECK(std::abs(determinant) < 1.0);
          CHECK(1.0 + determinant - std::abs(trace) > -1e-12);
          CHECK(determinant ==
                doctest::Approx(1.0 / (1.0 + kd * dt / kServoMass + share * kp * dt * dt / kServoMass))
                    .epsilon(1e-6)
                    .scale(1.0));
        }
}

TEST_CASE("a stiff servo of Euler reaches its reference in one step and stays") {
  Actuator servo;
  servo.kind = Actuator::Kind::Position;
  servo.proportionalGain = 1e12;
  double q = 0.2, v = -1.0;
  servoStep(servo, 0.5, 1e-3, 1.0, q, v);
  CHECK(q == doctest::Approx(0.5).epsilon(1e-5));
  servoStep(servo, 0.5, 1e-3, 1.0, q, v);
  CHECK(q == doctest::Approx(0.5).epsilon(1e-5));
  CHECK(std::abs(v) < 1e-2);
}

TEST_CASE("a servo that follows its reference exactly makes no effort") {
  Actuator servo;
  servo.kind = Actuator::Kind::Position;
  servo.proportionalGain = 300.0;
  servo.derivativeGain = 20.0;
  // At the end of the step the coordinate 0.1 + 0.01 · 3 is the reference, and so is its rate.
  const double rate = 3.0, timeToEnd = 0.01;
  CHECK(std::abs(servoLaw(servo, 0.1, 0.1 + timeToEnd * rate, rate, 0.02, timeToEnd).impulse(rate)) < 1e-12);
  // Behind by 1 mm it pulls with kp · 1 mm for the whole step.
  CHECK(servoLaw(servo, 0.099, 0.1 + timeToEnd * rate, rate, 0.02, timeToEnd).impulse(rate) ==
        doctest::Approx(0.02 * 300.0 * 1e-3));
}

TEST_CASE("a velocity servo closes 1 - 1 / (1 + kd Δt / m) of the difference per step") {
  Actuator servo;
  servo.kind = Actuator::Kind::Velocity;
  servo.derivativeGain = 40.0;
  servo.proportionalGain = 1e6;  // without meaning here
  const double dt = 0.05, reference = 2.0;
  double v = -1.0;
  const LinearLaw law = servoLaw(servo, 7.0, reference, 0.0, dt, dt);
  v = (kServoMass * v - law.offset) / (kServoMass + law.slope);
  CHECK(v - reference == doctest::Approx(-3.0 / (1.0 + 40.0 * dt / kServoMass)));
}

TEST_CASE("only servos are servos, and only finite limits limit") {
  Actuator a;
  for (const auto kind : {Actuator::Kind::None, Actuator::Kind::Effort, Actuator::Kind::Motion}) {
    a.kind = kind;
    CHECK_FALSE(a.servo());
  }
  a.kind = Actuator::Kind::Velocity;
  CHECK(a.servo());
  CHECK_FALSE(a.limited());
  a.effortLimit = 0.0;
  CHECK(a.limited());
}
