#include "engine/study/search.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <map>
#include <stdexcept>

#include <fmt/format.h>
#include <nlopt.hpp>

#include "engine/base/error.h"
#include "engine/base/expression.h"
#include "engine/base/halton.h"
#include "engine/base/sha256.h"
#include "engine/study/bytes.h"

namespace grashof::study {
namespace {

constexpr double kBoundSlack = 1e-9;         // relative: rounding at a bound is no breach
constexpr std::uint64_t kStartsTried = 200;  // by a local method whose first run fails
constexpr std::size_t kRepeats = 1000;       // known points in a row, of the goal and of each constraint
constexpr double kFirstStep = 0.2;           // of a local method, relative to the ranges

nlopt::algorithm algorithmOf(SearchMethod method) {
  switch (method) {
    case SearchMethod::Bobyqa:
      return nlopt::LN_BOBYQA;
    case SearchMethod::Cobyla:
      return nlopt::LN_COBYLA;
    case SearchMethod::Sbplx:
      return nlopt::LN_SBPLX;
    case SearchMethod::Crs:
      return nlopt::GN_CRS2_LM;
    case SearchMethod::Isres:
      return nlopt::GN_ISRES;
    case SearchMethod::Direct:
      return nlopt::GN_DIRECT_L;
  }
  throw std::logic_error("unknown method");
}

bool isLogarithmic(const Factor& factor) {
  return factor.distribution->kind == Distribution::Kind::LogUniform;
}

/// The value of a factor at a share in [0, 1] of its range, and back.
double valueAt(const Factor& factor, double share) {
  const double low = factor.distribution->end(false), high = factor.distribution->end(true);
  const double value = isLogarithmic(factor) ? low * std::pow(high / low, share) : low + (high - low) * share;
  return std::clamp(value, low, high);
}

double shareOf(const Factor& factor, double value) {
  const double low = factor.distribution->end(false), high = factor.distribution->end(true);
  const double share =
      isLogarithmic(factor) ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  return std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0.5;
}

/// One search, as NLopt asks for its values.
class Searcher {
 public:
  Searcher(const Study& study, const Goal& goal, Rows& rows, Journal& journal, const SearchOptions& options)
      : study_(study), goal_(goal), rows_(rows), journal_(journal), options_(options) {}

  SearchResult run() {
    try {
      std::vector<double> shares = start();
      if (options_.method == SearchMethod::Crs || options_.method == SearchMethod::Isres)
        nlopt::srand(static_cast<unsigned long>(options_.seed));
      nlopt::opt opt(algorithmOf(options_.method), static_cast<unsigned>(shares.size()));
      opt.set_lower_bounds(0.0);
      opt.set_upper_bounds(1.0);
      opt.set_min_objective([](const std::vector<double>& x, std::vector<double>&,
                               void* self) { return static_cast<Searcher*>(self)->objective(x); },
                            this);
      std::vector<Constraint> constraints;
      for (const Bound& bound : goal_.bounds) constraints.push_back({this, &bound});
      for (Constraint& c : constraints)
        opt.add_inequality_constraint(
            [](const std::vector<double>& x, std::vector<double>&, void* data) {
              const auto* const one = static_cast<Constraint*>(data);
              return one->self->excess(x, *one->bound);
            },
            &c, 0.0);
      if (isLocal(options_.method)) {
        opt.set_xtol_abs(options_.tolerance);
        opt.set_initial_step(kFirstStep);
      }
      double least = 0.0;
      const nlopt::result why = opt.optimize(shares, least);
      result_.ended = why == nlopt::XTOL_REACHED
                          ? fmt::format("steps below {:g} of the ranges", options_.tolerance)
                          : "the method has nothing left to try";
    } catch (const nlopt::forced_stop&) {  // why stands there already
    } catch (const nlopt::roundoff_limited&) {
      result_.ended = "no further change beyond rounding";
    } catch (const std::runtime_error& error) {
      result_.ended = fmt::format("the method gives up: {}", error.what());
    }
    if (failure_) std::rethrow_exception(failure_);
    result_.complete = !stopped_;
    return std::move(result_);
  }

 private:
  struct Constraint {
    Searcher* self;
    const Bound* bound;
  };

  /// The run at these shares of the ranges: one that is known, or a new one.
  std::uint64_t evaluate(const std::vector<double>& shares) {
    Point point;
    for (std::size_t f = 0; f < shares.size(); ++f) point.push_back(valueAt(study_.factors()[f], shares[f]));
    const auto found = runs_.find(point);
    if (found != runs_.end()) {
      // COBYLA may go round among a few points for ever, where none keeps the constraints.
      if (++repeats_ > kRepeats * (1 + goal_.bounds.size())) {
        result_.ended = "the method repeats itself";
        throw nlopt::forced_stop();
      }
      return found->second;
    }
    repeats_ = 0;
    const std::uint64_t run = result_.points.size();
    if (run >= options_.evaluations) {
      result_.ended = fmt::format("{} evaluations are made", run);
      throw nlopt::forced_stop();
    }
    if (!rows_.has(run)) {
      if (options_.stop && options_.stop()) {
        stopped_ = true;
        result_.ended = "it was told to stop";
        throw nlopt::forced_stop();
      }
      const RunRow row = study_.make(run, point);
      try {
        journal_.append({packRow(row)});
      } catch (const Error&) {  // NLopt would make another error of it
        failure_ = std::current_exception();
        throw nlopt::forced_stop();
      }
      rows_.add(row);
      ++result_.made;
    }
    runs_[point] = run;
    result_.points.push_back(std::move(point));
    note(run);
    if (options_.progress) options_.progress(run + 1);
    return run;
  }

