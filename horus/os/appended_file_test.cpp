// SPDX-License-Identifier: Apache-2.0
#include "horus/os/appended_file.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace horus::os {
namespace {

using ::testing::HasSubstr;

class AppendedFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "horus-append-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return (folder_ / "lines").string(); }
  std::string content() const {
    std::ifstream file{path()};
    return {std::istreambuf_iterator<char>{file}, {}};
  }

  std::filesystem::path folder_;
};

TEST_F(AppendedFileTest, AddsLines) {
  ASSERT_TRUE(AppendedFile::open(path()).value().append("one"));
  ASSERT_TRUE(AppendedFile::open(path()).value().append("two"));
  EXPECT_EQ(content(), "one\ntwo\n");
}

TEST_F(AppendedFileTest, EndsALineThatSomebodyLeftOpen) {
  std::ofstream{path()} << "torn";
  ASSERT_TRUE(AppendedFile::open(path()).value().append("whole"));
  EXPECT_EQ(content(), "torn\nwhole\n");
}

TEST_F(AppendedFileTest, TakesBackALineThatDoesNotFit) {
  std::ofstream{path()} << "before\n";
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit tight{.rlim_cur = 1000, .rlim_max = limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  const auto done = AppendedFile::open(path()).value().append(std::string(5000, 'x'));
  ::setrlimit(RLIMIT_FSIZE, &limit);
  EXPECT_FALSE(done);
  EXPECT_EQ(content(), "before\n");
}

TEST_F(AppendedFileTest, ReportsWhereItCannotWrite) {
  EXPECT_EQ(AppendedFile::open(folder_.string()).error().code, Errc::Unsupported);
  EXPECT_THAT(AppendedFile::open(path() + "/no/x").error().text(), HasSubstr("No such file"));
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "this system has no /dev/full";
  EXPECT_THAT(AppendedFile::open("/dev/full").value().append("x").error().text(),
              HasSubstr("No space left"));
}

}  // namespace
}  // namespace horus::os
