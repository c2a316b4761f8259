#pragma once
/// Which compiled version of a kernel this processor runs.

namespace grashof {

/// Whether kernels for AVX2 and FMA are to be used: the processor has both, and the environment variable
/// GRASHOF_PORTABLE was not 1 at the first call. The versions of most kernels differ by rounding. With
/// GRASHOF_PORTABLE=1 a program gives the same bits on every x86-64 processor.
bool useAvx2();

}  // namespace grashof
