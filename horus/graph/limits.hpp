// SPDX-License-Identifier: Apache-2.0
#pragma once
// Every limit on foreign models, with its reason. A model beyond one is refused by name, never cut
// off in silence and never allowed to exhaust the machine.

#include <cstddef>
#include <cstdint>

namespace horus::graph {

/// What a file may claim before it is refused. The largest published graphs (unrolled language
/// models of 100 layers and more) have some 100,000 nodes.
struct ReadLimits {
  /// Ten times the largest known graph; about 1 GB in memory.
  std::size_t nodes{1'000'000};
  /// Initializers and declared values: two per node.
  std::size_t tensors{2'000'000};
  /// Frameworks have at most 64 axes (NumPy 2); networks use up to 8.
  std::size_t rank{64};
  /// Nested subgraphs. Reading recurses, so that this bounds the stack; exporters nest 3 deep.
  int depth{16};
  /// Model-local functions. Exporters write one per kind of operator or module: some hundreds.
  std::size_t functions{100'000};
  /// Names of inputs and outputs, elements of attribute lists, axes of declared shapes: 16 a node.
  std::size_t values{16'000'000};
  /// Elements of small constant tensors that are kept: 32 MB. What goes beyond is left out, not
  /// refused: quantized models have thousands of small weight tensors that no shape depends on.
  std::size_t contents{4'000'000};
};

/// What the calls of functions and the bodies of control flow may grow to. Each function may call
/// others several times, so a file of a kilobyte can ask for 2^60 nodes.
struct FlattenLimits {
  /// Nodes, calls and subgraphs of the flat graph, as ReadLimits::nodes.
  std::size_t nodes{1'000'000};
  /// Names and constants of the flat graph, which every call copies.
  std::size_t bytes{std::size_t{512} << 20U};
  /// Functions and subgraphs around a node, together. Flattening recurses, so that this bounds the
  /// stack; exporters nest some 10 modules.
  int depth{64};
};

/// Bytes of one message that the protobuf classes are given at most, tensors and graphs not
/// counted: text and lists of one node stay below a megabyte, and the classes copy what they parse.
inline constexpr std::size_t kLightBytesMax = 16U << 20U;

/// Integer and boolean tensors up to this size in the file are kept: target shapes, axes, indices.
inline constexpr std::uint64_t kIntegerBytesMax = 64U << 10U;
/// Floating-point tensors up to this size in the file are kept: scales and ratios.
inline constexpr std::uint64_t kFloatBytesMax = 1024;
/// More elements than this are an error: products of dims stay within 64 bits.
inline constexpr std::uint64_t kElementsMax = std::uint64_t{1} << 62U;

/// Contents of tensors and shapes of sequences that inference holds at once, as every node that
/// hands them on has a copy: twice what ReadLimits::contents lets a file bring along. Beyond, they
/// are taken for unknown.
inline constexpr std::size_t kFollowedBytesMax = std::size_t{64} << 20U;
/// Contents up to here are followed in any case: shapes of tensors, which all else depends on. Such
/// a list takes no more memory than what is known of its value without it.
inline constexpr std::size_t kAlwaysFollowed = 32;

/// Trips of a loop beyond this are taken for "until the condition says so": exporters write the
/// largest integer where there is no bound, and no training step runs a body so often.
inline constexpr std::int64_t kTripsMax = std::int64_t{1} << 31;

}  // namespace horus::graph
