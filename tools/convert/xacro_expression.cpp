#include "tools/convert/xacro_expression.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <numbers>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/base/expression.h"

namespace grashof::convert {
namespace {

using Kind = XacroValue::Kind;

constexpr int kMostLevels = 30;                             // of nesting
constexpr std::size_t kLongestText = std::size_t{1} << 20;  // characters of a value
constexpr const char* kNotRead =
    "lists, dictionaries, methods and files of data are not read (write numbers)";

bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

XacroValue textValue(std::string text) {
  if (text.size() > kLongestText) throw XacroDefect("is longer than a million characters");
  return {Kind::Text, 0.0, std::move(text)};
}
XacroValue truthValue(bool holds) { return {Kind::Truth, holds ? 1.0 : 0.0}; }
XacroValue numberValue(double number, bool whole) {
  if (!std::isfinite(number)) throw XacroDefect("has no finite value (is something divided by 0?)");
  return {whole ? Kind::Whole : Kind::Real, number};
}

/// A number as Python writes it, without sign; nothing: it is none.
std::optional<XacroValue> numberOf(std::string_view text, std::size_t& used) {
  double x = 0.0;
  const auto [next, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  used = static_cast<std::size_t>(next - text.data());
  if (error != std::errc() || used == 0) return std::nullopt;
  const bool whole = text.substr(0, used).find_first_of(".eE") == std::string_view::npos;
  return numberValue(x, whole);
}

bool isDigitOf(char c, int base) {
  const int digit = isDigit(c)             ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : 99;
  return digit < base;
}

/// Whether `text` has an underscore at `i` that Python reads past: between two digits.
bool groupsDigits(std::string_view text, std::size_t i, int base) {
  return text[i] == '_' && i > 0 && isDigitOf(text[i - 1], base) && i + 1 < text.size() &&
         isDigitOf(text[i + 1], base);
}

/// A whole number that begins with 0x, 0o or 0b; nothing: it does not.
std::optional<XacroValue> prefixedNumber(std::string_view text, std::size_t& used) {
  if (text.size() < 3 || text[0] != '0') return std::nullopt;
  const char sign = static_cast<char>(text[1] | 0x20);
  const int base = sign == 'x' ? 16 : sign == 'o' ? 8 : sign == 'b' ? 2 : 0;
  if (base == 0) return std::nullopt;
  std::string digits;
  for (used = 2; used < text.size(); ++used)
    if (isDigitOf(text[used], base))
      digits += text[used];
    else if (!groupsDigits(text, used, base) && !(used == 2 && text[2] == '_'))
      break;
  unsigned long long number = 0;
  const auto [next, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  if (error != std::errc()) return std::nullopt;
  return numberValue(static_cast<double>(number), true);
}

/// A number as it may stand in an expression of Python, with 0x1F and 1_000; nothing: it is none.
std::optional<XacroValue> numberInExpression(std::string_view text, std::size_t& used) {
  if (auto prefixed = prefixedNumber(text, used)) return prefixed;
  std::string digits;
  for (used = 0; used < text.size(); ++used) {
    const char c = text[used];
    const std::size_t sign =
        used + 1 < text.size() && (text[used + 1] == '-' || text[used + 1] == '+') ? 1 : 0;
    if (isDigit(c) || c == '.') {
      digits += c;
    } else if ((c == 'e' || c == 'E') && used + 1 + sign < text.size() && isDigit(text[used + 1 + sign])) {
      digits += text.substr(used, 1 + sign);
      used += sign;
    } else if (!groupsDigits(text, used, 10)) {
      break;
    }
  }
  std::size_t read = 0;
  auto number = numberOf(digits, read);
  return read == digits.size() ? number : std::nullopt;
}

/// Reads and evaluates from left to right, one function a level of precedence.
class XacroParser {
 public:
  XacroParser(std::string_view text, const XacroNames& names) : text_(text), names_(names) {}

  XacroValue whole() {
    XacroValue value = choice();
    skip();
    if (at_ < text_.size()) refuse();
    return value;
  }

 private:
  [[noreturn]] void refuse() {
    if (at_ >= text_.size()) throw XacroDefect("ends where something is missing");
    const char c = text_[at_];
    if (c == '[' || c == '{' || c == '.') throw XacroDefect(kNotRead);
    throw XacroDefect(fmt::format("'{}' is not expected", text_.substr(at_, 12)));
  }

  void skip() {
    while (at_ < text_.size() && isBlank(text_[at_])) ++at_;
  }

  bool take(std::string_view sign) {
    skip();
    if (text_.substr(at_, sign.size()) != sign) return false;
    at_ += sign.size();
    return true;
  }

  bool takeWord(std::string_view word) {
    skip();
    const std::size_t end = at_ + word.size();
    if (text_.substr(at_, word.size()) != word) return false;
    if (end < text_.size() && (isLetter(text_[end]) || isDigit(text_[end]))) return false;
    at_ = end;
    return true;
  }

  /// What `read` reads, without a value.
  template <typename Read>
  void pass(Read read) {
    const bool before = std::exchange(dry_, true);
    read();
    dry_ = before;
  }

  /// Whether the word `if` follows on this level of parentheses.
  bool conditional() const {
    int open = 0;
    for (std::size_t i = at_; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == '\'' || c == '"') {
        i = text_.find(c, i + 1);
        if (i == std::string_view::npos) return false;
      } else if (c == '(') {
        ++open;
      } else if (c == ')' || (c == ',' && open == 0)) {
        if (c == ',' || --open < 0) return false;
      } else if (isLetter(c) || isDigit(c)) {
        const std::size_t start = i;
        while (i + 1 < text_.size() && (isLetter(text_[i + 1]) || isDigit(text_[i + 1]))) ++i;
        if (open == 0 && text_.substr(start, i + 1 - start) == "if") return true;
      }
    }
    return false;
  }

  XacroValue choice() {
    if (++depth_ > kMostLevels) throw XacroDefect("is nested too deeply");
    XacroValue value;
    if (!conditional()) {
      value = either();
    } else {
      // The value comes before its condition, and must not be computed where that is false.
      const std::size_t start = at_;
      pass([&] { either(); });
      if (!takeWord("if")) refuse();
      const bool holds = either().holds();
      if (!takeWord("else")) throw XacroDefect("'else' is missing (as in a if c else b)");
      const std::size_t other = at_;
      pass([&] { choice(); });
      const std::size_t end = at_;
      if (!dry_) {
        at_ = holds ? start : other;
        value = holds ? either() : choice();
        at_ = end;
      }
    }
    --depth_;
    return value;
  }

  XacroValue either() {
    XacroValue left = both();
    while (takeWord("or")) {
      if (left.holds())
        pass([&] { both(); });
      else
        left = both();
    }
    return left;
  }

  XacroValue both() {
    XacroValue left = denial();
    while (takeWord("and")) {
      if (!left.holds())
        pass([&] { denial(); });
      else
        left = denial();
    }
    return left;
  }

  XacroValue denial() {
    if (!takeWord("not")) return comparison();
    if (++depth_ > kMostLevels) throw XacroDefect("is nested too deeply");
    const bool holds = denial().holds();
    --depth_;
    return truthValue(!holds);
  }

  static int order(const XacroValue& a, const XacroValue& b) {
    if (a.kind == Kind::Text || b.kind == Kind::Text) {
      if (a.kind != b.kind) throw XacroDefect("compares a text with a number");
      return a.text.compare(b.text);
    }
    return a.number < b.number ? -1 : a.number > b.number ? 1 : 0;
  }

  static bool same(const XacroValue& a, const XacroValue& b) {
    if ((a.kind == Kind::Text) != (b.kind == Kind::Text)) return false;
    return order(a, b) == 0;
  }

  XacroValue comparison() {
    XacroValue left = sum();
    bool any = false, holds = true;
    const auto judge = [&](auto with) {
      XacroValue right = sum();
      if (!dry_) holds = holds && with(left, right);
      left = std::move(right);
      any = true;
    };
    while (true) {
      if (take("=="))
        judge([](const auto& a, const auto& b) { return same(a, b); });
      else if (take("!="))
        judge([](const auto& a, const auto& b) { return !same(a, b); });
      else if (take("<="))
        judge([](const auto& a, const auto& b) { return order(a, b) <= 0; });
      else if (take(">="))
        judge([](const auto& a, const auto& b) { return order(a, b) >= 0; });
      else if (take("<"))
        judge([](const auto& a, const auto& b) { return order(a, b) < 0; });
      else if (take(">"))
        judge([](const auto& a, const auto& b) { return order(a, b) > 0; });
      else if (takeWord("in"))
        judge([](const auto& a, const auto& b) {
          if (a.kind != Kind::Text || b.kind != Kind::Text) throw XacroDefect(kNotRead);
          return b.text.find(a.text) != std::string::npos;
        });
      else
        return any ? truthValue(holds) : left;
    }
  }

  /// A sign between two numbers.
  XacroValue joined(char sign, const XacroValue& a, const XacroValue& b) const {
    if (dry_) return {};
    if (sign == '+' && a.kind == Kind::Text && b.kind == Kind::Text) return textValue(a.text + b.text);
    if (a.kind == Kind::Text || b.kind == Kind::Text) {
      const XacroValue& text = a.kind == Kind::Text ? a : b;
      throw XacroDefect(fmt::format("'{}' is no number", text.text));
    }
    const bool whole = a.kind != Kind::Real && b.kind != Kind::Real;
    const double x = a.number, y = b.number;
    switch (sign) {
      case '+':
        return numberValue(x + y, whole);
      case '-':
        return numberValue(x - y, whole);
      case '*':
        return numberValue(x * y, whole);
      case '/':
        return numberValue(x / y, false);
      case 'q':
        return numberValue(std::floor(x / y), whole);
      case '%':
        return numberValue(x - y * std::floor(x / y), whole);
      default:
        return numberValue(std::pow(x, y), whole && y >= 0.0);
    }
  }

  /// Operands and the operators between them, from the left.
  template <class Operand>
  XacroValue fromLeft(std::initializer_list<std::pair<const char*, char>> operators, const Operand& operand) {
    XacroValue left = operand();
    while (true) {
      const auto* const found =
          std::find_if(operators.begin(), operators.end(), [&](const auto& o) { return take(o.first); });
      if (found == operators.end()) return left;
      left = joined(found->second, left, operand());
    }
  }

  XacroValue sum() {
    return fromLeft({{"+", '+'}, {"-", '-'}}, [this] { return product(); });
  }

  XacroValue product() {
    return fromLeft({{"//", 'q'}, {"*", '*'}, {"/", '/'}, {"%", '%'}}, [this] { return signedValue(); });
  }

  XacroValue signedValue() {
    const bool minus = take("-");
    if (!minus && !take("+")) return power();
    if (++depth_ > kMostLevels) throw XacroDefect("is nested too deeply");
    XacroValue value = joined(minus ? '-' : '+', {Kind::Whole, 0.0}, signedValue());
    --depth_;
    return value;
  }

  XacroValue power() {
    const XacroValue base = single();
    return take("**") ? joined('^', base, signedValue()) : base;
  }

  XacroValue single() {
    skip();
    if (at_ == text_.size()) throw XacroDefect(text_.empty() ? "is empty" : "ends where a value is missing");
    const char c = text_[at_];
    XacroValue value;
    if (isDigit(c) || (c == '.' && at_ + 1 < text_.size() && isDigit(text_[at_ + 1]))) {
      std::size_t used = 0;
      const auto number = numberInExpression(text_.substr(at_), used);
      if (!number)
        throw XacroDefect(fmt::format("'{}' is no number, or out of range",
                                      text_.substr(at_, std::max<std::size_t>(used, 1))));
      at_ += used;
      if (at_ < text_.size() && isLetter(text_[at_])) refuse();
      return *number;
    }
    if (c == '\'' || c == '"') {
      const auto end = text_.find(c, at_ + 1);
      if (end == std::string_view::npos) throw XacroDefect("lacks the end of a text");
      value = textValue(std::string(text_.substr(at_ + 1, end - at_ - 1)));
      at_ = end + 1;
    } else if (isLetter(c)) {
      value = named();
    } else if (take("(")) {
      value = choice();
      if (!take(")")) throw XacroDefect("')' is missing");
    } else {
      refuse();
    }
    skip();
    if (at_ < text_.size() && (text_[at_] == '[' || text_[at_] == '.')) throw XacroDefect(kNotRead);
    return value;
  }

  XacroValue named() {
    if (text_.substr(at_, 5) == "math.") at_ += 5;
    const std::size_t start = at_;
    while (at_ < text_.size() && (isLetter(text_[at_]) || isDigit(text_[at_]))) ++at_;
    const std::string name(text_.substr(start, at_ - start));
    if (name == "True" || name == "False") return truthValue(name == "True");
    if (take("(")) return call(name);
    if (dry_) return {};
    if (auto found = names_(name)) return *std::move(found);
    if (name == "pi") return {Kind::Real, std::numbers::pi};
    if (name == "tau") return {Kind::Real, 2.0 * std::numbers::pi};
    if (name == "xacro" || name == "python") throw XacroDefect(kNotRead);
    throw XacroDefect(fmt::format("there is no property {}", name));
  }

  XacroValue call(const std::string& name) {
    std::vector<XacroValue> x;
    if (!take(")")) {
      do x.push_back(choice());
      while (take(","));
      if (!take(")")) throw XacroDefect("')' is missing");
    }
    if (dry_) return {};
    if (x.size() == 1) {
      if (name == "str") return textValue(x[0].written());
      if (name == "float" || name == "int") {
        const XacroValue number = x[0].kind == Kind::Text ? xacroLiteral(x[0].text) : x[0];
        if (number.kind == Kind::Text) throw XacroDefect(fmt::format("'{}' is no number", number.text));
        return name == "int" ? numberValue(std::trunc(number.number), true)
                             : numberValue(number.number, false);
      }
      if (name == "bool") return truthValue(x[0].holds());
    }
    return computed(name, x);
  }

  /// A function of numbers.
  static XacroValue computed(const std::string& name, const std::vector<XacroValue>& x) {
    bool whole = !x.empty();
    std::string text = name + "(";
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (x[i].kind == Kind::Text) throw XacroDefect(fmt::format("'{}' is no number", x[i].text));
      whole = whole && x[i].kind != Kind::Real;
      text += fmt::format("{}x{}", i ? "," : "", i);
    }
    const double degree = std::numbers::pi / 180.0;
    if (x.size() == 1 && name == "radians") return numberValue(x[0].number * degree, false);
    if (x.size() == 1 && name == "degrees") return numberValue(x[0].number / degree, false);
    const auto value = [&](std::string_view n) -> std::optional<double> {
      return x[static_cast<std::size_t>(std::stoul(std::string(n.substr(1))))].number;
    };
    const Evaluation made = evaluate(text + ")", value);
    if (!made.defect.empty()) throw XacroDefect(made.defect);
    const bool keeps = name == "abs" || name == "min" || name == "max";
    const bool rounds = name == "round" || name == "floor" || name == "ceil";
    return numberValue(made.value, (keeps && whole) || rounds);
  }

  std::string_view text_;
  const XacroNames& names_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool dry_ = false;  // what is read is not computed
};

}  // namespace

std::string XacroValue::written() const {
  if (kind == Kind::Text) return text;
  if (kind == Kind::Truth) return number != 0.0 ? "True" : "False";
  std::string digits = fmt::format("{}", number);
  if (kind == Kind::Real && digits.find_first_of(".e") == std::string::npos) digits += ".0";
  return digits;
}

XacroValue xacroLiteral(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\n\r"), last = text.find_last_not_of(" \t\n\r");
  if (first == std::string::npos) return {Kind::Text, 0.0, text};
  std::string_view trimmed = std::string_view(text).substr(first, last - first + 1);
  if (trimmed == "True" || trimmed == "true" || trimmed == "False" || trimmed == "false")
    return truthValue(trimmed[0] == 'T' || trimmed[0] == 't');
  if (trimmed.size() > 1 && trimmed.front() == '\'' && trimmed.back() == '\'')
    return {Kind::Text, 0.0, std::string(trimmed.substr(1, trimmed.size() - 2))};
  const bool minus = trimmed[0] == '-';
  std::string_view digits = trimmed.substr(minus || trimmed[0] == '+' ? 1 : 0);
  std::size_t used = 0;
  if (digits.empty() || !(isDigit(digits[0]) || digits[0] == '.')) return {Kind::Text, 0.0, text};
  auto number = numberOf(digits, used);
  if (!number || used != digits.size()) return {Kind::Text, 0.0, text};
  if (minus) number->number = -number->number;
  return *number;
}

XacroValue evaluateXacro(std::string_view text, const XacroNames& names) {
  return XacroParser(text, names).whole();
}

}  // namespace grashof::convert
