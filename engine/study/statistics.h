#pragma once
/// What the rows of a study say together.

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "engine/study/study.h"

namespace grashof::study {

/// Of one measure over the runs that gave it.
struct Summary {
  std::uint64_t count = 0;  ///< runs with a finite value
  /// NaN without runs; the deviation is 0 of one.
  double mean = NAN, deviation = NAN, min = NAN, max = NAN;
  std::array<double, 5> quantiles = {NAN, NAN, NAN, NAN, NAN};  ///< at kShares
  std::uint64_t runOfMin = 0, runOfMax = 0;
};
inline constexpr std::array<double, 5> kShares = {0.01, 0.05, 0.5, 0.95, 0.99};

Summary summarize(const Rows& rows, std::size_t measure);

/// Indices of sensitivity of one measure to one factor.
struct Index {
  double first = 0.0;       ///< share of the variance that the factor causes by itself
  double total = 0.0;       ///< with what it causes together with others
  double firstError = 0.0;  ///< half width of the 95 % interval, from 200 bootstrap samples
  double totalError = 0.0;
};

/// f at points A, B, and A with the coordinate i of B: columns of `mixed`. The estimators are those of
/// [Saltelli 2010] for the first index and [Jansen 1999] for the total one, with the mean taken off before.
/// Samples with a value that is not finite are left out. `seed`: of the bootstrap.
struct Indices {
  double mean = 0.0, variance = 0.0;
  std::uint64_t count = 0;  ///< of samples that were used
  std::vector<Index> factors;
};
Indices sobolIndices(const std::vector<double>& a, const std::vector<double>& b,
                     const std::vector<std::vector<double>>& mixed, std::uint64_t seed);

/// The same from the rows of a study with that design.
Indices indicesOf(const Study& study, const Rows& rows, std::size_t measure);

/// Spearman's rank correlation of two columns of equal length; 0 where one is constant.
double rankCorrelation(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace grashof::study
