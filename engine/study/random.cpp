#include "engine/study/random.h"

namespace grashof::study {

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0],
                        b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

std::uint64_t bitsAt(std::uint64_t seed, std::uint32_t stream, std::uint64_t index) {
  const auto words =
      philox({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32), stream, 0},
             {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  return std::uint64_t{words[1]} << 32 | words[0];
}

double uniformAt(std::uint64_t seed, std::uint32_t stream, std::uint64_t index) {
  return (static_cast<double>(bitsAt(seed, stream, index) >> 12) + 0.5) * 0x1p-52;
}

}  // namespace grashof::study
