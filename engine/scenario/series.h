#pragma once
/// Time series in CSV files.

#include <string>
#include <vector>

#include "engine/base/signal.h"

namespace grashof {

/// Whether values may be missing.
enum class SeriesGaps {
  None,
  Nan  ///< `nan` is a value that is not known
};

/// Reads times (first column) and values (`column`: a heading, or a number from 2 where there are no
/// headings; empty: the second) of a CSV file into `signal`. Throws InputError for a file that cannot be
/// read, a column that is not there, cells that are no finite numbers (but see `gaps`), times that do not
/// increase.
void readSeries(const std::string& path, const std::string& column, Signal& signal,
                SeriesGaps gaps = SeriesGaps::None);

/// The headings of a CSV file's columns; empty when its first row holds numbers. Throws InputError when it
/// cannot be read.
std::vector<std::string> seriesHeadings(const std::string& path);

}  // namespace grashof
