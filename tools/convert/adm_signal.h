#pragma once
/// Functions of time of Adams/Solver as signals of a scenario.

#include <optional>
#include <string>
#include <vector>

#include "engine/base/signal.h"
#include "tools/convert/adm_expression.h"

namespace grashof::convert {

/// What a function of time is of a signal.
struct AdmSignalUse {
  int order = 0;                        ///< 0: the signal; 1: its rate; 2: its acceleration
  double start = 0.0, startRate = 0.0;  ///< of the signal, where it is integrated; in the units of the file
  double scale = 1.0;                   ///< SI over the unit of the file
  double timeUnit = 1.0;                ///< s
  double duration = 1.0;                ///< s; samples reach so far
};

/// A signal, and whether it is exactly the function or samples of it.
struct AdmSignal {
  Signal signal;
  bool sampled = false;
  double step = 0.0;  ///< s between samples
  struct Jump {
    double time = 0.0, height = 0.0;  ///< s; SI, of the function
  };
  std::vector<Jump> jumps{};  ///< of the function, for orders 0 and 1
};

/// The signal of the node `node`, which is of time alone. Constants, straight lines, sines and single steps
/// are exact, others sampled. None, and `defect` says why: it has no value at some time.
std::optional<AdmSignal> admSignal(const AdmExpression& e, int node, const AdmSignalUse& use,
                                   std::string& defect);

}  // namespace grashof::convert
