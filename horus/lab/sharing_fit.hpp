// SPDX-License-Identifier: Apache-2.0
#pragma once
// Laws of sharing from measured pairs: one per type of GPU.

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "horus/domain/sharing.hpp"
#include "horus/lab/method.hpp"
#include "horus/predict/interference.hpp"

namespace horus::lab {

/// What is predicted of the two jobs alone; unknown utilization counts as a full GPU.
[[nodiscard]] std::array<predict::Demand, 2> demands_of(const SharedSample& sample);

/// The chance that neither job is slowed beyond kGoodSlowdown, by what is predicted of them alone.
[[nodiscard]] double chance_of_good(const predict::LawInUse& law, const SharedSample& sample);

/// The measured slowdowns of a pair, in order of its members.
[[nodiscard]] std::array<double, 2> measured_slowdowns(const Pair& pair);

/// `law` in the form that its GPU and mode have.
[[nodiscard]] predict::LawInUse in_use(const predict::CalibratedLaw& law);

/// What a law says of a pair.
[[nodiscard]] std::array<double, 2> slowdowns_by(const predict::LawInUse& law,
                                                 const SharedSample& sample);

/// Fewer pairs of one GPU teach nothing that the prior of its generation does not say.
inline constexpr std::size_t kPairsLeast = 20;

/// One law for each GPU and mode with at least kPairsLeast pairs in `pool`, in order of Row::gpu
/// and mode. Each starts from the prior of its GPU and mode.
///   Cost: some hundred passes over the pairs.
[[nodiscard]] std::vector<predict::CalibratedLaw> fit_laws(
    std::span<const SharedSample* const> pool);

}  // namespace horus::lab
