#pragma once
/// The hash function SHA-256 of [NIST 2015].

#include <string>
#include <string_view>

namespace grashof {

/// 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace grashof
