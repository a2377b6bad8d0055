// SPDX-License-Identifier: Apache-2.0
#pragma once
// Peak memory, fitted and judged.

#include <memory>

#include "horus/lab/method.hpp"

namespace horus::lab {

/// Predicts memory only. A fit moves contexts and factors of the analytical model (fit_memory); a
/// GPU and framework that it has not seen keeps the context of the priors.
[[nodiscard]] std::unique_ptr<Method> memory_method();

}  // namespace horus::lab
