# SPDX-License-Identifier: Apache-2.0
# Tests of the repository itself: layers, house rules, and the tools that keep them.
function(horus_python_test name script)
  if(EXISTS ${PROJECT_SOURCE_DIR}/tools/${script})
    add_test(NAME ${name} COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/${script} ${ARGN}
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES LABELS lint TIMEOUT 120)
  endif()
endfunction()

horus_python_test(lint.layers check_layers.py --layers ${CMAKE_BINARY_DIR}/layers.txt
  --root ${PROJECT_SOURCE_DIR} --build ${CMAKE_BINARY_DIR})
horus_python_test(lint.house house_lint.py --root ${PROJECT_SOURCE_DIR})
horus_python_test(lint.layers_selftest check_layers_test.py)
horus_python_test(lint.house_selftest house_lint_test.py)
horus_python_test(lint.embed_gpus embed_gpus_test.py)
horus_python_test(lint.truth_table truth_table_test.py)

# The program as its users meet it: one test per file of tests/cli.
file(GLOB cli_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/cli/*_cli_test.py)
foreach(script IN LISTS cli_tests)
  if(HORUS_FUZZ)
    break()
  endif()
  cmake_path(GET script STEM name)
  string(REPLACE "_cli_test" "" name ${name})
  add_test(NAME cli.${name} COMMAND Python3::Interpreter ${script}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/tests/cli)
  set_tests_properties(cli.${name} PROPERTIES LABELS integration TIMEOUT 600
    ENVIRONMENT "HORUS=$<TARGET_FILE:horus>;HORUS_SHARED_DATA=${HORUS_SHARED_DATA}")
endforeach()
