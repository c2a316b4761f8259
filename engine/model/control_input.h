#pragma once
/// Named controls: what a controller gives, and the references that follow from it.

#include <limits>
#include <string>
#include <vector>

namespace grashof {

/// What a control moves: the reference of an actuator, or the commanded force of a force element.
struct ControlTarget {
  int joint = -1;      ///< of an actuator; -1: the target is a force element
  int coordinate = 0;  ///< of that joint
  int element = -1;    ///< index into Model::forces; -1: the target is an actuator
  /// The reference (N, N·m; m, rad; m/s, rad/s; of an element the force that pushes apart, N, N·m) is the sum
  /// of gain u + offset over all controls u on it.
  double gain = 1.0;
  double offset = 0.0;
};

/// A control by name, in whatever unit whoever gives it counts.
struct ControlInput {
  std::string name{};
  double lower = -std::numeric_limits<double>::infinity();  ///< values below count as this
  double upper = std::numeric_limits<double>::infinity();   ///< values above count as this
  double start = 0.0;                    ///< counts while another control of the same target has a value
  std::vector<ControlTarget> targets{};  ///< empty: moves nothing, but keeps its place
};

}  // namespace grashof
