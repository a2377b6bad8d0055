// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
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

TEST_F(FileTest, RefusesAGzipBombButNotWellPackedText) {
  EXPECT_EQ(read_text(write("packed", gzip(std::string(60'000'000, '0')))).value().size(),
            60'000'000U);
  const auto bomb = read_text(write("bomb", gzip(std::string(80'000'000, '0'))));
  ASSERT_FALSE(bomb);
  EXPECT_EQ(bomb.error().code, Errc::Unsupported);
  EXPECT_THAT(bomb.error().text(), HasSubstr("gzip bomb"));
}

TEST_F(FileTest, LeavesALinkALinkAndAModeAMode) {
  write("real", "old");
  ASSERT_EQ(::chmod(path("real").c_str(), 0755), 0);
  std::filesystem::create_symlink("real", path("link"));
  std::filesystem::create_symlink("later", path("dangling"));
  std::filesystem::create_symlink("loop", path("loop"));
  ASSERT_TRUE(write_file(path("link"), "new"));
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(read_text(path("real")).value(), "new");
  EXPECT_EQ(std::filesystem::status(path("real")).permissions(), std::filesystem::perms{0755});
  ASSERT_TRUE(write_file(path("dangling"), "born"));
  EXPECT_EQ(read_text(path("later")).value(), "born");
  EXPECT_THAT(write_file(path("loop"), "x").error().text(), HasSubstr("symbolic links"));
}

TEST_F(FileTest, WritesInPlaceWhatADescriptorNames) {
  const std::string log = write("log", "first\n");
  const Descriptor opened{::open(log.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC)};
  const std::string name = "/proc/self/fd/" + std::to_string(opened.number());
  // As root a rename would replace the name in /dev, for the whole machine.
  std::filesystem::create_symlink(name, path("stdout"));
  ASSERT_TRUE(write_file(path("stdout"), "second\n"));
  EXPECT_TRUE(std::filesystem::is_symlink(path("stdout")));
  EXPECT_EQ(read_text(log).value(), "first\nsecond\n");
}

TEST_F(FileTest, TakesNamesAsLongAsTheSystemDoes) {
  const std::string longest(255, 'n');
  ASSERT_TRUE(write_file(path(longest.c_str()), "x"));
  EXPECT_EQ(read_text(path(longest.c_str())).value(), "x");
  EXPECT_THAT(write_file(path((longest + "n").c_str()), "x").error().text(), HasSubstr("too long"));
}

TEST_F(FileTest, NeverHangsOnAPipeThatNobodyReads) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(write_file(path("pipe"), "x").error().text(), HasSubstr("nobody reads"));
  const Descriptor reader{::open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  EXPECT_TRUE(write_file(path("pipe"), "x"));
}

TEST_F(FileTest, TakesNoNumberOfAStandardStream) {
  const Descriptor saved{::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)};
  ::close(STDIN_FILENO);
  {
    auto file = OutputFile::create(path("out"));
    ASSERT_TRUE(file);
    EXPECT_EQ(::fcntl(STDIN_FILENO, F_GETFD), -1) << "the file took the number of stdin";
  }
  if (saved.number() >= 0) ::dup2(saved.number(), STDIN_FILENO);
}

TEST_F(FileTest, ReportsALimitOnTheSizeOfFiles) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit tight{.rlim_cur = 1024, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  const auto done = write_file(path("out"), std::string(10'000, 'x'));
  ::setrlimit(RLIMIT_FSIZE, &before);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().text(), HasSubstr("File too large"));
  EXPECT_EQ(files(), 0U);
}

TEST(WriteAll, WaitsForAPipeThatDoesNotBlock) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
  const std::string text(1'000'000, 'x');
  std::size_t received = 0;
  std::thread reader{[&] {
    std::vector<char> piece(65536);
    while (true) {
      const ssize_t count = ::read(ends[0], piece.data(), piece.size());
      if (count == 0) return;
      if (count > 0) received += static_cast<std::size_t>(count);
    }
  }};
  const bool is_done = write_all(ends[1], text, "pipe").has_value();
  ::close(ends[1]);
  reader.join();
  ::close(ends[0]);
  EXPECT_TRUE(is_done);
  EXPECT_EQ(received, text.size());
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
