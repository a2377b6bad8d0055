// SPDX-License-Identifier: Apache-2.0
#include "horus/graph/onnx_foreign.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "horus/graph/wire_reader.hpp"

namespace horus::graph {
namespace {

using std::string_view_literals::operator""sv;

struct Signature {
  std::size_t offset;
  std::string_view bytes;
  std::string_view what;
  std::string_view advice;
};

constexpr std::string_view kExport = "export the model to ONNX (for PyTorch: torch.onnx.export)";
constexpr std::string_view kConvert = "convert it to ONNX (for example with tf2onnx)";
constexpr std::string_view kUnpack = "unpack it first";
constexpr std::string_view kWrongFile = "check the path";
constexpr std::string_view kDownload = "download the file itself, not the page about it";

// First match wins.
constexpr auto kSignatures = std::to_array<Signature>({
    {0, "version https://git-lfs"sv, "a Git LFS pointer",
     "fetch the real file with `git lfs pull`"},
    {0, "PK\x03\x04"sv, "a zip archive, as PyTorch checkpoints (.pt, .pth), .npz and .keras are",
     kExport},
    {0, "\x80\x02"sv, "a Python pickle, as old PyTorch checkpoints are", kExport},
    {0, "\x80\x03"sv, "a Python pickle", kExport},
    {0, "\x80\x04"sv, "a Python pickle", kExport},
    {0, "\x80\x05"sv, "a Python pickle", kExport},
    {0, "\x89HDF\r\n"sv, "an HDF5 file, as Keras models are", kConvert},
    {4, "TFL3"sv, "a TensorFlow Lite model", kConvert},
    {8, "{\""sv, "a safetensors file: weights without a graph", kExport},
    {0, "GGUF"sv, "a GGUF file: weights without a graph", kExport},
    {0, "\x93NUMPY"sv, "a NumPy array", kExport},
    {0, "\x1f\x8b"sv, "a gzip archive", kUnpack},
    {0, "BZh"sv, "a bzip2 archive", kUnpack},
    {0,
     "\xfd"
     "7zXZ"sv,
     "an xz archive", kUnpack},
    {0, "\x28\xb5\x2f\xfd"sv, "a zstd archive", kUnpack},
    {257, "ustar"sv, "a tar archive", kUnpack},
    {0, "\x89PNG"sv, "a PNG image", kWrongFile},
    {0, "\xff\xd8\xff"sv, "a JPEG image", kWrongFile},
    {0, "GIF8"sv, "a GIF image", kWrongFile},
    {0, "%PDF"sv, "a PDF document", kWrongFile},
    {0,
     "\x7f"
     "ELF"sv,
     "a program", kWrongFile},
    {0, "ir_version:"sv, "an ONNX model in protobuf's text format",
     "convert it to the binary form"},
});

/// The same for text, after leading blanks.
constexpr auto kTextSignatures = std::to_array<Signature>({
    {0, "<"sv, "an HTML or XML page", kDownload},
    {0, "{"sv, "JSON text", "expected the binary form of ONNX, as torch.onnx.export writes it"},
    {0, "["sv, "JSON text", "expected the binary form of ONNX, as torch.onnx.export writes it"},
    {0, ""sv, "text", "expected the binary form of ONNX, as torch.onnx.export writes it"},
});

constexpr std::size_t kHeadBytes = 512;

const Signature* match(std::span<const Signature> signatures, std::string_view head) {
  for (const Signature& signature : signatures) {
    if (head.size() < signature.offset) continue;
    if (head.substr(signature.offset).starts_with(signature.bytes)) return &signature;
  }
  return nullptr;
}

bool is_text(std::string_view head) {
  return std::all_of(head.begin(), head.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 || byte == '\n' || byte == '\r' || byte == '\t' || byte == '\f';
  });
}

}  // namespace

std::optional<std::string> describe_foreign(std::span<const std::byte> bytes) {
  if (bytes.empty()) return "the file is empty: get it again";
  const std::string_view head = chars_of(bytes.first(std::min(bytes.size(), kHeadBytes)));
  const Signature* found = match(kSignatures, head);
  if (found == nullptr && is_text(head)) {
    const std::size_t start = std::min(head.find_first_not_of(" \t\r\n\f"), head.size());
    found = match(kTextSignatures, head.substr(start));
  }
  if (found == nullptr) return std::nullopt;
  return "this looks like " + std::string{found->what} +
         ", not like an ONNX model: " + std::string{found->advice};
}

}  // namespace horus::graph
