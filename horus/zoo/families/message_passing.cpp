// SPDX-License-Identifier: Apache-2.0
// Message passing over molecules (Gilmer et al. 2017, arXiv:1704.01212), the keras.io example
// "Message-passing neural network for molecular property prediction": four steps that share their
// weights, and a transformer layer as readout. Molecules have one size here, the mean of the data
// set BBBP (Wu et al. 2018, arXiv:1703.00564): 24 atoms, and 76 pairs, which are each atom with
// itself and each of the 26 bonds both ways.

#include "horus/zoo/attention_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/layers.hpp"
#include "horus/zoo/tokens.hpp"

namespace horus::zoo {
namespace {

constexpr std::int64_t kAtoms = 24;
constexpr std::int64_t kPairs = 76;
constexpr std::int64_t kAtomFeatures = 29;
constexpr std::int64_t kBondFeatures = 7;
constexpr std::int64_t kUnits = 64;
constexpr std::int64_t kDense = 512;
constexpr int kSteps = 4;
constexpr double kEpsilon = 1e-3;  // Of layer normalization in Keras.

struct Molecules {
  Value bonds;    ///< Features of each pair, (batch, pairs, 7).
  Value sources;  ///< The atom that each pair's message comes from, (batch, pairs, 1).
  Value targets;  ///< The atom that it goes to, for each unit, (batch, pairs, units).
  Value silence;  ///< Zeros, (batch, atoms, units).
};

Value insert_axis(Builder& b, const std::string& name, const Value& x, std::int64_t axis) {
  Shape shape = x.shape;
  shape.insert(shape.begin() + axis, 1);
  const Value axes = b.integers({axis});
  return b.add({.name = name, .op_type = "Unsqueeze", .inputs = {x.name, axes.name}}, shape,
               x.type);
}

Molecules declare_inputs(Builder& b, const Value& atoms) {
  const Shape pairs{kBatch, kPairs};
  Molecules all;
  all.bonds = b.input("bond_features", {kBatch, kPairs, kBondFeatures});
  const Value sources = b.input("pair_sources", pairs, ElementType::Int64);
  const Value targets = b.input("pair_targets", pairs, ElementType::Int64);
  all.sources = insert_axis(b, "sources", sources, 2);
  const Value spread = b.integers({1, 1, kUnits});
  all.targets = b.add({.name = "targets",
                       .op_type = "Expand",
                       .inputs = {insert_axis(b, "targets.axis", targets, 2).name, spread.name}},
                      {kBatch, kPairs, kUnits}, ElementType::Int64);
  const Value shape = b.add({.name = "silence.shape", .op_type = "Shape", .inputs = {atoms.name}},
                            {3}, ElementType::Int64);
  all.silence =
      b.add({.name = "silence", .op_type = "ConstantOfShape", .inputs = {shape.name}}, atoms.shape);
  return all;
}

/// What each atom hears: for each pair a matrix made of the bond, times the state of its source.
Value messages(Builder& b, const Value& states, const Molecules& all) {
  Value matrix = linear(b, "message_step", all.bonds, kUnits * kUnits);
  matrix = shaped(b, "message_step.matrix", matrix, {kBatch, kPairs, kUnits, kUnits});
  const Value heard = b.add({.name = "message_step.gather",
                             .op_type = "GatherND",
                             .inputs = {states.name, all.sources.name},
                             .attributes = {{"batch_dims", std::int64_t{1}}}},
                            {kBatch, kPairs, kUnits});
  Value turned =
      matmul(b, "message_step.turn", matrix, insert_axis(b, "message_step.column", heard, 3));
  turned = shaped(b, "message_step.row", turned, {kBatch, kPairs, kUnits});
  return b.add({.name = "message_step.sum",
                .op_type = "ScatterElements",
                .inputs = {all.silence.name, all.targets.name, turned.name},
                .attributes = {{"axis", std::int64_t{1}}, {"reduction", std::string{"add"}}}},
               states.shape);
}

/// One step of a GRU cell, operator by operator: the atoms are no sequence.
Value update(Builder& b, const Value& heard, const Value& states) {
  const Value from_input = linear(b, "update_step.kernel", heard, 3 * kUnits);
  const Value from_state = linear(b, "update_step.recurrent_kernel", states, 3 * kUnits);
  const std::vector<Value> inputs = split_last(b, "update_step.split", from_input, 3);
  const std::vector<Value> recurrent = split_last(b, "update_step.recurrent_split", from_state, 3);
  const auto gate = [&](const std::string& name, std::size_t part) {
    return sigmoid(b, name, binary(b, name + ".add", "Add", inputs[part], recurrent[part]));
  };
  const Value keep = gate("update_step.z", 0);
  const Value reset = gate("update_step.r", 1);
  const Value past = binary(b, "update_step.reset", "Mul", reset, recurrent[2]);
  const Value fresh =
      tanh(b, "update_step.h", binary(b, "update_step.h.add", "Add", inputs[2], past));
  const Value kept = binary(b, "update_step.kept", "Mul", keep, states);
  const Value open = binary(b, "update_step.open", "Sub", b.number(1), keep);
  const Value added = binary(b, "update_step.added", "Mul", open, fresh);
  return binary(b, "update_step", "Add", kept, added);
}

/// A transformer layer over the atoms of each molecule: 8 heads, each as wide as the state.
Value readout(Builder& b, const Value& x) {
  constexpr std::int64_t kHeads = 8;
  Projections projections;
  projections.query = linear(b, "attention.query", x, kHeads * kUnits);
  projections.key = linear(b, "attention.key", x, kHeads * kUnits);
  projections.value = linear(b, "attention.value", x, kHeads * kUnits);
  Value y = attention(b, "attention", projections, {.heads = kHeads, .mask = {}});
  y = linear(b, "attention.output", y, kUnits);
  const Value middle = layer_norm(b, "layernorm_1", binary(b, "add_1", "Add", x, y), kEpsilon);
  y = relu(b, "dense_proj.relu", linear(b, "dense_proj.0", middle, kDense));
  y = linear(b, "dense_proj.1", y, kUnits);
  return layer_norm(b, "layernorm_2", binary(b, "add_2", "Add", middle, y), kEpsilon);
}

void build_molecules(Builder& b, const Sizes&) {
  const Value atoms = b.input("atom_features", {kBatch, kAtoms, kAtomFeatures});
  const Value pads = b.integers({0, 0, 0, 0, 0, kUnits - kAtomFeatures});
  Value x = b.add({.name = "pad", .op_type = "Pad", .inputs = {atoms.name, pads.name}},
                  {kBatch, kAtoms, kUnits});
  const Molecules all = declare_inputs(b, x);
  for (int step = 0; step < kSteps; ++step) {
    b.begin_pass(std::to_string(step));
    const Value heard = messages(b, x, all);
    x = update(b, heard, x);
  }
  b.begin_pass("");
  x = mean_over(b, "pooling", readout(b, x), 1);
  x = relu(b, "dense.relu", linear(b, "dense", x, kDense));
  b.output(sigmoid(b, "score", linear(b, "dense_1", x, 1)));
}

}  // namespace

std::vector<Entry> message_passing_family() {
  return {{.architecture = {.name = "keras-molecules",
                            .description = "Message passing over molecules of 24 atoms, BBBP "
                                           "(arXiv:1704.01212, keras.io examples)",
                            .input = "24 atoms, 76 pairs",
                            .default_batch = 64},
           .aliases = {},
           .build = build_molecules}};
}

}  // namespace horus::zoo
