// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/layer_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace horus::zoo {
namespace {

using ::testing::HasSubstr;

TEST(LayerList, ReadsKindsOutputsAndParametersInOrder) {
  const auto layers = parse_layer_list("[('conv2d', 2967048, 2744), ('GELU', 2967048, 0)]");
  ASSERT_TRUE(layers) << layers.error().text();
  ASSERT_EQ(layers->size(), 2u);
  EXPECT_EQ(layers->at(0).kind, "conv2d");
  EXPECT_EQ(layers->at(0).outputs, 2'967'048);
  EXPECT_EQ(layers->at(0).parameters, 2744);
  EXPECT_EQ(layers->at(1).kind, "GELU");
  EXPECT_EQ(layers->at(1).parameters, 0);
}

TEST(LayerList, BlanksDoNotMatter) {
  const auto layers = parse_layer_list(" [ ( 'a' ,1 , 2 )\n,('b',3,4)] ");
  ASSERT_TRUE(layers) << layers.error().text();
  EXPECT_EQ(layers->size(), 2u);
}

TEST(LayerList, AnEmptyListIsAList) {
  const auto layers = parse_layer_list("[]");
  ASSERT_TRUE(layers) << layers.error().text();
  EXPECT_TRUE(layers->empty());
}

TEST(LayerList, SaysAtWhichCharacterItIsWrong) {
  struct Case {
    const char* text;
    const char* where;
    const char* expected;
  };
  const std::vector<Case> cases{
      {"", "character 1", "'['"},
      {"[('a', 1, 2)", "character 13", "','"},
      {"[('a', 1 2)]", "character 10", "','"},
      {"[(a, 1, 2)]", "character 3", "'''"},
      {"[('', 1, 2)]", "character 4", "the name of a layer"},
      {"[('a', x, 2)]", "character 8", "a whole number from 1"},
      {"[('a', 0, 2)]", "character 8", "a whole number from 1"},
      {"[('a', 1, -2)]", "character 11", "a whole number from 0"},
      {"[('a', 1, 1000000000001)]", "character 11", "to 1000000000000"},
      {"[('a', 1, 99999999999999999999)]", "character 11", "a whole number from 0"},
      {"[('a', 1, 2)] x", "character 15", "the end of the list"},
  };
  for (const Case& each : cases) {
    const auto layers = parse_layer_list(each.text);
    ASSERT_FALSE(layers) << each.text;
    EXPECT_EQ(layers.error().code, Errc::Corrupt) << each.text;
    EXPECT_EQ(layers.error().where, each.where) << each.text;
    EXPECT_THAT(layers.error().message, HasSubstr(each.expected)) << each.text;
  }
}

TEST(LayerList, HasLimits) {
  const auto long_text = parse_layer_list(std::string(kListBytesMax + 1, ' '));
  ASSERT_FALSE(long_text);
  EXPECT_EQ(long_text.error().code, Errc::Unsupported);
  std::string list = "[";
  for (std::size_t i = 0; i <= kListLayersMax; ++i) list += i == 0 ? "('a',1,2)" : ",('a',1,2)";
  const auto many = parse_layer_list(list + "]");
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().code, Errc::Unsupported);
  EXPECT_THAT(many.error().message, HasSubstr("4096"));
}

TEST(RunName, TellsTheInputOfAnImageNetwork) {
  const auto input = parse_run_name(
      "input_channels:3_num_classes:453_depth:22_arch:dense_base_filters:98_batch:62_"
      "input_size:174_act:leaky_relu_dropout:0.25_dropout:True_batchnorm:False.out");
  ASSERT_TRUE(input) << input.error().text();
  EXPECT_EQ(input->channels, 3);
  EXPECT_EQ(input->image, 174);
  EXPECT_EQ(input->batch, 62);
  EXPECT_EQ(input->wiring, Wiring::Dense);
  EXPECT_EQ(input->dropout, 0.25);
}

TEST(RunName, TellsTheInputOfANetworkOfNumbers) {
  const auto input = parse_run_name("input:1259_output:79_depth:8_arch:pyramid_batch:717.out");
  ASSERT_TRUE(input) << input.error().text();
  EXPECT_EQ(input->channels, 1259);
  EXPECT_EQ(input->image, 0);
  EXPECT_EQ(input->batch, 717);
  EXPECT_EQ(input->wiring, Wiring::Chain);
  EXPECT_EQ(input->dropout, 0);
}

TEST(RunName, NamesTheFieldThatIsWrong) {
  struct Case {
    const char* text;
    const char* where;
    Errc code;
  };
  const std::vector<Case> cases{
      {"", "input", Errc::Corrupt},
      {"input:0_arch:uniform_batch:7", "input", Errc::Corrupt},
      {"input:5_arch:uniform", "batch", Errc::Corrupt},
      {"input:5_arch:uniform_batch:x", "batch", Errc::Corrupt},
      {"input:5_arch:unfirom_batch:7", "arch", Errc::Unsupported},
      {"input:5_arch:uniform_batch:7_dropout:1", "dropout", Errc::Corrupt},
      {"input_channels:3_arch:uniform_batch:7", "input_size", Errc::Corrupt},
      {"input_channels:3_arch:uniform_batch:7_input_size:65537", "input_size", Errc::Corrupt},
  };
  for (const Case& each : cases) {
    const auto input = parse_run_name(each.text);
    ASSERT_FALSE(input) << each.text;
    EXPECT_EQ(input.error().where, each.where) << each.text;
    EXPECT_EQ(input.error().code, each.code) << each.text;
  }
  EXPECT_FALSE(parse_run_name(std::string(kRunNameBytesMax + 1, 'x')));
}

}  // namespace
}  // namespace horus::zoo
