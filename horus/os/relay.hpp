// SPDX-License-Identifier: Apache-2.0
#pragma once
// Passing bytes on from a pipe to a standard stream, as fast as the stream takes them.

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include <poll.h>

#include "horus/os/descriptor.hpp"

namespace horus::os {

/// Never blocks: what the stream does not take yet waits here, and nothing more is read meanwhile,
/// so that the program feels a slow reader as it would without us.
class Relay {
 public:
  using OnBytes = std::function<void(std::string_view)>;
  static constexpr int kNowhere = -1;

  /// `target`: a standard stream, or kNowhere to read only.
  Relay(Descriptor source, int target, OnBytes on_bytes)
      : source_{std::move(source)}, target_{target}, on_bytes_{std::move(on_bytes)} {}

  /// What to wait for; a negative descriptor where there is nothing more to do.
  [[nodiscard]] pollfd wanted() const;
  /// Does what can be done at once.
  void serve(short events);
  /// Some of what the program wrote is still under way.
  [[nodiscard]] bool is_busy() const { return !pending_.empty(); }
  /// Why the target took no more; 0: it does.
  [[nodiscard]] int target_error() const { return target_error_; }

 private:
  void read_some();
  void write_some();
  void close();

  Descriptor source_;
  int target_;
  OnBytes on_bytes_;
  std::string pending_;
  bool is_open_{true};
  int target_error_{};
};

}  // namespace horus::os
