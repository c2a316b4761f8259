// Motions and reactions of converted datasets are those that Adams computes.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/tools/adm_support.h"

using namespace grashof;
using namespace grashof::test;

namespace {

constexpr double kPosition = 1e-5;  // m
constexpr double kDigit = 5e-6;     // of the largest coordinate: references have six digits
constexpr double kLoad = 2e-4;      // of the largest: energies of the references drift by as much
// The references of universal joints are the pendulum of Revolute_Case01, from which they differ by 8e-4 m:
// the energy of their motion drifts by 8e-3 J.
constexpr double kUniversal = 1e-3;

std::string admFolder() { return sourceFolder() + "/../shared/adams/"; }

/// Rows of a reference: time and three or four numbers.
std::vector<std::vector<double>> rowsOf(const std::string& name) {
  std::ifstream file(admFolder() + name + ".txt");
  std::vector<std::vector<double>> rows;
  for (std::string line; std::getline(file, line);) {
    std::istringstream numbers(line);
    std::vector<double> row;
    for (double x = 0.0; numbers >> x;) row.push_back(x);
    if (row.size() >= 4) rows.push_back(row);
  }
  return rows;
}

Vec3 vectorOf(const std::vector<double>& row) { return {row[1], row[2], row[3]}; }

/// Force and torque of a joint on what Adams calls I, which is the base here, in the world's axes, about the
/// point of the base.
Vec6 loadOnBase(const Simulator& simulator, int joint) {
  const Model& model = simulator.model();
  const JointFrames frames = framesAt(model.joints[static_cast<std::size_t>(joint)], simulator.state().poses);
  const Vec6 load = simulator.jointReaction(joint);
  const Vec3 force = frames.baseAxes * load.head<3>(), moment = frames.baseAxes * load.tail<3>();
  Vec6 world;
  world << -force, -moment - (frames.followerPoint - frames.basePoint).cross(force);
  return world;
}

/// Largest differences from Adams over a run, and the largest loads there.
struct Differences {
  double position = 0.0, farthest = 0.0, force = 0.0, torque = 0.0, largestForce = 0.0, largestTorque = 0.0;
};

using LoadAt = std::function<Vec6(const Simulator&)>;

Differences differencesOf(const Model& model, const std::string& name, const LoadAt& load,
                          const std::string& forces = "_ADAMS_Rforce",
                          const std::string& torques = "_ADAMS_Rtorque") {
  const auto positions = rowsOf(name + "_ADAMS_Pos"), force = rowsOf(name + forces),
             torque = rowsOf(name + torques);
  REQUIRE(positions.size() == 501);
  Simulator simulator(model);
  Differences d;
  for (std::size_t row = 1; row < positions.size(); ++row) {
    while (simulator.state().time < positions[row][0] - 1e-9) simulator.step();
    d.position =
        std::max(d.position, (simulator.state().poses[0].position - vectorOf(positions[row])).norm());
    d.farthest = std::max(d.farthest, vectorOf(positions[row]).norm());
    if (!load) continue;
    const Vec6 ours = load(simulator);
    d.force = std::max(d.force, (ours.head<3>() - vectorOf(force[row])).norm());
    d.torque = std::max(d.torque, (ours.tail<3>() - vectorOf(torque[row])).norm());
    d.largestForce = std::max(d.largestForce, vectorOf(force[row]).norm());
    d.largestTorque = std::max(d.largestTorque, vectorOf(torque[row]).norm());
  }
  return d;
}

void checkDifferences(const Differences& d, double position = kPosition, double load = kLoad) {
  INFO("position " << d.position << " m, force " << d.force << " of " << d.largestForce << " N, torque "
                   << d.torque << " of " << d.largestTorque << " N m");
  CHECK(d.position <= position + kDigit * d.farthest);
  CHECK(d.force <= load * d.largestForce);
  // Where there is none, rounding of the force has an arm.
  CHECK(d.torque <= load * d.largestTorque + 1e-9 * d.largestForce);
}

bool isThere() {
  if (std::filesystem::is_directory(admFolder())) return true;
  MESSAGE("SKIPPED: ../shared/adams is not there");
  return false;
}

/// A bar of 1 kg whose centre is 2 m from a joint with the ground.
std::string barOn(const std::string& joint, const std::string& place, const std::string& center,
                  const std::string& euler, const std::string& inertia) {
  return "title\nUNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=METER, TIME=SECOND\nPART/1, GROUND\nMARKER/1, "
         "PART=1, QP=" +
         place + ", REULER=" + euler + "\nPART/2, MASS=1, CM=2, IP=" + inertia +
         "\nMARKER/2, PART=2, QP=" + center + ", REULER=" + euler + "\nMARKER/3, PART=2, QP=" + place +
         ", REULER=" + euler + "\nJOINT/1, " + joint + ", I=1, J=3\nACCGRAV/KGRAV=-9.80665\nEND\n";
}

Vec6 firstJoint(const Simulator& simulator) { return loadOnBase(simulator, 0); }

}  // namespace

