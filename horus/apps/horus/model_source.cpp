// SPDX-License-Identifier: Apache-2.0
#include "horus/apps/horus/model_source.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "horus/base/text.hpp"
#include "horus/graph/onnx.hpp"
#include "horus/os/file.hpp"
#include "horus/zoo/zoo.hpp"

namespace horus::apps {
namespace {

constexpr std::string_view kZooPrefix = "zoo:";

/// Takes the size of a named dimension out of `dims`.
std::optional<std::int64_t> take(std::map<std::string, std::int64_t>& dims,
                                 const std::string& name) {
  const auto found = dims.find(name);
  if (found == dims.end()) return std::nullopt;
  const std::int64_t size = found->second;
  dims.erase(found);
  return size;
}

/// `options` loses the sizes that are built into the graph.
Result<graph::Model> build(std::string_view name, graph::AnalysisOptions& options) {
  auto model = zoo::build(name, {.batch = std::nullopt,
                                 .sequence = take(options.dims, "sequence"),
                                 .image = take(options.dims, "image")});
  // A wrong name on the command line is usage, as a wrong option is.
  if (!model) return fail(Errc::InvalidArgument, model.error().text());
  return model;
}

Result<graph::Model> load(const std::string& reference, graph::AnalysisOptions& options) {
  if (reference.starts_with(kZooPrefix)) {
    return build(std::string_view{reference}.substr(kZooPrefix.size()), options);
  }
  auto file = os::MappedFile::open(reference);
  if (!file) {
    Error error = file.error();
    const auto known = zoo::architectures();
    if (std::ranges::find(known, reference, &zoo::Architecture::name) != known.end()) {
      error.message += fmt::format("; the zoo's is called zoo:{}", reference);
    }
    return tl::make_unexpected(std::move(error));
  }
  return graph::read_onnx(file->bytes());
}

/// The error with the file in front of the place inside it.
Error located(Error error, const std::string& reference) {
  if (error.where.empty()) {
    error.where = printable(reference, 200);
  } else if (error.where != reference) {
    error.where = printable(reference, 200) + ": " + error.where;
  }
  return error;
}

}  // namespace

Result<AnalysedModel> load_and_analyse(const std::string& reference,
                                       graph::AnalysisOptions options) {
  auto model = load(reference, options);
  if (!model) return tl::make_unexpected(located(model.error(), reference));
  auto analysis = graph::analyse(*model, options);
  if (!analysis) return tl::make_unexpected(located(analysis.error(), reference));
  return AnalysedModel{.model = *std::move(model), .analysis = *std::move(analysis)};
}

Result<graph::Analysis> analyse_source(const std::string& reference,
                                       graph::AnalysisOptions options) {
  HORUS_TRY(AnalysedModel analysed, load_and_analyse(reference, std::move(options)));
  return std::move(analysed.analysis);
}

Result<std::map<std::string, std::int64_t>> parse_dims(const std::vector<std::string>& pairs) {
  std::map<std::string, std::int64_t> dims;
  for (const std::string& pair : pairs) {
    const std::size_t equals = pair.find('=');
    const auto value = equals == std::string::npos
                           ? std::nullopt
                           : parse_integer(std::string_view{pair}.substr(equals + 1));
    if (equals == 0 || !value || *value < 1) {
      return fail(Errc::InvalidArgument,
                  fmt::format("cannot read '{}': expected NAME=VALUE with a value of at least 1, "
                              "e.g. --dim sequence=128",
                              printable(pair)),
                  "--dim");
    }
    const auto [place, is_new] = dims.try_emplace(pair.substr(0, equals), *value);
    if (!is_new) {
      return fail(Errc::InvalidArgument,
                  fmt::format("'{}' is given twice: {} and {}", printable(place->first),
                              place->second, *value),
                  "--dim");
    }
  }
  return dims;
}

Result<JobSource> parse_job_source(const std::string& text) {
  const std::size_t at = text.rfind('@');
  const bool has_batch = at != std::string::npos && at > 0 && at + 1 < text.size() &&
                         text[at + 1] >= '0' && text[at + 1] <= '9';
  if (!has_batch) return JobSource{.reference = text};
  const auto parts = split(std::string_view{text}.substr(at + 1), ':');
  const auto batch = parse_integer(parts[0]);
  const auto rate = parts.size() == 2 ? parse_number(parts[1]) : std::nullopt;
  const bool rate_is_sane = parts.size() == 1 || (rate && *rate > 0.0);
  if (!batch || *batch < 1 || parts.size() > 2 || !rate_is_sane) {
    return fail(
        Errc::InvalidArgument,
        fmt::format("cannot read '{}': expected MODEL@BATCH or MODEL@BATCH:SAMPLES_PER_SECOND",
                    printable(text)),
        "--with");
  }
  return JobSource{.reference = text.substr(0, at), .batch = batch, .samples_per_second = rate};
}

}  // namespace horus::apps
