#pragma once
/// Which channels a page has.

#include <string>
#include <vector>

#include "engine/model/model.h"

namespace grashof {

/// All channels of a model that a run records, without those of pairs in contact, and those of force
/// elements. Of models with so many that a page would not be fit for use, the most important ones.
std::vector<std::string> channelNames(const Model& model);

/// The same of a recorded run that has the channels `recorded`.
std::vector<std::string> channelNames(const std::vector<std::string>& recorded);

}  // namespace grashof
