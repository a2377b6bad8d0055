# SPDX-License-Identifier: Apache-2.0
# horus-profile goes to machines that have nothing but the C and C++ run-time libraries. So it is
# made from the sources it needs, with fmt compiled in, and not from the rooms' archives, which want
# shared libraries. A test looks at what the linker noted.
include_guard(GLOBAL)

file(GLOB profile_sources CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/horus/apps/profile/*.cpp
  ${PROJECT_SOURCE_DIR}/horus/record/*.cpp)
list(FILTER profile_sources EXCLUDE REGEX "_(test|bench|fuzz)\\.cpp$")
list(APPEND profile_sources horus/base/check.cpp horus/base/sha256.cpp horus/base/text.cpp
  horus/base/utf8.cpp)
foreach(source appended_file descriptor host line_pattern mapped_file nvml program regular_file
        relay run_clock signal_inbox spawn start_program supervisor)
  list(APPEND profile_sources horus/os/${source}.cpp)
endforeach()

add_executable(horus-profile ${profile_sources})
target_compile_definitions(horus-profile PRIVATE FMT_HEADER_ONLY=1)
target_include_directories(horus-profile PRIVATE
  $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
target_link_libraries(horus-profile PRIVATE horus_options tl::expected ${CMAKE_DL_LIBS}
  Threads::Threads)
target_link_options(horus-profile PRIVATE -Wl,--as-needed)
# `horus profile` is not whole without it.
add_dependencies(horus horus-profile)
install(TARGETS horus-profile RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)

# The driver's library, acted: tests run the program and the room os against it.
if(NOT HORUS_FUZZ)
  foreach(age new old)
    set(fake horus_fake_nvml_${age})
    add_library(${fake} SHARED tests/fake_nvml/fake_nvml.cpp tests/fake_nvml/fake_script.cpp)
    target_link_libraries(${fake} PRIVATE horus_options)
    set_target_properties(${fake} PROPERTIES OUTPUT_NAME nvidia-ml SOVERSION 1
      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fake_nvml/${age})
    if(TARGET horus_os_test)
      add_dependencies(horus_os_test ${fake})
    endif()
  endforeach()
  target_compile_definitions(horus_fake_nvml_old PRIVATE FAKE_NVML_OLD)
  if(TARGET horus_os_test)
    target_compile_definitions(horus_os_test PRIVATE
      HORUS_FAKE_NVML_FOLDER="${CMAKE_BINARY_DIR}/fake_nvml")
  endif()
endif()
