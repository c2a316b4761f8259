#pragma once
/// What is in all pages, out of assets/pages (engine/study/pages.cmake).

#include <string_view>

namespace grashof {

std::string_view pageStyle();
std::string_view chartScript();  ///< draws the charts of a page
std::string_view studyScript();  ///< draws the page of a study

}  // namespace grashof
