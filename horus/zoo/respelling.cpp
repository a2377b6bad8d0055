// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/respelling.hpp"

#include <algorithm>
#include <array>

#include "horus/base/text.hpp"

namespace horus::zoo {
namespace {

/// A name that starts and ends like the former is spelt like the latter.
struct Respelling {
  std::string_view start;
  std::string_view end;
  std::string_view new_start;
  std::string_view new_end;
};

// The longer end stands first. Left out on purpose: tags of 21841 classes ("_in22k", "_in21k"), of
// distilled networks with a second head ("deit_tiny_distilled"), and sizes of images that are no
// architecture of their own today ("convnext_tiny_384_in22ft1k").
// clang-format off
constexpr auto kRespellings = std::to_array<Respelling>({
    // Networks that had two names, or got another one.
    {"ecaresnext50t_32x4d", "", "ecaresnext26t_32x4d", ""},
    {"efficientnet_b2a", "", "efficientnet_b2", ""},
    {"efficientnet_b3a", "", "efficientnet_b3", ""},
    {"mnasnet_a1", "", "semnasnet_100", ""},
    {"mnasnet_b1", "", "mnasnet_100", ""},
    {"seresnext26tn_32x4d", "", "seresnext26t_32x4d", ""},
    {"vit_base_resnet50_384", "", "vit_base_r50_s16_384", ""},
    {"xception", "", "legacy_xception", ""},
    // Data sets: Instagram, weakly or half supervised, adversarial examples, ImageNet-22k.
    {"adv_inception_v3", "", "inception_v3", ""},
    {"ens_adv_inception_resnet_v2", "", "inception_resnet_v2", ""},
    {"tf_inception_v3", "", "inception_v3", ""},
    {"ig_resne", "", "resne", ""},
    {"ssl_resne", "", "resne", ""},
    {"swsl_resne", "", "resne", ""},
    {"convnext_", "_in22ft1k", "convnext_", ""},
    {"deit3_", "_in21ft1k", "deit3_", ""},
    {"mobilevitv2_", "_in22ft1k", "mobilevitv2_", ""},
    {"resmlp_", "_in22ft1k", "resmlp_", ""},
    {"resnetv2_", "_bitm", "resnetv2_", "_bit"},
    {"swinv2_", "_22kft1k", "swinv2_", ""},
    {"tf_efficientnetv2_", "_in21ft1k", "tf_efficientnetv2_", ""},
    // Recipes: adversarial propagation, noisy student, distillation, sharpness-aware minimization.
    {"tf_efficientnet_", "_ap", "tf_efficientnet_", ""},
    {"tf_efficientnet_", "_ns", "tf_efficientnet_", ""},
    {"mixer_", "_miil", "mixer_", ""},
    {"resmlp_", "_distilled_224", "resmlp_", "_224"},
    {"resnetv2_", "_bit_distilled", "resnetv2_", "_bit"},
    {"resnetv2_", "_bit_teacher", "resnetv2_", "_bit"},
    {"vit_", "_sam", "vit_", ""},
    {"xcit_", "_dist", "xcit_", ""},
});
// clang-format on

bool fits(const Respelling& rule, std::string_view name) {
  return name.size() >= rule.start.size() + rule.end.size() && name.starts_with(rule.start) &&
         name.ends_with(rule.end);
}

}  // namespace

std::optional<std::string> spelling_of_today(std::string_view name) {
  std::string plain = to_lower(name);
  std::ranges::replace(plain, '-', '_');
  const auto rule = std::ranges::find_if(
      kRespellings, [&](const Respelling& candidate) { return fits(candidate, plain); });
  if (rule == kRespellings.end()) return std::nullopt;
  const std::size_t kept = plain.size() - rule->start.size() - rule->end.size();
  return std::string{rule->new_start} + plain.substr(rule->start.size(), kept) +
         std::string{rule->new_end};
}

}  // namespace horus::zoo
