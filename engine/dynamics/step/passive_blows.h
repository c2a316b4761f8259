#pragma once
/// Restitution that gives no energy: with friction, and between bodies that joints hold, Newton's law of
/// restitution can give more than there was [Kane 1985] (theory.md, "Limits and contacts").

#include <span>
#include <vector>

#include "contacts/contact.h"
#include "engine/dynamics/rows/step_record.h"
#include "engine/model/model.h"

namespace grashof {

/// Work (J) that the rigid contacts of a solved step do on the bodies, but for what takes back penetrations:
/// passive surfaces do none. Surfaces that meet within the step do theirs at the meeting; soft ones, springs
/// and belts are left out. `contacts`: all of the problem, in its order.
double workOfContacts(const Model& model, const StepRecord& record, std::span<const Contact> contacts);

/// Finds the share of the restitution of all blows of a step at which they give nothing.
class PassiveBlows {
 public:
  explicit PassiveBlows(const Model& model) : model_(model) {}

  /// Begins with the contacts of a step.
  void begin() { share_ = low_ = 1.0, tries_ = 0, settled_ = false; }
  /// Whether the step that was solved gives energy by its blows, or has been solved with a share of them that
  /// is not the one to take; sets the restitution of `contacts` with which it must be solved again.
  bool again(const StepRecord& record, std::span<Contact> contacts);
  /// Whether blows of the last step have less than the restitution of their surfaces.
  bool reduced() const { return share_ < 1.0; }

 private:
  void set(double share, std::span<Contact> contacts);

  const Model& model_;
  double share_ = 1.0, low_ = 1.0, high_ = 1.0;  // of the restitution; gives nothing at low_
  double taken_ = 0.0, given_ = 0.0;             // J, at low_ and at high_
  int tries_ = 0;
  bool settled_ = false;
  std::vector<double> restitution_;  // of the surfaces, one per contact
};

}  // namespace grashof
