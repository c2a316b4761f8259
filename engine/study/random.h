#pragma once
/// Random numbers by their place: which number it is, not which came before, decides its value, so that runs
/// of a study may be made in any order on any number of machines.

#include <array>
#include <cstdint>

namespace grashof::study {

/// The generator Philox4x32-10 of [Salmon 2011]: four words of a counter to four random words.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

/// A number in (0, 1), a function of its arguments alone; one of 2^52.
double uniformAt(std::uint64_t seed, std::uint32_t stream, std::uint64_t index);

/// 64 random bits, the same way.
std::uint64_t bitsAt(std::uint64_t seed, std::uint32_t stream, std::uint64_t index);

}  // namespace grashof::study
