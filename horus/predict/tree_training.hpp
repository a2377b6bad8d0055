// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gradient-boosted regression trees. The only door to XGBoost, which trains; what it has trained
// is copied into plain trees, so that predictions need no library and no lock.

#include <cstdint>
#include <span>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/domain/predictor_file.hpp"

namespace horus::predict {

/// Rows to learn from. All rows have the same width.
struct TreeData {
  std::vector<std::vector<double>> inputs;
  std::vector<double> labels;   ///< One per row.
  std::vector<double> weights;  ///< One per row, not negative; empty: all 1.
};

/// Whether the answer may fall or rise with an input.
enum class Monotone { Free, Rising, Falling };

struct TreeOptions {
  int trees{100};
  int depth{2};
  double learning_rate{0.06};
  double weight_per_leaf_min{4};  ///< Sum of weights of the rows in a leaf.
  double ridge{3};                ///< L2 penalty on leaves.
  double rows_share{0.8};         ///< Drawn per tree.
  double inputs_share{0.5};       ///< Drawn per tree.
  std::uint32_t seed{1};
  std::vector<Monotone> monotone;  ///< One per input; empty: all free.
};

struct TrainedTrees {
  double base{};  ///< Added to the sum over trees.
  std::vector<Tree> trees;
};

/// Trees that minimize the weighted squared error. One thread; the same data and options give the
/// same trees. Labels and inputs must be finite and fit a float.
/// Errors: InvalidArgument for data of different lengths or numbers that are not finite,
/// Unsupported for what the library cannot do, with its words. Cost: rows x inputs x depth x trees:
/// 0.1 s for 1000 rows, 30 inputs and 100 trees.
[[nodiscard]] Result<TrainedTrees> train_trees(const TreeData& data, const TreeOptions& options);

}  // namespace horus::predict
