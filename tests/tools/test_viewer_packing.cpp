// Numbers as a page carries them. That pages decode them is shown by tests/viewer and tests/cli.
#include <cmath>
#include <limits>

#include <zlib.h>

#include "tests/support.h"
#include "tools/grashof/viewer/channel_series.h"
#include "tools/grashof/viewer/packing.h"

using namespace grashof;

namespace {

std::vector<unsigned char> bytesOf(const std::string& base64) {
  std::vector<unsigned char> bytes;
  unsigned bits = 0;
  int held = 0;
  for (const char c : base64) {
    const auto digit =
        std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/").find(c);
    if (digit == std::string_view::npos) continue;
    bits = bits << 6 | static_cast<unsigned>(digit);
    if ((held += 6) >= 8) bytes.push_back(static_cast<unsigned char>(bits >> (held -= 8) & 255));
  }
  return bytes;
}

/// The values of a table, column by column.
std::vector<std::vector<double>> unpacked(const nlohmann::ordered_json& table) {
  const auto rows = table["rows"].get<std::size_t>(), columns = table["order"].size(), count = rows * columns;
  const std::vector<unsigned char> packed = bytesOf(table["data"].get<std::string>());
  std::vector<unsigned char> bytes(4 * count + 1);
  uLongf size = bytes.size();
  REQUIRE(uncompress(bytes.data(), &size, packed.data(), packed.size()) == Z_OK);
  REQUIRE(size == 4 * count);
  std::vector<std::vector<double>> all;
  for (std::size_t c = 0; c < columns; ++c) {
    std::vector<std::uint32_t> levels;
    for (std::size_t r = 0; r < rows; ++r) {
      std::uint32_t folded = 0;
      for (std::size_t plane = 0; plane < 4; ++plane)
        folded |= std::uint32_t{bytes[plane * count + c * rows + r]} << 8 * plane;
      levels.push_back(folded >> 1 ^ (folded & 1 ? 0xffffffffU : 0U));
    }
    for (int k = 0; k < table["order"][c].get<int>(); ++k)
      for (std::size_t r = 1; r < rows; ++r) levels[r] += levels[r - 1];
    std::vector<double> values;
    for (const std::uint32_t level : levels)
      values.push_back(level == 0x80000000U
                           ? std::nan("")
                           : table["offset"][c].get<double>() +
                                 table["quantum"][c].get<double>() * static_cast<std::int32_t>(level));
    all.push_back(values);
  }
  return all;
}

}  // namespace

TEST_CASE("a table holds its values to half a quantum, and NaN where there is no finite number") {
  const std::vector<PackedColumn> columns = {{0.0, 1e-6}, {-3.0, 0.5}, {0.0, 1e-3}};
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<std::vector<double>> values = {{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7},
                                                   {-3.0, 7.0, -11.0, 1e6, 0.0, 2.0, 4.0},
                                                   {0.0, inf, -1.0, std::nan(""), 3e6, -3e6, -inf}};
  const auto table = packTable(7, columns, [&](std::size_t r, std::size_t c) { return values[c][r]; });
  CHECK(table["order"][0] == 2);  // even steps
  CHECK(table["order"][1] == 0);
  const auto read = unpacked(table);
  for (std::size_t c = 0; c < columns.size(); ++c)
    for (std::size_t r = 0; r < 7; ++r) {
      if (std::isfinite(values[c][r]) && std::abs(values[c][r]) < 2e6)
        CHECK(read[c][r] ==
              doctest::Approx(values[c][r]).epsilon(0).scale(1).epsilon(0.51 * columns[c].quantum));
      else if (!std::isfinite(values[c][r]))
        CHECK(std::isnan(read[c][r]));
    }
  CHECK(std::abs(read[2][4]) < 2.2e6);  // the farthest there is
  CHECK(unpacked(packTable(0, columns, [](std::size_t, std::size_t) { return 0.0; })).size() == 3);
}

