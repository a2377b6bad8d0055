# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where. Two components: "runtime" is the program, "development" the
# library horus::graph with the rooms below it, its headers and HorusConfig.cmake.
include_guard(GLOBAL)
include(CMakePackageConfigHelpers)

set(HORUS_CONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Horus)

# horus_install_room(<room> <headers> <patterns>): installs the archive of a room and those of its
# headers whose names match a pattern. The others stay inside.
function(horus_install_room room headers patterns)
  set(api "")
  set(inside ${headers})
  foreach(pattern IN LISTS patterns)
    string(REPLACE "." "\\." regex "${pattern}")
    string(REPLACE "*" "[^/]*" regex "${regex}")
    set(found ${headers})
    list(FILTER found INCLUDE REGEX "/horus/${room}/${regex}$")
    if(NOT found)
      message(FATAL_ERROR "room ${room} has no header ${pattern}, which its API names")
    endif()
    list(APPEND api ${found})
  endforeach()
  list(REMOVE_ITEM inside ${api})
  target_sources(horus_${room} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}
    FILES ${api})
  if(inside)
    target_sources(horus_${room} PRIVATE FILE_SET inside TYPE HEADERS
      BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${inside})
  endif()
  set_target_properties(horus_${room} PROPERTIES EXPORT_NAME ${room})
  install(TARGETS horus_${room} EXPORT HorusTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
    FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
endfunction()

# Writes and installs the files that find_package(Horus) reads.
function(horus_install_finish)
  set_target_properties(horus_onnx_proto PROPERTIES EXPORT_NAME onnx_proto)
  install(TARGETS horus_onnx_proto EXPORT HorusTargets COMPONENT development)
  install(EXPORT HorusTargets NAMESPACE horus:: DESTINATION ${HORUS_CONFIG_DIR}
    COMPONENT development)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/HorusConfig.cmake.in
    ${PROJECT_BINARY_DIR}/HorusConfig.cmake INSTALL_DESTINATION ${HORUS_CONFIG_DIR})
  # Before 1.0 anything may change with the minor version.
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/HorusConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/HorusConfig.cmake
    ${PROJECT_BINARY_DIR}/HorusConfigVersion.cmake DESTINATION ${HORUS_CONFIG_DIR}
    COMPONENT development)
endfunction()
