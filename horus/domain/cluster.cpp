// SPDX-License-Identifier: Apache-2.0
#include "horus/domain/cluster.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "horus/base/text.hpp"

namespace horus {
namespace {

Result<NodeGroup> parse_group(std::string_view text, std::vector<std::string>& notes) {
  const auto malformed = [&] {
    return fail(
        Errc::InvalidArgument,
        fmt::format("cannot read '{}' as NODESxGPUSxTYPE, e.g. 16x8xV100-16GB", printable(text)),
        "--cluster");
  };
  const std::size_t first = text.find('x');
  if (first == std::string_view::npos) return malformed();
  const std::size_t second = text.find('x', first + 1);
  if (second == std::string_view::npos) return malformed();
  const auto nodes = parse_integer(text.substr(0, first));
  const auto gpus = parse_integer(text.substr(first + 1, second - first - 1));
  if (!nodes || !gpus) return malformed();
  HORUS_TRY(const GpuChoice choice, find_gpu(trim(text.substr(second + 1))));
  if (!choice.note.empty()) notes.push_back(choice.note);
  return NodeGroup{.nodes = *nodes, .gpus_per_node = *gpus, .gpu = *choice.spec};
}

}  // namespace

Result<Cluster> Cluster::make(std::span<const NodeGroup> groups) {
  Cluster cluster;
  std::int64_t total = 0;
  for (const NodeGroup& group : groups) {
    const bool plausible = group.nodes >= 1 && group.gpus_per_node >= 1 &&
                           group.nodes <= kMaxGpus && group.gpus_per_node <= kMaxGpus / group.nodes;
    if (!plausible || total + group.nodes * group.gpus_per_node > kMaxGpus) {
      return fail(
          Errc::InvalidArgument,
          fmt::format("{} nodes of {} GPUs: expected at least 1 of each and at most {} GPUs "
                      "in all",
                      group.nodes, group.gpus_per_node, kMaxGpus),
          "--cluster");
    }
    total += group.nodes * group.gpus_per_node;
    const auto known = std::ranges::find(cluster.types_, group.gpu.name, &GpuSpec::name);
    const auto type = static_cast<std::size_t>(known - cluster.types_.begin());
    if (known == cluster.types_.end()) cluster.types_.push_back(group.gpu);
    if (cluster.types_.size() > kMaxTypes) {
      return fail(Errc::InvalidArgument, fmt::format("more than {} GPU types", kMaxTypes),
                  "--cluster");
    }
    for (std::int64_t node = 0; node < group.nodes; ++node) {
      for (std::int64_t gpu = 0; gpu < group.gpus_per_node; ++gpu) {
        cluster.gpus_.push_back(GpuSlot{.type = static_cast<std::uint16_t>(type),
                                        .node = static_cast<std::uint32_t>(cluster.node_count_)});
      }
      ++cluster.node_count_;
    }
  }
  if (cluster.gpus_.empty()) {
    return fail(Errc::InvalidArgument, "a cluster needs at least one GPU", "--cluster");
  }
  return cluster;
}

Result<Cluster> Cluster::parse(std::string_view text, std::vector<std::string>& notes) {
  std::vector<NodeGroup> groups;
  for (const std::string_view part : split(text, '+')) {
    HORUS_TRY(NodeGroup group, parse_group(trim(part), notes));
    groups.push_back(std::move(group));
  }
  return make(groups);
}

}  // namespace horus
