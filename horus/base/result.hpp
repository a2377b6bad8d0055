// SPDX-License-Identifier: Apache-2.0
#pragma once
// How expected failures travel: as values. Wrong input or a wrong world is an Error; a wrong
// programmer is HORUS_CHECK (check.hpp).

#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace horus {

enum class Errc {
  InvalidArgument,  ///< The caller asked for something that makes no sense.
  NotFound,         ///< A name or file does not exist.
  Unavailable,      ///< The world said no for now; a retry can help.
  Corrupt,          ///< Foreign bytes are not what they claim to be.
  Unsupported,      ///< Well-formed, but beyond what Horus knows or its limits allow.
};

/// What went wrong, for a person and for a program. `where` names the input, e.g. "trace.csv:17".
/// `message` says what was found, what was expected, and where it helps what to do.
struct Error {
  Errc code;
  std::string message;
  std::string where{};

  /// "where: message", or the message alone.
  [[nodiscard]] std::string text() const {
    return where.empty() ? message : where + ": " + message;
  }
};

template <class T>
using Result = tl::expected<T, Error>;

/// The result of something done for its effect.
struct Done {};

[[nodiscard]] inline auto fail(Errc code, std::string message, std::string where = {}) {
  return tl::make_unexpected(Error{code, std::move(message), std::move(where)});
}

}  // namespace horus

#define HORUS_CONCAT_(a, b) a##b
#define HORUS_CONCAT(a, b) HORUS_CONCAT_(a, b)
/// HORUS_TRY(auto x, f()): binds x to the value, or returns the error from the enclosing function.
#define HORUS_TRY(decl, expr) HORUS_TRY_(decl, expr, HORUS_CONCAT(horus_try_, __LINE__))
#define HORUS_TRY_(decl, expr, tmp)                               \
  auto tmp = (expr);                                              \
  if (!tmp) return ::tl::make_unexpected(std::move(tmp).error()); \
  decl = std::move(*tmp)
/// HORUS_TRY_DONE(f()): returns the error of f() from the enclosing function, drops the value.
#define HORUS_TRY_DONE(expr) HORUS_TRY_DONE_(expr, HORUS_CONCAT(horus_try_, __LINE__))
#define HORUS_TRY_DONE_(expr, tmp) \
  if (auto tmp = (expr); !tmp) return ::tl::make_unexpected(std::move(tmp).error())
