#include "solvers/problem/solution.h"
#include "solvers/problem/stall_monitor.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE(
    "the dual is zero on joints and the velocity elsewhere, with De Saxce's term on normals of the NCP") {
  test::Random random(151);
  const DualProblem p = test::randomProblem(random, 4, true, 3, 4);
  std::vector<double> velocity(p.rows());
  for (double& v : velocity) v = random.uniform();
  Solution ncp, ccp;
  completeDual(p, velocity, ContactModel::Ncp, ncp);
  completeDual(p, velocity, ContactModel::Ccp, ccp);
  for (int r = 0; r < p.jointRows; ++r) CHECK(ncp.dual[r] == 0.0);
  for (int r = p.jointRows; r < p.rows(); ++r) CHECK(ccp.dual[r] == velocity[r]);
  for (const ContactBlock& c : p.contacts) {
    CHECK(ncp.dual[c.row] == velocity[c.row]);
    CHECK(
        ncp.dual[c.row + 2] ==
        doctest::Approx(velocity[c.row + 2] + c.friction * std::hypot(velocity[c.row], velocity[c.row + 1])));
  }
}

TEST_CASE(
    "the end of a solve takes twist, residual and status from the impulses, and keeps the failure of "
    "others") {
  test::Random random(152);
  const DualProblem p = test::randomProblem(random, 4, true, 2, 0);
  RoundingFloor floor;
  std::vector<double> velocity;
  Solution s;
  s.impulse.assign(p.rows(), 0.1);
  s.status = SolveStatus::IterationLimit;
  const auto finish = [&](double tolerance) {
    finishFromImpulse(p, ContactModel::Ncp, tolerance, ToleranceKind::Relative, floor, velocity, s);
  };
  finish(1e-8);
  CHECK(s.status == SolveStatus::IterationLimit);
  CHECK(s.residual > 1e-3);
  CHECK(velocity == test::endVelocity(p, s.impulse));
  CHECK(s.dual.size() == s.impulse.size());
  s.atRounding = true;
  finish(2.0 * s.residual);
  CHECK(s.status == SolveStatus::Solved);
  CHECK_FALSE(s.atRounding);
  s.status = SolveStatus::Stalled;
  acceptAtRounding(p, residualScale(p, ToleranceKind::Relative), floor, s);
  CHECK(s.status == SolveStatus::Stalled);
  s.residual = 0.0;
  acceptAtRounding(p, residualScale(p, ToleranceKind::Relative), floor, s);
  CHECK(s.status == SolveStatus::Solved);
  CHECK(s.atRounding);
}

TEST_CASE("a residual that stays stalls after the window, and any progress starts the window again") {
  for (const auto reference : {StallMonitor::Reference::LastProgress, StallMonitor::Reference::Best}) {
    StallMonitor monitor(0.9, 3, reference);
    CHECK(monitor.observe(1.0));
    for (int i = 0; i < 3; ++i) CHECK_FALSE(monitor.observe(0.95));
    CHECK_FALSE(monitor.stalled());
    CHECK(monitor.observe(0.5));
    for (int i = 0; i < 3; ++i) monitor.observe(std::nan(""));
    CHECK_FALSE(monitor.stalled());
    monitor.observe(0.5);
    CHECK(monitor.stalled());
  }
}

TEST_CASE("small gains add up to progress against the last progress, but not against the best") {
  StallMonitor last(0.9, 5, StallMonitor::Reference::LastProgress),
      best(0.9, 5, StallMonitor::Reference::Best);
  double residual = 1.0;
  for (int i = 0; i < 20; ++i, residual *= 0.95) {
    last.observe(residual);
    best.observe(residual);
  }
  CHECK_FALSE(last.stalled());
  CHECK(best.stalled());
}
