// SPDX-License-Identifier: Apache-2.0
#include "horus/predict/tree_training.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <xgboost/c_api.h>

#include "horus/base/text.hpp"
#include "horus/predict/residual.hpp"

namespace horus::predict {
namespace {

/// Beyond this many rows all thresholds are no longer tried, but those of a histogram.
constexpr std::size_t kExactRows = 1024;

Result<Done> done_or_error(int code) {
  if (code == 0) return Done{};
  return fail(Errc::Unsupported, "XGBoost: " + printable(XGBGetLastError(), 300));
}

/// Rows and labels inside of the library.
class Matrix {
 public:
  static Result<Matrix> make(const TreeData& data, double base);

  Matrix(Matrix&& other) noexcept : handle_{std::exchange(other.handle_, nullptr)} {}
  Matrix& operator=(Matrix&&) = delete;
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
  ~Matrix() {
    if (handle_ != nullptr) XGDMatrixFree(handle_);
  }

  [[nodiscard]] DMatrixHandle handle() const { return handle_; }

 private:
  explicit Matrix(DMatrixHandle handle) : handle_{handle} {}
  [[nodiscard]] Result<Done> set(const char* field, const std::vector<float>& values);

  DMatrixHandle handle_;
};

Result<Done> Matrix::set(const char* field, const std::vector<float>& values) {
  return done_or_error(XGDMatrixSetFloatInfo(handle_, field, values.data(), values.size()));
}

std::vector<float> to_single(std::span<const double> values, double less = 0) {
  std::vector<float> single;
  single.reserve(values.size());
  for (const double value : values) single.push_back(static_cast<float>(value - less));
  return single;
}

Result<Matrix> Matrix::make(const TreeData& data, double base) {
  std::vector<float> cells;
  for (const std::vector<double>& row : data.inputs) {
    for (const double cell : row) cells.push_back(static_cast<float>(cell));
  }
  DMatrixHandle handle = nullptr;
  constexpr int kThreads = 1;
  HORUS_TRY_DONE(done_or_error(
      XGDMatrixCreateFromMat_omp(cells.data(), data.inputs.size(), data.inputs.front().size(),
                                 std::numeric_limits<float>::quiet_NaN(), &handle, kThreads)));
  Matrix matrix{handle};
  HORUS_TRY_DONE(matrix.set("label", to_single(data.labels, base)));
  if (!data.weights.empty()) HORUS_TRY_DONE(matrix.set("weight", to_single(data.weights)));
  return matrix;
}

/// A model inside of the library.
class Booster {
 public:
  static Result<Booster> make(const Matrix& matrix) {
    BoosterHandle handle = nullptr;
    const DMatrixHandle data = matrix.handle();
    HORUS_TRY_DONE(done_or_error(XGBoosterCreate(&data, 1, &handle)));
    return Booster{handle};
  }

  Booster(Booster&& other) noexcept : handle_{std::exchange(other.handle_, nullptr)} {}
  Booster& operator=(Booster&&) = delete;
  Booster(const Booster&) = delete;
  Booster& operator=(const Booster&) = delete;
  ~Booster() {
    if (handle_ != nullptr) XGBoosterFree(handle_);
  }

  [[nodiscard]] Result<Done> set(const std::string& name, const std::string& value) {
    return done_or_error(XGBoosterSetParam(handle_, name.c_str(), value.c_str()));
  }

  [[nodiscard]] Result<Done> train(const Matrix& matrix, int trees) {
    for (int i = 0; i < trees; ++i) {
      HORUS_TRY_DONE(done_or_error(XGBoosterUpdateOneIter(handle_, i, matrix.handle())));
    }
    return Done{};
  }

  /// One text per tree, which lasts until the next call of the library.
  [[nodiscard]] Result<std::vector<std::string>> dump() {
    bst_ulong count = 0;
    const char** texts = nullptr;
    HORUS_TRY_DONE(done_or_error(XGBoosterDumpModelEx(handle_, "", 0, "text", &count, &texts)));
    return std::vector<std::string>(texts, texts + count);
  }

 private:
  explicit Booster(BoosterHandle handle) : handle_{handle} {}
  BoosterHandle handle_;
};

std::string constraints_of(const std::vector<Monotone>& monotone) {
  std::string text = "(";
  for (const Monotone constraint : monotone) {
    if (text.size() > 1) text += ",";
    text += constraint == Monotone::Free ? "0" : constraint == Monotone::Rising ? "1" : "-1";
  }
  return text + ")";
}

Result<Done> configure(Booster& booster, const TreeOptions& options, std::size_t rows) {
  std::vector<std::pair<std::string, std::string>> settings{
      {"objective", "reg:squarederror"},
      {"base_score", "0"},
      {"nthread", "1"},
      {"verbosity", "0"},
      {"tree_method", rows <= kExactRows ? "exact" : "hist"},
      {"max_depth", fmt::format("{}", options.depth)},
      {"eta", fmt::format("{}", options.learning_rate)},
      {"min_child_weight", fmt::format("{}", options.weight_per_leaf_min)},
      {"lambda", fmt::format("{}", options.ridge)},
      {"subsample", fmt::format("{}", options.rows_share)},
      {"colsample_bytree", fmt::format("{}", options.inputs_share)},
      {"seed", fmt::format("{}", options.seed)},
  };
  if (!options.monotone.empty()) {
    settings.emplace_back("monotone_constraints", constraints_of(options.monotone));
  }
  for (const auto& [name, value] : settings) HORUS_TRY_DONE(booster.set(name, value));
  return Done{};
}

// ---- The library's text of a tree ---------------------------------------------------------------
// One node a line, parents first:
//   0:[f3<0.5] yes=1,no=2,missing=1
//     1:leaf=0.25

/// Reads marks and numbers from the front of a line.
class Cursor {
 public:
  explicit Cursor(std::string_view line) : rest_{line} {}

