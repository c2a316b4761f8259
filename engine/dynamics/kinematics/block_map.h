#pragma once
/// A sparse matrix of blocks between bodies and rows.

#include <Eigen/SparseCore>
#include <vector>

#include "engine/base/math.h"

namespace grashof {

/// Sums of blocks of six columns and at most six rows, in the order in which they were added. Memory is kept
/// from one matrix to the next.
class BlockMap {
 public:
  void clear(Eigen::Index rows, Eigen::Index columns) {
    rows_ = rows;
    columns_ = columns;
    blocks_.clear();
  }
  Eigen::Index rows() const { return rows_; }
  Eigen::Index columns() const { return columns_; }
  bool empty() const { return blocks_.empty(); }

  /// Adds the first `count` rows of `block` at (row, column).
  void add(Eigen::Index row, Eigen::Index column, int count, const Mat6& block) {
    blocks_.push_back({row, column, count, block});
  }
  /// y += factor A x. Sizes: x = columns, y = rows.
  void addProduct(double factor, const double* x, double* y) const {
    for (const Block& b : blocks_) {
      const Vec6 part = b.block * (factor * Eigen::Map<const Vec6>(x + b.column));
      if (b.count == 6)
        Eigen::Map<Vec6>(y + b.row) += part;
      else
        for (int r = 0; r < b.count; ++r) y[b.row + r] += part[r];
    }
  }
  /// x += factor Aᵀ y.
  void addTransposed(double factor, const double* y, double* x) const {
    for (const Block& b : blocks_) {
      Vec6 part = Vec6::Zero();
      for (int r = 0; r < b.count; ++r) part[r] = factor * y[b.row + r];
      Eigen::Map<Vec6>(x + b.column).noalias() += b.block.transpose() * part;
    }
  }
  /// The same for columns apart.
  void addProduct(double factor, const Eigen::MatrixXd& x, Eigen::MatrixXd& y) const {
    for (Eigen::Index c = 0; c < x.cols(); ++c) addProduct(factor, x.col(c).data(), y.col(c).data());
  }
  void addTransposed(double factor, const Eigen::MatrixXd& y, Eigen::MatrixXd& x) const {
    for (Eigen::Index c = 0; c < y.cols(); ++c) addTransposed(factor, y.col(c).data(), x.col(c).data());
  }
  /// A, to look at.
  Eigen::SparseMatrix<double> sparse() const {
    std::vector<Eigen::Triplet<double>> entries;
    for (const Block& b : blocks_)
      for (int r = 0; r < b.count; ++r)
        for (int c = 0; c < 6; ++c) entries.emplace_back(b.row + r, b.column + c, b.block(r, c));
    Eigen::SparseMatrix<double> matrix(rows_, columns_);
    matrix.setFromTriplets(entries.begin(), entries.end());
    return matrix;
  }

 private:
  struct Block {
    Eigen::Index row = 0, column = 0;
    int count = 6;
    Mat6 block = Mat6::Zero();  // rows beyond `count` do not count
  };
  Eigen::Index rows_ = 0, columns_ = 0;
  std::vector<Block> blocks_;
};

}  // namespace grashof
