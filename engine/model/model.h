#pragma once
/// Everything about a figure that does not change while it moves.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "contacts/shape.h"
#include "engine/base/body.h"
#include "engine/base/material.h"
#include "engine/base/signal.h"
#include "engine/base/state.h"
#include "joints/coupling.h"
#include "joints/joint.h"
#include "solvers/solver.h"

namespace grashof {

enum class Integrator {
  Euler,   ///< semi-implicit Euler: rows at the poses of the start of the step; first order
  Moreau,  ///< Moreau midpoint: rows at the poses half a step ahead; second order
};

/// Stabilization of the configuration (TR 89-93). With projection on, joints need none.
struct Stabilization {
  double alpha = 0.0;   ///< joints: share of the residual corrected per step, [0, 1]
  double beta = 0.2;    ///< limits: share of a violation corrected per step, [0, 1]
  double gamma = 0.2;   ///< contacts: share of a penetration corrected per step, [0, 1]
  double margin = 0.0;  ///< δ: contacts act at gap -δ, m
};

/// How a model is stepped.
struct StepOptions {
  double timestep = 1e-3;  ///< s, > 0
  Integrator integrator = Integrator::Moreau;
  bool projection = true;  ///< poses (and, for Moreau, twists) projected onto the joints every step
  double projectionTolerance = 1e-11;  ///< m, rad
  bool geometricStiffness = false;     ///< implicit, see geometric_stiffness.h
  double restitutionThreshold = 1e-2;  ///< m/s: slower approaches do not bounce
  double contactMargin = 5e-3;         ///< m: contacts closer than this make rows (speculative)
  double limitMargin = 2e-2;           ///< m, rad: limits closer than this make rows
  double divergenceSpeed = 1e5;        ///< m/s, rad/s: faster counts as divergence
  double divergenceResidual = 1e-2;    ///< m, rad: joints torn further apart than this count as divergence
  /// Mechanical energy that came from nowhere, as a multiple of the energy exchanged so far, that counts as
  /// divergence.
  double divergenceEnergy = 1.0;
};

/// A wrench on a body from the outside: constant axes times signals. Force acts at `point`.
struct ExternalWrench {
  std::string name;
  int body = 0;
  int signal = -1;             ///< factor in time; -1: one
  Vec3 force = Vec3::Zero();   ///< N
  Vec3 torque = Vec3::Zero();  ///< N·m
  Vec3 point = Vec3::Zero();   ///< m, in the CoM frame
  bool local = false;          ///< force and torque turn with the body (else world axes)
};

/// A joint coordinate that is to have a value.
struct AssemblyInput {
  int joint = 0;
  int axis = 0;        ///< which of its coordinates
  double value = 0.0;  ///< m, rad
};

/// How bodies are brought from approximate poses onto the joints before a run; see assembly.h.
struct AssemblySetup {
  std::vector<int> pinned;            ///< bodies that stay where they are
  std::vector<AssemblyInput> inputs;  ///< held beside the joints
};

/// Bodies, joints, shapes and what acts on them; names resolved to indices. Immutable once built.
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
  std::vector<ExternalWrench> wrenches;
  std::vector<std::pair<int, int>> excludedBodies;  ///< first < second; -1 = world
  std::optional<AssemblySetup> assembly;            ///< none: poses need only be projected
  std::vector<double> initialCoordinates;           ///< hints for angles beyond half a turn; empty: none
  StepOptions step;
  Stabilization stabilization;
  SolverOptions solver;

  // Derived by finish().
  std::vector<int> coordinateStart;       ///< first coordinate of each joint; one more entry: their number
  std::vector<SurfacePair> surfaceTable;  ///< materials × materials

  int coordinates() const { return coordinateStart.empty() ? 0 : coordinateStart.back(); }
  const SurfacePair& surface(int materialA, int materialB) const {
    return surfaceTable[static_cast<std::size_t>(materialA) * materials.size() + materialB];
  }
  /// Index of the body / joint called `name`; -1 when there is none.
  int findBody(std::string_view name) const;
  int findJoint(std::string_view name) const;

  /// Fills the derived data and adds bodies joined by a joint to the excluded pairs. Call once, after the
  /// rest. `neighboursCollide`: leave those pairs in.
  void finish(bool neighboursCollide = false);
  /// The state at t = 0.
  State initialState() const;
};

}  // namespace grashof
