#include "engine/study/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/study/random.h"

namespace grashof::study {
namespace {

constexpr int kResamples = 200;
constexpr std::uint32_t kResampling = 0x20000000;  // stream of random numbers

/// The value below which a share of sorted values lies, interpolated.
double quantileOf(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  if (below + 1 >= sorted.size()) return sorted.back();
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[below + 1] - sorted[below]);
}

double meanOf(const std::vector<double>& x) {
  return x.empty() ? 0.0 : std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

/// Ranks from 0; equal values share the mean of theirs.
std::vector<double> ranksOf(const std::vector<double>& x) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  std::vector<double> ranks(x.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i;
    while (end < order.size() && x[order[end]] == x[order[i]]) ++end;
    for (std::size_t k = i; k < end; ++k) ranks[order[k]] = 0.5 * static_cast<double>(i + end - 1);
    i = end;
  }
  return ranks;
}

/// Samples of which all values are finite, less their mean.
struct Clean {
  std::vector<double> a, b;
  std::vector<std::vector<double>> mixed;
  double mean = 0.0;
};

Clean cleaned(const std::vector<double>& a, const std::vector<double>& b,
              const std::vector<std::vector<double>>& mixed) {
  Clean c;
  c.mixed.resize(mixed.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    bool finite = std::isfinite(a[k]) && std::isfinite(b[k]);
    for (const auto& column : mixed) finite = finite && std::isfinite(column[k]);
    if (!finite) continue;
    c.a.push_back(a[k]);
    c.b.push_back(b[k]);
    for (std::size_t i = 0; i < mixed.size(); ++i) c.mixed[i].push_back(mixed[i][k]);
  }
  c.mean = 0.5 * (meanOf(c.a) + meanOf(c.b));
  for (auto* column : {&c.a, &c.b})
    for (double& x : *column) x -= c.mean;
  for (auto& column : c.mixed)
    for (double& x : column) x -= c.mean;
  return c;
}

double varianceOf(const Clean& c, const std::vector<std::size_t>& samples) {
  double sum = 0.0;
  for (const std::size_t k : samples) sum += c.a[k] * c.a[k] + c.b[k] * c.b[k];
  return sum / (2.0 * static_cast<double>(samples.size()));
}

/// `variance`: of the samples.
Index estimate(const Clean& c, std::size_t factor, const std::vector<std::size_t>& samples, double variance) {
  double first = 0.0, total = 0.0;
  for (const std::size_t k : samples) {
    const double mixed = c.mixed[factor][k];
    first += c.b[k] * (mixed - c.a[k]);
    total += (c.a[k] - mixed) * (c.a[k] - mixed);
  }
  const double n = static_cast<double>(samples.size());
  if (!(variance > 0.0)) return {};
  return {first / n / variance, total / (2.0 * n) / variance, 0.0, 0.0};
}

}  // namespace

Summary summarize(const Rows& rows, std::size_t measure) {
  Summary s;
  std::vector<double> values;
  for (std::uint64_t run = 0; run < rows.runs(); ++run) {
    const double x = rows.value(run, measure);
    if (!std::isfinite(x)) continue;
    if (values.empty() || x < s.min) s.min = x, s.runOfMin = run;
    if (values.empty() || x > s.max) s.max = x, s.runOfMax = run;
    values.push_back(x);
  }
  s.count = values.size();
  if (values.empty()) return s;
  s.mean = meanOf(values);
  double squares = 0.0;
  for (const double x : values) squares += (x - s.mean) * (x - s.mean);
  s.deviation = s.count > 1 ? std::sqrt(squares / static_cast<double>(s.count - 1)) : 0.0;
  std::sort(values.begin(), values.end());
  for (std::size_t i = 0; i < kShares.size(); ++i) s.quantiles[i] = quantileOf(values, kShares[i]);
  return s;
}

Indices sobolIndices(const std::vector<double>& a, const std::vector<double>& b,
                     const std::vector<std::vector<double>>& mixed, std::uint64_t seed) {
  const Clean c = cleaned(a, b, mixed);
  Indices indices;
  indices.count = c.a.size();
  indices.factors.resize(mixed.size());
  if (indices.count < 2) return indices;
  std::vector<std::size_t> all(indices.count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  indices.mean = c.mean;
  indices.variance = varianceOf(c, all);
  for (std::size_t i = 0; i < mixed.size(); ++i) indices.factors[i] = estimate(c, i, all, indices.variance);
  std::vector<std::array<double, 4>> sums(mixed.size());  // of first, its square, total, its square
  for (int r = 0; r < kResamples; ++r) {
    std::vector<std::size_t> drawn(indices.count);
    for (std::size_t k = 0; k < drawn.size(); ++k) {
      const std::uint64_t bits = bitsAt(seed, kResampling + static_cast<std::uint32_t>(r), k) >> 32;
      drawn[k] = static_cast<std::size_t>(bits * drawn.size() >> 32);
    }
    const double variance = varianceOf(c, drawn);
    for (std::size_t i = 0; i < mixed.size(); ++i) {
      const Index index = estimate(c, i, drawn, variance);
      const std::array<double, 4> more = {index.first, index.first * index.first, index.total,
                                          index.total * index.total};
      for (std::size_t k = 0; k < 4; ++k) sums[i][k] += more[k] / kResamples;
    }
  }
  for (std::size_t i = 0; i < mixed.size(); ++i) {
    const auto& s = sums[i];
    indices.factors[i].firstError = 1.96 * std::sqrt(std::max(0.0, s[1] - s[0] * s[0]));
    indices.factors[i].totalError = 1.96 * std::sqrt(std::max(0.0, s[3] - s[2] * s[2]));
  }
  return indices;
}

Indices indicesOf(const Study& study, const Rows& rows, std::size_t measure) {
  const std::size_t mixtures = static_cast<std::size_t>(study.runs() / study.samples()) - 2;
  std::vector<double> a, b;
  std::vector<std::vector<double>> mixed(mixtures);
  for (std::uint64_t k = 0; k < study.samples(); ++k) {
    const std::uint64_t start = k * (mixtures + 2);
    a.push_back(rows.value(start, measure));
    b.push_back(rows.value(start + 1, measure));
    for (std::size_t i = 0; i < mixtures; ++i) mixed[i].push_back(rows.value(start + 2 + i, measure));
  }
  return sobolIndices(a, b, mixed, study.definition().seed);
}

double rankCorrelation(const std::vector<double>& x, const std::vector<double>& y) {
  const std::vector<double> a = ranksOf(x), b = ranksOf(y);
  const double meanA = meanOf(a), meanB = meanOf(b);
  double ab = 0.0, aa = 0.0, bb = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - meanA) * (b[i] - meanB);
    aa += (a[i] - meanA) * (a[i] - meanA);
    bb += (b[i] - meanB) * (b[i] - meanB);
  }
  return aa > 0.0 && bb > 0.0 ? ab / std::sqrt(aa * bb) : 0.0;
}

}  // namespace grashof::study
