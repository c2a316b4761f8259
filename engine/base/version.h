#pragma once
/// The version of the library.

namespace grashof {

/// Version as MAJOR.MINOR.PATCH, for example "0.2.0". It is the one of CMakeLists.txt.
const char* version();

}  // namespace grashof
