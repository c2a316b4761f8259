#include "solvers/problem/problem_builder.h"

#include <Eigen/Cholesky>
#include <string>

#include "engine/base/error.h"

namespace grashof {
namespace {

constexpr int kMaxJointRows = 6;  // of a joint block

/// Rows of the velocity of a point at `arm` from the centre of mass, in the axes of `frame` (its columns).
Mat36 pointRows(const Mat3& frame, const Vec3& arm) {
  Mat36 jacobian;
  jacobian.leftCols<3>() = frame.transpose();
  jacobian.rightCols<3>() = -frame.transpose() * skew(arm);
  return jacobian;
}

}  // namespace

void DualProblemBuilder::checkBody(int body) const {
  if (body < -1 || body >= problem_.bodies())
    throw CallError("DualProblemBuilder: there is no body " + std::to_string(body));
}

int DualProblemBuilder::addBody(double mass, const Mat3& inertia, const Vec6& freeTwist) {
  const Eigen::LLT<Mat3> factor(inertia);
  if (!(mass > 0.0) || factor.info() != Eigen::Success)
    throw CallError("DualProblemBuilder: a body needs a positive mass and a positive definite inertia");
  InertiaBlock block;
  block.mass = mass;
  block.inverseMass = 1.0 / mass;
  block.inertia = inertia;
  block.inverseInertia = inertia.inverse();
  problem_.inertia.push_back(block);
  problem_.freeTwist.push_back(freeTwist);
  return problem_.bodies() - 1;
}

int DualProblemBuilder::addJoint(std::span<const Term> terms, std::span<const double> bias,
                                 std::span<const double> compliance) {
  JointBlock joint;
  joint.row = problem_.jointRows;
  joint.rows = terms.empty() ? 0 : static_cast<int>(terms.front().jacobian.rows());
  joint.firstTerm = static_cast<int>(problem_.jointTerms.size());
  const auto fits = [&](std::span<const double> values) {
    return values.empty() || static_cast<int>(values.size()) == joint.rows;
  };
  if (joint.rows < 1 || joint.rows > kMaxJointRows || !fits(bias) || !fits(compliance))
    throw CallError("DualProblemBuilder: a joint has 1 to 6 rows, with one bias and compliance each");
  for (const Term& term : terms) {
    checkBody(term.body);
    if (term.jacobian.rows() != joint.rows || term.jacobian.cols() != 6)
      throw CallError(
          "DualProblemBuilder: all Jacobians of a joint have the same number of rows, and 6 columns");
    joint.terms += term.body >= 0 ? 1 : 0;
  }
  if (joint.terms < 1) throw CallError("DualProblemBuilder: a joint acts on one body at least");
  for (const Term& term : terms) {
    if (term.body < 0) continue;
    JointTerm own;
    own.body = term.body;
    own.jacobian.topRows(joint.rows) = term.jacobian;
    problem_.jointTerms.push_back(own);
  }
  for (int r = 0; r < joint.rows; ++r) {
    problem_.bias.push_back(bias.empty() ? 0.0 : bias[r]);
    problem_.compliance.push_back(compliance.empty() ? 0.0 : compliance[r]);
  }
  problem_.joints.push_back(joint);
  problem_.jointRows += joint.rows;
  return static_cast<int>(problem_.joints.size()) - 1;
}

int DualProblemBuilder::addJoint(std::initializer_list<Term> terms, std::initializer_list<double> bias,
                                 std::initializer_list<double> compliance) {
  return addJoint(std::span(terms.begin(), terms.size()), std::span(bias.begin(), bias.size()),
                  std::span(compliance.begin(), compliance.size()));
}

int DualProblemBuilder::addBallJoint(int bodyA, int bodyB, const Vec3& armA, const Vec3& armB) {
  const Mat3 world = Mat3::Identity();
  return addJoint({{bodyA, -pointRows(world, armA)}, {bodyB, pointRows(world, armB)}});
}

int DualProblemBuilder::addInterval(int bodyA, int bodyB, const Vec6& jacobianA, const Vec6& jacobianB,
                                    double bias, double lower, double upper,
                                    std::span<const RowTerm> further) {
  checkBody(bodyA);
  checkBody(bodyB);
  for (const RowTerm& term : further) checkBody(term.body);
  if (!further.empty() && bodyB < 0)
    throw CallError("DualProblemBuilder: further bodies of an interval need a body B");
  if (!(lower <= upper)) throw CallError("DualProblemBuilder: the bounds of an interval are in order");
  IntervalRow row;
  row.bodyA = bodyA;
  row.bodyB = bodyB;
  if (bodyA >= 0) row.jacobianA = jacobianA;
  if (bodyB >= 0) row.jacobianB = jacobianB;
  row.lower = lower;
  row.upper = upper;
  row.firstTerm = static_cast<int>(problem_.intervalTerms.size());
  for (const RowTerm& term : further) {
    if (term.body < 0) continue;
    problem_.intervalTerms.push_back(term);
    ++row.terms;
  }
  problem_.intervals.push_back(row);
  intervalBias_.push_back(bias);
  return static_cast<int>(problem_.intervals.size()) - 1;
}

void DualProblemBuilder::addBoundLoad(int interval, LoadOf of, int index, const BoundLoad& load) {
  const auto isOne = [](int i, const auto& of) { return i >= 0 && i < static_cast<int>(of.size()); };
  if (!isOne(interval, problem_.intervals))
    throw CallError("DualProblemBuilder: a bound load needs an interval that is there");
  int rows = 0;
  if (of == LoadOf::Joint && isOne(index, problem_.joints))
    rows = problem_.joints[static_cast<std::size_t>(index)].rows;
  else if (of == LoadOf::Interval && isOne(index, problem_.intervals))
    rows = 1;
  else if (of == LoadOf::Contact && isOne(index, problem_.contacts))
    rows = 3;
  if (load.row < 0 || load.rows < 1 || load.rows > rows - load.row)
    throw CallError("DualProblemBuilder: the rows of a bound load are not there");
  if (!(load.lowerShare >= 0.0 && load.upperShare >= 0.0))
    throw CallError("DualProblemBuilder: the shares of a bound load are not negative");
  loads_.push_back({interval, of, index, load});
}

int DualProblemBuilder::firstRow(const DualProblem& problem, LoadOf of, int index) const {
  const auto i = static_cast<std::size_t>(index);
  if (of == LoadOf::Joint) return problem.joints[i].row;
  return of == LoadOf::Interval ? problem.intervals[i].row : problem.contacts[i].row;
}

/// The loads, interval by interval, with the rows of the whole problem.
void DualProblemBuilder::numberLoads(DualProblem& problem) const {
  for (std::size_t i = 0; i < problem.intervals.size(); ++i) {
    problem.intervals[i].firstLoad = static_cast<int>(problem.boundLoads.size());
    for (const LoadPlace& place : loads_) {
      if (place.interval != static_cast<int>(i)) continue;
      problem.boundLoads.push_back(place.load);
      problem.boundLoads.back().row += firstRow(problem, place.of, place.index);
      ++problem.intervals[i].loads;
    }
  }
}

int DualProblemBuilder::addContact(int bodyA, int bodyB, const Mat36& jacobianA, const Mat36& jacobianB,
                                   double friction, const Vec3& bias) {
  checkBody(bodyA);
  checkBody(bodyB);
  if (!(friction >= 0.0)) throw CallError("DualProblemBuilder: friction is not negative");
  ContactBlock contact;
  contact.bodyA = bodyA;
  contact.bodyB = bodyB;
  if (bodyA >= 0) contact.jacobianA = jacobianA;
  if (bodyB >= 0) contact.jacobianB = jacobianB;
  contact.friction = friction;
  problem_.contacts.push_back(contact);
  contactBias_.push_back(bias);
  return static_cast<int>(problem_.contacts.size()) - 1;
}

int DualProblemBuilder::addContact(int bodyA, int bodyB, const Vec3& armA, const Vec3& armB,
                                   const Vec3& normal, double friction, const Vec3& bias) {
  const Mat3 frame = frameFromNormal(normal);
  return addContact(bodyA, bodyB, -pointRows(frame, armA), pointRows(frame, armB), friction, bias);
}

DualProblem DualProblemBuilder::build() const {
  DualProblem problem = problem_;
  for (std::size_t i = 0; i < problem.intervals.size(); ++i) {
    problem.intervals[i].row = problem.jointRows + static_cast<int>(i);
    problem.bias.push_back(intervalBias_[i]);
  }
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    problem.contacts[k].row = problem.contactRow(static_cast<int>(k));
    problem.bias.insert(problem.bias.end(), contactBias_[k].begin(), contactBias_[k].end());
  }
  problem.compliance.resize(problem.rows(), 0.0);
  numberLoads(problem);
  return problem;
}

}  // namespace grashof
