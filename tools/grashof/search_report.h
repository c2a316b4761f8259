#pragma once
/// What a search found, as files and as text.

#include <string>

#include <nlohmann/json.hpp>

#include "engine/study/search.h"

namespace grashof {

/// All that a report tells of.
struct SearchOutcome {
  const study::Study& study;
  const study::Goal& goal;
  const study::Rows& rows;
  const study::SearchOptions& options;
  const study::SearchResult& result;
};

/// The overrides of the best evaluation, as of --set. `result.best` must be there.
std::vector<Override> bestOverrides(const SearchOutcome& o);

/// JSON: definition, best values, measures at the start and at the best evaluation.
nlohmann::ordered_json searchJson(const SearchOutcome& o);

/// The same in lines of text.
std::string searchText(const SearchOutcome& o);

/// Writes evaluations.csv, search.json, and optimize.html, which needs no network: convergence, all factors
/// and measures of the best evaluation, what failed; and, if there is a best evaluation, its scenario
/// best.xml. Equal searches make equal bytes. Throws FileError.
void writeSearch(const SearchOutcome& o, const std::string& folder);

}  // namespace grashof