TEST_CASE("pendulums, sliders and universal joints move and pull as Adams computes") {
  if (!isThere()) return;
  const auto check = [](const std::string& name, const std::string& text) {
    CAPTURE(name);
    const Converted made = fromAdm(text);
    CHECK(made.report.leftOut.empty());
    const bool universal = name.starts_with("Universal");
    checkDifferences(differencesOf(made.model(), name, firstJoint), universal ? kUniversal : kPosition,
                     universal ? kUniversal : kLoad);
  };
  check("Revolute_Case01", barOn("REVOLUTE", "0,0,0", "2,0,0", "180D,90D,180D", "0.04,0.1,0.1"));
  check("Revolute_Case02", barOn("REVOLUTE", "1,2,3", "3,2,3", "180D,45D,180D", "0.04,0.1,0.1"));
  check("Prismatic_Case03", barOn("TRANSLATIONAL", "1,2,3", "3,2,3", "180D,90D,180D", "0.04,0.1,0.1"));
  check("Cylindrical_Case01", barOn("CYLINDRICAL", "0,0,0", "2,0,0", "0D,0D,0D", "0.04,0.1,0.1"));
  check("Cylindrical_Case03", barOn("CYLINDRICAL", "1,2,3", "3,2,3", "180D,45D,180D", "0.04,0.1,0.1"));
  check("Universal_Case01", barOn("HOOKE", "0,0,0", "0,2,0", "0D,90D,0D", "0.1,0.1,0.04"));
}

TEST_CASE("the datasets that Adams itself read give its motions") {
  if (!isThere()) return;
  // Not those of springs: their references are of other stiffnesses.
  for (const std::string name :
       {"Revolute_Case01", "Revolute_Case02", "Prismatic_Case03", "Cylindrical_Case01", "Cylindrical_Case03",
        "Universal_Case01", "Universal_Case02", "Universal_Case03"}) {
    CAPTURE(name);
    convert::Report report;
    const Scenario scenario = convert::readAdm(admFolder() + "test_" + name + ".adm", {}, report);
    CHECK(report.leftOut.empty());
    const bool universal = name.starts_with("Universal");
    // A torque that is small beside the force times the arm shares its error.
    Differences d = differencesOf(*scenario.model, name, firstJoint);
    if (universal) d.largestTorque = std::max(d.largestTorque, 0.1 * d.largestForce);
    checkDifferences(d, universal ? kUniversal : kPosition, universal ? kUniversal : kLoad);
  }
}

