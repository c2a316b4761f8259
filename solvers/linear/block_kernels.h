#pragma once
/// Numeric kernels of BlockFactor, compiled for several sets of instructions, one of which is chosen when the
/// program runs. This header includes nothing: see columns.inc.

namespace grashof {

/// Symbolic data of a factorization, by position in the order of elimination; see EliminationPlan.
struct KernelPlan {
  int nodes = 0;
  const unsigned char* size = nullptr;  ///< rows of each node, 1..N; those beyond are the identity
  const double* sign = nullptr;         ///< of each pivot, ±1; only for symmetric matrices
  const int* columnStart = nullptr;
  const int* rowIndex = nullptr;
  const int* updatedBlock = nullptr;
  const int* updateStart = nullptr;
};

/// Values of a factorization: N×N blocks, column-major, one after another. With a pivot block P = G D X⁻¹, G
/// unit lower and X unit upper triangular, D diagonal, P A Pᵀ is kept as
///   left = G⁻¹, right = X, inversePivot = D⁻¹ (N per node), lower = A_ik X D⁻¹, upper = G⁻¹ A_ki.
/// A symmetric matrix has X = G⁻ᵀ and needs no `upper`.
struct KernelFactors {
  double* diagonal = nullptr;  ///< of A; only the lower triangles of a symmetric matrix are kept up to date
  double* left = nullptr;
  double* right = nullptr;
  double* inversePivot = nullptr;
  double* lower = nullptr;    ///< of A, then of the factors
  double* upper = nullptr;    ///< the same; unused for symmetric matrices
  double* pivot = nullptr;    ///< receives the smallest |pivot| of each node
  double* scratch = nullptr;  ///< as many blocks as the fullest column has
};

/// The kernels for blocks of one size N and one set of instructions.
struct BlockKernels {
  /// Eliminates the nodes [begin, end) and subtracts their effect from those after them. Returns false when a
  /// pivot is not of its sign (symmetric) or vanishes (general).
  bool (*factorizeSymmetric)(const KernelPlan& plan, const KernelFactors& factors, int begin,
                             int end) = nullptr;
  bool (*factorizeGeneral)(const KernelPlan& plan, const KernelFactors& factors, int begin,
                           int end) = nullptr;
  /// Forward and backward substitution in place, N numbers per node. The nodes before `symmetricEnd` were
  /// eliminated as symmetric, the others as general. Numbers below 1e-150 become zero: along a mechanism an
  /// effect fades exponentially, down to denormal numbers, and an operation on those costs a hundred cycles.
  void (*solve)(const KernelPlan& plan, const KernelFactors& factors, int symmetricEnd, double* x) = nullptr;
};

/// The sets. Their results differ by rounding; each gives the same bits on every processor of its kind.
namespace portable {
extern const BlockKernels kKernels3, kKernels6;
}
#if defined(__x86_64__)
namespace avx2 {
extern const BlockKernels kKernels3, kKernels6;
}
#endif

/// The kernels for this processor, see useAvx2(). Instantiated for N = 3 and 6.
template <int N>
const BlockKernels& blockKernels();

}  // namespace grashof
