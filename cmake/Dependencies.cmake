# SPDX-License-Identifier: Apache-2.0
# Third-party libraries, all from the distribution. Each is linked by exactly one room (HorusModule).
find_package(Python3 REQUIRED COMPONENTS Interpreter)
find_package(tl-expected REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Protobuf REQUIRED)
find_package(ONNX REQUIRED CONFIG)
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(xgboost REQUIRED CONFIG)
find_package(GTest REQUIRED)
find_package(benchmark REQUIRED)
find_package(Threads REQUIRED)

# The packaged protobuf classes of ONNX. Generated code does not meet our warning level, so its
# headers count as system headers.
add_library(horus_onnx_proto INTERFACE)
target_link_libraries(horus_onnx_proto INTERFACE onnx_proto protobuf::libprotobuf)
target_compile_definitions(horus_onnx_proto INTERFACE ONNX_NAMESPACE=onnx ONNX_ML=1)
