// SPDX-License-Identifier: Apache-2.0
#pragma once
// Recurrent layers in the form that PyTorch exports: weights of all gates stacked, two biases for
// each gate.

#include <cstdint>
#include <string>

#include "horus/zoo/builder.hpp"

namespace horus::zoo {

enum class Cell { Lstm, Gru };

/// Both: one layer over the time forwards and one backwards, with weights of their own.
enum class Direction { Forward, Both };

/// What becomes of the outputs of both directions.
enum class Merge { Sum, Concat };

struct RecurrentSpec {
  Cell cell{Cell::Lstm};
  std::int64_t hidden{};
  Direction direction{Direction::Forward};
  Merge merge{Merge::Sum};  ///< Read for both directions only.
};

/// One layer over `x`, shape (time, batch, features). The result is (time, batch, hidden), or
/// (time, batch, 2 * hidden) for two directions one after the other.
Value recurrent(Builder& b, const std::string& name, const Value& x, const RecurrentSpec& spec);

}  // namespace horus::zoo
