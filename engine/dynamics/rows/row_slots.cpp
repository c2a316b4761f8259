#include "engine/dynamics/rows/row_slots.h"

#include <algorithm>

namespace grashof {

void RowSlots::add(RowKind kind, std::size_t items, const auto& partsOf) {
  auto& first = first_[static_cast<std::size_t>(kind)];
  for (std::size_t i = 0; i < items; ++i) {
    first.push_back(static_cast<int>(count_));
    count_ += static_cast<std::size_t>(partsOf(i));
  }
}

RowSlots::RowSlots(const Model& model) {
  const auto one = [](std::size_t) { return 1; };
  const auto along = [&](std::size_t j) { return model.joints[j].type->numDofs(); };
  const auto& forces = model.forces;
  add(RowKind::Constraint, model.joints.size(),
      [&](std::size_t j) { return model.joints[j].type->numConstraints(); });
  for (const RowKind kind :
       {RowKind::Motion, RowKind::Law, RowKind::Friction, RowKind::Lower, RowKind::Upper})
    add(kind, model.joints.size(), along);
  add(RowKind::Drive, model.joints.size(), [&](std::size_t j) { return kDriveRamps * along(j); });
  for (const RowKind kind : {RowKind::Coupling, RowKind::CouplingFriction})
    add(kind, model.couplings.size(), one);
  add(RowKind::Velocity, model.velocityConstraints.size(), [](std::size_t) { return 2; });
  for (const RowKind kind : {RowKind::Force, RowKind::Taut}) add(kind, forces.size(), one);
  add(RowKind::Across, forces.size(),
      [&](std::size_t i) { return 2 * std::max<std::size_t>(1, forces[i].path.size()); });
  add(RowKind::Pulley, forces.size(), [&](std::size_t i) { return forces[i].path.size(); });
  add(RowKind::Bushing, model.bushings.size(), [](std::size_t) { return 6; });
}

}  // namespace grashof
