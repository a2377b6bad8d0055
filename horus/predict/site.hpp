// SPDX-License-Identifier: Apache-2.0
#pragma once
// What was learned of single machines, applied to the constants that hold for all.

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "horus/domain/predictor_file.hpp"
#include "horus/predict/memory_constants.hpp"
#include "horus/predict/time_constants.hpp"

namespace horus::predict {

/// What the constants become on one machine.
struct SiteFactors {
  double host{1};            ///< Seconds of the host over those of the constants.
  double gpu{1};             ///< Seconds of kernels over those of the constants.
  double host_step_s{};      ///< 0: that of the constants.
  double loader_sample_s{};  ///< As Site has it.
  double loader_element_s{};
  std::optional<Bytes> context;
  friend bool operator==(const SiteFactors&, const SiteFactors&) = default;
};

/// What `sites` say of a job on the GPU type `gpu`. Factors are means of logarithms weighted by
/// jobs. Of the GPU: over its sites, 1 without. Of the host: over the sites of that GPU type or,
/// without, over all sites, for the machine around a GPU is more alike than any machine. Loader
/// and context are those of the site of the GPU type with most jobs; ties go to the first.
[[nodiscard]] SiteFactors factors_on(std::span<const Site> sites, std::string_view gpu);

/// `constants` on a machine. Their own site factors, 1 in what a fit gives, are multiplied.
[[nodiscard]] TimeConstants at_site(TimeConstants constants, const SiteFactors& factors);

[[nodiscard]] MemoryConstants at_site(MemoryConstants constants, const SiteFactors& factors);

/// The sites of one machine, or of one framework; an empty name stands for all.
[[nodiscard]] std::vector<Site> sites_of(std::span<const Site> sites, std::string_view host,
                                         std::string_view framework);

}  // namespace horus::predict
