// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the reports of several models make one output, in each format.

#include <cstddef>
#include <string>

#include "horus/apps/horus/console.hpp"
#include "horus/apps/horus/output_format.hpp"
#include "horus/wire/inspect_diff.hpp"
#include "horus/wire/reports.hpp"

namespace horus::apps {

/// Prints as reports come: head(), then one() or failed() per model in order, then foot().
class InspectPrinter {
 public:
  InspectPrinter(Format format, std::size_t models, const Console& console)
      : format_{format}, models_{models}, console_{console} {}

  [[nodiscard]] Result<Done> head() const;
  [[nodiscard]] Result<Done> one(const wire::InspectReport& report, std::size_t place) const;
  /// A model that could not be analysed: a line of its own in JSON Lines, and always a note.
  [[nodiscard]] Result<Done> failed(const std::string& model, const Error& error) const;
  [[nodiscard]] Result<Done> foot() const;

 private:
  Format format_;
  std::size_t models_;
  const Console& console_;
};

[[nodiscard]] std::string spelled(const wire::InspectDiff& diff, Format format,
                                  report::Colour colour);

}  // namespace horus::apps
