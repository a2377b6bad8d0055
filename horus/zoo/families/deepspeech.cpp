// SPDX-License-Identifier: Apache-2.0
// Deep Speech 2 (Amodei et al. 2016, arXiv:1512.02595): two convolutions over the spectrogram, five
// recurrent layers of both directions, and English letters. Two forms: that of
// SeanNaren/deepspeech.pytorch, where the directions are summed and 161 frequencies come in (16
// kHz, windows of 20 ms), and that of the keras.io example "Automatic Speech Recognition using
// CTC", where they stand side by side. The sequence counts frames; the loss is not part of it.

#include <array>

#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/layers.hpp"
#include "horus/zoo/recurrent_layer.hpp"

namespace horus::zoo {
namespace {

constexpr std::int64_t kFrames = 1000;
constexpr std::int64_t kFramesMax = 8192;
constexpr std::int64_t kLayers = 5;

/// clip(x, 0, 20).
Value hard_tanh(Builder& b, const std::string& name, const Value& x) {
  const Value low = b.number(0);
  const Value high = b.number(20);
  return b.add({.name = name, .op_type = "Clip", .inputs = {x.name, low.name, high.name}}, x.shape);
}

/// Batch normalization of (time, batch, features) over all steps and samples.
Value norm_of_steps(Builder& b, const std::string& name, const Value& x) {
  const Value by_feature = transpose(b, name + ".features", x, {1, 2, 0});
  return transpose(b, name + ".steps", batch_norm(b, name, by_feature), {2, 0, 1});
}

/// Both convolutions, as (time, batch, features).
Value convolutions(Builder& b, const Value& spectrogram, Bias bias, Activation activation) {
  const auto specs = std::to_array<ConvSpec>({
      {.channels = 32, .kernel = {41, 11}, .stride = {2, 2}, .padding = {20, 5}},
      {.channels = 32, .kernel = {21, 11}, .stride = {2, 1}, .padding = {10, 5}},
  });
  Value x = spectrogram;
  int index = 0;
  const auto next = [&index] { return "conv." + std::to_string(index++); };
  for (ConvSpec spec : specs) {
    spec.bias = bias;
    x = conv(b, next(), x, spec);
    x = batch_norm(b, next(), x);
    x = activation(b, next(), x);
  }
  const std::int64_t features = x.shape[1] * x.shape[2];
  x = reshape(b, "features", x, {0, features, -1}, {kBatch, features, x.shape[3]});
  return transpose(b, "by_time", x, {2, 0, 1});
}

void build_deepspeech2(Builder& b, const Sizes& sizes) {
  constexpr std::int64_t kLetters = 29;  // 26, the space, the apostrophe and the blank.
  const Value spectrogram = b.input("spectrogram", {kBatch, 1, 161, sizes.sequence});
  Value x = convolutions(b, spectrogram, Bias::Trained, hard_tanh);
  for (std::int64_t layer = 0; layer < kLayers; ++layer) {
    const std::string name = "rnns." + std::to_string(layer);
    if (layer > 0) x = norm_of_steps(b, name + ".batch_norm", x);
    x = recurrent(b, name + ".rnn", x,
                  {.cell = Cell::Gru, .hidden = 800, .direction = Direction::Both});
  }
  x = linear(b, "fc.1", norm_of_steps(b, "fc.0", x), kLetters, Bias::None);
  b.output(unary(b, "log_softmax", "LogSoftmax", x, {{"axis", std::int64_t{-1}}}));
}

void build_keras_deepspeech2(Builder& b, const Sizes& sizes) {
  constexpr std::int64_t kLetters = 32;  // With marks, the unknown and the blank.
  constexpr double kDropout = 0.5;
  const Value spectrogram = b.input("spectrogram", {kBatch, 1, 193, sizes.sequence});
  Value x = convolutions(b, spectrogram, Bias::None, relu);
  for (std::int64_t layer = 0; layer < kLayers; ++layer) {
    const std::string name = "bidirectional_" + std::to_string(layer + 1);
    if (layer > 0) x = dropout(b, name + ".dropout", x, kDropout);
    x = recurrent(
        b, name, x,
        {.cell = Cell::Gru, .hidden = 512, .direction = Direction::Both, .merge = Merge::Concat});
  }
  x = dropout(b, "dropout", relu(b, "dense_1_relu", linear(b, "dense_1", x, 1024)), kDropout);
  b.output(softmax(b, "softmax", linear(b, "dense", x, kLetters)));
}

Entry deepspeech(std::string name, const std::string& what, const std::string& frequencies,
                 void (*build)(Builder&, const Sizes&)) {
  return {.architecture = {.name = std::move(name),
                           .description = "Deep Speech 2, " + what,
                           .input = frequencies + " frequencies, 1000 frames",
                           .default_batch = 20,
                           .default_sequence = kFrames},
          .sequence_max = kFramesMax,
          .aliases = {},
          .build = build};
}

}  // namespace

std::vector<Entry> deepspeech_family() {
  return {
      deepspeech("deepspeech2",
                 "5 bidirectional GRU of 800 (arXiv:1512.02595, SeanNaren/deepspeech.pytorch)",
                 "161", build_deepspeech2),
      deepspeech("keras-deepspeech2", "5 bidirectional GRU of 512 (keras.io examples)", "193",
                 build_keras_deepspeech2),
  };
}

}  // namespace horus::zoo
