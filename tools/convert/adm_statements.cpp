#include "tools/convert/adm_statements.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "engine/base/listed.h"
#include "engine/base/spelling.h"
#include "tools/convert/adm_features.h"

namespace grashof::convert {
namespace {

constexpr std::string_view kAdmBlanks = " \t\r\f\v";

bool isWordChar(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/// The name in a comment `adams_view_name='crank'`; empty: it holds none.
std::string viewName(std::string_view comment) {
  constexpr std::string_view kKey = "adams_view_name";
  const auto key = comment.find(kKey);
  if (key == std::string_view::npos) return {};
  const auto open = comment.find('\'', key + kKey.size());
  if (open == std::string_view::npos) return {};
  const auto close = comment.find('\'', open + 1);
  if (close == std::string_view::npos) return {};
  return std::string(comment.substr(open + 1, close - open - 1));
}

/// A statement as it is written, over several lines.
struct RawStatement {
  std::string text;        // continuations as kAdmContinued
  std::vector<int> lines;  // of each character of the text
  std::string name;
  void add(std::string_view part, int line) {
    text += part;
    lines.insert(lines.end(), part.size(), line);
  }
};

/// Joins the lines of a dataset to statements.
class StatementLines {
 public:
  explicit StatementLines(std::string_view text) : text_(text) {}

  std::string_view nextLine() {
    const auto end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view line = text_.substr(at_, end - at_);
    at_ = end + 1;
    ++line_;
    return line;
  }
  bool atEnd() const { return at_ >= text_.size(); }

  std::vector<RawStatement> statements() {
    while (!atEnd()) takeLine(nextLine());
    finish();
    return std::move(all_);
  }

 private:
  void takeLine(std::string_view line) {
    const auto comment = line.find('!');
    if (comment != std::string_view::npos) {
      // A name belongs to the statement that follows: what was before it has ended.
      if (std::string name = viewName(line.substr(comment)); !name.empty()) {
        finish();
        name_ = std::move(name);
      }
      line = line.substr(0, comment);
    }
    line = admTrimmed(line);
    if (line.empty()) return;
    const bool continues = line.front() == ',' || open_;
    open_ = line.back() == '&';
    if (open_) line = admTrimmed(line.substr(0, line.size() - 1));
    if (continues && line.starts_with(',')) {
      current_.add(std::string(1, kAdmContinued), line_);
      line = admTrimmed(line.substr(1));
    } else if (!continues && !endsOpen()) {
      finish();
    }
    for (auto end = line.find(';'); end != std::string_view::npos; end = line.find(';')) {
      current_.add(line.substr(0, end), line_);
      finish();
      line = admTrimmed(line.substr(end + 1));
    }
    current_.add(line, line_);
  }
  /// Whether the statement so far ends with a comma, so that the next line goes on.
  bool endsOpen() const {
    const std::string_view text = admTrimmed(current_.text);
    return !text.empty() && text.back() == ',';
  }
  void finish() {
    if (!admTrimmed(current_.text).empty()) {
      current_.name = std::move(name_);
      name_.clear();
      all_.push_back(std::move(current_));
    }
    current_ = {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 0;
  bool open_ = false;  // the last line ended with &
  std::string name_;
  RawStatement current_;
  std::vector<RawStatement> all_;
};

/// The word of `known` that `word` is or abbreviates; empty: none, or `several` tells them.
std::string inFull(const std::string& word, const std::vector<std::string>& known,
                   std::vector<std::string>& several) {
  if (std::find(known.begin(), known.end(), word) != known.end()) return word;
  for (const std::string& k : known)
    if (!word.empty() && k.starts_with(word)) several.push_back(k);
  return several.size() == 1 ? several[0] : std::string();
}

/// Whether an argument holds an expression.
bool isFunction(std::string_view name) {
  constexpr std::string_view kFunction = "FUNCTION";
  if (name.size() >= 2 && kFunction.starts_with(name)) return true;
  return name.size() == 2 && (name[0] == 'F' || name[0] == 'T') && name[1] >= 'X' && name[1] <= 'Z';
}

/// Splits the arguments of one statement.
class ArgumentSplitter {
 public:
  ArgumentSplitter(const RawStatement& raw, AdmStatement& statement, const std::string& file,
                   std::vector<Diagnostic>& found, Report& report)
      : raw_(raw),
        text_(raw.text),
        statement_(statement),
        file_(file),
        found_(found),
        report_(report),
        known_(admArguments(statement.keyword)) {}

  void split(std::size_t from) {
    at_ = from;
    while (skipSeparators()) {
      const int line = raw_.lines[at_];
      const std::string word = admCapitals(takeWord());
      skipBlanks();
      const bool assigned = at_ < text_.size() && text_[at_] == '=';
      if (word.empty()) {
        fail(line, fmt::format("no argument begins at '{}' (write NAME or NAME = value)",
                               text_.substr(at_, std::min<std::size_t>(12, text_.size() - at_))));
        return;
      }
      AdmArgument argument{resolve(word, line), line, {}};
      if (assigned) {
        ++at_;
        if (isFunction(word))
          argument.values.emplace_back(admTrimmed(takeFunction()));
        else
          takeValues(argument);
      }
      add(std::move(argument));
    }
  }

 private:
  void fail(int line, const std::string& message) {
    found_.push_back({file_, line, statement_.element(), message});
  }
  static bool separates(char c) { return c == ',' || c == kAdmContinued || c == '\\'; }
  void skipBlanks() {
    while (at_ < text_.size() && kAdmBlanks.find(text_[at_]) != std::string_view::npos) ++at_;
  }
  bool skipSeparators() {
    for (skipBlanks(); at_ < text_.size() && separates(text_[at_]); skipBlanks()) ++at_;
    return at_ < text_.size();
  }
  std::string_view takeWord() {
    const std::size_t from = at_;
    while (at_ < text_.size() && isWordChar(text_[at_])) ++at_;
    return text_.substr(from, at_ - from);
  }
  std::string resolve(const std::string& word, int line) {
    std::vector<std::string> several;
    if (word.size() >= 2 && std::string_view("EULER").starts_with(word)) return "REULER";
    const std::string full = inFull(word, known_, several);
    if (several.size() > 1)
      fail(line, fmt::format("argument '{}' may be any of {} (write it in full)", word, joined(several)));
    return full.empty() && several.empty() ? "?" + word : full;
  }
  void add(AdmArgument argument) {
    if (argument.name.empty()) return;
    if (argument.name[0] == '?') {
      const std::string word = argument.name.substr(1), near = closest(word, known_);
      Report::once(report_.leftOut,
                   fmt::format("argument {} of {}{}", word, statement_.element(),
                               near.empty() ? "" : fmt::format(" (did you mean {}?)", near)));
      return;
    }
    if (statement_.has(argument.name)) {
      fail(argument.line, fmt::format("argument {} stands twice (leave one out)", argument.name));
      return;
    }
    statement_.arguments.push_back(std::move(argument));
  }
  /// Whether what begins at `from` is `NAME =`, or a word that is an argument of this statement.
  bool beginsArgument(std::size_t from) const {
    while (from < text_.size() && kAdmBlanks.find(text_[from]) != std::string_view::npos) ++from;
    std::size_t end = from;
    while (end < text_.size() && isWordChar(text_[end])) ++end;
    if (end == from || (text_[from] >= '0' && text_[from] <= '9')) return false;
    std::size_t next = end;
    while (next < text_.size() && kAdmBlanks.find(text_[next]) != std::string_view::npos) ++next;
    if (next < text_.size() && text_[next] == '=') return next + 1 >= text_.size() || text_[next + 1] != '=';
    if (next < text_.size() && !separates(text_[next])) return false;
    std::vector<std::string> several;
    const std::string word = admCapitals(text_.substr(from, end - from));
    return word.size() > 1 && !inFull(word, known_, several).empty();
  }
  /// An expression: up to a backslash, or to a comma outside of parentheses behind which an argument begins.
  std::string_view takeFunction() {
    const std::size_t from = at_;
    int depth = 0;
    for (; at_ < text_.size() && text_[at_] != '\\'; ++at_) {
      if (text_[at_] == '(') ++depth;
      if (text_[at_] == ')') --depth;
      if (depth <= 0 && (text_[at_] == ',' || text_[at_] == kAdmContinued) && beginsArgument(at_ + 1)) break;
    }
    return text_.substr(from, at_ - from);
  }
  /// Values: words and numbers up to the next argument. A first word is a value, as in LENGTH = METER.
  void takeValues(AdmArgument& argument) {
    for (bool first = true;; first = false) {
      std::size_t end = at_;
      while (end < text_.size() && !separates(text_[end])) ++end;
      const std::string_view value = admTrimmed(text_.substr(at_, end - at_));
      if (!value.empty()) argument.values.emplace_back(value);
      at_ = end;
      std::size_t next = end;
      while (next < text_.size() && (separates(text_[next]) || kAdmBlanks.find(text_[next]) != kNone)) ++next;
      if (next >= text_.size()) return;
      const char c = text_[next];
      const bool number = (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.';
      if (!number && !(first && value.empty()) && argument.name != "TYPE") return;
      if (beginsArgument(next)) return;
      at_ = next;
    }
  }

  static constexpr std::size_t kNone = std::string_view::npos;
  const RawStatement& raw_;
  std::string_view text_;
  AdmStatement& statement_;
  const std::string& file_;
  std::vector<Diagnostic>& found_;
  Report& report_;
  std::vector<std::string> known_;
  std::size_t at_ = 0;
};

/// What statements are called that no table knows, or that are left out, with their number.
class StatementCounts {
 public:
  /// `note`: why it is left out; empty: it is not known.
  void add(const AdmStatement& s, const std::string& note) {
    const auto at =
        std::find_if(counts_.begin(), counts_.end(), [&](const Count& c) { return c.keyword == s.keyword; });
    if (at == counts_.end())
      counts_.push_back({s.keyword, note, s.line, 1});
    else
      ++at->number;
  }
  void tell(Report& report, const std::vector<std::string>& known) const {
    for (const Count& c : counts_) {
      report.leftOut.push_back(fmt::format("{}{} ({})", c.keyword,
                                           c.number > 1 ? fmt::format(", {} of them", c.number) : "",
                                           c.note.empty() ? "not known" : c.note));
      if (!c.note.empty()) continue;
      const std::string near = closest(c.keyword, known);
      report.warnings.push_back(fmt::format("line {}: {} is no statement that is known, and does nothing{}",
                                            c.line, c.keyword,
                                            near.empty() ? "" : fmt::format(" (did you mean {}?)", near)));
    }
  }

 private:
  struct Count {
    std::string keyword, note;
    int line = 0;  // of the first
    int number = 0;
  };
  std::vector<Count> counts_;
};

/// Keyword and identifier of a statement; where its arguments begin. None: reported.
std::optional<std::size_t> readHead(const RawStatement& raw, const std::string& file,
                                    const std::vector<std::string>& known, AdmStatement& statement,
                                    std::vector<Diagnostic>& found) {
  statement.line = raw.lines[0];
  statement.name = raw.name;
  std::size_t at = 0;
  while (at < raw.text.size() && isWordChar(raw.text[at])) ++at;
  const std::string word = admCapitals(std::string_view(raw.text).substr(0, at));
  const auto fail = [&](const std::string& message) {
    found.push_back({file, statement.line, word.empty() ? "statement" : word, message});
    return std::nullopt;
  };
  if (word.empty())
    return fail(fmt::format("'{}' is no statement (NAME/id, or a continuation that begins with a comma)",
                            raw.text.substr(0, 20)));
  std::vector<std::string> several;
  statement.keyword = inFull(word, known, several);
  if (several.size() > 1) return fail(fmt::format("may be any of {} (write it in full)", joined(several)));
  if (statement.keyword.empty()) statement.keyword = word;
  const std::string_view blanks = kAdmBlanks;
  while (at < raw.text.size() && blanks.find(raw.text[at]) != std::string_view::npos) ++at;
  if (at >= raw.text.size()) return at;
  if (raw.text[at] != '/') {
    if (raw.text[at] == ',' || raw.text[at] == kAdmContinued) return at;
    return fail(
        fmt::format("a slash is missing behind the name (write {}/id, arguments)", statement.keyword));
  }
  ++at;
  while (at < raw.text.size() && blanks.find(raw.text[at]) != std::string_view::npos) ++at;
  std::size_t end = at;
  while (end < raw.text.size() && raw.text[end] >= '0' && raw.text[end] <= '9') ++end;
  if (end > at) {
    const auto id = admIdentifier(std::string_view(raw.text).substr(at, end - at));
    if (!id)
      return fail(fmt::format("'{}' is no identifier (a number from 1 to 2147483647)",
                              raw.text.substr(at, end - at)));
    statement.id = *id;
  }
  return end;
}

}  // namespace

std::string AdmStatement::element() const { return id > 0 ? fmt::format("{}/{}", keyword, id) : keyword; }

const AdmArgument* AdmStatement::find(std::string_view argument) const {
  const auto at = std::find_if(arguments.begin(), arguments.end(),
                               [&](const AdmArgument& a) { return a.name == argument; });
  return at == arguments.end() ? nullptr : &*at;
}

std::string_view admTrimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kAdmBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kAdmBlanks) - first + 1);
}

std::string admCapitals(std::string_view text) {
  std::string capitals(text);
  for (char& c : capitals)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return capitals;
}

std::optional<double> admNumber(std::string_view text) {
  std::string number = admCapitals(admTrimmed(text));
  double factor = 1.0;
  if (!number.empty() && number.back() == 'D') {
    factor = std::numbers::pi / 180.0;
    number.pop_back();
  }
  std::replace(number.begin(), number.end(), 'D', 'E');
  if (!number.empty() && number[0] == '+') number.erase(0, 1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc() || end != number.data() + number.size() || number.empty()) return std::nullopt;
  value *= factor;
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<int> admIdentifier(std::string_view text) {
  text = admTrimmed(text);
  int id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc() || end != text.data() + text.size() || id <= 0) return std::nullopt;
  return id;
}

std::vector<AdmStatement> readAdmStatements(const std::string& text, const std::string& file,
                                            std::string& title, std::vector<Diagnostic>& found,
                                            Report& report) {
  StatementLines lines(text);
  title = std::string(admTrimmed(lines.nextLine()));
  const std::vector<std::string> known = admStatements();
  std::vector<AdmStatement> statements;
  StatementCounts counts;
  for (const RawStatement& raw : lines.statements()) {
    AdmStatement statement;
    const auto arguments = readHead(raw, file, known, statement, found);
    if (!arguments) continue;
    if (statement.keyword == "END") break;
    const Feature* feature = findFeature(admFeatures(), statement.keyword, "");
    if (feature && feature->treatment == Treatment::NoEffect) continue;
    if (feature || std::find(known.begin(), known.end(), statement.keyword) == known.end()) {
      counts.add(statement, feature ? feature->note : "");
      continue;
    }
    ArgumentSplitter(raw, statement, file, found, report).split(*arguments);
    statements.push_back(std::move(statement));
  }
  counts.tell(report, known);
  return statements;
}

}  // namespace grashof::convert
