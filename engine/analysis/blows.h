#pragma once
/// Blows: impulses of a step whose mean force says nothing but how long the step is.

#include <utility>
#include <vector>

#include "engine/dynamics/simulator.h"

namespace grashof {

/// What stopped something in a step.
enum class BlowKind { Limit, Contact, Motion };

/// A stop, by what it belongs to: a limit or a prescribed motion of a joint coordinate, or two bodies that
/// touch.
struct BlowPlace {
  BlowKind kind = BlowKind::Limit;
  int a = -1, b = -1;  ///< joint and coordinate, or bodies (-1: the world), the lesser first
  bool upper = false;  ///< of a limit

  bool operator==(const BlowPlace&) const = default;
};

/// Normal impulses (N·s, N·m·s) of all stops of a step, or jumps of rates (m/s, rad/s) of prescribed motions.
using StopImpulses = std::vector<std::pair<BlowPlace, double>>;

/// Those of the last step of a simulator. Stops that yield by a law of their own are among them: where the
/// step resolves them, they are no blows. Contacts in the play of joints are not.
StopImpulses stopImpulses(const Simulator& simulator);

/// The places of `now` where a blow fell: more than three times what the same stop gave two steps before and
/// gives two steps after. What presses lasts, and what a step resolves takes longer to rise and fall.
std::vector<std::pair<BlowPlace, double>> blowsOf(const StopImpulses& before, const StopImpulses& now,
                                                  const StopImpulses& after);

/// Rigid limits against which prescribed motions of the same coordinate press, or beyond which they are,
/// after the last step: impulses of both grow without bound, and mean nothing.
std::vector<BlowPlace> clashes(const Simulator& simulator);

/// Which bodies a blow reaches: those that joints and couplings join. Springs pass none on.
class Mechanisms {
 public:
  explicit Mechanisms(const Model& model);
  /// Whether a joint belongs to the mechanism of one of the places, or to one that touches it in this step.
  std::vector<char> jointsOf(const std::vector<BlowPlace>& places, const StopImpulses& touching) const;

 private:
  const Model* model_;
  std::vector<int> root_;  // of each body
};

}  // namespace grashof
