// Datasets of Adams/Solver that are wrong are refused with file, line, statement and a cure; none crashes.
#include "tests/tools/adm_support.h"

using namespace grashof;
using namespace grashof::test;

namespace {

/// The message for a dataset with two parts and these statements.
std::string errorOfAdm(const std::string& statements) { return admError(admTwoParts(statements)); }

void checkError(const std::string& statements, const std::string& place, const std::string& message) {
  CAPTURE(statements);
  const std::string error = errorOfAdm(statements);
  CHECK_MESSAGE(error.find(place) != std::string::npos, error);
  CHECK_MESSAGE(error.find(message) != std::string::npos, error);
}

}  // namespace

TEST_CASE("a wrong dataset is refused with file, line and statement") {
  // Five lines of the ground, six of the parts.
  checkError("JOINT/1, REVOLUTE\n, I=2\n, J=77\n",
             "model.adm:12: JOINT/1: ", "J: there is no MARKER/77 (add it, or name another)");
  checkError("\n\nJOINT/1, REVOLUTE, I=2\n, J=1X\n", "model.adm:15: JOINT/1: ", "J: '1X' is no identifier");
  checkError("PART/4, MASS=1KG\n",
             "model.adm:12: PART/4: ", "MASS: '1KG' is no number (as in 1.5, 2E-3 or 90D)");
}

TEST_CASE("each defect of a statement says what would be right") {
  checkError("JOINT/1, I=2, J=1\n", "JOINT/1", "its kind is missing (one of REVOLUTE, TRANSLATIONAL");
  checkError("JOINT/1, REVOLUTE, FIXED, I=2, J=1\n", "JOINT/1", "is REVOLUTE and FIXED (leave one out)");
  checkError("JOINT/1, REVOLUTE, I=2\n", "JOINT/1", "J is missing (the identifier of a marker)");
  checkError("JOINT/1, REVOLUTE, I=2, J=12\n", "JOINT/1",
             "I and J are both markers of PART/2 (a joint joins two parts)");
  checkError("JOINT, REVOLUTE, I=2, J=1\n", "JOINT", "has no identifier (write JOINT/id)");
  checkError("JOINT/1, REVOLUTE, I=2, J=1\nJOINT/1, REVOLUTE, I=3, J=1\n", "JOINT/1",
             "a second joint has this identifier");
  checkError("JOINT/1, SCREW, I=2, J=1\n", "JOINT/1", "PITCH is missing (the advance per turn)");
  checkError("JOINT/1, RACKPIN, I=2, J=3\n", "JOINT/1", "PD is missing");
  checkError("JOINT/1, SPHERICAL, I=2, J=1, ICROT=1\n", "JOINT/1", "ICROT: its kind has no such coordinate");
  checkError("JOINT/1, CYLINDRICAL, I=2, J=1, IC=1\n", "JOINT/1", "ICTRAN or ICROT is meant");
  checkError("JOINT/1, REVOLUTE, I=2, I=3, J=1\n", "JOINT/1", "argument I stands twice");
  checkError("JPRIM/1, I=2, J=1\n", "JPRIM/1", "its kind is missing");
  checkError("GCON/1\n", "GCON/1", "FUNCTION is missing");
  checkError("GCON/1, FUNCTION=DM(2,1)+1\n", "GCON/1", "the distance it keeps is not above 0");
  checkError("PART/2, MASS=1, CM=2\n", "PART/2", "a second part has this identifier");
  checkError("PART/4, GROUND\n", "PART/4", "PART/1 is the ground already");
  checkError("PART/4, MASS=-1\n", "PART/4", "MASS is negative");
  checkError("PART/4, MASS=1, CM=2, IP=1,1,1\n", "PART/4",
             "CM: MARKER/2 is a marker of PART/2 (name one of this part)");
  checkError("PART/4, MASS=1, IP=1,1,1\n", "PART/4", "CM is missing");
  checkError("PART/4, MASS=1, CM=4, IP=1,1,9\nMARKER/4, PART=4\n", "PART/4",
             "IP: no body has the principal moments 1 1 9");
  checkError("PART/4, MASS=1, CM=4, IP=1,1\nMARKER/4, PART=4\n", "PART/4",
             "IP has 2 numbers (it takes 3 to 6)");
  checkError("PART/4, REULER=0,0,0, ZG=1,1,1\n", "PART/4", "has REULER and XG or ZG (leave one way out)");
  checkError("PART/4, ZG=0,0,0\n", "PART/4", "ZG is the origin of the frame");
  checkError("MARKER/4\n", "MARKER/4", "PART is missing");
  checkError("MARKER/4, PART=9\n", "MARKER/4", "there is no PART/9");
  checkError("MARKER/2, PART=1\n", "MARKER/2", "a second marker has this identifier");
  checkError("UNITS/LENGTH=PARSEC\n", "UNITS",
             "LENGTH: 'PARSEC' is no unit that is known (METER, MILLIMETER");
  checkError("UNITS/SYSTEM=MKS\n", "UNITS", "stands twice");
  checkError("MARKER/9, PART=1, FLOATING\nJOINT/1, REVOLUTE, I=2, J=9\n", "JOINT/1", "J: MARKER/9 floats");
}

