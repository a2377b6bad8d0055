// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/zoo.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "horus/base/check.hpp"
#include "horus/base/text.hpp"
#include "horus/zoo/builder.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/respelling.hpp"

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
    {"cifar", cifar_family},
    {"convnext", convnext_family},
    {"cyclegan", cyclegan_family},
    {"dcgan", dcgan_family},
    {"deepspeech", deepspeech_family},
    {"densenet", densenet_family},
    {"efficientnet", efficientnet_family},
    {"fastvit", fastvit_family},
    {"ghostnet", ghostnet_family},
    {"googlenet", googlenet_family},
    {"gpt2", gpt2_family},
    {"hardcorenas", hardcorenas_family},
    {"inception", inception_family},
    {"inception-next", inception_next_family},
    {"inception-v4", inception_v4_family},
    {"keras-examples", keras_examples_family},
    {"lstm-lm", lstm_lm_family},
    {"maxvit", maxvit_family},
    {"message-passing", message_passing_family},
    {"mnasnet", mnasnet_family},
    {"mobilenet", mobilenet_family},
    {"mobilenet-v4", mobilenet_v4_family},
    {"neumf", neumf_family},
    {"nextvit", nextvit_family},
    {"overfeat", overfeat_family},
    {"pointnet", pointnet_family},
    {"recoder", recoder_family},
    {"regnet", regnet_family},
    {"reinforcement", reinforcement_family},
    {"repvit", repvit_family},
    {"resnet", resnet_family},
    {"rexnet", rexnet_family},
    {"shufflenet", shufflenet_family},
    {"squeezenet", squeezenet_family},
    {"swin", swin_family},
    {"t5", t5_family},
    {"timm-byoanet", timm_byoanet_family},
    {"timm-byobnet", timm_byobnet_family},
    {"timm-cspnet", timm_cspnet_family},
    {"timm-davit", timm_davit_family},
    {"timm-dla", timm_dla_family},
    {"timm-dpn", timm_dpn_family},
    {"timm-edgenext", timm_edgenext_family},
    {"timm-efficientnet", timm_efficientnet_family},
    {"timm-efficientvit", timm_efficientvit_family},
    {"timm-hgnet", timm_hgnet_family},
    {"timm-hiera", timm_hiera_family},
    {"timm-hrnet", timm_hrnet_family},
    {"timm-hybrid-vit", timm_hybrid_vit_family},
    {"timm-levit", timm_levit_family},
    {"timm-maxvit", timm_maxvit_family},
    {"timm-metaformer", timm_metaformer_family},
    {"timm-mixer", timm_mixer_family},
    {"timm-mobile", timm_mobile_family},
    {"timm-mobilevit", timm_mobilevit_family},
    {"timm-multipath", timm_multipath_family},
    {"timm-mvit", timm_mvit_family},
    {"timm-nfnet", timm_nfnet_family},
    {"timm-pit", timm_pit_family},
    {"timm-resnet", timm_resnet_family},
    {"timm-resnet-pruned", timm_resnet_pruned_family},
    {"timm-resnetv2", timm_resnetv2_family},
    {"timm-selecsls", timm_selecsls_family},
    {"timm-senet", timm_senet_family},
    {"timm-swin", timm_swin_family},
    {"timm-tinyvit", timm_tinyvit_family},
    {"timm-twins", timm_twins_family},
    {"timm-vit", timm_vit_family},
    {"timm-vitamin", timm_vitamin_family},
    {"timm-volo", timm_volo_family},
    {"timm-vovnet", timm_vovnet_family},
    {"timm-xception", timm_xception_family},
    {"timm-xcit", timm_xcit_family},
    {"transformer", transformer_family},
    {"transformer-xl", transformer_xl_family},
    {"unet", unet_family},
    {"vgg", vgg_family},
    {"vit", vit_family},
    {"xlnet", xlnet_family},
    {"yolo", yolo_family},
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

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// What is left of a name when letter case and separators do not matter: "ResNet_50" and
/// "resnet-50" are "resnet50". Between two digits they do: "1.6gf" is not "16gf".
std::string key_of(std::string_view name) {
  std::string key;
  bool parted = false;
  for (const char c : to_lower(name)) {
    if (c == '-' || c == '_' || c == ' ' || c == '.' || c == '/') {
      parted = true;
      continue;
    }
    if (parted && !key.empty() && is_digit(key.back()) && is_digit(c)) key += '_';
    key += c;
    parted = false;
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

/// Null where no name or alias has this key.
const Entry* entry_with(const std::string& key) {
  static const Index index = index_of(catalogue());
  const auto found = index.find(key);
  return found == index.end() ? nullptr : found->second;
}

/// Null where there is none under the name as it stands nor under its spelling of today.
const Entry* entry_of(std::string_view name) {
  const Entry* entry = entry_with(key_of(name));
  if (entry != nullptr) return entry;
  const std::optional<std::string> respelt = spelling_of_today(name);
  return respelt ? entry_with(key_of(*respelt)) : nullptr;
}

Result<const Entry*> find(std::string_view name) {
  if (const Entry* entry = entry_of(name)) return entry;
  const std::string key = key_of(name);
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

const Architecture* known(std::string_view name) {
  const Entry* entry = entry_of(name);
  return entry == nullptr ? nullptr : &entry->architecture;
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
