// SPDX-License-Identifier: Apache-2.0
// Prints the multiply-accumulates of an ONNX file by operator type: horus::graph as a library.
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <span>
#include <string>

#include "horus/graph/analysis.hpp"
#include "horus/graph/onnx.hpp"

namespace {

/// Reads the graph and analyses it for one sample. Horus reports wrong input as a value, not as an
/// exception.
horus::Result<horus::graph::Analysis> analyse(const std::string& bytes) {
  auto model = horus::graph::read_onnx(std::as_bytes(std::span{bytes}));
  if (!model) return tl::make_unexpected(model.error());
  return horus::graph::analyse(*model, {.batch = 1});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: macs_by_operator FILE.onnx\n";
    return 2;
  }
  std::ifstream file{argv[1], std::ios::binary};
  if (!file) {
    std::cerr << argv[1] << ": cannot be opened\n";
    return 1;
  }
  const std::string bytes{std::istreambuf_iterator<char>{file}, {}};
  if (file.bad()) {
    std::cerr << argv[1] << ": cannot be read\n";
    return 1;
  }
  const auto analysis = analyse(bytes);
  if (!analysis) {
    std::cerr << argv[1] << ": " << analysis.error().text() << '\n';
    return 1;
  }
  std::map<std::string, double> macs;
  for (const horus::OpWork& op : analysis->features.ops) macs[op.op_type] += op.macs;
  for (const auto& [op_type, count] : macs) {
    if (count > 0.0) std::cout << op_type << ' ' << static_cast<long long>(count) << '\n';
  }
  for (const auto& gap : analysis->gaps) {
    std::cout << "not counted: " << gap.node << ": " << gap.reason << '\n';
  }
}
