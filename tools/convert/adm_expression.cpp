#include "tools/convert/adm_expression.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "tools/convert/adm_functions.h"
#include "tools/convert/adm_statements.h"

namespace grashof::convert {
namespace {

constexpr int kAdmDepth = 200;           // of nesting, so that no text exhausts the stack
constexpr std::size_t kAdmNodes = 4000;  // of an expression, with the variables that it asks for
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

constexpr auto kAdmMeasures = std::to_array<std::string_view>(
    {"DM", "DX", "DY", "DZ", "VM", "VR", "VX", "VY", "VZ", "AX", "AY", "AZ", "WM", "WX", "WY", "WZ"});

/// The text with what continues lines as a blank, or as a comma: between two operands it is one, behind or
/// before an operator not. Where a sign follows it may be either, as `signs` says.
std::string joinedLines(const std::string& text, bool signs) {
  constexpr std::string_view kBlanks = " \t";
  std::string joined;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != kAdmContinued) {
      joined += text[i];
      continue;
    }
    const auto before = joined.find_last_not_of(kBlanks), after = text.find_first_not_of(kBlanks, i + 1);
    const char last = before == std::string::npos ? '\0' : joined[before];
    const char next = after == std::string::npos ? '\0' : text[after];
    const auto operand = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_';
    };
    const bool sign = next == '+' || next == '-';
    const bool comma = (operand(last) || last == ')') && (operand(next) || next == '(' || (sign && signs));
    joined += comma ? ',' : ' ';
  }
  return joined;
}

}  // namespace

/// Recursive descent over one text; the nodes go to an expression.
class AdmParser {
 public:
  AdmParser(AdmExpression& to, const AdmExpression::Variables& variables, std::string_view text, int depth)
      : to_(to), variables_(variables), text_(text), depth_(depth) {}

  int parse() {
    const int node = sum();
    if (defect_.empty() && peek() != '\0') fail(fmt::format("'{}' is too much", text_.substr(at_, 12)));
    return node;
  }
  const std::string& defect() const { return defect_; }

 private:
  using Kind = AdmExpression::Kind;

  void fail(const std::string& what) {
    if (defect_.empty()) defect_ = what;
    at_ = text_.size();
  }
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  int join(Kind kind, std::vector<int> children) {
    return to_.add({.kind = kind, .number = 0.0, .name = {}, .children = std::move(children)});
  }
  int number(double value) {
    return to_.add({.kind = Kind::Number, .number = value, .name = {}, .children = {}});
  }

