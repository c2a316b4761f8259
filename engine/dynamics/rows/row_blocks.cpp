#include "engine/dynamics/rows/row_blocks.h"

namespace grashof {
namespace {

/// Adds `row` to the term of `body`, which may be there already: joints of a coupling can share a body.
void addCouplingTerm(int body, const Vec6& row, JointBlock& block, DualProblem& problem) {
  if (body < 0) return;
  for (int t = 0; t < block.terms; ++t) {
    JointTerm& term = problem.jointTerms[block.firstTerm + t];
    if (term.body != body) continue;
    term.jacobian.row(0) += row.transpose();
    return;
  }
  problem.jointTerms.push_back({body, Mat6::Zero()});
  problem.jointTerms.back().jacobian.row(0) = row.transpose();
  ++block.terms;
}

}  // namespace

void openJointBlock(const Joint& joint, DualProblem& problem) {
  openBlock(joint.base, joint.follower, problem);
}

void openBlock(int base, int follower, DualProblem& problem) {
  JointBlock block;
  block.row = static_cast<int>(problem.bias.size());
  block.firstTerm = static_cast<int>(problem.jointTerms.size());
  if (base >= 0) problem.jointTerms.push_back({base, Mat6::Zero()});
  problem.jointTerms.push_back({follower, Mat6::Zero()});
  block.terms = static_cast<int>(problem.jointTerms.size()) - block.firstTerm;
  problem.joints.push_back(block);
}

int addJointRow(const Joint&, const JointRow& row, double bias, double compliance, DualProblem& problem) {
  return addBlockRow(row, bias, compliance, problem);
}

void openBlock(std::span<const RowTerm> row, DualProblem& problem) {
  JointBlock block;
  block.row = static_cast<int>(problem.bias.size());
  block.firstTerm = static_cast<int>(problem.jointTerms.size());
  block.terms = static_cast<int>(row.size());
  for (const RowTerm& t : row) problem.jointTerms.push_back({t.body, Mat6::Zero()});
  problem.joints.push_back(block);
}

int addBlockRow(std::span<const RowTerm> row, double bias, double compliance, DualProblem& problem) {
  JointBlock& block = problem.joints.back();
  for (std::size_t t = 0; t < row.size(); ++t)
    problem.jointTerms[block.firstTerm + t].jacobian.row(block.rows) = row[t].jacobian.transpose();
  ++block.rows;
  problem.bias.push_back(bias);
  problem.compliance.push_back(compliance);
  return static_cast<int>(problem.bias.size()) - 1;
}

int addBlockRow(const JointRow& row, double bias, double compliance, DualProblem& problem) {
  JointBlock& block = problem.joints.back();
  if (block.terms == 2) problem.jointTerms[block.firstTerm].jacobian.row(block.rows) = row.base.transpose();
  problem.jointTerms[block.firstTerm + block.terms - 1].jacobian.row(block.rows) = row.follower.transpose();
  ++block.rows;
  problem.bias.push_back(bias);
  problem.compliance.push_back(compliance);
  return static_cast<int>(problem.bias.size()) - 1;
}

int addConstraintRows(const Joint& joint, const JointGeometry& geometry, DualProblem& problem) {
  JointBlock& block = problem.joints.back();
  const auto first = static_cast<int>(problem.bias.size());
  const int count = joint.type->numConstraints();
  Mat6& follower = problem.jointTerms[block.firstTerm + block.terms - 1].jacobian;
  Mat6& base = problem.jointTerms[block.firstTerm].jacobian;
  for (int r = 0; r < count; ++r)
    follower.row(block.rows + r) = geometry.constraintRow[r].follower.transpose();
  for (int r = 0; r < count && joint.base >= 0; ++r)
    base.row(block.rows + r) = geometry.constraintRow[r].base.transpose();
  block.rows += count;
  problem.bias.resize(problem.bias.size() + count, 0.0);
  problem.compliance.resize(problem.compliance.size() + count, 0.0);
  return first;
}

int closeJointBlock(DualProblem& problem) {
  const JointBlock& block = problem.joints.back();
  if (block.rows > 0) return static_cast<int>(problem.joints.size()) - 1;
  problem.jointTerms.resize(block.firstTerm);
  problem.joints.pop_back();
  return -1;
}

void addCouplingBlock(const Model& model, const Coupling& c, std::span<const JointGeometry> geometry,
                      DualProblem& problem) {
  JointBlock block;
  block.row = static_cast<int>(problem.bias.size());
  block.rows = 1;
  block.firstTerm = static_cast<int>(problem.jointTerms.size());
  const Joint &a = model.joints[c.jointA], &b = model.joints[c.jointB];
  const JointRow& rowA = geometry[c.jointA].coordinateRow[c.coordinateA];
  const JointRow& rowB = geometry[c.jointB].coordinateRow[c.coordinateB];
  addCouplingTerm(a.base, rowA.base, block, problem);
  addCouplingTerm(a.follower, rowA.follower, block, problem);
  const double slope = c.slope(geometry[c.jointB].coordinate[c.coordinateB]);
  addCouplingTerm(b.base, -slope * rowB.base, block, problem);
  addCouplingTerm(b.follower, -slope * rowB.follower, block, problem);
  for (const CoordinateTerm& t : c.more) {
    const JointRow& row = geometry[t.joint].coordinateRow[t.coordinate];
    addCouplingTerm(model.joints[t.joint].base, -t.coefficient * row.base, block, problem);
    addCouplingTerm(model.joints[t.joint].follower, -t.coefficient * row.follower, block, problem);
  }
  problem.joints.push_back(block);
  problem.bias.push_back(0.0);
  problem.compliance.push_back(0.0);
}

int addIntervalRow(const Joint& joint, const JointRow& row, double sign, double bias, double compliance,
                   double lower, double upper, DualProblem& problem) {
  return addIntervalRow(joint.base, joint.follower, row, sign, bias, compliance, lower, upper, problem);
}

int addIntervalRow(int base, int follower, const JointRow& row, double sign, double bias, double compliance,
                   double lower, double upper, DualProblem& problem) {
  IntervalRow interval;
  interval.row = static_cast<int>(problem.bias.size());
  interval.bodyA = base;
  interval.bodyB = follower;
  interval.jacobianA = sign * row.base;
  interval.jacobianB = sign * row.follower;
  interval.lower = lower;
  interval.upper = upper;
  problem.intervals.push_back(interval);
  problem.bias.push_back(bias);
  problem.compliance.push_back(compliance);
  return interval.row;
}

int addIntervalRow(std::span<const RowTerm> row, double sign, double bias, double compliance, double lower,
                   double upper, DualProblem& problem) {
  const bool two = row.size() > 1;
  JointRow first;
  if (two) first.base = row[0].jacobian;
  const RowTerm& follower = row[two ? 1 : 0];
  first.follower = follower.jacobian;
  const int index = addIntervalRow(two ? row[0].body : -1, follower.body, first, sign, bias, compliance,
                                   lower, upper, problem);
  IntervalRow& interval = problem.intervals.back();
  interval.firstTerm = static_cast<int>(problem.intervalTerms.size());
  for (std::size_t t = 2; t < row.size(); ++t) {
    problem.intervalTerms.push_back({row[t].body, sign * row[t].jacobian});
    ++interval.terms;
  }
  return index;
}

void addBoundLoad(const BoundLoad& load, DualProblem& problem) {
  IntervalRow& row = problem.intervals.back();
  if (row.loads++ == 0) row.firstLoad = static_cast<int>(problem.boundLoads.size());
  problem.boundLoads.push_back(load);
}

void addSignedLoad(int row, double sign, double lowerShare, double upperShare, DualProblem& problem) {
  BoundLoad load;
  load.row = row;
  load.map(0, 0) = sign;
  load.positivePart = true;
  load.lowerShare = lowerShare;
  load.upperShare = upperShare;
  addBoundLoad(load, problem);
}

double delassusOf(const DualProblem& problem, std::span<const RowTerm> row) {
  double d = 0.0;
  for (const RowTerm& t : row) d += problem.inertia[t.body].delassus(t.jacobian);
  return d;
}

double delassusOf(const DualProblem& problem, const Joint& joint, const JointRow& row) {
  return delassusOf(problem, joint.base, joint.follower, row);
}

double delassusOf(const DualProblem& problem, int base, int follower, const JointRow& row) {
  double d = problem.inertia[follower].delassus(row.follower);
  if (base >= 0) d += problem.inertia[base].delassus(row.base);
  return d;
}

}  // namespace grashof
