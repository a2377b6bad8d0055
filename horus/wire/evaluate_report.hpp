// SPDX-License-Identifier: Apache-2.0
#pragma once
// What `horus evaluate` reports: how wrong predictions are, protocol by protocol.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace horus::wire {

/// The middle 95 % of a figure when models are drawn again.
struct FigureRange {
  double low{};
  double high{};
};

/// One figure. What was not measured has no value.
struct FigureRow {
  std::string key;   ///< Its name in JSON.
  std::string unit;  ///< "%", "points" or "".
  std::optional<double> value;
  std::optional<FigureRange> range;
  std::int64_t count{};  ///< Rows or pairs behind it.
};

/// The figures of some of the rows and pairs.
struct PartRow {
  std::string name;                ///< A GPU, "models met" or "models new".
  std::vector<FigureRow> figures;  ///< Those that have a value.
};

/// One of the models that a protocol predicts worst.
struct WorstModelRow {
  std::string key;
  std::string unit;
  std::string model;
  double value{};
  std::int64_t count{};
};

/// Our figure less somebody else's, over the rows that both predict.
struct DifferenceRow {
  std::string key;
  std::string unit;
  double ours{};
  double theirs{};
  std::optional<FigureRange> range;  ///< Of ours - theirs.
  std::int64_t count{};
};

/// A job, or a member of a pair, with what was predicted of it.
struct PredictedRow {
  std::string id;
  std::string model;
  std::string family;
  std::string gpu;
  /// As its axis calls it: "utilization", "step time", "memory", "slowdown".
  std::string quantity;
  std::string unit;  ///< "%", "ms", "MiB", "".
  double measured{};
  double expected{};
  double low{};
  double high{};
};

/// One protocol.
struct ProtocolRow {
  std::string name;
  std::string summary;
  std::string skipped;  ///< Why it could not be run; empty: it was.
  std::int64_t rows{};
  std::int64_t models{};
  std::int64_t families{};
  std::int64_t pairs{};
  std::int64_t fits{};
  std::vector<FigureRow> figures;  ///< All that there are, in the order of reports.
  std::vector<PartRow> parts;
  std::vector<WorstModelRow> worst;
  std::vector<DifferenceRow> against;
  std::vector<PredictedRow> predicted;  ///< Of its first draw. Not in the JSON.
  std::vector<std::string> notes;
};

/// Rows that were not judged, and why.
struct LeftOutRow {
  std::string model;
  std::int64_t rows{};
  std::string reason;
};

struct SourceFileRow {
  std::string file;
  std::string sha256;
};

/// `horus evaluate`.
struct EvaluateReport {
  std::string dataset;
  std::string licence;
  std::vector<SourceFileRow> sources;
  std::string model;         ///< "shipped", or the file that was judged.
  std::string loader_rates;  ///< "given" or "withheld".
  std::uint64_t seed{};
  std::int64_t resamples{};
  std::int64_t rows{};
  std::int64_t unmapped_rows{};
  std::vector<LeftOutRow> unmapped;
  std::vector<LeftOutRow> left_out;
  std::string against;  ///< File of other predictions; empty: none.
  std::vector<ProtocolRow> protocols;
  std::vector<std::string> notes;
};

/// All protocols under `protocols`, by name.
[[nodiscard]] std::string to_json(const EvaluateReport& report);
/// The only protocol of the report, as the document itself.
[[nodiscard]] std::string to_json_of_one(const EvaluateReport& report);

/// One row per protocol and figure: protocol, key, unit, value, low, high, count.
[[nodiscard]] std::string to_csv(const EvaluateReport& report);

/// Every prediction of every protocol, one row each.
[[nodiscard]] std::string predictions_csv(const EvaluateReport& report);

}  // namespace horus::wire
