// SPDX-License-Identifier: Apache-2.0
#include "horus/apps/horus/dataset_source.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "horus/apps/horus/record_dataset.hpp"
#include "horus/base/sha256.hpp"
#include "horus/base/text.hpp"
#include "horus/os/file.hpp"

namespace horus::apps {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPacked = ".gz";
constexpr std::size_t kFilesMax = 10'000;  // of a folder of records

/// Where a data set lies.
struct Place {
  fs::path folder;
  std::string only;  ///< The one file of its first pattern; empty: all that match.
};

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

/// "x.csv" for "x.csv.gz", and the other way round.
std::string other_form(std::string_view name) {
  if (name.ends_with(kPacked)) return std::string{name.substr(0, name.size() - kPacked.size())};
  return std::string{name} + std::string{kPacked};
}

/// Whether `name` ends as `pattern` ("*.jsonl") does, packed or not.
bool is_like(const std::string& name, std::string_view pattern) {
  const std::string end{pattern.substr(1)};
  return name.ends_with(end) || name.ends_with(end + std::string{kPacked});
}

/// Names in `folder` that end as `pattern` ("*.jsonl") does, packed or not, in order.
Result<std::vector<std::string>> matching_names(const fs::path& folder, std::string_view pattern) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at{folder, error}; !error && at != fs::directory_iterator{};
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!is_like(name, pattern) || !is_file(at->path())) continue;
    if (names.size() == kFilesMax) {
      return fail(Errc::Unsupported, fmt::format("more than {} files {}", kFilesMax, pattern),
                  folder.string());
    }
    names.push_back(name);
  }
  if (error) return fail(Errc::Unavailable, error.message(), folder.string());
  std::ranges::sort(names);
  return names;
}

/// The names under which the files of `file` (a name or a pattern) lie in `folder`; empty: none.
Result<std::vector<std::string>> names_of(const fs::path& folder, std::string_view file) {
  if (file.starts_with('*')) return matching_names(folder, file);
  for (const std::string& name : {std::string{file}, other_form(file)}) {
    if (is_file(folder / name)) return std::vector{name};
  }
  return std::vector<std::string>{};
}

bool has_first_file(const lab::DatasetKind& kind, const fs::path& folder) {
  if (!is_folder(folder)) return false;
  const auto names = names_of(folder, kind.files.front());
  return names && !names->empty();
}

/// Data sets whose files are named freely may be given as one of these files.
Result<Place> place_of_file(const lab::DatasetKind& kind, const fs::path& path) {
  const std::string_view pattern = kind.files.front();
  if (!pattern.starts_with('*')) {
    return fail(Errc::NotFound,
                fmt::format("found a file; expected the folder of data set {}", kind.name),
                path.string());
  }
  const std::string name = path.filename().string();
  if (is_like(name, pattern)) return Place{.folder = path.parent_path(), .only = name};
  return fail(Errc::NotFound,
              fmt::format("found a file that is not called {0}; data set {1} is such a file, or a "
                          "folder of them",
                          pattern, kind.name),
              path.string());
}

/// `path` itself, or its subfolder, whichever has the data set.
Result<Place> place_of(const lab::DatasetKind& kind, const std::string& path) {
  const fs::path own{path};
  const fs::path below = own / kind.folder;
  if (is_file(own)) return place_of_file(kind, own);
  if (has_first_file(kind, own)) return Place{.folder = own, .only = {}};
  if (has_first_file(kind, below)) return Place{.folder = below, .only = {}};
  if (!is_folder(own)) {
    std::error_code error;
    return fail(Errc::NotFound,
                fmt::format("{}; expected the folder of the data set, or the one above it",
                            fs::exists(own, error) ? "is neither a file nor a folder"
                                                   : "no such file or folder"),
                path);
  }
  return fail(Errc::NotFound,
              fmt::format("found no data set {}: expected {} here, or in a folder {}", kind.name,
                          kind.files.front(), kind.folder),
              path);
}

/// The names of `file`, one of the files of `kind`, at `place`.
Result<std::vector<std::string>> names_at(const Place& place, const lab::DatasetKind& kind,
                                          std::string_view file) {
  if (!place.only.empty() && file == kind.files.front()) return std::vector{place.only};
  return names_of(place.folder.empty() ? fs::path{"."} : place.folder, file);
}

/// `name`: as the reader of the data set asks for it.
Result<lab::DataFile> load_file(const fs::path& path, std::string name) {
  lab::DataFile file{.name = std::move(name), .text = {}, .sha256 = {}};
  HORUS_TRY(const os::MappedFile mapped, os::MappedFile::open(path.string()));
  file.sha256 = sha256_hex(mapped.bytes());
  HORUS_TRY(file.text, os::read_text(path.string()));
  return file;
}

}  // namespace

std::span<const lab::DatasetKind> all_dataset_kinds() {
  static const std::vector<lab::DatasetKind> kinds = [] {
    const auto known = lab::dataset_kinds();
    std::vector<lab::DatasetKind> all{known.begin(), known.end()};
    all.push_back(record_dataset());
    std::ranges::sort(all, {}, &lab::DatasetKind::name);
    return all;
  }();
  return kinds;
}

std::vector<std::string> dataset_names() {
  std::vector<std::string> names;
  for (const lab::DatasetKind& kind : all_dataset_kinds()) names.emplace_back(kind.name);
  return names;
}

Result<const lab::DatasetKind*> find_dataset_kind(std::string_view name) {
  const auto kinds = all_dataset_kinds();
  const auto found = std::ranges::find(kinds, name, &lab::DatasetKind::name);
  if (found != kinds.end()) return &*found;
  const std::vector<std::string> names = dataset_names();
  return fail(Errc::InvalidArgument,
              fmt::format("unknown data set '{}'.{} Expected one of {}", printable(name),
                          did_you_mean(name, names), fmt::join(names, ", ")),
              "--dataset");
}

bool has_dataset(const lab::DatasetKind& kind, const std::string& path) {
  return place_of(kind, path).has_value();
}

Result<lab::Dataset> load_dataset(const lab::DatasetKind& kind, const std::string& path) {
  HORUS_TRY(const Place place, place_of(kind, path));
  std::vector<lab::DataFile> files;
  for (const std::string_view wanted : kind.files) {
    HORUS_TRY(const std::vector<std::string> names, names_at(place, kind, wanted));
    const bool is_pattern = wanted.starts_with('*');
    const bool is_optional = is_pattern && wanted != kind.files.front();
    if (names.empty() && !is_optional) {
      return fail(Errc::NotFound, fmt::format("file of data set {} is missing", kind.name),
                  (place.folder / wanted).string());
    }
    for (const std::string& name : names) {
      HORUS_TRY(lab::DataFile file,
                load_file(place.folder / name, is_pattern ? name : std::string{wanted}));
      files.push_back(std::move(file));
    }
  }
  return kind.read(files);
}

Result<std::vector<lab::Sample>> load_samples(const lab::Dataset& dataset,
                                              const Progress& progress) {
  const std::string label = "graphs of " + dataset.name;
  return lab::samples_of(dataset.rows, [&](std::size_t done, std::size_t all) {
    progress(label, static_cast<double>(done) / static_cast<double>(all));
  });
}

}  // namespace horus::apps
