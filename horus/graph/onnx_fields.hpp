// SPDX-License-Identifier: Apache-2.0
#pragma once
// The fields of ONNX messages by number, name and encoding.
// Source: onnx.proto of https://github.com/onnx/onnx (field numbers never change; those that came
// after version 1.12, such as `overload`, are known here too).

#include <array>
#include <cstdint>

#include "horus/graph/wire_reader.hpp"

namespace horus::graph {

namespace model_field {
inline constexpr std::uint32_t kIrVersion = 1;
inline constexpr std::uint32_t kProducerName = 2;
inline constexpr std::uint32_t kProducerVersion = 3;
inline constexpr std::uint32_t kGraph = 7;
inline constexpr std::uint32_t kOpsetImport = 8;
inline constexpr std::uint32_t kMetadataProps = 14;
inline constexpr std::uint32_t kFunctions = 25;
inline constexpr auto kFields = std::to_array<FieldSpec>({
    {"ir_version", kIrVersion, FieldForm::Varint},
    {"producer_name", kProducerName, FieldForm::Bytes},
    {"producer_version", kProducerVersion, FieldForm::Bytes},
    {"domain", 4, FieldForm::Bytes},
    {"model_version", 5, FieldForm::Varint},
    {"doc_string", 6, FieldForm::Bytes},
    {"graph", kGraph, FieldForm::Bytes},
    {"opset_import", kOpsetImport, FieldForm::Bytes},
    {"metadata_props", kMetadataProps, FieldForm::Bytes},
    {"training_info", 20, FieldForm::Bytes},
    {"functions", kFunctions, FieldForm::Bytes},
});
inline constexpr MessageSpec kSpec{"ModelProto", kFields};
}  // namespace model_field

namespace graph_field {
inline constexpr std::uint32_t kNode = 1;
inline constexpr std::uint32_t kName = 2;
inline constexpr std::uint32_t kInitializer = 5;
inline constexpr std::uint32_t kInput = 11;
inline constexpr std::uint32_t kOutput = 12;
inline constexpr std::uint32_t kValueInfo = 13;
inline constexpr std::uint32_t kSparseInitializer = 15;
inline constexpr auto kFields = std::to_array<FieldSpec>({
    {"node", kNode, FieldForm::Bytes},
    {"name", kName, FieldForm::Bytes},
    {"initializer", kInitializer, FieldForm::Bytes},
    {"doc_string", 10, FieldForm::Bytes},
    {"input", kInput, FieldForm::Bytes},
    {"output", kOutput, FieldForm::Bytes},
    {"value_info", kValueInfo, FieldForm::Bytes},
    {"quantization_annotation", 14, FieldForm::Bytes},
    {"sparse_initializer", kSparseInitializer, FieldForm::Bytes},
});
inline constexpr MessageSpec kSpec{"GraphProto", kFields};
}  // namespace graph_field

namespace node_field {
inline constexpr std::uint32_t kAttribute = 5;
inline constexpr std::uint32_t kDocString = 6;
inline constexpr std::uint32_t kOverload = 8;
inline constexpr std::uint32_t kMetadataProps = 9;
inline constexpr auto kFields = std::to_array<FieldSpec>({
    {"input", 1, FieldForm::Bytes},
    {"output", 2, FieldForm::Bytes},
    {"name", 3, FieldForm::Bytes},
    {"op_type", 4, FieldForm::Bytes},
    {"attribute", kAttribute, FieldForm::Bytes},
    {"doc_string", kDocString, FieldForm::Bytes},
    {"domain", 7, FieldForm::Bytes},
    {"overload", kOverload, FieldForm::Bytes},
    {"metadata_props", kMetadataProps, FieldForm::Bytes},
});
inline constexpr MessageSpec kSpec{"NodeProto", kFields};
/// Kept from the protobuf classes: attributes (they may hold weights), text that nobody reads, and
/// what the packaged classes are too old for.
inline constexpr auto kApart =
    std::to_array<std::uint32_t>({kAttribute, kDocString, kOverload, kMetadataProps});
}  // namespace node_field

namespace attribute_field {
inline constexpr std::uint32_t kTensor = 5;
inline constexpr std::uint32_t kGraph = 6;
inline constexpr std::uint32_t kTensors = 10;
inline constexpr std::uint32_t kGraphs = 11;
inline constexpr std::uint32_t kDocString = 13;
inline constexpr std::uint32_t kSparseTensor = 22;
inline constexpr std::uint32_t kSparseTensors = 23;
inline constexpr auto kFields = std::to_array<FieldSpec>({
    {"name", 1, FieldForm::Bytes},
    {"i", 3, FieldForm::Varint},
    {"s", 4, FieldForm::Bytes},
    {"t", kTensor, FieldForm::Bytes},
    {"g", kGraph, FieldForm::Bytes},
    {"floats", 7, FieldForm::Fixed32s},
    {"ints", 8, FieldForm::Varints},
    {"strings", 9, FieldForm::Bytes},
    {"tensors", kTensors, FieldForm::Bytes},
    {"graphs", kGraphs, FieldForm::Bytes},
    {"doc_string", kDocString, FieldForm::Bytes},
    {"tp", 14, FieldForm::Bytes},
    {"type_protos", 15, FieldForm::Bytes},
    {"type", 20, FieldForm::Varint},
    {"ref_attr_name", 21, FieldForm::Bytes},
    {"sparse_tensor", kSparseTensor, FieldForm::Bytes},
    {"sparse_tensors", kSparseTensors, FieldForm::Bytes},
});
inline constexpr MessageSpec kSpec{"AttributeProto", kFields};
/// Kept from the protobuf classes, as above.
inline constexpr auto kApart = std::to_array<std::uint32_t>(
    {kTensor, kGraph, kTensors, kGraphs, kDocString, kSparseTensor, kSparseTensors});
}  // namespace attribute_field

namespace tensor_field {
inline constexpr std::uint32_t kDims = 1;
inline constexpr std::uint32_t kDataType = 2;
inline constexpr std::uint32_t kSegment = 3;
inline constexpr std::uint32_t kFloatData = 4;
inline constexpr std::uint32_t kInt32Data = 5;
inline constexpr std::uint32_t kStringData = 6;
inline constexpr std::uint32_t kInt64Data = 7;
inline constexpr std::uint32_t kName = 8;
inline constexpr std::uint32_t kRawData = 9;
inline constexpr std::uint32_t kDoubleData = 10;
inline constexpr std::uint32_t kUint64Data = 11;
inline constexpr std::uint32_t kExternalData = 13;
inline constexpr std::uint32_t kDataLocation = 14;
inline constexpr auto kFields = std::to_array<FieldSpec>({
    {"dims", kDims, FieldForm::Varints},
    {"data_type", kDataType, FieldForm::Varint},
    {"segment", kSegment, FieldForm::Bytes},
    {"float_data", kFloatData, FieldForm::Fixed32s},
    {"int32_data", kInt32Data, FieldForm::Varints},
    {"string_data", kStringData, FieldForm::Bytes},
    {"int64_data", kInt64Data, FieldForm::Varints},
    {"name", kName, FieldForm::Bytes},
    {"raw_data", kRawData, FieldForm::Bytes},
    {"double_data", kDoubleData, FieldForm::Fixed64s},
    {"uint64_data", kUint64Data, FieldForm::Varints},
    {"doc_string", 12, FieldForm::Bytes},
    {"external_data", kExternalData, FieldForm::Bytes},
    {"data_location", kDataLocation, FieldForm::Varint},
});
inline constexpr MessageSpec kSpec{"TensorProto", kFields};
}  // namespace tensor_field

namespace sparse_tensor_field {
inline constexpr std::uint32_t kValues = 1;
inline constexpr std::uint32_t kDims = 3;
inline constexpr auto kFields = std::to_array<FieldSpec>({
    {"values", kValues, FieldForm::Bytes},
    {"indices", 2, FieldForm::Bytes},
    {"dims", kDims, FieldForm::Varints},
});
inline constexpr MessageSpec kSpec{"SparseTensorProto", kFields};
}  // namespace sparse_tensor_field

namespace function_field {
inline constexpr std::uint32_t kName = 1;
inline constexpr std::uint32_t kInput = 4;
inline constexpr std::uint32_t kOutput = 5;
inline constexpr std::uint32_t kAttribute = 6;
inline constexpr std::uint32_t kNode = 7;
inline constexpr std::uint32_t kOpsetImport = 9;
inline constexpr std::uint32_t kDomain = 10;
inline constexpr std::uint32_t kAttributeProto = 11;
inline constexpr std::uint32_t kValueInfo = 12;
inline constexpr std::uint32_t kOverload = 13;
inline constexpr auto kFields = std::to_array<FieldSpec>({
    {"name", kName, FieldForm::Bytes},
    {"input", kInput, FieldForm::Bytes},
    {"output", kOutput, FieldForm::Bytes},
    {"attribute", kAttribute, FieldForm::Bytes},
    {"node", kNode, FieldForm::Bytes},
    {"doc_string", 8, FieldForm::Bytes},
    {"opset_import", kOpsetImport, FieldForm::Bytes},
    {"domain", kDomain, FieldForm::Bytes},
    {"attribute_proto", kAttributeProto, FieldForm::Bytes},
    {"value_info", kValueInfo, FieldForm::Bytes},
    {"overload", kOverload, FieldForm::Bytes},
});
inline constexpr MessageSpec kSpec{"FunctionProto", kFields};
}  // namespace function_field

}  // namespace horus::graph
