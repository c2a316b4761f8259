#pragma once
/// Products with the Jacobian of all joint blocks, compiled for several sets of instructions. This header
/// includes no inline functions: see columns.inc.

#include "solvers/problem/joint_block.h"

namespace grashof {

/// The terms of all joint blocks: body and Jacobian (6×6, column-major, rows beyond those of the block zero)
/// of one term stand `stride` bytes after those of the term before.
struct TermView {
  const int* body = nullptr;
  const double* jacobian = nullptr;
  long stride = 0;
};

/// The inertias of all bodies: inverse mass and inverse inertia (3×3, symmetric) of one body stand `stride`
/// bytes after those of the body before.
struct InertiaView {
  const double* inverseMass = nullptr;
  const double* inverseInertia = nullptr;
  long stride = 0;
};

/// The products for one set of instructions. Twists and wrenches: 6 numbers per body.
struct JointProducts {
  /// velocity[r] = (J twist)_r for the rows of the blocks.
  void (*velocities)(const JointBlock* blocks, int count, const TermView& terms, const double* twist,
                     double* velocity) = nullptr;
  /// wrench[b] += (Jᵀ impulse)_b of the rows of the blocks.
  void (*wrenches)(const JointBlock* blocks, int count, const TermView& terms, const double* impulse,
                   double* wrench) = nullptr;
  /// diagonal[r] += (J M⁻¹ Jᵀ)_rr for the rows of the blocks.
  void (*delassus)(const JointBlock* blocks, int count, const TermView& terms, const InertiaView& inertia,
                   double* diagonal) = nullptr;
};

namespace portable {
extern const JointProducts kJointProducts;
}
#if defined(__x86_64__)
namespace avx2 {
extern const JointProducts kJointProducts;
}
#endif

}  // namespace grashof
