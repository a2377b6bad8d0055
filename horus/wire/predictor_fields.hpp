// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the writer and the reader of predictor files agree on.

#include <string>
#include <string_view>

#include "horus/domain/predictor_file.hpp"

namespace horus::wire {

inline constexpr std::string_view kPredictorKind = "horus-predictor";

/// "permissive" or "non-commercial".
[[nodiscard]] std::string_view licence_word(const PredictorFile& file);

/// The SHA-256 of the document without its hash.
[[nodiscard]] std::string content_hash(const PredictorFile& file);

}  // namespace horus::wire
