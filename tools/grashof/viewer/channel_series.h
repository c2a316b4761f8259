#pragma once
/// Channels of a run over time, as a page draws them: all of the record while that is short, and least and
/// greatest values of intervals when it is long.

#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace grashof {

/// Takes one sample of all channels at a time and keeps at most so many intervals: when they are full, each
/// two neighbours become one. The extremes of each channel are exact.
class ChannelSeries {
 public:
  /// `most`: intervals, >= 2 and even.
  ChannelSeries(std::size_t channels, std::size_t most);
  /// `values`: one per channel. Times (s) increase.
  void add(double time, std::span<const double> values);
  std::size_t channels() const { return channels_; }
  std::size_t intervals() const { return times_.size(); }
  /// How often intervals were joined: a page that has some of another epoch needs them all anew.
  int epoch() const { return epoch_; }
  /// The intervals from `first` on: `epoch`, `first`, `times` (s, where each begins), `column` (of each
  /// channel in the tables; equal channels share one), `low` and, unless each interval holds one sample,
  /// `rise` = high - low. Values are exact to 1/65535 of what the channel spans in them, of intervals of
  /// several samples to 1/8191.
  nlohmann::ordered_json intervalsJson(std::size_t first) const;
  /// `least`, `greatest` (exact, null: no finite value), `leastAt` and `greatestAt` (s), one per channel.
  nlohmann::ordered_json extremesJson() const;

 private:
  struct Extremes {
    double least = 0.0, greatest = 0.0, leastAt = 0.0, greatestAt = 0.0;
    bool any = false;
  };
  void halve();
  bool sameColumn(std::size_t a, std::size_t b, std::size_t first) const;

  std::size_t channels_, most_;
  std::size_t stride_ = 1, filled_ = 0;  // samples in an interval; in the last one
  int epoch_ = 0;
  std::vector<double> times_;
  std::vector<float> low_, high_;  // interval by interval
  std::vector<Extremes> extremes_;
};

}  // namespace grashof
