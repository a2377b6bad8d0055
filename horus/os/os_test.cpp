// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "horus/os/descriptor.hpp"
#include "horus/os/file.hpp"
#include "horus/os/terminal.hpp"

namespace horus::os {
namespace {

using ::testing::HasSubstr;

/// A folder of its own for each test, gone afterwards.
class FileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "horus-os-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const char* name) const { return (folder_ / name).string(); }
  std::string write(const char* name, std::string_view content) const {
    std::ofstream{path(name), std::ios::binary} << content;
    return path(name);
  }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator{folder_}, {}));
  }

  std::filesystem::path folder_;
};

std::string gzip(std::string_view text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(text.size() + 1000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST_F(FileTest, MapsAFileAndAnEmptyOne) {
  const auto file = MappedFile::open(write("a", "hello"));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->bytes().size(), 5U);
  EXPECT_EQ(file->bytes()[1], std::byte{'e'});
  EXPECT_TRUE(MappedFile::open(write("empty", ""))->bytes().empty());
}

TEST_F(FileTest, SaysWhyAPathIsNoFile) {
  EXPECT_THAT(MappedFile::open(path("missing")).error().text(), HasSubstr("No such file"));
  EXPECT_THAT(MappedFile::open(folder_.string()).error().text(), HasSubstr("is a directory"));
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(MappedFile::open(path("pipe")).error().text(), HasSubstr("not a regular file"));
  EXPECT_THAT(MappedFile::open("/dev/zero").error().text(), HasSubstr("not a regular file"));
}

TEST_F(FileTest, ReadsPlainAndGzippedTextWhateverTheName) {
  EXPECT_EQ(read_text(write("plain.gz", "a,b\n")).value(), "a,b\n");
  EXPECT_EQ(read_text(write("packed.csv", gzip("a,b\n"))).value(), "a,b\n");
  EXPECT_EQ(read_text(write("two", gzip("one\n") + gzip("two\n"))).value(), "one\ntwo\n");
  const std::string large(3'000'000, 'x');
  EXPECT_EQ(read_text(write("large", gzip(large))).value(), large);
}

TEST_F(FileTest, RefusesDamagedAndCutGzip) {
  const std::string whole = gzip(std::string(10'000, 'q') + "end");
  EXPECT_EQ(read_text(write("cut", whole.substr(0, whole.size() - 9))).error().code, Errc::Corrupt);
  EXPECT_EQ(read_text(write("head", "\x1f\x8b")).error().code, Errc::Corrupt);
  EXPECT_EQ(read_text(write("tail", whole + "garbage")).error().code, Errc::Corrupt);
  std::string flipped = whole;
  flipped[flipped.size() - 6] = static_cast<char>(flipped[flipped.size() - 6] ^ 0x55);
  EXPECT_EQ(read_text(write("flipped", flipped)).error().code, Errc::Corrupt);
}

TEST_F(FileTest, StopsUnpackingAtTheLimit) {
  const std::string bomb = gzip(std::string(5'000'000, '0'));
  EXPECT_EQ(read_text(write("bomb", bomb), 1'000'000).error().code, Errc::Unsupported);
  EXPECT_EQ(read_text(write("plain", "12345"), 4).error().code, Errc::Unsupported);
}

TEST_F(FileTest, AppearsOnlyWhenComplete) {
  write("out", "old");
  {
    auto file = OutputFile::create(path("out"));
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->append("new"));
    EXPECT_EQ(read_text(path("out")).value(), "old");
  }
  EXPECT_EQ(read_text(path("out")).value(), "old");
  EXPECT_EQ(files(), 1U);
  ASSERT_TRUE(write_file(path("out"), "new"));
  EXPECT_EQ(read_text(path("out")).value(), "new");
  EXPECT_EQ(files(), 1U);
}

TEST_F(FileTest, ReportsAFullDevice) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "this system has no /dev/full";
  EXPECT_THAT(write_file("/dev/full", "x").error().text(), HasSubstr("No space left"));
}

TEST_F(FileTest, ReportsWhereItCannotCreate) {
  EXPECT_THAT(write_file(path("no/such/folder"), "x").error().text(), HasSubstr("No such file"));
  EXPECT_THAT(write_file(folder_.string(), "x").error().text(), HasSubstr("is a directory"));
}

TEST(Stopwatch, RunsForward) {
  const Stopwatch watch;
  EXPECT_GE(watch.seconds(), 0.0);
}

TEST(Terminal, HasAUsableWidthEverywhere) { EXPECT_GE(inspect_terminal().width, 20); }

}  // namespace
}  // namespace horus::os
