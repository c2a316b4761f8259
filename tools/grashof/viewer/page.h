#pragma once
/// The viewer's page around the data of runs.

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/grashof/viewer/view_page.h"

namespace grashof {

/// The page: `data` has `runs` (ViewPage::runJson(), the second to compare with the first) and, of a page
/// that a program serves, `live`. Throws InputError when the page that the build has joined is missing.
std::string pageAround(const std::string& title, const nlohmann::ordered_json& data);

/// The page of one run, or of two to compare. Throws as pageAround().
std::string pageOfRuns(const std::string& title, const std::vector<const ViewPage*>& runs);

}  // namespace grashof
