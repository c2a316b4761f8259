#pragma once
/// A loop over several threads.

#include <atomic>
#include <cstddef>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

namespace grashof {

/// Calls use(i) for all 0 ≤ i < count, in pieces of some `piece` calls, on as many threads as
/// tbb::global_control allows. The calls must not depend on each other.
template <typename Use>
void parallelFor(std::size_t count, std::size_t piece, const Use& use) {
  // The thread library orders start, pieces and end itself. These two show that order, and no more than it,
  // to ThreadSanitizer, which does not see into that library.
  std::atomic<bool> begun{false};
  std::atomic<unsigned> done{0};
  begun.store(true, std::memory_order_release);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, piece), [&](const auto& range) {
    begun.load(std::memory_order_acquire);
    for (std::size_t i = range.begin(); i < range.end(); ++i) use(i);
    // A sum and no store, nor an exchange, which compilers turn into a store: the end sees all of them, not
    // the last one alone.
    done.fetch_add(1, std::memory_order_release);
  });
  done.load(std::memory_order_acquire);
}

}  // namespace grashof