  /// The goal of a run, to be made small; NaN of a run that failed.
  double cost(std::uint64_t run) const {
    const double value = rows_.value(run, goal_.measure);
    return goal_.largest ? -value : value;
  }

  void note(std::uint64_t run) {
    const double value = cost(run);
    if (!std::isfinite(value)) return;
    least_ = std::min(least_, value);
    most_ = std::max(most_, value);
    if (!isFeasible(rows_, goal_, run)) return;
    if (!result_.best || value < cost(*result_.best)) result_.best = run;
  }

  double objective(const std::vector<double>& shares) {
    const double value = cost(evaluate(shares));
    if (std::isfinite(value)) return value;
    if (!(least_ <= most_)) return 1e10;  // nothing has succeeded so far
    return most_ + std::max(most_ - least_, 0.1 * std::abs(most_));
  }

  double excess(const std::vector<double>& shares, const Bound& bound) {
    const double over = bound.excess(rows_.value(evaluate(shares), bound.measure));
    return std::isfinite(over) ? over : 1.0;
  }

  /// Shares of the ranges where the search begins.
  std::vector<double> start() {
    std::vector<double> shares;
    for (const Factor& f : study_.factors()) shares.push_back(shareOf(f, f.nominal));
    if (!isLocal(options_.method)) return shares;
    std::uint64_t run = evaluate(shares);
    for (std::uint64_t i = 1; i <= kStartsTried && !std::isfinite(cost(run)); ++i) {
      shares = haltonPoint(i, shares.size());
      run = evaluate(shares);
    }
    return shares;
  }

  const Study& study_;
  const Goal& goal_;
  Rows& rows_;
  Journal& journal_;
  const SearchOptions& options_;
  SearchResult result_;
  std::map<Point, std::uint64_t> runs_;
  double least_ = std::numeric_limits<double>::infinity(), most_ = -least_;  // of all that succeeded
  std::size_t repeats_ = 0;                                                  // calls since the last new point
  bool stopped_ = false;
  std::exception_ptr failure_;  // of the journal
};

}  // namespace

double Bound::excess(double x) const {
  const double over = upper ? x - value : value - x;
  return value != 0.0 ? over / std::abs(value) : over;
}

BoundText parseBound(const std::string& text) {
  const auto below = text.rfind("<="), above = text.rfind(">=");
  const bool upper = above == std::string::npos || (below != std::string::npos && below > above);
  const auto at = upper ? below : above;
  if (at == std::string::npos || at == 0)
    throw InputError(fmt::format(
        "constraint '{}': needs MEASURE<=VALUE or MEASURE>=VALUE (as in peak:joint.A.effort.0<=2)", text));
  const Evaluation value =
      evaluate(std::string_view(text).substr(at + 2), [](std::string_view) { return std::nullopt; });
  if (!value.defect.empty())
    throw InputError(fmt::format("constraint '{}': '{}' is no number: {} (in SI units)", text,
                                 text.substr(at + 2), value.defect));
  return {text.substr(0, text.find_last_not_of(' ', at - 1) + 1), upper, value.value};
}

const std::vector<std::string>& searchMethodNames() {
  static const std::vector<std::string> all = {"bobyqa", "cobyla", "sbplx", "crs", "isres", "direct"};
  return all;
}

bool takesBounds(SearchMethod method) {
  return method == SearchMethod::Cobyla || method == SearchMethod::Isres;
}

bool isLocal(SearchMethod method) {
  return method == SearchMethod::Bobyqa || method == SearchMethod::Cobyla || method == SearchMethod::Sbplx;
}

std::string searchHash(const Study& study, const Goal& goal, const SearchOptions& options) {
  ByteWriter out;
  out.text("grashof search 1");
  out.text(study.hash());
  out.number(goal.measure);
  out.number(goal.largest);
  for (const Bound& b : goal.bounds) {
    out.number(b.measure);
    out.number(b.upper);
    out.real(b.value);
  }
  out.number(static_cast<std::uint64_t>(options.method));
  out.number(options.seed);
  out.real(options.tolerance);
  for (const int part : {nlopt::version_major(), nlopt::version_minor(), nlopt::version_bugfix()})
    out.number(static_cast<std::uint64_t>(part));
  return sha256(out.bytes());
}

Rows searchRows(const Study& study) { return {kMostEvaluations, study.measures().size()}; }

bool isFeasible(const Rows& rows, const Goal& goal, std::uint64_t run) {
  if (!rows.ok(run) || !std::isfinite(rows.value(run, goal.measure))) return false;
  return std::all_of(goal.bounds.begin(), goal.bounds.end(),
                     [&](const Bound& b) { return b.excess(rows.value(run, b.measure)) <= kBoundSlack; });
}

void checkSearch(const Study& study, const Goal& goal, const SearchOptions& options) {
  if (!goal.bounds.empty() && !takesBounds(options.method))
    throw InputError(fmt::format("method {} takes no constraints (cobyla and isres do)",
                                 searchMethodNames()[static_cast<std::size_t>(options.method)]));
  for (const Factor& f : study.factors()) {
    if (!f.distribution)
      throw InputError(
          fmt::format("parameter '{}': has values, no range (as in {}=0.1:0.2)", f.name, f.name));
    if (!(f.distribution->end(false) < f.distribution->end(true)))
      throw InputError(fmt::format("parameter '{}': its range is empty", f.name));
  }
  if (options.method == SearchMethod::Bobyqa && study.factors().size() < 2)
    throw InputError("method bobyqa needs two parameters or more (cobyla and sbplx take one)");
}

SearchResult search(const Study& study, const Goal& goal, Rows& rows, Journal& journal,
                    const SearchOptions& options) {
  checkSearch(study, goal, options);
  return Searcher(study, goal, rows, journal, options).run();
}

}  // namespace grashof::study
