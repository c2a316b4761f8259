#pragma once
/// Accelerations, reactions and powers of a mechanism at an instant (theory.md, "Smooth motion"):
///
///     [ M  -Jᵀ ] [ u̇ ]   [ h  ]    h: gyroscopic and all other forces, γ = J̇ u - m̈(t) of a motion m,
///     [ J   R  ] [ λ ] = [ -γ ]    R: 0, and 1/armature on the rows of rotors

#include <array>
#include <span>
#include <string>
#include <vector>

#include "engine/dynamics/account/energy.h"
#include "engine/dynamics/kinematics/force_length.h"
#include "engine/dynamics/kinematics/joint_slopes.h"
#include "engine/dynamics/rows/bushing_rows.h"
#include "engine/dynamics/rows/step_record.h"
#include "solvers/linear/kkt_system.h"

namespace grashof {

/// State and inputs of an instant. Sizes: bodies, coordinates; see referenceOf() for `controls`.
struct Instant {
  double time = 0.0;  ///< s
  std::span<const Pose> poses;
  std::span<const Vec6> twists;
  std::span<const double> reference;  ///< coordinates near which angles are unwrapped, m, rad
  std::span<const Control> controls;
  const Inputs& inputs;
};

/// A step by an implicit formula u = base + weight · u̇. Forces act where it ends, by their slopes.
struct ImplicitStep {
  double weight = 0.0;         ///< s, > 0
  std::span<const Vec6> base;  ///< m/s, rad/s; one per body
};

/// One bound of a joint coordinate.
struct LimitSide {
  int joint = -1, coordinate = -1;
  bool upper = false;

  double sign() const { return upper ? -1.0 : 1.0; }  ///< of the coordinate's row in the rate of the gap
  bool operator==(const LimitSide&) const = default;
};

/// Where a force begins that acts on a part of the way: a limit that is a spring, see elasticStop(), or a
/// one-sided element.
struct Onset {
  LimitSide limit{};
  int element = -1;    ///< index of the force element; -1: the limit
  bool slack = false;  ///< of one with a damper: its slack length, beyond which the spring has energy even
                       ///< while the damper holds it back

  bool operator==(const Onset&) const = default;
};

/// A limit that was reached with a speed: the impulse (N·s, N·m·s) that stopped its coordinate.
struct LimitBlow {
  LimitSide side;
  double impulse = 0.0;
};

/// What jumps of the twists have passed through a mechanism, N·s, N·m·s.
struct RowBlow {
  std::span<const double>
      rows;  ///< by rows of joints, motions and couplings, see equalityRowStart(); or empty
  std::span<const LimitBlow> limits;
};

/// How far a coordinate is from a bound (m, rad), negative beyond it; `row`: receives its coordinate's row.
/// `reference`: see JointEvaluator::coordinates().
double limitGap(const JointEvaluator& joints, const LimitSide& side, std::span<const double> reference,
                JointRow* row = nullptr);

/// Whether the limit of a coordinate is a spring, a force among others. Limits of prescribed motions are left
/// to steps by impulses.
inline bool elasticStop(const JointCoordinate& c) {
  return c.limit.bounded() && c.limit.softness.kind == Softness::Kind::Compliant &&
         c.actuator.kind != Actuator::Kind::Motion;
}

/// Why the motion of a model is not smooth but for limits and contacts, for example "dry friction of joint
/// 'hinge'"; empty: it is.
std::string roughPart(const Model& model);

/// Evaluates a model at one instant after another. @pre roughPart(model) is empty. Allocates in the first
/// evaluation only. Keeps a reference to the model.
class ConstrainedMotion {
 public:
  explicit ConstrainedMotion(const Model& model);

  /// Holds coordinates at these limits from the next instant on, as equality rows. All other limits, and
  /// contacts, are left out. Size changes make a new plan.
  void hold(std::span<const LimitSide> limits) { held_.assign(limits.begin(), limits.end()); }
  std::span<const LimitSide> held() const { return held_; }
  /// From the next instant on the forces of these onsets act, on both sides of them, and no others that have
  /// one: so a step is smooth up to where one begins or ends.
  void act(std::span<const Onset> onsets);
  /// They act beyond their onsets, as without a call of act().
  void actBeyondOnsets() { byOnset_ = false; }

