// SPDX-License-Identifier: Apache-2.0
#include "horus/base/sha256.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

namespace horus {
namespace {

constexpr std::size_t kBlockBytes = 64;
constexpr std::size_t kLengthBytes = 8;

using State = std::array<std::uint32_t, 8>;
using Block = std::array<std::uint8_t, kBlockBytes>;

/// First 32 bits of the fractional parts of the square roots of the first 8 primes.
constexpr State kInitial = {0x6a09e667U, 0xbb67ae85U, 0x3c6ef372U, 0xa54ff53aU,
                            0x510e527fU, 0x9b05688cU, 0x1f83d9abU, 0x5be0cd19U};

/// First 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kRounds = {
    0x428a2f98U, 0x71374491U, 0xb5c0fbcfU, 0xe9b5dba5U, 0x3956c25bU, 0x59f111f1U, 0x923f82a4U,
    0xab1c5ed5U, 0xd807aa98U, 0x12835b01U, 0x243185beU, 0x550c7dc3U, 0x72be5d74U, 0x80deb1feU,
    0x9bdc06a7U, 0xc19bf174U, 0xe49b69c1U, 0xefbe4786U, 0x0fc19dc6U, 0x240ca1ccU, 0x2de92c6fU,
    0x4a7484aaU, 0x5cb0a9dcU, 0x76f988daU, 0x983e5152U, 0xa831c66dU, 0xb00327c8U, 0xbf597fc7U,
    0xc6e00bf3U, 0xd5a79147U, 0x06ca6351U, 0x14292967U, 0x27b70a85U, 0x2e1b2138U, 0x4d2c6dfcU,
    0x53380d13U, 0x650a7354U, 0x766a0abbU, 0x81c2c92eU, 0x92722c85U, 0xa2bfe8a1U, 0xa81a664bU,
    0xc24b8b70U, 0xc76c51a3U, 0xd192e819U, 0xd6990624U, 0xf40e3585U, 0x106aa070U, 0x19a4c116U,
    0x1e376c08U, 0x2748774cU, 0x34b0bcb5U, 0x391c0cb3U, 0x4ed8aa4aU, 0x5b9cca4fU, 0x682e6ff3U,
    0x748f82eeU, 0x78a5636fU, 0x84c87814U, 0x8cc70208U, 0x90befffaU, 0xa4506cebU, 0xbef9a3f7U,
    0xc67178f2U};

/// The message schedule: the block as big-endian words, extended to one word a round.
std::array<std::uint32_t, 64> schedule(const Block& block) {
  std::array<std::uint32_t, 64> words{};
  for (std::size_t i = 0; i < kBlockBytes; ++i) words[i / 4] = words[i / 4] << 8U | block[i];
  for (std::size_t i = 16; i < words.size(); ++i) {
    const std::uint32_t early = words[i - 15];
    const std::uint32_t late = words[i - 2];
    words[i] = words[i - 16] + (std::rotr(early, 7) ^ std::rotr(early, 18) ^ early >> 3U) +
               words[i - 7] + (std::rotr(late, 17) ^ std::rotr(late, 19) ^ late >> 10U);
  }
  return words;
}

void compress(State& state, const Block& block) {
  const auto words = schedule(block);
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                                ((e & f) ^ (~e & g)) + kRounds[i] + words[i];
    const std::uint32_t second =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const State sums = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += sums[i];
}

/// The last bytes, a one bit, zeros, and the length of the whole message in bits.
void compress_end(State& state, std::span<const std::byte> rest, std::uint64_t total_bytes) {
  Block block{};
  std::ranges::transform(rest, block.begin(),
                         [](std::byte b) { return static_cast<std::uint8_t>(b); });
  block[rest.size()] = 0x80U;
  if (rest.size() + 1 + kLengthBytes > kBlockBytes) {
    compress(state, block);
    block.fill(0);
  }
  const std::uint64_t bits = total_bytes * 8;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    block[kBlockBytes - 1 - i] = static_cast<std::uint8_t>(bits >> (8 * i));
  }
  compress(state, block);
}

}  // namespace

std::string sha256_hex(std::span<const std::byte> bytes) {
  State state = kInitial;
  const std::uint64_t total = bytes.size();
  for (; bytes.size() >= kBlockBytes; bytes = bytes.subspan(kBlockBytes)) {
    Block block{};
    std::ranges::transform(bytes.first(kBlockBytes), block.begin(),
                           [](std::byte b) { return static_cast<std::uint8_t>(b); });
    compress(state, block);
  }
  compress_end(state, bytes, total);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint32_t word : state) {
    for (unsigned shift = 32; shift > 0; shift -= 4) text += kDigits[word >> (shift - 4) & 0xfU];
  }
  return text;
}

}  // namespace horus