  int sum() {
    if (++depth_ > kAdmDepth) {
      fail("nested too deep (simplify it)");
      return number(0.0);
    }
    int left = product();
    for (char c = peek(); c == '+' || c == '-'; c = peek()) {
      ++at_;
      left = join(c == '+' ? Kind::Add : Kind::Subtract, {left, product()});
    }
    --depth_;
    return left;
  }
  int product() {
    int left = signedPower();
    for (char c = peek(); c == '*' || c == '/'; c = peek()) {
      ++at_;
      left = join(c == '*' ? Kind::Multiply : Kind::Divide, {left, signedPower()});
    }
    return left;
  }
  int signedPower() {
    bool negative = false;
    while (peek() == '+' || peek() == '-') negative ^= text_[at_++] == '-';
    const int node = power();
    return negative ? join(Kind::Negate, {node}) : node;
  }
  int power() {
    const int base = atom();
    if (peek() != '*' || at_ + 1 >= text_.size() || text_[at_ + 1] != '*') return base;
    at_ += 2;
    if (++depth_ > kAdmDepth) {
      fail("nested too deep (simplify it)");
      return base;
    }
    const int exponent = signedPower();
    --depth_;
    return join(Kind::Power, {base, exponent});
  }
  int atom() {
    if (to_.nodes_.size() > kAdmNodes) fail("too long (simplify it)");
    const char c = peek();
    if (take('(')) {
      const int node = sum();
      if (!take(')')) fail("a closing parenthesis is missing");
      return node;
    }
    if ((c >= '0' && c <= '9') || c == '.') return literal();
    std::size_t end = at_;
    while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) || text_[end] == '_'))
      ++end;
    if (end == at_) {
      fail(c == '\0' ? "it ends too early" : fmt::format("'{}' is not understood", text_.substr(at_, 12)));
      return number(0.0);
    }
    const std::string name = admCapitals(text_.substr(at_, end - at_));
    at_ = end;
    return peek() == '(' ? call(name) : constant(name);
  }
  int literal() {
    const auto digits = [&] {
      while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) ++at_;
    };
    const std::size_t from = at_;
    digits();
    if (at_ < text_.size() && text_[at_] == '.') ++at_;
    digits();
    const std::size_t mantissa = at_;
    if (at_ < text_.size() && std::string_view("eEdD").find(text_[at_]) != std::string_view::npos) {
      ++at_;
      if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
      const std::size_t exponent = at_;
      digits();
      // Without digits it is the D of degrees, or no part of the number.
      if (at_ == exponent) at_ = text_[mantissa] == 'd' || text_[mantissa] == 'D' ? mantissa + 1 : mantissa;
    }
    const auto value = admNumber(text_.substr(from, at_ - from));
    if (!value) fail(fmt::format("'{}' is no number", text_.substr(from, at_ - from)));
    return number(value.value_or(0.0));
  }
  int constant(const std::string& name) {
    if (name == "TIME") return to_.add({.kind = Kind::Time, .number = 0.0, .name = {}, .children = {}});
    if (name == "PI") return number(std::numbers::pi);
    if (name == "RTOD") return number(180.0 / std::numbers::pi);
    if (name == "DTOR") return number(std::numbers::pi / 180.0);
    return to_.add({.kind = Kind::Unknown, .number = 0.0, .name = name, .children = {}});
  }
  std::vector<int> arguments() {
    std::vector<int> all;
    take('(');
    if (take(')')) return all;
    do all.push_back(sum());
    while (defect_.empty() && (take(',') || take(':')));
    if (!take(')')) fail("a closing parenthesis is missing");
    return all;
  }
  int call(const std::string& name) {
    const std::vector<int> given = arguments();
    if (!defect_.empty()) return number(0.0);
    if (isAdmFunction(name)) {
      if (!takesAdmArguments(name, given.size()))
        fail(fmt::format("{} has another number of arguments than {}", name, given.size()));
      return to_.add({.kind = Kind::Call, .number = 0.0, .name = name, .children = given});
    }
    if (name == "VARVAL") return variable(given);
    if (std::find(kAdmMeasures.begin(), kAdmMeasures.end(), name) == kAdmMeasures.end())
      return to_.add({.kind = Kind::Unknown, .number = 0.0, .name = name, .children = {}});
    AdmMeasure measure{name, {}};
    if (given.empty() || given.size() > measure.markers.size())
      fail(fmt::format("{} has one to four markers", name));
    for (std::size_t i = 0; i < given.size() && i < measure.markers.size(); ++i) {
      const AdmExpression::Node& n = to_.node(given[i]);
      const bool whole =
          n.kind == Kind::Number && n.number == std::floor(n.number) && n.number >= 0.0 && n.number < 2e9;
      if (!whole) fail(fmt::format("{} is of markers, by their identifiers", name));
      measure.markers[i] = whole ? static_cast<int>(n.number) : 0;
    }
    return to_.add({.kind = Kind::Measure, .number = 0.0, .name = name, .children = {}, .measure = measure});
  }
  int variable(const std::vector<int>& given) {
    const AdmExpression::Node n = given.size() == 1 ? to_.node(given[0]) : AdmExpression::Node{};
    const std::string* text = given.size() == 1 && n.kind == Kind::Number && std::abs(n.number) < 2e9
                                  ? variables_(static_cast<int>(n.number))
                                  : nullptr;
    if (!text) return to_.add({.kind = Kind::Unknown, .number = 0.0, .name = "VARVAL", .children = {}});
    if (depth_ > kAdmDepth / 2) {
      fail("variables ask for each other too deep, or in a circle");
      return number(0.0);
    }
    // Ten levels a variable, so that a circle ends soon.
    const std::string inside = joinedLines(*text, false);
    AdmParser parser(to_, variables_, inside, depth_ + 10);
    const int node = parser.parse();
    if (!parser.defect().empty()) fail("in a variable: " + parser.defect());
    return node;
  }

  AdmExpression& to_;
  const AdmExpression::Variables& variables_;
  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string defect_;
};

AdmExpression::AdmExpression(const std::string& text, const Variables& variables, std::string& defect) {
  // Before a sign a comma stands for itself where the text makes no sense without.
  std::string first;
  for (const bool signs : {false, true}) {
    nodes_.clear();
    const std::string joined = joinedLines(text, signs);
    AdmParser parser(*this, variables, joined, 0);
    root_ = parser.parse();
    if (parser.defect().empty()) return;
    if (first.empty()) first = parser.defect();
  }
  defect = first;
  nodes_.clear();
  root_ = add({});
}

