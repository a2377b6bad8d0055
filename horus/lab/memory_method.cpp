// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/memory_method.hpp"

#include <utility>

#include "horus/lab/memory_fit.hpp"
#include "horus/predict/site.hpp"

namespace horus::lab {
namespace {

Guess guess_of(const Sample& sample, const predict::MemoryConstants& constants) {
  Guess guess;
  guess.memory = predict::memory_interval(sample.parts, 0, constants);
  return guess;
}

class FittedMemory : public Fitted {
 public:
  explicit FittedMemory(MemoryFit fit) : fit_{std::move(fit)} {}
  [[nodiscard]] Guess guess(const Sample& sample) const override {
    return guess_of(sample, fit_.at(sample.row->gpu, sample.row->framework));
  }
  [[nodiscard]] const MemoryFit& fit() const { return fit_; }

 private:
  MemoryFit fit_;
};

class MemoryAsIs : public Fitted {
 public:
  explicit MemoryAsIs(const predict::Model& model) : model_{model} {}
  [[nodiscard]] Guess guess(const Sample& sample) const override {
    const auto sites = predict::sites_of(model_.sites, sample.row->host, sample.row->framework);
    const predict::SiteFactors factors = predict::factors_on(sites, sample.row->gpu);
    return guess_of(sample, predict::at_site(model_.constants.memory, factors));
  }

 private:
  const predict::Model& model_;
};

class MemoryMethod : public Method {
 public:
  [[nodiscard]] std::unique_ptr<Fitted> fit(const Training& training) const override {
    const auto* nearby = dynamic_cast<const FittedMemory*>(training.nearby);
    return std::make_unique<FittedMemory>(fit_memory(training.pool, {}, MemoryMoves::Everything,
                                                     nearby == nullptr ? nullptr : &nearby->fit()));
  }
  [[nodiscard]] std::unique_ptr<Fitted> as_is(const predict::Model& model) const override {
    return std::make_unique<MemoryAsIs>(model);
  }
};

}  // namespace

std::unique_ptr<Method> memory_method() { return std::make_unique<MemoryMethod>(); }

}  // namespace horus::lab
