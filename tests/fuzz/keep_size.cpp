// Mutations for files that say at which byte what stands: they change bytes and numbers, and move nothing.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <random>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t maxSize);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t maxSize,
                                               unsigned seed) {
  constexpr double kNumbers[] = {0.0,
                                 -0.0,
                                 -1.0,
                                 1.0,
                                 0.5,
                                 2.0,
                                 1e300,
                                 1e-300,
                                 1e9,
                                 -1e9,
                                 4294967296.0,
                                 std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::quiet_NaN()};
  constexpr std::size_t kCount = std::size(kNumbers);
  if (size < 64) return LLVMFuzzerMutate(data, size, maxSize);
  std::minstd_rand random(seed);
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  for (std::size_t change = 1 + below(3); change > 0; --change) {
    const std::size_t at = below(size - 8);
    switch (below(4)) {
      case 0:
        data[at] = static_cast<std::uint8_t>(below(256));
        break;
      case 1:
        data[at] = static_cast<std::uint8_t>(data[at] ^ (1u << below(8)));
        break;
      case 2: {  // numbers of HDF5 stand at multiples of 4, seen from the start of most files
        const double number = kNumbers[below(kCount)];
        std::memcpy(data + at / 4 * 4, &number, sizeof number);
        break;
      }
      default: {
        const auto number = static_cast<std::int32_t>(below(9)) - 4;
        std::memcpy(data + at / 4 * 4, &number, sizeof number);
      }
    }
  }
  return size;
}
