#pragma once
/// Halton's sequence [Halton 1960]: points that fill a cube evenly, however many are taken.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace grashof {

/// The digits of `index` in base `base` >= 2, mirrored at the point: in [0, 1).
inline double radicalInverse(std::uint64_t index, std::uint64_t base) {
  double share = 0.0, digit = 1.0 / static_cast<double>(base);
  for (; index > 0; index /= base, digit /= static_cast<double>(base))
    share += digit * static_cast<double>(index % base);
  return share;
}

/// Point `index` of the sequence: one share in [0, 1) for each dimension, whose bases are the primes.
inline std::vector<double> haltonPoint(std::uint64_t index, std::size_t dimensions) {
  std::vector<double> shares;
  for (std::uint64_t base = 2; shares.size() < dimensions; ++base) {
    bool prime = true;
    for (std::uint64_t d = 2; d * d <= base && prime; ++d) prime = base % d != 0;
    if (prime) shares.push_back(radicalInverse(index, base));
  }
  return shares;
}

}  // namespace grashof
