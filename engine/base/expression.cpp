#include "engine/base/expression.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

namespace grashof {
namespace {

constexpr int kMostNested = 200;  // signs and parentheses; each is some ten calls deep
constexpr std::size_t kMostArguments = 16;

bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

constexpr double kDegree = std::numbers::pi / 180.0;

/// Angle within 45 degrees of a whole number of quarter turns, rad, and that number.
double reduced(double degrees, int& quarters) { return kDegree * std::remquo(degrees, 90.0, &quarters); }

double sineOf(double x, AngleUnit unit) {
  if (unit == AngleUnit::Radian) return std::sin(x);
  int quarters = 0;
  const double rest = reduced(x, quarters);
  const double value = quarters % 2 == 0 ? std::sin(rest) : std::cos(rest);
  return (quarters & 2) == 0 ? value : -value + 0.0;
}

double cosineOf(double x, AngleUnit unit) {
  if (unit == AngleUnit::Radian) return std::cos(x);
  int quarters = 0;
  const double rest = reduced(x, quarters);
  const double value = quarters % 2 == 0 ? std::cos(rest) : -std::sin(rest);
  return ((quarters & 2) == 0 ? value : -value) + 0.0;
}

double tangentOf(double x, AngleUnit unit) {
  return unit == AngleUnit::Radian ? std::tan(x) : sineOf(x, unit) / cosineOf(x, unit);
}

double angle(double radian, AngleUnit unit) { return unit == AngleUnit::Radian ? radian : radian / kDegree; }

struct NamedFunction {
  std::string_view name;
  std::size_t least, most;  ///< numbers of arguments
  double (*value)(const double* x, std::size_t count, AngleUnit unit);
};

constexpr std::array kFunctions = {
    NamedFunction{"sin", 1, 1, [](const double* x, std::size_t, AngleUnit u) { return sineOf(x[0], u); }},
    NamedFunction{"cos", 1, 1, [](const double* x, std::size_t, AngleUnit u) { return cosineOf(x[0], u); }},
    NamedFunction{"tan", 1, 1, [](const double* x, std::size_t, AngleUnit u) { return tangentOf(x[0], u); }},
    NamedFunction{"asin", 1, 1,
                  [](const double* x, std::size_t, AngleUnit u) { return angle(std::asin(x[0]), u); }},
    NamedFunction{"acos", 1, 1,
                  [](const double* x, std::size_t, AngleUnit u) { return angle(std::acos(x[0]), u); }},
    NamedFunction{"atan", 1, 1,
                  [](const double* x, std::size_t, AngleUnit u) { return angle(std::atan(x[0]), u); }},
    NamedFunction{"atan2", 2, 2,
                  [](const double* x, std::size_t, AngleUnit u) { return angle(std::atan2(x[0], x[1]), u); }},
    NamedFunction{"sinh", 1, 1, [](const double* x, std::size_t, AngleUnit) { return std::sinh(x[0]); }},
    NamedFunction{"cosh", 1, 1, [](const double* x, std::size_t, AngleUnit) { return std::cosh(x[0]); }},
    NamedFunction{"tanh", 1, 1, [](const double* x, std::size_t, AngleUnit) { return std::tanh(x[0]); }},
    NamedFunction{"sqrt", 1, 1, [](const double* x, std::size_t, AngleUnit) { return std::sqrt(x[0]); }},
    NamedFunction{"cbrt", 1, 1, [](const double* x, std::size_t, AngleUnit) { return std::cbrt(x[0]); }},
    NamedFunction{"exp", 1, 1, [](const double* x, std::size_t, AngleUnit) { return std::exp(x[0]); }},
    NamedFunction{"log", 1, 1, [](const double* x, std::size_t, AngleUnit) { return std::log(x[0]); }},
    NamedFunction{"log10", 1, 1, [](const double* x, std::size_t, AngleUnit) { return std::log10(x[0]); }},
    NamedFunction{"abs", 1, 1, [](const double* x, std::size_t, AngleUnit) { return std::abs(x[0]); }},
    NamedFunction{
        "sign", 1, 1,
        [](const double* x, std::size_t, AngleUnit) { return double(x[0] > 0.0) - double(x[0] < 0.0); }},
    NamedFunction{"floor", 1, 1, [](const double* x, std::size_t, AngleUnit) { return std::floor(x[0]); }},
    NamedFunction{"ceil", 1, 1, [](const double* x, std::size_t, AngleUnit) { return std::ceil(x[0]); }},
    NamedFunction{"round", 1, 1, [](const double* x, std::size_t, AngleUnit) { return std::round(x[0]); }},
    NamedFunction{"min", 1, kMostArguments,
                  [](const double* x, std::size_t n, AngleUnit) { return *std::min_element(x, x + n); }},
    NamedFunction{"max", 1, kMostArguments,
                  [](const double* x, std::size_t n, AngleUnit) { return *std::max_element(x, x + n); }},
    NamedFunction{"hypot", 2, 3,
                  [](const double* x, std::size_t n,
                     AngleUnit) { return n == 2 ? std::hypot(x[0], x[1]) : std::hypot(x[0], x[1], x[2]); }},
    NamedFunction{"pow", 2, 2, [](const double* x, std::size_t, AngleUnit) { return std::pow(x[0], x[1]); }},
};

const NamedFunction* findFunction(std::string_view name) {
  const auto found = std::find_if(kFunctions.begin(), kFunctions.end(),
                                  [&](const NamedFunction& f) { return f.name == name; });
  return found == kFunctions.end() ? nullptr : &*found;
}

struct ParseDefect {
  std::size_t position;
  std::string message;
};

/// Reads and evaluates from left to right, one function a level of precedence.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, const NameValues& names, AngleUnit angles,
                   const std::function<std::vector<std::string>()>& known)
      : text_(text), names_(names), angles_(angles), known_(known) {}

