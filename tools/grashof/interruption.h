#pragma once
/// Ending a run on request: by Ctrl-C, `kill`, or a terminal that is closed.

#include <string>

namespace grashof {

/// While it lives, the first SIGINT, SIGTERM or SIGHUP is noted and the program goes on; the second ends it
/// at once. Signals that the caller of the program ignores, as nohup does, stay ignored.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// Name of the signal that came, such as SIGINT; empty: none did.
  static std::string name();
  /// 128 + its number, as shells have it; 0: none came.
  static int exitCode();
};

}  // namespace grashof
