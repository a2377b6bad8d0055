// SPDX-License-Identifier: Apache-2.0
// Readers of data sets on small made-up files in the formats of the published ones.
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/lab/dataset_kinds.hpp"
#include "horus/lab/datasets/dataset_readers.hpp"

namespace horus::lab {
namespace {

using ::testing::HasSubstr;

DataFile file(std::string name, std::string text) {
  return {.name = std::move(name), .text = std::move(text), .sha256 = "00"};
}

constexpr const char* kLucidSolo =
    "model,dataset,batchsize,amp,speed,gpu_util,gmem_util,gmem,label\n"
    "ResNet18,CIFAR-10,64,0,3200,80.5,47.0,2600.0,2\n"
    "ResNet18,CIFAR-10,64,1,4000,62.0,34.0,3600.0,2\n"
    "PPO,LunarLander,32,0,5.5,12.5,0.0,2050.0,0\n"
    "Unheard,ImageNet,32,0,5.5,12.5,0.0,2050.0,0\n";
constexpr const char* kLucidHeader =
    ",model1,dataset1,gpu_num1,batchsize1,amp1,speed1,model2,dataset2,gpu_num2,batchsize2,amp2,"
    "speed2,gpu_util,gmem_util,gmem\n";

TEST(LucidRows, HaveWhatWasMeasuredAndHowTheyTrain) {
  const std::vector files{
      file("single_profile.csv", kLucidSolo),
      file("colocate_pairs.csv",
           std::string{kLucidHeader} +
               "7,ResNet18,CIFAR-10,1,64,0,0.8,PPO,LunarLander,1,32,0,0.5,90.0,50.0,4600\n"
               "8,ResNet18,CIFAR-10,1,99,0,0.8,PPO,LunarLander,1,32,0,0.5,90.0,50.0,4600\n")};
  const auto data = read_lucid(files);
  ASSERT_TRUE(data) << data.error().text();
  EXPECT_EQ(data->licence, Licence::NonCommercial);
  ASSERT_EQ(data->rows.size(), 3u);
  const Row& row = data->rows[0];
  EXPECT_EQ(row.id, "single_profile.csv:2");
  EXPECT_EQ(row.gpu, "RTX3090");
  EXPECT_EQ(row.family, "resnet");
  EXPECT_EQ(row.measured.step_s, 64 / 3200.0);
  EXPECT_EQ(row.measured.utilization, 0.805);
  EXPECT_EQ(row.measured.bandwidth_utilization, 0.47);
  EXPECT_EQ(row.measured.memory_mib, 2600);
  EXPECT_EQ(row.setup.precision, Precision::Tf32);
  EXPECT_EQ(row.setup.samples_per_second, 7000);
  EXPECT_EQ(row.features()->batch, 64);
  EXPECT_EQ(data->rows[1].setup.precision, Precision::Amp);
  EXPECT_EQ(data->rows[2].measured.step_s, std::nullopt);  // Its rate counts something else.
  ASSERT_EQ(data->unmapped.size(), 1u);
  EXPECT_EQ(data->unmapped[0].model, "Unheard");
  ASSERT_EQ(data->pairs.size(), 1u);
  EXPECT_EQ(data->pairs[0].first, 0u);
  EXPECT_EQ(data->pairs[0].second, 2u);
  EXPECT_EQ(data->pairs[0].slowdown_first, 1.25);
  EXPECT_EQ(data->pairs[0].slowdown_second, 2);
  ASSERT_EQ(data->left_out.size(), 1u);
  EXPECT_EQ(data->left_out[0].rows, 1u);
}

TEST(LucidRows, WrongCellsNameFileLineAndColumn) {
  const std::vector files{file("single_profile.csv",
                               "model,dataset,batchsize,amp,speed,gpu_util,gmem_util,gmem,label\n"
                               "ResNet18,CIFAR-10,64,0,3200,180.5,47.0,2600.0,2\n"),
                          file("colocate_pairs.csv", kLucidHeader)};
  const auto data = read_lucid(files);
  ASSERT_FALSE(data);
  EXPECT_EQ(data.error().where, "single_profile.csv:2");
  EXPECT_THAT(data.error().message, HasSubstr("gpu_util"));
}

TEST(LucidRows, TheSameConfigurationTwiceIsAnError) {
  const std::string twice =
      std::string{kLucidSolo} + "ResNet18,CIFAR-10,64,1,4000,62.0,34.0,3600.0,2\n";
  const std::vector files{file("single_profile.csv", twice),
                          file("colocate_pairs.csv", kLucidHeader)};
  EXPECT_EQ(read_lucid(files).error().where, "single_profile.csv:6");
}

TEST(PgbRows, KeepOneGpuTrainingOfKnownMachines) {
  const std::vector files{
      file("batch_time_bs12.csv.gz",
           "set,gpu,n_gpus,precision,mode,model,n,median_ms,mean_ms,p10_ms,p90_ms\n"
           "dgx-a100,A100-SXM4-40GB,1,float,train,resnet50,50,40,41,39,42\n"
           "TITANXP,TITAN Xp,1,half,train,vgg16,50,100,101,99,102\n"
           "TITANXP,TITAN Xp,2,half,train,vgg16,50,100,101,99,102\n"
           "TITANXP,TITAN Xp,1,double,train,vgg16,50,100,101,99,102\n"
           "TITANXP,TITAN Xp,1,half,inference,vgg16,50,100,101,99,102\n"
           "new_results,GeForce RTX 2080 Ti,1,half,train,vgg16,50,100,101,99,102\n"
           "TITANXP,TITAN Xp,1,half,train,unheard,50,100,101,99,102\n")};
  const auto data = read_pgb(files);
  ASSERT_TRUE(data) << data.error().text();
  EXPECT_EQ(data->licence, Licence::Permissive);
  ASSERT_EQ(data->rows.size(), 2u);
  EXPECT_EQ(data->rows[0].id, "batch_time_bs12.csv:2");
  EXPECT_EQ(data->rows[0].gpu, "A100-40GB");
  EXPECT_EQ(data->rows[0].setup.precision, Precision::Tf32);
  EXPECT_EQ(data->rows[0].setup.optimizer, Optimizer::None);
  EXPECT_EQ(data->rows[0].measured.step_s, 0.04);
  EXPECT_EQ(data->rows[1].setup.precision, Precision::Fp16);
  EXPECT_EQ(data->rows[1].features()->batch, 12);
  EXPECT_EQ(data->left_out.size(), 4u);
  ASSERT_EQ(data->unmapped.size(), 1u);
  EXPECT_EQ(data->unmapped[0].model, "unheard");
}

TEST(TimmMemoryRows, EndAtTheFirstRunThatIsFullOrDoesNotGrow) {
  const std::string header =
      "model,batch_size,max_gpu_memory_mib,faketensor_after_forward_mib,"
      "faketensor_after_backward_mib,faketensor_last_value_mib\n";
  const std::vector files{file("timm_memory.csv.gz", header +
                                                         // Out of order, and the third is full.
                                                         "resnet18,16,3000,1,1,1\n"
                                                         "resnet18,8,2000,1,1,1\n"
                                                         "resnet18,32,38001,1,1,1\n"
                                                         "resnet18,64,9000,1,1,1\n"
                                                         // Grows by less than two percent.
                                                         "vgg16,8,5000,1,1,1\n"
                                                         "vgg16,16,5099,1,1,1\n"
                                                         "unheard,8,2000,1,1,1\n")};
  const auto data = read_timm_memory(files);
  ASSERT_TRUE(data) << data.error().text();
  ASSERT_EQ(data->rows.size(), 3u);
  EXPECT_EQ(data->rows[0].id, "timm_memory.csv:3");
  EXPECT_EQ(data->rows[0].measured.memory_mib, 2000);
  EXPECT_EQ(data->rows[1].measured.memory_mib, 3000);
  EXPECT_EQ(data->rows[2].model, "vgg16");
  ASSERT_EQ(data->left_out.size(), 2u);
  EXPECT_EQ(data->left_out[0].model, "resnet18");
  EXPECT_EQ(data->left_out[0].rows, 2u);
  EXPECT_EQ(data->left_out[1].rows, 1u);
  EXPECT_EQ(data->unmapped.size(), 1u);
}

TEST(TimmMemoryRows, ReadImagesOfTimmsOwnSize) {
  const std::vector files{
      file("timm_memory.csv", "model,batch_size,max_gpu_memory_mib\nefficientnet_b4,8,3000\n")};
  const auto data = read_timm_memory(files);
  ASSERT_TRUE(data) << data.error().text();
  EXPECT_EQ(data->rows.at(0).features()->input_elements, 8.0 * 3 * 320 * 320);
}

TEST(TimmTrainingRows, HaveTheImageAndTheBatchOfTheirLine) {
  const std::vector files{
      file("train_amp_rtx3090.csv",
           "model,train_samples_per_sec,train_step_time,train_batch_size,train_img_size,"
           "param_count\nresnet18,1000,512,256,160,11.7\nunheard,1000,512,256,160,11.7\n")};
  const auto data = read_timm_training(files);
  ASSERT_TRUE(data) << data.error().text();
  ASSERT_EQ(data->rows.size(), 1u);
  EXPECT_EQ(data->rows[0].measured.step_s, 0.512);
  EXPECT_EQ(data->rows[0].setup.attention, Attention::Eager);
  EXPECT_EQ(data->rows[0].features()->input_elements, 256.0 * 3 * 160 * 160);
  EXPECT_EQ(data->unmapped.size(), 1u);
}

constexpr const char* kCnnHeader =
    "Filename,Depth,Activations-Params,Activation Function,Total Activations,Total Parameters,"
    "Batch Size,Max GPU Memory (MiB),Avg GPUTL,Avg GRACT,Avg SMACT,Avg SMOCC,Avg FP32A,Status\n";
constexpr const char* kCnn =
    "input_channels:3_arch:uniform_base_filters:8_batch:4_input_size:10.out,1,"
    "\"[('conv2d', 800, 224), ('ReLU', 800, 0), ('adaptive_avg_pool2d', 8, 0), "
    "('linear', 5, 45)]\",ReLU,1613,269,4,";

TEST(ListedRows, AreRebuiltAndOutOfMemoryIsALabel) {
  const std::string cnn{kCnn};
  const std::vector files{file(
      "cnn_step1.csv.gz",
      kCnnHeader + cnn + "2000,40.5,0.4,0.3,0.2,0.1,SUCCESSFUL\n" + cnn +
          "39000,20.0,0.4,0.3,0.2,0.1,OOM_CRASH\n" + cnn + "2000,-1,-1,-1,-1,-1,SUCCESSFUL\n" +
          "input_channels:3_arch:uniform_batch:4_input_size:10.out,1,[],ReLU,0,0,4,0,-1,-1,-1,-1,-"
          "1,"
          "SUCCESSFUL\n" +
          "input_channels:3_arch:dense_batch:4_input_size:10.out,1,\"[('conv2d', 800, 225)]\",ReLU,"
          "0,225,4,2000,-1,-1,-1,-1,-1,SUCCESSFUL\n")};
  const auto data = read_gpumemnet_cnn(files);
  ASSERT_TRUE(data) << data.error().text();
  ASSERT_EQ(data->rows.size(), 3u);
  EXPECT_EQ(data->rows[0].family, "uniform");
  EXPECT_EQ(data->rows[0].model, "uniform 1e2");  // 269 parameters: from 100 to 300.
  EXPECT_EQ(data->rows[0].measured.utilization, 0.405);
  EXPECT_EQ(data->rows[0].measured.sm_active, 0.3);
  EXPECT_EQ(data->rows[0].setup.precision, Precision::Tf32);
  EXPECT_EQ(data->rows[0].features()->parameters, 269);
  EXPECT_EQ(data->rows[0].samples_per_epoch, 4096);
  EXPECT_TRUE(data->rows[1].measured.out_of_memory);
  EXPECT_EQ(data->rows[1].measured.memory_mib, std::nullopt);
  EXPECT_EQ(data->rows[1].measured.utilization, std::nullopt);
  EXPECT_EQ(data->rows[2].measured.utilization, std::nullopt);
  EXPECT_EQ(data->rows[2].measured.memory_mib, 2000);
  EXPECT_EQ(data->left_out.size(), 1u);
  ASSERT_EQ(data->unmapped.size(), 1u);
  EXPECT_THAT(data->unmapped[0].reason, HasSubstr("layer 1"));
}

TEST(ListedRows, AnUnknownStatusIsAnError) {
  const std::vector files{
      file("cnn_step1.csv", std::string{kCnnHeader} + kCnn + "2000,40.5,0.4,0.3,0.2,0.1,MAYBE\n")};
  EXPECT_THAT(read_gpumemnet_cnn(files).error().message, HasSubstr("OOM_CRASH"));
}

TEST(GavelRows, JobsAloneAreRowsAndPairsThatDoNotRunStay) {
  const std::vector files{
      file("pairs_flat.csv",
           "gpu,job1,n1,job2,n2,steps_per_s_1,steps_per_s_2,solo_steps_per_s_1,"
           "solo_steps_per_s_2\n"
           "k80,ResNet-18 (batch size 16),1,A3C,1,2,1,4,3\n"
           "k80,ResNet-18 (batch size 16),1,ResNet-18 (batch size 16),1,0,0,4,4\n"
           "k80,ResNet-18 (batch size 16),2,ResNet-18 (batch size 16),2,0,0,4,4\n"
           "v100,Recommendation (batch size 512),1,A3C,1,2,1,4,3\n")};
  const auto data = read_gavel(files);
  ASSERT_TRUE(data) << data.error().text();
  ASSERT_EQ(data->rows.size(), 4u);
  EXPECT_EQ(data->rows[0].model, "ResNet-18");
  EXPECT_EQ(data->rows[0].gpu, "K80");
  EXPECT_EQ(data->rows[0].measured.step_s, 0.25);
  EXPECT_EQ(data->rows[0].features()->batch, 16);
  EXPECT_EQ(data->rows[1].measured.step_s, std::nullopt);
  EXPECT_EQ(data->rows[2].measured.step_s, std::nullopt);
  ASSERT_EQ(data->pairs.size(), 2u);
  EXPECT_EQ(data->pairs[0].slowdown_first, 2);
  EXPECT_EQ(data->pairs[0].slowdown_second, 3);
  EXPECT_EQ(data->pairs[1].first, data->pairs[1].second);
  EXPECT_EQ(data->pairs[1].slowdown_first, 0);
  EXPECT_EQ(data->left_out.size(), 2u);
}

TEST(NamedRuns, AModelNamesTheRowsBelowIt) {
  const std::vector files{file("real_models_estimators.csv",
                               ",batch_size,Actual GPU memory,GPUMemNet ,FakeTensor,Horus\n"
                               "vgg16,32,8000,1,1,1\n,128,24000,1,1,1\nunheard,8,1,1,1,1\n")};
  const auto data = read_named_runs(files);
  ASSERT_TRUE(data) << data.error().text();
  ASSERT_EQ(data->rows.size(), 2u);
  EXPECT_EQ(data->rows[1].model, "vgg16");
  EXPECT_EQ(data->rows[1].features()->batch, 128);
  EXPECT_EQ(data->unmapped.size(), 1u);
}

TEST(SalusRows, StartingTimeCancelsOut) {
  const std::vector files{
      file("tf_memory_runtime.csv",
           "name,model,batch,duration_class,runtime_s,memory_mb,iterations\n"
           "a,vgg11,25,1min,20,1048.576,100\nb,vgg11,25,5min,60,1048.576,500\n")};
  const auto data = read_salus(files);
  ASSERT_TRUE(data) << data.error().text();
  ASSERT_EQ(data->rows.size(), 1u);
  EXPECT_DOUBLE_EQ(data->rows[0].measured.step_s.value(), 0.1);  // 10 s of 60 are no steps.
  EXPECT_DOUBLE_EQ(data->rows[0].measured.memory_mib.value(), 1000);
  EXPECT_EQ(data->left_out.at(0).rows, 1u);
}

TEST(PolluxRows, KeepOneGpu) {
  std::vector<DataFile> files;
  for (const char* model : {"bert", "cifar10", "deepspeech2", "imagenet", "ncf", "yolov3"}) {
    files.push_back(file(std::string{model} + "_placements.csv",
                         "placement,local_bsz,step_time,sync_time\n1,20,0.5,0\n22,20,0.6,0.1\n"));
  }
  const auto data = read_pollux(files);
  ASSERT_TRUE(data) << data.error().text();
  EXPECT_EQ(data->rows.size(), 4u);
  EXPECT_EQ(data->left_out.size(), 6u);
  EXPECT_EQ(data->unmapped.size(), 2u);
  EXPECT_EQ(data->rows[2].model, "imagenet");
  EXPECT_EQ(data->rows[2].setup.precision, Precision::Amp);
  EXPECT_EQ(data->rows[2].measured.step_s, 0.5);
}

TEST(MisoRows, WhatIsMissingOnSmallerMemoriesDidNotFit) {
  const std::vector files{file("a100_mig_batch_time.csv",
                               "mig_gpcs,mig_mem_gb,model,batch_size,n_batches,median_s\n"
                               "3,20,resnet,64,100,0.2\n7,40,resnet,64,100,0.1\n")};
  const auto data = read_miso(files);
  ASSERT_TRUE(data) << data.error().text();
  ASSERT_EQ(data->rows.size(), 4u);
  EXPECT_EQ(data->rows[0].gpu, "A100-40GB MIG 3g.20gb");
  EXPECT_EQ(data->rows[0].measured.step_s, 0.2);
  EXPECT_EQ(data->rows[2].gpu, "A100-40GB MIG 1g.5gb");
  EXPECT_TRUE(data->rows[2].measured.out_of_memory);
  EXPECT_EQ(data->rows[3].gpu, "A100-40GB MIG 2g.10gb");
}

TEST(ElasticflowRows, CountIterationsOnOneGpu) {
  std::vector<DataFile> files;
  for (const char* model :
       {"bert", "deepspeech2", "gpt2", "inception3", "resnet50", "resnet50_cifar10", "vgg16"}) {
    files.push_back(
        file("throughput_A100_" + std::string{model} + ".csv", "global_batch_size,1,2\n64,4,6\n"));
  }
  const auto data = read_elasticflow(files);
  ASSERT_TRUE(data) << data.error().text();
  EXPECT_EQ(data->rows.size(), 4u);
  EXPECT_EQ(data->rows[0].measured.step_s, 0.25);
  EXPECT_EQ(data->unmapped.size(), 3u);
}

TEST(DatasetKinds, AreInOrderOfNameAndSayWhichFileIsMissing) {
  const auto kinds = dataset_kinds();
  EXPECT_TRUE(std::ranges::is_sorted(kinds, {}, &DatasetKind::name));
  for (const DatasetKind& kind : kinds) {
    const auto data = kind.read({});
    ASSERT_FALSE(data) << kind.name;
    EXPECT_EQ(data.error().code, Errc::NotFound) << kind.name;
    EXPECT_THAT(data.error().message, HasSubstr("the data set has no file")) << kind.name;
  }
}

}  // namespace
}  // namespace horus::lab
