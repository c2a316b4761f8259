#pragma once
/// What contacts know of a step before its impulses are known, and what blows within the step do to the way
/// of their bodies (theory.md, "Contacts over a step").

#include <span>
#include <vector>

#include "contacts/body_path.h"
#include "contacts/contact.h"
#include "engine/dynamics/step_record.h"
#include "engine/model/model.h"

namespace grashof {

/// Completes the contacts of a step by the motion of their bodies.
class ContactStep {
 public:
  explicit ContactStep(const Model& model);

  /// The motion of a step, as it is known at its rows: bodies that no joint holds fall freely from there on,
  /// others keep their twists. `start`: the state at the start of the step; `poses`, `twists`: at the rows.
  /// Valid until the next call, and as long as the arguments are.
  const StepMotion& foresee(const StepContext& step, const State& start, std::span<const Pose> poses,
                            std::span<const Vec6> twists);
  /// Sets Contact::turning and Contact::gain from that motion. A rigid contact that is near at the start and
  /// closes faster than the threshold of restitution becomes a meeting at once, a meeting of soft surfaces a
  /// gap at the rows; rigid ones after the end of the step go. @pre materials are assigned
  void complete(std::vector<Contact>& contacts) const;

  /// The motion of the step with the twists after its impulses; none where these are the foreseen ones but
  /// for less than what counts as touching. @pre foresee()
  const StepMotion* look(std::span<const Vec6> twistAfter);
  /// Adds those of `seen` whose shapes have no contact yet: what impulses turn aside meets what nothing was
  /// foreseen to meet. They become gaps at the rows, which the step may close; surfaces that bounce are left
  /// to the next step, where they blow at once. Returns whether there are some.
  bool addSeen(std::span<const Contact> seen, std::vector<Contact>& contacts) const;

 private:
  void toGap(Contact& contact) const;
  void persist(Contact& contact) const;
  Vec3 relativeVelocity(const Contact& contact, std::span<const Vec6> twists) const;

  const Model& model_;
  bool soft_ = false;       // some surfaces yield
  std::vector<char> free_;  // per body: no joint holds it
  std::vector<Vec6> after_;
  std::span<const Vec6> twistStart_;
  StepMotion motion_;
  bool trapezoidal_ = false;
};

/// Gap (m) of a contact at the end of the step. `margin` (m): of the stabilization; `before`, `after`: its
/// normal velocities v⁻ and v⁺ at the rows, m/s.
double gapAtEnd(const Contact& contact, const StepContext& step, double margin, double before, double after);

/// The rule of the step lets all impulses act where the rows are. Moves the bodies by what those of meetings
/// do to their way by acting earlier or later. Returns the potential energy (J) that the bodies gain by that.
/// Sizes: contacts = those of the problem, poses = bodies.
double displaceByMeetings(const Model& model, const StepRecord& record, std::span<const Contact> contacts,
                          std::span<Pose> poses);

}  // namespace grashof
