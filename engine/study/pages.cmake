# Style and scripts of all pages: page_parts.cpp of the parts in assets/pages.
set(pages ${PROJECT_SOURCE_DIR}/assets/pages)
set(GRASHOF_PAGE_PARTS ${PROJECT_BINARY_DIR}/page_parts.cpp)
add_custom_command(OUTPUT ${GRASHOF_PAGE_PARTS}
  COMMAND ${CMAKE_COMMAND} -DFOLDER=${pages} -DOUT=${GRASHOF_PAGE_PARTS} -P ${CMAKE_CURRENT_LIST_DIR}/embed_pages.cmake
  DEPENDS ${pages}/colours.css ${pages}/page.css ${pages}/series.js ${pages}/chart.js ${pages}/study.js
    ${CMAKE_CURRENT_LIST_DIR}/embed_pages.cmake ${CMAKE_CURRENT_LIST_DIR}/join_modules.cmake
  COMMENT "Style and scripts of pages" VERBATIM)
set_source_files_properties(${GRASHOF_PAGE_PARTS} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
target_sources(grashof PRIVATE ${GRASHOF_PAGE_PARTS})
