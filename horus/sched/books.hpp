// SPDX-License-Identifier: Apache-2.0
#pragma once
// The books: what is promised of every GPU, indexed so that a decision never scans the cluster.
// Promises are beliefs (memory bounds, utilizations); what the world really does is not here.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "horus/base/quantity.hpp"
#include "horus/domain/cluster.hpp"
#include "horus/domain/job.hpp"
#include "horus/sched/cheapest.hpp"
#include "horus/sched/cost_index.hpp"
#include "horus/sched/first_fit.hpp"
#include "horus/sched/index_set.hpp"

namespace horus::sched {

struct BooksOptions {
  int max_residents{3};        ///< Jobs on one GPU at most, 1 to kMaxResidentsLimit; 1: no sharing.
  bool gangs_exclusive{true};  ///< Jobs of several GPUs get them alone.
};

/// The most residents that books can be told to allow.
inline constexpr int kMaxResidentsLimit = 16;

enum class Sharing : std::uint8_t { Shared, Exclusive };

/// What is promised of one GPU.
struct GpuAccount {
  Bytes memory;                      ///< Sum of the residents' memory bounds.
  Permille utilization_mean;         ///< Sum over the residents; may exceed 1000.
  Permille utilization_max;          ///< Sum over the residents; may exceed 1000.
  std::uint16_t type{};              ///< Position in Cluster::types().
  std::uint8_t residents{};          ///< Number of jobs with a task here.
  Sharing sharing{Sharing::Shared};  ///< Exclusive while its one resident bears no company.
  friend bool operator==(const GpuAccount&, const GpuAccount&) = default;
};

/// One running job in the books.
struct Booking {
  std::vector<GpuIndex> gpus;              ///< Sorted, distinct.
  std::vector<TaskDemand> demand_by_type;  ///< As promised when it was booked.
  Sharing sharing{Sharing::Shared};
};

/// GPUs that already run something and have room in memory.
struct RoomQuery {
  std::size_t type{};
  int residents{};   ///< Exactly so many.
  Bytes booked_max;  ///< Room: no more than this is booked.
};

/// GPUs for one task, by what they cost.
struct OfferQuery {
  std::size_t type{};
  TaskDemand task;      ///< On this type.
  Bytes booked_max;     ///< Room: no more than this is booked.
  int max_residents{};  ///< The task included; 1 asks for empty GPUs only.
};

class Books {
 public:
  /// All GPUs empty. Requires 1 <= max_residents <= kMaxResidentsLimit.
  Books(const Cluster& cluster, const BooksOptions& options);

  /// Enters a job that starts now. Requires what every policy promises: one distinct GPU per task,
  /// room in memory and in residents on each, and nobody else where either side is exclusive.
  /// Cost: O(log GPUs) per task.
  void book(const JobSpec& job, const Placement& placement, Sharing sharing);

  /// Strikes out a running job. Requires that it is booked. Cost: as book().
  void release(JobId job);

  [[nodiscard]] const BooksOptions& options() const { return options_; }
  [[nodiscard]] std::size_t type_count() const { return types_.size(); }
  [[nodiscard]] Bytes capacity(std::size_t type) const { return types_[type].capacity; }
  /// GPUs of this type, empty or not.
  [[nodiscard]] std::size_t gpus_of(std::size_t type) const { return types_[type].members.size(); }
  /// GPUs of this type without resident. O(1).
  [[nodiscard]] std::size_t empty_of(std::size_t type) const { return types_[type].empty.size(); }

  [[nodiscard]] std::span<const GpuAccount> gpus() const { return gpus_; }
  /// The jobs on one GPU, in the order in which they came.
  [[nodiscard]] std::span<const JobId> residents(GpuIndex gpu) const;
  /// All running jobs by id.
  [[nodiscard]] const std::map<JobId, Booking>& bookings() const { return bookings_; }

  /// Appends the lowest empty GPUs of `type` to `gpus`, at most `count`. Cost: O(count).
  void append_empty(std::size_t type, std::size_t count, std::vector<GpuIndex>& gpus) const;

  /// Appends the lowest-numbered GPUs that the query describes to `gpus`, at most `count`; those
  /// that cannot take another job are none of them. Cost: O(count log GPUs).
  void append_with_room(const RoomQuery& query, std::size_t count,
                        std::vector<GpuIndex>& gpus) const;

  /// Offers to `best` those of the described GPUs that can be among its cheapest. Cost: independent
  /// of the number of GPUs except for a logarithm.
  void offer_cheapest(const OfferQuery& query, CheapestGpus& best) const;

 private:
  /// The GPUs of one type with one number of residents that can take one more.
  struct SharedGpus {
    CostIndex by_cost;
    FirstFit by_rank;
  };
  struct TypeBooks {
    Bytes capacity;
    std::vector<GpuIndex> members;  // sorted; the position of a GPU here is its rank
    IndexSet empty;                 // ranks
    // shared[n - 1]: with n residents, made when first needed
    std::vector<std::optional<SharedGpus>> shared;
  };

  void enter(GpuIndex gpu, JobId job, const Booking& booking);
  void strike(GpuIndex gpu, JobId job, const Booking& booking);
  void add_to_index(GpuIndex gpu);
  void remove_from_index(GpuIndex gpu);
  [[nodiscard]] bool can_take_more(const GpuAccount& account) const;

  BooksOptions options_;
  std::vector<TypeBooks> types_;
  std::vector<GpuAccount> gpus_;
  std::vector<std::uint32_t> ranks_;  // per GPU: its position among the members of its type
  std::vector<JobId> residents_;      // max_residents places per GPU
  std::map<JobId, Booking> bookings_;
};

}  // namespace horus::sched
