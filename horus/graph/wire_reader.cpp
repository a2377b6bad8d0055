// SPDX-License-Identifier: Apache-2.0
#include "horus/graph/wire_reader.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace horus::graph {
namespace {

constexpr std::size_t kVarintBytesMax = 10;
/// The wire format keeps 29 bits for field numbers.
constexpr std::uint64_t kFieldNumberMax = (1U << 29U) - 1;

std::string_view name_of(WireType type) {
  switch (type) {
    case WireType::Varint:
      return "a varint";
    case WireType::Fixed64:
      return "a 64-bit number";
    case WireType::Bytes:
      return "bytes";
    case WireType::Fixed32:
      break;
  }
  return "a 32-bit number";
}

struct FormRule {
  WireType single;
  bool packable;
};

FormRule rule_of(FieldForm form) {
  switch (form) {
    case FieldForm::Varint:
      return {WireType::Varint, false};
    case FieldForm::Varints:
      return {WireType::Varint, true};
    case FieldForm::Fixed32s:
      return {WireType::Fixed32, true};
    case FieldForm::Fixed64s:
      return {WireType::Fixed64, true};
    case FieldForm::Bytes:
      break;
  }
  return {WireType::Bytes, false};
}

}  // namespace

std::optional<std::uint64_t> take_varint(std::span<const std::byte>& rest) {
  std::uint64_t value = 0;
  const std::size_t limit = std::min(rest.size(), kVarintBytesMax);
  for (std::size_t i = 0; i < limit; ++i) {
    const auto byte = std::to_integer<std::uint64_t>(rest[i]);
    value |= (byte & 0x7FU) << (7 * i);
    if (byte < 0x80U) {
      rest = rest.subspan(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> take_fixed(std::span<const std::byte>& rest, std::size_t width) {
  if (rest.size() < width) return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < width; ++i) {
    value |= std::to_integer<std::uint64_t>(rest[i]) << (8 * i);
  }
  rest = rest.subspan(width);
  return value;
}

std::string WireReader::label(const WireField& field) const {
  const FieldSpec* known = spec_->find(field.number);
  const std::string name =
      known != nullptr ? std::string{known->name} : fmt::format("field {}", field.number);
  return fmt::format("{}.{} at byte {}", spec_->name, name, field.offset);
}

Result<WireField> WireReader::next() {
  const std::span<const std::byte> before = rest_;
  WireField field{.offset = offset_};
  const auto tag = take_varint(rest_);
  if (!tag || (*tag >> 3U) == 0 || (*tag >> 3U) > kFieldNumberMax) {
    return fail(Errc::Corrupt,
                fmt::format("{} holds no valid field tag at byte {}: the file is damaged or not an "
                            "ONNX model",
                            spec_->name, offset_));
  }
  field.number = static_cast<std::uint32_t>(*tag >> 3U);
  field.type = static_cast<WireType>(*tag & 7U);
  offset_ += before.size() - rest_.size();
  const std::size_t after_tag = rest_.size();
  HORUS_TRY_DONE(read_value(field));
  HORUS_TRY_DONE(check_form(field));
  offset_ += after_tag - rest_.size();
  field.encoded = before.first(before.size() - rest_.size());
  return field;
}

Result<Done> WireReader::read_value(WireField& field) {
  std::optional<std::uint64_t> value;
  switch (field.type) {
    case WireType::Bytes:
      return read_payload(field);
    case WireType::Varint:
      value = take_varint(rest_);
      break;
    case WireType::Fixed64:
      value = take_fixed(rest_, 8);
      break;
    case WireType::Fixed32:
      value = take_fixed(rest_, 4);
      break;
    default:
      return fail(Errc::Corrupt,
                  fmt::format("{} has wire type {}, which ONNX does not use: the file is damaged "
                              "or not an ONNX model",
                              label(field), static_cast<int>(field.type)));
  }
  if (!value) {
    return fail(Errc::Corrupt, fmt::format("{} is cut off or damaged: {} expected, {} bytes are "
                                           "left; get the file again",
                                           label(field), name_of(field.type), rest_.size()));
  }
  field.value = *value;
  return Done{};
}

Result<Done> WireReader::read_payload(WireField& field) {
  const std::size_t before = rest_.size();
  const auto length = take_varint(rest_);
  if (!length) {
    return fail(Errc::Corrupt,
                fmt::format("{} is cut off within its length; get the file again", label(field)));
  }
  if (*length > rest_.size()) {
    return fail(Errc::Corrupt,
                fmt::format("{} claims {} bytes, but {} are left: the file is cut off or damaged; "
                            "get it again",
                            label(field), *length, rest_.size()));
  }
  const auto size = static_cast<std::size_t>(*length);
  field.payload = Slice{rest_.first(size), offset_ + (before - rest_.size())};
  rest_ = rest_.subspan(size);
  return Done{};
}

Result<Done> WireReader::check_form(const WireField& field) const {
  const FieldSpec* known = spec_->find(field.number);
  if (known == nullptr) return Done{};
  const FormRule rule = rule_of(known->form);
  if (field.type == rule.single) return Done{};
  if (rule.packable && field.type == WireType::Bytes) return Done{};
  return fail(Errc::Corrupt,
              fmt::format("{} is encoded as {}, expected {}: the file is damaged or not an ONNX "
                          "model",
                          label(field), name_of(field.type), name_of(rule.single)));
}

}  // namespace horus::graph
