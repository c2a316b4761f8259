#include "engine/study/driver.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <deque>

#include <fmt/format.h>

#include "engine/study/bytes.h"

namespace grashof::study {
namespace {

constexpr int kMostDeaths = 3;               // of workers, by one run alone
constexpr std::uint64_t kMostInTask = 4096;  // runs

/// Processor time so far, s, of this thread or process.
double processorTime(clockid_t clock = CLOCK_THREAD_CPUTIME_ID) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// The runs of one part of a study, handed out and taken in.
class Drive {
 public:
  Drive(Study& study, Rows& rows, Journal& journal, Farm& farm, const DriveOptions& options)
      : study_(study), rows_(rows), journal_(journal), farm_(farm), options_(options) {}

  /// Makes the missing runs below `end`; false when it was told to stop.
  bool part(std::uint64_t end) {
    next_ = 0;
    while (true) {
      if (options_.stop && options_.stop()) return false;
      while (farm_.wantsTask() && giveTask(end)) {
      }
      if (open_.empty()) return true;
      for (const Outcome& outcome : farm_.collect(0.2))
        if (outcome.lost)
          lose(outcome);
        else
          take(outcome);
      if (options_.progress) options_.progress(rows_.count());
    }
  }

  DriveReport report;

 private:
  using Clock = std::chrono::steady_clock;

  /// False: there is nothing left to give.
  bool giveTask(std::uint64_t end) {
    std::vector<std::pair<std::uint64_t, Point>> runs;
    if (!again_.empty()) {  // alone, so that one that ends its worker is found
      runs.emplace_back(again_.front(), study_.point(again_.front(), rows_));
      again_.pop_front();
    } else {
      for (const std::uint64_t size = taskSize(end); runs.size() < size; ++next_) {
        while (next_ < end && rows_.has(next_)) ++next_;
        if (next_ >= end) break;
        runs.emplace_back(next_, study_.point(next_, rows_));
      }
    }
    if (runs.empty()) return false;
    const std::string task = packTask(runs);
    report.taskBytes += task.size();
    ++report.tasks;
    std::vector<std::uint64_t>& numbers = open_[ticket_];
    for (const auto& [run, point] : runs) numbers.push_back(run);
    farm_.give(ticket_++, task);
    return true;
  }

  /// As many runs as take the time of a task; at the end fewer, so that no worker idles long.
  std::uint64_t taskSize(std::uint64_t end) const {
    if (report.made == 0) return 1;
    const double each = report.workSeconds / static_cast<double>(report.made);
    const double fair = static_cast<double>(end - next_) / (4.0 * static_cast<double>(farm_.workers()));
    const double wanted = std::min(options_.taskSeconds / std::max(each, 1e-9), fair);
    return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(wanted), 1, kMostInTask);
  }

  void take(const Outcome& outcome) {
    report.resultBytes += outcome.result.size();
    ByteReader in(outcome.result);
    report.workSeconds += in.real();
    const std::vector<std::string> packed = rowsOf(outcome.result);
    journal_.append(packed);
    for (const std::string& row : packed) rows_.add(unpackRow(row));
    report.made += packed.size();
    open_.erase(outcome.ticket);
  }

  void lose(const Outcome& outcome) {
    const std::vector<std::uint64_t> runs = std::move(open_[outcome.ticket]);
    open_.erase(outcome.ticket);
    if (outcome.begun) ++report.lost;
    for (const std::uint64_t run : runs) {
      const bool blamed = outcome.begun && runs.size() == 1;
      if (blamed && ++deaths_[run] >= kMostDeaths) {
        RunRow row;
        row.run = run;
        row.status = RunStatus::Lost;
        row.reason = fmt::format("{} workers ended in it, the last: {}", kMostDeaths, outcome.reason);
        journal_.append({packRow(row)});
        rows_.add(row);
      } else {
        again_.push_back(run);
      }
    }
  }

  Study& study_;
  Rows& rows_;
  Journal& journal_;
  Farm& farm_;
  const DriveOptions& options_;
  std::uint64_t next_ = 0, ticket_ = 0;
  std::map<std::uint64_t, std::vector<std::uint64_t>> open_;  // by ticket
  std::deque<std::uint64_t> again_;
  std::map<std::uint64_t, int> deaths_;
};

}  // namespace

std::string packTask(const std::vector<std::pair<std::uint64_t, Point>>& runs) {
  ByteWriter out;
  out.number(runs.size());
  for (const auto& [run, point] : runs) {
    out.number(run);
    out.number(point.size());
    for (const double x : point) out.real(x);
  }
  return out.bytes();
}

std::string makeRuns(const Study& study, const std::string& task) {
  const double start = processorTime();
  ByteReader in(task);
  const std::uint64_t count = in.count(16);
  std::vector<std::string> rows;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t run = in.number();
    Point point(in.count(8));
    for (double& x : point) x = in.real();
    if (point.size() != study.factors().size()) throw InputError("the task is not of this study");
    rows.push_back(packRow(study.make(run, point)));
  }
  ByteWriter out;
  out.real(processorTime() - start);
  out.number(rows.size());
  for (const std::string& row : rows) out.text(row);
  return out.bytes();
}

std::vector<std::string> rowsOf(const std::string& result) {
  ByteReader in(result);
  (void)in.real();
  std::vector<std::string> rows(in.count(8));
  for (std::string& row : rows) row = in.text();
  return rows;
}

DriveReport drive(Study& study, Rows& rows, Journal& journal, Farm& farm, const DriveOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const double before = processorTime(CLOCK_PROCESS_CPUTIME_ID);
  Drive drive(study, rows, journal, farm, options);
  drive.report.complete = drive.part(study.firstPart()) && drive.part(study.runs());
  drive.report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  drive.report.driverSeconds = processorTime(CLOCK_PROCESS_CPUTIME_ID) - before;
  return drive.report;
}

}  // namespace grashof::study
