#pragma once
/// Forces and torques that act on bodies from outside of the model.

#include <string>

#include "engine/base/math.h"

namespace grashof {

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

}  // namespace grashof
