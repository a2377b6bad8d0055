// SPDX-License-Identifier: Apache-2.0
// Networks of deep reinforcement learning. Each is what learns from one batch of experience: the
// copies that act, and target networks, are not part of it.
//   a3c  Mnih et al. 2016, arXiv:1602.01783; sizes of dgriff777/rl_a3c_pytorch, Pong
//   a2c  the same in step, with the convolutions of dqn; sizes of Stable-Baselines3, Pong
//   dqn  Mnih et al. 2015, "Human-level control through deep reinforcement learning", Pong
//   ppo  Schulman et al. 2017, arXiv:1707.06347; two towers of 64, LunarLander
//   td3  Fujimoto et al. 2018, arXiv:1802.09477; 400 and 300 wide, BipedalWalker

#include <array>

#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/layers.hpp"
#include "horus/zoo/recurrent_layer.hpp"

namespace horus::zoo {
namespace {

constexpr std::int64_t kPongActions = 6;

/// The convolutions and the wide layer of the DQN paper over four grey frames.
Value nature_features(Builder& b) {
  Value x = b.input("frames", {kBatch, 4, 84, 84});
  const auto layers = std::to_array<ConvSpec>({
      {.channels = 32, .kernel = {8}, .stride = {4}, .bias = Bias::Trained},
      {.channels = 64, .kernel = {4}, .stride = {2}, .bias = Bias::Trained},
      {.channels = 64, .kernel = {3}, .bias = Bias::Trained},
  });
  int index = 0;
  const auto next = [&index] { return "features." + std::to_string(index++); };
  for (const ConvSpec& layer : layers) {
    x = conv(b, next(), x, layer);
    x = relu(b, next(), x);
  }
  return relu(b, "fc.relu", linear(b, "fc", flatten(b, "flatten", x), 512));
}

void build_dqn(Builder& b, const Sizes&) {
  b.output(linear(b, "q_values", nature_features(b), kPongActions));
}

void build_a2c(Builder& b, const Sizes&) {
  const Value x = nature_features(b);
  b.output(linear(b, "action", x, kPongActions));
  b.output(linear(b, "value", x, 1));
}

void build_a3c(Builder& b, const Sizes&) {
  Value x = b.input("frame", {kBatch, 1, 80, 80});
  const auto layers = std::to_array<ConvSpec>({
      {.channels = 32, .kernel = {5}, .padding = {2}, .bias = Bias::Trained},
      {.channels = 32, .kernel = {5}, .padding = {1}, .bias = Bias::Trained},
      {.channels = 64, .kernel = {4}, .padding = {1}, .bias = Bias::Trained},
      {.channels = 64, .kernel = {3}, .padding = {1}, .bias = Bias::Trained},
  });
  int index = 1;
  for (const ConvSpec& layer : layers) {
    const std::string number = std::to_string(index++);
    x = conv(b, "conv" + number, x, layer);
    x = max_pool(b, "maxp" + number, x, {.kernel = {2}, .stride = {2}});
    x = relu(b, "relu" + number, x);
  }
  // One step of an LSTM: the batch is a batch of environments, not of time.
  x = flatten(b, "flatten", x);
  const Value time = b.integers({0});
  x = b.add({.name = "step", .op_type = "Unsqueeze", .inputs = {x.name, time.name}},
            {1, kBatch, x.shape[1]});
  x = recurrent(b, "lstm", x, {.cell = Cell::Lstm, .hidden = 512});
  x = b.add({.name = "state", .op_type = "Squeeze", .inputs = {x.name, time.name}},
            {kBatch, x.shape[2]});
  b.output(linear(b, "critic_linear", x, 1));
  b.output(linear(b, "actor_linear", x, kPongActions));
}

/// Linear layers `widths` apart, `activate` between them and not after the last.
Value tower(Builder& b, const std::string& name, Value x, const std::vector<std::int64_t>& widths,
            Activation activate) {
  int index = 0;
  for (const std::int64_t width : widths) {
    if (index > 0) {
      const std::string place = name + "." + std::to_string(index++);
      x = activate(b, place, x);
    }
    const std::string place = name + "." + std::to_string(index++);
    x = linear(b, place, x, width);
  }
  return x;
}

void build_ppo(Builder& b, const Sizes&) {
  const Value state = b.input("state", {kBatch, 8});
  b.output(softmax(b, "probabilities", tower(b, "actor", state, {64, 64, 4}, tanh)));
  b.output(tower(b, "critic", state, {64, 64, 1}, tanh));
}

void build_td3(Builder& b, const Sizes&) {
  const Value state = b.input("state", {kBatch, 24});
  const Value taken = b.input("action", {kBatch, 4});
  const auto judge = [&](const std::string& name, const Value& action) {
    const Value pair = concat(b, name + ".pair", std::vector<Value>{state, action}, 1);
    return tower(b, name, pair, {400, 300, 1}, relu);
  };
  b.output(judge("critic_1", taken));
  b.output(judge("critic_2", taken));
  const Value action = tanh(b, "actor.tanh", tower(b, "actor", state, {400, 300, 4}, relu));
  b.begin_pass("policy");
  b.output(judge("critic_1", action));
}

struct Row {
  const char* name;
  const char* description;
  const char* input;
  std::int64_t batch;
  void (*build)(Builder&, const Sizes&);
};

}  // namespace

std::vector<Entry> reinforcement_family() {
  const auto rows = std::to_array<Row>({
      {"a2c", "A2C, Pong (arXiv:1602.01783, Stable-Baselines3)", "4x84x84", 80, build_a2c},
      {"a3c", "A3C with LSTM, one step, Pong (arXiv:1602.01783, dgriff777/rl_a3c_pytorch)",
       "1x80x80", 4, build_a3c},
      {"dqn", "DQN, Pong (Mnih et al. 2015)", "4x84x84", 32, build_dqn},
      {"ppo", "PPO, actor and critic, LunarLander (arXiv:1707.06347)", "8 numbers", 64, build_ppo},
      {"td3", "TD3, actor and two critics, BipedalWalker (arXiv:1802.09477)",
       "24 numbers and 4 actions", 100, build_td3},
  });
  std::vector<Entry> entries;
  for (const Row& row : rows) {
    entries.push_back({.architecture = {.name = row.name,
                                        .description = row.description,
                                        .input = row.input,
                                        .default_batch = row.batch},
                       .build = row.build});
  }
  return entries;
}

}  // namespace horus::zoo
