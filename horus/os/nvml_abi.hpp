// SPDX-License-Identifier: Apache-2.0
#pragma once
// The part of NVIDIA's management library that is used, declared anew: its header is in no free
// package, and its binary interface does not change. Source: NVML API Reference Guide, R590.

#include <cstddef>
#include <cstdint>

namespace horus::os::nvml_abi {

using Device = void*;
using Status = int;

inline constexpr Status kSuccess = 0;
inline constexpr Status kNotSupported = 3;
inline constexpr Status kNoPermission = 4;
inline constexpr Status kNotFound = 6;
inline constexpr Status kInsufficientSize = 7;
inline constexpr Status kDriverNotLoaded = 9;
inline constexpr Status kFunctionNotFound = 13;
inline constexpr Status kGpuIsLost = 15;
inline constexpr Status kVersionMismatch = 18;
inline constexpr Status kNoData = 21;

/// Memory of a process that the driver does not know.
inline constexpr std::uint64_t kNotAvailable = ~std::uint64_t{0};

struct Utilization {
  unsigned gpu;
  unsigned memory;
};
struct Memory {
  std::uint64_t total;
  std::uint64_t free;
  std::uint64_t used;
};
/// Of nvmlDeviceGetComputeRunningProcesses without a version, of drivers before R460.
struct ProcessV1 {
  unsigned pid;
  std::uint64_t used_memory;
};
/// Of _v2 and _v3.
struct Process {
  unsigned pid;
  std::uint64_t used_memory;
  unsigned gpu_instance;
  unsigned compute_instance;
};
struct ProcessUtilization {
  unsigned pid;
  std::uint64_t time_us;
  unsigned sm;
  unsigned memory;
  unsigned encoder;
  unsigned decoder;
};

// ---- Performance counters (GPM, from Hopper on)
// ---------------------------------------------------

using GpmSample = void*;
inline constexpr unsigned kGpmVersion = 1;  ///< Of both structures below.
inline constexpr unsigned kGpmSmUtil = 2;   ///< SMs that are busy, percent.
inline constexpr unsigned kGpmSmOccupancy = 3;
inline constexpr unsigned kGpmDramBandwidth = 10;

struct GpmSupport {
  unsigned version;
  unsigned is_supported;
};
struct GpmMetric {
  unsigned id;
  Status status;
  double value;
  const char* texts[3];  ///< Short name, long name, unit.
};
/// The library reads and writes as many metrics as are asked for; headers declare room for all
/// that they know, which is more with each version.
struct GpmMetricsGet {
  unsigned version;
  unsigned count;
  GpmSample earlier;
  GpmSample later;
  GpmMetric metrics[512];
};

static_assert(sizeof(GpmSupport) == 8);
static_assert(sizeof(GpmMetric) == 40);
static_assert(offsetof(GpmMetricsGet, metrics) == 24);
static_assert(sizeof(Utilization) == 8);
static_assert(sizeof(Memory) == 24);
static_assert(sizeof(ProcessV1) == 16);
static_assert(sizeof(Process) == 24);
static_assert(sizeof(ProcessUtilization) == 32);

}  // namespace horus::os::nvml_abi
