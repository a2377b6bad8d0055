# SPDX-License-Identifier: Apache-2.0
# Data that is compiled in: data/gpus.csv becomes a C++ table of the room domain.
set(HORUS_GPUS_CPP ${CMAKE_BINARY_DIR}/generated/embedded_gpus.cpp)
add_custom_command(
  OUTPUT ${HORUS_GPUS_CPP}
  COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/embed_gpus.py
          --csv ${PROJECT_SOURCE_DIR}/data/gpus.csv --out ${HORUS_GPUS_CPP}
  DEPENDS ${PROJECT_SOURCE_DIR}/tools/embed_gpus.py ${PROJECT_SOURCE_DIR}/data/gpus.csv
  COMMENT "Embedding the GPU catalogue" VERBATIM)
target_sources(horus_domain PRIVATE ${HORUS_GPUS_CPP})
