#include "engine/results/verifier.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/model/mechanism_size.h"
#include "engine/model/model_builder.h"

namespace grashof {
namespace {

constexpr int kSteps = 2;                 // finer ones in one of the run
constexpr double kFinerTolerance = 1e-2;  // times that of the run
constexpr double kLeastTolerance = 1e-13;
constexpr int kMostDigits = 15;

std::shared_ptr<const Model> finerModel(const Model& model) {
  ModelBuilder builder(model);
  builder.options().timestep = model.step.timestep / kSteps;
  builder.options().tolerance = std::max(kFinerTolerance * model.step.tolerance, kLeastTolerance);
  return builder.build();
}

}  // namespace

int Verification::digits() const {
  const double way = position / size;
  if (!(way < 1.0 && angle < 1.0)) return 0;
  return std::min(kMostDigits, static_cast<int>(std::floor(-std::log10(std::max({way, angle, 1e-300})))));
}

Verifier::Verifier(const Simulator& run) : model_(finerModel(run.model())), simulator_(model_, run.state()) {
  const StepOptions& options = model_->step;
  found_.finer = fmt::format("timestep {:g} s", options.timestep);
  if (options.integrator == Integrator::Auto)
    found_.finer += fmt::format(", tolerance {:g}", options.tolerance);
  found_.size = mechanismSize(*model_);
}

void Verifier::observe(const Simulator& run) {
  if (!found_.ended.empty()) return;
  for (int i = 0; i < kSteps; ++i) simulator_.step();
  if (const auto& divergence = simulator_.diverged()) {
    found_.ended = divergence->reason;
    return;
  }
  const State &a = run.state(), &b = simulator_.state();
  for (std::size_t i = 0; i < a.poses.size(); ++i) {
    const double apart = (a.poses[i].position - b.poses[i].position).norm();
    const double angle = a.poses[i].rotation.angularDistance(b.poses[i].rotation);
    if (apart > found_.position) {
      found_.position = apart;
      found_.positionBody = static_cast<int>(i);
      found_.positionTime = a.time;
    }
    if (angle > found_.angle) {
      found_.angle = angle;
      found_.angleBody = static_cast<int>(i);
      found_.angleTime = a.time;
    }
  }
}

}  // namespace grashof
