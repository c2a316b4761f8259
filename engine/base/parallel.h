#pragma once
/// A loop over several threads.

#include <atomic>
#include <cstddef>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

namespace grashof {

namespace detail {
/// Written and read around every piece of a parallel loop. The thread library orders the pieces itself;
/// these accesses show the same order to ThreadSanitizer, which does not see into that library.
inline std::atomic<unsigned> piecesDone{0};
}  // namespace detail

/// Calls use(i) for all 0 ≤ i < count, in pieces of some `piece` calls, on as many threads as
/// tbb::global_control allows. The calls must not depend on each other.
template <typename Use>
void parallelFor(std::size_t count, std::size_t piece, const Use& use) {
  detail::piecesDone.fetch_add(1, std::memory_order_release);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, piece), [&](const auto& range) {
    detail::piecesDone.load(std::memory_order_acquire);
    for (std::size_t i = range.begin(); i < range.end(); ++i) use(i);
    detail::piecesDone.fetch_add(1, std::memory_order_release);
  });
  detail::piecesDone.load(std::memory_order_acquire);
}

}  // namespace grashof
