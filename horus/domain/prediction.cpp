// SPDX-License-Identifier: Apache-2.0
#include "horus/domain/prediction.hpp"

#include <array>
#include <utility>

#include "horus/domain/detail/named_values.hpp"

namespace horus {
namespace {

constexpr std::array<std::pair<Precision, std::string_view>, 5> kPrecisions{{
    {Precision::Fp32, "fp32"},
    {Precision::Tf32, "tf32"},
    {Precision::Fp16, "fp16"},
    {Precision::Amp, "amp"},
    {Precision::Bf16, "bf16"},
}};
constexpr std::array<std::pair<Optimizer, std::string_view>, 5> kOptimizers{{
    {Optimizer::None, "none"},
    {Optimizer::Sgd, "sgd"},
    {Optimizer::Momentum, "momentum"},
    {Optimizer::Adam, "adam"},
    {Optimizer::AdamW, "adamw"},
}};
constexpr std::array<std::pair<Attention, std::string_view>, 2> kAttentions{{
    {Attention::Eager, "eager"},
    {Attention::Fused, "fused"},
}};
constexpr std::array<std::pair<Checkpointing, std::string_view>, 2> kCheckpointings{{
    {Checkpointing::None, "none"},
    {Checkpointing::Blocks, "blocks"},
}};
constexpr std::array<std::pair<UpdateKernels, std::string_view>, 2> kUpdates{{
    {UpdateKernels::PerTensor, "per-tensor"},
    {UpdateKernels::MultiTensor, "multi-tensor"},
}};
constexpr std::array<std::pair<StepEnd, std::string_view>, 2> kStepEnds{{
    {StepEnd::RunsOn, "runs-on"},
    {StepEnd::Waits, "waits"},
}};
constexpr std::array<std::pair<InputPlace, std::string_view>, 2> kInputPlaces{{
    {InputPlace::Host, "host"},
    {InputPlace::Gpu, "gpu"},
}};

using detail::lookup;
using detail::parse;
using detail::words;

}  // namespace

std::string_view name_of(Precision precision) { return lookup<Precision>(kPrecisions, precision); }
std::string_view name_of(Optimizer optimizer) { return lookup<Optimizer>(kOptimizers, optimizer); }
std::string_view name_of(Attention attention) { return lookup<Attention>(kAttentions, attention); }
std::string_view name_of(Checkpointing checkpointing) {
  return lookup<Checkpointing>(kCheckpointings, checkpointing);
}
std::string_view name_of(UpdateKernels update) { return lookup<UpdateKernels>(kUpdates, update); }
std::string_view name_of(StepEnd end) { return lookup<StepEnd>(kStepEnds, end); }
std::string_view name_of(InputPlace place) { return lookup<InputPlace>(kInputPlaces, place); }

std::vector<std::string> precision_words() { return words<Precision>(kPrecisions); }
std::vector<std::string> optimizer_words() { return words<Optimizer>(kOptimizers); }
std::vector<std::string> attention_words() { return words<Attention>(kAttentions); }
std::vector<std::string> checkpointing_words() { return words<Checkpointing>(kCheckpointings); }
std::vector<std::string> update_kernels_words() { return words<UpdateKernels>(kUpdates); }
std::vector<std::string> step_end_words() { return words<StepEnd>(kStepEnds); }
std::vector<std::string> input_place_words() { return words<InputPlace>(kInputPlaces); }

Result<Precision> parse_precision(std::string_view text) {
  return parse<Precision>(kPrecisions, "precision", text);
}
Result<Optimizer> parse_optimizer(std::string_view text) {
  return parse<Optimizer>(kOptimizers, "optimizer", text);
}
Result<Attention> parse_attention(std::string_view text) {
  return parse<Attention>(kAttentions, "attention", text);
}
Result<Checkpointing> parse_checkpointing(std::string_view text) {
  return parse<Checkpointing>(kCheckpointings, "checkpointing", text);
}
Result<UpdateKernels> parse_update_kernels(std::string_view text) {
  return parse<UpdateKernels>(kUpdates, "form of updates", text);
}
Result<StepEnd> parse_step_end(std::string_view text) {
  return parse<StepEnd>(kStepEnds, "end of steps", text);
}
Result<InputPlace> parse_input_place(std::string_view text) {
  return parse<InputPlace>(kInputPlaces, "place of input", text);
}

}  // namespace horus
