#include "engine/base/material.h"

#include <algorithm>
#include <cmath>

namespace grashof {

SurfacePair mixed(const SurfacePair& a, const SurfacePair& b) {
  SurfacePair pair;
  pair.friction = std::sqrt(a.friction * b.friction);
  pair.restitution = std::max(a.restitution, b.restitution);
  pair.law = mixed(a.law, b.law);
  if (!pair.law.yields()) pair.softness = softer(a.softness, b.softness);
  if (a.frictionAcross || b.frictionAcross) pair.frictionAcross = std::sqrt(a.across() * b.across());
  pair.rollingFriction = std::max(a.rollingFriction, b.rollingFriction);
  pair.torsionalFriction = std::max(a.torsionalFriction, b.torsionalFriction);
  const SurfacePair& sticky = a.staticRatio >= b.staticRatio ? a : b;
  pair.staticRatio = sticky.staticRatio;
  pair.stribeckSpeed = sticky.stribeckSpeed;
  return pair;
}

}  // namespace grashof
