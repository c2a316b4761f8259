#pragma once
/// What is said of a recorded channel: its unit and its range.

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace grashof {

/// The unit of a channel, for panels and axes; empty: none, or the channel is not known.
std::string unitOf(const std::string& channel);

/// Name, unit, and least, greatest and last value of a channel. `redundant`: statics leaves the load open.
/// @pre values is not empty.
nlohmann::ordered_json rangeJson(const std::string& channel, const std::vector<double>& values,
                                 bool redundant);

}  // namespace grashof
