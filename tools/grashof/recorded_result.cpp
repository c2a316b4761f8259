#include "tools/grashof/recorded_result.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/error.h"
#include "engine/dynamics/channels.h"
#include "engine/scenario/series.h"

namespace grashof {

RecordedResult::RecordedResult(const std::string& path) : path_(path) {
  if (path.ends_with(".csv")) {
    headings_ = seriesHeadings(path);
    if (headings_.size() < 2) throw InputError(path + ": has no headings (a trajectory.csv has)");
  } else {
    trajectory_.emplace(path);
  }
}

std::vector<std::string> RecordedResult::channels() const {
  return trajectory_ ? trajectory_->channels() : headings_;
}

std::vector<double> RecordedResult::series(const std::string& channel) const {
  if (trajectory_) return trajectory_->series(channel);
  Signal signal;
  if (channel == headings_[0]) {
    readSeries(path_, headings_[1], signal, SeriesGaps::Nan);
    return signal.times;
  }
  readSeries(path_, channel, signal, SeriesGaps::Nan);
  return signal.values;
}

std::string RecordedResult::unit(const std::string& channel) const {
  return trajectory_ ? trajectory_->unit(channel) : unitOfName(channel);
}

DisplayUnits RecordedResult::units() const {
  return trajectory_ ? DisplayUnits(trajectory_->units()) : DisplayUnits();
}

bool RecordedResult::redundant(const std::string& channel) const {
  return trajectory_ && trajectory_->redundant(channel);
}

nlohmann::ordered_json rangeJson(const std::string& channel, const std::string& unit,
                                 const std::vector<double>& values, bool redundant) {
  double low = std::numeric_limits<double>::quiet_NaN(), high = low;
  std::size_t unknown = 0;
  for (const double x : values) {
    low = std::fmin(low, x);  // of the numbers, where some are none
    high = std::fmax(high, x);
    unknown += std::isnan(x) ? 1 : 0;
  }
  nlohmann::ordered_json range = {{"name", channel}, {"unit", unit},     {"redundant", redundant},
                                  {"least", low},    {"greatest", high}, {"last", values.back()}};
  if (unknown > 0) range["unknown_records"] = unknown;
  return range;
}

}  // namespace grashof
