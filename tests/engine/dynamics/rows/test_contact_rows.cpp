#include <fmt/format.h>

#include "engine/dynamics/rows/contact_rows.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// The rows of one contact between body 1 (from above) and body 0 or the world.
struct OneContact {
  Model model;
  Contact contact;
  std::vector<Pose> poses{2};
  std::vector<Vec6> twists = std::vector<Vec6>(2, Vec6::Zero());

  OneContact() {
    contact.bodyB = 1;
    contact.frame = frameFromNormal(Vec3::UnitZ());
  }
  DualProblem rows(double timestep) const {
    DualProblem problem;
    problem.inertia.resize(2);
    assembleContactRows(model, std::span(&contact, 1), poses, twists, timestep, problem);
    return problem;
  }
  double normalBias() const { return rows(0.01).bias[2]; }
};

/// A box that is thrown onto a soft floor, with a bob on a soft joint that runs into a soft limit, all turned
/// by `turn`. `materials`: of the contacts.
Simulator turnedThrow(const Quat& turn, const std::string& materials) {
  const auto vector = [&](double x, double y, double z) {
    const Vec3 v = turn * Vec3(x, y, z);
    return fmt::format("{:.17g} {:.17g} {:.17g}", v.x(), v.y(), v.z());
  };
  const auto rotation = [&](const Quat& q) {
    const Quat all = turn * q;
    return fmt::format("{:.17g} {:.17g} {:.17g} {:.17g}", all.w(), all.x(), all.y(), all.z());
  };
  const Pose box{Vec3(0.0, 0.0, 0.2), Quat(0.9, 0.1, 0.2, 0.35).normalized()};
  const Pose hinge{Vec3(0.1, 0.05, 0.05), Quat(0.8, 0.1, -0.5, 0.3).normalized()};  // in the box
  const Pose bob = box * hinge * Pose{Vec3(0.1, 0.0, -0.05), Quat::Identity()};
  const auto placed = [&](const Pose& pose) {
    return fmt::format("position='{}' quaternion='{}'",
                       vector(pose.position.x(), pose.position.y(), pose.position.z()),
                       rotation(pose.rotation));
  };
  const auto frame = [](const Pose& pose) {
    const Vec3& p = pose.position;
    const Quat& q = pose.rotation;
    return fmt::format("position='{:.17g} {:.17g} {:.17g}' quaternion='{:.17g} {:.17g} {:.17g} {:.17g}'",
                       p.x(), p.y(), p.z(), q.w(), q.x(), q.y(), q.z());
  };
  return Simulator(
      test::scenarioOf(
          fmt::format("<options gravity='{}'/><solver tolerance='1e-13'/>", vector(0.0, 0.0, -9.81)) +
          materials +
          fmt::format("<shape type='box' size='6 6 0.2' {}/>",
                      placed({Vec3(0.0, 0.0, -0.1), Quat::Identity()})) +
          fmt::format("<body name='b' {} velocity='{}' angular-velocity='{}'><shape type='box' size='0.2 0.3 "
                      "0.1'/></body>",
                      placed(box), vector(1.0, 0.4, 0.0), vector(0.3, 3.0, 1.0)) +
          fmt::format(
              "<body name='bob' {} velocity='{}'><inertial mass='0.2' inertia='1e-3 2e-3 3e-3'/></body>",
              placed(bob), vector(1.0, 0.4, 0.0)) +
          fmt::format(
              "<joint name='hinge' type='revolute' base='b' follower='bob' impedance='0.9 0.95 0.001 0.5 2'>"
              "<base-frame {}/><follower-frame position='-0.1 0 0.05'/><limit lower='-0.05' upper='0.05' "
              "impedance='0.9 0.95 0.001 0.5 2'/></joint>",
              frame(hinge)))
          .model);
}

