// SPDX-License-Identifier: Apache-2.0
#include "horus/apps/horus/evaluation.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "horus/apps/horus/dataset_source.hpp"
#include "horus/apps/horus/evaluation_rows.hpp"
#include "horus/apps/horus/predictor_source.hpp"
#include "horus/apps/horus/record_dataset.hpp"
#include "horus/base/check.hpp"
#include "horus/base/text.hpp"
#include "horus/lab/memory_method.hpp"
#include "horus/lab/residual_method.hpp"
#include "horus/lab/sharing_method.hpp"
#include "horus/lab/time_method.hpp"

namespace horus::apps {
namespace {

/// Rows of one machine that train beside those that are judged.
struct Companion {
  std::string_view judged;
  std::string_view companion;
};
constexpr auto kCompanions = std::to_array<Companion>({{"gpumemnet-real", "gpumemnet-timm"}});

bool needs_pool(lab::Protocol protocol) {
  return protocol == lab::Protocol::ZeroShot || protocol == lab::Protocol::CalibratedFive;
}

/// Loads what a request needs, and keeps it for as long as protocols look at it.
class Library {
 public:
  explicit Library(const EvaluationRequest& request) : request_{request} {}

  Result<Done> load() {
    HORUS_TRY(judged_, load_dataset(*request_.kind, request_.path));
    if (judged_.rows.empty()) {
      return fail(Errc::Corrupt, "the data set has no row that an architecture stands for",
                  request_.path);
    }
    HORUS_TRY(judged_samples_, samples(judged_));
    HORUS_TRY_DONE(load_companions());
    if (std::ranges::any_of(request_.protocols, needs_pool)) return load_pool();
    return Done{};
  }

  [[nodiscard]] const lab::Dataset& judged() const { return judged_; }
  [[nodiscard]] lab::Evidence evidence() const {
    return {.judged = judged_samples_,
            .pairs = judged_.pairs,
            .companions = companion_samples_,
            .permissive = pool_samples_};
  }
  [[nodiscard]] const std::vector<std::string>& pool_names() const { return pool_names_; }

 private:
  Result<std::vector<lab::Sample>> samples(lab::Dataset& dataset) const {
    if (request_.loader_rates == LoaderRates::Withheld) {
      for (lab::Row& row : dataset.rows) row.setup.samples_per_second.reset();
    }
    return load_samples(dataset, request_.progress);
  }

  Result<Done> load_companions() {
    for (const Companion& pair : kCompanions) {
      if (pair.judged != request_.kind->name) continue;
      HORUS_TRY(const lab::DatasetKind* kind, find_dataset_kind(pair.companion));
      HORUS_TRY(companions_, load_dataset(*kind, request_.path));
      HORUS_TRY(companion_samples_, samples(companions_));
    }
    return Done{};
  }

  /// Every permissive data set that lies in the pool, but no records: what users measured
  /// themselves is no permissive data set. The judged one may be one of them: protocols look only
  /// at what is neither of its GPU nor of its host.
  Result<Done> load_pool() {
    for (const lab::DatasetKind& kind : all_dataset_kinds()) {
      if (kind.name == record_dataset().name || !has_dataset(kind, request_.pool)) continue;
      HORUS_TRY(lab::Dataset dataset, load_dataset(kind, request_.pool));
      if (dataset.licence != lab::Licence::Permissive) continue;
      pool_names_.emplace_back(kind.name);
      pool_.push_back(std::move(dataset));
      HORUS_TRY(std::vector<lab::Sample> more, samples(pool_.back()));
      pool_samples_.insert(pool_samples_.end(), std::make_move_iterator(more.begin()),
                           std::make_move_iterator(more.end()));
    }
    return Done{};
  }

  const EvaluationRequest& request_;
  lab::Dataset judged_;
  std::vector<lab::Sample> judged_samples_;
  lab::Dataset companions_;
  std::vector<lab::Sample> companion_samples_;
  std::deque<lab::Dataset> pool_;  ///< Samples point into it.
  std::vector<lab::Sample> pool_samples_;
  std::vector<std::string> pool_names_;
};

const lab::ProtocolRule& rule_of(lab::Protocol protocol) {
  const auto rules = lab::protocol_rules();
  const auto found = std::ranges::find(rules, protocol, &lab::ProtocolRule::protocol);
  HORUS_CHECK(found != rules.end(), "every protocol has a rule");
  return *found;
}

class Evaluator {
 public:
  Evaluator(const EvaluationRequest& request, const Library& library)
      : request_{request},
        evidence_{library.evidence()},
        models_{lab::models_of(evidence_.judged)},
        time_{lab::with_residual(lab::time_method())},
        memory_{lab::memory_method()},
        sharing_{lab::sharing_method()} {}

