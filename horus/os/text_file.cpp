// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <zlib.h>

#include "horus/os/descriptor.hpp"
#include "horus/os/file.hpp"
#include "horus/os/regular_file.hpp"

namespace horus::os {
namespace {

constexpr std::string_view kGzipMagic{"\x1f\x8b"};

/// An inflating stream over bytes in memory.
class Inflater {
 public:
  explicit Inflater(std::span<const std::byte> bytes) : rest_{bytes} {
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    ready_ = inflateInit2(&stream_, kGzipOnly) == Z_OK;
  }
  ~Inflater() {
    if (ready_) inflateEnd(&stream_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Appends all text of all gzip members to `out`. False: the stream is damaged or cut off.
  bool run(std::string& out, std::size_t limit) {
    std::array<char, 1 << 16> chunk{};
    int status = ready_ ? Z_OK : Z_MEM_ERROR;
    while (status == Z_OK && out.size() <= limit) {
      feed();
      stream_.next_out = reinterpret_cast<Bytef*>(chunk.data());
      stream_.avail_out = static_cast<uInt>(chunk.size());
      status = inflate(&stream_, Z_NO_FLUSH);
      out.append(chunk.data(), chunk.size() - stream_.avail_out);
      if (status == Z_STREAM_END && has_input()) status = inflateReset(&stream_);  // next member
    }
    return status == Z_STREAM_END || out.size() > limit;
  }

 private:
  [[nodiscard]] bool has_input() const { return stream_.avail_in > 0 || !rest_.empty(); }

  /// zlib counts input in 32 bits: hand it over in pieces.
  void feed() {
    if (stream_.avail_in > 0) return;
    const std::size_t piece = std::min(rest_.size(), std::size_t{1} << 30U);
    stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(rest_.data()));  // NOLINT
    stream_.avail_in = static_cast<uInt>(piece);
    rest_ = rest_.subspan(piece);
  }

  z_stream stream_{};
  std::span<const std::byte> rest_;
  bool ready_{false};
};

// No table of numbers shrinks to a hundredth; small ones may do what they like.
constexpr std::size_t kBombRatio = 100;
constexpr std::size_t kHarmlessBytes = std::size_t{64} << 20U;

auto too_large(const std::string& path, std::size_t limit) {
  return fail(Errc::Unsupported, fmt::format("holds more than {} bytes of text", limit), path);
}

/// Read, not mapped: a file that another process cuts off meanwhile is then short instead of
/// deadly.
Result<std::string> read_whole(const std::string& path, std::size_t limit) {
  HORUS_TRY(const RegularFile file, open_regular(path));
  std::string text;
  if (file.size > limit) return too_large(path, limit);
  text.reserve(file.size);
  HORUS_TRY_DONE(read_all(file.descriptor.number(), text, limit, path));
  if (text.size() > limit) return too_large(path, limit);
  return text;
}

}  // namespace

Result<std::string> read_text(const std::string& path, std::size_t limit) {
  HORUS_TRY(std::string packed, read_whole(path, limit));
  if (!packed.starts_with(kGzipMagic)) return packed;
  const std::size_t sane = std::max(kHarmlessBytes, packed.size() * kBombRatio);
  std::string text;
  if (!Inflater{std::as_bytes(std::span{packed})}.run(text, std::min(limit, sane))) {
    return fail(Errc::Corrupt,
                fmt::format("the gzip stream is damaged or cut off after {} bytes of text; "
                            "unpack it with 'gzip -t' to see where",
                            text.size()),
                path);
  }
  if (text.size() > limit) return too_large(path, limit);
  if (text.size() > sane) {
    return fail(Errc::Unsupported,
                fmt::format("unpacks to more than {} times its {} bytes: a gzip bomb; if it is "
                            "none, unpack it first",
                            kBombRatio, packed.size()),
                path);
  }
  return text;
}

}  // namespace horus::os
