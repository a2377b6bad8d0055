// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files of fitted predictors: written once, read back or refused.

#include <cstddef>
#include <string>
#include <string_view>

#include "horus/base/result.hpp"
#include "horus/domain/predictor_file.hpp"

namespace horus::wire {

/// No predictor needs more; a fitted one has some 100 KiB.
inline constexpr std::size_t kPredictorBytesMax = std::size_t{16} << 20U;

/// Whether `text` has the form of PredictorFile::date, YYYY-MM-DD; no calendar is asked.
[[nodiscard]] bool is_date(std::string_view text);

/// The document: keys in a fixed order, numbers that read back exactly, the SHA-256 of the rest in
/// `content_sha256`. Same value, same bytes.
[[nodiscard]] std::string to_json(const PredictorFile& file);

/// Reads what to_json() wrote. White space may differ.
/// Errors, each with the path of the field: Corrupt (no JSON, a field that is missing, of another
/// type or out of range, another content than the hash says), Unsupported (another kind of document
/// or schema version, keys that this version does not know, beyond the limits). Whether constants
/// and trees make a predictor is for predict::make_model() to say.
[[nodiscard]] Result<PredictorFile> read_predictor(std::string_view text);

}  // namespace horus::wire
