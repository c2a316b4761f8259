#include "tools/grashof/viewer/packing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include <zlib.h>

namespace grashof {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kDeflateLevel = 6;
constexpr std::int32_t kNone = std::numeric_limits<std::int32_t>::min();  // no finite number

std::string base64(std::span<const unsigned char> bytes) {
  static constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const unsigned b0 = bytes[i], b1 = i + 1 < bytes.size() ? bytes[i + 1] : 0,
                   b2 = i + 2 < bytes.size() ? bytes[i + 2] : 0;
    const unsigned all = b0 << 16 | b1 << 8 | b2;
    text += digits[all >> 18];
    text += digits[all >> 12 & 63];
    text += i + 1 < bytes.size() ? digits[all >> 6 & 63] : '=';
    text += i + 2 < bytes.size() ? digits[all & 63] : '=';
  }
  return text;
}

std::int32_t level(double value, const PackedColumn& column) {
  const double x = (value - column.offset) / column.quantum;
  if (!std::isfinite(x)) return kNone;
  constexpr double most = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(std::llround(std::clamp(x, -most, most)));
}

/// Differences of neighbours, with wrap-around; the first value stays.
void difference(std::vector<std::int32_t>& values) {
  for (std::size_t i = values.size(); i-- > 1;)
    values[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(values[i]) -
                                          static_cast<std::uint32_t>(values[i - 1]));
}

double sizeOf(const std::vector<std::int32_t>& values) {
  double sum = 0.0;
  for (const std::int32_t v : values) sum += std::abs(static_cast<double>(v));
  return sum;
}

/// Differences `levels` as often as that makes them smaller, at most twice. Returns how often.
int shrink(std::vector<std::int32_t>& levels) {
  std::vector<std::int32_t> next = levels;
  double size = sizeOf(levels);
  for (int order = 0; order < 2; ++order) {
    difference(next);
    const double smaller = sizeOf(next);
    if (!(smaller < size)) return order;
    levels = next;
    size = smaller;
  }
  return 2;
}

}  // namespace

std::string packed(std::span<const unsigned char> bytes) {
  uLongf size = compressBound(bytes.size());
  std::vector<unsigned char> out(size);
  if (compress2(out.data(), &size, bytes.data(), bytes.size(), kDeflateLevel) != Z_OK) throw std::bad_alloc();
  return base64({out.data(), size});
}

Json packTable(std::size_t rows, std::span<const PackedColumn> columns,
               const std::function<double(std::size_t, std::size_t)>& value) {
  const std::size_t count = rows * columns.size();
  std::vector<unsigned char> bytes(4 * count);
  std::vector<double> offsets, quanta;
  std::vector<int> orders;
  std::vector<std::int32_t> levels(rows);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    for (std::size_t r = 0; r < rows; ++r) levels[r] = level(value(r, c), columns[c]);
    offsets.push_back(columns[c].offset);
    quanta.push_back(columns[c].quantum);
    orders.push_back(shrink(levels));
    for (std::size_t r = 0; r < rows; ++r) {
      const auto bits = static_cast<std::uint32_t>(levels[r]);
      const std::uint32_t folded = bits << 1 ^ (levels[r] < 0 ? 0xffffffffU : 0U);
      for (std::size_t plane = 0; plane < 4; ++plane)
        bytes[plane * count + c * rows + r] = static_cast<unsigned char>(folded >> 8 * plane & 255);
    }
  }
  return {
      {"rows", rows}, {"offset", offsets}, {"quantum", quanta}, {"order", orders}, {"data", packed(bytes)}};
}

Json packTimes(std::span<const double> times) {
  const PackedColumn column{0.0, std::max(1e-7, times.empty() ? 0.0 : 1e-9 * times.back())};
  return packTable(times.size(), {&column, 1}, [&](std::size_t r, std::size_t) { return times[r]; });
}

Json packIntegers(std::span<const std::uint32_t> values) {
  const PackedColumn column;
  return packTable(values.size(), {&column, 1},
                   [&](std::size_t r, std::size_t) { return static_cast<double>(values[r]); });
}

}  // namespace grashof
