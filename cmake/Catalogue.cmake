# SPDX-License-Identifier: Apache-2.0
# Data that is compiled in: data/gpus.csv becomes a C++ table of the room domain, the tables of
# data/mappings the texts that the room lab reads, data/constants/shipped.json what room predict
# believes.
set(HORUS_EMBEDDED_SOURCE_PY ${PROJECT_SOURCE_DIR}/tools/embedded_source.py)  # Imported by all.
set(HORUS_GPUS_CPP ${CMAKE_BINARY_DIR}/generated/embedded_gpus.cpp)
add_custom_command(
  OUTPUT ${HORUS_GPUS_CPP}
  COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/embed_gpus.py
          --csv ${PROJECT_SOURCE_DIR}/data/gpus.csv --out ${HORUS_GPUS_CPP}
  DEPENDS ${PROJECT_SOURCE_DIR}/tools/embed_gpus.py ${HORUS_EMBEDDED_SOURCE_PY}
          ${PROJECT_SOURCE_DIR}/data/gpus.csv
  COMMENT "Embedding the GPU catalogue" VERBATIM)
set(HORUS_MIG_CPP ${CMAKE_BINARY_DIR}/generated/embedded_mig.cpp)
add_custom_command(
  OUTPUT ${HORUS_MIG_CPP}
  COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/embed_mig.py
          --csv ${PROJECT_SOURCE_DIR}/data/mig_profiles.csv
          --gpus ${PROJECT_SOURCE_DIR}/data/gpus.csv --out ${HORUS_MIG_CPP}
  DEPENDS ${PROJECT_SOURCE_DIR}/tools/embed_mig.py ${PROJECT_SOURCE_DIR}/tools/embed_gpus.py
          ${HORUS_EMBEDDED_SOURCE_PY} ${PROJECT_SOURCE_DIR}/data/mig_profiles.csv
          ${PROJECT_SOURCE_DIR}/data/gpus.csv
  COMMENT "Embedding the MIG profiles" VERBATIM)
target_sources(horus_domain PRIVATE ${HORUS_GPUS_CPP} ${HORUS_MIG_CPP})

file(GLOB HORUS_MAPPINGS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/data/mappings/*.csv)
set(HORUS_MAPPINGS_CPP ${CMAKE_BINARY_DIR}/generated/embedded_mappings.cpp)
add_custom_command(
  OUTPUT ${HORUS_MAPPINGS_CPP}
  COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/embed_text.py
          --function horus::lab::detail::embedded_mappings --out ${HORUS_MAPPINGS_CPP}
          ${HORUS_MAPPINGS}
  DEPENDS ${PROJECT_SOURCE_DIR}/tools/embed_text.py ${HORUS_EMBEDDED_SOURCE_PY}
          ${HORUS_MAPPINGS}
  COMMENT "Embedding the tables of jobs" VERBATIM)
target_sources(horus_lab PRIVATE ${HORUS_MAPPINGS_CPP})

set(HORUS_SHIPPED_CPP ${CMAKE_BINARY_DIR}/generated/embedded_predictor.cpp)
add_custom_command(
  OUTPUT ${HORUS_SHIPPED_CPP}
  COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/embed_constants.py
          --json ${PROJECT_SOURCE_DIR}/data/constants/shipped.json --out ${HORUS_SHIPPED_CPP}
  DEPENDS ${PROJECT_SOURCE_DIR}/tools/embed_constants.py ${HORUS_EMBEDDED_SOURCE_PY}
          ${PROJECT_SOURCE_DIR}/data/constants/shipped.json
  COMMENT "Embedding the shipped predictor" VERBATIM)
target_sources(horus_predict PRIVATE ${HORUS_SHIPPED_CPP})
