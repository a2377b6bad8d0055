// SPDX-License-Identifier: Apache-2.0
#pragma once
// This machine and its processes, as /proc shows them.

#include <cstdint>
#include <optional>
#include <string>

namespace horus::os {

/// Of the first processor; absent where the kernel does not name it.
[[nodiscard]] std::optional<std::string> cpu_name();

/// Logical processors that this process may run on.
[[nodiscard]] std::int64_t usable_cores();

/// 32 hexadecimal digits from the kernel's random numbers.
[[nodiscard]] std::string random_id();

/// True where process numbers are those of the whole machine: not in most containers.
[[nodiscard]] bool sees_all_processes();

[[nodiscard]] std::int64_t own_pid();

/// The short name of a process: at most 15 letters. Absent where it is gone.
[[nodiscard]] std::optional<std::string> process_name(std::int64_t pid);

/// True for `root` and for children of children of it, as far as their parents still live. Orphans
/// of a program that adopt_orphans() was called in count as its children.
[[nodiscard]] bool descends_from(std::int64_t pid, std::int64_t root);

/// From now on orphaned descendants become children of this process, and not of the machine's
/// first.
void adopt_orphans();

}  // namespace horus::os
