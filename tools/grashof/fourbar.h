#pragma once
/// Planar four-bars in a mechanism and their classes by Grashof's rule.

#include <array>
#include <string>
#include <vector>

#include "engine/model/model.h"

namespace grashof {

struct FourBar {
  std::array<int, 4> joints{};      ///< in order around the loop
  std::array<int, 4> bodies{};      ///< bodies[i] lies between joints[i] and joints[i + 1]; -1: the world
  std::array<double, 4> lengths{};  ///< lengths of these bodies, m
  double grashof = 0.0;  ///< (shortest + longest) / (sum of the others); below 1 the shortest bar turns round
  std::string kind;      ///< crank-rocker, double-crank, double-rocker, change point, triple-rocker …
};

/// Loops of four revolute joints with parallel axes, at the given poses. The bar that is the world, or else
/// the longest chain's first body, is the frame.
std::vector<FourBar> findFourBars(const Model& model, const std::vector<Pose>& poses);

}  // namespace grashof
