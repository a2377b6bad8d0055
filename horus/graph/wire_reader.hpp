// SPDX-License-Identifier: Apache-2.0
#pragma once
// Walks one message of the protobuf wire format, field by field, over bytes that may be a mapped
// file of any size. Nothing is copied; what a field holds is touched only by whoever reads it.
// Source: Protocol Buffers encoding, https://protobuf.dev/programming-guides/encoding/.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "horus/base/result.hpp"

namespace horus::graph {

/// Bytes, and where they begin in the file they come from.
struct Slice {
  std::span<const std::byte> bytes;
  std::uint64_t offset{};
};

/// How a value stands in the file. Groups (3 and 4) are refused: ONNX never had any.
enum class WireType : std::uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

/// How a known field may be encoded. The last three are lists of scalars, which may also be packed
/// into one field of bytes.
enum class FieldForm : std::uint8_t { Varint, Bytes, Varints, Fixed32s, Fixed64s };

struct FieldSpec {
  std::string_view name;
  std::uint32_t number{};
  FieldForm form{};
};

/// A message type: its name and its known fields. Other fields are legal and are walked over, as
/// the wire format demands.
struct MessageSpec {
  std::string_view name;
  std::span<const FieldSpec> fields;

  /// The field's row, or null where the message does not list it. Cost: O(fields).
  [[nodiscard]] constexpr const FieldSpec* find(std::uint32_t number) const {
    for (const FieldSpec& field : fields) {
      if (field.number == number) return &field;
    }
    return nullptr;
  }
};

struct WireField {
  std::uint32_t number{};
  WireType type{WireType::Varint};
  std::uint64_t value{};               ///< Of Varint, Fixed32 and Fixed64.
  Slice payload;                       ///< Of Bytes.
  std::span<const std::byte> encoded;  ///< All of it, tag included.
  std::uint64_t offset{};              ///< Of its tag in the file.
};

/// Takes a base-128 varint off the front of `rest`. Nothing (and `rest` unchanged) where it is cut
/// off or longer than ten bytes.
[[nodiscard]] std::optional<std::uint64_t> take_varint(std::span<const std::byte>& rest);

/// Takes a little-endian number of `width` bytes (at most 8) off the front of `rest`. Nothing (and
/// `rest` unchanged) where there are fewer.
[[nodiscard]] std::optional<std::uint64_t> take_fixed(std::span<const std::byte>& rest,
                                                      std::size_t width);

/// The same bytes as characters.
[[nodiscard]] inline std::string_view chars_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The text of a field of bytes.
[[nodiscard]] inline std::string text_of(Slice slice) { return std::string{chars_of(slice.bytes)}; }

class WireReader {
 public:
  /// `spec` must outlive the reader.
  WireReader(const MessageSpec& spec, Slice message)
      : spec_{&spec}, rest_{message.bytes}, offset_{message.offset} {}

  [[nodiscard]] bool at_end() const { return rest_.empty(); }

  /// The next field, its length checked against what is left of the message and its encoding
  /// against the specification. Cost: O(1), whatever the length.
  /// Errors: Corrupt, with the field's name and its byte offset in the file.
  [[nodiscard]] Result<WireField> next();

 private:
  [[nodiscard]] Result<Done> read_value(WireField& field);
  [[nodiscard]] Result<Done> read_payload(WireField& field);
  [[nodiscard]] Result<Done> check_form(const WireField& field) const;
  [[nodiscard]] std::string label(const WireField& field) const;

  const MessageSpec* spec_;
  std::span<const std::byte> rest_;
  std::uint64_t offset_;  ///< Of rest_ in the file.
};

}  // namespace horus::graph