  [[nodiscard]] bool skip(std::string_view mark) {
    if (!rest_.starts_with(mark)) return false;
    rest_.remove_prefix(mark.size());
    return true;
  }
  template <class Number>
  [[nodiscard]] bool read(Number& number) {
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (error != std::errc{}) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return true;
  }

 private:
  std::string_view rest_;
};

/// One line as the library numbers nodes.
struct DumpedNode {
  std::int32_t number{};
  TreeNode node;
};

bool read_node(std::string_view line, DumpedNode& out) {
  Cursor at{trim(line)};
  if (!at.read(out.number) || !at.skip(":")) return false;
  if (at.skip("leaf=")) {
    out.node.input = -1;
    return at.read(out.node.value);
  }
  return at.skip("[f") && at.read(out.node.input) && at.skip("<") && at.read(out.node.value) &&
         at.skip("] yes=") && at.read(out.node.below) && at.skip(",no=") && at.read(out.node.above);
}

/// The tree with nodes numbered by their place.
Result<Tree> read_tree(std::string_view text, std::size_t inputs) {
  Tree tree;
  std::map<std::int32_t, std::int32_t> places;
  for (const std::string_view line : split(text, '\n')) {
    if (trim(line).empty()) continue;
    DumpedNode dumped;
    if (!read_node(line, dumped)) {
      return fail(Errc::Unsupported,
                  "XGBoost describes a node in words unknown here: '" + printable(line) + "'");
    }
    places[dumped.number] = static_cast<std::int32_t>(tree.size());
    tree.push_back(dumped.node);
  }
  for (TreeNode& node : tree) {
    if (node.input < 0) continue;
    node.below = places[node.below];
    node.above = places[node.above];
  }
  HORUS_TRY_DONE(check_tree(tree, inputs));
  return tree;
}

// ---- Input --------------------------------------------------------------------------------------

Result<Done> check(const TreeData& data, const TreeOptions& options) {
  const std::size_t rows = data.inputs.size();
  const auto wrong = [](std::string message) {
    return fail(Errc::InvalidArgument, std::move(message), "training data");
  };
  if (rows == 0 || data.inputs.front().empty()) return wrong("has no rows or no inputs");
  if (data.labels.size() != rows || (!data.weights.empty() && data.weights.size() != rows)) {
    return wrong(fmt::format("has {} rows, {} labels and {} weights", rows, data.labels.size(),
                             data.weights.size()));
  }
  const std::size_t width = data.inputs.front().size();
  for (const std::vector<double>& row : data.inputs) {
    if (row.size() != width) return wrong("has rows of different widths");
    if (!fit_single(row)) return wrong("has an input that is not finite");
  }
  if (!fit_single(data.labels)) return wrong("has a label that is not finite");
  const auto is_negative = [](double weight) { return weight < 0; };
  if (!fit_single(data.weights) || std::ranges::any_of(data.weights, is_negative)) {
    return wrong("has a weight that is negative or not finite");
  }
  if (!options.monotone.empty() && options.monotone.size() != width) {
    return wrong(
        fmt::format("has {} inputs and {} monotone constraints", width, options.monotone.size()));
  }
  return Done{};
}

double mean_label(const TreeData& data) {
  double sum = 0;
  double weights = 0;
  for (std::size_t i = 0; i < data.labels.size(); ++i) {
    const double weight = data.weights.empty() ? 1.0 : data.weights[i];
    sum += weight * data.labels[i];
    weights += weight;
  }
  return weights > 0 ? sum / weights : 0;
}

}  // namespace

Result<TrainedTrees> train_trees(const TreeData& data, const TreeOptions& options) {
  HORUS_TRY_DONE(check(data, options));
  TrainedTrees trained{.base = mean_label(data), .trees = {}};
  HORUS_TRY(const Matrix matrix, Matrix::make(data, trained.base));
  HORUS_TRY(Booster booster, Booster::make(matrix));
  HORUS_TRY_DONE(configure(booster, options, data.inputs.size()));
  HORUS_TRY_DONE(booster.train(matrix, options.trees));
  HORUS_TRY(const std::vector<std::string> texts, booster.dump());
  for (const std::string& text : texts) {
    HORUS_TRY(Tree tree, read_tree(text, data.inputs.front().size()));
    trained.trees.push_back(std::move(tree));
  }
  return trained;
}

}  // namespace horus::predict
