// A problem in several islands against each island alone.
#include <tbb/global_control.h>

#include "solvers/methods/island_solver.h"
#include "solvers/problem/residuals.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// The bodies of `problems` in turn (0 of each, 1 of each, ...), so that islands lie across each other.
struct Interleaved {
  DualProblem problem;
  std::vector<std::vector<int>> bodies, rows;  // of each part, in the whole

  explicit Interleaved(const std::vector<DualProblem>& parts) : bodies(parts.size()), rows(parts.size()) {
    for (int b = 0, left = 1; left > 0; ++b) {
      left = 0;
      for (std::size_t i = 0; i < parts.size(); ++i)
        if (b < parts[i].bodies()) {
          bodies[i].push_back(problem.bodies());
          problem.inertia.push_back(parts[i].inertia[b]);
          problem.freeTwist.push_back(parts[i].freeTwist[b]);
          ++left;
        }
    }
    const auto take = [&](std::size_t i, int first, int count) {
      const int place = static_cast<int>(problem.bias.size());
      for (int r = first; r < first + count; ++r) {
        rows[i].push_back(static_cast<int>(problem.bias.size()));
        problem.bias.push_back(parts[i].bias[r]);
        problem.compliance.push_back(parts[i].compliance[r]);
      }
      return place;
    };
    for (std::size_t i = 0; i < parts.size(); ++i)
      for (JointBlock joint : parts[i].joints) {
        const int first = joint.firstTerm;
        joint.row = take(i, joint.row, joint.rows);
        joint.firstTerm = static_cast<int>(problem.jointTerms.size());
        for (int t = first; t < first + joint.terms; ++t) {
          problem.jointTerms.push_back(parts[i].jointTerms[t]);
          problem.jointTerms.back().body = bodies[i][parts[i].jointTerms[t].body];
        }
        problem.joints.push_back(joint);
        problem.jointRows += joint.rows;
      }
    const auto add = [&](std::size_t i, auto block, auto& to, int count) {
      block.row = take(i, block.row, count);
      for (int* body : {&block.bodyA, &block.bodyB})
        if (*body >= 0) *body = bodies[i][*body];
      to.push_back(block);
    };
    for (std::size_t i = 0; i < parts.size(); ++i)
      for (const IntervalRow& row : parts[i].intervals) {
        add(i, row, problem.intervals, 1);
        problem.intervals.back().firstTerm = static_cast<int>(problem.intervalTerms.size());
        for (int t = row.firstTerm; t < row.firstTerm + row.terms; ++t) {
          problem.intervalTerms.push_back(parts[i].intervalTerms[t]);
          problem.intervalTerms.back().body = bodies[i][parts[i].intervalTerms[t].body];
        }
      }
    for (std::size_t i = 0; i < parts.size(); ++i)
      for (const ContactBlock& contact : parts[i].contacts) add(i, contact, problem.contacts, 3);
  }
};

}  // namespace

TEST_CASE("islands are solved as each would be alone, bit for bit, on one and two threads, cold and warm") {
  test::Random random(71);
  std::vector<DualProblem> parts;
  for (int i = 0; i < 6; ++i) parts.push_back(test::randomProblem(random, 2 + i, true, i % 3, 2 + 2 * i));
  // Every contact may press: islands leave out what cannot, and round otherwise then.
  for (DualProblem& part : parts)
    for (const ContactBlock& contact : part.contacts)
      part.bias[contact.row + 2] = -std::abs(part.bias[contact.row + 2]);
  const Interleaved whole(parts);
  REQUIRE(whole.problem.rows() >= 120);  // enough for a second thread
  for (const std::string name : {"auto", "ADMM", "IPM-NCP", "NBGS"}) {
    CAPTURE(name);
    SolverOptions options;
    options.name = name;
    options.maxIterations = 300;
    for (const std::size_t threads : {1, 2}) {
      const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
      IslandSolver islands(options);
      Solution together;
      std::vector<std::unique_ptr<Solver>> solvers;
      std::vector<Solution> alone(parts.size());
      for (std::size_t i = 0; i < parts.size(); ++i) solvers.push_back(makeSolver(options));
      for (const bool warm : {false, true}) {
        together.warm = warm;
        islands.solve(whole.problem, together);
        int iterations = 0, factorizations = 0;
        SolveStatus status = SolveStatus::Solved;
        for (std::size_t i = 0; i < parts.size(); ++i) {
          alone[i].warm = warm;
          solvers[i]->solve(parts[i], alone[i]);
          for (std::size_t b = 0; b < whole.bodies[i].size(); ++b)
            CHECK(together.twist[whole.bodies[i][b]] == alone[i].twist[b]);
          for (std::size_t r = 0; r < whole.rows[i].size(); ++r)
            CHECK(together.impulse[whole.rows[i][r]] == alone[i].impulse[r]);
          iterations = std::max(iterations, alone[i].iterations);
          factorizations += alone[i].factorizations;
          status = std::max(status, alone[i].status);
        }
        CHECK(together.iterations == iterations);
        CHECK(together.factorizations == factorizations);
        // Islands are measured apart from their solvers.
        if (status == SolveStatus::Solved) CHECK(together.residual <= options.tolerance * 1.001);
        CHECK(together.status == status);
      }
    }
  }
}

