// SPDX-License-Identifier: Apache-2.0
#include "horus/record/profile_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/domain/prediction.hpp"

namespace horus::record {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

Result<ProfileOptions> parse(const std::vector<std::string>& words) {
  return parse_profile_options(words);
}

std::string refusal(const std::vector<std::string>& words) {
  const auto options = parse(words);
  if (options) return "accepted";
  EXPECT_EQ(options.error().code, Errc::InvalidArgument);
  return options.error().text();
}

TEST(ProfileOptions, LeaveTheCommandItsOwnOptions) {
  EXPECT_THAT(parse({"--", "train", "--batch", "3"}).value().command,
              ElementsAre("train", "--batch", "3"));
  EXPECT_THAT(parse({"-q", "train", "-o", "x"}).value().command, ElementsAre("train", "-o", "x"));
  EXPECT_THAT(parse({"--", "--"}).value().command, ElementsAre("--"));
}

TEST(ProfileOptions, ReadTimes) {
  EXPECT_EQ(parse({"--interval", "50ms", "x"}).value().interval, Duration{50'000});
  EXPECT_EQ(parse({"--warmup=0", "x"}).value().warmup, Duration{0});
  EXPECT_EQ(parse({"--warmup", "1.5m", "x"}).value().warmup, from_seconds(90));
  EXPECT_EQ(parse({"--pid", "7", "--duration", "2s"}).value().duration, from_seconds(2));
  for (const char* bad : {"", "ms", "-1s", "1h", "nan", "1e99s", "1 0ms"}) {
    EXPECT_THAT(refusal({"--warmup", bad, "x"}), HasSubstr("--warmup")) << bad;
  }
  EXPECT_THAT(refusal({"--interval", "1ms", "x"}), HasSubstr("10ms to 60s"));
  EXPECT_THAT(refusal({"--interval", "61s", "x"}), HasSubstr("10ms to 60s"));
}

TEST(ProfileOptions, KeepAnnotationsByTheirPlace) {
  const auto options = parse({"--batch", "064", "--precision", "amp", "--model-name", "a b",
                              "--samples-per-second", "1e3", "x"});
  EXPECT_THAT(options.value().annotations,
              ElementsAre(Pair("input.samples_per_s", "1000"), Pair("model.batch", "64"),
                          Pair("model.name", "a b"), Pair("model.precision", "amp")));
}

TEST(ProfileOptions, RefuseValuesThatMakeNoSense) {
  EXPECT_THAT(refusal({"--batch", "0", "x"}), HasSubstr("integer from 1"));
  EXPECT_THAT(refusal({"--loader-workers", "-1", "x"}), HasSubstr("integer from 0"));
  EXPECT_THAT(refusal({"--batch", "2.5", "x"}), HasSubstr("2.5"));
  EXPECT_THAT(refusal({"--precision", "fp15", "x"}), HasSubstr("Did you mean 'fp16'?"));
  EXPECT_THAT(refusal({"--samples-per-second", "0", "x"}), HasSubstr("above 0"));
  EXPECT_THAT(refusal({"--output=", "x"}), HasSubstr("empty"));
  EXPECT_THAT(refusal({"--run-id", std::string(1001, 'x'), "x"}), HasSubstr("at most 1000"));
  EXPECT_THAT(refusal({"--quiet=yes", "x"}), HasSubstr("no value"));
  EXPECT_THAT(refusal({"--batch"}), HasSubstr("expected N behind it"));
  EXPECT_THAT(refusal({"--outptu", "a", "x"}), HasSubstr("Did you mean '--output'?"));
}

TEST(ProfileOptions, SelectGpus) {
  EXPECT_THAT(parse({"--gpu", "0,GPU-ab", "--gpu", "1,0", "x"}).value().gpus,
              ElementsAre("0", "GPU-ab", "1"));
  EXPECT_TRUE(parse({"--gpu", "none", "x"}).value().without_gpu);
  EXPECT_THAT(refusal({"--gpu", "none,1", "x"}), HasSubstr("one or the other"));
  EXPECT_THAT(refusal({"--gpu", "0,", "x"}), HasSubstr("between commas"));
}

TEST(ProfileOptions, KnowWhatToDo) {
  using Action = ProfileOptions::Action;
  EXPECT_EQ(parse({"--help"}).value().action, Action::Help);
  EXPECT_EQ(parse({"--version"}).value().action, Action::Version);
  EXPECT_EQ(parse({"--pid", "7"}).value().action, Action::Watch);
  EXPECT_THAT(refusal({}), HasSubstr("no command given"));
  EXPECT_THAT(refusal({"--pid", "7", "x"}), HasSubstr("one or the other"));
  EXPECT_THAT(refusal({"--duration", "7", "x"}), HasSubstr("needs --pid"));
  EXPECT_THAT(refusal({"--pid", "7", "--step-pattern", "x"}), HasSubstr("--step-pattern"));
  EXPECT_THAT(refusal({"--direct", "--step-pattern", "x", "y"}), HasSubstr("--direct"));
}

TEST(ProfileOptions, OfferTheWordsThatPredictionKnows) {
  for (const OptionRow& row : profile_option_rows()) {
    for (const std::string_view word : row.choices) {
      if (row.name == "--precision") {
        EXPECT_TRUE(parse_precision(word)) << word;
      }
      if (row.name == "--optimizer") {
        EXPECT_TRUE(parse_optimizer(word)) << word;
      }
      if (row.name == "--attention") {
        EXPECT_TRUE(parse_attention(word)) << word;
      }
      if (row.name == "--checkpointing") {
        EXPECT_TRUE(parse_checkpointing(word)) << word;
      }
    }
  }
}

TEST(ProfileOptions, AreAllInTheHelp) {
  const std::string help = profile_help();
  for (const OptionRow& row : profile_option_rows()) {
    EXPECT_THAT(help, HasSubstr(std::string{row.name})) << row.name;
  }
  EXPECT_THAT(help, HasSubstr("Examples:"));
}

}  // namespace
}  // namespace horus::record
