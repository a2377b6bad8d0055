// SPDX-License-Identifier: Apache-2.0
#pragma once
// NVIDIA GPUs as the driver's own library describes them. The library is opened at run time: a
// machine without it can run the program, and hears what is missing.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "horus/base/quantity.hpp"
#include "horus/base/result.hpp"

namespace horus::os {

/// NVML's return code. 0: success.
using NvmlStatus = int;

/// A value, or the status that says why there is none.
template <class T>
struct NvmlAnswer {
  std::optional<T> value;
  NvmlStatus status{};
};

/// A GPU within an open Nvml.
struct NvmlDevice {
  void* handle{};
};

struct NvmlUtilization {
  unsigned gpu_percent{};     ///< Time in which a kernel ran, over the driver's last period.
  unsigned memory_percent{};  ///< Time in which device memory was read or written.
};

struct NvmlMemory {
  Bytes total;
  Bytes used;
};

struct NvmlProcess {
  std::int64_t pid{};                    ///< Of the host, in many containers.
  std::optional<Bytes> memory;           ///< Absent where the driver does not know it.
  std::optional<unsigned> gpu_instance;  ///< The MIG instance it runs on.
};

struct NvmlProcessUtilization {
  std::int64_t pid{};
  std::uint64_t time_us{};  ///< When the driver sampled, microseconds since 1970.
  unsigned sm_percent{};
};

/// The GPU's performance counters at one moment; to be destroyed before the Nvml that made it.
class NvmlSnapshot {
 public:
  NvmlSnapshot(void* sample, NvmlStatus (*free)(void*)) : sample_{sample, Free{free}} {}
  [[nodiscard]] void* handle() const { return sample_.get(); }

 private:
  struct Free {
    NvmlStatus (*call)(void*);
    void operator()(void* sample) const { (void)call(sample); }
  };
  std::unique_ptr<void, Free> sample_;
};

/// Between two snapshots. Shares, 0 to 1, of the whole GPU.
struct NvmlActivity {
  double sm_active{};     ///< Multiprocessors with work, as DCGM's SMACT.
  double sm_occupancy{};  ///< Warps, of the most that fit, as DCGM's SMOCC.
  double dram_active{};   ///< Bandwidth of device memory, of the peak, as DCGM's DRAMA.
};

/// Thread-safe, as NVML is. Every call may take milliseconds; one for a lost GPU may take longer.
class Nvml {
 public:
  /// Errors: NotFound (no library), Unavailable (no driver, versions that do not match, ...),
  /// Unsupported (a library without what is needed at least).
  [[nodiscard]] static Result<Nvml> open(const std::string& library = "libnvidia-ml.so.1");

  [[nodiscard]] NvmlAnswer<std::string> driver_version() const;
  /// The newest CUDA that the driver supports, e.g. "12.4".
  [[nodiscard]] NvmlAnswer<std::string> cuda_version() const;
  [[nodiscard]] NvmlAnswer<unsigned> device_count() const;
  [[nodiscard]] NvmlAnswer<NvmlDevice> device(unsigned index) const;

  [[nodiscard]] NvmlAnswer<std::string> name(NvmlDevice device) const;
  [[nodiscard]] NvmlAnswer<std::string> uuid(NvmlDevice device) const;
  [[nodiscard]] NvmlAnswer<NvmlMemory> memory(NvmlDevice device) const;
  [[nodiscard]] NvmlAnswer<NvmlUtilization> utilization(NvmlDevice device) const;
  [[nodiscard]] NvmlAnswer<double> power_w(NvmlDevice device) const;
  /// Since the driver was loaded.
  [[nodiscard]] NvmlAnswer<double> energy_j(NvmlDevice device) const;
  [[nodiscard]] NvmlAnswer<bool> is_mig(NvmlDevice device) const;
  /// Processes with a compute context on the GPU.
  [[nodiscard]] NvmlAnswer<std::vector<NvmlProcess>> processes(NvmlDevice device) const;
  /// Those of them that are clients of the Multi-Process Service.
  [[nodiscard]] NvmlAnswer<std::vector<NvmlProcess>> mps_clients(NvmlDevice device) const;
  /// Samples newer than `since_us`. None where no process did anything.
  [[nodiscard]] NvmlAnswer<std::vector<NvmlProcessUtilization>> process_utilization(
      NvmlDevice device, std::uint64_t since_us) const;

  /// GPUs before Hopper, and drivers before R520, have no such counters.
  [[nodiscard]] NvmlAnswer<NvmlSnapshot> snapshot(NvmlDevice device) const;
  [[nodiscard]] NvmlAnswer<NvmlActivity> activity(const NvmlSnapshot& earlier,
                                                  const NvmlSnapshot& later) const;

  /// The library's words for a status.
  [[nodiscard]] std::string describe(NvmlStatus status) const;
  /// Will never be answered, however often it is asked.
  [[nodiscard]] static bool is_final(NvmlStatus status);
  [[nodiscard]] static bool is_lost(NvmlStatus status);

  Nvml(Nvml&&) noexcept;
  Nvml& operator=(Nvml&&) = delete;
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml();

 private:
  struct Library;
  explicit Nvml(std::unique_ptr<Library> library);
  std::unique_ptr<Library> library_;
};

}  // namespace horus::os