TEST_CASE("each defect of a motion, coupling or force says what would be right") {
  const std::string hinge = "JOINT/1, REVOLUTE, I=2, J=1\nJOINT/2, CYLINDRICAL, I=3, J=1\n";
  const auto check = [&](const std::string& statements, const std::string& message) {
    checkError(hinge + statements + "\n", statements.substr(0, statements.find(',')), message);
  };
  check("MOTION/1, JOINT=7, FUNCTION=1", "there is no JOINT/7");
  check("MOTION/1, JOINT=1", "FUNCTION is missing");
  check("MOTION/1, JOINT=1, FUNCTION=1+", "FUNCTION: it ends too early (an expression, as in");
  check("MOTION/1, JOINT=1, FUNCTION=1/0", "its function has no finite value");
  check("MOTION/1, JOINT=1, FUNCTION=SQRT(-1-TIME)", "has no value at 0");
  check("MOTION/1, JOINT=2, FUNCTION=1",
        "JOINT/2 both turns and slides: say which by ROTATION or TRANSLATION");
  check("MOTION/1, JOINT=1, TRANSLATION, FUNCTION=1", "JOINT/1 has no such coordinate");
  check("MOTION/1, JOINT=1, VELOCITY, ACCELERATION, FUNCTION=1", "is both VELOCITY and ACCELERATION");
  check("MOTION/1, I=2, J=1, FUNCTION=1", "what it moves is missing");
  checkError(hinge + "MOTION/1, JOINT=1, FUNCTION=1\nMOTION/2, JOINT=1, FUNCTION=1\n", "MOTION/2",
             "JOINT/1 has another motion already");
  check("COUPLER/1, JOINTS=1,2, SCALES=1,1",
        "TYPE is missing, for JOINT/2 both turns and slides (as in TYPE=R:T)");
  check("COUPLER/1, JOINTS=1,2, SCALES=1,1, TYPE=R:X", "TYPE: 'X' is neither R nor T");
  check("COUPLER/1, JOINTS=1,2, SCALES=1,1, TYPE=T:T", "JOINT/1 does not slide");
  check("COUPLER/1, JOINTS=1,2", "SCALES is missing");
  check("COUPLER/1, SCALES=1,1", "JOINTS is missing");
  check("COUPLER/1, JOINTS=1,2, TYPE=R:R, SCALES=1,0", "SCALES leave fewer than two joints");
  check("GEAR/1, JOINTS=1,2, CV=11", "z of CV is not the direction in which the teeth move");
  check("GEAR/1, JOINTS=1, CV=11", "JOINTS has 1 identifiers");
  check("SFORCE/1, I=2, J=1, FUNCTION=1", "is to be either TRANSLATIONAL or ROTATIONAL");
  check("SFORCE/1, ROTATIONAL, I=2, J=1", "FUNCTION is missing");
  check("SFORCE/1, ROTATIONAL, I=2, J=1, FUNCTION=AZ(2,99)", "its function: there is no MARKER/99");
  check("SPRINGDAMPER/1, TRANSLATIONAL, I=2, J=12, K=1",
        "I and J are both markers of PART/2 (a force is between two parts)");
  check("VFORCE/1, I=2, FX=1", "JFLOAT is missing");
  check("VFORCE/1, I=2, JFLOAT=98, FX=1", "there is no MARKER/98");
}

TEST_CASE("misspelt statements, arguments and functions are named with what was meant") {
  const Converted made = fromAdm(admTwoParts(
      "JOINT/1, REVOLUTE, I=2, J=1, MU_STATIC=0.3, COLOUR=3\nMOTOIN/1, JOINT=1, ROT, FUNCTION=TIME\n"
      "JOINT/2, REVOLUTE, I=3, J=1, FRICTION=OFF, MU_DYNAMIC=0.3\n"
      "SFORCE/1, I=2, J=1, ROT, FUNCTION=SINE(TIME)\nMOTION/2, JOINT=2, FUNCTION=AKISPL(TIME,0,1)\n"));
  CHECK(anyLine(made.report.warnings,
                "MOTOIN is no statement that is known, and does nothing (did you mean MOTION?)"));
  CHECK(anyLine(made.report.leftOut, "SINE (did you mean SIN?)"));
  CHECK(anyLine(made.report.leftOut, "asks for AKISPL, which is no function of time"));
  CHECK(anyLine(made.report.leftOut, "JOINT/1 (its friction is left out"));
  CHECK_FALSE(anyLine(made.report.leftOut, "JOINT/2 (its friction is left out"));
}

