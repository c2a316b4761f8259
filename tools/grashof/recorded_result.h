#pragma once
/// What a run left behind, as the commands take it: a trajectory, or a table of channels.

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/results/trajectory.h"
#include "engine/scenario/display_units.h"

namespace grashof {

class RecordedResult {
 public:
  /// `path`: folder of a run, a trajectory.h5, or a table with headings (.csv). Throws InputError for files
  /// that cannot be read.
  explicit RecordedResult(const std::string& path);

  const std::optional<Trajectory>& trajectory() const { return trajectory_; }  ///< none: a table
  const std::string& path() const { return path_; }
  /// Names, the first is the one that records follow: the time.
  std::vector<std::string> channels() const;
  /// Throws InputError for an unknown channel.
  std::vector<double> series(const std::string& channel) const;
  /// Those of the scenario's file; of a table SI.
  DisplayUnits units() const;
  /// In SI. Of a table, what the name alone tells, see unitOfName().
  std::string unit(const std::string& channel) const;
  /// Whether statics leaves the load of the channel open. Tables do not say.
  bool redundant(const std::string& channel) const;

 private:
  std::string path_;
  std::optional<Trajectory> trajectory_;
  std::vector<std::string> headings_;
};

/// What is said of loads that statics leaves open.
inline constexpr const char* kRedundantNote = "~ redundant: statics leaves it open; the least that fits";

/// What is said of loads that are not known in some records.
inline constexpr const char* kUnknownNote =
    "? not known at the start: what touches, is at a limit or not smooth has no loads before the first step";

/// Name, unit, and least, greatest and last value of a channel, and the number of its records that are not
/// known (NaN), if there are some. `redundant`: statics leaves the load open. @pre values is not empty.
nlohmann::ordered_json rangeJson(const std::string& channel, const std::string& unit,
                                 const std::vector<double>& values, bool redundant);

}  // namespace grashof
