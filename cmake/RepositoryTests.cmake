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
horus_python_test(lint.embed_constants embed_constants_test.py)
horus_python_test(lint.embed_gpus embed_gpus_test.py)
horus_python_test(lint.embed_mig embed_mig_test.py)
horus_python_test(lint.embed_text embed_text_test.py)
horus_python_test(lint.gpu_campaign gpu_campaign_test.py)
horus_python_test(lint.strip_weights exports/strip_weights_test.py)
horus_python_test(lint.truth_table truth_table_test.py)
horus_python_test(lint.zoo_table zoo_table_test.py)

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

# Its subject is time: other tests beside it would stretch the runs that it measures.
if(TEST cli.profile)
  set_tests_properties(cli.profile PROPERTIES RUN_SERIAL TRUE)
endif()

# The installed library, used as a stranger would: installed, moved, and built against from outside
# of this tree. Instrumented archives need instrumented users, so these builds have no such test.
if(NOT HORUS_FUZZ AND NOT HORUS_SANITIZE)
  add_test(NAME install.library COMMAND Python3::Interpreter
    ${PROJECT_SOURCE_DIR}/tests/install/installed_library_test.py
    --build ${CMAKE_BINARY_DIR} --cxx ${CMAKE_CXX_COMPILER} --horus $<TARGET_FILE:horus>)
  set_tests_properties(install.library PROPERTIES LABELS integration TIMEOUT 300)
endif()

# The packaged shape inference of ONNX is an oracle for ours: the tests may link it, the room not.
if(TARGET horus_graph_test)
  target_link_libraries(horus_graph_test PRIVATE onnx)
endif()

# The zoo's tests go through a thousand architectures; where sanitizers slow them, one of so many.
if(TARGET horus_zoo_test)
  set(stride 1)
  if(HORUS_SANITIZE)
    set(stride 11)
  endif()
  target_compile_definitions(horus_zoo_test PRIVATE HORUS_TEST_STRIDE=${stride})
endif()

# The newest ONNX from PyPI is another, for the versions that the package does not know. Its virtual
# environment and its models stay in the build folder.
if(NOT HORUS_FUZZ)
  add_test(NAME oracle.newest_onnx COMMAND Python3::Interpreter
    ${PROJECT_SOURCE_DIR}/tests/oracle/newest_onnx_test.py
    --horus $<TARGET_FILE:horus> --work ${CMAKE_BINARY_DIR}/oracle)
  set_tests_properties(oracle.newest_onnx PROPERTIES LABELS integration TIMEOUT 600
    SKIP_RETURN_CODE 77)
endif()

# The table of the zoo against published figures is what the program says today. A sample of the
# rows will do: horus/zoo/published_test.cpp judges all of them.
if(NOT HORUS_FUZZ)
  add_test(NAME docs.zoo_table COMMAND Python3::Interpreter
    ${PROJECT_SOURCE_DIR}/tools/zoo_table.py --horus $<TARGET_FILE:horus>
    --check ${PROJECT_SOURCE_DIR}/docs/reference/zoo.md --every 23)
  set_tests_properties(docs.zoo_table PROPERTIES LABELS integration TIMEOUT 300)
endif()
