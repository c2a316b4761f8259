#pragma once
/// Named scalar quantities of a running simulation, for recording, plots and acceptance conditions.
///
///   time  energy.{kinetic,potential,elastic,total,drift,drift-relative}
///   residual.{joint,limit,penetration,solver}  solver.{iterations,factorizations}
///   residual.solver is measured apart from the solver, in the unit of the tolerance
///   solver.method (number of a Method)  contacts.count  contacts.normal-force (sum of all, N)
///   body.NAME.{position,velocity,angular-velocity}.{x,y,z}  body.NAME.quaternion.{w,x,y,z}  body.NAME.speed
///   joint.NAME.{q,rate}.I (I-th coordinate)  joint.NAME.angle  joint.NAME.displacement (first of their kind)
///   joint.NAME.{force,moment}.{x,y,z}  joint.NAME.reaction (|force|): the load, all that the joint transmits
///   joint.NAME.CAUSE.{force,moment}.{x,y,z}: its parts, see kLoadCauseNames
///   joint.NAME.effort.I (drive of the I-th coordinate)
///   joint.NAME.motor-{torque,torque-rms,speed,current,loss,heat}.I: of the motor at the I-th coordinate, at
///   its shaft (N·m, N·m, rad/s, A, W, J; rms and heat since the start)
///   coupling.NAME.effort.{a,b} (on its coordinates)
///   contact.A.B.force.{x,y,z} (of body A on body B, world axes; "world" is a body)  contact.A.B.normal (sum)
///   contact.A.B.center.{x,y,z} (of the normal forces)  contact.A.B.moment.{x,y,z} (about it, on B)
///   contact.A.B.area (of patches)
///   element.NAME.…: see element_channels.h
///
/// Body quantities are those of the frame in which the user described the body. Units: SI.

#include <functional>
#include <string>

#include "engine/dynamics/simulator.h"
#include "engine/model/user_frames.h"

namespace grashof {

using Channel = std::function<double(const Simulator&)>;

/// The channel called `name`. Throws InputError with the known names when there is none.
Channel findChannel(const Model& model, const std::string& name);

/// What tells at a moment of a run whether statics leaves the load of a channel open, so that other values
/// would give the same motion; see ReactionDistribution. Null for channels that are no loads.
using RedundancyOf = std::function<bool(const Simulator&)>;
RedundancyOf findRedundancy(const Model& model, const std::string& name);

}  // namespace grashof
