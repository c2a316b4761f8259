#pragma once
/// Products with the Jacobians of contacts, compiled for several sets of instructions, one of which is chosen
/// when the program runs. This header includes nothing: see columns.inc.

namespace grashof {

/// The contacts of a problem: the members of one ContactBlock stand `stride` bytes after those of the one
/// before. Jacobians: 3×6, column-major. A body below 0 is the world.
struct ContactView {
  const int* row = nullptr;
  const int* bodyA = nullptr;
  const int* bodyB = nullptr;
  const double* jacobianA = nullptr;
  const double* jacobianB = nullptr;
  long stride = 0;
  int count = 0;
};

/// Blocks of a matrix (6×6, column-major) to which the product of one contact is added. Those that are null
/// are left out.
struct ContactTargets {
  double* aa = nullptr;
  double* bb = nullptr;
  double* ab = nullptr;
  double* ba = nullptr;
};

/// The products for one set of instructions. Each is rounded before it is added, so that those of contacts
/// which mirror each other cancel. Twists and wrenches: 6 numbers per body.
struct ContactProducts {
  /// velocity[row .. row + 2] = J u of each contact.
  void (*velocities)(const ContactView& contacts, const double* twist, double* velocity) = nullptr;
  /// wrench[body] += Jᵀ λ of each contact.
  void (*wrenches)(const ContactView& contacts, const double* impulse, double* wrench) = nullptr;
  /// target xy += J_xᵀ W J_y of one contact, for x, y = A, B. W: 3×3, column-major, need not be symmetric.
  void (*condense)(const double* jacobianA, const double* jacobianB, const double* weight,
                   const ContactTargets& targets) = nullptr;
};

/// The sets. All give the same bits.
namespace portable {
extern const ContactProducts kContactProducts;
}
#if defined(__x86_64__)
namespace avx2 {
extern const ContactProducts kContactProducts;
}
#endif

/// The products for this processor, see useAvx2().
const ContactProducts& contactProducts();

}  // namespace grashof
