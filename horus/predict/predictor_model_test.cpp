// SPDX-License-Identifier: Apache-2.0
#include "horus/predict/predictor_model.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/predict/site.hpp"
#include "horus/predict/tree_inputs.hpp"

namespace horus::predict {
namespace {

using testing::HasSubstr;

PredictorFile file_of_priors() {
  PredictorFile file;
  file.constants = named_constants({});
  return file;
}

ResidualTable table_for(std::string target) {
  const auto inputs = tree_inputs();
  return {.target = std::move(target),
          .inputs = {inputs.begin(), inputs.end()},
          .base = 0.1,
          .trees = {},
          .limit = 0.2,
          .scales = std::vector<double>(inputs.size(), 1.0),
          .known = {std::vector<double>(inputs.size(), 0.0)},
          .near = 1,
          .far = 2,
          .evidence = {}};
}

std::string refusal(const PredictorFile& file) {
  const auto model = make_model(file);
  return model ? "accepted" : model.error().text();
}

TEST(PredictorModel, PutsConstantsWhereTheirNamesSay) {
  PredictorFile file = file_of_priors();
  for (NamedConstant& constant : file.constants) {
    if (constant.name == "host.step_s") constant.value = 0.0123;
  }
  const auto model = make_model(file);
  ASSERT_TRUE(model) << model.error().text();
  EXPECT_EQ(model->constants.time.host_step_s, 0.0123);
  EXPECT_EQ(named_constants(model->constants), file.constants);
}

TEST(PredictorModel, NamesOfConstantsAreUniqueAndTheirPriorsInRange) {
  Constants priors;
  std::vector<std::string_view> names;
  for (const ConstantRow& row : constant_rows()) {
    names.push_back(row.name);
    EXPECT_GE(row.of(priors), row.least) << row.name;
    EXPECT_LE(row.of(priors), row.most) << row.name;
  }
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

TEST(PredictorModel, RefusesConstantsThatAreNotItsOwn) {
  PredictorFile file = file_of_priors();
  file.constants.push_back({"host.stp_s", 1e-3});
  EXPECT_THAT(refusal(file), HasSubstr("constants.host.stp_s: is no constant of this "
                                       "version. Did you mean 'host.step_s'?"));
  file = file_of_priors();
  file.constants.push_back(file.constants.front());
  EXPECT_THAT(refusal(file), HasSubstr("is given twice"));
  file = file_of_priors();
  const std::string lost = file.constants.back().name;
  file.constants.pop_back();
  EXPECT_THAT(refusal(file), HasSubstr("constants." + lost + ": is missing"));
  file = file_of_priors();
  file.constants.front().value = 1e9;
  EXPECT_THAT(refusal(file), HasSubstr("found 1000000000"));
}

TEST(PredictorModel, RefusesResidualsOfOtherInputs) {
  PredictorFile file = file_of_priors();
  file.residuals = {table_for("utilization")};
  EXPECT_EQ(refusal(file), "accepted");
  file.residuals[0].inputs[1].name = "parametres";
  EXPECT_THAT(refusal(file), HasSubstr("residuals[0].inputs: its trees read other inputs than "
                                       "this version computes: found 'parametres' in ln bytes"));
  file.residuals = {table_for("utilization")};
  file.residuals[0].inputs.pop_back();
  EXPECT_THAT(refusal(file), HasSubstr("residuals[0].inputs"));
  file.residuals = {table_for("step_time"), table_for("memory")};
  EXPECT_THAT(refusal(file), HasSubstr("residuals[1].target: found 'memory'"));
  file.residuals = {table_for("step_time"), table_for("step_time")};
  EXPECT_THAT(refusal(file), HasSubstr("residuals: stands twice: step_time"));
}

TEST(PredictorModel, FindsTheResidualOfATarget) {
  PredictorFile file = file_of_priors();
  file.residuals = {table_for("step_time")};
  const auto model = make_model(file);
  ASSERT_TRUE(model);
  EXPECT_EQ(residual_of(*model, ResidualTarget::Utilization), nullptr);
  ASSERT_NE(residual_of(*model, ResidualTarget::StepTime), nullptr);
}

TEST(PredictorModel, CarriesMeasuredLaws) {
  PredictorFile file = file_of_priors();
  file.sharing = {{"RTX3090", "mps", 0.7, 1.5, 1.6, 0.1, 40}};
  const auto model = make_model(file);
  ASSERT_TRUE(model) << model.error().text();
  ASSERT_EQ(model->constants.sharing.calibrated.size(), 1U);
  EXPECT_EQ(model->constants.sharing.calibrated[0].mode, SharingMode::Mps);
  EXPECT_EQ(measured_laws(model->constants.sharing), file.sharing);
  file.sharing.push_back(file.sharing[0]);
  EXPECT_THAT(refusal(file), HasSubstr("sharing[1]: is a second law for RTX3090 in mode mps"));
  file.sharing = {{"RTX3090", "sideways", 0.7, 1.5, 1.6, 0.1, 40}};
  EXPECT_THAT(refusal(file), HasSubstr("sharing[0]: unknown"));
  file.sharing = {{"RTX3090", "mps", 70, 1.5, 1.6, 0.1, 40}};
  EXPECT_THAT(refusal(file), HasSubstr("sharing[0]: found 70"));
}

TEST(PredictorModel, TheShippedFileHasEveryConstant) {
  const auto model = make_model(shipped_file());
  EXPECT_TRUE(model) << model.error().text() << "; 'make constants' writes the file again";
}

TEST(PredictorModel, TheShippedFileIsOfPermissiveDataOnly) {
  EXPECT_TRUE(shipped_file().is_permissive());
  EXPECT_TRUE(shipped_file().date.empty()) << "a date would change the bytes";
}

TEST(Site, WeighsFactorsByJobsAndGpu) {
  const std::vector<Site> sites{
      {.gpu = "T4", .host = "a", .host_factor = 2, .gpu_factor = 1.1, .jobs = 3},
      {.gpu = "T4",
       .host = "b",
       .host_factor = 8,
       .gpu_factor = 1.1,
       .context = Bytes{7},
       .jobs = 1},
      {.gpu = "K80", .host = "c", .host_factor = 1, .gpu_factor = 3, .jobs = 4}};
  const SiteFactors t4 = factors_on(sites, "T4");
  EXPECT_NEAR(t4.host, std::pow(2.0, 1.5), 1e-12);  // 2, 2, 2 and 8
  EXPECT_NEAR(t4.gpu, 1.1, 1e-12);
  EXPECT_EQ(t4.context, std::nullopt);  // the site with most jobs does not know it
  const SiteFactors elsewhere = factors_on(sites, "V100-16GB");
  EXPECT_NEAR(elsewhere.host, std::pow(2.0, 0.75), 1e-12);
  EXPECT_EQ(elsewhere.gpu, 1);
  EXPECT_EQ(factors_on({}, "T4"), SiteFactors{});
}

TEST(Site, ScalesTimesOfHostAndGpu) {
  const TimeConstants there =
      at_site(TimeConstants{}, {.host = 2, .gpu = 3, .loader_sample_s = 4, .context = {}});
  EXPECT_EQ(there.host_factor, 2);
  EXPECT_EQ(there.gpu_factor, 3);
  EXPECT_EQ(there.loader_sample_s, 4);
}

TEST(Site, PicksTheSitesOfAMachineOrFramework) {
  const std::vector<Site> sites{{.gpu = "T4", .host = "a", .framework = "pytorch"},
                                {.gpu = "T4", .host = "b", .framework = "pytorch"},
                                {.gpu = "T4", .host = "b", .framework = "tensorflow"}};
  EXPECT_EQ(sites_of(sites, "", "").size(), 3U);
  EXPECT_EQ(sites_of(sites, "b", "").size(), 2U);
  EXPECT_EQ(sites_of(sites, "b", "pytorch").size(), 1U);
  EXPECT_EQ(sites_of(sites, "c", "").size(), 0U);
}

}  // namespace
}  // namespace horus::predict