  /// False for numbers that are not finite.
  bool evaluate(const Instant& instant) { return place(instant) && accelerate(instant); }
  /// The same in two parts, between which the twists may be projected: rows and their factorization, then
  /// what depends on the twists.
  bool place(const Instant& instant);
  bool accelerate(const Instant& instant);
  /// Accelerations such that the twists base + weight · u̇ have the rates that rows ask for at the time of
  /// `instant`, by one Newton step from its twists. Springs, dampers, servos, force elements and bushings are
  /// linear in the twists. False for numbers that are not finite.
  bool evaluate(const Instant& instant, const ImplicitStep& step);
  /// The twists that this led to; powers and efforts are at these.
  std::span<const Vec6> twists() const { return twist_; }
  /// The factorization of the last instant stays for projectPoses() until the next call of this.
  void keepFactor() {
    kept_ = current_;
    current_ = 1 - current_;
  }

  // Of the last instant:
  std::span<const Vec6> accelerations() const { return acceleration_; }  ///< u̇, m/s², rad/s²
  std::span<const JointGeometry> geometry() const { return geometry_; }
  const EnergyFlow& power() const { return power_; }  ///< J/s
  /// Effort of the drive of a coordinate (index in State::coordinates), N or N·m: of a prescribed motion what
  /// it gives, of others what acts.
  double driveEffort(int coordinate) const { return drive_[static_cast<std::size_t>(coordinate)].drive; }
  /// Forces (N, N·m) of held(), positive where they press away from the limit.
  std::span<const double> heldForces() const {
    return std::span(reaction_).subspan(firstHeld(), held_.size());
  }
  /// Acceleration (m/s², rad/s²) with which a coordinate leaves a limit.
  double gapAcceleration(const LimitSide& side) const;
  /// Whether equality rows are redundant, see KktSystem.
  bool redundant() const { return kkt_[current_].redundant(); }

  /// Moves the poses by the least mass-weighted displacement onto joints, couplings and motions at the time
  /// of `instant`, with the factorization of the last one, or the one that is kept. Returns the violation
  /// that is left (m, rad): more than `tolerance` where that factorization is too far away, never more than
  /// before.
  enum class Factor { Last, Kept };
  double projectPoses(const Instant& instant, std::span<Pose> poses, double tolerance,
                      Factor factor = Factor::Last);
  /// Changes the twists by the least amount so that the rows of the last instant have the rates of the
  /// motions.
  struct TwistChange {
    double largest = 0.0;  ///< change of a rate of a row, m/s, rad/s
    double work = 0.0;     ///< of the motions, J
    double loss = 0.0;     ///< at held limits, J
  };
  TwistChange projectTwists(std::span<Vec6> twists);
  /// Impulses (N·s, N·m·s) of the last projectTwists(): of held(), of all other equality rows, of rotors.
  std::span<const double> heldImpulses() const { return std::span(row_).subspan(firstHeld(), held_.size()); }
  std::span<const double> rowImpulses() const { return std::span(row_).first(firstHeld()); }
  std::span<const double> rotorImpulses() const { return std::span(row_).subspan(equalities_, rotors()); }
  /// Equality rows of joints, motions and couplings.
  std::size_t firstHeld() const;
  /// Coordinates with inertia of their own.
  std::size_t rotors() const;
  /// The one of a prescribed motion.
  std::size_t motionRow(int joint, int coordinate) const;

  /// What the loads of the last instant are, as impulses of a step of record.step.timestep (s) in which they
  /// do not change, and a blow besides. `instant`: the last one.
  void writeRecord(const Instant& instant, StepRecord& record, const RowBlow& blow = {});

