// SPDX-License-Identifier: Apache-2.0
#include "horus/apps/horus/training_run.hpp"

#include <algorithm>
#include <deque>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "horus/apps/horus/dataset_source.hpp"
#include "horus/lab/memory_method.hpp"
#include "horus/lab/residual_method.hpp"
#include "horus/lab/sharing_method.hpp"
#include "horus/lab/time_method.hpp"
#include "horus/lab/train.hpp"
#include "horus/predict/predictor_model.hpp"

namespace horus::apps {
namespace {

/// Data sets with their samples, kept in place: samples point at rows.
class TrainingLibrary {
 public:
  explicit TrainingLibrary(const TrainingRequest& request) : request_{request} {}

  Result<Done> load() {
    for (const std::string& path : request_.paths) HORUS_TRY_DONE(load_path(path));
    if (!datasets_.empty()) return Done{};
    return fail(Errc::InvalidArgument,
                fmt::format("no data are left that may be used: {}. '--licence any' accepts those "
                            "for non-commercial use only",
                            fmt::join(notes_, "; ")));
  }

  [[nodiscard]] std::vector<lab::TrainingSet> sets() const {
    std::vector<lab::TrainingSet> sets;
    for (std::size_t i = 0; i < datasets_.size(); ++i) {
      sets.push_back({&datasets_[i], samples_[i]});
    }
    return sets;
  }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  Result<Done> load_path(const std::string& path) {
    if (request_.kind != nullptr) return load_kind(*request_.kind, path);
    bool has_any = false;
    for (const lab::DatasetKind& kind : all_dataset_kinds()) {
      if (!has_dataset(kind, path)) continue;
      has_any = true;
      HORUS_TRY_DONE(load_kind(kind, path));
    }
    if (has_any) return Done{};
    return fail(
        Errc::NotFound,
        fmt::format("no data set lies here: expected records of 'horus profile' (a file *.jsonl, "
                    "or a folder of them), or a folder with one of the data sets {}",
                    fmt::join(dataset_names(), ", ")),
        path);
  }

  Result<Done> load_kind(const lab::DatasetKind& kind, const std::string& path) {
    HORUS_TRY(lab::Dataset dataset, load_dataset(kind, path));
    HORUS_TRY(const bool is_wanted, may_be_used(dataset, path));
    if (!is_wanted) return Done{};
    if (std::ranges::find(datasets_, dataset.name, &lab::Dataset::name) != datasets_.end()) {
      return fail(
          Errc::InvalidArgument,
          fmt::format("data set {} is given twice; put its files into one folder", dataset.name),
          path);
    }
    datasets_.push_back(std::move(dataset));
    HORUS_TRY(std::vector<lab::Sample> samples, load_samples(datasets_.back(), request_.progress));
    samples_.push_back(std::move(samples));
    return Done{};
  }

  Result<bool> may_be_used(const lab::Dataset& dataset, const std::string& path) {
    if (dataset.rows.empty()) {
      notes_.push_back(dataset.name + " has no row that an architecture stands for: left out");
      return false;
    }
    if (dataset.licence == lab::Licence::Permissive) return true;
    switch (request_.licence) {
      case LicenceRule::Accept:
        return true;
      case LicenceRule::LeaveOut:
        notes_.push_back(fmt::format("{} is licensed for non-commercial use only ({}): left out",
                                     dataset.name, dataset.licence_name));
        return false;
      case LicenceRule::Refuse:
        break;
    }
    return fail(Errc::InvalidArgument,
                fmt::format("{} is licensed for non-commercial use only ({}); '--licence any' uses "
                            "it and says so in the file, '--licence permissive' leaves it out",
                            dataset.name, dataset.licence_name),
                path);
  }

  const TrainingRequest& request_;
  std::deque<lab::Dataset> datasets_;
  std::deque<std::vector<lab::Sample>> samples_;
  std::vector<std::string> notes_;
};

}  // namespace

Result<TrainingOutcome> train(const TrainingRequest& request) {
  TrainingLibrary library{request};
  HORUS_TRY_DONE(library.load());
  const auto time = lab::time_method();
  const auto corrected = lab::with_residual(lab::time_method(), {.seed = request.seed});
  const auto memory = lab::memory_method();
  const auto sharing = lab::sharing_method();
  lab::TrainingOptions options{.command = request.command,
                               .date = request.date,
                               .seed = request.seed,
                               .progress = request.progress};
  if (request.purpose == Purpose::OwnUse) {
    options.start = predict::shipped_model().constants;
  } else {
    options.sites = lab::SitesKept::GpusOnly;
  }
  HORUS_TRY(PredictorFile file, lab::train(library.sets(),
                                           {.time = time.get(),
                                            .corrected = corrected.get(),
                                            .memory = memory.get(),
                                            .sharing = sharing.get()},
                                           options));
  return TrainingOutcome{.file = std::move(file), .notes = library.notes()};
}

}  // namespace horus::apps
