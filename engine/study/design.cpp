#include "engine/study/design.h"

#include <numeric>
#include <utility>

#include <boost/random/sobol.hpp>

#include "engine/study/random.h"

namespace grashof::study {
namespace {

constexpr std::uint32_t kShift = 0x80000000, kOrder = 0x40000000;  // streams besides those of the factors

double share(std::uint64_t bits) { return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52; }

}  // namespace

const std::vector<std::string>& designNames() {
  static const std::vector<std::string> all = {"grid", "random", "lhs", "sobol", "indices", "worst-case"};
  return all;
}

struct Sampler::Sequence {
  boost::random::sobol numbers;
  std::uint64_t next = 0;  ///< of `numbers`: how many points it has given
};

Sampler::Sampler(Design design, std::uint64_t seed, std::uint64_t count, std::size_t dimensions)
    : design_(design), seed_(seed), count_(count), dimensions_(dimensions) {
  if (design_ == Design::Sobol && dimensions_ > 0)
    sequence_ = std::make_unique<Sequence>(Sequence{boost::random::sobol(dimensions_)});
  if (design_ != Design::Latin) return;
  for (std::size_t d = 0; d < dimensions_; ++d) {
    std::vector<std::uint32_t> order(count_);
    std::iota(order.begin(), order.end(), 0U);
    for (std::uint64_t i = count_; i > 1; --i) {  // Fisher and Yates
      // The product's upper half: uniform to 2^-32 of its value for counts below 2^32.
      const std::uint64_t bits = bitsAt(seed_, kOrder + static_cast<std::uint32_t>(d), i) >> 32;
      std::swap(order[i - 1], order[bits * i >> 32]);
    }
    orders_.push_back(std::move(order));
  }
}

Sampler::~Sampler() = default;
Sampler::Sampler(Sampler&&) noexcept = default;
Sampler& Sampler::operator=(Sampler&&) noexcept = default;

const std::vector<double>& Sampler::operator()(std::uint64_t index) {
  if (last_ != index) shares_ = sharesOf(index);
  last_ = index;
  return shares_;
}

std::vector<double> Sampler::sharesOf(std::uint64_t index) {
  std::vector<double> shares(dimensions_);
  if (sequence_) {
    // The library's sequence leaves out its first point, 0, without which 2^k points are no net.
    if (index > 0 && index - 1 < sequence_->next) *sequence_ = {boost::random::sobol(dimensions_)};
    if (index > 0 && index - 1 > sequence_->next)
      sequence_->numbers.discard((index - 1 - sequence_->next) * dimensions_);
    for (std::size_t d = 0; d < dimensions_; ++d)
      shares[d] = share((index > 0 ? sequence_->numbers() : 0) ^
                        bitsAt(seed_, kShift + static_cast<std::uint32_t>(d), 0));
    if (index > 0) sequence_->next = index;
    return shares;
  }
  for (std::size_t d = 0; d < dimensions_; ++d) {
    shares[d] = uniformAt(seed_, static_cast<std::uint32_t>(d), index);
    if (design_ == Design::Latin) shares[d] = (orders_[d][index] + shares[d]) / static_cast<double>(count_);
  }
  return shares;
}

}  // namespace grashof::study