/// How far the bodies of two throws are apart after 0.3 s, m, when the second one is turned back.
double apartAfterTurning(const std::string& materials) {
  const Quat turn = Quat(0.5, -0.3, 0.7, 0.4).normalized();
  Simulator as = turnedThrow(Quat::Identity(), materials), turned = turnedThrow(turn, materials);
  double apart = 0.0;
  for (int i = 0; i < 300; ++i) {
    as.step();
    turned.step();
    for (std::size_t b = 0; b < 2; ++b)
      apart =
          std::max(apart, (turn * as.state().poses[b].position - turned.state().poses[b].position).norm());
  }
  CHECK(as.state().poses[0].position.z() < 0.15);  // it has met the floor
  return apart;
}

}  // namespace

TEST_CASE("motion on impedances of contacts, joints and limits does not depend on how the world is turned") {
  CHECK(apartAfterTurning("<material name='default' friction='0.5' impedance='0.9 0.95 0.001 0.5 2'/>") <
        1e-10);
  CHECK(apartAfterTurning("<material name='default' friction='0.5' impedance='0.5 0.9 0.01 0.5 2'/>") <
        1e-10);
}

TEST_CASE("what rattles in the clearance of a free joint does not depend on how the world is turned") {
  const auto thrown = [](const Quat& turn) {
    const auto vector = [&](double x, double y, double z) {
      const Vec3 v = turn * Vec3(x, y, z);
      return fmt::format("{:.17g} {:.17g} {:.17g}", v.x(), v.y(), v.z());
    };
    return Simulator(
        test::scenarioOf(
            fmt::format("<options timestep='2e-3' gravity='{}'/><solver tolerance='1e-13'/>",
                        vector(0.0, 0.0, -9.81)) +
            fmt::format(
                "<body name='b' quaternion='{0:.17g} {1:.17g} {2:.17g} {3:.17g}' velocity='{4}' "
                "angular-velocity='{5}'><inertial mass='1' inertia='1e-3 2e-3 2.5e-3'/></body>"
                "<joint name='j' type='free' follower='b'><base-frame quaternion='{0:.17g} {1:.17g} {2:.17g} "
                "{3:.17g}'/><follower-frame/><clearance radial='0.005' friction='0.3' restitution='0.5' "
                "journal-radius='0.01'/></joint>",
                turn.w(), turn.x(), turn.y(), turn.z(), vector(3.0, 1.0, 0.7), vector(2.0, -1.0, 3.0)))
            .model);
  };
  const Quat turn = Quat(0.5, -0.3, 0.7, 0.4).normalized();
  Simulator as = thrown(Quat::Identity()), turned = thrown(turn);
  double apart = 0.0;
  for (int i = 0; i < 20; ++i) {
    as.step();
    turned.step();
    const Vec6 &u = as.state().twists[0], &v = turned.state().twists[0];
    apart = std::max(
        {apart, (turn * u.head<3>() - v.head<3>()).norm(), (turn * u.tail<3>() - v.tail<3>()).norm()});
  }
  CHECK(apart < 1e-7);
}

TEST_CASE("an impedance damps both tangents by the mean of their inertias, however their frame is turned") {
  OneContact c;
  c.contact.softness.kind = Softness::Kind::Impedance;
  c.contact.gap = -0.002;
  c.contact.point = Vec3(0.1, 0.0, 0.0);
  DualProblem problem;
  problem.inertia.resize(2);
  problem.inertia[1].mass = 2.0;
  problem.inertia[1].inverseMass = 0.5;
  problem.inertia[1].inertia = Vec3(1.0, 0.5, 0.02).asDiagonal();
  problem.inertia[1].inverseInertia = Vec3(1.0, 2.0, 50.0).asDiagonal();
  const auto compliance = [&](double angle) {
    c.contact.frame =
        frameFromNormal(Vec3::UnitZ()) * Eigen::AngleAxisd(angle, Vec3::UnitZ()).toRotationMatrix();
    DualProblem made = problem;
    assembleContactRows(c.model, std::span(&c.contact, 1), c.poses, c.twists, 0.01, made);
    return Vec3(made.compliance[0], made.compliance[1], made.compliance[2]);
  };
  // D of the tangents: 1/m, and 1/m + (0.1 m)²/I_z; d = 0.95 beyond the width.
  const double mean = 0.5 * (0.5 + 0.5 + 0.01 * 50.0);
  for (const double angle : {0.0, 0.3, 1.1}) {
    const Vec3 r = compliance(angle);
    CHECK(r[0] == doctest::Approx(0.05 / 0.95 * mean));
    CHECK(r[1] == doctest::Approx(0.05 / 0.95 * mean));
    CHECK(r[2] == doctest::Approx(0.05 / 0.95 * (0.5 + 0.01 * 2.0)));
  }
  c.contact.softness.impedanceRatio = 10.0;
  const Vec3 r = compliance(0.0);
  CHECK(r[0] == doctest::Approx(0.005 / 0.95 * mean));
  CHECK(r[2] == doctest::Approx(0.05 / 0.95 * (0.5 + 0.01 * 2.0)));
}

