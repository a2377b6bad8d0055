// SPDX-License-Identifier: Apache-2.0
#pragma once
// Every number of the analytical model that a fit may move, by name.

#include <span>
#include <string_view>

#include "horus/predict/memory_constants.hpp"
#include "horus/predict/sharing_constants.hpp"
#include "horus/predict/time_constants.hpp"

namespace horus::predict {

/// A default-constructed value is the prior.
struct Constants {
  TimeConstants time;
  MemoryConstants memory;
  SharingConstants sharing;
};

/// One number of Constants: how files and fits name it, and what it may be.
struct ConstantRow {
  std::string_view name;  ///< "convolution.plain_flops", "host.step_s".
  std::string_view unit;  ///< "share of peak", "s", ...
  double least{};         ///< Files with values outside of least..most are refused.
  double most{};
  double sigma{};  ///< Log-normal spread of the prior; 0: no fit moves it.
  double& (*of)(Constants&);
};

/// All of them, in an order that stays.
[[nodiscard]] std::span<const ConstantRow> constant_rows();

}  // namespace horus::predict
