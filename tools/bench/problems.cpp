#include "tools/bench/problems.h"

#include <cmath>
#include <random>
#include <vector>

#include "solvers/problem/problem_builder.h"

namespace grashof::bench {
namespace {

constexpr double kStep = 1e-3, kGravity = 9.81;

int addBody(DualProblemBuilder& builder, double mass, double moment, double push) {
  Vec6 u = Vec6::Zero();
  u[0] = push;
  u[2] = -kStep * kGravity;
  return builder.addBody(mass, moment * Mat3::Identity(), u);
}

/// A joint at `arm` from the first body's centre and `-arm` from the second's: point, then angular rows.
void addJoint(DualProblemBuilder& builder, int bodyA, int bodyB, const Vec3& arm, int rows) {
  const auto term = [&](int body, double sign) {
    Mat6 jacobian = Mat6::Zero();
    jacobian.topRows<3>() << sign * Mat3::Identity(), sign * skew(sign * arm);
    for (int r = 3; r < rows; ++r) jacobian(r, r) = sign;
    return DualProblemBuilder::Term{body, jacobian.topRows(rows)};
  };
  builder.addJoint({term(bodyA, -1.0), term(bodyB, 1.0)});
}

void addContact(DualProblemBuilder& builder, int bodyA, int bodyB, const Vec3& armA, const Vec3& armB,
                double friction) {
  Mat36 jacobianA, jacobianB;
  jacobianA << -Mat3::Identity(), skew(armA);
  jacobianB << Mat3::Identity(), -skew(armB);
  builder.addContact(bodyA, bodyB, jacobianA, jacobianB, friction);
}

}  // namespace

DualProblem largestSystem() {
  std::mt19937 random(7);
  const auto arm = [&] {
    const auto one = [&] { return 0.1 * (static_cast<double>(random() % 2001) / 1000.0 - 1.0); };
    return Vec3(one(), one(), one());
  };
  DualProblemBuilder builder;
  constexpr int kBodies = 54, kLoops = 13;
  int joints = 0;
  const auto rowsOfNext = [&] {
    const int j = joints++;
    return j == 0 ? 6 : j % 4 == 3 ? 3 : 5;  // 1 weld, 16 ball joints, 50 hinges
  };
  for (int b = 0; b < kBodies; ++b) {
    addBody(builder, 0.5 + 0.1 * (b % 7), 0.01 + 0.001 * (b % 5), 0.2);
    addJoint(builder, b == 0 ? -1 : b - 1 - b % std::min(b, 3), b, arm(), rowsOfNext());
  }
  for (int l = 0; l < kLoops; ++l) addJoint(builder, 3 * l, 3 * l + 7, arm(), rowsOfNext());
  for (int k = 0; k < 20; ++k) addContact(builder, -1, (5 * k + 2) % kBodies, Vec3::Zero(), arm(), 0.6);
  return builder.build();
}

DualProblem cubeStack(int count, double ratio) {
  DualProblemBuilder builder;
  for (int b = 0; b < count; ++b) {
    const double mass = std::pow(ratio, b / (count - 1.0));
    addBody(builder, mass, mass * 0.04 / 6.0, 0.5);
    for (const double x : {-0.1, 0.1})
      for (const double y : {-0.1, 0.1})
        addContact(builder, b - 1, b, Vec3(x, y, 0.1), Vec3(x, y, -0.1), 0.5);
  }
  return builder.build();
}

DualProblem chain(int links) {
  DualProblemBuilder builder;
  for (int b = 0; b < links; ++b) {
    addBody(builder, 0.1, 1e-4, 0.0);
    addJoint(builder, b - 1, b, Vec3(0.0, 0.0, -0.05), 5);
  }
  return builder.build();
}

DenseDelassus::DenseDelassus(const DualProblem& p) {
  struct Block {
    int body, row, rows;
    Mat6 jacobian, loaded;  // loaded: J M⁻¹
  };
  std::vector<std::vector<Block>> ofBody(p.bodies());
  velocity_ = Eigen::VectorXd::Zero(p.rows());
  const auto add = [&](int body, int row, int rows, const Mat6& jacobian) {
    if (body < 0) return;
    Block block{body, row, rows, jacobian, Mat6::Zero()};
    block.loaded.leftCols<3>() = p.inertia[body].inverseMass * jacobian.leftCols<3>();
    block.loaded.rightCols<3>() = jacobian.rightCols<3>() * p.inertia[body].inverseInertia;
    velocity_.segment(row, rows) += (jacobian * p.freeTwist[body]).head(rows);
    ofBody[body].push_back(block);
  };
  for (const JointBlock& joint : p.joints)
    for (int t = joint.firstTerm; t < joint.firstTerm + joint.terms; ++t)
      add(p.jointTerms[t].body, joint.row, joint.rows, p.jointTerms[t].jacobian);
  for (const ContactBlock& c : p.contacts)
    for (const auto& [body, jacobian] : {std::pair(c.bodyA, c.jacobianA), std::pair(c.bodyB, c.jacobianB)}) {
      Mat6 padded = Mat6::Zero();
      padded.topRows<3>() = jacobian;
      add(body, c.row, 3, padded);
    }
  // Only rows that share a body: the dense path should not pay for zeros before it has to.
  matrix_ = Eigen::MatrixXd::Zero(p.rows(), p.rows());
  for (const auto& blocks : ofBody)
    for (const Block& a : blocks)
      for (const Block& b : blocks) {
        const Mat6 product = a.loaded * b.jacobian.transpose();
        matrix_.block(a.row, b.row, a.rows, b.rows) += product.topLeftCorner(a.rows, b.rows);
      }
  result_ = Eigen::VectorXd::Zero(p.rows());
}

DualProblem copies(const DualProblem& problem, int count) {
  DualProblem all;
  const auto takeRows = [&](int first, int rows) {
    const int place = static_cast<int>(all.bias.size());
    for (int r = first; r < first + rows; ++r) {
      all.bias.push_back(problem.bias[r]);
      all.compliance.push_back(problem.compliance[r]);
    }
    return place;
  };
  for (int i = 0; i < count; ++i) {
    all.inertia.insert(all.inertia.end(), problem.inertia.begin(), problem.inertia.end());
    for (const Vec6& twist : problem.freeTwist) all.freeTwist.push_back((1.0 + 1.0 * i / count) * twist);
    for (JointBlock joint : problem.joints) {
      joint.row = takeRows(joint.row, joint.rows);
      joint.firstTerm += i * static_cast<int>(problem.jointTerms.size());
      all.joints.push_back(joint);
    }
    for (JointTerm term : problem.jointTerms) {
      term.body += i * problem.bodies();
      all.jointTerms.push_back(term);
    }
  }
  all.jointRows = count * problem.jointRows;
  const auto add = [&](auto block, auto& to, int rows, int copy) {
    block.row = takeRows(block.row, rows);
    for (int* body : {&block.bodyA, &block.bodyB})
      if (*body >= 0) *body += copy * problem.bodies();
    to.push_back(block);
  };
  for (int i = 0; i < count; ++i) {
    const int firstTerm = static_cast<int>(all.intervalTerms.size());
    for (const IntervalRow& row : problem.intervals) {
      add(row, all.intervals, 1, i);
      all.intervals.back().firstTerm += firstTerm;
      all.intervals.back().loads = 0;  // the timed problems have none
    }
    for (RowTerm term : problem.intervalTerms) {
      term.body += i * problem.bodies();
      all.intervalTerms.push_back(term);
    }
  }
  for (int i = 0; i < count; ++i)
    for (const ContactBlock& contact : problem.contacts) add(contact, all.contacts, 3, i);
  return all;
}

}  // namespace grashof::bench
