// SPDX-License-Identifier: Apache-2.0
// Networks of language and speech against their published parameters, and against the work that
// follows from their sizes.

#include <array>

#include "horus/zoo/cost_of_test.hpp"

namespace horus::zoo {
namespace {

struct Checkpoint {
  const char* name;
  double parameters;
};

TEST(LanguageCost, BertHasTheParametersOfItsCheckpoints) {
  // Encoder and pooler of the checkpoints of google-research/bert.
  constexpr auto kCheckpoints = std::to_array<Checkpoint>({{"bert-tiny", 4'385'920},
                                                           {"bert-mini", 11'170'560},
                                                           {"bert-small", 28'763'648},
                                                           {"bert-medium", 41'373'184},
                                                           {"bert-base-uncased", 109'482'240},
                                                           {"bert-base-cased", 108'310'272},
                                                           {"bert-large-uncased", 335'141'888},
                                                           {"bert-large-cased", 333'579'264}});
  for (const Checkpoint& row : kCheckpoints) {
    EXPECT_EQ(cost_of(row.name).parameters, row.parameters) << row.name;
  }
}

TEST(LanguageCost, BertsOfOtherLanguagesDifferInTheirVocabularyOnly) {
  const double uncased = cost_of("bert-base").parameters;
  const auto rows = [](double count) { return (count - 30'522) * 768; };
  EXPECT_EQ(cost_of("bert-base-chinese").parameters - uncased, rows(21'128));
  EXPECT_EQ(cost_of("bert-base-multilingual-cased").parameters - uncased, rows(119'547));
}

/// Weights of a stack of transformer layers that multiply each token: four square matrices and two
/// of four times the width.
double stack_weights(double depth, double width) { return depth * 12 * width * width; }

TEST(LanguageCost, Gpt2HasTheParametersOfItsCheckpoints) {
  struct Row {
    Checkpoint checkpoint;
    double depth;
    double width;
  };
  constexpr auto kRows = std::to_array<Row>({{{"gpt2", 124'439'808}, 12, 768},
                                             {{"gpt2-medium", 354'823'168}, 24, 1024},
                                             {{"gpt2-large", 774'030'080}, 36, 1280},
                                             {{"gpt2-xl", 1'557'611'200}, 48, 1600}});
  constexpr double kTokens = 1024;
  for (const auto& [checkpoint, depth, width] : kRows) {
    const Cost cost = cost_of(checkpoint.name);
    EXPECT_EQ(cost.parameters, checkpoint.parameters) << checkpoint.name;
    const double attention = depth * 2 * kTokens * kTokens * width;
    const double output = 50'257 * width * kTokens;
    EXPECT_EQ(cost.macs, stack_weights(depth, width) * kTokens + attention + output)
        << checkpoint.name;
  }
}

TEST(LanguageCost, T5HasTheParametersOfItsCheckpoints) {
  // 60, 220 and 770 million in section 3.7 of arXiv:1910.10683, which rounds.
  struct Row {
    Checkpoint checkpoint;
    double depth;
    double width;
  };
  constexpr auto kRows = std::to_array<Row>({{{"t5-small", 60'506'624}, 6, 512},
                                             {{"t5-base", 222'903'552}, 12, 768},
                                             {{"t5-large", 737'668'096}, 24, 1024}});
  constexpr double kTokens = 512;
  for (const auto& [checkpoint, depth, width] : kRows) {
    const Cost cost = cost_of(checkpoint.name);
    EXPECT_EQ(cost.parameters, checkpoint.parameters) << checkpoint.name;
    // A decoder layer has four square matrices more, and three attentions in all.
    const double weights = 2 * stack_weights(depth, width) + depth * 4 * width * width;
    const double attention = 3 * depth * 2 * kTokens * kTokens * width;
    const double output = 32'128 * width * kTokens;
    EXPECT_EQ(cost.macs, weights * kTokens + attention + output) << checkpoint.name;
  }
}

TEST(LanguageCost, XlnetHasTheParametersOfItsCheckpoints) {
  struct Row {
    Checkpoint checkpoint;
    double depth;
    double width;
    double heads;
  };
  constexpr auto kRows = std::to_array<Row>(
      {{{"xlnet-base", 116'718'336}, 12, 768, 12}, {{"xlnet-large", 360'268'800}, 24, 1024, 16}});
  constexpr double kTokens = 128;
  for (const auto& [checkpoint, depth, width, heads] : kRows) {
    const Cost cost = cost_of(checkpoint.name);
    EXPECT_EQ(cost.parameters, checkpoint.parameters) << checkpoint.name;
    // Twice as many relative distances as tokens are projected, and scored against each query.
    const double distances = 2 * kTokens * width * width;
    const double attention = 4 * kTokens * kTokens * width;
    const double segments = kTokens * 2 * width + kTokens * kTokens * 2 * heads;
    EXPECT_EQ(cost.macs,
              stack_weights(depth, width) * kTokens + depth * (distances + attention + segments))
        << checkpoint.name;
  }
}

TEST(LanguageCost, MaskedLanguageHeadsAddATransformAndABias) {
  // Hugging Face's BertForMaskedLM without pooler: 768 wide, 28,996 words.
  const double pooler = 768 * 768 + 768;
  const double transform = 768 * 768 + 768 + 2 * 768;
  EXPECT_EQ(cost_of("bert-base-cased-mlm").parameters,
            cost_of("bert-base-cased").parameters - pooler + transform + 28'996);
  EXPECT_EQ(cost_of("bert-base-cased-mlm").parameters, 108'340'804);
}

TEST(LanguageCost, FewerWordsMakeASmallerTransformer) {
  EXPECT_EQ(cost_of("transformer").parameters - cost_of("transformer-multi30k").parameters,
            (37'000 - 3'000) * 512);
}

TEST(LanguageCost, TheBigTransformerHasTheSizeOfThePaper) {
  // Table 3 of arXiv:1706.03762: 213 million.
  EXPECT_NEAR(cost_of("transformer-big").parameters / 213e6, 1, 0.01);
}

TEST(LanguageCost, RecurrentLanguageModelsHaveTheWeightsOfTheirGates) {
  struct Row {
    const char* name;
    double gates;
    double width;
  };
  constexpr double kVocabulary = 33'278;
  constexpr auto kRows = std::to_array<Row>({{"gru-lm", 3, 200},
                                             {"lstm-lm", 4, 200},
                                             {"lstm-lm-medium", 4, 650},
                                             {"lstm-lm-large", 4, 1500}});
  for (const auto& [name, gates, width] : kRows) {
    const Cost cost = cost_of(name);
    const double layer = gates * width * 2 * width;
    EXPECT_EQ(cost.parameters,
              2 * kVocabulary * width + kVocabulary + 2 * (layer + 2 * gates * width))
        << name;
    EXPECT_EQ(cost.macs, 35 * (2 * layer + kVocabulary * width)) << name;
  }
}

TEST(LanguageCost, DeepSpeechIsMostlyItsFiveRecurrentLayers) {
  constexpr double kFirst = 41 * 11 * 32;
  constexpr double kSecond = 32 * 21 * 11 * 32;
  constexpr double kFeatures = 32 * 41;  // 161 frequencies, halved twice.
  constexpr double kRows = 2 * 3 * 800;
  constexpr double kInputs = kFeatures + 800 + 4 * (800 + 800);
  constexpr double kConvolutions = kFirst + kSecond + 2 * (32 + 2 * 32);
  constexpr double kNorms = 5 * 2 * 800;
  constexpr double kLetters = 800 * 29;
  const Cost cost = cost_of("deepspeech2");
  EXPECT_EQ(cost.parameters, kConvolutions + kRows * (kInputs + 5 * 2) + kNorms + kLetters);
  // 1000 frames, halved once.
  EXPECT_EQ(cost.macs, 500 * (81 * kFirst + 41 * kSecond + kRows * kInputs + kLetters));
}

TEST(LanguageCost, TransformerXlHasThePublishedParameters) {
  // NVIDIA/DeepLearningExamples prints 191950298 for its base model.
  const Cost cost = cost_of("transformer-xl");
  EXPECT_EQ(cost.parameters, 191'950'298);
  constexpr double kTokens = 192;
  constexpr double kKeys = 2 * kTokens;
  constexpr double kWidth = 512;
  // Everything is projected for the remembered tokens too; distances are, once for the batch.
  constexpr double kProjections = kKeys * (3 + 1) * kWidth * kWidth + kTokens * kWidth * kWidth;
  constexpr double kAttention = 3 * kTokens * kKeys * kWidth;
  constexpr double kFeedForward = kTokens * 2 * kWidth * 2048;
  EXPECT_EQ(cost.macs,
            16 * (kProjections + kAttention + kFeedForward) + kTokens * kWidth * (19'997 + 3));
}

TEST(LanguageCost, KerasExamplesHaveTheParametersOfTheirPages) {
  // model.summary() on keras.io, trainable.
  EXPECT_EQ(cost_of("keras-text").parameters, 247'316);
  EXPECT_EQ(cost_of("keras-time-series").parameters, 93'130);
  EXPECT_EQ(cost_of("keras-deepspeech2").parameters, 26'628'352);
}

}  // namespace
}  // namespace horus::zoo
