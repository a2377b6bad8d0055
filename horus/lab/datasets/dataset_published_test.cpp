// SPDX-License-Identifier: Apache-2.0
// Readers of data sets on the published files, where they are there.
#include <algorithm>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "horus/base/unpacked_text_test.hpp"
#include "horus/domain/gpu.hpp"
#include "horus/lab/dataset_kinds.hpp"

namespace horus::lab {
namespace {

std::string text_of(const std::string& path) {
  if (path.ends_with(".gz")) return unpacked_text(path);
  std::ostringstream text;
  text << std::ifstream{path}.rdbuf();
  return text.str();
}

/// How many rows each data set has; what readers must not lose or invent.
struct Expected {
  const char* name;
  std::size_t rows;
  std::size_t models;
  std::size_t pairs;
};

class PublishedDatasets : public ::testing::TestWithParam<Expected> {};

TEST_P(PublishedDatasets, HaveTheirRows) {
  const Expected& expected = GetParam();
  const auto kinds = dataset_kinds();
  const auto kind = std::ranges::find(kinds, expected.name, &DatasetKind::name);
  ASSERT_NE(kind, kinds.end());
  std::vector<DataFile> files;
  for (const std::string_view name : kind->files) {
    const std::string path =
        std::string{HORUS_SHARED_DATA} + "/" + std::string{kind->folder} + "/" + std::string{name};
    files.push_back({.name = std::string{name}, .text = text_of(path), .sha256 = ""});
    if (files.back().text.empty()) GTEST_SKIP() << "no " << path;
  }
  const auto data = kind->read(files);
  ASSERT_TRUE(data) << data.error().text();
  std::set<std::string> models;
  std::set<std::string> ids;
  for (const Row& row : data->rows) {
    models.insert(row.model);
    ids.insert(row.id);
    EXPECT_TRUE(find_gpu(row.gpu)) << row.gpu;
  }
  EXPECT_EQ(data->rows.size(), expected.rows);
  EXPECT_EQ(models.size(), expected.models);
  EXPECT_EQ(ids.size(), data->rows.size());
  EXPECT_EQ(data->pairs.size(), expected.pairs);
  // One graph in sixteen at the most: enough to see that names and sizes fit together.
  for (std::size_t i = 0; i < data->rows.size();
       i += std::max<std::size_t>(1, data->rows.size() / 16)) {
    const auto features = data->rows[i].features();
    EXPECT_TRUE(features) << data->rows[i].id << ": " << features.error().text();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shared, PublishedDatasets,
    ::testing::Values(Expected{"elasticflow", 11, 4, 0}, Expected{"gavel", 78, 7, 693},
                      Expected{"gpumemnet-cnn", 1976, 59, 0},
                      Expected{"gpumemnet-mlp", 6000, 49, 0}, Expected{"gpumemnet-real", 18, 12, 0},
                      Expected{"gpumemnet-timm", 3126, 769, 0}, Expected{"lucid", 50, 10, 830},
                      Expected{"miso", 160, 8, 0}, Expected{"pgb", 316, 32, 0},
                      Expected{"pollux", 45, 4, 0}, Expected{"salus", 33, 11, 0},
                      Expected{"timm", 639, 639, 0}),
    [](const auto& each) {
      std::string name = each.param.name;
      std::erase(name, '-');
      return name;
    });

}  // namespace
}  // namespace horus::lab
