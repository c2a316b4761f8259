#pragma once
/// A study: one scenario, factors that vary in it, measures of each run. What it is made of is a function of
/// its definition alone, so that any process that has the definition and the files makes the same runs, with
/// the same bits.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/scenario/scenario.h"
#include "engine/study/design.h"
#include "engine/study/distribution.h"
#include "engine/study/evaluate.h"

namespace grashof::study {

/// What a user asks for.
struct StudyDefinition {
  std::string name;                   ///< empty: that of the scenario's file
  std::string scenario;               ///< path
  std::vector<Override> set;          ///< in all runs
  std::vector<std::string> params;    ///< see parseFactor()
  std::vector<std::string> measures;  ///< see parseMeasure()
  std::optional<Design> design;       ///< none: a grid, or random draws where there are distributions
  std::uint64_t runs = 0;             ///< of samples; 0: not said
  std::uint64_t seed = 1;
};

/// Something that varies.
struct Factor {
  std::string name;                 ///< of its column
  std::string path;                 ///< of the override
  std::vector<std::string> levels;  ///< values in turn; empty: it has a distribution
  bool numeric = true;              ///< all levels are numbers
  std::optional<Distribution> distribution;
  double nominal = 0.0;  ///< of a distribution
};

/// Reads `L=0.1:0.2:11` (from, to, count), `L=0.1,0.15,0.2`, `mu~normal(0.4, 0.05)`, or `L` alone, which
/// takes the tolerance that the file declares. A name is that of a parameter, or else the path of an
/// attribute as of
/// `--set`. `scenario`: the one that varies. Throws InputError.
Factor parseFactor(const std::string& text, const Scenario& scenario);

/// Bytes of a row, for files and messages; the same on all machines. unpackRow() throws InputError.
std::string packRow(const RunRow& row);
RunRow unpackRow(std::string_view bytes);

/// The rows that are known, by their number.
class Rows {
 public:
  Rows() = default;
  Rows(std::uint64_t runs, std::size_t measures) : measures_(measures), status_(runs, kMissing) {}

  /// Throws InputError for a row that is not of this table. One that is there already is ignored: all
  /// processes make the same.
  void add(const RunRow& row);
  std::uint64_t runs() const { return status_.size(); }
  std::uint64_t count() const { return count_; }
  bool has(std::uint64_t run) const { return status_[run] != kMissing; }
  RunStatus status(std::uint64_t run) const { return static_cast<RunStatus>(status_[run]); }
  bool ok(std::uint64_t run) const { return status_[run] == 0; }
  /// NaN unless the status is Ok.
  double value(std::uint64_t run, std::size_t measure) const;
  const std::string& reason(std::uint64_t run) const;

 private:
  static constexpr std::uint8_t kMissing = 0xFF;
  std::size_t measures_ = 0;
  std::uint64_t count_ = 0;
  std::vector<std::uint8_t> status_;
  std::vector<double> values_;  // of all runs, once there is a row
  std::map<std::uint64_t, std::string> reasons_;
};

/// Values of all factors in one run: numbers, or of factors with levels the number of the level.
using Point = std::vector<double>;

class Study {
 public:
  /// Reads the scenario and checks factors and measures with it. Throws InputError.
  explicit Study(StudyDefinition definition);

  const StudyDefinition& definition() const { return definition_; }
  const Scenario& nominal() const { return nominal_; }
  const std::vector<Factor>& factors() const { return factors_; }
  const std::vector<Measure>& measures() const { return measures_; }
  Design design() const { return design_; }

  /// Runs in all, and of the first part, whose points do not depend on results.
  std::uint64_t runs() const { return runs_; }
  std::uint64_t firstPart() const { return firstPart_; }
  /// Samples of the design: without the combinations of levels, and of indices without the pairs' mixtures.
  std::uint64_t samples() const { return samples_; }
  /// The values of a run. `rows`: those of the first part, if the run is beyond it. Fastest in order; not for
  /// several threads.
  Point point(std::uint64_t run, const Rows& rows);
  /// What a run is for; empty: it is one among many.
  std::string role(std::uint64_t run) const;
  /// The text of a factor's value, and its number: NaN of a text.
  std::string valueText(std::size_t factor, double value) const;
  double valueNumber(std::size_t factor, double value) const;

  /// Makes one run. For several threads. Throws nothing that an input may cause.
  RunRow make(std::uint64_t run, const Point& point) const;

  /// Identifies definition, files, program and kind of processor: runs of studies with the same hash have the
  /// same bits.
  const std::string& hash() const { return hash_; }
  /// Throws InputError when a file is no longer what it was when the study was read: runs read all but the
  /// scenario itself anew.
  void checkUnchanged() const;
  /// Definition and files, for machines that do not have them.
  std::string pack() const;
  /// Writes the files of a packed study below `folder` and reads it. Throws InputError, FileError.
  static Study unpack(std::string_view bytes, const std::string& folder);

 private:
  void readFactors();
  void plan();
  void readFiles();
  Point worstCasePoint(std::uint64_t run, const Rows& rows) const;

  StudyDefinition definition_;
  Scenario nominal_;
  std::vector<Factor> factors_;
  std::vector<Measure> measures_;
  Design design_ = Design::Grid;
  std::uint64_t runs_ = 0, firstPart_ = 0, samples_ = 1, combinations_ = 1;
  std::vector<std::size_t> random_;  ///< numbers of the factors with a distribution
  std::optional<Sampler> sampler_;
  std::string text_;  ///< of the scenario's file, so that all runs are of the same one
  std::vector<std::pair<std::string, std::string>> files_;  ///< absolute path and content of all files
  std::string hash_;
};

/// The most runs of a study.
inline constexpr std::uint64_t kMostRuns = 20'000'000;

}  // namespace grashof::study
