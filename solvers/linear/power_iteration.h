#pragma once
/// Power iteration for the largest eigenvalue of an operator whose vectors are kept by the caller.

namespace grashof {

/// Entry (or factor of block) i of a start vector that is orthogonal to no eigenvector with a symmetry of its
/// own, and the same every time.
inline double powerStart(int i) { return 1.0 + 0.1 * ((7 * i) % 11); }

/// Largest absolute eigenvalue of a symmetric operator A, estimated from below after `iterations` >= 1
/// applications to the caller's vector x.
///   norm()       returns ‖x‖
///   apply(size)  replaces x by A x / size; size = ‖x‖ > 0. The division is left to the operator, which can
///                merge it with a scaling of its own.
/// Returns 0 (or NaN) when x becomes 0 (or not finite).
template <typename Norm, typename Apply>
double powerIteration(int iterations, Norm norm, Apply apply) {
  double size = norm();
  for (int i = 0; i < iterations && size > 0.0; ++i) {
    apply(size);
    size = norm();
  }
  return size;
}

}  // namespace grashof
