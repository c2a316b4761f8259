#pragma once
/// Figures of one step and wall times.

#include "engine/dynamics/account/energy.h"
#include "solvers/solver.h"

namespace grashof {

/// Wall time per stage, s, summed over the steps that were timed (Simulator::timeStages()).
struct StageTimes {
  double integrate = 0.0, project = 0.0, collide = 0.0, assemble = 0.0, solve = 0.0, measure = 0.0;
  double total() const { return integrate + project + collide + assemble + solve + measure; }
};

/// Residuals, counts and energy of one step.
struct StepReport {
  double jointResidual = 0.0;  ///< largest |f| of joints, couplings and prescribed motions at its end, m, rad
  double limitViolation = 0.0;  ///< deepest crossing of a limit or rigid cable at the end, m, rad
  double penetration = 0.0;     ///< deepest contact at the configuration of the rows, m
  int contacts = 0;
  int intervalRows = 0;    ///< number of rows: limits that are near, dry friction, drives with bounds
  double stability = 0.0;  ///< ω Δt of the fastest sideways swing of taut links; above 2 it may blow up
  int jumpedJoint = -1;    ///< see CoordinateJumps::find()
  int jumpedBushing = -1;  ///< see jumpedBushing()
  double turn = 0.0;       ///< rad, by which the fastest body turns in a step
  int turningBody = -1;    ///< that body; -1: none turns
  double leap = 0.0;       ///< way in a step of the fastest of what meets, over half the thinner thickness
  int leapingBody = -1;    ///< its faster body; -1: nothing meets
  int held = 0;            ///< limits and contacts that joints held, see HeldRows
  int heldBody = -1;       ///< a body of the last of them
  bool smooth = false;     ///< made with error control, see SmoothMotion: without rows
  bool struck = false;     ///< a smooth one in which limits or rates that jumped gave impulses
  SolveStatus status = SolveStatus::Solved;
  Method method = Method::Single;  ///< the method that solved it
  int iterations = 0;
  int factorizations = 0;
  double solverResidual = 0.0;  ///< measured apart from the solver, in the unit of the tolerance
  bool atRounding = false;      ///< Solved at the residual that rounding allows, above the tolerance
  bool worseThanNone = false;   ///< not solved, and no impulse at all has a smaller residual
  Energy energy;                ///< at the end of the step
};

}  // namespace grashof
