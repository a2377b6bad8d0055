// SPDX-License-Identifier: Apache-2.0
#pragma once
// The machines: nodes with GPUs of one type each. A value that does not change during a run.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/domain/gpu.hpp"
#include "horus/domain/job.hpp"

namespace horus {

struct GpuSlot {
  std::uint16_t type{};  ///< Position in Cluster::types().
  std::uint32_t node{};  ///< Node number, counted from 0.
  friend bool operator==(const GpuSlot&, const GpuSlot&) = default;
};

/// `nodes` equal nodes with `gpus_per_node` GPUs of catalogue type `gpu`.
struct NodeGroup {
  std::int64_t nodes{};
  std::int64_t gpus_per_node{};
  GpuSpec gpu;
};

class Cluster {
 public:
  /// Limits that keep a typing mistake from asking for all memory of the machine.
  static constexpr std::int64_t kMaxGpus = 4'000'000;
  static constexpr std::size_t kMaxTypes = 64;

  /// GPUs are numbered group by group, node by node. Groups of the same GPU share one type.
  /// Errors: no group, a count below 1, too many GPUs or types.
  [[nodiscard]] static Result<Cluster> make(std::span<const NodeGroup> groups);

  /// Parses NODESxGPUSxTYPE[+...], e.g. "16x8xV100-16GB+4x4xA100-40GB". TYPE is any name that
  /// find_gpu knows. `notes` receives a line for each choice made for an ambiguous name.
  [[nodiscard]] static Result<Cluster> parse(std::string_view text,
                                             std::vector<std::string>& notes);

  [[nodiscard]] std::span<const GpuSpec> types() const { return types_; }
  [[nodiscard]] std::span<const GpuSlot> gpus() const { return gpus_; }
  [[nodiscard]] const GpuSpec& type_of(GpuIndex gpu) const { return types_[gpus_[gpu].type]; }
  [[nodiscard]] std::size_t node_count() const { return node_count_; }

 private:
  std::vector<GpuSpec> types_;
  std::vector<GpuSlot> gpus_;
  std::size_t node_count_{};
};

}  // namespace horus
