// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the acted library answers: the words of the file that HORUS_FAKE_NVML names.

#include <map>
#include <string>
#include <vector>

namespace fake_nvml {

/// The words behind a keyword, for each line that begins with it.
using Lines = std::map<std::string, std::vector<std::vector<std::string>>>;

struct Gpu {
  std::string uuid;
  std::string name;
  Lines lines;
};

struct Script {
  Lines lines;
  std::vector<Gpu> gpus;
};

/// Read anew at each call: a test may change it. No file: no GPU.
Script read_script();

/// The word of `keyword` for the `call`-th call, counted from 1; the last word stays. nullptr where
/// there is none.
const std::string* word_at(const Lines& lines, const std::string& keyword, unsigned call);

/// Counts the calls of a function of a GPU, from 1.
unsigned count_call(unsigned gpu, const std::string& function);

/// The status that a line "fail FUNCTION STATUS [FROM]" demands; 0 where none does. A line
/// "hang FUNCTION [FROM]" never returns.
int scripted_failure(const Lines& lines, const std::string& function, unsigned call);

/// Numbers of the processes that `word` stands for: "job", "stranger" or a number.
std::vector<unsigned> pids_of(const std::string& word);

}  // namespace fake_nvml
