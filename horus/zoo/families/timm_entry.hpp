// SPDX-License-Identifier: Apache-2.0
#pragma once
// Families that are a table of plans: one row a model, as timm lists them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/image_entry.hpp"

namespace horus::zoo {

/// A model of timm by its own name, and the side of the images it is trained with, in pixels.
template <class Plan>
struct TimmModel {
  const char* name{};
  std::int64_t image{};
  Plan plan{};
};

/// An entry for each model, built by `build` from its plan and the image's side.
template <class Plan, std::size_t count>
std::vector<Entry> timm_entries(const std::array<TimmModel<Plan>, count>& models,
                                const std::string& description,
                                void (*build)(Builder& b, const Plan& plan, std::int64_t image),
                                ImageRange images = {}) {
  std::vector<Entry> entries;
  for (const TimmModel<Plan>& model : models) {
    const Plan plan = model.plan;
    entries.push_back(
        image_entry(model.name, description, model.image, images,
                    [plan, build](Builder& b, std::int64_t image) { build(b, plan, image); }));
  }
  return entries;
}

}  // namespace horus::zoo
