#pragma once
/// Looks for the values of factors at which a measure is least, or largest, within bounds of other measures.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/study/journal.h"
#include "engine/study/study.h"

namespace grashof::study {

/// A bound of a measure.
struct Bound {
  std::size_t measure = 0;
  bool upper = true;  ///< measure <= value, else >=
  double value = 0.0;
  /// Zero or less where it is kept, else by how much it is not, relative to the value (if that is not 0).
  double excess(double x) const;
};

/// What is wanted of a study's measures.
struct Goal {
  std::size_t measure = 0;
  bool largest = false;
  std::vector<Bound> bounds;
};

/// Reads `MEASURE<=VALUE` or `MEASURE>=VALUE`, of which the measure is the text before the sign. Throws
/// InputError.
struct BoundText {
  std::string measure;
  bool upper = true;
  double value = 0.0;
};
BoundText parseBound(const std::string& text);

/// The algorithms, of the library NLopt [Johnson 2007]; all without derivatives.
enum class SearchMethod {
  Bobyqa,  ///< local, quadratic models [Powell 2009]
  Cobyla,  ///< local, linear models, with bounds of measures [Powell 1994]
  Sbplx,   ///< local, Nelder and Mead's simplex on subspaces [Rowan 1990]
  Crs,     ///< global, controlled random search [Kaelo 2006]
  Isres,   ///< global, evolution with stochastic ranking, with bounds of measures [Runarsson 2005]
  Direct,  ///< global, dividing rectangles, biased to local search [Gablonsky 2001]
};
const std::vector<std::string>& searchMethodNames();
bool takesBounds(SearchMethod method);
bool isLocal(SearchMethod method);

/// The most evaluations of a search.
inline constexpr std::uint64_t kMostEvaluations = 100'000;

struct SearchOptions {
  SearchMethod method = SearchMethod::Bobyqa;
  std::uint64_t evaluations = 200;  ///< at most, <= kMostEvaluations
  std::uint64_t seed = 1;           ///< of the random numbers of Crs and Isres
  /// A local method ends when its steps, relative to the ranges of the factors, are smaller.
  double tolerance = 1e-6;
  std::function<bool()> stop;                               ///< asked before each evaluation: end now
  std::function<void(std::uint64_t evaluations)> progress;  ///< told how many there are
};

struct SearchResult {
  std::vector<Point> points;          ///< of the evaluations, in their order
  std::optional<std::uint64_t> best;  ///< none: no run succeeded within the bounds
  std::string ended;                  ///< why, for people
  bool complete = false;              ///< false: it was told to stop
  std::uint64_t made = 0;             ///< evaluations, besides those that were known
};

/// Identifies all that decides the points of a search: the study, the goal, method, seed and tolerance, and
/// the version of NLopt. More evaluations go on with the same search.
std::string searchHash(const Study& study, const Goal& goal, const SearchOptions& options);

/// The rows for a search of the study, and for what its journal holds.
Rows searchRows(const Study& study);

/// Whether a run succeeded within all bounds.
bool isFeasible(const Rows& rows, const Goal& goal, std::uint64_t run);

/// Throws InputError for bounds or a number of factors that the method does not take, and for factors without
/// a range.
void checkSearch(const Study& study, const Goal& goal, const SearchOptions& options);

/// Searches the box between the ends of the factors' distributions, log-uniform ones by their logarithm.
/// Local methods begin at the nominal values, moved into the box, or, where that run fails, at the first
/// point of Halton's sequence [Halton 1960] that does not. `rows` holds the evaluations that are known: the
/// search goes through them again without making a run. A run that fails, or whose goal is no number, counts
/// as worse than all before it. Throws InputError as checkSearch() does, FileError when the journal
/// cannot be written.
SearchResult search(const Study& study, const Goal& goal, Rows& rows, Journal& journal,
                    const SearchOptions& options);

}  // namespace grashof::study