double AdmExpression::call(const Node& n, double time, const Measures& measures) const {
  std::vector<double> a;
  a.reserve(n.children.size());
  // Of a choice only what is chosen has to have a value.
  if (n.name == "IF") {
    const double x = value(n.children[0], time, measures);
    if (std::isnan(x)) return kNoNumber;
    return value(n.children[x < 0.0 ? 1 : x == 0.0 ? 2 : 3], time, measures);
  }
  for (const int child : n.children) a.push_back(value(child, time, measures));
  return admFunction(n.name, a);
}

double AdmExpression::value(int i, double time, const Measures& measures) const {
  const Node& n = node(i);
  const auto child = [&](std::size_t k) { return value(n.children[k], time, measures); };
  switch (n.kind) {
    case Kind::Number:
      return n.number;
    case Kind::Time:
      return time;
    case Kind::Add:
      return child(0) + child(1);
    case Kind::Subtract:
      return child(0) - child(1);
    case Kind::Multiply:
      return child(0) * child(1);
    case Kind::Divide:
      return child(0) / child(1);
    case Kind::Power:
      return std::pow(child(0), child(1));
    case Kind::Negate:
      return -child(0);
    case Kind::Call:
      return call(n, time, measures);
    case Kind::Measure:
      return measures ? measures(n.measure) : kNoNumber;
    case Kind::Unknown:
      break;
  }
  return kNoNumber;
}

std::string AdmExpression::obstacle(int i) const {
  const Node& n = node(i);
  if (n.kind == Kind::Measure) return n.name;
  if (n.kind == Kind::Unknown) return n.name + admFunctionHint(n.name);
  for (const int child : n.children)
    if (std::string found = obstacle(child); !found.empty()) return found;
  return {};
}

std::optional<std::vector<AdmMeasure>> AdmExpression::measures() const {
  std::vector<AdmMeasure> all;
  for (const Node& n : nodes_) {
    if (n.kind == Kind::Unknown) return std::nullopt;
    const auto same = [&](const AdmMeasure& m) { return !(m < n.measure) && !(n.measure < m); };
    if (n.kind == Kind::Measure && std::none_of(all.begin(), all.end(), same)) all.push_back(n.measure);
  }
  return all;
}

bool AdmExpression::ofTimeAlone(int i) const { return obstacle(i).empty(); }

bool AdmExpression::constant(int i) const {
  const Node& n = node(i);
  return n.kind != Kind::Measure && n.kind != Kind::Unknown && n.kind != Kind::Time &&
         std::all_of(n.children.begin(), n.children.end(), [&](int child) { return constant(child); });
}

std::optional<AdmLinear> AdmExpression::scaled(const AdmLinear& form, double factor) {
  AdmLinear result = form;
  for (auto& [measure, coefficient] : result.coefficients) coefficient *= factor;
  const int by = add({.kind = Kind::Number, .number = factor, .name = {}, .children = {}});
  result.rest = add({.kind = Kind::Multiply, .number = 0.0, .name = {}, .children = {form.rest, by}});
  return result;
}

std::optional<AdmLinear> AdmExpression::sum(const AdmLinear& a, const AdmLinear& b, double factor) {
  AdmLinear result = a;
  const AdmLinear other = *scaled(b, factor);
  for (const auto& [measure, coefficient] : other.coefficients) result.coefficients[measure] += coefficient;
  result.rest = add({.kind = Kind::Add, .number = 0.0, .name = {}, .children = {a.rest, other.rest}});
  return result;
}

std::optional<AdmLinear> AdmExpression::linearOf(int i) {
  if (ofTimeAlone(i)) return AdmLinear{{}, i};
  const Node n = node(i);  // a copy: more nodes are added
  if (n.kind == Kind::Measure) {
    const int zero = add({.kind = Kind::Number, .number = 0.0, .name = {}, .children = {}});
    return AdmLinear{{{n.measure, 1.0}}, zero};
  }
  const auto form = [&](std::size_t k) { return linearOf(n.children[k]); };
  switch (n.kind) {
    case Kind::Negate:
      if (const auto a = form(0)) return scaled(*a, -1.0);
      break;
    case Kind::Add:
    case Kind::Subtract: {
      const auto a = form(0), b = form(1);
      if (a && b) return sum(*a, *b, n.kind == Kind::Add ? 1.0 : -1.0);
      break;
    }
    case Kind::Multiply:
      for (const std::size_t k : {0U, 1U})
        if (constant(n.children[k]))
          if (const auto a = form(1 - k)) return scaled(*a, value(n.children[k], 0.0));
      break;
    case Kind::Divide:
      if (constant(n.children[1]))
        if (const auto a = form(0)) return scaled(*a, 1.0 / value(n.children[1], 0.0));
      break;
    default:
      break;
  }
  return std::nullopt;
}

std::optional<AdmLinear> AdmExpression::linear() { return linearOf(root_); }

}  // namespace grashof::convert
