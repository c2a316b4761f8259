# The viewer's page without data: GRASHOF_VIEWER, joined of the parts in assets/viewer and of three.js, which is Debian's
# package libjs-three.
find_path(GRASHOF_THREE three.min.js PATHS /usr/share/javascript/three NO_DEFAULT_PATH)
if(NOT GRASHOF_THREE)
  message(FATAL_ERROR "three.js is not there, which the viewer's page carries (apt-get install libjs-three; "
    "-DGRASHOF_THREE=FOLDER if it is elsewhere)")
endif()
set(GRASHOF_VIEWER ${PROJECT_BINARY_DIR}/viewer.html)
set(libraries ${GRASHOF_THREE}/three.min.js ${GRASHOF_THREE}/examples/js/controls/OrbitControls.js)
# In the order in which they are evaluated.
set(modules inflate tables run state options labels lines stage ground shapes solids symbols wheels joints arrows figure sight paths camera
  measure plots timeline panels pick live film main)
set(pages ${PROJECT_SOURCE_DIR}/assets/pages)
set(parts ${pages}/series.js)
foreach(module ${modules})
  list(APPEND parts ${PROJECT_SOURCE_DIR}/assets/viewer/${module}.js)
endforeach()
add_custom_command(OUTPUT ${GRASHOF_VIEWER}
  COMMAND ${CMAKE_COMMAND} -DFOLDER=${PROJECT_SOURCE_DIR}/assets/viewer -DPAGES=${pages} "-DLIBRARIES=${libraries}" "-DMODULES=${parts}"
    -DOUT=${GRASHOF_VIEWER} -P ${CMAKE_CURRENT_LIST_DIR}/join_page.cmake
  DEPENDS ${libraries} ${parts} ${pages}/colours.css ${PROJECT_SOURCE_DIR}/assets/viewer/page.html
    ${PROJECT_SOURCE_DIR}/assets/viewer/page.css ${PROJECT_SOURCE_DIR}/assets/viewer/three-LICENSE
    ${CMAKE_CURRENT_LIST_DIR}/join_page.cmake ${PROJECT_SOURCE_DIR}/engine/study/join_modules.cmake
  COMMENT "Joining the viewer's page" VERBATIM)
add_custom_target(grashof_viewer DEPENDS ${GRASHOF_VIEWER})
