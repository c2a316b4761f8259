#pragma once
/// Work that other processes do: a task is bytes, and so is its result. Where they run is the matter of the
/// class that derives from Farm: processes of this machine (processFarm()), ranks of MPI (in the program).

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace grashof::study {

/// What a worker does with a task. What it throws ends the worker.
using Work = std::function<std::string(const std::string& task)>;

/// A task that is over.
struct Outcome {
  std::uint64_t ticket = 0;
  std::string result;
  bool lost = false;   ///< its worker ended before it was done
  bool begun = false;  ///< of a lost task: it may have been the cause
  std::string reason;  ///< of a loss
};

class Farm {
 public:
  Farm() = default;
  Farm(const Farm&) = delete;
  Farm& operator=(const Farm&) = delete;
  virtual ~Farm() = default;

  virtual std::size_t workers() const = 0;
  /// Whether a worker waits for something to do, or soon will.
  virtual bool wantsTask() const = 0;
  virtual void give(std::uint64_t ticket, const std::string& task) = 0;
  /// Waits for results, `seconds` at most. Throws Error when there are no workers any more.
  virtual std::vector<Outcome> collect(double seconds) = 0;
};

/// Processes that are copies of this one (fork), each with one thread. Call it before this process has other
/// threads. A worker that ends is replaced. They end with the farm, and with this process however it ends.
/// Throws Error when none can be started.
std::unique_ptr<Farm> processFarm(std::size_t workers, Work work);

/// The number of processors that this process may use.
std::size_t availableProcessors();

}  // namespace grashof::study
