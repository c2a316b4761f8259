#pragma once
/// Which points of the space of factors a study looks at. Every point is a function of its number, so that
/// runs can be made in any order, anywhere, and again.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace grashof::study {

enum class Design {
  Grid,       ///< all combinations of levels
  Random,     ///< independent draws (Monte Carlo)
  Latin,      ///< Latin hypercube: each factor once in each of n equal shares [McKay 1979]
  Sobol,      ///< Sobol's sequence with the direction numbers of [Joe 2008], shifted at random
  Indices,    ///< Saltelli's pairs of samples for indices of sensitivity [Saltelli 2010]
  WorstCase,  ///< both ends of each factor, then the corner that they point to, for each measure
};

const std::vector<std::string>& designNames();

/// Shares in (0, 1) for `dimensions` factors.
class Sampler {
 public:
  /// `count`: points in all, which a Latin hypercube needs to know. Of `Random`, `Latin` and `Sobol`.
  Sampler(Design design, std::uint64_t seed, std::uint64_t count, std::size_t dimensions);
  ~Sampler();
  Sampler(Sampler&&) noexcept;
  Sampler& operator=(Sampler&&) noexcept;

  /// The shares of point `index` < count, one a dimension; fastest in their order. Not for several threads.
  const std::vector<double>& operator()(std::uint64_t index);

 private:
  struct Sequence;
  std::vector<double> sharesOf(std::uint64_t index);

  Design design_;
  std::uint64_t seed_, count_;
  std::size_t dimensions_;
  std::vector<std::vector<std::uint32_t>>
      orders_;                          // of a Latin hypercube: the share of each point, by dimension
  std::unique_ptr<Sequence> sequence_;  // of Sobol
  std::optional<std::uint64_t> last_;   // the point of shares_: the mixtures of indices ask for it again
  std::vector<double> shares_;
};

/// More dimensions than that Sobol's sequence does not have here.
inline constexpr std::size_t kMostSobolDimensions = 3667;

}  // namespace grashof::study
