// SPDX-License-Identifier: Apache-2.0
#pragma once
// Signals as something to read.

#include <optional>
#include <utility>

#include "horus/base/result.hpp"
#include "horus/os/descriptor.hpp"

namespace horus::os {

struct ReceivedSignal {
  int number{};
  /// Typed at the terminal: the whole foreground group has it, our child included.
  bool is_from_terminal{};
};

/// From its opening on, the signals that end or inform a program (INT, TERM, HUP, QUIT, USR1, USR2)
/// and CHLD are not delivered to this process but lie here. Open it before any thread begins.
class SignalInbox {
 public:
  [[nodiscard]] static Result<SignalInbox> open();

  [[nodiscard]] int descriptor() const { return descriptor_.number(); }
  /// Nothing where none lies here.
  [[nodiscard]] std::optional<ReceivedSignal> take() const;

 private:
  explicit SignalInbox(Descriptor descriptor) : descriptor_{std::move(descriptor)} {}
  Descriptor descriptor_;
};

}  // namespace horus::os
