// SPDX-License-Identifier: Apache-2.0
#include "tests/fake_nvml/fake_script.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>

#include <unistd.h>

namespace fake_nvml {
namespace {

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream{line.substr(0, line.find('#'))};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

Gpu named_gpu(const std::vector<std::string>& words) {
  Gpu gpu;
  gpu.uuid = words.at(0);
  for (std::size_t i = 1; i < words.size(); ++i) gpu.name += (i > 1 ? " " : "") + words[i];
  return gpu;
}

/// Of all processes, by number: their parents.
std::map<unsigned, unsigned> parents() {
  std::map<unsigned, unsigned> found;
  std::error_code error;
  std::filesystem::directory_iterator entry{"/proc", error};
  for (; !error && entry != std::filesystem::directory_iterator{}; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file{entry->path() / "stat"};
    std::string text;
    // A process that ends here makes reading fail; the iterators of a buffer would throw then.
    std::getline(file, text, '\0');
    const std::size_t end = text.rfind(')');
    if (end == std::string::npos) continue;
    const auto fields = words_of(text.substr(end + 1));
    const bool is_alive = fields.size() > 1 && fields[0] != "Z";
    if (is_alive) {
      found[static_cast<unsigned>(std::stoul(name))] = static_cast<unsigned>(std::stoul(fields[1]));
    }
  }
  return found;
}

std::vector<unsigned> descendants() {
  const auto all = parents();
  std::set<unsigned> known{static_cast<unsigned>(::getpid())};
  // Children mostly have larger numbers, but numbers wrap: look until nothing is added.
  for (std::size_t before = 0; before != known.size();) {
    before = known.size();
    for (const auto& [pid, parent] : all) {
      if (known.count(parent) > 0) known.insert(pid);
    }
  }
  known.erase(static_cast<unsigned>(::getpid()));
  return {known.begin(), known.end()};
}

unsigned number_at(const std::vector<std::string>& words, std::size_t at, unsigned fallback) {
  return at < words.size() ? static_cast<unsigned>(std::stoul(words[at])) : fallback;
}

}  // namespace

Script read_script() {
  Script script;
  const char* path = std::getenv("HORUS_FAKE_NVML");
  std::ifstream file{path == nullptr ? "/dev/null" : path};
  for (std::string line; std::getline(file, line);) {
    auto words = words_of(line);
    if (words.empty()) continue;
    const std::string keyword = words.front();
    words.erase(words.begin());
    if (keyword == "gpu") {
      script.gpus.push_back(named_gpu(words));
    } else {
      Lines& lines = script.gpus.empty() ? script.lines : script.gpus.back().lines;
      lines[keyword].push_back(words);
    }
  }
  return script;
}

const std::string* word_at(const Lines& lines, const std::string& keyword, unsigned call) {
  const auto found = lines.find(keyword);
  if (found == lines.end() || found->second.front().empty()) return nullptr;
  const auto& words = found->second.front();
  return &words[std::min<std::size_t>(call, words.size()) - 1];
}

unsigned count_call(unsigned gpu, const std::string& function) {
  static std::mutex mutex;
  static std::map<std::pair<unsigned, std::string>, unsigned> calls;
  const std::lock_guard lock{mutex};
  return ++calls[{gpu, function}];
}

int scripted_failure(const Lines& lines, const std::string& function, unsigned call) {
  if (const auto hangs = lines.find("hang"); hangs != lines.end()) {
    for (const auto& words : hangs->second) {
      const bool hangs_now = words.at(0) == function && call >= number_at(words, 1, 1);
      while (hangs_now) ::pause();
    }
  }
  const auto fails = lines.find("fail");
  if (fails == lines.end()) return 0;
  for (const auto& words : fails->second) {
    if (words.at(0) == function && call >= number_at(words, 2, 1)) return std::stoi(words.at(1));
  }
  return 0;
}

std::vector<unsigned> pids_of(const std::string& word) {
  if (word == "job") return descendants();
  if (word == "stranger") return {static_cast<unsigned>(::getppid())};
  return {static_cast<unsigned>(std::stoul(word))};
}

}  // namespace fake_nvml
