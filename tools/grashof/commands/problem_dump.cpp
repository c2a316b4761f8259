#include "tools/grashof/commands/problem_dump.h"

#include <charconv>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/base/output_file.h"
#include "engine/results/problem_file.h"

namespace grashof {
namespace {

constexpr double kHardRatio = 10.0, kHardIterations = 50.0;

}  // namespace

DumpRule parseDumpRule(const std::string& text) {
  if (text == "hard") return {};
  DumpRule rule;
  const char* end = text.data() + text.size();
  if (text.rfind("every=", 0) == 0) {
    const auto [rest, error] = std::from_chars(text.data() + 6, end, rule.every);
    if (error == std::errc() && rest == end && rule.every > 0) return rule;
  }
  throw InputError(fmt::format("--dump-problems {}: needs every=N (as in every=100) or hard", text));
}

void ProblemDump::observe(std::int64_t step, const Simulator& simulator) {
  const StepReport& report = simulator.report();
  const double mean = step > 1 ? iterations_ / static_cast<double>(step - 1) : 0.0;
  iterations_ += report.iterations;
  const bool hard = report.status != SolveStatus::Solved ||
                    report.iterations >= std::max(kHardIterations, kHardRatio * mean);
  const bool wanted = rule_.every > 0 ? step % rule_.every == 0 : hard;
  if (!wanted || simulator.problem().rows() == 0) return;
  const std::string folder = folder_ + "/problems";
  makeFolder(folder);
  const std::string name = fmt::format("step-{:06}.h5", step);
  const std::string leftOut = writeProblem(
      folder + "/" + name,
      fmt::format("{}, step {} at {:.9g} s", simulator.model().name, step, simulator.state().time),
      simulator.problem(), &simulator.solution());
  ++files_;
  if (leftOut.empty() || simulator.problem().contacts.empty()) return;
  if (lacking_++ == 0) firstLacking_ = name + ": " + leftOut;
}

std::string ProblemDump::leftOut() const {
  if (lacking_ == 0) return {};
  return fmt::format("the FCLIB groups of {} of {} problem files leave something out, the first {}", lacking_,
                     files_, firstLacking_);
}

}  // namespace grashof
