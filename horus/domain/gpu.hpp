// SPDX-License-Identifier: Apache-2.0
#pragma once
// The GPU catalogue: public specifications, compiled in from data/gpus.csv (sources there).

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "horus/base/quantity.hpp"
#include "horus/base/result.hpp"

namespace horus {

/// One GPU as its maker specifies it. Rates are peaks: per second, dense, without sparsity;
/// 0 where the chip has no such unit.
struct GpuSpec {
  std::string name;            ///< Catalogue name, e.g. "V100-16GB".
  std::string architecture;    ///< "Kepler", "Pascal", "Volta", ...
  int year{};                  ///< Of introduction.
  Bytes memory;                ///< Device memory in total.
  double fp32_flops{};         ///< FP32 outside tensor cores, FLOP/s.
  double fp16_flops{};         ///< FP16 outside tensor cores, FLOP/s.
  double tensor_fp16_flops{};  ///< FP16 tensor cores with FP32 accumulation, FLOP/s.
  double tf32_flops{};         ///< TF32 tensor cores, FLOP/s.
  double bf16_flops{};         ///< BF16 tensor cores, FLOP/s.
  double bandwidth_bytes_per_s{};
  int sm_count{};
  int mig_slices{};  ///< MIG compute slices, 0 where the chip cannot be partitioned.
  std::vector<std::string> aliases;
  std::string source;
};

/// A GPU found by name. `note` is not empty when the name was ambiguous and a choice was made.
struct GpuChoice {
  const GpuSpec* spec{};
  std::string note;
};

/// All known GPUs in catalogue order. The span is valid for the life of the process.
[[nodiscard]] std::span<const GpuSpec> gpu_catalogue();

/// The GPU with catalogue name or alias `name`; case, blanks, '-' and '_' do not matter. A name
/// that several memory sizes share ("A100") gives the smallest and a note that says so.
/// "A100-40GB MIG 1g.5gb", as the driver spells it, is that instance of the GPU (mig.hpp).
/// Error NotFound names the nearest catalogue name.
[[nodiscard]] Result<GpuChoice> find_gpu(std::string_view name);

}  // namespace horus
