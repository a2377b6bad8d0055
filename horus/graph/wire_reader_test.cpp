// SPDX-License-Identifier: Apache-2.0
#include "horus/graph/wire_reader.hpp"

#include <array>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace horus::graph {
namespace {

using std::string_view_literals::operator""sv;
using ::testing::HasSubstr;

constexpr auto kTestFields = std::to_array<FieldSpec>({
    {"number", 1, FieldForm::Varint},
    {"text", 2, FieldForm::Bytes},
    {"list", 3, FieldForm::Fixed32s},
});
constexpr MessageSpec kTestSpec{"TestProto", kTestFields};

WireReader reader_of(std::string_view bytes, std::uint64_t offset = 0) {
  return WireReader{kTestSpec, Slice{std::as_bytes(std::span{bytes}), offset}};
}

// The examples of the encoding guide of Protocol Buffers.
TEST(WireReader, ReadsTheVarintOfTheEncodingGuide) {
  WireReader reader = reader_of("\x08\x96\x01"sv);
  const auto field = reader.next();
  ASSERT_TRUE(field) << field.error().text();
  EXPECT_EQ(field->number, 1U);
  EXPECT_EQ(field->type, WireType::Varint);
  EXPECT_EQ(field->value, 150U);
  EXPECT_TRUE(reader.at_end());
}

TEST(WireReader, ReadsTheTextOfTheEncodingGuideWithoutCopyingIt) {
  const auto bytes = "\x12\x07testing"sv;
  WireReader reader = reader_of(bytes, 1000);
  const auto field = reader.next();
  ASSERT_TRUE(field) << field.error().text();
  EXPECT_EQ(text_of(field->payload), "testing");
  EXPECT_EQ(chars_of(field->payload.bytes).data(), bytes.data() + 2);
  EXPECT_EQ(field->payload.offset, 1002U);
  EXPECT_EQ(field->encoded.size(), bytes.size());
}

TEST(WireReader, ReadsFixedWidthNumbersLittleEndian) {
  WireReader reader = reader_of("\x1d\x01\x02\x03\x04\x21\x01\x00\x00\x00\x00\x00\x00\x80"sv);
  const auto narrow = reader.next();
  const auto wide = reader.next();
  ASSERT_TRUE(narrow && wide);
  EXPECT_EQ(narrow->value, 0x04030201U);
  EXPECT_EQ(wide->value, 0x8000000000000001U);
  EXPECT_EQ(wide->offset, 5U);
}

TEST(WireReader, ReadsMinusOneAsTenBytes) {
  WireReader reader = reader_of("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv);
  const auto field = reader.next();
  ASSERT_TRUE(field) << field.error().text();
  EXPECT_EQ(static_cast<std::int64_t>(field->value), -1);
}

TEST(WireReader, TakesAListPackedOrNot) {
  WireReader reader = reader_of("\x1d\x01\x00\x00\x00\x1a\x04\x02\x00\x00\x00"sv);
  const auto single = reader.next();
  const auto packed = reader.next();
  ASSERT_TRUE(single && packed);
  EXPECT_EQ(single->type, WireType::Fixed32);
  EXPECT_EQ(packed->type, WireType::Bytes);
}

TEST(WireReader, WalksOverFieldsThatTheMessageDoesNotList) {
  WireReader reader = reader_of("\xa2\x06\x02hi\x08\x05"sv);  // Field 100, then field 1.
  const auto unknown = reader.next();
  const auto known = reader.next();
  ASSERT_TRUE(unknown && known);
  EXPECT_EQ(unknown->number, 100U);
  EXPECT_EQ(known->value, 5U);
}

struct BrokenMessage {
  std::string_view bytes;
  std::string_view complaint;
};

class WireReaderOnBrokenBytes : public ::testing::TestWithParam<BrokenMessage> {};

TEST_P(WireReaderOnBrokenBytes, SaysWhatIsWrongAndWhere) {
  WireReader reader = reader_of(GetParam().bytes, 100);
  const auto field = reader.next();
  ASSERT_FALSE(field);
  EXPECT_EQ(field.error().code, Errc::Corrupt);
  EXPECT_THAT(field.error().message, HasSubstr(std::string{GetParam().complaint}));
  EXPECT_THAT(field.error().message, HasSubstr("at byte 100"));
}

INSTANTIATE_TEST_SUITE_P(
    Each, WireReaderOnBrokenBytes,
    ::testing::Values(
        BrokenMessage{"\x12\x08testing"sv, "TestProto.text at byte 100 claims 8 bytes, but 7 are"},
        BrokenMessage{"\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv,
                      "claims 18446744073709551615 bytes, but 0 are left"},
        BrokenMessage{"\x12\x80"sv, "TestProto.text at byte 100 is cut off within its length"},
        BrokenMessage{"\x12"sv, "is cut off"},
        BrokenMessage{"\x08\x80"sv, "TestProto.number at byte 100 is cut off"},
        BrokenMessage{"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv, "a varint expected"},
        BrokenMessage{"\x1d\x01\x02"sv, "TestProto.list at byte 100 is cut off"},
        BrokenMessage{"\x21\x01\x02\x03\x04"sv, "field 4 at byte 100 is cut off"},
        BrokenMessage{"\x80"sv, "no valid field tag"},
        BrokenMessage{"\x00\x01"sv, "no valid field tag"},
        BrokenMessage{"\xf8\xff\xff\xff\xff\x7f\x01"sv, "no valid field tag"},
        BrokenMessage{"\x23\x24"sv, "wire type 3"}, BrokenMessage{"\x24"sv, "wire type 4"},
        BrokenMessage{"\x26"sv, "wire type 6"},
        BrokenMessage{"\x10\x01"sv,
                      "TestProto.text at byte 100 is encoded as a varint, expected "
                      "bytes"},
        BrokenMessage{"\x0a\x01x"sv, "is encoded as bytes, expected a varint"},
        BrokenMessage{"\x18\x01"sv, "is encoded as a varint, expected a 32-bit number"}));

TEST(TakeVarint, LeavesTheBytesAloneWhereTheyAreCutOff) {
  const auto bytes = "\x80\x80"sv;
  std::span<const std::byte> rest = std::as_bytes(std::span{bytes});
  EXPECT_FALSE(take_varint(rest));
  EXPECT_EQ(rest.size(), 2U);
}

}  // namespace
}  // namespace horus::graph