 private:
  /// A stiffness (N/m, N·m/rad) and a damping (N·s/m, N·m·s/rad).
  struct Slope {
    double stiffness = 0.0, damping = 0.0;
    double over(double time) const { return time * (damping + time * stiffness); }  // kg, kg·m²
  };
  /// Efforts along one joint coordinate, N or N·m.
  struct Efforts {
    double spring = 0.0, damper = 0.0, drive = 0.0;
    double command = 0.0;  // of the drive, before its bounds
    double rate = 0.0;     // m/s, rad/s
    Slope servo{};         // of the drive
    double stop = 0.0;     // of a limit that yields
    double stopStiffness = 0.0;
  };
  struct ElementForce {
    std::vector<RowTerm> row;                           // of the rate of its length
    double spring = 0.0, lossy = 0.0, commanded = 0.0;  // parts of the force, N, N·m
    double rate = 0.0, feed = 0.0;                      // of the stretch, of its end; m/s, rad/s
    Slope slope{};
    double force() const { return spring + lossy + commanded; }
  };
  struct BushingState {
    Mat6 base = Mat6::Zero(), follower = Mat6::Zero();
    Vec6 spring = Vec6::Zero(), damper = Vec6::Zero(), rate = Vec6::Zero();
    Vec6 force() const { return spring + damper; }
    Mat6 directions = Mat6::Identity();  // of the soft rows
    Vec6 resistance = Vec6::Zero();      // along them over a step, kg, kg·m²
  };

  void look(const Instant& instant);
  void findForces(const Instant& instant);
  void assembleRows(const Instant& instant);
  bool factorize();
  void addSoftRows(double weight);
  void addSoftBushing(double weight, const Bushing& bushing, BushingState& own);
  void findImplicitBias(const Instant& instant, const ImplicitStep& step);
  void moveOn(const ImplicitStep& step);
  static Slope slopeOf(const JointCoordinate& coordinate, const Efforts& efforts);
  void findPower(std::span<const Vec6> twists);
  void findBias(const Instant& instant);
  void biasOfJoint(std::size_t joint, const Instant& instant);
  double couplingBias(const Coupling& coupling, const Instant& instant) const;
  void addWrenches(const Instant& instant);
  void addCoordinateForces(const Instant& instant);
  void addStop(const JointCoordinate& coordinate, int index, double q, Efforts& efforts) const;
  void addElementForces(const Instant& instant);
  void cutOneSided(std::size_t element, double force, ElementForce& own) const;
  void addBushings(const Instant& instant);
  double driveCommand(const Instant& instant, int joint, int coordinate, double q, double rate) const;
  /// Whether anything but reactions acts along a coordinate.
  static bool resists(const JointCoordinate& coordinate);
  void boundDrive(const Actuator& actuator, Efforts& efforts) const;
  void addMotionPower();
  void writeDriveRows(StepRecord& record) const;
  void writeHeldRow(const LimitSide& side, StepRecord& record) const;
  void writeStops(StepRecord& record) const;
  void writeImpulses(StepRecord& record) const;
  void addBlow(const RowBlow& blow, StepRecord& record) const;
  void writeProblem(StepRecord& record);

  const Model& model_;
  JointEvaluator joints_;
  std::vector<int> firstRow_;        // see equalityRowStart()
  std::vector<char> useCoordinate_;  // per joint: rows of its coordinates are needed
  std::vector<LimitSide> held_;
  bool byOnset_ = false;  // forces begin and end by act() alone
  enum class Stop : char { None, Lower, Upper };
  std::vector<Stop> pressed_;  // per coordinate, see act()
  enum class Taut : char { No, Held, Acts };
  std::vector<Taut> taut_;  // per element, the same; Held: the damper holds the spring back
  DualProblem problem_;
  std::array<KktSystem, 2> kkt_;
  int current_ = 0, kept_ = 0;  // of kkt_
  std::size_t equalities_ = 0;
  std::vector<JointGeometry> geometry_;
  std::vector<double> constraintBias_, coordinateBias_;  // J̇ u of both
  std::vector<double> bias_, row_, velocity_, reaction_;
  std::vector<Vec6> external_, wrench_, acceleration_, body_, twist_;
  std::vector<Pose> best_;  // of projectPoses()
  std::vector<Efforts> drive_;
  std::vector<ElementForce> elements_;
  std::vector<BushingState> bushings_;
  EnergyFlow power_;
};

}  // namespace grashof
