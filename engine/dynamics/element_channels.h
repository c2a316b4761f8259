#pragma once
/// Channels of force elements and bushings.
///
///   element.NAME.{force,length,speed}: N (N·m on an angle), positive pushes apart; m, m/s (rad, rad/s)
///   element.NAME.{force,moment,displacement,rotation}.{x,y,z} of a bushing: force and moment on the
///   follower, at its point; all in the axes of the base's frame

#include <functional>
#include <string>

#include "engine/dynamics/simulator.h"

namespace grashof {

/// The channel `name` = "element.NAME.QUANTITY". Throws InputError with what is known when there is none.
std::function<double(const Simulator&)> elementChannel(const Model& model, const std::string& name);

}  // namespace grashof
