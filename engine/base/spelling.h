#pragma once
/// Words that are nearly right: "did you mean".

#include <string>
#include <vector>

namespace grashof {

/// The candidate closest in spelling to `word`, or empty when none is close.
std::string closest(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace grashof