  double whole() {
    const double value = choice();
    skip();
    if (at_ < text_.size()) fail(at_, fmt::format("'{}' is not expected", rest()));
    if (!std::isfinite(value))
      fail(0, std::isnan(value) ? "has no value (0/0, or a root of a negative number?)"
                                : "is infinite (is something divided by 0?)");
    return value;
  }

 private:
  /// Counts levels of nesting while it lives.
  struct Level {
    explicit Level(ExpressionParser& parser) : parser_(parser) {
      if (++parser_.depth_ > kMostNested) parser_.fail(parser_.at_, "is nested too deeply");
    }
    ~Level() { --parser_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    ExpressionParser& parser_;
  };

  [[noreturn]] static void fail(std::size_t position, std::string message) {
    throw ParseDefect{position, std::move(message)};
  }

  /// A few characters from here on, for messages.
  std::string rest() const {
    std::size_t end = at_ + 1;
    while (end < text_.size() && end < at_ + 12 && (isLetter(text_[at_]) || isDigit(text_[at_])) &&
           (isLetter(text_[end]) || isDigit(text_[end])))
      ++end;
    // Not in the middle of a character of several bytes.
    while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0) == 0x80) ++end;
    return std::string(text_.substr(at_, end - at_));
  }

  void skip() {
    while (at_ < text_.size() && isBlank(text_[at_])) ++at_;
  }

  bool take(std::string_view word) {
    skip();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  void require(char c, const char* what) {
    if (!take(std::string_view(&c, 1))) fail(at_, fmt::format("'{}' is missing ({})", c, what));
  }

  double choice() {
    const Level level(*this);
    const double condition = either();
    if (!take("?")) return condition;
    const double yes = choice();
    require(':', "as in a ? b : c");
    const double no = choice();
    return condition != 0.0 ? yes : no;
  }

  double either() {
    double left = both();
    while (take("||")) {
      const double right = both();
      left = left != 0.0 || right != 0.0 ? 1.0 : 0.0;
    }
    return left;
  }

  double both() {
    double left = comparison();
    while (take("&&")) {
      const double right = comparison();
      left = left != 0.0 && right != 0.0 ? 1.0 : 0.0;
    }
    return left;
  }

  double comparison() {
    double left = sum();
    while (true) {
      if (take("=="))
        left = left == sum();
      else if (take("!="))
        left = left != sum();
      else if (take("<="))
        left = left <= sum();
      else if (take(">="))
        left = left >= sum();
      else if (take("<"))
        left = left < sum();
      else if (take(">"))
        left = left > sum();
      else
        return left;
    }
  }

  double sum() {
    double left = product();
    while (true) {
      if (take("+"))
        left += product();
      else if (take("-"))
        left -= product();
      else
        return left;
    }
  }

  double product() {
    double left = sign();
    while (true) {
      if (take("*"))
        left *= sign();
      else if (take("/"))
        left /= sign();
      else if (take("%"))
        left = std::fmod(left, sign());
      else
        return left;
    }
  }

  double sign() {
    const Level level(*this);
    if (take("-")) return -sign();
    if (take("+")) return sign();
    skip();
    if (text_.substr(at_, 2) != "!=" && take("!")) return sign() == 0.0;
    return power();
  }

  double power() {
    const double base = value();
    return take("^") ? std::pow(base, sign()) : base;
  }

  double value() {
    skip();
    if (at_ == text_.size()) fail(at_, text_.empty() ? "is empty" : "ends where a value is missing");
    const char c = text_[at_];
    if (isDigit(c) || c == '.') return number();
    if (isLetter(c)) return nameOrCall();
    if (take("(")) {
      const double inner = choice();
      require(')', "to match '('");
      return inner;
    }
    fail(at_, fmt::format("'{}' stands where a value is missing", rest()));
  }

  double number() {
    double parsed = 0.0;
    const auto [next, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), parsed);
    if (error != std::errc())
      fail(at_, error == std::errc::result_out_of_range ? "the number is out of range" : "'.' is no number");
    at_ = static_cast<std::size_t>(next - text_.data());
    if (at_ < text_.size() && (isLetter(text_[at_]) || text_[at_] == '.'))
      fail(at_, fmt::format("'{}' is not expected after a number", rest()));
    return parsed;
  }

  double nameOrCall() {
    const std::size_t start = at_;
    while (at_ < text_.size() && (isLetter(text_[at_]) || isDigit(text_[at_]))) ++at_;
    const std::string_view name = text_.substr(start, at_ - start);
    const NamedFunction* const function = findFunction(name);
    if (take("(")) {
      if (!function) fail(start, fmt::format("there is no function {}", name));
      return call(*function, start);
    }
    if (function) fail(start, fmt::format("{} is a function (as in {}(x))", name, name));
    if (name == "pi") return std::numbers::pi;
    if (const std::optional<double> found = names_(name)) return *found;
    std::string others;
    if (known_)
      for (const std::string& other : known_()) others += (others.empty() ? "known: " : ", ") + other;
    fail(start, fmt::format("there is no parameter {}{}", name, others.empty() ? "" : " (" + others + ")"));
  }

  double call(const NamedFunction& function, std::size_t start) {
    std::array<double, kMostArguments> x{};
    std::size_t count = 0;
    do {
      if (count == kMostArguments) fail(at_, fmt::format("{} has too many arguments", function.name));
      x[count++] = choice();
    } while (take(","));
    require(')', "to match '('");
    if (count < function.least || count > function.most)
      fail(start, fmt::format("{} takes {} {}", function.name,
                              function.least == function.most
                                  ? fmt::format("{}", function.least)
                                  : fmt::format("{} to {}", function.least, function.most),
                              function.most == 1 ? "argument" : "arguments"));
    return function.value(x.data(), count, angles_);
  }

  std::string_view text_;
  const NameValues& names_;
  AngleUnit angles_;
  const std::function<std::vector<std::string>()>& known_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Evaluation evaluate(std::string_view text, const NameValues& names, AngleUnit angles,
                    const std::function<std::vector<std::string>()>& known) {
  try {
    return {ExpressionParser(text, names, angles, known).whole(), {}, 0};
  } catch (const ParseDefect& defect) {
    return {0.0, defect.message, defect.position};
  }
}

bool isParameterName(std::string_view name) {
  if (name.empty() || !isLetter(name[0]) || name == "pi" || findFunction(name)) return false;
  return std::all_of(name.begin(), name.end(), [](char c) { return isLetter(c) || isDigit(c); });
}

std::vector<std::string_view> splitItems(std::string_view text) {
  std::vector<std::string_view> items;
  std::size_t start = 0;
  int open = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const bool ends = i == text.size() || (open <= 0 && isBlank(text[i]));
    if (ends) {
      if (i > start) items.push_back(text.substr(start, i - start));
      start = i + 1;
    } else if (text[i] == '(') {
      ++open;
    } else if (text[i] == ')') {
      --open;
    }
  }
  return items;
}

}  // namespace grashof
