// SPDX-License-Identifier: Apache-2.0
#include "horus/graph/onnx_tensor.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "horus/base/text.hpp"
#include "horus/graph/half_float.hpp"
#include "horus/graph/onnx_fields.hpp"

namespace horus::graph {
namespace {

using enum ContentKind;

// Source: comments of TensorProto in onnx.proto.
constexpr auto kContentRules = std::to_array<ContentRule>({
    {ElementType::Float32, "float32", 4, tensor_field::kFloatData, 1, Float},
    {ElementType::Uint8, "uint8", 1, tensor_field::kInt32Data, 1, Integer},
    {ElementType::Int8, "int8", 1, tensor_field::kInt32Data, 1, Integer},
    {ElementType::Uint16, "uint16", 2, tensor_field::kInt32Data, 1, Integer},
    {ElementType::Int16, "int16", 2, tensor_field::kInt32Data, 1, Integer},
    {ElementType::Int32, "int32", 4, tensor_field::kInt32Data, 1, Integer},
    {ElementType::Int64, "int64", 8, tensor_field::kInt64Data, 1, Integer},
    {ElementType::String, "string", 0, tensor_field::kStringData, 1, Other},
    {ElementType::Bool, "bool", 1, tensor_field::kInt32Data, 1, Integer},
    {ElementType::Float16, "float16", 2, tensor_field::kInt32Data, 1, Float},
    {ElementType::Float64, "float64", 8, tensor_field::kDoubleData, 1, Float},
    {ElementType::Uint32, "uint32", 4, tensor_field::kUint64Data, 1, Integer},
    {ElementType::Uint64, "uint64", 8, tensor_field::kUint64Data, 1, Integer},
    {ElementType::Complex64, "complex64", 8, tensor_field::kFloatData, 2, Other},
    {ElementType::Complex128, "complex128", 16, tensor_field::kDoubleData, 2, Other},
    {ElementType::BFloat16, "bfloat16", 2, tensor_field::kInt32Data, 1, Float},
});

/// The typed lists of TensorProto, and the bytes of a packed entry (0: a varint of 1 to 10).
struct TypedList {
  std::uint32_t field;
  std::size_t entry_width;
};
constexpr auto kTypedLists = std::to_array<TypedList>({
    {tensor_field::kFloatData, 4},
    {tensor_field::kInt32Data, 0},
    {tensor_field::kStringData, 0},
    {tensor_field::kInt64Data, 0},
    {tensor_field::kDoubleData, 8},
    {tensor_field::kUint64Data, 0},
});
constexpr std::uint64_t kVarintBytesMax = 10;

const TypedList* typed_list(std::uint32_t field) {
  for (const TypedList& list : kTypedLists) {
    if (list.field == field) return &list;
  }
  return nullptr;
}

/// A TensorProto before its contents are looked at.
struct Header {
  Tensor tensor;
  bool segmented{false};
  Slice raw;                      ///< Empty: none.
  const TypedList* typed{};       ///< The list in use, or null.
  bool mixed{false};              ///< Two typed lists at once.
  bool ragged{false};             ///< A packed list ends within an entry.
  std::uint64_t entries_least{};  ///< Entries of `typed`: exact unless varints are packed.
  std::uint64_t entries_most{};
};

void count_entries(const WireField& field, const TypedList& list, Header& header) {
  const bool is_list = field.type == WireType::Bytes && list.field != tensor_field::kStringData;
  const std::uint64_t bytes = field.payload.bytes.size();
  if (is_list && bytes == 0) return;
  header.mixed = header.mixed || (header.typed != nullptr && header.typed != &list);
  header.typed = &list;
  if (!is_list) {
    header.entries_least += 1;
    header.entries_most += 1;
  } else if (list.entry_width != 0) {
    header.ragged = header.ragged || bytes % list.entry_width != 0;
    header.entries_least += bytes / list.entry_width;
    header.entries_most += bytes / list.entry_width;
  } else {
    header.entries_least += (bytes + kVarintBytesMax - 1) / kVarintBytesMax;
    header.entries_most += bytes;
  }
}

Result<Done> append_dims(const WireField& field, const ReadLimits& limits,
                         std::vector<std::int64_t>& dims) {
  const auto too_many = [&limits] {
    return fail(Errc::Unsupported,
                fmt::format("more than {} axes, the most that Horus reads", limits.rank));
  };
  if (field.type == WireType::Varint) {
    if (dims.size() >= limits.rank) return too_many();
    dims.push_back(static_cast<std::int64_t>(field.value));
    return Done{};
  }
  std::span<const std::byte> rest = field.payload.bytes;
  while (!rest.empty()) {
    const auto dim = take_varint(rest);
    if (!dim) return fail(Errc::Corrupt, "the list of dims is damaged");
    if (dims.size() >= limits.rank) return too_many();
    dims.push_back(static_cast<std::int64_t>(*dim));
  }
  return Done{};
}

Result<Done> read_header_field(const WireField& field, const ReadLimits& limits, Header& header) {
  Tensor& tensor = header.tensor;
  switch (field.number) {
    case tensor_field::kDims:
      return append_dims(field, limits, tensor.dims);
    case tensor_field::kDataType:
      tensor.type = static_cast<ElementType>(static_cast<std::int32_t>(field.value));
      break;
    case tensor_field::kName:
      tensor.name = text_of(field.payload);
      break;
    case tensor_field::kSegment:
      header.segmented = true;
      break;
    case tensor_field::kRawData:
      header.raw = field.payload;
      break;
    case tensor_field::kExternalData:
      tensor.external = true;
      break;
    case tensor_field::kDataLocation:
      tensor.external = tensor.external || field.value == 1;
      break;
    default:
      if (const TypedList* list = typed_list(field.number)) count_entries(field, *list, header);
  }
  return Done{};
}

Result<Done> read_header(Slice message, const ReadLimits& limits, Header& header) {
  for (WireReader reader{tensor_field::kSpec, message}; !reader.at_end();) {
    HORUS_TRY(const WireField field, reader.next());
    HORUS_TRY_DONE(read_header_field(field, limits, header));
  }
  return Done{};
}

auto contradiction(std::string_view stored, const ContentRule& rule, const Tensor& tensor,
                   std::uint64_t elements) {
  return fail(Errc::Corrupt,
              fmt::format("found {}, but shape [{}] of {} takes {} elements: the file is damaged",
                          stored, fmt::join(tensor.dims, ","), rule.name, elements));
}

/// Whether what is stored can be the contents of `elements` elements.
Result<Done> check_contents(const Header& header, const ContentRule& rule, std::uint64_t elements) {
  const std::uint64_t raw = header.raw.bytes.size();
  if (header.mixed || (raw != 0 && header.typed != nullptr)) {
    return fail(Errc::Corrupt,
                "the contents are stored twice, in different fields: exactly one of "
                "raw_data and the typed lists is expected");
  }
  if (raw != 0 && (rule.width == 0 || raw % rule.width != 0 || raw / rule.width != elements)) {
    return contradiction(fmt::format("{} bytes of raw_data", raw), rule, header.tensor, elements);
  }
  if (header.typed == nullptr) return Done{};
  const std::string_view list = tensor_field::kSpec.find(header.typed->field)->name;
  if (header.typed->field != rule.typed_field) {
    return fail(Errc::Corrupt,
                fmt::format("found contents in {}, but type {} takes raw_data or {}", list,
                            rule.name, tensor_field::kSpec.find(rule.typed_field)->name));
  }
  // Not elements * per_element: that might overflow.
  const std::uint64_t least = (header.entries_least + rule.per_element - 1) / rule.per_element;
  if (header.ragged || elements < least || elements > header.entries_most / rule.per_element) {
    return contradiction(fmt::format("{} of the wrong length", list), rule, header.tensor,
                         elements);
  }
  return Done{};
}

/// The little-endian bits of each element in raw_data.
std::vector<std::uint64_t> raw_bits(Slice raw, std::size_t width) {
  std::vector<std::uint64_t> bits;
  bits.reserve(raw.bytes.size() / width);
  std::span<const std::byte> rest = raw.bytes;
  while (const auto value = take_fixed(rest, width)) bits.push_back(*value);
  return bits;
}

/// The bits of each entry of `list`, packed or not. Errors: Corrupt.
Result<std::vector<std::uint64_t>> typed_bits(Slice message, const TypedList& list) {
  std::vector<std::uint64_t> bits;
  for (WireReader reader{tensor_field::kSpec, message}; !reader.at_end();) {
    HORUS_TRY(const WireField field, reader.next());
    if (field.number != list.field) continue;
    if (field.type != WireType::Bytes) bits.push_back(field.value);
    std::span<const std::byte> rest = field.payload.bytes;
    while (!rest.empty()) {
      const auto value =
          list.entry_width == 0 ? take_varint(rest) : take_fixed(rest, list.entry_width);
      if (!value) return fail(Errc::Corrupt, "the list of contents is damaged");
      bits.push_back(*value);
    }
  }
  return bits;
}

/// Narrow types keep their low bits, as ONNX's own reader does.
std::int64_t integer_of(ElementType type, std::uint64_t bits) {
  switch (type) {
    case ElementType::Uint8:
      return static_cast<std::uint8_t>(bits);
    case ElementType::Int8:
      return static_cast<std::int8_t>(bits);
    case ElementType::Uint16:
      return static_cast<std::uint16_t>(bits);
    case ElementType::Int16:
      return static_cast<std::int16_t>(bits);
    case ElementType::Int32:
      return static_cast<std::int32_t>(bits);
    case ElementType::Uint32:
      return static_cast<std::uint32_t>(bits);
    case ElementType::Bool:
      return bits != 0 ? 1 : 0;
    default:
      return static_cast<std::int64_t>(bits);
  }
}

double float_of(ElementType type, std::uint64_t bits) {
  switch (type) {
    case ElementType::Float64:
      return std::bit_cast<double>(bits);
    case ElementType::Float16:
      return double_of_float16(static_cast<std::uint16_t>(bits));
    case ElementType::BFloat16:
      return double_of_bfloat16(static_cast<std::uint16_t>(bits));
    default:
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
}

/// Unsigned numbers that a signed one cannot hold stay unknown rather than turn negative.
bool fits_signed(ElementType type, const std::vector<std::uint64_t>& bits) {
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return type != ElementType::Uint64 ||
         std::all_of(bits.begin(), bits.end(), [](std::uint64_t b) { return b <= kMax; });
}

void keep_contents(const ContentRule& rule, const std::vector<std::uint64_t>& bits,
                   Tensor& tensor) {
  if (rule.kind == Float) {
    std::vector<double>& floats = tensor.floats.emplace();
    floats.reserve(bits.size());
    for (const std::uint64_t b : bits) floats.push_back(float_of(rule.type, b));
  } else if (fits_signed(rule.type, bits)) {
    std::vector<std::int64_t>& integers = tensor.integers.emplace();
    integers.reserve(bits.size());
    for (const std::uint64_t b : bits) integers.push_back(integer_of(rule.type, b));
  }
}

bool is_small(const ContentRule& rule, std::uint64_t elements) {
  switch (rule.kind) {
    case Integer:
      return elements <= kIntegerBytesMax / rule.width;
    case Float:
      return elements <= kFloatBytesMax / rule.width;
    case Other:
      break;
  }
  return false;
}

Result<Done> read_contents(Slice message, Header& header, ReadBudget& budget) {
  HORUS_TRY(const std::uint64_t elements, element_count(header.tensor.dims));
  const ContentRule* rule = content_rule(header.tensor.type);
  if (rule == nullptr || header.tensor.external || header.segmented) return Done{};
  HORUS_TRY_DONE(check_contents(header, *rule, elements));
  const bool present = !header.raw.bytes.empty() || header.typed != nullptr || elements == 0;
  if (!present || !is_small(*rule, elements)) return Done{};
  std::vector<std::uint64_t> bits;
  if (header.typed != nullptr) {
    HORUS_TRY(bits, typed_bits(message, *header.typed));
  } else {
    bits = raw_bits(header.raw, rule->width);
  }
  if (bits.size() != elements) {
    return contradiction(fmt::format("{} elements", bits.size()), *rule, header.tensor, elements);
  }
  if (budget.keeps_contents(bits.size())) keep_contents(*rule, bits, header.tensor);
  return Done{};
}

std::string place_of(const Tensor& tensor) {
  return tensor.name.empty() ? "an unnamed tensor"
                             : fmt::format("tensor '{}'", printable(tensor.name));
}

}  // namespace

const ContentRule* content_rule(ElementType type) {
  for (const ContentRule& rule : kContentRules) {
    if (rule.type == type) return &rule;
  }
  return nullptr;
}

Result<std::uint64_t> element_count(std::span<const std::int64_t> dims) {
  std::uint64_t product = 1;
  bool empty = false;
  bool overflow = false;
  for (const std::int64_t dim : dims) {
    if (dim < 0) {
      return fail(Errc::Corrupt,
                  fmt::format("negative dim {} in shape [{}]", dim, fmt::join(dims, ",")));
    }
    const auto size = static_cast<std::uint64_t>(dim);
    empty = empty || size == 0;
    overflow = overflow || (size != 0 && product > kElementsMax / size);
    if (size != 0 && !overflow) product *= size;
  }
  if (empty) return std::uint64_t{0};
  if (overflow) {
    return fail(Errc::Corrupt, fmt::format("impossible shape [{}]: more than 2^62 elements",
                                           fmt::join(dims, ",")));
  }
  return product;
}

Result<Tensor> read_tensor(Slice message, ReadBudget& budget) {
  HORUS_TRY_DONE(budget.take_tensor());
  Header header;
  auto done = read_header(message, budget.limits(), header);
  if (done) done = read_contents(message, header, budget);
  if (!done) return tl::make_unexpected(inside(place_of(header.tensor), std::move(done).error()));
  return std::move(header.tensor);
}

Result<Tensor> read_sparse_tensor(Slice message, ReadBudget& budget) {
  HORUS_TRY_DONE(budget.take_tensor());
  Header header;
  std::vector<std::int64_t> dims;
  Result<Done> done = Done{};
  for (WireReader reader{sparse_tensor_field::kSpec, message}; done && !reader.at_end();) {
    HORUS_TRY(const WireField field, reader.next());
    if (field.number == sparse_tensor_field::kValues) {
      done = read_header(field.payload, budget.limits(), header);
    } else if (field.number == sparse_tensor_field::kDims) {
      done = append_dims(field, budget.limits(), dims);
    }
  }
  header.tensor.dims = std::move(dims);
  if (done) {
    done = element_count(header.tensor.dims).map([](std::uint64_t) { return Done{}; });
  }
  if (!done) return tl::make_unexpected(inside(place_of(header.tensor), std::move(done).error()));
  return std::move(header.tensor);
}

}  // namespace horus::graph
