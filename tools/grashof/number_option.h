#pragma once
/// What numbers the options of the command line take.

#include <cmath>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace grashof {

/// Finite numbers greater than 0. CLI11's own check lets NaN and infinity pass.
inline CLI::Validator positiveFinite() {
  return {[](std::string& text) {
            double value = 0.0;
            return CLI::detail::lexical_cast(text, value) && std::isfinite(value) && value > 0.0
                       ? std::string()
                       : text + " is not allowed (needs a finite number > 0)";
          },
          "> 0", "positive"};
}

/// Finite numbers between two others, themselves included.
inline CLI::Validator finiteBetween(double lower, double upper) {
  return {[=](std::string& text) {
            double value = 0.0;
            return CLI::detail::lexical_cast(text, value) && value >= lower && value <= upper
                       ? std::string()
                       : fmt::format("{} is not allowed (needs a number from {:g} to {:g})", text, lower,
                                     upper);
          },
          fmt::format("from {:g} to {:g}", lower, upper), "between"};
}

/// Finite numbers from 0 on.
inline CLI::Validator notNegativeFinite() {
  return {[](std::string& text) {
            double value = 0.0;
            return CLI::detail::lexical_cast(text, value) && std::isfinite(value) && value >= 0.0
                       ? std::string()
                       : text + " is not allowed (needs a finite number >= 0)";
          },
          ">= 0", "not negative"};
}

}  // namespace grashof
