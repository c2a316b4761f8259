// Datasets of Adams/Solver become the mechanisms that they describe.
#include <cmath>
#include <fstream>
#include <numbers>

#include "engine/analysis/assembly.h"
#include "engine/dynamics/simulator.h"
#include "tests/tools/adm_support.h"
#include "tools/convert/adm_features.h"

using namespace grashof;
using namespace grashof::test;

namespace {

constexpr double kAdmDegree = std::numbers::pi / 180.0;

/// A joint coordinate after `time` s.
double coordinateAfter(const Converted& made, double time, const std::string& joint, int coordinate = 0) {
  return channelAt(made.model(), time, "joint." + joint + ".q." + std::to_string(coordinate));
}

}  // namespace

TEST_CASE("a small pendulum in millimetres swings with the period of its length") {
  const Converted made = fromAdm(R"(ADAMS/View model name: clock
!
UNITS/
, FORCE = NEWTON
, MASS = KILOGRAM
, LENGTH = MILLIMETER
, TIME = SECOND
!                          adams_view_name='ground'
PART/1
, GROUND
MARKER/1, PART = 1, QP = 0, 0, 500
, REULER = 0D, 90D, 0D
!                          adams_view_name='bob'
PART/2, QG = 0, 0, 500, REULER = 0D, 1D, 0D
, MASS = 2, CM = 3, IP = 1E4, 1E4, 1E4
MARKER/2, PART = 2, REULER = 90D, 90D, 0D   ! z along the x axis of the part
MARKER/3, PART = 2, QP = 0, 0, -300
MARKER/4, PART = 1, QP = 0, 0, 500, REULER = 90D, 90D, 0D
!                          adams_view_name='pivot'
JOINT/7
, REVOLUTE
, I = 2
, J = 4
ACCGRAV/
, KGRAV = -9806.65
END
PART/99, this is never read
)");
  CHECK(made.scenario.name == "clock");
  CHECK(made.scenario.duration == 5.0);
  const Body& bob = made.body("bob");
  CHECK(bob.mass == 2.0);
  CHECK(bob.inertia(0, 0) == doctest::Approx(0.01));
  CHECK((bob.initialPose.position - Vec3(0.0, 0.3 * std::sin(kAdmDegree), 0.5 - 0.3 * std::cos(kAdmDegree)))
            .norm() < 1e-12);
  CHECK(made.report.leftOut.empty());
  const double period = 2.0 * std::numbers::pi * std::sqrt((0.01 + 2.0 * 0.09) / (2.0 * 9.80665 * 0.3));
  CHECK(std::abs(coordinateAfter(made, 0.0, "pivot")) == doctest::Approx(kAdmDegree));
  CHECK(coordinateAfter(made, std::round(1e3 * period) * 1e-3, "pivot") ==
        doctest::Approx(coordinateAfter(made, 0.0, "pivot")).epsilon(1e-4));
}

TEST_CASE("Euler angles turn about z, the new x and the new z") {
  const Converted made = fromAdm(
      kAdmGround +
      std::string("PART/2, MASS=1, CM=2, IP=1,1,1, QG=1,2,3, REULER=30D,40D,0.5\nMARKER/2, PART=2\n"));
  const Mat3 r = (Eigen::AngleAxisd(30.0 * kAdmDegree, Vec3::UnitZ()) *
                  Eigen::AngleAxisd(40.0 * kAdmDegree, Vec3::UnitX()) * Eigen::AngleAxisd(0.5, Vec3::UnitZ()))
                     .toRotationMatrix();
  const Pose pose = userPose(made.model(), made.model().initialState(), 0);
  CHECK((pose.rotation.toRotationMatrix() - r).norm() < 1e-12);
  CHECK((pose.position - Vec3(1.0, 2.0, 3.0)).norm() < 1e-12);
}

TEST_CASE("points place axes: z by one, x near the other, or x by one with USEXP") {
  const auto axesOf = [](const std::string& frame) {
    const Converted made = fromAdm(kAdmGround + std::string("PART/2, MASS=1, CM=2, IP=1,1,1, ") + frame +
                                   "\nMARKER/2, PART=2\n");
    return Mat3(userPose(made.model(), made.model().initialState(), 0).rotation.toRotationMatrix());
  };
  const Mat3 turned = axesOf("QG=1,0,0, ZG=1,5,0, XG=1,3,2");
  CHECK((turned.col(2) - Vec3::UnitY()).norm() < 1e-12);
  CHECK((turned.col(0) - Vec3::UnitZ()).norm() < 1e-12);
  CHECK((axesOf("ZG=0,0,-1").col(2) + Vec3::UnitZ()).norm() < 1e-12);
  const Converted marked =
      fromAdm(kAdmGround + std::string("PART/2, MASS=1, CM=2, IP=0.1,0.2,0.3, IM=3\nMARKER/2, "
                                       "PART=2\nMARKER/3, PART=2, XP=0,1,0, ZP=0,1,1, USEXP\n"));
  // x of the inertia is y of the part, its z the part's.
  CHECK((marked.model().bodies[0].inertia - Mat3(Vec3(0.2, 0.1, 0.3).asDiagonal())).norm() < 1e-12);
}

