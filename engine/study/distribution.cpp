#include "engine/study/distribution.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <boost/math/special_functions/erf.hpp>
#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/base/expression.h"

namespace grashof::study {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

struct Form {
  const char* name;
  Distribution::Kind kind;
  std::size_t least, most;
  const char* arguments;
};

constexpr Form kForms[] = {
    {"normal", Distribution::Kind::Normal, 2, 4, "mean, deviation[, lower, upper]"},
    {"uniform", Distribution::Kind::Uniform, 2, 2, "lower, upper"},
    {"triangular", Distribution::Kind::Triangular, 3, 3, "lower, mode, upper"},
    {"loguniform", Distribution::Kind::LogUniform, 2, 2, "lower, upper"},
};

/// The arguments between the parentheses.
std::vector<double> argumentsOf(const std::string& text, std::size_t open) {
  std::vector<double> values;
  std::size_t start = open + 1;
  int depth = 0;
  for (std::size_t i = start; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    const bool last = i + 1 == text.size();
    if ((text[i] == ',' && depth == 0) || last) {
      const Evaluation value = evaluate(std::string_view(text).substr(start, i - start),
                                        [](std::string_view) { return std::nullopt; });
      if (!value.defect.empty())
        throw InputError(fmt::format("{}: '{}' {}", text, text.substr(start, i - start), value.defect));
      values.push_back(value.value);
      start = i + 1;
    }
    if (text[i] == ')') --depth;
  }
  return values;
}

bool ordered(const Distribution& d) {
  switch (d.kind) {
    case Distribution::Kind::Normal:
      return d.b > 0.0 && d.lower < d.upper;
    case Distribution::Kind::LogUniform:
      return 0.0 < d.lower && d.lower < d.upper;
    case Distribution::Kind::Triangular:
      return d.lower <= d.a && d.a <= d.upper && d.lower < d.upper;
    case Distribution::Kind::Uniform:
      return d.lower < d.upper;
  }
  return false;
}

}  // namespace

double normalShare(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

double normalQuantile(double u) { return -std::numbers::sqrt2 * boost::math::erfc_inv(2.0 * u); }

double Distribution::quantile(double u) const {
  switch (kind) {
    case Kind::Uniform:
      return lower + u * (upper - lower);
    case Kind::LogUniform:
      return lower * std::pow(upper / lower, u);
    case Kind::Triangular: {
      const double rise = (a - lower) / (upper - lower);
      return u < rise ? lower + std::sqrt(u * (upper - lower) * (a - lower))
                      : upper - std::sqrt((1.0 - u) * (upper - lower) * (upper - a));
    }
    case Kind::Normal: {
      const double below = std::isinf(lower) ? 0.0 : normalShare((lower - a) / b);
      const double within = (std::isinf(upper) ? 1.0 : normalShare((upper - a) / b)) - below;
      const double share = std::clamp(below + u * within, 1e-300, 1.0 - 1e-16);
      return std::clamp(a + b * normalQuantile(share), lower, upper);
    }
  }
  return 0.0;
}

double Distribution::end(bool high) const {
  const double bound = high ? upper : lower;
  return std::isinf(bound) ? a + (high ? 3.0 : -3.0) * b : bound;
}

std::string Distribution::text() const {
  switch (kind) {
    case Kind::Uniform:
      return fmt::format("uniform({}, {})", lower, upper);
    case Kind::LogUniform:
      return fmt::format("loguniform({}, {})", lower, upper);
    case Kind::Triangular:
      return fmt::format("triangular({}, {}, {})", lower, a, upper);
    case Kind::Normal:
      return std::isinf(lower) ? fmt::format("normal({}, {})", a, b)
                               : fmt::format("normal({}, {}, {}, {})", a, b, lower, upper);
  }
  return {};
}

Distribution parseDistribution(const std::string& text) {
  const auto open = text.find('(');
  const auto form = std::find_if(std::begin(kForms), std::end(kForms),
                                 [&](const Form& f) { return text.substr(0, open) == f.name; });
  if (open == std::string::npos || text.back() != ')' || form == std::end(kForms)) {
    std::string known;
    for (const Form& f : kForms)
      known += fmt::format("{}{}({})", known.empty() ? "" : ", ", f.name, f.arguments);
    throw InputError(fmt::format("{} is no distribution ({})", text, known));
  }
  const std::vector<double> x = argumentsOf(text, open);
  const std::string wanted = fmt::format("{}({})", form->name, form->arguments);
  if (x.size() != form->least && x.size() != form->most)
    throw InputError(fmt::format("{} has {} arguments (needs {})", text, x.size(), wanted));
  Distribution d;
  d.kind = form->kind;
  if (d.kind == Distribution::Kind::Normal) {
    d.a = x[0];
    d.b = x[1];
    d.lower = x.size() == 4 ? x[2] : -kUnbounded;
    d.upper = x.size() == 4 ? x[3] : kUnbounded;
  } else {
    d.lower = x.front();
    d.a = x[1];
    d.upper = x.back();
  }
  if (!ordered(d))
    throw InputError(fmt::format("{}: the arguments are out of order or range (needs {})", text, wanted));
  return d;
}

Distribution toleranceOf(const Parameter& p) {
  Distribution d;
  d.lower = p.value - p.below;
  d.upper = p.value + p.above;
  d.a = p.value;
  if (p.spread == Spread::Triangular) d.kind = Distribution::Kind::Triangular;
  if (p.spread == Spread::Normal) {
    // A tolerance of two unlike sides is that of parts made to its middle.
    d.kind = Distribution::Kind::Normal;
    d.a = 0.5 * (d.lower + d.upper);
    d.b = (d.upper - d.lower) / 6.0;
  }
  return d;
}

}  // namespace grashof::study