TEST_CASE("the force in a massless rod is that of Adams") {
  if (!isThere()) return;
  const Converted made = fromAdm(kAdmGround + std::string(R"(PART/2, MASS=1, CM=2, IP=0.04,0.1,0.1
MARKER/2, PART=2, QP=0,2,0
GCON/1, FUNCTION=DM(2,1)-2
ACCGRAV/KGRAV=-9.80665
)"));
  const auto load = [](const Simulator& simulator) {
    Vec6 ours = loadOnBase(simulator, 0);
    ours.tail<3>().setZero();
    return ours;
  };
  checkDifferences(differencesOf(made.model(), "Distance_Case01", load));
}

TEST_CASE("a rod on a hinge with a ball at its end is a distance in a plane") {
  if (!isThere()) return;
  const Converted made = fromAdm(kAdmGround + std::string(R"(PART/2, MASS=1, CM=2, IP=0.1,0.04,0.1
MARKER/2, PART=2, QP=2,2,0
MARKER/3, PART=2, QP=2,0,0
GCON/1, FUNCTION=DM(3,1)-2
JPRIM/1, INPLANE, I=3, J=1
ACCGRAV/KGRAV=-9.80665
)"));
  // What the ground carries: the hinge takes the force of both.
  const auto load = [](const Simulator& simulator) {
    Vec6 ours = Vec6::Zero();
    ours.head<3>() = loadOnBase(simulator, 0).head<3>() + loadOnBase(simulator, 1).head<3>();
    const Vec3 ball = framesAt(simulator.model().joints[0], simulator.state().poses).followerPoint;
    ours.tail<3>() = ball.cross(Vec3(ours.head<3>()));
    ours.tail<3>().z() = 0.0;
    return ours;
  };
  checkDifferences(differencesOf(made.model(), "RevSpherical_Case01", load, "_ADAMS_Rforce_Body1",
                                 "_ADAMS_Rtorque_Body1"));
}

TEST_CASE("torsion springs and dampers swing as in Adams, straight and curved") {
  if (!isThere()) return;
  const auto check = [](const std::string& name, const std::string& spring, const std::string& element) {
    CAPTURE(name);
    const Converted made = fromAdm(kAdmGround + std::string(R"(MARKER/101, PART=1, REULER=180D,90D,180D
PART/2, MASS=1, CM=2, IP=0.04,0.1,0.1
MARKER/2, PART=2, QP=2,0,0, REULER=180D,90D,180D
MARKER/3, PART=2, REULER=180D,90D,180D
JOINT/1, REVOLUTE, I=101, J=3
ACCGRAV/KGRAV=-9.80665
)") + spring + "\n");
    CHECK(made.report.leftOut.empty());
    const auto load = [element](const Simulator& simulator) {
      Vec6 ours = loadOnBase(simulator, 0);
      // What acts on I, about z of J, which is y of the world.
      ours[4] += findChannel(simulator.model(), "element." + element + ".force")(simulator);
      return ours;
    };
    checkDifferences(differencesOf(made.model(), name, load));
  };
  // Stiffness and damping of the first are those of its reference, by least squares.
  check("RotSpring_Case01", "SPRINGDAMPER/1, ROTATIONAL, I=101, J=3, KT=200, CT=10", "springdamper1");
  check("RotSpring_Case02",
        "SFORCE/1, ROTATIONAL, I=101, J=3, FUNCTION=-(50+10*ABS(AZ(101,3)))*AZ(101,3)\n, -10*WZ(101,3,3)",
        "sforce1");
}

TEST_CASE("a prescribed slide takes the force that Adams computes") {
  if (!isThere()) return;
  const auto check = [](const std::string& name, const std::string& euler, const std::string& speed) {
    CAPTURE(name);
    const Converted made =
        fromAdm("t\nUNITS/SYSTEM=MKS\nPART/1, GROUND\nMARKER/1, PART=1, REULER=" + euler +
                "\nPART/2, MASS=1, CM=2, IP=1,1,1\nMARKER/2, PART=2, REULER=" + euler +
                "\nJOINT/1, TRANSLATIONAL, I=2, J=1\nMOTION/1, JOINT=1, FUNCTION=" + speed +
                "*TIME\nACCGRAV/KGRAV=-9.80665\n");
    const Vec3 axis = framesAt(made.model().joints[0], made.model().initialState().poses).baseAxes.col(0);
    // Along the axis the drive on the part, across it what the guide takes.
    const auto part = [&](bool along) {
      return [axis, along](const Simulator& simulator) {
        Vec6 ours = -loadOnBase(simulator, 0);
        const Vec3 force = ours.head<3>(), drive = force.dot(axis) * axis;
        ours.head<3>() = along ? drive : Vec3(drive - force);
        ours.tail<3>() *= along ? 0.0 : -1.0;
        return ours;
      };
    };
    checkDifferences(differencesOf(made.model(), name, part(true), "_ADAMS_RforceA", "_ADAMS_RtorqueA"));
    checkDifferences(differencesOf(made.model(), name, part(false), "_ADAMS_RforceP", "_ADAMS_RtorqueP"));
  };
  check("LinActuator_Case01", "0D,0D,0D", "1.0");
  check("LinActuator_Case02", "90D,45D,-90D", "0.5");
}
