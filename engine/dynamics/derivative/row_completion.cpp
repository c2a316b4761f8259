#include "engine/dynamics/derivative/row_completion.h"

#include <algorithm>
#include <cmath>

namespace grashof {
namespace {

constexpr double kCompletionPivot = 0.05;  // of rows with entries of about 1: errors grow by 20 at most

}  // namespace

RowCompletion::RowCompletion(const Model& model) {
  int blocks = 0;
  for (const Joint& joint : model.joints) {
    const bool rows = (!joint.softness.soft() && joint.type->numConstraints() > 0) ||
                      std::any_of(joint.coordinates.begin(), joint.coordinates.end(),
                                  [](const auto& c) { return c.actuator.kind == Actuator::Kind::Motion; });
    blockOf_.push_back(rows ? blocks++ : -1);
  }
  // A spanning forest: from the world as far as joints lead, then from each body that is left.
  std::vector<char> reached(model.bodies.size(), 0);
  const auto grow = [&] {
    for (bool more = true; more;) {
      more = false;
      for (std::size_t j = 0; j < model.joints.size(); ++j) {
        const Joint& joint = model.joints[j];
        if (blockOf_[j] < 0) continue;
        const bool base = joint.base < 0 || reached[static_cast<std::size_t>(joint.base)];
        const bool follower = reached[static_cast<std::size_t>(joint.follower)];
        if (base == follower) continue;
        const int parent = base ? joint.base : joint.follower, child = base ? joint.follower : joint.base;
        branches_.push_back({static_cast<int>(j), parent, child});
        reached[static_cast<std::size_t>(child)] = 1;
        more = true;
      }
    }
  };
  grow();
  for (auto& mark : reached) {
    if (mark) continue;
    mark = 1;
    grow();
  }
}

void RowCompletion::set(const DualProblem& rows) {
  known_.assign(6 * static_cast<std::size_t>(rows.bodies()), 1);
  steps_.clear();
  for (const Branch& branch : branches_)
    eliminate(branch, rows.joints[static_cast<std::size_t>(blockOf_[static_cast<std::size_t>(branch.joint)])],
              rows);
  given_.clear();
  for (std::size_t i = 0; i < known_.size(); ++i)
    if (known_[i]) given_.push_back(static_cast<int>(i));
}

void RowCompletion::eliminate(const Branch& branch, const JointBlock& block, const DualProblem& rows) {
  Mat6 child = Mat6::Zero(), parent = Mat6::Zero(), right = Mat6::Zero();
  for (int t = block.firstTerm; t < block.firstTerm + block.terms; ++t) {
    const JointTerm& term = rows.jointTerms[static_cast<std::size_t>(t)];
    (term.body == branch.child ? child : parent) = term.jacobian;
  }
  right.diagonal().head(block.rows).setOnes();
  std::array<int, 6> component{};
  for (int k = 0; k < block.rows; ++k) {
    // The largest entry of the rows that are left; entries of earlier pivots are 0 there.
    Eigen::Index row = 0, column = 0;
    const double pivot = child.middleRows(k, block.rows - k).cwiseAbs().maxCoeff(&row, &column);
    if (!(pivot > kCompletionPivot)) return;
    row += k;
    for (Mat6* m : {&child, &parent, &right}) m->row(k).swap(m->row(row));
    const double scale = 1.0 / child(k, column);
    for (Mat6* m : {&child, &parent, &right}) m->row(k) *= scale;
    for (int r = 0; r < block.rows; ++r) {
      const double share = child(r, column);
      if (r == k || share == 0.0) continue;
      for (Mat6* m : {&child, &parent, &right}) m->row(r) -= share * m->row(k);
    }
    component[static_cast<std::size_t>(k)] = static_cast<int>(column);
  }
  Step step;
  step.parent = branch.parent;
  step.child = branch.child;
  step.row = block.row;
  step.count = block.rows;
  for (int k = 0; k < block.rows; ++k) {
    const int c = component[static_cast<std::size_t>(k)];
    step.ofParent.row(c) = parent.row(k);
    step.ofChild.row(c) = child.row(k);
    step.ofRight.row(c) = right.row(k);
    known_[6 * static_cast<std::size_t>(branch.child) + static_cast<std::size_t>(c)] = 0;
  }
  for (int k = 0; k < block.rows; ++k) step.ofChild.col(component[static_cast<std::size_t>(k)]).setZero();
  steps_.push_back(step);
}

void RowCompletion::complete(Eigen::MatrixXd& x, Eigen::Index first, const Eigen::MatrixXd* right) const {
  for (Eigen::Index c = 0; c < x.cols(); ++c) {
    double* const column = x.col(c).data() + first;
    for (const Step& step : steps_) {
      Eigen::Map<Vec6> child(column + 6 * step.child);
      const auto known = known_.begin() + 6 * static_cast<std::ptrdiff_t>(step.child);
      // Whatever stands there, for 0 times a NaN is none.
      for (int k = 0; k < 6; ++k)
        if (!known[k]) child[k] = 0.0;
      Vec6 sum = -(step.ofChild * child);
      if (step.parent >= 0) sum.noalias() -= step.ofParent * Eigen::Map<const Vec6>(column + 6 * step.parent);
      if (right)
        for (int r = 0; r < step.count; ++r) sum += (*right)(step.row + r, c) * step.ofRight.col(r);
      // Rows of components that are given are zero.
      for (int k = 0; k < 6; ++k)
        if (!known[k]) child[k] = sum[k];
    }
  }
}

}  // namespace grashof