TEST_CASE("the Jacobian of a contact is the derivative of the relative position of its two material points") {
  test::forAll(11, 20, [](test::Random& random, int) {
    OneContact c;
    c.contact.bodyA = 0;
    c.contact.point = random.vector();
    c.contact.frame = frameFromNormal(random.vector().normalized());
    for (Pose& pose : c.poses) pose = random.pose();
    const DualProblem problem = c.rows(0.01);
    const ContactBlock& block = problem.contacts[0];
    const double h = 1e-6;
    for (const int body : {0, 1}) {
      const Vec6 twist = random.twist();
      const Vec3 local = c.poses[body].inverse() * c.contact.point;
      const Vec3 moved =
          (movePose(c.poses[body], twist, h) * local - movePose(c.poses[body], twist, -h) * local) /
          (2.0 * h);
      const Vec3 wanted = (body == 0 ? -1.0 : 1.0) * c.contact.frame.transpose() * moved;
      CHECK(((body == 0 ? block.jacobianA : block.jacobianB) * twist - wanted).norm() < 1e-8);
    }
  });
}

TEST_CASE("an open gap may close within the step; of a penetration the share gamma is undone, slowly") {
  OneContact c;
  c.model.stabilization.gamma = 0.2;
  c.model.stabilization.margin = 0.0;
  c.contact.gap = 0.003;
  CHECK(c.normalBias() == doctest::Approx(0.3));
  c.contact.gap = -0.0003;
  CHECK(c.normalBias() == doctest::Approx(-0.006));
  c.contact.gap = -0.003;
  CHECK(c.normalBias() == doctest::Approx(-0.01));  // not faster than that
  c.model.stabilization.margin = 0.004;             // counts as a gap
  CHECK(c.normalBias() == doctest::Approx(0.1));
  CHECK(c.rows(0.01).bias[0] == 0.0);
}

TEST_CASE("only what is faster than the threshold and arrives within the step bounces") {
  OneContact c;
  c.model.step.restitutionThreshold = 0.5;
  c.model.stabilization.margin = 0.0;
  c.contact.restitution = 0.8;
  c.twists[1][2] = -0.51;
  CHECK(c.normalBias() == doctest::Approx(-0.8 * 0.51));  // v⁺ >= 0.8 · 0.51
  c.twists[1][2] = -0.49;
  CHECK(c.normalBias() == 0.0);
  c.twists[1][2] = -2.0;
  c.contact.gap = 0.021;  // 0.02 m in this step: not there yet
  CHECK(c.normalBias() == doctest::Approx(2.1));
  c.contact.gap = 0.019;
  CHECK(c.normalBias() == doctest::Approx(-1.6));
  c.twists[1][2] = 2.0;  // on its way up
  CHECK(c.normalBias() == doctest::Approx(1.9));
}

TEST_CASE("a compliant contact is a spring at the end of the step, also when it closes within the step") {
  OneContact c;
  c.model.stabilization.margin = 0.0;
  c.contact.softness.kind = Softness::Kind::Compliant;
  c.contact.softness.compliance = 1e-4;
  c.contact.gap = -0.002;
  CHECK(c.rows(0.01).bias[2] == doctest::Approx(-0.2));
  CHECK(c.rows(0.01).compliance[2] == doctest::Approx(1.0));
  CHECK(c.rows(0.01).compliance[0] == 0.0);  // tangents stay rigid
  c.contact.gap = 0.002;
  CHECK(c.rows(0.01).bias[2] == doctest::Approx(0.2));
  CHECK(c.rows(0.01).compliance[2] == doctest::Approx(1.0));
}

