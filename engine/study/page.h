#pragma once
/// The page of a study.

#include <string>

namespace grashof::study {

/// HTML with its script; `data`: JSON that may stand in a script.
std::string pageOf(const std::string& title, const std::string& data);

}  // namespace grashof::study
