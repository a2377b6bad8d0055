// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/samples.hpp"

#include <gtest/gtest.h>

#include "horus/predict/sample_features.hpp"

namespace horus::lab {
namespace {

Row row_of(std::int64_t batch) {
  Row row;
  row.id = "test:1";
  row.gpu = "T4";
  row.features = [batch]() -> Result<GraphFeatures> {
    return predict::sample::perceptron(batch, 4, 256);
  };
  return row;
}

TEST(Samples, StepsAreTheMeanOfAnEpoch) {
  std::vector<Row> rows{row_of(1000), row_of(1000)};
  rows[1].samples_per_epoch = 4096;  // 4 of 1000 and one of 96
  const auto samples = samples_of(rows);
  ASSERT_TRUE(samples);
  EXPECT_EQ((*samples)[0].step.samples, 1000);
  EXPECT_EQ((*samples)[0].step.epochs, 0);
  EXPECT_NEAR((*samples)[1].step.samples, 819.2, 1e-9);
  EXPECT_NEAR((*samples)[1].step.epochs, 0.2, 1e-12);
  EXPECT_EQ((*samples)[1].step.host_ops_forward, (*samples)[0].step.host_ops_forward);
}

TEST(Samples, ABatchMayBeLargerThanTheEpoch) {
  std::vector<Row> rows{row_of(64)};
  rows[0].samples_per_epoch = 16;
  const auto samples = samples_of(rows);
  ASSERT_TRUE(samples);
  EXPECT_NEAR((*samples)[0].step.samples, 16, 1e-12);
  EXPECT_EQ((*samples)[0].step.epochs, 1);
}

TEST(Samples, NameTheRowWhoseGraphFails) {
  std::vector<Row> rows{row_of(8)};
  rows[0].features = []() -> Result<GraphFeatures> { return fail(Errc::Corrupt, "no graph"); };
  const auto samples = samples_of(rows);
  ASSERT_FALSE(samples);
  EXPECT_TRUE(samples.error().where.starts_with("test:1"));
}

}  // namespace
}  // namespace horus::lab
