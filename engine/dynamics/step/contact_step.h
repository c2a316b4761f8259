#pragma once
/// What contacts know of a step before its impulses are known, and what blows within the step do to the way
/// of their bodies (theory.md, "Contacts over a step").

#include <span>
#include <vector>

#include "contacts/body_path.h"
#include "contacts/collision_world.h"
#include "contacts/contact.h"
#include "engine/dynamics/rows/step_record.h"
#include "engine/model/model.h"

namespace grashof {

/// What a contact that moves is at the start of a step where it persists: sets Contact::turning of `contact`
/// at the rows, whose `before` is known. `start`, `rows`: CoM frames; `twistStart`, `twistRows`: twists there
/// before the impulses. One per body.
void setTurning(std::span<const Pose> start, std::span<const Vec6> twistStart, std::span<const Pose> rows,
                std::span<const Vec6> twistRows, Contact& contact);

/// Completes the contacts of a step by the motion of their bodies.
class ContactStep {
 public:
  explicit ContactStep(const Model& model);

  /// Whether contacts are those of the motion, see CollisionWorld::detectOver(). Euler's rule closes gaps
  /// over the whole step, and convex relaxations hover: they need rows of what is near.
  bool follows() const { return follows_; }
  /// The motion of a step, as it is known at its rows: bodies that no joint holds fly on with the forces that
  /// act on them, others keep their twists. `start`: the state at the start of the step; `poses`, `twists`,
  /// `wrench` (external, N, N·m): at the rows. Valid until the next call, and as long as the arguments are.
  const StepMotion& foresee(const StepContext& step, const State& start, std::span<const Pose> poses,
                            std::span<const Vec6> twists, std::span<const Vec6> wrench);
  /// Sets Contact::turning, gain and gapAtRows from that motion. Rigid surfaces that touch at the start and
  /// close faster than the threshold of restitution meet at once. Meetings stay such of bodies that nothing
  /// else holds in this step, and where the step would take thin shapes through each other; of others, and of
  /// soft surfaces, they become gaps at the rows, also of those that would be crossed at the rows of the next
  /// step. `world`: where they are from. @pre materials are assigned
  void complete(std::vector<Contact>& contacts, CollisionWorld& world);

  /// The motion of the step with the twists after its impulses; none where these are the foreseen ones but
  /// for less than what counts as touching. @pre foresee()
  const StepMotion* look(std::span<const Vec6> twistAfter);
  /// Adds those of `seen`, which are not among the contacts yet: what impulses turn aside meets what nothing
  /// was foreseen to meet. They become gaps at the rows, which the step may close; surfaces that bounce are
  /// left to the next step, where they blow at once. Returns whether there are some.
  bool addSeen(std::span<const Contact> seen, CollisionWorld& world, std::vector<Contact>& contacts);
  /// The fastest of what has met since complete() began: how far it goes in a step, in units of half the
  /// thickness of the thinner shape, and its faster body.
  struct Leap {
    double ratio = 0.0;
    int body = -1;  ///< -1: nothing has met
  };
  const Leap& leap() const { return leap_; }

 private:
  void persist(Contact& contact) const;
  double leapOf(std::span<const Contact> pair, const CollisionWorld& world);
  bool takeAtRows(std::span<const Contact> pair, CollisionWorld& world);
  void findBusy(std::span<const Contact> contacts);
  void meet(Contact& contact) const;
  void addMiddles(const Contact& meeting);
  void toGap(Contact& contact) const;
  double wayToRows(const Contact& contact) const;
  Contact atStart(const Contact& contact) const;
  Vec3 relativeVelocity(const Contact& contact, std::span<const Vec6> twists) const;

  const Model& model_;
  bool follows_ = true, trapezoidal_ = false;
  double ahead_ = 0.0;         // s that dampers of soft surfaces look ahead
  std::vector<char> held_;     // per body: by joints
  std::vector<char> busy_;     // per body: held, or more than one meeting acts on it
  std::vector<double> first_;  // per body: its first meeting, s; negative: none
  std::vector<Vec6> before_, after_;
  std::vector<Contact> done_, atRows_;  // work of complete()
  Leap leap_;
  std::span<const Vec6> twistStart_;
  StepMotion motion_;
};

/// Gap (m) of a contact at the end of the step. `margin` (m): of the stabilization; `before`, `after`: its
/// normal velocities v⁻ and v⁺ at the rows, m/s.
double gapAtEnd(const Contact& contact, const StepContext& step, double margin, double before, double after);

/// The rule of the step lets all impulses act where the rows are. Moves the bodies by what those of meetings
/// do to their way by acting earlier or later. Returns the potential energy (J) that the bodies gain by that.
/// `way`: scratch memory. Sizes: contacts = those of the problem, way, poses = bodies.
double displaceByMeetings(const Model& model, const StepRecord& record, std::span<const Contact> contacts,
                          std::span<Vec6> way, std::span<Pose> poses);

}  // namespace grashof
