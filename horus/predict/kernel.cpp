// SPDX-License-Identifier: Apache-2.0
#include "horus/predict/kernel.hpp"

#include <algorithm>
#include <tuple>

namespace horus::predict {

Step merged(Step step) {
  const auto size = [](const Kernel& k) { return std::tuple{k.kind, k.flops, k.bytes, k.blocks}; };
  std::ranges::sort(step.kernels, {}, size);
  std::vector<Kernel> kernels;
  for (const Kernel& kernel : step.kernels) {
    if (!kernels.empty() && size(kernels.back()) == size(kernel)) {
      kernels.back().launches += kernel.launches;
    } else {
      kernels.push_back(kernel);
    }
  }
  kernels.shrink_to_fit();
  step.kernels = std::move(kernels);
  return step;
}

Step at_share_of_batch(Step step, double share) {
  for (Kernel& kernel : step.kernels) {
    if (kernel.kind == KernelClass::Update) continue;
    kernel.flops *= share;
    kernel.bytes *= share;
    kernel.blocks *= share;
  }
  step.samples *= share;
  step.input_elements *= share;
  return step;
}

}  // namespace horus::predict
