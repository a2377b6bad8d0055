// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/zoo.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "horus/base/check.hpp"
#include "horus/base/text.hpp"
#include "horus/zoo/builder.hpp"
#include "horus/zoo/families/family.hpp"

namespace horus::zoo {
namespace {

constexpr std::int64_t kBatchMax = 1'000'000;

/// A family of architectures and the function of its file that lists them.
struct Family {
  const char* name;
  std::vector<Entry> (*entries)();
};

// clang-format off
constexpr auto kFamilies = std::to_array<Family>({
    {"alexnet", alexnet_family},
    {"bert", bert_family},
    {"dcgan", dcgan_family},
    {"densenet", densenet_family},
    {"efficientnet", efficientnet_family},
    {"gpt2", gpt2_family},
    {"inception", inception_family},
    {"lstm-lm", lstm_lm_family},
    {"mobilenet", mobilenet_family},
    {"neumf", neumf_family},
    {"pointnet", pointnet_family},
    {"resnet", resnet_family},
    {"transformer", transformer_family},
    {"vgg", vgg_family},
    {"vit", vit_family},
});
// clang-format on

std::vector<Entry> collect() {
  std::vector<Entry> entries;
  for (const Family& family : kFamilies) {
    for (Entry& entry : family.entries()) {
      entry.architecture.family = family.name;
      entries.push_back(std::move(entry));
    }
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& left, const Entry& right) {
    return left.architecture.name < right.architecture.name;
  });
  return entries;
}

const std::vector<Entry>& catalogue() {
  static const std::vector<Entry> entries = collect();
  return entries;
}

/// What is left of a name when letter case and separators do not matter: "ResNet_50" and
/// "resnet-50" are "resnet50".
std::string key_of(std::string_view name) {
  std::string key;
  for (const char c : to_lower(name)) {
    if (c != '-' && c != '_' && c != ' ' && c != '.' && c != '/') key += c;
  }
  return key;
}

using Index = std::map<std::string, const Entry*, std::less<>>;

/// Entries by the keys of their names and aliases. Two architectures of one key are an error of
/// the programmer.
Index index_of(const std::vector<Entry>& entries) {
  Index index;
  for (const Entry& entry : entries) {
    const bool is_new = index.emplace(key_of(entry.architecture.name), &entry).second;
    HORUS_CHECK(is_new, ("two architectures are called " + entry.architecture.name).c_str());
  }
  for (const Entry& entry : entries) {
    for (const std::string& alias : entry.aliases) {
      const auto [place, is_new] = index.emplace(key_of(alias), &entry);
      HORUS_CHECK(is_new || place->second == &entry,
                  ("two architectures answer to " + alias).c_str());
    }
  }
  return index;
}

Result<const Entry*> find(std::string_view name) {
  static const Index index = index_of(catalogue());
  const std::string key = key_of(name);
  const auto found = index.find(key);
  if (found != index.end()) return found->second;
  std::vector<std::string> names;
  for (const Entry& entry : catalogue()) names.push_back(entry.architecture.name);
  return fail(Errc::NotFound,
              fmt::format("no architecture is called '{}'.{} 'horus zoo' lists them.",
                          printable(name), did_you_mean(key, names)));
}

Result<std::int64_t> image_of(const Entry& entry, std::optional<std::int64_t> wanted) {
  const Architecture& architecture = entry.architecture;
  if (!wanted) return architecture.default_image;
  if (architecture.default_image == 0) {
    return fail(
        Errc::InvalidArgument,
        fmt::format("an image size was given, but that of {} cannot be chosen; leave it out",
                    architecture.name));
  }
  const ImageRange& range = entry.images;
  if (*wanted < range.min || *wanted > range.max || *wanted % range.step != 0) {
    return fail(Errc::InvalidArgument,
                fmt::format("image size {} does not fit {}, which reads {} to {} pixels in steps "
                            "of {}",
                            *wanted, architecture.name, range.min, range.max, range.step));
  }
  return *wanted;
}

Result<std::int64_t> sequence_of(const Entry& entry, std::optional<std::int64_t> wanted) {
  const Architecture& architecture = entry.architecture;
  if (!wanted) return architecture.default_sequence;
  if (entry.sequence_max == 0) {
    return fail(Errc::InvalidArgument,
                fmt::format("a sequence length was given, but {} reads no sequence; leave it out",
                            architecture.name));
  }
  if (*wanted < 1 || *wanted > entry.sequence_max) {
    return fail(Errc::InvalidArgument,
                fmt::format("sequence length {} is outside of 1..{}, which {} can read", *wanted,
                            entry.sequence_max, architecture.name));
  }
  return *wanted;
}

}  // namespace

std::span<const Architecture> architectures() {
  static const std::vector<Architecture> all = [] {
    std::vector<Architecture> list;
    for (const Entry& entry : catalogue()) list.push_back(entry.architecture);
    return list;
  }();
  return all;
}

Result<graph::Model> build(std::string_view name, const BuildOptions& options) {
  HORUS_TRY(const Entry* entry, find(name));
  if (options.batch && (*options.batch < 1 || *options.batch > kBatchMax)) {
    return fail(Errc::InvalidArgument,
                fmt::format("batch {} is outside of 1..{}", *options.batch, kBatchMax));
  }
  HORUS_TRY(const std::int64_t sequence, sequence_of(*entry, options.sequence));
  HORUS_TRY(const std::int64_t image, image_of(*entry, options.image));
  Builder builder{entry->architecture.name, options.batch};
  entry->build(builder, {.sequence = sequence, .image = image});
  return std::move(builder).finish();
}

}  // namespace horus::zoo
