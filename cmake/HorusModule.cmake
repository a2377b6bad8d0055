# SPDX-License-Identifier: Apache-2.0
# Rooms: one folder is one library, one include prefix, one namespace and one prefix of test names.
# Source, test, benchmark and fuzz target stand side by side; the suffix of the file decides.
include_guard(GLOBAL)
include(GoogleTest)

# Warnings are errors with the compilers of the full check (gcc 12, clang 14). Newer ones know
# warnings that nobody has looked at yet: those must not stop a newcomer.
set(HORUS_WARNINGS_ARE_ERRORS OFF)
if(HORUS_WERROR)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    set(HORUS_WARNINGS_ARE_ERRORS ON)
  elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 15)
    set(HORUS_WARNINGS_ARE_ERRORS ON)
  endif()
endif()

add_library(horus_options INTERFACE)
target_compile_features(horus_options INTERFACE cxx_std_20)
target_include_directories(horus_options INTERFACE ${PROJECT_SOURCE_DIR})
# -ffp-contract=off: a*b+c must give the same bits with every compiler and target.
# -Wno-missing-field-initializers: designated initializers leave fields to their defaults on purpose.
target_compile_options(horus_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor -Wold-style-cast
  -Woverloaded-virtual -Wdouble-promotion -Wimplicit-fallthrough -Wno-missing-field-initializers -ffp-contract=off
  # gcc 12 sees overlaps in std::string's own code that are not there (gcc bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<BOOL:${HORUS_WARNINGS_ARE_ERRORS}>:-Werror>)
if(HORUS_SANITIZE)
  target_compile_options(horus_options INTERFACE -fsanitize=${HORUS_SANITIZE}
    -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(horus_options INTERFACE -fsanitize=${HORUS_SANITIZE})
endif()
if(HORUS_FUZZ)
  target_compile_options(horus_options INTERFACE -fsanitize=fuzzer-no-link,address,undefined
    -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(horus_options INTERFACE -fsanitize=address,undefined)
endif()
set_property(GLOBAL PROPERTY HORUS_LAYERS "")
set_property(GLOBAL PROPERTY HORUS_ROOMS "")

# The data sets that tests read where they are present; tests generate files in the same format
# where they are absent, and say so.
set(HORUS_SHARED_DATA "${PROJECT_SOURCE_DIR}/../shared/data" CACHE PATH "Public measured data")
set(HORUS_TEST_DEFINITIONS HORUS_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
  HORUS_SHARED_DATA="${HORUS_SHARED_DATA}")

# horus_module(<room> [PURE] [DEPENDS <room>...] [LIBS <target>...] [PRIVATE_LIBS <target>...]
#              [API <header>...])
# LIBS are seen by whoever links the room; PRIVATE_LIBS never show in the room's headers.
# A room with an API is installed as a library, with the headers that match one of these patterns.
function(horus_module room)
  cmake_parse_arguments(ARG "PURE" "" "DEPENDS;LIBS;PRIVATE_LIBS;API" ${ARGN})
  set(dir ${PROJECT_SOURCE_DIR}/horus/${room})
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${dir}/*.hpp)
  list(FILTER headers EXCLUDE REGEX "_test\\.hpp$")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${dir}/*.cpp)
  set(all ${sources})
  list(FILTER sources EXCLUDE REGEX "_(test|bench|fuzz)\\.cpp$")
  if(NOT sources)
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/${room}_empty.cpp "")
    set(sources ${CMAKE_CURRENT_BINARY_DIR}/${room}_empty.cpp)
  endif()
  add_library(horus_${room} STATIC ${sources})
  add_library(horus::${room} ALIAS horus_${room})
  set_target_properties(horus_${room} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
  target_compile_features(horus_${room} PUBLIC cxx_std_20)
  # Our warnings are not those of whoever uses the installed library.
  target_link_libraries(horus_${room} PUBLIC $<BUILD_INTERFACE:horus_options> ${ARG_LIBS}
    PRIVATE ${ARG_PRIVATE_LIBS})
  if(ARG_API)
    horus_install_room(${room} "${headers}" "${ARG_API}")
  else()
    target_sources(horus_${room} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}
      FILES ${headers})
  endif()
  foreach(dep IN LISTS ARG_DEPENDS)
    if(NOT TARGET horus_${dep})
      message(FATAL_ERROR "${room} depends on ${dep}, which is not declared above it: "
        "layers go down only")
    endif()
    target_link_libraries(horus_${room} PUBLIC horus::${dep})
  endforeach()
  horus_programs(${room} "${all}" "${ARG_PRIVATE_LIBS}")
  set(pure "")
  if(ARG_PURE)
    set(pure "PURE")
  endif()
  list(JOIN ARG_DEPENDS "," deps)
  set_property(GLOBAL APPEND PROPERTY HORUS_LAYERS "${room}:${pure}:${deps}")
  set_property(GLOBAL APPEND PROPERTY HORUS_ROOMS horus::${room})
endfunction()

# The tests, benchmarks and fuzz targets among `files`, each linked with its room and `libs`.
function(horus_programs room files libs)
  set(tests ${files})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  set(benches ${files})
  list(FILTER benches INCLUDE REGEX "_bench\\.cpp$")
  set(fuzzers ${files})
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cpp$")
  if(tests AND NOT HORUS_FUZZ)
    add_executable(horus_${room}_test ${tests})
    target_link_libraries(horus_${room}_test PRIVATE horus::${room} ${libs} GTest::gmock
      GTest::gtest_main)
    target_compile_definitions(horus_${room}_test PRIVATE ${HORUS_TEST_DEFINITIONS})
    gtest_discover_tests(horus_${room}_test TEST_PREFIX "${room}." DISCOVERY_TIMEOUT 60
      PROPERTIES LABELS unit TIMEOUT 300)
  endif()
  # Benchmarks of instrumented code would measure the instruments.
  if(benches AND NOT HORUS_FUZZ AND NOT HORUS_SANITIZE)
    add_executable(horus_${room}_bench ${benches})
    target_link_libraries(horus_${room}_bench PRIVATE horus::${room} ${libs}
      benchmark::benchmark_main)
  endif()
  if(HORUS_FUZZ)
    foreach(file IN LISTS fuzzers)
      cmake_path(GET file STEM name)
      add_executable(${name} ${file})
      target_link_libraries(${name} PRIVATE horus::${room} ${libs})
      target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    endforeach()
  endif()
endfunction()

# horus_application(<name>): the program of horus/apps/<name>, which alone knows every room.
function(horus_application name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/horus/apps/${name}/*.cpp)
  set(all ${sources})
  list(FILTER sources EXCLUDE REGEX "_(test|bench|fuzz)\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  get_property(rooms GLOBAL PROPERTY HORUS_ROOMS)
  add_library(horus_app_${name} STATIC ${sources})
  add_library(horus::app_${name} ALIAS horus_app_${name})
  target_link_libraries(horus_app_${name} PUBLIC horus_options ${rooms} CLI11::CLI11)
  add_executable(${name} ${PROJECT_SOURCE_DIR}/horus/apps/${name}/main.cpp)
  target_link_libraries(${name} PRIVATE horus::app_${name})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
  horus_programs(app_${name} "${all}" "")
endfunction()

# Writes layers.txt, which tools/check_layers.py holds the sources and archives against.
function(horus_layers_finish)
  get_property(rows GLOBAL PROPERTY HORUS_LAYERS)
  list(JOIN rows "\n" text)
  file(WRITE ${CMAKE_BINARY_DIR}/layers.txt "${text}\n")
endfunction()
