// SPDX-License-Identifier: Apache-2.0
#pragma once
// From judgements to the rows of a report.

#include <string>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/lab/evaluate.hpp"
#include "horus/lab/protocols.hpp"
#include "horus/lab/row.hpp"
#include "horus/wire/evaluate_report.hpp"

namespace horus::apps {

/// `models` as models_of gives them.
[[nodiscard]] wire::ProtocolRow protocol_row(const lab::ProtocolRule& rule,
                                             const lab::ProtocolRun& run,
                                             const std::vector<std::string>& models,
                                             const lab::Judgement& judgement);

/// A protocol that could not be run.
[[nodiscard]] wire::ProtocolRow skipped_row(const lab::ProtocolRule& rule, const Error& reason);

[[nodiscard]] std::vector<wire::LeftOutRow> left_out_rows(const std::vector<lab::Unmapped>& rows);

}  // namespace horus::apps