TEST_CASE("bodies that nothing holds keep their free twist, next to islands and alone") {
  test::Random random(72);
  DualProblem p = test::randomProblem(random, 3, true, 2, 2);
  p.inertia.insert(p.inertia.end(), 2, InertiaBlock{});
  p.freeTwist.push_back(random.twist());
  p.freeTwist.push_back(random.twist());
  IslandSolver islands({});
  Solution s;
  islands.solve(p, s);
  CHECK(s.status == SolveStatus::Solved);
  CHECK(measureResiduals(p, s.impulse).worst() < 1e-6);
  CHECK(s.twist[3] == p.freeTwist[3]);
  p.clearRows();
  s = {};
  islands.solve(p, s);
  CHECK(s.status == SolveStatus::Solved);
  CHECK(s.twist == p.freeTwist);
}

namespace {

/// A row of cubes of 1 kg one above the other, the lowest on the ground, with gaps between them, and a
/// downward speed of the highest. Only the normal velocity of a contact in the middle of each face.
DualProblem column(int cubes, double gap, double speed, double timestep) {
  DualProblem p;
  p.inertia.resize(cubes);
  p.freeTwist.assign(cubes, Vec6::Zero());
  for (Vec6& u : p.freeTwist) u[2] = -9.81 * timestep;
  p.freeTwist.back()[2] -= speed;
  for (int i = 0; i < cubes; ++i) {
    ContactBlock contact;
    contact.row = 3 * i;
    contact.bodyA = i - 1;
    contact.bodyB = i;
    contact.friction = 0.5;
    contact.jacobianA.leftCols<3>() = -Mat3::Identity();
    contact.jacobianB.leftCols<3>() = Mat3::Identity();
    p.contacts.push_back(contact);
    p.bias.insert(p.bias.end(), {0.0, 0.0, (i == 0 ? 0.0 : gap) / timestep});
    p.compliance.insert(p.compliance.end(), 3, 0.0);
  }
  return p;
}

/// The solution of `p` in islands by the solver `name`, which is `law`'s, after a check of its residual.
Solution solvedBy(const std::string& name, const DualProblem& p, ContactModel law) {
  SolverOptions options;
  options.name = name;
  IslandSolver islands(options);
  Solution s;
  islands.solve(p, s);
  REQUIRE(s.status == SolveStatus::Solved);
  CHECK(measureResiduals(p, s.impulse, law, residualScale(p, ToleranceKind::Relative)).judged() < 1.1e-8);
  return s;
}

}  // namespace

TEST_CASE("contacts that stay open are left out, and the solution is that of the whole problem") {
  const DualProblem p = column(6, 1e-3, 0.0, 1e-3);
  IslandSolver islands({});
  Solution parts, whole;
  islands.solve(p, parts);
  makeSolver({})->solve(p, whole);
  REQUIRE(parts.status == SolveStatus::Solved);
  CHECK(measureResiduals(p, parts.impulse).worst() < 1e-9);
  for (int r = 0; r < p.rows(); ++r) {
    CHECK(parts.impulse[r] == doctest::Approx(whole.impulse[r]).epsilon(1e-9));
    CHECK(parts.dual[r] == doctest::Approx(whole.dual[r]).epsilon(1e-9));
  }
  CHECK(parts.impulse[2] > 0.0);
  for (int r = 3; r < p.rows(); ++r) CHECK(parts.impulse[r] == 0.0);
}

TEST_CASE("contacts left out at first are taken in when impulses close them, through a whole column") {
  // The second highest cube is at rest on the tip of what the free motion reaches; the impact pushes each
  // cube onto the next, one after the other.
  const double timestep = 1e-3;
  DualProblem p = column(6, 5e-5, 3.0, timestep);
  p.bias[3 * 5 + 2] = 0.0;  // the highest touches
  for (const std::string name : {"auto", "NEWTON-NCP", "IPM-NCP", "NBGS", "ADMM"}) {
    CAPTURE(name);
    const Solution s = solvedBy(name, p, ContactModel::Ncp);
    CHECK(s.impulse[2] > 2.0);  // N·s: the impact reaches the ground
  }
}

TEST_CASE("the convex relaxation takes in contacts that slide faster than they open") {
  DualProblem p = column(1, 1.5e-4, 0.0, 1e-3);  // opens with 0.15 m/s
  p.freeTwist[0].setZero();
  p.freeTwist[0][0] = 0.1;
  p.contacts[0].friction = 2.0;
  for (const std::string name : {"ADMM-CCP", "PGS-CCP", "CCP-NEWTON"}) {
    CAPTURE(name);
    CHECK(solvedBy(name, p, ContactModel::Ccp).impulse[2] > 0.0);
  }
  CHECK(solvedBy("auto", p, ContactModel::Ncp).impulse[2] == 0.0);
}

TEST_CASE("a problem of which no contact presses keeps its free motion") {
  DualProblem p = column(2, 1e-3, 0.0, 1e-3);
  p.bias[2] = 1.0;
  IslandSolver islands({});
  Solution s;
  islands.solve(p, s);
  CHECK(s.status == SolveStatus::Solved);
  CHECK(s.iterations == 0);
  CHECK(s.twist == p.freeTwist);
  CHECK(measureResiduals(p, s.impulse).worst() == 0.0);
}
