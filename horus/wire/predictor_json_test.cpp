// SPDX-License-Identifier: Apache-2.0
#include "horus/wire/predictor_json.hpp"

#include <functional>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "horus/wire/predictor_fields.hpp"

namespace horus::wire {
namespace {

using testing::HasSubstr;
using Json = nlohmann::ordered_json;

/// A file in which every field has a value of its own.
PredictorFile full_file() {
  PredictorFile file;
  file.command = "horus train data/a -o \"a b.json\"";
  file.date = "2024-02-29";
  file.constants = {{"host.step_s", 0.1 + 0.2}, {"convolution.plain_flops", 1e-300}};
  file.sites = {{.gpu = "T4",
                 .host = "node\xC3\xBC",
                 .framework = "pytorch",
                 .host_factor = 1.7,
                 .gpu_factor = 0.9,
                 .host_step_s = 2e-3,
                 .loader_sample_s = 1e-4,
                 .loader_element_s = 1e-9,
                 .context = Bytes{1443LL << 20},
                 .jobs = 5},
                {.gpu = "V100-16GB"}};
  file.sharing = {{"T4", "mps", 0.5, 1.5, 1.25, 0.07, 60}};
  file.residuals = {{.target = "step_time",
                     .inputs = {{"batch", "ln samples"}, {"flops", "ln FLOPs"}},
                     .base = -0.01,
                     .trees = {{{0, 0.1F, 1, 2}, {-1, 0.3F, 0, 0}, {-1, -0.2F, 0, 0}}},
                     .limit = 0.22,
                     .scales = {1.5, 0},
                     .known = {{1, 2}, {3, 4.5}},
                     .near = 0.25,
                     .far = 0.75,
                     .evidence = {100, 12, 0.2, 0.1, 0.03, 0.005}}};
  file.data = {{.dataset = "pgb",
                .licence = "MIT",
                .is_permissive = true,
                .rows = 316,
                .models = 32,
                .families = 9,
                .files = {{"a.csv", std::string(64, 'a')}}}};
  file.metrics = {{"lomo", "pgb", "mape_step_percent", 9.5, 8.0, 11.0},
                  {"random", "pgb", "mape_step_percent", 8, {}, {}}};
  file.notes = {"One.", "Two."};
  return file;
}

/// What is said of a file whose JSON was changed and whose hash was made to fit.
std::string refusal(const std::function<void(Json&)>& change) {
  Json json = Json::parse(to_json(full_file()));
  change(json);
  const auto file = read_predictor(json.dump());
  return file ? "accepted" : file.error().text();
}

TEST(PredictorJson, ReadsBackWhatItWrote) {
  const auto file = read_predictor(to_json(full_file()));
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_EQ(*file, full_file());
}

TEST(PredictorJson, WritesTheSameBytesAgain) {
  const auto file = read_predictor(to_json(full_file()));
  ASSERT_TRUE(file);
  EXPECT_EQ(to_json(*file), to_json(full_file()));
}

TEST(PredictorJson, AnEmptyFileIsWhole) {
  const auto file = read_predictor(to_json(PredictorFile{}));
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_EQ(*file, PredictorFile{});
}

TEST(PredictorJson, DoesNotCareAboutWhiteSpace) {
  EXPECT_EQ(refusal([](Json&) {}), "accepted");
}

TEST(PredictorJson, WritesLinesThatPeopleCanRead) {
  for (const std::string_view line :
       {"\n \"licence\": \"permissive\",\n", "\n     \"value\": [", "\n    [1.0,2.0],\n"}) {
    EXPECT_THAT(to_json(full_file()), HasSubstr(std::string{line}));
  }
}

TEST(PredictorJson, SaysNonCommercialWhenOneDataSetIs) {
  PredictorFile file = full_file();
  file.data.push_back({.dataset = "lab", .licence = "CC-BY-NC-4.0"});
  EXPECT_THAT(to_json(file), HasSubstr("\"licence\": \"non-commercial\""));
  EXPECT_THAT(refusal([](Json& json) { json["licence"] = "non-commercial"; }),
              HasSubstr("licence: found 'non-commercial', but its data make it 'permissive'"));
}

TEST(PredictorJson, RefusesWhatIsNoPredictor) {
  const auto said = [](std::string_view text) {
    const auto file = read_predictor(text);
    return file ? std::string{"accepted"} : file.error().text();
  };
  EXPECT_THAT(said(""), HasSubstr("is no JSON at byte"));
  EXPECT_THAT(said("{\"kind\": \"horus-predictor\","), HasSubstr("is no JSON at byte 27 of 27"));
  EXPECT_THAT(said("[]"), HasSubstr("is no predictor"));
  EXPECT_THAT(said("{}"), HasSubstr("is no predictor"));
  EXPECT_THAT(said("{\"kind\": 7}"), HasSubstr("is no predictor"));
  EXPECT_THAT(said("{\"kind\": \"horus-predictor\"}"), HasSubstr("found schema_version none"));
  EXPECT_THAT(said("{\"kind\": \"horus-predictor\", \"schema_version\": 2}"),
              HasSubstr("found schema_version 2, expected 1"));
  EXPECT_THAT(said(std::string(100000, '[')), HasSubstr("nested 100000 deep"));
  EXPECT_THAT(said(std::string(kPredictorBytesMax + 1, ' ')), HasSubstr("bytes, expected at most"));
  EXPECT_EQ(said("{\"kind\": 1e999}"), "has a number that no double holds: '1e999'");
}

TEST(PredictorJson, RefusesWhatAParserWouldLeaveUnread) {
  std::string text = to_json(full_file());
  text += '\0';
  const auto file = read_predictor(text + "anything");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().text(), fmt::format("is no JSON: byte {} is 0", text.size()));
}

TEST(PredictorJson, BracketsInTextsAreNoNesting) {
  PredictorFile file = full_file();
  file.notes = {"\\\"[[[[[[[[[[[[[[[[[["};
  EXPECT_TRUE(read_predictor(to_json(file)));
}

TEST(PredictorJson, RefusesAChangedNumber) {
  EXPECT_THAT(refusal([](Json& json) { json["constants"]["host.step_s"] = 0.31; }),
              HasSubstr("content_sha256: says"));
}

struct Broken {
  const char* pointer;  ///< Where to put...
  const char* value;    ///< ...this; "" takes the field away.
  const char* message;
};

TEST(PredictorJson, NamesTheFieldThatIsWrong) {
  const std::vector<Broken> cases{
      {"/command", "", "command: is missing"},
      {"/command", "3", "command: found 3, expected a text"},
      {"/date", "\"yesterday\"", "date: found 'yesterday', expected YYYY-MM-DD"},
      {"/surprise", "1", "surprise: is a key that this version does not know"},
      {"/note", "[]", "Did you mean 'notes'?"},
      {"/notes", "{}", "notes: found 0 members, expected an array"},
      {"/notes/1", "null", "notes[1]: found null, expected a text"},
      {"/constants", "[]", "constants: found 0 elements, expected an object"},
      {"/constants/host.step_s", "\"0.3\"", "constants.host.step_s: found \"0.3\""},
      {"/sites/0/gpu", "", "sites[0].gpu: is missing"},
      {"/sites/0/host_factor", "0", "sites[0].host_factor: found 0, expected a number from 0.001"},
      {"/sites/0/jobs", "1.5", "sites[0].jobs: found 1.5, expected a whole number"},
      {"/sites/0/context_bytes", "-1", "sites[0].context_bytes: found -1"},
      {"/sites/1", "7", "sites[1]: found 7, expected an object"},
      {"/sharing/0/gain", "true", "sharing[0].gain: found true"},
      {"/residuals/0/inputs/1/unit", "", "residuals[0].inputs[1].unit: is missing"},
      {"/residuals/0/trees/0/value", "[1, 2]", "residuals[0].trees[0]: found arrays of 3, 2, 3"},
      {"/residuals/0/trees/0/below/1", "5000", "trees[0].below[1]: found 5000"},
      {"/residuals/0/trees/0/value/0", "1e39", "trees[0].value[0]: found 1e+39"},
      {"/residuals/0/known/1/0", "\"x\"", "residuals[0].known[1][0]: found \"x\""},
      {"/residuals/0/evidence", "[]", "residuals[0].evidence: found array, expected an object"},
      {"/data/0/permissive", "1", "data[0].permissive: found 1, expected true or false"},
      {"/data/0/files/0/sha256", "\"abc\"", "data[0].files[0].sha256: found 'abc', expected 64"},
      {"/metrics/0/low", "null", "metrics[0].low: found null, expected a number"},
      {"/content_sha256", "", "content_sha256: is missing"},
  };
  for (const Broken& broken : cases) {
    const std::string said = refusal([&broken](Json& json) {
      const Json::json_pointer pointer{broken.pointer};
      if (*broken.value != '\0')
        json[pointer] = Json::parse(broken.value);
      else
        json[pointer.parent_pointer()].erase(pointer.back());
    });
    EXPECT_THAT(said, HasSubstr(broken.message)) << broken.pointer;
  }
}

TEST(PredictorJson, RefusesMoreThanItsLimits) {
  EXPECT_THAT(refusal([](Json& json) { json["notes"] = std::vector<std::string>(101, "x"); }),
              HasSubstr("notes: found 101 elements, expected an array of at most 100"));
  EXPECT_THAT(refusal([](Json& json) { json["command"] = std::string(20001, 'x'); }),
              HasSubstr("command: found 20001 bytes"));
}

}  // namespace
}  // namespace horus::wire
