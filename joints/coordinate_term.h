#pragma once
/// A joint coordinate times a coefficient: a term of sums over coordinates (linear couplings, tendons).

namespace grashof {

/// coefficient · q of one joint coordinate.
struct CoordinateTerm {
  int joint = 0;
  int coordinate = 0;        ///< of that joint
  double coefficient = 1.0;  ///< unit of the sum over unit of q
};

}  // namespace grashof