TEST_CASE("products of inertia are positive integrals, about the marker IM") {
  // Two points of 1 kg at ±(1, 2, 0) about their centre, and a ball.
  const double xx = 8.0, yy = 2.0, zz = 10.0, xy = 4.0;
  const auto inertiaOf = [](const std::string& ip, const std::string& more) {
    return fromAdm(kAdmGround + std::string("PART/2, MASS=2, CM=2, IP=") + ip + more +
                   "\nMARKER/2, PART=2, QP=1,0,0\nMARKER/3, PART=2\n")
        .model()
        .bodies[0]
        .inertia;
  };
  Mat3 expected;
  expected << xx + 1.0, -xy, 0.0, -xy, yy + 1.0, 0.0, 0.0, 0.0, zz + 1.0;
  CHECK((inertiaOf("9,3,11,4,0,0", "") - expected).norm() < 1e-12);
  // About a point 1 m away along x: 2 kg m² more across it.
  CHECK((inertiaOf("9,5,13,4,0,0", ", IM=3") - expected).norm() < 1e-12);
}

TEST_CASE("start velocities are of the centre of mass in the world, and about the axes of CM") {
  const Converted made =
      fromAdm(kAdmGround + std::string(R"(PART/2, MASS=1, CM=2, IP=1,1,1, VX=1, VY=2, WZ=180D
MARKER/2, PART=2, QP=1,0,0, REULER=0D,90D,0D
PART/3, MASS=1, CM=3, IP=1,1,1, VM=2, VZ=1, WM=3, WX=2
MARKER/3, PART=3
)"));
  const Vec6 first = made.model().bodies[0].initialTwist, second = made.model().bodies[1].initialTwist;
  CHECK((first.head<3>() - Vec3(1.0, 2.0, 0.0)).norm() < 1e-12);
  CHECK((first.tail<3>() - Vec3(0.0, -std::numbers::pi, 0.0)).norm() < 1e-12);
  CHECK((second.head<3>() - Vec3(0.0, -1.0, 0.0)).norm() < 1e-12);
  CHECK((second.tail<3>() - Vec3(2.0, 0.0, 0.0)).norm() < 1e-12);
}

TEST_CASE("each kind of joint leaves the freedom that it has in Adams") {
  const auto freedom = [](const std::string& joint) {
    CAPTURE(joint);
    return fromAdm(admTwoParts(joint + "\n")).mobility() - 6;  // the other part is free
  };
  for (const std::string markers : {", I=2, J=1", ", I=1, J=2"}) {
    CAPTURE(markers);
    CHECK(freedom("JOINT/1, REVOLUTE" + markers) == 1);
    CHECK(freedom("JOINT/1, TRANSLATIONAL" + markers) == 1);
    CHECK(freedom("JOINT/1, CYLINDRICAL" + markers) == 2);
    CHECK(freedom("JOINT/1, SPHERICAL" + markers) == 3);
    CHECK(freedom("JOINT/1, FIXED" + markers) == 0);
    CHECK(freedom("JOINT/1, PLANAR" + markers) == 3);
    CHECK(freedom("JOINT/1, HOOKE" + markers) == 2);
    CHECK(freedom("JOINT/1, SCREW, PITCH=0.1" + markers) == 1);
    CHECK(freedom("JPRIM/1, ATPOINT" + markers) == 3);
    CHECK(freedom("JPRIM/1, INLINE" + markers) == 4);
    CHECK(freedom("JPRIM/1, INPLANE" + markers) == 5);
    CHECK(freedom("JPRIM/1, ORIENTATION" + markers) == 3);
  }
  CHECK(freedom("JOINT/1, UNIVERSAL, I=12, J=1") == 2);
  CHECK(freedom("JOINT/1, UNIVERSAL, I=1, J=12") == 2);
  CHECK(freedom("JPRIM/1, PERPENDICULAR, I=12, J=1") == 6);
}

TEST_CASE("the axes of a universal joint are z of both, of a Hooke joint x of I and y of J") {
  const auto rate = [](const std::string& kind, const std::string& spin, int axis) {
    const std::string text = kAdmGround + std::string("PART/2, MASS=1, CM=2, IP=1,1,1, ") + spin +
                             "\nMARKER/2, PART=2\nMARKER/12, PART=2, REULER=0D,90D,0D\nJOINT/1, " + kind +
                             "\n";
    return fromAdm(text).model().bodies[0].initialTwist[3 + axis];
  };
  CHECK(rate("HOOKE, I=2, J=1", "WX=1", 0) == doctest::Approx(1.0));
  CHECK(rate("HOOKE, I=2, J=1", "WY=1", 1) == doctest::Approx(1.0));
  CHECK(rate("HOOKE, I=2, J=1", "WZ=1", 2) == doctest::Approx(0.0));
  // z of 12 is -y, z of 1 is z.
  CHECK(rate("UNIVERSAL, I=12, J=1", "WX=1", 0) == doctest::Approx(0.0));
  CHECK(rate("UNIVERSAL, I=12, J=1", "WY=1", 1) == doctest::Approx(1.0));
  CHECK(rate("UNIVERSAL, I=12, J=1", "WZ=1", 2) == doctest::Approx(1.0));
  CHECK(rate("UNIVERSAL, I=1, J=12", "WX=1", 0) == doctest::Approx(0.0));
}

TEST_CASE("a constant velocity joint turns both shafts alike at any bend") {
  const Converted made = fromAdm(kAdmGround + std::string(R"(MARKER/21, PART=1, REULER=0D,40D,0D
PART/2, MASS=1, CM=2, IP=1,1,1
MARKER/2, PART=2
PART/3, MASS=1, CM=3, IP=1,1,1, REULER=0D,40D,0D
MARKER/3, PART=3
JOINT/1, REVOLUTE, I=2, J=1
JOINT/2, REVOLUTE, I=3, J=21
JOINT/3, CONVEL, I=3, J=2
MOTION/1, JOINT=1, FUNCTION=2*TIME
)"));
  CHECK(coordinateAfter(made, 0.6, "joint2") == doctest::Approx(1.2).epsilon(1e-7));
  CHECK(channelAt(made.model(), 0.37, "joint.joint2.rate.0") == doctest::Approx(2.0).epsilon(1e-6));
}

TEST_CASE("coordinates are of I against J, whichever is on the ground") {
  const auto check = [](const std::string& markers, double sense) {
    CAPTURE(markers);
    const Converted turned =
        fromAdm(kAdmGround +
                std::string("PART/2, MASS=1, CM=2, IP=1,1,1, QG=0,0,0.5, REULER=20D,0D,0D\nMARKER/2, "
                            "PART=2\nJOINT/1, CYLINDRICAL, ") +
                markers + "\n");
    CHECK(coordinateAfter(turned, 0.0, "joint1", 0) == doctest::Approx(0.5 * sense));
    CHECK(coordinateAfter(turned, 0.0, "joint1", 1) == doctest::Approx(20.0 * kAdmDegree * sense));
  };
  check("I=2, J=1", 1.0);
  check("I=1, J=2", -1.0);
}

TEST_CASE("axes of I and J that point against each other stay so, with the coordinates of Adams") {
  const auto check = [](const std::string& kind, const std::string& euler, int coordinate, double expected) {
    CAPTURE(kind);
    CAPTURE(euler);
    const Converted made = fromAdm(
        kAdmGround + std::string("PART/2, QG=0,0,0.2, MASS=1, CM=2, IP=1,1,1\nMARKER/2, PART=2, REULER=") +
        euler + "\nJOINT/1, " + kind + ", I=2, J=1\n");
    CHECK(anyLine(made.report.assumed, "JOINT/1: axes of I and J point against each other"));
    CHECK((userPose(made.model(), made.model().initialState(), 0).rotation.vec()).norm() < 1e-9);
    if (coordinate >= 0) CHECK(coordinateAfter(made, 0.0, "joint1", coordinate) == doctest::Approx(expected));
  };
  check("CYLINDRICAL", "30D,180D,0D", 0, 0.2);
  check("CYLINDRICAL", "30D,180D,0D", 1, 30.0 * kAdmDegree);
  check("TRANSLATIONAL", "0D,180D,0D", 0, 0.2);
  check("TRANSLATIONAL", "180D,180D,0D", 0, 0.2);
  check("TRANSLATIONAL", "180D,0D,0D", 0, 0.2);
  const Converted hinge =
      fromAdm(kAdmGround + std::string("PART/2, MASS=1, CM=2, IP=1,1,1\nMARKER/2, PART=2, "
                                       "REULER=0D,180D,0D\nJOINT/1, REVOLUTE, I=1, J=2\n"));
  CHECK_FALSE(anyLine(hinge.report.assumed, "moved by"));
}

TEST_CASE("a crank that a motion turns moves the slider of its linkage") {
  const double r = 0.1, l = 0.3;
  const Converted made = fromAdm(R"(ADAMS/View model name: slider crank
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = MILLIMETER, TIME = SECOND
PART/1, GROUND
MARKER/1, PART=1
MARKER/2, PART=1, QP=400,0,0, REULER=90D,90D,0D
! adams_view_name='crank'
PART/2, MASS=1, CM=3, IP=1E3,1E3,1E3
MARKER/3, PART=2, QP=50,0,0
MARKER/4, PART=2
MARKER/5, PART=2, QP=100,0,0
! adams_view_name='rod'
PART/3, QG=100,0,0, MASS=1, CM=6, IP=1E3,1E3,1E3
MARKER/6, PART=3, QP=150,0,0
MARKER/7, PART=3
MARKER/8, PART=3, QP=300,0,0
! adams_view_name='slider'
PART/4, QG=400,0,0, MASS=1, CM=9, IP=1E3,1E3,1E3
MARKER/9, PART=4
MARKER/10, PART=4, REULER=90D,90D,0D
JOINT/1, REVOLUTE, I=4, J=1
JOINT/2, REVOLUTE, I=7, J=5
JOINT/3, SPHERICAL, I=9, J=8
! adams_view_name='guide'
JOINT/4, TRANSLATIONAL, I=10, J=2
! adams_view_name='drive'
MOTION/1, JOINT=1, FUNCTION = 360D*TIME
)");
  for (const double t : {0.1, 0.25, 0.4}) {
    CAPTURE(t);
    const double a = 2.0 * std::numbers::pi * t,
                 expected = r * std::cos(a) + std::sqrt(l * l - r * r * std::sin(a) * std::sin(a));
    CHECK(channelAt(made.model(), t, "body.slider.position.x") == doctest::Approx(expected).epsilon(1e-9));
  }
  CHECK(motionAt(made, "drive", 0.5) == doctest::Approx(std::numbers::pi));
}

TEST_CASE("a spring and damper on a slider swing as the oscillator that they are") {
  const double k = 200.0, c = 2.0, m = 1.0, rate = c / (2.0 * m), omega = std::sqrt(k / m - rate * rate);
  const auto at = [&](double t) {
    return 0.5 + std::exp(-rate * t) * 0.1 * (std::cos(omega * t) + rate / omega * std::sin(omega * t));
  };
  const auto check = [&](const std::string& force) {
    CAPTURE(force);
    const Converted made = fromAdm(kAdmGround +
                                   std::string("PART/2, QG=0,0,0.6, MASS=1, CM=2, IP=1,1,1\nMARKER/2, "
                                               "PART=2\nJOINT/1, TRANSLATIONAL, I=2, J=1\n") +
                                   force + "\n");
    CHECK(made.report.leftOut.empty());
    CHECK(coordinateAfter(made, 0.3, "joint1") == doctest::Approx(at(0.3)).epsilon(1e-6));
  };
  check("SPRINGDAMPER/1, TRANSLATIONAL, I=2, J=1, K=200, C=2, LENGTH=0.5");
  check("SPRINGDAMPER/1, TRANSLATIONAL, I=1, J=2, K=200, C=2, LENGTH=0.4, FORCE=20");
  check("SFORCE/1, TRANSLATIONAL, I=2, J=1, FUNCTION=-200*(DM(1,2)-0.5) - 2*VR(2,1)");
  check("MARKER/12, PART=1, QP=0,0,0.5\nBUSHING/2, I=2, J=12, K=0,0,200, C=0,0,2");
}

TEST_CASE("a torsion spring counts the angle of its markers from theirs") {
  // At rest at 0.3 rad of the part; markers of the spring are turned against those of the joint.
  const double k = 3.0, inertia = 0.3, omega = std::sqrt(k / inertia);
  const auto check = [&](const std::string& force, double sense) {
    CAPTURE(force);
    const Converted made = fromAdm(kAdmGround + std::string(R"(MARKER/22, PART=1, REULER=50D,0D,0D
PART/2, MASS=1, CM=2, IP=0.1,0.2,0.3
MARKER/2, PART=2
MARKER/23, PART=2, REULER=10D,0D,0D
)") + force + "\n");
    CHECK(made.report.leftOut.empty());
    CHECK(sense * coordinateAfter(made, 0.4, "joint1") ==
          doctest::Approx(0.3 - 0.3 * std::cos(omega * 0.4)).epsilon(1e-6));
  };
  for (const auto& [joint, sense] :
       {std::pair("JOINT/1, REVOLUTE, I=2, J=1\n", 1.0), std::pair("JOINT/1, REVOLUTE, I=1, J=2\n", -1.0)}) {
    const std::string j = joint;
    check(j + "SPRINGDAMPER/1, ROTATIONAL, I=2, J=1, KT=3, ANGLE=0.3", sense);
    check(j + "SPRINGDAMPER/1, ROTATIONAL, I=1, J=2, KT=3, ANGLE=-0.3", sense);
    check(j + "SPRINGDAMPER/1, ROTATIONAL, I=2, J=1, KT=3, TORQUE=0.9", sense);
    check(j + "SFORCE/1, ROTATIONAL, I=2, J=1, FUNCTION=-3*(AZ(2,1) - 0.3)", sense);
    check(j + "SFORCE/1, ROTATIONAL, I=2, J=1, FUNCTION=3*(AZ(1,2) + 0.3)", sense);
    check(j + "SFORCE/1, ROTATIONAL, I=2, J=1, FUNCTION=-3*(AZ(23,22) + 40D - 0.3)", sense);
    check(j + "SFORCE/1, ROTATIONAL, I=23, J=22, FUNCTION=-3*(AZ(2,1) - 0.3)", sense);
  }
}

TEST_CASE("a spring that is curved over its length or angle is a table of it") {
  // 3 x + 4 x³ on 1 kg from 0.1 m: energy at the place of rest, 1.5 x² + x⁴.
  const Converted made = fromAdm(kAdmGround + std::string(R"(MARKER/5, PART=1, QP=0,0,-1
PART/2, QG=0,0,0.1, MASS=1, CM=2, IP=1,1,1
MARKER/2, PART=2
JOINT/1, TRANSLATIONAL, I=2, J=1
SFORCE/1, TRANSLATIONAL, I=2, J=5, FUNCTION=-3*(DM(2,5)-1) - 4*(DM(2,5)-1)**3
)"));
  CHECK(
      anyLine(made.report.approximated, "SFORCE/1: its function is a table of 4001 distances from 0 to 11"));
  double fastest = 0.0;
  Simulator simulator(made.model());
  while (simulator.state().time < 1.5) {
    simulator.step();
    fastest = std::max(fastest, std::abs(simulator.state().twists[0][2]));
  }
  CHECK(fastest == doctest::Approx(std::sqrt(2.0 * (1.5 * 0.01 + 1e-4))).epsilon(1e-4));
  for (const char* function : {"-DM(2,5)*VR(2,5)", "-DM(2,5)**2*TIME", "-VR(2,5)**3", "-1/(DM(2,5) - 2)"}) {
    CAPTURE(function);
    const Converted other =
        fromAdm(kAdmGround +
                std::string("MARKER/5, PART=1, QP=0,0,-1\nPART/2, MASS=1, CM=2, IP=1,1,1\nMARKER/2, "
                            "PART=2\nSFORCE/1, TRANSLATIONAL, I=2, J=5, FUNCTION=") +
                function + "\n");
    CHECK(anyLine(other.report.leftOut, "SFORCE/1"));
  }
}

TEST_CASE("torques and forces of time act on their part") {
  const auto spun = [](const std::string& force) {
    const Converted made = fromAdm(admTwoParts("JOINT/1, REVOLUTE, I=2, J=1\n" + force + "\n"));
    CHECK(made.report.leftOut.empty());
    return coordinateAfter(made, 1.0, "joint1");
  };
  // 0.6 N m on 0.3 kg m² for 1 s.
  CHECK(spun("SFORCE/1, ROTATIONAL, I=2, J=1, FUNCTION=0.6") == doctest::Approx(1.0).epsilon(1e-6));
  CHECK(spun("SFORCE/1, ROTATIONAL, I=1, J=2, FUNCTION=-0.6") == doctest::Approx(1.0).epsilon(1e-6));
  CHECK(spun("SFORCE/1, ROTATIONAL, I=2, J=1, ACTIONONLY, FUNCTION=0.6") ==
        doctest::Approx(1.0).epsilon(1e-6));
  CHECK(spun("SFORCE/1, ROTATIONAL, I=2, J=1, FUNCTION=1.8*TIME") == doctest::Approx(1.0).epsilon(1e-6));
  CHECK(spun("MARKER/9, PART=1, FLOATING\nVTORQUE/1, I=2, JFLOAT=9, RM=1, TZ=0.6") ==
        doctest::Approx(1.0).epsilon(1e-6));
  CHECK(spun("MARKER/9, PART=1, FLOATING\nGFORCE/1, I=2, JFLOAT=9, RM=12, FX=0\\FY=1\\TY=1.8*TIME\\TX=0") ==
        doctest::Approx(1.0).epsilon(1e-6));
  const Converted pushed = fromAdm(
      admTwoParts("MARKER/9, PART=1, FLOATING\nVFORCE/1, I=2, JFLOAT=9, RM=1, FX=2*SIN(TIME), FY=4\n"));
  const double t = 0.5;
  CHECK(channelAt(pushed.model(), t, "body.part2.position.x") ==
        doctest::Approx(2.0 * (t - std::sin(t))).epsilon(1e-5));
  CHECK(channelAt(pushed.model(), t, "body.part2.position.y") == doctest::Approx(2.0 * t * t).epsilon(1e-9));
}

TEST_CASE("couplers, gears, racks and screws keep their ratios") {
  const auto after = [](const std::string& statements, const std::string& joint, int coordinate = 0) {
    return coordinateAfter(fromAdm(admTwoParts(statements)), 0.5, joint, coordinate);
  };
  const std::string hinges =
      "JOINT/1, REVOLUTE, I=2, J=1\nJOINT/2, REVOLUTE, I=3, J=1\nMOTION/1, JOINT=1, FUNCTION=2*TIME\n";
  const std::string rail =
      "JOINT/1, REVOLUTE, I=2, J=1\nJOINT/2, TRANSLATIONAL, I=13, J=11\nMOTION/1, JOINT=1, FUNCTION=2*TIME\n";
  CHECK(after(hinges + "COUPLER/1, JOINTS=1,2, SCALES=1,-2\n", "joint2") == doctest::Approx(0.5));
  CHECK(after(hinges + "COUPLER/1, JOINTS=1,2, SCALES=3\n", "joint2") == doctest::Approx(-1.0 / 3.0));
  CHECK(after(rail + "COUPLER/1, JOINTS=1,2, TYPE=R:T, SCALES=1,-4\n", "joint2") == doctest::Approx(0.25));
  // The gears meet at x = 0.2: a point there moves along y by 0.2 m a radian; so does a rack. z of 11 is -y.
  CHECK(after(rail + "MARKER/8, PART=1, QP=0.2,0,0, REULER=0D,90D,0D\nGEAR/1, JOINTS=1,2, CV=8\n",
              "joint2") == doctest::Approx(-0.2));
  const std::string apart =
      "MARKER/6, PART=1, QP=0.5,0,0\nMARKER/7, PART=3, QP=0.5,0,0\nJOINT/1, REVOLUTE, I=2, J=1\nJOINT/2, "
      "REVOLUTE, I=7, J=6\nMOTION/1, JOINT=1, FUNCTION=2*TIME\n";
  CHECK(after(apart + "MARKER/8, PART=1, QP=0.2,0,0, REULER=0D,90D,0D\nGEAR/1, JOINTS=1,2, CV=8\n",
              "joint2") == doctest::Approx(-2.0 / 3.0));
  CHECK(after(rail + "JOINT/3, RACKPIN, I=2, J=13, PD=0.4\n", "joint2") == doctest::Approx(0.2));
  CHECK(after("JOINT/1, SCREW, I=2, J=1, PITCH=0.1\nJOINT/2, CYLINDRICAL, I=2, J=1\nMOTION/1, JOINT=2, "
              "ROTATION, FUNCTION=2*PI*TIME\n",
              "joint1") == doctest::Approx(0.05));
}

TEST_CASE("a rack follows its pinion with the joints of either described from the other side") {
  const auto after = [](const std::string& hinge, const std::string& slide) {
    const Converted made = fromAdm(
        admTwoParts("JOINT/1, REVOLUTE, " + hinge + "\nJOINT/2, TRANSLATIONAL, " + slide +
                    "\nJOINT/3, RACKPIN, I=2, J=13, PD=0.4\nSFORCE/1, ROTATIONAL, I=2, J=1, FUNCTION=0.7\n"));
    return Vec3(0.0, channelAt(made.model(), 0.5, "body.part3.position.y"),
                channelAt(made.model(), 0.5, "body.part2.angular-velocity.z"));
  };
  const Vec3 one = after("I=2, J=1", "I=13, J=11");
  CHECK(one.y() < -1e-3);  // z of the rack is -y
  CHECK(one.z() > 1e-3);
  CHECK((after("I=1, J=2", "I=13, J=11") - one).norm() < 1e-9);
  CHECK((after("I=2, J=1", "I=11, J=13") - one).norm() < 1e-9);
}

TEST_CASE("motions of velocity, acceleration and of markers move as they say") {
  const std::string rail = "JOINT/1, TRANSLATIONAL, I=2, J=1\n";
  const auto after = [](const std::string& statements) {
    return channelAt(fromAdm(admTwoParts(statements)).model(), 0.5, "body.part2.position.z");
  };
  CHECK(after(rail + "MOTION/1, JOINT=1, VELOCITY, FUNCTION=3\n") == doctest::Approx(1.5));
  CHECK(after(rail + "MOTION/1, JOINT=1, VELOCITY, FUNCTION=3, ICDISP=0.25\n") == doctest::Approx(1.75));
  CHECK(after(rail + "MOTION/1, JOINT=1, ACCELERATION, ICVEL=1, FUNCTION=4\n") ==
        doctest::Approx(1.0).epsilon(1e-7));
  CHECK(after(rail + "MOTION/1, I=2, J=1, Z, FUNCTION=TIME**2\n") == doctest::Approx(0.25).epsilon(1e-7));
  CHECK(after("MOTION/1, I=2, J=1, Z, FUNCTION=TIME\n") == doctest::Approx(0.5));
  CHECK(after(rail + "VARIABLE/4, FUNCTION=2*TIME\nMOTION/1, JOINT=1, FUNCTION=VARVAL(4)/2\n") ==
        doctest::Approx(0.5));
}

TEST_CASE("initial conditions of joints place the parts and start them") {
  const Converted made = fromAdm(admTwoParts(
      "JOINT/1, REVOLUTE, I=2, J=1, IC=0.3,2\nJOINT/2, CYLINDRICAL, I=3, J=1, ICTRAN=0.1,-1, ICROT=20D\n"));
  CHECK(coordinateAfter(made, 0.0, "joint1") == doctest::Approx(0.3));
  CHECK(coordinateAfter(made, 0.5, "joint1") == doctest::Approx(1.3).epsilon(1e-7));
  CHECK(coordinateAfter(made, 0.5, "joint2", 0) == doctest::Approx(-0.4).epsilon(1e-7));
  CHECK(coordinateAfter(made, 0.5, "joint2", 1) == doctest::Approx(20.0 * kAdmDegree).epsilon(1e-7));
  CHECK(anyLine(made.report.assumed, "moved by up to"));
}

TEST_CASE("parts that do not fit are brought onto their joints, as in Adams, and told") {
  const Converted made = fromAdm(
      kAdmGround +
      std::string(
          "PART/2, QG=0.01,0,0, MASS=1, CM=2, IP=1,1,1\nMARKER/2, PART=2\nJOINT/1, REVOLUTE, I=2, J=1\n"));
  CHECK((userPose(made.model(), made.model().initialState(), 0).position).norm() < 1e-9);
  CHECK(anyLine(made.report.assumed, "moved by up to 0.01"));
}

TEST_CASE("names of ADAMS/View are those of the scenario, and made to differ") {
  const Converted made = fromAdm(kAdmGround + std::string(R"(!   adams_view_name='arm [1]'
PART/2, MASS=1, CM=2, IP=1,1,1
!   adams_view_name='cm'
MARKER/2, PART=2
!   adams_view_name='twin'
PART/3, MASS=1, CM=3, IP=1,1,1
MARKER/3, PART=3
!   adams_view_name='twin'
PART/4, MASS=1, CM=4, IP=1,1,1
MARKER/4, PART=4
!   adams_view_name='elbow'
JOINT/1, REVOLUTE, I=2, J=3
JOINT/2, SPHERICAL, I=3, J=4
MARKER/5, PART=2, QP=1,0,0
!   adams_view_name='spring'
SPRINGDAMPER/5, TRANSLATIONAL, I=5, J=1, K=1, C=1, LENGTH=1
)"));
  CHECK(made.model().findBody("arm _1_") == 0);
  CHECK(made.model().findBody("twin") == 1);
  CHECK(made.model().findBody("twin_4") == 2);
  CHECK(made.model().findJoint("elbow") == 0);
  CHECK(made.model().findJoint("joint2") == 1);
  CHECK(made.model().forces[0].name == "spring");
  CHECK(anyLine(made.report.assumed, "a second body 'twin' is called 'twin_4'"));
}

TEST_CASE("parts without mass or inertia get some, which is told") {
  const Converted made = fromAdm(
      kAdmGround +
      std::string("PART/2, MASS=2, CM=2\nMARKER/2, PART=2\nPART/3\nMARKER/3, PART=3\nPOINT_MASS/4, MASS=1, "
                  "CM=4\nMARKER/4, POINT_MASS=4\nPART/5, MASS=1, CM=5, IP=1,1,2.1\nMARKER/5, PART=5\n"));
  CHECK(made.body("part2").mass == 2.0);
  CHECK(made.body("part3").mass == doctest::Approx(1e-4 * 4.0 / 3.0));
  CHECK(made.body("point_mass4").mass == 1.0);
  CHECK(anyLine(made.report.assumed, "PART/2 'part2' has 2 kg but no inertia"));
  CHECK(anyLine(made.report.approximated, "PART/3 'part3' has no mass"));
  CHECK(anyLine(made.report.repaired, "inertia of PART/5 'part5'"));
  CHECK_FALSE(anyLine(made.report.assumed, "point_mass4"));
}

TEST_CASE("what is not taken over has a line in the report") {
  const Converted made = fromAdm(admTwoParts(R"(JOINT/1, REVOLUTE, I=2, J=1
BEAM/1, I=2, J=3, LENGTH=1
CONTACT/1, IGEOM=1, JGEOM=2
CONTACT/2, IGEOM=1, JGEOM=2
SFORCE/1, TRANSLATIONAL, I=2, J=3, FUNCTION=-DM(2,3)*VR(2,3)
SFORCE/2, ROTATIONAL, I=2, J=3, FUNCTION=IMPACT(AZ(2,3), WZ(2,3), 1, 2, 3, 4)
MOTION/1, JOINT=1, FUNCTION=AKISPL(TIME, 0, 1)
SPLINE/1, X=0,1,2,3, Y=0,1,2,3
GRAPHICS/1, CYLINDER, CM=2, LENGTH=1, RADIUS=0.1
REQUEST/1, F2=FX(1,2,3)\F3=FY(1,2,3),C=anything, goes
NOVELTY/1, WHAT=EVER
PART/9, MASS=1, CM=9, IP=1,1,1, COLOR=RED
MARKER/9, PART=9
)"));
  for (const char* line : {"BEAM (this force does not act)", "CONTACT, 2 of them",
                           "SFORCE/1 (its function is no sum of one over the distance and a damping",
                           "SFORCE/2", "MOTION/1 (its function asks for AKISPL", "SPLINE",
                           "NOVELTY (not known)", "argument COLOR of PART/9"}) {
    CAPTURE(line);
    CHECK(anyLine(made.report.leftOut, line));
  }
  CHECK_FALSE(anyLine(made.report.leftOut, "GRAPHICS"));
  CHECK_FALSE(anyLine(made.report.leftOut, "REQUEST"));
  CHECK(anyLine(made.report.warnings, "3 of its statements do not act"));
  CHECK(anyLine(fromAdm("t\nPART/1,GROUND\nPART/2,MASS=1,CM=2,IP=1,1,1\nMARKER/2,PART=2\n").report.assumed,
                "there are no UNITS"));
  CHECK(
      anyLine(fromAdm(admTwoParts("JOINT/1, REVOLUTE, I=2, J=1\nMOTION/1, JOINT=1, FUNCTION=SIN(TIME)**2\n"),
                      {.duration = 0.5})
                  .report.approximated,
              "MOTION/1: its function is sampled every 0.001 s up to 0.5 s"));
}

TEST_CASE("motions may begin beyond half a turn, with what is coupled to them") {
  const std::vector<std::pair<std::string, double>> motions = {
      {"4 + TIME", 4.0},
      {"200D - 360D*TIME", 10.0 / 9.0 * std::numbers::pi},
      {"7*SIN(TIME + 1.5)", 7.0 * std::sin(1.5)}};
  for (const auto& motion : motions) {
    const auto& [function, start] = motion;
    CAPTURE(motion.first);
    const Converted made =
        fromAdm(admTwoParts("JOINT/1, REVOLUTE, I=2, J=1\nJOINT/2, REVOLUTE, I=13, J=11\n"
                            "COUPLER/1, JOINTS=1,2, SCALES=1,-3\nMOTION/1, JOINT=1, ROT, FUNCTION=" +
                            function + "\n"));
    Simulator simulator(made.scenario.model);
    simulator.step();
    const auto at = [&](const char* joint) {
      return simulator.state()
          .coordinates[static_cast<std::size_t>(made.model().coordinateStart[made.model().findJoint(joint)])];
    };
    CHECK(std::abs(at("joint1") - start) < 0.01);
    CHECK(std::abs(std::abs(at("joint1") / at("joint2")) - 3.0) < 1e-6);
  }
}

TEST_CASE("statements are read in the forms that Adams allows") {
  // Lower case, abbreviations, semicolons, ampersands, commas at either end, leading zeros, comments, no
  // blanks.
  const Converted made = fromAdm(
      "title\r\nunits/system=mks\r\npart/01,ground\r\nmarker/0001,part=1\r\nPART/"
      "2,MASS=1,CM=02,IP=1,&\r\n1,1;MARKER/2,PART=2,\r\n"
      "QP=0,0,0 ! the centre, of mass = here\r\nJOINT/1\r\n, REV\r\n, I=2\r\n, J=1\r\nMOTION/1, JO=1, "
      "FUNC=STEP(TIME,0,0\r\n, 1, 2) -\r\n, 1\r\n, VEL\r\nend\r\n");
  CHECK(made.report.leftOut.empty());
  CHECK(made.model().joints[0].type->name() == "revolute");
  CHECK(channelAt(made.model(), 0.0, "joint.joint1.rate.0") == doctest::Approx(-1.0).epsilon(1e-6));
}

TEST_CASE("units are those of the file") {
  const auto bodyOf = [](const std::string& units) {
    const Converted made =
        fromAdm("t\nUNITS/" + units +
                "\nPART/1, GROUND\nMARKER/1, PART=1\nPART/2, QG=1,0,0, MASS=1, CM=2, IP=1,1,1, "
                "VX=1\nMARKER/2, PART=2\n"
                "SPRINGDAMPER/1, TRANSLATIONAL, I=2, J=1, K=1, C=1, LENGTH=2\nACCGRAV/KGRAV=-1\n");
    const Model& m = made.model();
    return std::vector<double>{m.bodies[0].mass,
                               m.bodies[0].initialPose.position.x(),
                               m.bodies[0].inertia(0, 0),
                               m.bodies[0].initialTwist[0],
                               -m.gravity.z(),
                               m.forces[0].law.stiffness,
                               m.forces[0].law.damping,
                               m.forces[0].law.length};
  };
  const auto check = [&](const std::string& units, double f, double m, double l, double t) {
    CAPTURE(units);
    const std::vector<double> given = bodyOf(units),
                              expected = {m, l, m * l * l, l / t, l / t / t, f / l, f / l * t, 2.0 * l};
    for (std::size_t i = 0; i < given.size(); ++i)
      CHECK(given[i] == doctest::Approx(expected[i]).epsilon(1e-8));
  };
  check("FORCE=NEWTON, MASS=KILOGRAM, LENGTH=MILLIMETER, TIME=SECOND", 1.0, 1.0, 1e-3, 1.0);
  check("FORCE=DYNE, MASS=GRAM, LENGTH=CENTIMETER, TIME=MILLISECOND", 1e-5, 1e-3, 1e-2, 1e-3);
  check("SYSTEM=IPS", 4.4482216152605, 175.126835, 0.0254, 1.0);
  check("FORCE=KNEWTON, MASS=MEGAGRAM, LENGTH=FOOT, TIME=SECOND", 1e3, 1e3, 0.3048, 1.0);
}

TEST_CASE("the documentation has the table of Adams that the reader follows") {
  std::ifstream file(sourceFolder() + "/assets/formats.md");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::string table = convert::featureTable(convert::admFeatures());
  const bool same = text.find(table) != std::string::npos;
  if (!same) MESSAGE("the table to put into assets/formats.md:\n" << table);
  CHECK(same);
}