TEST_CASE("motions that jump are told, with where they do, and do not swing beyond") {
  const Converted made = fromAdm(
      admTwoParts("JOINT/1, REVOLUTE, I=2, J=1\nMOTION/1, JOINT=1, ROT, FUNCTION=MOD(TIME, 0.3)\n"
                  "JOINT/2, REVOLUTE, I=3, J=1\nMOTION/2, JOINT=2, ROT, FUNCTION=ABS(TIME - 0.4)**0.5\n"));
  REQUIRE(made.report.warnings.size() == 1);
  CHECK(made.report.warnings[0].find("MOTION/1: its function jumps by -0.3 at 0.3 s and 15 times more") !=
        std::string::npos);
  const Signal& motion = made.model().signals[0];
  for (double t = 0.0; t < 1.0; t += 1e-4) CHECK(std::abs(motion.value(t) - 0.15) < 0.15 + 1e-9);
}

TEST_CASE("texts that are no dataset are refused, not read") {
  CHECK(admError("").find("has no PART that moves") != std::string::npos);
  CHECK(admError("title").find("has no PART that moves") != std::string::npos);
  CHECK(admError("title\nPART/1, GROUND\n").find("has no PART that moves") != std::string::npos);
  CHECK(admError("PART/1, GROUND\nPART/2, MASS=1\n")
            .find("model.adm:1: PART: the first line of a dataset is its title") != std::string::npos);
  CHECK(admError("title\n#!/bin/sh\n").find("is no statement") != std::string::npos);
  CHECK(admError("title\nPART 1, GROUND\n")
            .find("a slash is missing behind the name (write PART/id, arguments)") != std::string::npos);
  CHECK(admError("title\nPART/99999999999, GROUND\n").find("is no identifier") != std::string::npos);
  CHECK(admError("title\nPA/1, GROUND\nS/1\n").find("may be any of") != std::string::npos);
  CHECK(admError("title\nPART/1, =3\n").find("no argument begins at '=3'") != std::string::npos);
  CHECK(admError(admTwoParts("JOINT/1, R=2\n")).find("argument 'R' may be any of REVOLUTE, RACKPIN") !=
        std::string::npos);
  CHECK_THROWS_AS(convert::readAdm("/nowhere.adm", {}, *std::make_unique<convert::Report>()), InputError);
}

TEST_CASE("parts that no pose brings onto their joints are refused") {
  const std::string error =
      errorOfAdm("MARKER/8, PART=1, QP=5,0,0\nGCON/1, FUNCTION=DM(2,1)-1\nGCON/2, FUNCTION=DM(2,8)-1\n");
  CHECK_MESSAGE(error.find("the parts cannot be brought onto the joints and motions") != std::string::npos,
                error);
}

TEST_CASE("--strict refuses an inertia that would be repaired") {
  const std::string text = admTwoParts("PART/4, MASS=1, CM=4, IP=1,1,2.1\nMARKER/4, PART=4\n");
  CHECK(admError(text).empty());
  CHECK(admError(text, {.strict = true}).find("PART/4: IP: no body has") != std::string::npos);
}

TEST_CASE("a dataset that ends anywhere is read or refused") {
  const std::string whole = admTwoParts(
      "JOINT/1, REVOLUTE, I=2, J=1, IC=0.1\nMOTION/1, JOINT=1\n, FUNCTION=STEP(TIME, 0, 0\n, 1, "
      "1)\nSFORCE/1, ROTATIONAL\n, I=3, J=2, "
      "FUNCTION=-1*AZ(3,2)\nUNITS/SYSTEM=IPS\nJPRIM/1, INLINE, I=1, J=3\n");
  for (std::size_t n = 0; n < whole.size(); n += 3) admError(whole.substr(0, n), {.duration = 0.01});
  std::string changed = whole;
  for (std::size_t n = 0; n < whole.size(); n += 5) {
    changed[n] = "=,/(\\\x01"[n % 6];
    admError(changed, {.duration = 0.01});
    changed[n] = whole[n];
  }
}
