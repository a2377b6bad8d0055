// SPDX-License-Identifier: Apache-2.0
#pragma once
// The data set "profile": records of horus profile and of the GPU campaign, with the ONNX files of
// their models beside them.

#include "horus/lab/dataset_kinds.hpp"

namespace horus::apps {

[[nodiscard]] const lab::DatasetKind& record_dataset();

}  // namespace horus::apps