TEST_CASE("an impedance acts on closed contacts only") {
  std::vector<Contact> contacts(4);
  for (Contact& contact : contacts) contact.softness.kind = Softness::Kind::Impedance;
  contacts[0].gap = 0.002;
  contacts[1].gap = -0.002;
  contacts[2].gap = 0.002;
  contacts[2].softness.kind = Softness::Kind::Compliant;
  contacts[3].gap = 0.002;
  contacts[3].softness = {};
  Stabilization stabilization;
  stabilization.margin = 1e-3;
  dropOpenImpedances(stabilization, contacts);
  REQUIRE(contacts.size() == 3);
  CHECK(contacts[0].gap == -0.002);
}

TEST_CASE("surfaces come from the pair of materials, in whichever order the shapes are") {
  const Scenario s =
      test::scenarioOf(R"(<material name="ice" friction="0.1"/><material name="rubber" friction="0.9"/>
    <surface a="ice" b="rubber" friction="0.25" restitution="0.5"/>
    <shape name="ground" type="plane" material="ice"/>
    <body name="b" position="0 0 1"><inertial mass="1" inertia="1 1 1"/><shape type="sphere" radius="0.1" material="rubber"/></body>)");
  std::vector<Contact> contacts(2);
  contacts[0].shapeA = contacts[1].shapeB = 0;
  contacts[0].shapeB = contacts[1].shapeA = 1;
  const State state = s.model->initialState();
  assignSurfaces(*s.model, state.poses, state.twists, contacts);
  for (const Contact& contact : contacts) {
    CHECK(contact.friction == 0.25);
    CHECK(contact.restitution == 0.5);
  }
}

TEST_CASE("a stiffness with a relaxation time is a row of its own; a curved law opens where its row says") {
  OneContact c;
  c.contact.elastic.stiffness = 1e5;
  c.contact.elastic.relaxationTime = 3e-3;
  c.contact.gap = -2e-4;
  c.twists[1][2] = -0.05;
  DualProblem p = c.rows(0.01);
  CHECK(p.bias[2] == doctest::Approx(-2e-4 / 0.013));
  CHECK(p.compliance[2] == doctest::Approx(1.0 / (1e5 * 0.01 * 0.013)));
  CHECK(p.laws.empty());
  CHECK(p.contacts[0].impulseBefore == doctest::Approx(0.01 * 1e5 * (2e-4 + 3e-3 * 0.05)));
  c.contact.elastic.relaxationTime = 0.0;
  c.contact.elastic.huntCrossley = 4.0;
  p = c.rows(0.01);
  REQUIRE(p.laws.size() == 1);
  REQUIRE(p.contacts[0].law == 0);
  CHECK(p.bias[2] == -p.laws[0].breakaway());
  CHECK(p.laws[0].breakaway() == doctest::Approx(0.02));
  CHECK(p.contacts[0].impulseBefore == doctest::Approx(0.01 * 1e5 * 2e-4 * (1.0 + 4.0 * 0.05)));
  CHECK(p.laws[0].impulse(-0.05) == doctest::Approx(0.01 * 1e5 * (2e-4 + 5e-4) * (1.0 + 4.0 * 0.05)));
}

TEST_CASE("tangential springs hold the friction of the last step") {
  OneContact c;
  c.contact.elastic.tangentialStiffness = 2e4;
  c.contact.impulseBefore = Vec3(0.03, -0.01, 0.4);
  const DualProblem p = c.rows(0.01);
  for (int r = 0; r < 2; ++r) {
    const double before = c.contact.frame.col(r).dot(c.contact.impulseBefore);
    CHECK(p.compliance[r] == doctest::Approx(0.5));
    CHECK(p.bias[r] == doctest::Approx(-0.5 * before));  // at rest under λ = before
  }
}
