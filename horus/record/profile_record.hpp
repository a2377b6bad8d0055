// SPDX-License-Identifier: Apache-2.0
#pragma once
// One profiled run as one line of JSON: docs/reference/profile-record.md.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "horus/record/measurement.hpp"
#include "horus/record/profile_options.hpp"

namespace horus::record {

/// The machine. Absent: it does not say.
struct HostFacts {
  std::optional<std::string> cpu;
  std::optional<std::int64_t> cores;
  std::optional<std::string> driver;
  std::optional<std::string> cuda;  ///< The newest that the driver supports.
};

/// One GPU, in the order of the Summary.
struct GpuFacts {
  std::int64_t index{};
  std::optional<std::string> name;
  std::optional<std::string> uuid;
  std::optional<Bytes> memory;
  std::optional<bool> mig;  ///< Is it partitioned?
  bool chosen{};            ///< By the user.
  std::vector<std::string> notes;
};

/// How the program ended. Both absent: it was only watched.
struct Ending {
  std::optional<std::int64_t> exit_code;
  std::optional<std::int64_t> signal;
  bool said_out_of_memory{};
  std::optional<Duration> ran;
};

struct RunFacts {
  std::string run_id;
  std::string time;  ///< Of the start, UTC, ISO 8601.
  HostFacts host;
  std::vector<GpuFacts> gpus;
  Ending ending;
  std::optional<std::string> onnx_sha256;
  Duration interval{};
  std::vector<std::string> notes;  ///< Why something is absent, or in doubt.
};

/// "ok", "oom" or "failed"; nothing where nobody saw the end.
[[nodiscard]] std::optional<std::string> run_status(const Ending& ending);

/// Indices of the GPUs that the run is about: those on which the job was seen; else those that the
/// user chose; else all.
[[nodiscard]] std::vector<std::size_t> gpus_of_run(const RunFacts& facts, const Summary& summary);

/// The record, without the line end.
[[nodiscard]] std::string profile_record(const RunFacts& facts, const Annotations& annotations,
                                         const Summary& summary);

/// One line for a person: the main figures.
[[nodiscard]] std::string profile_headline(const RunFacts& facts, const Summary& summary);

}  // namespace horus::record
