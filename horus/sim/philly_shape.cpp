// SPDX-License-Identifier: Apache-2.0
#include "horus/sim/philly_shape.hpp"

namespace horus::sim {
namespace {

constexpr Quantile kOneGpu[] = {{0.0, 1},       {0.05, 52},      {0.10, 62},    {0.25, 120},
                                {0.50, 1100},   {0.75, 2700},    {0.90, 8500},  {0.95, 19000},
                                {0.99, 135000}, {0.999, 870000}, {1.0, 3260000}};
constexpr Quantile kTwoGpus[] = {{0.0, 2},       {0.05, 9},        {0.10, 11},    {0.25, 16},
                                 {0.50, 21},     {0.75, 76},       {0.90, 74000}, {0.95, 197000},
                                 {0.99, 526000}, {0.999, 1520000}, {1.0, 2580000}};
constexpr Quantile kFourGpus[] = {{0.0, 3},       {0.05, 75},       {0.10, 136},    {0.25, 770},
                                  {0.50, 17400},  {0.75, 89000},    {0.90, 184000}, {0.95, 274000},
                                  {0.99, 910000}, {0.999, 2640000}, {1.0, 2750000}};
constexpr Quantile kEightGpus[] = {{0.0, 1},         {0.05, 125},    {0.10, 216},
                                   {0.25, 1870},     {0.50, 23700},  {0.75, 173000},
                                   {0.90, 352000},   {0.95, 526000}, {0.99, 1070000},
                                   {0.999, 2660000}, {1.0, 4630000}};
constexpr Quantile kMoreGpus[] = {{0.0, 1},        {0.05, 35},     {0.10, 69},     {0.25, 570},
                                  {0.50, 21100},   {0.75, 104000}, {0.90, 253000}, {0.95, 446000},
                                  {0.99, 1150000}, {1.0, 1710000}};

constexpr WidthClass kWidths[] = {
    {1, 0.9317, kOneGpu},    {2, 0.0221, kTwoGpus},     {4, 0.0227, kFourGpus},
    {8, 0.0200, kEightGpus}, {16, 0.0026, kMoreGpus},   {32, 0.0008, kMoreGpus},
    {64, 0.0001, kMoreGpus}, {128, 0.00004, kMoreGpus},
};

constexpr Quantile kBurstJobs[] = {{0.0, 1},  {0.50, 1},  {0.75, 2},    {0.90, 3},
                                   {0.95, 6}, {0.99, 84}, {0.999, 452}, {1.0, 1100}};
constexpr Quantile kGapInBurst[] = {{0.0, 0},   {0.10, 0.5}, {0.25, 2},  {0.50, 5},
                                    {0.75, 12}, {0.90, 24},  {0.95, 34}, {1.0, 60}};
constexpr Quantile kGapBetweenBursts[] = {{0.0, 61},      {0.05, 73},   {0.10, 90},  {0.25, 148},
                                          {0.50, 303},    {0.75, 598},  {0.95, 601}, {0.99, 1200},
                                          {0.999, 30000}, {1.0, 247000}};

}  // namespace

std::span<const WidthClass> philly_widths() { return kWidths; }
std::span<const Quantile> philly_burst_jobs() { return kBurstJobs; }
std::span<const Quantile> philly_gap_in_burst_s() { return kGapInBurst; }
std::span<const Quantile> philly_gap_between_bursts_s() { return kGapBetweenBursts; }

}  // namespace horus::sim
