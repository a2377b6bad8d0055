// SPDX-License-Identifier: Apache-2.0
#include "horus/predict/predictor_model.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "horus/base/check.hpp"
#include "horus/base/text.hpp"
#include "horus/domain/sharing.hpp"
#include "horus/predict/tree_inputs.hpp"

namespace horus::predict {
namespace {

enum class Missing { IsPrior, IsError };

std::vector<std::string> constant_names() {
  std::vector<std::string> names;
  for (const ConstantRow& row : constant_rows()) names.emplace_back(row.name);
  return names;
}

Result<Done> set_constant(const NamedConstant& named, Constants& constants) {
  const auto rows = constant_rows();
  const std::string where = "constants." + printable(named.name);
  const auto row = std::ranges::find(rows, named.name, &ConstantRow::name);
  if (row == rows.end()) {
    return fail(Errc::Corrupt,
                "is no constant of this version." + did_you_mean(named.name, constant_names()),
                where);
  }
  if (!(named.value >= row->least && named.value <= row->most)) {
    return fail(Errc::Corrupt,
                fmt::format("found {}, expected {} to {} ({})", named.value, row->least, row->most,
                            row->unit),
                where);
  }
  row->of(constants) = named.value;
  return Done{};
}

Result<Constants> make_constants(const std::vector<NamedConstant>& named, Missing missing) {
  Constants constants;
  std::set<std::string_view> seen;
  for (const NamedConstant& constant : named) {
    HORUS_TRY_DONE(set_constant(constant, constants));
    if (!seen.insert(constant.name).second) {
      return fail(Errc::Corrupt, "is given twice", "constants." + printable(constant.name));
    }
  }
  if (missing == Missing::IsPrior) return constants;
  for (const ConstantRow& row : constant_rows()) {
    if (seen.contains(row.name)) continue;
    return fail(Errc::Corrupt, "is missing; train the model again with this version of horus",
                fmt::format("constants.{}", row.name));
  }
  return constants;
}

/// Trees read columns by number, so the columns must be those that are computed now.
Result<Done> check_inputs(const ResidualTable& table) {
  const auto known = tree_inputs();
  if (std::ranges::equal(table.inputs, known)) return Done{};
  const auto odd = std::ranges::mismatch(table.inputs, known).in1;
  const std::string found =
      odd == table.inputs.end()
          ? fmt::format("{} inputs, expected {}", table.inputs.size(), known.size())
          : fmt::format("'{}' in {}", printable(odd->name), printable(odd->unit));
  return fail(Errc::Unsupported,
              "its trees read other inputs than this version computes: found " + found +
                  "; train the model again with this version of horus",
              "inputs");
}

Result<Residual> make_residual(const ResidualTable& table, std::size_t index) {
  const auto placed = [index](Error error) {
    error.where = fmt::format("residuals[{}].{}", index, error.where);
    return tl::make_unexpected(std::move(error));
  };
  if (const auto checked = check_inputs(table); !checked) return placed(checked.error());
  auto residual = Residual::make(table);
  if (!residual) return placed(residual.error());
  return residual;
}

Result<CalibratedLaw> make_law(const MeasuredLaw& law) {
  constexpr double kMost = 10;  // of a gain, an exponent or a spread
  HORUS_TRY(const SharingMode mode, parse_sharing_mode(law.mode));
  for (const double number :
       {law.gain, law.own_exponent, law.others_exponent, law.sigma_slowdown}) {
    if (number >= 0 && number <= kMost) continue;
    return fail(Errc::Corrupt, fmt::format("found {}, expected 0 to {}", number, kMost));
  }
  return CalibratedLaw{.gpu = law.gpu,
                       .mode = mode,
                       .law = {law.gain, law.own_exponent, law.others_exponent},
                       .sigma_slowdown = law.sigma_slowdown,
                       .pairs = static_cast<int>(std::min<std::int64_t>(law.pairs, 1 << 30))};
}

Result<std::vector<CalibratedLaw>> make_laws(const std::vector<MeasuredLaw>& measured) {
  std::vector<CalibratedLaw> laws;
  for (const MeasuredLaw& row : measured) {
    const std::string where = fmt::format("sharing[{}]", laws.size());
    auto law = make_law(row);
    if (!law) return fail(Errc::Corrupt, law.error().message, where);
    const bool is_second = std::ranges::any_of(laws, [&law](const CalibratedLaw& other) {
      return other.gpu == law->gpu && other.mode == law->mode;
    });
    if (is_second) {
      return fail(Errc::Corrupt,
                  fmt::format("is a second law for {} in mode {}", printable(row.gpu), row.mode),
                  where);
    }
    laws.push_back(*std::move(law));
  }
  return laws;
}

Result<Model> make(const PredictorFile& file, Missing missing) {
  Model model;
  HORUS_TRY(model.constants, make_constants(file.constants, missing));
  HORUS_TRY(model.constants.sharing.calibrated, make_laws(file.sharing));
  model.sites = file.sites;
  for (const ResidualTable& table : file.residuals) {
    HORUS_TRY(Residual residual, make_residual(table, model.residuals.size()));
    if (residual_of(model, residual.target()) != nullptr) {
      return fail(Errc::Corrupt, "stands twice: " + table.target, "residuals");
    }
    model.residuals.push_back(std::move(residual));
  }
  return model;
}

}  // namespace

Result<Model> make_model(const PredictorFile& file) { return make(file, Missing::IsError); }

const Residual* residual_of(const Model& model, ResidualTarget target) {
  const auto found = std::ranges::find(model.residuals, target, &Residual::target);
  return found == model.residuals.end() ? nullptr : &*found;
}

std::vector<NamedConstant> named_constants(const Constants& constants) {
  Constants copy = constants;  // rows give access by reference
  std::vector<NamedConstant> named;
  for (const ConstantRow& row : constant_rows()) {
    named.push_back({.name = std::string{row.name}, .value = row.of(copy)});
  }
  return named;
}

std::vector<MeasuredLaw> measured_laws(const SharingConstants& constants) {
  std::vector<MeasuredLaw> laws;
  for (const CalibratedLaw& law : constants.calibrated) {
    laws.push_back({.gpu = law.gpu,
                    .mode = std::string{name_of(law.mode)},
                    .gain = law.law.gain,
                    .own_exponent = law.law.own_exponent,
                    .others_exponent = law.law.others_exponent,
                    .sigma_slowdown = law.sigma_slowdown,
                    .pairs = law.pairs});
  }
  std::ranges::sort(laws, [](const MeasuredLaw& a, const MeasuredLaw& b) {
    return std::tie(a.gpu, a.mode) < std::tie(b.gpu, b.mode);
  });
  return laws;
}

const Model& shipped_model() {
  static const Model kModel = [] {
    auto model = make(shipped_file(), Missing::IsPrior);
    HORUS_CHECK(model.has_value(), "data/constants/shipped.json is tested with the program");
    return *std::move(model);
  }();
  return kModel;
}

}  // namespace horus::predict
