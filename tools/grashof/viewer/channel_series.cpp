#include "tools/grashof/viewer/channel_series.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <unordered_map>

#include "tools/grashof/viewer/packing.h"

namespace grashof {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kLevels = 65535.0, kJoinedLevels = 8191.0;

/// A number that is not finite must not end up in JSON, which has none.
Json orNull(double x) { return std::isfinite(x) ? Json(x) : Json(); }

}  // namespace

ChannelSeries::ChannelSeries(std::size_t channels, std::size_t most)
    : channels_(channels), most_(most), extremes_(channels) {}

void ChannelSeries::add(double time, std::span<const double> values) {
  if (filled_ == 0 || filled_ == stride_) {
    if (intervals() == most_) halve();
    times_.push_back(time);
    for (const double v : values) low_.push_back(static_cast<float>(v));
    for (const double v : values) high_.push_back(static_cast<float>(v));
    filled_ = 0;
  }
  float* const low = &low_[low_.size() - channels_];
  float* const high = &high_[high_.size() - channels_];
  for (std::size_t c = 0; c < channels_; ++c) {
    const auto v = static_cast<float>(values[c]);
    low[c] = std::fmin(low[c], v);  // of the numbers, where some are none
    high[c] = std::fmax(high[c], v);
    Extremes& e = extremes_[c];
    if (!std::isfinite(values[c])) continue;
    if (!e.any || values[c] < e.least) e.least = values[c], e.leastAt = time;
    if (!e.any || values[c] > e.greatest) e.greatest = values[c], e.greatestAt = time;
    e.any = true;
  }
  ++filled_;
}

/// Joins neighbours. The last interval is full.
void ChannelSeries::halve() {
  const std::size_t half = intervals() / 2;
  for (std::size_t i = 0; i < half; ++i) {
    times_[i] = times_[2 * i];
    for (std::size_t c = 0; c < channels_; ++c) {
      const std::size_t a = 2 * i * channels_ + c, b = a + channels_, to = i * channels_ + c;
      low_[to] = std::fmin(low_[a], low_[b]);
      high_[to] = std::fmax(high_[a], high_[b]);
    }
  }
  times_.resize(half);
  low_.resize(half * channels_);
  high_.resize(half * channels_);
  stride_ *= 2;
  filled_ = stride_;
  ++epoch_;
}

bool ChannelSeries::sameColumn(std::size_t a, std::size_t b, std::size_t first) const {
  for (std::size_t i = first; i < intervals(); ++i)
    if (low_[i * channels_ + a] != low_[i * channels_ + b] ||
        high_[i * channels_ + a] != high_[i * channels_ + b])
      return false;
  return true;
}

Json ChannelSeries::intervalsJson(std::size_t first) const {
  first = std::min(first, intervals());
  const std::size_t rows = intervals() - first;
  const double levels = stride_ > 1 ? kJoinedLevels : kLevels;
  std::vector<PackedColumn> lows, rises;
  std::vector<std::size_t> channelOf, columnOf;
  std::unordered_multimap<std::size_t, std::size_t> known;  // sum of bits to column
  for (std::size_t c = 0; c < channels_; ++c) {
    double least = std::numeric_limits<double>::quiet_NaN(), greatest = least;
    std::size_t sum = 0;
    for (std::size_t i = first; i < intervals(); ++i) {
      const float low = low_[i * channels_ + c], high = high_[i * channels_ + c];
      if (std::isfinite(low)) least = std::fmin(least, low);
      if (std::isfinite(high)) greatest = std::fmax(greatest, high);
      std::uint32_t bits = 0;
      std::memcpy(&bits, &low, sizeof bits);
      sum = sum * 31 + bits;
    }
    if (std::isnan(least)) least = 0.0;
    if (std::isnan(greatest)) greatest = least;
    const auto [from, to] = known.equal_range(sum);
    const auto same = std::find_if(
        from, to, [&](const auto& other) { return sameColumn(channelOf[other.second], c, first); });
    if (same != to) {
      columnOf.push_back(same->second);
      continue;
    }
    const double quantum = std::max((0.5 * greatest - 0.5 * least) / (0.5 * levels), 1e-300);
    known.emplace(sum, channelOf.size());
    columnOf.push_back(channelOf.size());
    channelOf.push_back(c);
    lows.push_back({least, quantum});
    rises.push_back({0.0, quantum});
  }
  const auto at = [&](std::size_t r, std::size_t c) { return (first + r) * channels_ + channelOf[c]; };
  Json j = {{"epoch", epoch_}, {"first", first}};
  j["times"] = packTimes({times_.data() + first, rows});
  j["column"] = columnOf;
  j["low"] = packTable(rows, lows, [&](std::size_t r, std::size_t c) { return low_[at(r, c)]; });
  if (stride_ > 1)
    j["rise"] = packTable(rows, rises, [&](std::size_t r, std::size_t c) {
      return static_cast<double>(high_[at(r, c)]) - low_[at(r, c)];
    });
  return j;
}

Json ChannelSeries::extremesJson() const {
  Json least = Json::array(), greatest = Json::array(), leastAt = Json::array(), greatestAt = Json::array();
  for (const Extremes& e : extremes_) {
    least.push_back(e.any ? orNull(e.least) : Json());
    greatest.push_back(e.any ? orNull(e.greatest) : Json());
    leastAt.push_back(e.leastAt);
    greatestAt.push_back(e.greatestAt);
  }
  return {{"least", least}, {"greatest", greatest}, {"leastAt", leastAt}, {"greatestAt", greatestAt}};
}

}  // namespace grashof
