#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include "engine/analysis/assembly.h"
#include "engine/dynamics/derivative/row_completion.h"
#include "engine/dynamics/rows/equality_rows.h"
#include "engine/scenario/scenario.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// How many components determine the others, after a check that they do: J x = g for random g.
std::size_t givenOf(const char* name) {
  const Scenario s = readScenario(test::sourceFolder() + "/assets/scenarios/" + name + ".xml");
  const Model& model = *s.model;
  const State start = startState(model);
  std::vector<JointGeometry> geometry(model.joints.size());
  evaluateJoints(model, start.poses, start.coordinates, geometry);
  DualProblem rows;
  rows.inertia.resize(start.poses.size());
  assembleEqualityRows(model, geometry, 0.0, EqualityTarget::Velocity, rows);
  const auto n = 6 * static_cast<Eigen::Index>(start.poses.size());
  Eigen::MatrixXd jacobian = Eigen::MatrixXd::Zero(rows.jointRows, n);
  for (const JointBlock& block : rows.joints)
    for (int t = block.firstTerm; t < block.firstTerm + block.terms; ++t) {
      const JointTerm& term = rows.jointTerms[static_cast<std::size_t>(t)];
      jacobian.block(block.row, 6 * term.body, block.rows, 6) += term.jacobian.topRows(block.rows);
    }
  RowCompletion completion(model);
  completion.set(rows);
  test::Random random(5);
  Eigen::MatrixXd x(n + 2, 3);  // two rows before it stay as they are
  for (double& value : x.reshaped()) value = random.uniform();
  const Eigen::MatrixXd right = jacobian * x.bottomRows(n), whole = x;
  for (Eigen::Index i = 0; i < n; ++i)
    if (std::find(completion.given().begin(), completion.given().end(), i) == completion.given().end())
      x.row(2 + i).setConstant(std::nan(""));
  completion.complete(x, 2, &right);
  CHECK((x - whole).cwiseAbs().maxCoeff() < 1e-10);
  return completion.given().size();
}

}  // namespace

TEST_CASE("the joints of a tree leave as many components as it has degrees of freedom, and give the others") {
  CHECK(givenOf("double-pendulum") == 2);
  CHECK(givenOf("fourbar-fixed") == 3);  // without the joint that closes the loop
}
