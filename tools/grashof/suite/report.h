#pragma once
/// What the measurements of the benchmark suite say: tables, plots, and verdicts on statements.

#include <functional>
#include <string>
#include <vector>

#include "tools/grashof/suite/statements.h"

namespace grashof {

class SuiteReport {
 public:
  SuiteReport(const SuitePlan& plan, const std::vector<SuiteUnit>& units);

  /// One self-contained page: no scripts, no links to other files.
  std::string html() const;
  /// The same in short, without plots.
  std::string markdown() const;

 private:
  /// A table with a heading for each column; the first column is text, the others right-aligned.
  struct Table {
    std::string title, note;
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows;
  };
  using Value = std::function<double(const Measurement&)>;

  using Record = SuiteRecord;
  std::vector<Record> records(const std::string& solver, const std::string& category, bool warm) const;
  std::vector<std::string> categories() const;  ///< those with samples
  std::vector<std::string> summary() const;     ///< the figures in plain words
  Table systems() const;
  Table runs() const;
  Table success(bool warm, double tolerance) const;
  Table efficiency() const;
  Table spread() const;
  Table choice() const;
  Table breaks() const;
  std::vector<Table> tables() const;  ///< in the order of the report
  std::vector<std::string> plots() const;
  std::string boxPlot(const std::string& title, const std::string& label, double lower, double upper,
                      const Value& value) const;
  std::string profile(const std::string& category) const;
  std::string convergence(const std::string& category) const;
  std::string growth() const;

  const SuitePlan& plan_;
  const std::vector<SuiteUnit>& units_;
};

}  // namespace grashof
