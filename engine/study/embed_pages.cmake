# Writes the source of page_parts.h: cmake -DFOLDER=assets/pages -DOUT=page_parts.cpp -P ...
include(${CMAKE_CURRENT_LIST_DIR}/join_modules.cmake)
file(READ "${FOLDER}/colours.css" colours)
file(READ "${FOLDER}/page.css" style)
# Pages follow the screen; the viewer, which has the same colours, has a switch.
string(REGEX REPLACE ":root\\.dark ({[^}]*})" "@media (prefers-color-scheme: dark) { :root \\1 }" colours "${colours}")
join_modules(chart "${FOLDER}/series.js" "${FOLDER}/chart.js")
join_modules(study "${FOLDER}/series.js" "${FOLDER}/chart.js" "${FOLDER}/study.js")
file(WRITE "${OUT}" "#include \"engine/study/page_parts.h\"

namespace grashof {

std::string_view pageStyle() {
  return R\"page(${colours}${style})page\";
}
std::string_view chartScript() {
  return R\"page(${chart})page\";
}
std::string_view studyScript() {
  return R\"page(${study})page\";
}

}  // namespace grashof
")
