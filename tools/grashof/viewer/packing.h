#pragma once
/// Numbers as a page carries them: small, and exact to a quantum that the sender chooses.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace grashof {

/// `bytes` deflated (zlib's format) and in base64. Throws std::bad_alloc when memory ends.
std::string packed(std::span<const unsigned char> bytes);

/// A column of a table: its values are offset + quantum · an integer of 32 bits. Values beyond are those at
/// the bounds; numbers that are not finite become NaN.
struct PackedColumn {
  double offset = 0.0;
  double quantum = 1.0;  ///< > 0
};

/// A table as JSON: `rows`, `offset`, `quantum` and `order` (one per column) and `data`. The integers of a
/// column are differenced `order` times (0, 1 or 2: what makes them least), with wrap-around, and folded to
/// be unsigned (zigzag). `data` holds column after column, first all lowest bytes, then all second ones, up
/// to the fourth: high bytes are mostly zero, so they cost almost nothing when deflated.
/// `value`: of a row and a column.
nlohmann::ordered_json packTable(std::size_t rows, std::span<const PackedColumn> columns,
                                 const std::function<double(std::size_t, std::size_t)>& value);

/// A table of one column, to 1e-7 s, or 1e-9 of the last.
nlohmann::ordered_json packTimes(std::span<const double> times);
/// The same of integers below 2^31.
nlohmann::ordered_json packIntegers(std::span<const std::uint32_t> values);

}  // namespace grashof
