#pragma once
/// The contacts that act in a step, found again at poses nearby, so that their rows can be differentiated.

#include <span>
#include <vector>

#include "contacts/collision_world.h"
#include "contacts/contact.h"
#include "engine/model/model.h"
#include "solvers/problem/dual_problem.h"

namespace grashof {

/// Normal impulses (N·s) below this are treated as zero: a small part of the largest in a solution. Contacts
/// that share a load in more than one way may be closed without an impulse; they act nevertheless.
double weakImpulse(const DualProblem& problem, std::span<const double> impulse);

/// A subset of the contacts of a step. At other poses each is the contact of the same shapes that is nearest
/// to it on its body, with tangents as near to those of the step as its normal allows. A contact without a
/// counterpart (coincident edges give either) keeps its points on both bodies and its frame on A.
class ActingContacts {
 public:
  /// @pre `model` outlives this.
  explicit ActingContacts(const Model& model);

  /// Chooses those of a step that are closed: λ_n - v_n/D > 0, but for weakImpulse(). `contacts`: of
  /// `problem`, found at `poses` within `margin` (m), `toRows` (s) after the start of the step;
  /// `twistBefore`: there, before the impulses; sizes: impulse = rows, twist (after the step) = bodies.
  void choose(std::span<const Contact> contacts, std::span<const Pose> poses,
              std::span<const Vec6> twistBefore, double toRows, double margin, const DualProblem& problem,
              std::span<const double> impulse, std::span<const Vec6> twist);
  /// Chooses those of another model with the same shapes.
  void take(const ActingContacts& other);
  bool empty() const { return chosen_.empty(); }
  /// As they were in the step.
  std::span<const Contact> chosen() const { return chosen_; }
  /// Their indices among the contacts of the step.
  std::span<const int> indices() const { return indices_; }

  /// The same contacts at other poses and twists, in the same order, with their surfaces. Valid until the
  /// next call.
  std::span<const Contact> at(std::span<const Pose> poses, std::span<const Vec6> twists);

  /// How many from number `first` on are of the same two shapes.
  std::size_t samePair(std::size_t first) const;
  /// As at(), of `count` contacts of the same two shapes alone. `moved`: false for the poses of the step,
  /// where they are known.
  std::span<const Contact> pairAt(std::size_t first, std::size_t count, std::span<const Pose> poses,
                                  std::span<const Vec6> twists, bool moved);

 private:
  /// The point of a contact on its bodies, and its frame on A.
  struct Carried {
    Vec3 onA, onB;
    Mat3 frame;
  };
  Contact carried(std::size_t k, std::span<const Pose> poses) const;
  void match(std::size_t k, std::span<const Pose> poses);
  void goBack(std::span<const Pose> poses, std::span<const Vec6> twists);
  void persist(std::size_t k, std::span<const Pose> poses, std::span<const Vec6> twists,
               Contact& contact) const;

  const Model& model_;
  CollisionWorld world_;
  double margin_ = 0.0;
  std::vector<Contact> chosen_;
  std::vector<int> indices_;
  std::vector<Vec3> local_;  // their points on their bodies
  std::vector<Carried> carried_;
  std::vector<Contact> found_, matched_;
  // At the start of the step: its poses and twists, the contacts, and the points of the chosen ones.
  double toRows_ = 0.0;
  std::vector<Pose> startPoses_;
  std::vector<Vec6> startTwists_;
  std::vector<Contact> foundBefore_;
  std::vector<Vec3> localBefore_;
};

}  // namespace grashof
