// SPDX-License-Identifier: Apache-2.0
// A run's name, a line feed, a layer list: reading ends with layers or an error, and layers become
// a network whose parameters are those of the list, or an error.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "horus/base/check.hpp"
#include "horus/graph/analysis.hpp"
#include "horus/zoo/listed_network.hpp"

namespace {

using horus::zoo::ListedLayer;

void check_network(const horus::zoo::ListedInput& input, const std::vector<ListedLayer>& layers) {
  const auto model = horus::zoo::build_listed(input, layers);
  if (!model) {
    HORUS_CHECK(!model.error().message.empty(), "an error says what is wrong");
    return;
  }
  const auto analysis = horus::graph::analyse(*model, {.batch = 1, .dims = {}});
  if (!analysis) return;
  double parameters = 0;
  for (const ListedLayer& layer : layers) parameters += static_cast<double>(layer.parameters);
  HORUS_CHECK(analysis->features.parameters == parameters, "no parameter is lost or added");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return 0;
  const auto layers = horus::zoo::parse_layer_list(text.substr(end + 1));
  HORUS_CHECK(layers || !layers.error().where.empty() || !layers.error().message.empty(),
              "an error says what is wrong, and where");
  const auto input = horus::zoo::parse_run_name(text.substr(0, end));
  if (layers && input) check_network(*input, *layers);
  return 0;
}
