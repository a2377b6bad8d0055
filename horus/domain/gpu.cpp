// SPDX-License-Identifier: Apache-2.0
#include "horus/domain/gpu.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "horus/base/text.hpp"
#include "horus/domain/mig.hpp"

namespace horus {
namespace detail {
const std::vector<GpuSpec>& embedded_gpus();  // generated at build from data/gpus.csv
}  // namespace detail

namespace {

/// Letter case and separators do not distinguish GPUs: "rtx 3090" is "RTX3090".
std::string plain(std::string_view name) {
  std::string out = to_lower(name);
  std::erase_if(out, [](char c) { return c == ' ' || c == '-' || c == '_'; });
  return out;
}

bool is_called(const GpuSpec& gpu, const std::string& wanted) {
  return plain(gpu.name) == wanted || std::ranges::any_of(gpu.aliases, [&](const auto& alias) {
           return plain(alias) == wanted;
         });
}

/// The family of a catalogue name: "A100" of "A100-40GB", "H100" of "H100-SXM".
std::string family_of(const GpuSpec& gpu) { return plain(gpu.name.substr(0, gpu.name.find('-'))); }

std::vector<const GpuSpec*> family(const std::string& wanted) {
  std::vector<const GpuSpec*> members;
  for (const GpuSpec& gpu : gpu_catalogue()) {
    if (family_of(gpu) == wanted) members.push_back(&gpu);
  }
  return members;
}

/// The instance `profile` (in plain letters) of a GPU that was found.
Result<GpuChoice> instance_of(const GpuChoice& whole, const std::string& profile) {
  std::vector<std::string> known;
  for (const MigProfile& candidate : mig_profiles(whole.spec->name)) {
    if (candidate.name == profile) return GpuChoice{.spec = &candidate.spec, .note = whole.note};
    known.push_back(candidate.name);
  }
  if (known.empty()) {
    return fail(Errc::NotFound,
                fmt::format("{} has no MIG instances: it cannot be partitioned", whole.spec->name));
  }
  return fail(Errc::NotFound,
              fmt::format("unknown MIG instance '{}' of {}: expected one of {}", printable(profile),
                          whole.spec->name, fmt::join(known, ", ")));
}

}  // namespace

std::span<const GpuSpec> gpu_catalogue() { return detail::embedded_gpus(); }

Result<GpuChoice> find_gpu(std::string_view name) {
  const std::string wanted = plain(name);
  for (const GpuSpec& gpu : gpu_catalogue()) {
    if (is_called(gpu, wanted)) return GpuChoice{.spec = &gpu, .note = {}};
  }
  if (const std::size_t at = wanted.find("mig"); at != std::string::npos && at > 0) {
    HORUS_TRY(const GpuChoice whole, find_gpu(wanted.substr(0, at)));
    return instance_of(whole, wanted.substr(at + 3));
  }
  const std::vector<const GpuSpec*> members = family(wanted);
  if (!members.empty()) {
    // Equal memory: the first in catalogue order, which is the usual form of the product.
    const GpuSpec* smallest =
        *std::ranges::min_element(members, {}, [](const GpuSpec* gpu) { return gpu->memory; });
    std::string others;
    for (const GpuSpec* gpu : members) others += (others.empty() ? "" : ", ") + gpu->name;
    return GpuChoice{.spec = smallest,
                     .note = fmt::format("'{}' names several GPUs ({}); taking the smallest, {}",
                                         printable(name), others, smallest->name)};
  }
  // Full names first: they win a tie against their family.
  std::vector<std::string> names;
  for (const GpuSpec& gpu : gpu_catalogue()) names.push_back(gpu.name);
  for (const GpuSpec& gpu : gpu_catalogue()) {
    names.push_back(gpu.name.substr(0, gpu.name.find('-')));
  }
  return fail(Errc::NotFound,
              fmt::format("unknown GPU '{}'.{} 'horus predict --list-gpus' lists the known ones",
                          printable(name), did_you_mean(name, names)));
}

}  // namespace horus
