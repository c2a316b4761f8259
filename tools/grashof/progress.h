#pragma once
/// A progress bar with rate and time left, on a terminal only.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

namespace grashof {

/// Writes to stderr while it lives, at most ten times per second.
class ProgressBar {
 public:
  /// `unit`: what is counted.
  ProgressBar(std::string title, bool wanted, std::string unit = "steps")
      : title_(std::move(title)),
        unit_(std::move(unit)),
        active_(wanted && isatty(STDERR_FILENO) == 1),
        start_(Clock::now()),
        last_(start_) {}
  ~ProgressBar() {
    if (shown_) fmt::print(stderr, "\r\033[K");
  }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// `share`: of the work that is done, in [0, 1]. `count`: units so far.
  void show(double share, std::int64_t count) {
    if (!active_) return;
    const auto now = Clock::now();
    if (now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    shown_ = true;
    const double elapsed = std::chrono::duration<double>(now - start_).count();
    const int filled = static_cast<int>(30.0 * share);
    fmt::print(stderr, "\r\033[K{} [{:#<{}}{:.<{}}] {:3.0f} % {:.3g} {}/s, {:.0f} s left", title_, "", filled,
               "", 30 - filled, 100.0 * share, static_cast<double>(count) / elapsed, unit_,
               share > 0.0 ? elapsed * (1.0 - share) / share : 0.0);
    std::fflush(stderr);
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::string title_, unit_;
  bool active_;
  bool shown_ = false;
  Clock::time_point start_, last_;
};

}  // namespace grashof
