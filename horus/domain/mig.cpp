// SPDX-License-Identifier: Apache-2.0
#include "horus/domain/mig.hpp"

#include <algorithm>

#include "horus/base/check.hpp"
#include "horus/domain/detail/mig_rows.hpp"

namespace horus {
namespace {

const GpuSpec& whole_gpu(std::string_view name) {
  const auto found = std::ranges::find(gpu_catalogue(), name, &GpuSpec::name);
  HORUS_CHECK(found != gpu_catalogue().end(), "profiles are of GPUs of the catalogue");
  return *found;
}

GpuSpec instance_of(const GpuSpec& whole, const detail::MigRow& row) {
  const double compute = static_cast<double>(row.sm_count) / whole.sm_count;
  const double memory = static_cast<double>(row.memory_slices) / row.memory_slices_of_all;
  GpuSpec spec = whole;
  spec.name = whole.name + " MIG " + std::string{row.profile};
  spec.memory = row.memory;
  spec.fp32_flops *= compute;
  spec.fp16_flops *= compute;
  spec.tensor_fp16_flops *= compute;
  spec.tf32_flops *= compute;
  spec.bf16_flops *= compute;
  spec.bandwidth_bytes_per_s *= memory;
  spec.sm_count = row.sm_count;
  spec.mig_slices = 0;
  for (std::string& alias : spec.aliases) alias += " MIG " + std::string{row.profile};
  spec.source = row.source;
  return spec;
}

/// The profiles of one GPU.
struct GpuProfiles {
  std::string_view gpu;
  std::vector<MigProfile> profiles;
};

std::vector<GpuProfiles> all_profiles() {
  std::vector<GpuProfiles> out;
  for (const detail::MigRow& row : detail::embedded_mig_rows()) {
    if (out.empty() || out.back().gpu != row.gpu) out.push_back({.gpu = row.gpu, .profiles = {}});
    out.back().profiles.push_back({.name = std::string{row.profile},
                                   .compute_slices = row.compute_slices,
                                   .memory_slices = row.memory_slices,
                                   .starts = row.starts,
                                   .spec = instance_of(whole_gpu(row.gpu), row)});
  }
  return out;
}

}  // namespace

std::span<const MigProfile> mig_profiles(std::string_view gpu) {
  static const std::vector<GpuProfiles> kAll = all_profiles();
  const auto found = std::ranges::find(kAll, gpu, &GpuProfiles::gpu);
  return found == kAll.end() ? std::span<const MigProfile>{} : found->profiles;
}

}  // namespace horus
