#pragma once
/// The constant data of a mechanism.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "contacts/collision_filter.h"
#include "contacts/shape.h"
#include "engine/base/body.h"
#include "engine/base/material.h"
#include "engine/base/signal.h"
#include "engine/base/state.h"
#include "engine/model/control_input.h"
#include "engine/model/external_wrench.h"
#include "engine/model/force_elements.h"
#include "engine/model/step_options.h"
#include "engine/model/velocity_constraint.h"
#include "joints/coupling.h"
#include "joints/joint.h"
#include "joints/motor.h"
#include "solvers/solver.h"

namespace grashof {

/// A joint coordinate that is held at `value` during assembly.
struct AssemblyInput {
  int joint = 0;
  int coordinate = 0;  ///< index among the coordinates of the joint
  double value = 0.0;  ///< m, rad
};

/// How bodies are brought from approximate poses onto the joints before a run; see assembly.h.
struct AssemblySetup {
  std::vector<int> pinned;            ///< bodies that stay where they are
  std::vector<AssemblyInput> inputs;  ///< held in addition to the joints
};

/// Which bodies that a joint joins may touch each other.
enum class Neighbours {
  Never,  ///< none; what is joined to the world never touches its shapes
  World,  ///< what is joined to the world touches its shapes; other neighbours never touch
  Touch,  ///< all
};

/// Bodies, joints, shapes, forces and settings, with names resolved to indices. Made and checked by a
/// ModelBuilder, immutable from then on.
struct Model {
  std::string name;
  Vec3 gravity = Vec3(0.0, 0.0, -9.81);  ///< m/s²
  std::vector<Body> bodies;
  std::vector<Joint> joints;
  std::vector<Coupling> couplings;
  std::vector<Shape> shapes;
  std::vector<Material> materials;
  std::map<std::pair<int, int>, SurfacePair> surfacePairs;  ///< material indices, first <= second
  std::vector<Signal> signals;
  std::vector<Motor> motors;
  std::vector<ExternalWrench> wrenches;
  std::vector<ForceElement> forces;
  std::vector<Bushing> bushings;
  std::vector<VelocityConstraint> velocityConstraints;
  std::vector<ControlInput> controls;      ///< see World::controls()
  std::vector<ExcludedPair> exclusions;    ///< sorted
  std::optional<AssemblySetup> assembly;   ///< none: poses need only be projected
  std::vector<double> initialCoordinates;  ///< angles beyond half a turn; empty: by motions, couplings
  StepOptions step;
  Stabilization stabilization;
  SolverOptions solver;

  // Derived from the rest by ModelBuilder::build().
  std::vector<int> coordinateStart;       ///< first coordinate of each joint; one more entry: their number
  std::vector<SurfacePair> surfaceTable;  ///< materials × materials

  int coordinates() const { return coordinateStart.empty() ? 0 : coordinateStart.back(); }
  const SurfacePair& surface(int materialA, int materialB) const {
    return surfaceTable[static_cast<std::size_t>(materialA) * materials.size() + materialB];
  }
  /// The motor of an actuator; null: it has none.
  const Motor* motorOf(const Actuator& a) const {
    return a.motor < 0 ? nullptr : &motors[static_cast<std::size_t>(a.motor)];
  }
  DriveBounds boundsOf(const Actuator& a) const { return driveBounds(a, motorOf(a)); }
  /// True if the gear of the actuator's motor rubs. That of a prescribed motion does not: its effort is what
  /// the gear transmits.
  bool lossy(const Actuator& a) const {
    const Motor* motor = motorOf(a);
    return motor && a.kind != Actuator::Kind::Motion &&
           (motor->efficiency < 1.0 || motor->backEfficiency < 1.0);
  }
  /// Index of the body / joint called `name`; -1 when there is none.
  int findBody(std::string_view name) const;
  int findJoint(std::string_view name) const;

  /// The state at t = 0.
  State initialState() const;
};

/// Whether a joint keeps its two bodies from touching each other, by the rule.
bool excludes(const Joint& joint, Neighbours rule);

}  // namespace grashof
