// SPDX-License-Identifier: Apache-2.0
// Against an acted library: tests/fake_nvml/README.md says what its script means.
#include "horus/os/nvml.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace horus::os {
namespace {

using namespace literals;
using ::testing::HasSubstr;

constexpr int kNotSupported = 3;
constexpr int kLost = 15;

class NvmlTest : public ::testing::Test {
 protected:
  void TearDown() override {
    std::filesystem::remove(script_);
    ::unsetenv("HORUS_FAKE_NVML");
  }

  /// What the library answers from now on.
  void act(const std::string& script) {
    std::ofstream{script_} << script;
    ::setenv("HORUS_FAKE_NVML", script_.c_str(), 1);
  }
  static Result<Nvml> open(const std::string& age = "new") {
    return Nvml::open(HORUS_FAKE_NVML_FOLDER "/" + age + "/libnvidia-ml.so.1");
  }

  std::string script_ =
      std::filesystem::temp_directory_path() / ("horus-nvml-test-" + std::to_string(::getpid()));
};

TEST_F(NvmlTest, SaysWhatIsMissing) {
  const auto nvml = Nvml::open("libno-such-library.so.1");
  ASSERT_FALSE(nvml);
  EXPECT_EQ(nvml.error().code, Errc::NotFound);
  EXPECT_THAT(nvml.error().text(), HasSubstr("libno-such-library.so.1"));
}

TEST_F(NvmlTest, RefusesALibraryThatIsNoDrivers) {
  const auto nvml = Nvml::open("libm.so.6");
  ASSERT_FALSE(nvml);
  EXPECT_EQ(nvml.error().code, Errc::Unsupported);
}

TEST_F(NvmlTest, SaysWhyADriverDoesNotStart) {
  act("init 18\n");
  const auto nvml = open();
  ASSERT_FALSE(nvml);
  EXPECT_EQ(nvml.error().code, Errc::Unavailable);
  EXPECT_THAT(nvml.error().text(), HasSubstr("another version"));
}

TEST_F(NvmlTest, ReadsEveryStructure) {
  act("driver 550.1\ncuda 12040\ngpu GPU-0 NVIDIA A100\ntotal 40960\nused 500\nutil 80\n"
      "memutil 40\npower 250\nenergy 1000\nmig 1\nprocess 7 1024\nprocess 8 0\nsm 7 60\nmps 8\n");
  const auto nvml = open();
  ASSERT_TRUE(nvml);
  EXPECT_EQ(nvml->driver_version().value, "550.1");
  EXPECT_EQ(nvml->cuda_version().value, "12.4");
  EXPECT_EQ(nvml->device_count().value, 1U);
  const NvmlDevice gpu = nvml->device(0).value.value();
  EXPECT_EQ(nvml->name(gpu).value, "NVIDIA A100");
  EXPECT_EQ(nvml->uuid(gpu).value, "GPU-0");
  EXPECT_EQ(nvml->memory(gpu).value.value().total, 40960_MiB);
  EXPECT_EQ(nvml->memory(gpu).value.value().used, 500_MiB);
  EXPECT_EQ(nvml->utilization(gpu).value.value().gpu_percent, 80U);
  EXPECT_EQ(nvml->utilization(gpu).value.value().memory_percent, 40U);
  EXPECT_DOUBLE_EQ(nvml->power_w(gpu).value.value(), 250.0);
  EXPECT_DOUBLE_EQ(nvml->energy_j(gpu).value.value(), 1000.0);
  EXPECT_EQ(nvml->is_mig(gpu).value, true);
  const auto processes = nvml->processes(gpu).value.value();
  ASSERT_EQ(processes.size(), 2U);
  EXPECT_EQ(processes[0].pid, 7);
  EXPECT_EQ(processes[0].memory, 1024_MiB);
  EXPECT_FALSE(processes[0].gpu_instance);
  EXPECT_FALSE(processes[1].memory) << "0 bytes is no memory of a process";
  EXPECT_EQ(nvml->mps_clients(gpu).value.value().at(0).pid, 8);
  const auto loads = nvml->process_utilization(gpu, 5).value.value();
  ASSERT_EQ(loads.size(), 1U);
  EXPECT_EQ(loads[0].pid, 7);
  EXPECT_EQ(loads[0].sm_percent, 60U);
  EXPECT_GT(loads[0].time_us, 5U);
}

TEST_F(NvmlTest, ReadsCountersBetweenTwoMoments) {
  act("gpu GPU-0 NVIDIA H200\ngpm 70 30.5 25\ngpu GPU-1 NVIDIA H200\ngpm nan 0 120\n");
  const auto nvml = open();
  const NvmlDevice gpu = nvml.value().device(0).value.value();
  const auto earlier = nvml->snapshot(gpu);
  const auto later = nvml->snapshot(gpu);
  ASSERT_TRUE(earlier.value && later.value);
  const auto activity = nvml->activity(*earlier.value, *later.value);
  ASSERT_TRUE(activity.value);
  EXPECT_DOUBLE_EQ(activity.value->sm_active, 0.70);
  EXPECT_DOUBLE_EQ(activity.value->sm_occupancy, 0.305);
  EXPECT_DOUBLE_EQ(activity.value->dram_active, 0.25);
  EXPECT_FALSE(nvml->activity(*later.value, *earlier.value).value) << "time does not run back";
  const NvmlDevice other = nvml->device(1).value.value();
  const auto first = nvml->snapshot(other);
  const auto second = nvml->snapshot(other);
  EXPECT_FALSE(nvml->activity(*first.value, *second.value).value) << "not a number is no share";
}

TEST_F(NvmlTest, HasNoCountersWhereTheGpuOrTheDriverIsOld) {
  act("gpu GPU-0 NVIDIA A100\n");
  for (const char* age : {"new", "old"}) {
    const auto nvml = open(age);
    const auto snapshot = nvml.value().snapshot(nvml->device(0).value.value());
    EXPECT_FALSE(snapshot.value);
    EXPECT_TRUE(Nvml::is_final(snapshot.status)) << snapshot.status;
  }
}

TEST_F(NvmlTest, ReadsTheStructuresOfOldDrivers) {
  act("gpu GPU-0 K80\nprocess 7 1024\nprocess 9 2048\n");
  const auto nvml = open("old");
  ASSERT_TRUE(nvml);
  const NvmlDevice gpu = nvml->device(0).value.value();
  const auto processes = nvml->processes(gpu).value.value();
  ASSERT_EQ(processes.size(), 2U);
  EXPECT_EQ(processes[1].pid, 9);
  EXPECT_EQ(processes[1].memory, 2048_MiB);
  for (const NvmlStatus status :
       {nvml->energy_j(gpu).status, nvml->is_mig(gpu).status, nvml->cuda_version().status,
        nvml->process_utilization(gpu, 0).status, nvml->mps_clients(gpu).status}) {
    EXPECT_TRUE(Nvml::is_final(status)) << status;
  }
}

TEST_F(NvmlTest, MakesRoomForLongLists) {
  act("gpu GPU-0 A\ncrowd 5000\n");
  const auto nvml = open();
  const NvmlDevice gpu = nvml.value().device(0).value.value();
  const auto processes = nvml->processes(gpu).value.value();
  std::set<std::int64_t> pids;
  for (const NvmlProcess& process : processes) pids.insert(process.pid);
  EXPECT_EQ(pids.size(), 5000U);
}

TEST_F(NvmlTest, GivesUpOnAListWithoutEnd) {
  act("gpu GPU-0 A\ncrowd 100000\n");
  const auto nvml = open();
  const auto processes = nvml.value().processes(nvml->device(0).value.value());
  EXPECT_FALSE(processes.value);
  EXPECT_EQ(processes.status, 7) << "insufficient size";
}

TEST_F(NvmlTest, TellsRefusalFromLoss) {
  act("gpu GPU-0 A\nfail power 3\nfail utilization 15\nfail memory 999\n");
  const auto nvml = open();
  const NvmlDevice gpu = nvml.value().device(0).value.value();
  EXPECT_EQ(nvml->power_w(gpu).status, kNotSupported);
  EXPECT_EQ(nvml->utilization(gpu).status, kLost);
  EXPECT_FALSE(nvml->memory(gpu).value);
  EXPECT_TRUE(Nvml::is_final(kNotSupported));
  EXPECT_FALSE(Nvml::is_final(999));
  EXPECT_TRUE(Nvml::is_lost(kLost));
  EXPECT_THAT(nvml->describe(kLost), HasSubstr("GPU is lost"));
}

}  // namespace
}  // namespace horus::os
