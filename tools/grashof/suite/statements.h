#pragma once
/// Statements about solvers, of papers and of our own, and what measurements say about each.

#include <string>
#include <vector>

#include "tools/grashof/suite/store.h"

namespace grashof {

enum class Verdict {
  Confirmed,
  Refuted,
  NotComparable,  ///< measured on other systems, or by another criterion, than the source's
  NotMeasured     ///< the measurements lack what the criterion needs
};
const char* verdictName(Verdict verdict);

/// A statement with its verdict by the measurements.
struct Finding {
  std::string statement;
  std::string source;      ///< "[Key year, place]" of the references; empty: of this project
  std::string criterion;   ///< what is measured, on which systems, at which tolerance
  std::string refuted;     ///< what would refute it
  std::string difference;  ///< from the source's systems and criterion; empty: none that matters
  Verdict verdict = Verdict::NotMeasured;
  std::string evidence;  ///< the numbers, or what is missing for them
};

/// The verdict on all statements, in the order of the report. A statement that is not comparable with its
/// source is never confirmed or refuted, whatever its numbers are.
std::vector<Finding> judgeStatements(const SuitePlan& plan, const std::vector<SuiteUnit>& units);

/// A measurement with its unit and sample.
struct SuiteRecord {
  const SuiteUnit* unit;
  const SampleInfo* sample;
  const Measurement* measurement;
};

/// The records of `units`, of one solver (of all where it is empty) on samples of one category (of all where
/// it is empty), started warm or cold; in the order of the units.
std::vector<SuiteRecord> recordsOf(const std::vector<SuiteUnit>& units, const std::string& solver,
                                   const std::string& category, bool warm);

/// Whether the solver sweeps over rows or contacts one at a time.
bool sweeps(const std::string& solver);

}  // namespace grashof