  Result<wire::ProtocolRow> run(lab::Protocol protocol) const {
    const lab::ProtocolRule& rule = rule_of(protocol);
    const lab::Methods methods{.time = time_.get(),
                               .memory = memory_.get(),
                               .sharing = sharing_.get(),
                               .model = request_.model};
    lab::ProtocolOptions options;
    options.seed = request_.seed;
    const std::string label{rule.name};
    options.progress = [&](double share) { request_.progress(label, share); };
    HORUS_TRY(const lab::ProtocolRun run, lab::run_protocol(protocol, evidence_, methods, options));
    const lab::Judgement judgement =
        lab::judge(run.draws, models_,
                   {.bootstrap = {.resamples = request_.resamples, .seed = request_.seed},
                    .against = request_.against});
    return protocol_row(rule, run, models_, judgement);
  }

 private:
  const EvaluationRequest& request_;
  lab::Evidence evidence_;
  std::vector<std::string> models_;
  std::unique_ptr<lab::Method> time_;
  std::unique_ptr<lab::Method> memory_;
  std::unique_ptr<lab::SharingMethod> sharing_;
};

/// Predictions of other rows would be compared with nothing, and nobody would be told.
Result<Done> check_against(const EvaluationRequest& request, const lab::Dataset& judged) {
  if (request.against == nullptr) return Done{};
  const auto is_predicted = [&](const lab::Row& row) { return request.against->contains(row.id); };
  if (std::ranges::any_of(judged.rows, is_predicted)) return Done{};
  return fail(Errc::NotFound,
              fmt::format("names none of the {} rows of data set {}; their ids are those that "
                          "--rows writes, such as '{}'",
                          judged.rows.size(), judged.name, printable(judged.rows.front().id)),
              request.against_name);
}

wire::EvaluateReport empty_report(const EvaluationRequest& request, const lab::Dataset& dataset) {
  wire::EvaluateReport report;
  report.dataset = dataset.name;
  report.licence = dataset.licence_name;
  for (const lab::Source& source : dataset.sources) {
    report.sources.push_back({source.file, source.sha256});
  }
  report.model = request.model_name;
  report.loader_rates = request.loader_rates == LoaderRates::Given ? "given" : "withheld";
  report.seed = request.seed;
  report.resamples = static_cast<std::int64_t>(request.resamples);
  report.rows = static_cast<std::int64_t>(dataset.rows.size());
  report.unmapped = left_out_rows(dataset.unmapped);
  report.left_out = left_out_rows(dataset.left_out);
  for (const wire::LeftOutRow& row : report.unmapped) report.unmapped_rows += row.rows;
  report.against = request.against_name;
  return report;
}

}  // namespace

Result<wire::EvaluateReport> evaluate(const EvaluationRequest& request) {
  Library library{request};
  HORUS_TRY_DONE(library.load());
  HORUS_TRY_DONE(check_against(request, library.judged()));
  const Evaluator evaluator{request, library};
  wire::EvaluateReport report = empty_report(request, library.judged());
  for (const lab::Protocol protocol : request.protocols) {
    auto row = evaluator.run(protocol);
    if (!row) {
      const lab::ProtocolRule& rule = rule_of(protocol);
      if (request.protocols.size() == 1) {
        return fail(row.error().code, fmt::format("{}: {}", rule.name, row.error().message),
                    "--protocol");
      }
      row = skipped_row(rule, row.error());
    }
    report.protocols.push_back(*std::move(row));
  }
  const bool judges_model =
      std::ranges::find(request.protocols, lab::Protocol::Shipped) != request.protocols.end();
  if (request.model_name != kShipped && !judges_model) {
    report.notes.push_back(request.model_name +
                           " is not judged: only protocol shipped looks at it");
  }
  if (!library.pool_names().empty()) {
    report.notes.push_back(
        fmt::format("permissive data: {}", fmt::join(library.pool_names(), ", ")));
  }
  return report;
}

}  // namespace horus::apps