TEST_CASE("random tables come back, whatever wraps around") {
  std::mt19937 random(7);
  for (int trial = 0; trial < 20; ++trial) {
    std::uniform_real_distribution<double> any(-2.147483647e9, 2.147483647e9);
    std::vector<double> values(1 + random() % 300);
    for (double& v : values) v = std::round(any(random));
    const PackedColumn column;
    const auto read = unpacked(
        packTable(values.size(), {&column, 1}, [&](std::size_t r, std::size_t) { return values[r]; }));
    CHECK(read[0] == values);
  }
}

TEST_CASE(
    "a channel keeps every sample while they are few, then intervals with their extremes; its peaks are "
    "exact") {
  ChannelSeries series(2, 8);
  std::vector<double> times, first, second;
  std::mt19937 random(3);
  std::normal_distribution<double> noise;
  for (int i = 0; i < 100; ++i) {
    times.push_back(0.01 * i);
    first.push_back(noise(random));
    second.push_back(i == 61 ? 1000.0 : 1.0);
    series.add(times.back(), std::vector<double>{first.back(), second.back()});
    if (i == 7) {
      CHECK(series.epoch() == 0);
      const auto j = series.intervalsJson(0);
      CHECK_FALSE(j.contains("rise"));
      const auto low = unpacked(j["low"]);
      for (std::size_t k = 0; k < 8; ++k) CHECK(low[0][k] == doctest::Approx(first[k]).epsilon(1e-4));
    }
  }
  CHECK(series.intervals() <= 8);
  const auto j = series.intervalsJson(0);
  const auto starts = unpacked(j["times"])[0], low = unpacked(j["low"])[0], rise = unpacked(j["rise"])[0];
  const auto extremes = series.extremesJson();
  CHECK(extremes["greatest"][0].get<double>() == *std::max_element(first.begin(), first.end()));
  CHECK(extremes["least"][0].get<double>() == *std::min_element(first.begin(), first.end()));
  CHECK(extremes["greatest"][1].get<double>() == 1000.0);
  CHECK(extremes["greatestAt"][1].get<double>() == times[61]);
  for (std::size_t k = 0; k < starts.size(); ++k) {
    double least = 1e9, greatest = -1e9;
    for (std::size_t i = 0; i < times.size(); ++i)
      if (times[i] > starts[k] - 1e-6 && (k + 1 == starts.size() || times[i] < starts[k + 1] - 1e-6)) {
        least = std::min(least, first[i]);
        greatest = std::max(greatest, first[i]);
      }
    CHECK(low[k] == doctest::Approx(least).epsilon(1e-3));
    CHECK(low[k] + rise[k] == doctest::Approx(greatest).epsilon(1e-3));
  }
}

TEST_CASE("a value that is no number hides no other of its interval") {
  ChannelSeries series(1, 4);
  const double none = std::nan("");
  for (const double v : {none, 7.0, 8.0, none, none, 5.0, 6.0, 6.5}) series.add(0.0, std::vector<double>{v});
  const auto j = series.intervalsJson(0);  // pairs
  const auto low = unpacked(j["low"])[0], rise = unpacked(j["rise"])[0];
  REQUIRE(low.size() == 4);
  const std::vector<double> least = {7.0, 8.0, 5.0, 6.0}, greatest = {7.0, 8.0, 5.0, 6.5};
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(low[i] == doctest::Approx(least[i]).epsilon(1e-3));
    CHECK(low[i] + rise[i] == doctest::Approx(greatest[i]).epsilon(1e-3));
  }
}

TEST_CASE("channels that are equal share a column, and those without a finite value have no extremes") {
  ChannelSeries series(4, 8);
  for (int i = 0; i < 5; ++i) series.add(i, std::vector<double>{1.0 * i, 2.0, 1.0 * i, std::nan("")});
  const auto j = series.intervalsJson(2);
  CHECK(j["first"] == 2);
  CHECK(j["column"] == std::vector<int>{0, 1, 0, 2});
  const auto low = unpacked(j["low"]);
  REQUIRE(low[0].size() == 3);
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(low[0][i] == doctest::Approx(2.0 + static_cast<double>(i)).epsilon(1e-4));
  CHECK(std::isnan(low[2][0]));
  CHECK(series.extremesJson()["least"][3].is_null());
}
