// SPDX-License-Identifier: Apache-2.0
#include "horus/apps/profile/gpu_watch.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "horus/base/text.hpp"

namespace horus::apps {
namespace {

/// The driver samples processes about once a second at most: an older sample says nothing.
constexpr Duration kLoadHolds{1'500'000};

constexpr std::array<std::string_view, 8> kQueryNames = {
    "utilization", "memory",
    "power",       "energy",
    "processes",   "utilization of processes",
    "MPS",         "activity of multiprocessors"};

record::GpuFacts facts_of(const os::Nvml& nvml, unsigned index, os::NvmlDevice device) {
  record::GpuFacts facts{.index = index,
                         .name = nvml.name(device).value,
                         .uuid = nvml.uuid(device).value,
                         .mig = nvml.is_mig(device).value};
  if (const auto memory = nvml.memory(device).value) facts.memory = memory->total;
  return facts;
}

bool is_called(const record::GpuFacts& gpu, std::string_view name) {
  if (const auto index = parse_integer(name)) return *index == gpu.index;
  return gpu.uuid && to_lower(*gpu.uuid) == to_lower(name);
}

Result<std::vector<record::GpuFacts>> all_gpus(const os::Nvml& nvml) {
  const auto count = nvml.device_count();
  if (!count.value) {
    return fail(Errc::Unavailable,
                "the driver does not say how many GPUs there are: " + nvml.describe(count.status));
  }
  std::vector<record::GpuFacts> gpus;
  for (unsigned index = 0; index < *count.value; ++index) {
    // One that fell off the bus has no handle, and is nobody's choice.
    if (const auto device = nvml.device(index).value) {
      gpus.push_back(facts_of(nvml, index, *device));
    }
  }
  if (!gpus.empty()) return gpus;
  return fail(Errc::NotFound, "the driver sees no GPU; --gpu none times steps without one");
}

}  // namespace

Result<std::vector<record::GpuFacts>> choose_gpus(const os::Nvml& nvml,
                                                  const std::vector<std::string>& wanted) {
  HORUS_TRY(std::vector<record::GpuFacts> gpus, all_gpus(nvml));
  for (const std::string& name : wanted) {
    const auto found =
        std::ranges::find_if(gpus, [&](const auto& gpu) { return is_called(gpu, name); });
    if (found == gpus.end()) {
      std::string known;
      for (const auto& gpu : gpus) {
        known += fmt::format("{}{} ({})", known.empty() ? "" : ", ", gpu.index,
                             gpu.uuid.value_or("no UUID"));
      }
      const bool is_instance = to_lower(name).starts_with("mig-");
      return fail(Errc::NotFound,
                  fmt::format("there is no GPU '{}'; there are {}{}", printable(name), known,
                              is_instance ? "; an instance (MIG) cannot be watched alone" : ""),
                  "--gpu");
    }
    found->chosen = true;
  }
  if (!wanted.empty()) std::erase_if(gpus, [](const auto& gpu) { return !gpu.chosen; });
  return gpus;
}

bool GpuWatch::is_silent(Query query) const {
  return is_lost_ || silent_[static_cast<std::size_t>(query)];
}

template <class T>
std::optional<T> GpuWatch::judge(Query query, os::NvmlAnswer<T> answer) {
  if (answer.value) return std::move(answer.value);
  const auto at = static_cast<std::size_t>(query);
  is_lost_ = is_lost_ || os::Nvml::is_lost(answer.status);
  silent_[at] = silent_[at] || os::Nvml::is_final(answer.status);
  // Most machines have no MPS, and most GPUs no counters of activity: nothing is missing.
  const bool is_rare = query == Query::Mps || query == Query::Activity;
  if (!std::exchange(noted_[at], true) && (!is_rare || is_lost_)) {
    notes_.push_back(
        fmt::format("{}: {}: {}", label_, kQueryNames[at], nvml_->describe(answer.status)));
  }
  return std::nullopt;
}

template <class T>
std::optional<T> GpuWatch::ask(Query query,
                               os::NvmlAnswer<T> (os::Nvml::*question)(os::NvmlDevice) const) {
  if (is_silent(query)) return std::nullopt;
  return judge(query, (nvml_->*question)(device_));
}

std::optional<unsigned> GpuWatch::job_utilization(TimePoint now, JobProcesses& job) {
  if (is_silent(Query::ProcessUtilization)) return std::nullopt;
  const auto samples =
      judge(Query::ProcessUtilization, nvml_->process_utilization(device_, loads_since_us_));
  if (!samples) return std::nullopt;
  for (const os::NvmlProcessUtilization& sample : *samples) {
    loads_since_us_ = std::max(loads_since_us_, sample.time_us);
    if (job.contains(sample.pid)) loads_[sample.pid] = {now, sample.sm_percent};
  }
  // Where the driver never named one of ours, silence is not idleness.
  if (loads_.empty()) return std::nullopt;
  unsigned total = 0;
  for (const auto& [pid, load] : loads_) {
    if (now - load.seen <= kLoadHolds) total += std::min(load.percent, 100U);
  }
  return std::min(total, 100U);
}

bool GpuWatch::is_mps_client(JobProcesses& job) {
  const auto clients = ask(Query::Mps, &os::Nvml::mps_clients);
  return clients && std::ranges::any_of(*clients, [&](const os::NvmlProcess& client) {
           return job.contains(client.pid);
         });
}

std::optional<os::NvmlActivity> GpuWatch::activity() {
  if (is_silent(Query::Activity)) return std::nullopt;
  if (!counters_ && nvml_->is_mig(device_).value.value_or(false)) {
    // Counters of a partitioned GPU belong to its instances.
    silent_[static_cast<std::size_t>(Query::Activity)] = true;
    return std::nullopt;
  }
  auto now = ask(Query::Activity, &os::Nvml::snapshot);
  auto before = std::exchange(counters_, std::move(now));
  if (!before || !counters_) return std::nullopt;
  return judge(Query::Activity, nvml_->activity(*before, *counters_));
}

record::GpuSample GpuWatch::look(TimePoint now, JobProcesses& job) {
  record::GpuSample sample = look_after();
  if (const auto rates = ask(Query::Utilization, &os::Nvml::utilization)) {
    sample.util_percent = rates->gpu_percent;
    sample.memutil_percent = rates->memory_percent;
  }
  if (const auto memory = ask(Query::Memory, &os::Nvml::memory)) {
    sample.device_memory = memory->used;
  }
  sample.power_w = ask(Query::Power, &os::Nvml::power_w);
  if (const auto share = activity()) {
    sample.sm_active = share->sm_active;
    sample.sm_occupancy = share->sm_occupancy;
    sample.dram_active = share->dram_active;
  }
  if (const auto listed = ask(Query::Processes, &os::Nvml::processes)) {
    const Census census = job.census(*listed, before_);
    sample.job_is_there = census.job_is_there;
    sample.strangers = census.strangers;
    sample.may_have_strangers = census.may_have_strangers;
    sample.process_memory = census.memory;
  }
  sample.process_util_percent = job_utilization(now, job);
  sample.mps = is_mps_client(job);
  return sample;
}

record::GpuSample GpuWatch::look_before(JobProcesses& job) {
  if (const auto listed = ask(Query::Processes, &os::Nvml::processes)) {
    for (const os::NvmlProcess& process : *listed) before_.insert(process.pid);
  }
  return look(TimePoint{}, job);
}

record::GpuSample GpuWatch::look_after() {
  return {.energy_j = ask(Query::Energy, &os::Nvml::energy_j)};
}

}  // namespace horus::apps
