#include "tools/grashof/suite/next_configuration.h"

#include "engine/dynamics/rows/free_motion.h"

namespace grashof {

NextConfiguration::NextConfiguration(std::shared_ptr<const Model> model)
    : model_(std::move(model)),
      world_(model_->shapes, model_->exclusions),
      twists_(model_->bodies.size()),
      geometry_(model_->joints.size()) {}

Violation NextConfiguration::after(const RowPlace& place, const DualProblem& problem,
                                   std::span<const double> impulse) {
  twistFromImpulse(problem, impulse, twists_);
  poses_ = place.poses;
  advancePoses(*model_, place.timeToEnd, poses_, twists_);
  evaluateJoints(*model_, poses_, place.coordinates, geometry_);
  Violation v;
  v.joints = jointViolation(*model_, geometry_, place.timeEnd);
  for (std::size_t j = 0; j < geometry_.size(); ++j) {
    const auto& coordinates = model_->joints[j].coordinates;
    for (std::size_t i = 0; i < coordinates.size(); ++i)
      v.limits = std::max(v.limits, -coordinates[i].limit.gap(geometry_[j].coordinate[i]));
  }
  world_.detect(poses_, 0.0, contacts_);
  for (const Contact& contact : contacts_) v.contacts = std::max(v.contacts, -contact.gap);
  return v;
}

}  // namespace grashof
