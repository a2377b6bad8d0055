// SPDX-License-Identifier: Apache-2.0
#include "horus/graph/onnx_tensor.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

namespace horus::graph {
namespace {

using std::string_literals::operator""s;
using onnx::TensorProto;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;
using ::testing::SizeIs;

Result<Tensor> read_bytes(const std::string& bytes) {
  ReadBudget budget{ReadLimits{}};
  return read_tensor(Slice{std::as_bytes(std::span{bytes}), 0}, budget);
}

Result<Tensor> read(const TensorProto& proto) { return read_bytes(proto.SerializeAsString()); }

TensorProto proto_of(TensorProto::DataType type, std::initializer_list<std::int64_t> dims) {
  TensorProto proto;
  proto.set_name("w");
  proto.set_data_type(type);
  for (const std::int64_t dim : dims) proto.add_dims(dim);
  return proto;
}

TensorProto raw_proto(TensorProto::DataType type, std::initializer_list<std::int64_t> dims,
                      std::string raw) {
  TensorProto proto = proto_of(type, dims);
  proto.set_raw_data(std::move(raw));
  return proto;
}

std::string complaint(const TensorProto& proto) {
  const auto tensor = read(proto);
  return tensor ? "no error" : tensor.error().text();
}

// ---- Contents, by type and by storage.

struct RawIntegers {
  TensorProto::DataType type;
  std::string raw;
  std::vector<std::int64_t> values;
};

TEST(ReadTensor, ReadsIntegersOfEveryTypeFromRawData) {
  const RawIntegers cases[] = {
      {TensorProto::INT8, "\xff\x02"s, {-1, 2}},
      {TensorProto::UINT8, "\xff\x02"s, {255, 2}},
      {TensorProto::BOOL, "\x01\x00"s, {1, 0}},
      {TensorProto::INT16, "\xfe\xff\x02\x01"s, {-2, 258}},
      {TensorProto::UINT16, "\xfe\xff\x02\x01"s, {65534, 258}},
      {TensorProto::INT32, "\xff\xff\xff\xff\x00\x00\x00\x80"s, {-1, -2147483648}},
      {TensorProto::UINT32, "\xff\xff\xff\xff\x01\x00\x00\x00"s, {4294967295, 1}},
      {TensorProto::INT64,
       "\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00\x01\x00\x00\x00"s,
       {-1, 4294967296}},
      {TensorProto::UINT64,
       "\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00"s,
       {1, 4294967296}},
  };
  for (const RawIntegers& c : cases) {
    const auto tensor = read(raw_proto(c.type, {2}, c.raw));
    ASSERT_TRUE(tensor) << tensor.error().text();
    EXPECT_THAT(tensor->integers, Optional(c.values)) << "type " << c.type;
    EXPECT_FALSE(tensor->floats);
  }
}

TEST(ReadTensor, ReadsFloatsOfEveryTypeFromRawData) {
  const std::pair<TensorProto::DataType, std::string> cases[] = {
      {TensorProto::FLOAT, "\x00\x00\xc0\x3f"s},
      {TensorProto::DOUBLE, "\x00\x00\x00\x00\x00\x00\xf8\x3f"s},
      {TensorProto::FLOAT16, "\x00\x3e"s},
      {TensorProto::BFLOAT16, "\xc0\x3f"s},
  };
  for (const auto& [type, raw] : cases) {
    const auto tensor = read(raw_proto(type, {}, raw));
    ASSERT_TRUE(tensor) << tensor.error().text();
    EXPECT_THAT(tensor->floats, Optional(ElementsAre(1.5))) << "type " << type;
  }
}

TEST(ReadTensor, ReadsInt32DataAsTheBitsOfNarrowTypes) {
  TensorProto proto = proto_of(TensorProto::INT8, {2});
  proto.add_int32_data(-3);
  proto.add_int32_data(7);
  EXPECT_THAT(read(proto)->integers, Optional(ElementsAre(-3, 7)));
  proto.set_data_type(TensorProto::BOOL);
  EXPECT_THAT(read(proto)->integers, Optional(ElementsAre(1, 1)));

  TensorProto half = proto_of(TensorProto::FLOAT16, {2});
  half.add_int32_data(0x3C00);
  half.add_int32_data(0xC000);
  EXPECT_THAT(read(half)->floats, Optional(ElementsAre(1.0, -2.0)));
}

TEST(ReadTensor, ReadsTheOtherTypedLists) {
  TensorProto wide = proto_of(TensorProto::INT64, {2});
  wide.add_int64_data(-1);
  wide.add_int64_data(1LL << 40);
  EXPECT_THAT(read(wide)->integers, Optional(ElementsAre(-1, 1LL << 40)));

  TensorProto natural = proto_of(TensorProto::UINT32, {1});
  natural.add_uint64_data(4000000000U);
  EXPECT_THAT(read(natural)->integers, Optional(ElementsAre(4000000000)));

  TensorProto real = proto_of(TensorProto::FLOAT, {2});
  real.add_float_data(0.5F);
  real.add_float_data(-4.0F);
  EXPECT_THAT(read(real)->floats, Optional(ElementsAre(0.5, -4.0)));

  TensorProto precise = proto_of(TensorProto::DOUBLE, {1});
  precise.add_double_data(0.1);
  EXPECT_THAT(read(precise)->floats, Optional(ElementsAre(0.1)));
}

TEST(ReadTensor, ReadsListsThatAreNotPacked) {
  // dims 2 (unpacked, as proto2 writes it), data_type INT64, int64_data 5 and 6 one by one.
  const auto integers = read_bytes("\x08\x02\x10\x07\x38\x05\x38\x06"s);
  ASSERT_TRUE(integers) << integers.error().text();
  EXPECT_THAT(integers->integers, Optional(ElementsAre(5, 6)));
  // dims packed, data_type FLOAT, float_data 1.0 and 2.0 one by one.
  const auto floats = read_bytes("\x0a\x01\x02\x10\x01\x25\x00\x00\x80\x3f\x25\x00\x00\x00\x40"s);
  ASSERT_TRUE(floats) << floats.error().text();
  EXPECT_THAT(floats->dims, ElementsAre(2));
  EXPECT_THAT(floats->floats, Optional(ElementsAre(1.0, 2.0)));
}

TEST(ReadTensor, LeavesUnsignedNumbersUnknownThatASignedOneCannotHold) {
  TensorProto proto = proto_of(TensorProto::UINT64, {1});
  proto.add_uint64_data(1ULL << 63U);
  const auto tensor = read(proto);
  ASSERT_TRUE(tensor) << tensor.error().text();
  EXPECT_FALSE(tensor->integers);
}

// ---- What is kept and what is not.

TEST(ReadTensor, KeepsIntegersUpTo64KiB) {
  const auto at_limit = read(raw_proto(TensorProto::INT64, {8192}, std::string(65536, '\0')));
  const auto beyond = read(raw_proto(TensorProto::INT64, {8193}, std::string(65544, '\0')));
  EXPECT_THAT(at_limit->integers, Optional(SizeIs(8192)));
  EXPECT_FALSE(beyond->integers);
  EXPECT_THAT(beyond->dims, ElementsAre(8193));
}

TEST(ReadTensor, KeepsFloatsUpTo1KiB) {
  const auto at_limit = read(raw_proto(TensorProto::FLOAT, {16, 16}, std::string(1024, '\0')));
  const auto beyond = read(raw_proto(TensorProto::FLOAT, {257}, std::string(1028, '\0')));
  EXPECT_THAT(at_limit->floats, Optional(::testing::AllOf(SizeIs(256), Each(0.0))));
  EXPECT_FALSE(beyond->floats);
}

TEST(ReadTensor, LeavesContentsOutBeyondTheBudgetOfAllTensors) {
  ReadBudget budget{ReadLimits{.contents = 3}};
  const std::string bytes = raw_proto(TensorProto::INT8, {2}, "ab").SerializeAsString();
  const Slice slice{std::as_bytes(std::span{bytes}), 0};
  EXPECT_TRUE(read_tensor(slice, budget)->integers);
  EXPECT_FALSE(read_tensor(slice, budget)->integers);
}

TEST(ReadTensor, AcceptsAWeightlessTensorAndKnowsNothingOfItsContents) {
  const auto tensor = read(proto_of(TensorProto::INT64, {3}));
  ASSERT_TRUE(tensor) << tensor.error().text();
  EXPECT_FALSE(tensor->integers);
}

TEST(ReadTensor, KnowsThatAnEmptyTensorHasNoElements) {
  const auto tensor = read(proto_of(TensorProto::INT64, {0}));
  ASSERT_TRUE(tensor) << tensor.error().text();
  EXPECT_THAT(tensor->integers, Optional(SizeIs(0)));
}

TEST(ReadTensor, MarksExternalTensorsAndNeverLooksAtTheirLocation) {
  TensorProto proto = proto_of(TensorProto::FLOAT, {1000, 1000});
  proto.set_data_location(TensorProto::EXTERNAL);
  auto& entry = *proto.add_external_data();
  entry.set_key("location");
  entry.set_value("/nonexistent/weights.bin");
  const auto tensor = read(proto);
  ASSERT_TRUE(tensor) << tensor.error().text();
  EXPECT_TRUE(tensor->external);
  EXPECT_THAT(tensor->dims, ElementsAre(1000, 1000));
}

TEST(ReadTensor, KeepsTheNumberOfTypesThatCameLater) {
  constexpr int kFloat8E4M3FN = 17;
  TensorProto proto = proto_of(TensorProto::FLOAT, {4});
  proto.set_data_type(kFloat8E4M3FN);
  proto.set_raw_data("abcd");
  const auto tensor = read(proto);
  ASSERT_TRUE(tensor) << tensor.error().text();
  EXPECT_EQ(static_cast<int>(tensor->type), kFloat8E4M3FN);
}

TEST(ReadTensor, ReadsASparseTensorAsItsDenseShape) {
  onnx::SparseTensorProto proto;
  *proto.mutable_values() = raw_proto(TensorProto::FLOAT, {1}, "\x00\x00\x80\x3f"s);
  *proto.mutable_indices() = raw_proto(TensorProto::INT64, {1}, std::string(8, '\0'));
  proto.add_dims(100);
  proto.add_dims(200);
  const std::string bytes = proto.SerializeAsString();
  ReadBudget budget{ReadLimits{}};
  const auto tensor = read_sparse_tensor(Slice{std::as_bytes(std::span{bytes}), 0}, budget);
  ASSERT_TRUE(tensor) << tensor.error().text();
  EXPECT_EQ(tensor->name, "w");
  EXPECT_EQ(tensor->type, ElementType::Float32);
  EXPECT_THAT(tensor->dims, ElementsAre(100, 200));
  EXPECT_FALSE(tensor->floats);
}

// ---- Contents that cannot be.

TEST(ReadTensor, RefusesRawDataOfTheWrongLength) {
  EXPECT_THAT(complaint(raw_proto(TensorProto::FLOAT, {3}, std::string(8, '\0'))),
              HasSubstr("tensor 'w': found 8 bytes of raw_data, but shape [3] of float32 takes 3"));
  EXPECT_THAT(complaint(raw_proto(TensorProto::FLOAT, {1}, std::string(5, '\0'))),
              HasSubstr("found 5 bytes"));
  EXPECT_THAT(complaint(raw_proto(TensorProto::FLOAT, {0}, std::string(4, '\0'))),
              HasSubstr("found 4 bytes"));
}

TEST(ReadTensor, RefusesTenGigabytesThatAreNotThere) {
  EXPECT_THAT(complaint(raw_proto(TensorProto::FLOAT, {2500000000}, std::string(60, '\0'))),
              HasSubstr("shape [2500000000] of float32 takes 2500000000 elements"));
}

TEST(ReadTensor, RefusesATypedListOfTheWrongLength) {
  TensorProto reals = proto_of(TensorProto::FLOAT, {3});
  reals.add_float_data(1.0F);
  EXPECT_THAT(complaint(reals), HasSubstr("float_data of the wrong length"));
  TensorProto integers = proto_of(TensorProto::INT64, {1});
  integers.add_int64_data(1);
  integers.add_int64_data(2);
  EXPECT_THAT(complaint(integers), HasSubstr("found 2 elements, but shape [1]"));
  TensorProto large = proto_of(TensorProto::INT64, {1000000});
  large.add_int64_data(1);
  EXPECT_THAT(complaint(large), HasSubstr("int64_data of the wrong length"));
  TensorProto complex = proto_of(TensorProto::COMPLEX64, {2});
  complex.add_float_data(1.0F);
  complex.add_float_data(1.0F);
  EXPECT_THAT(complaint(complex), HasSubstr("float_data of the wrong length"));
  TensorProto words = proto_of(TensorProto::STRING, {2});
  words.add_string_data("one");
  EXPECT_THAT(complaint(words), HasSubstr("string_data of the wrong length"));
  // dims 1, data_type FLOAT, five bytes of packed float_data.
  EXPECT_FALSE(read_bytes("\x08\x01\x10\x01\x22\x05\x01\x02\x03\x04\x05"s));
}

TEST(ReadTensor, RefusesContentsOfAnotherType) {
  TensorProto proto = proto_of(TensorProto::FLOAT, {1});
  proto.add_int64_data(1);
  EXPECT_THAT(complaint(proto), HasSubstr("found contents in int64_data, but type float32 takes "
                                          "raw_data or float_data"));
  EXPECT_THAT(complaint(raw_proto(TensorProto::STRING, {1}, "x")), HasSubstr("raw_data"));
}

TEST(ReadTensor, RefusesContentsThatAreStoredTwice) {
  TensorProto proto = raw_proto(TensorProto::INT64, {1}, std::string(8, '\0'));
  proto.add_int64_data(0);
  EXPECT_THAT(complaint(proto), HasSubstr("stored twice"));
}

TEST(ReadTensor, RefusesNegativeDims) {
  EXPECT_THAT(complaint(proto_of(TensorProto::FLOAT, {3, -1})),
              HasSubstr("tensor 'w': negative dim -1 in shape [3,-1]"));
}

TEST(ReadTensor, RefusesMoreElementsThanFit) {
  constexpr std::int64_t kBig = 1LL << 31;
  EXPECT_TRUE(read(proto_of(TensorProto::FLOAT, {kBig, kBig})));
  EXPECT_THAT(complaint(proto_of(TensorProto::FLOAT, {kBig, kBig, 2})),
              HasSubstr("tensor 'w': impossible shape"));
  EXPECT_TRUE(read(proto_of(TensorProto::FLOAT, {kBig, kBig, 0})));
}

TEST(ReadTensor, RefusesMoreAxesThanTheLimit) {
  TensorProto proto = proto_of(TensorProto::FLOAT, {});
  for (int i = 0; i < 65; ++i) proto.add_dims(1);
  const auto tensor = read(proto);
  ASSERT_FALSE(tensor);
  EXPECT_EQ(tensor.error().code, Errc::Unsupported);
  EXPECT_THAT(tensor.error().text(), HasSubstr("more than 64 axes"));
}

TEST(ReadTensor, RefusesMoreTensorsThanTheLimit) {
  ReadBudget budget{ReadLimits{.tensors = 1}};
  const std::string bytes = proto_of(TensorProto::FLOAT, {1}).SerializeAsString();
  const Slice slice{std::as_bytes(std::span{bytes}), 0};
  EXPECT_TRUE(read_tensor(slice, budget));
  const auto second = read_tensor(slice, budget);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::Unsupported);
}

}  // namespace
}  // namespace horus::graph
