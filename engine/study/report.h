#pragma once
/// What a study found, for people and programs.

#include <string>

#include "engine/study/study.h"

namespace grashof::study {

/// Unit of a measure's numbers, SI; empty: they have none.
std::string unitOf(const Measure& measure, const Model& model);

/// JSON: definition, hash, numbers of runs by status, and of each measure count, mean, deviation, bounds,
/// quantiles and the effects of the factors: indices of sensitivity, ends and corners of a worst case, else
/// rank correlations.
std::string reportJson(Study& study, const Rows& rows);

/// The summary as lines of text.
std::string reportText(Study& study, const Rows& rows);

/// Writes table.csv or table.h5, study.json, and report.html, which needs no network: histograms, tornado,
/// scatter and parallel coordinates, of at most 3000 runs at even distances. Throws FileError.
void writeReports(Study& study, const Rows& rows, const std::string& folder, bool hdf5);

}  // namespace grashof::study
