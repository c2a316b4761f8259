#pragma once
/// A progress bar with rate and time left, on a terminal only.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

namespace grashof {

class ProgressBar {
 public:
  ProgressBar(std::string title, bool wanted)
      : title_(std::move(title)),
        active_(wanted && isatty(STDERR_FILENO) == 1),
        start_(Clock::now()),
        last_(start_) {}
  ~ProgressBar() {
    if (shown_) fmt::print(stderr, "\r\033[K");
  }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(double share, std::int64_t steps) {
    if (!active_ || (steps & 15) != 0) return;
    const auto now = Clock::now();
    if (now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    shown_ = true;
    const double elapsed = std::chrono::duration<double>(now - start_).count();
    const int filled = static_cast<int>(30.0 * share);
    fmt::print(stderr, "\r\033[K{} [{:#<{}}{:.<{}}] {:3.0f} % {:.0f} steps/s, {:.0f} s left", title_, "",
               filled, "", 30 - filled, 100.0 * share, static_cast<double>(steps) / elapsed,
               share > 0.0 ? elapsed * (1.0 - share) / share : 0.0);
    std::fflush(stderr);
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::string title_;
  bool active_;
  bool shown_ = false;
  Clock::time_point start_, last_;
};

}  // namespace grashof
