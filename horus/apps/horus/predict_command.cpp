// SPDX-License-Identifier: Apache-2.0
// horus predict: what a training job will do to a GPU, alone and shared.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "horus/apps/horus/command.hpp"
#include "horus/apps/horus/model_source.hpp"
#include "horus/apps/horus/number_option.hpp"
#include "horus/base/text.hpp"
#include "horus/domain/gpu.hpp"
#include "horus/predict/predict.hpp"
#include "horus/report/pages.hpp"
#include "horus/wire/reports.hpp"

namespace horus::apps {
namespace {

std::string gpu_list(report::Colour colour) {
  report::Table table{.columns = {{.title = "GPU", .align = report::Align::Left},
                                  {.title = "memory"},
                                  {.title = "FP32 TFLOPS"},
                                  {.title = "tensor TFLOPS"},
                                  {.title = "GB/s"},
                                  {.title = "SMs"},
                                  {.title = "year"},
                                  {.title = "source", .align = report::Align::Left}},
                      .rows = {}};
  for (const GpuSpec& gpu : gpu_catalogue()) {
    table.rows.push_back({{.text = gpu.name},
                          {.text = report::memory_text(gpu.memory)},
                          {.text = fmt::format("{:.1f}", gpu.fp32_flops / 1e12)},
                          {.text = fmt::format("{:.0f}", gpu.tensor_fp16_flops / 1e12)},
                          {.text = fmt::format("{:.0f}", gpu.bandwidth_bytes_per_s / 1e9)},
                          {.text = fmt::format("{}", gpu.sm_count)},
                          {.text = fmt::format("{}", gpu.year)},
                          {.text = gpu.source}});
  }
  return report::render(table, colour);
}

class PredictCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& parent) override {
    CLI::App* app = parent.add_subcommand(
        "predict", "Predict GPU utilization, memory and step time of training, without a GPU");
    app->add_option("model", model_, "ONNX file, or zoo:NAME for an architecture of 'horus zoo'");
    app->add_option("--gpu", gpus_, "GPU or GPUs, e.g. V100-16GB,A100-40GB")->delimiter(',');
    app->add_option("--batch", batch_, "Batch size; default: as in the file, 1 where it is open")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 30));
    app->add_option("--dim", dims_, "Size of a named dimension, NAME=VALUE; may be repeated")
        ->expected(1)
        ->take_all();
    app->add_option("--precision", precision_, "fp32, tf32, fp16, amp or bf16")
        ->capture_default_str();
    app->add_option("--optimizer", optimizer_, "none, sgd, momentum, adam or adamw")
        ->capture_default_str();
    app->add_option("--samples-per-second", samples_per_second_,
                    "What the input pipeline can deliver; default: never the bottleneck")
        ->check(number_between(1e-9, 1e12));
    app->add_option("--attention", attention_, "fused (flash attention) or eager")
        ->capture_default_str();
    app->add_option("--with", with_,
                    "Jobs that share the GPU; MODEL@BATCH gives one its own batch size");
    app->add_flag("--list-gpus", list_gpus_, "List the GPUs that Horus knows");
    app->add_flag("--json", json_, "Print JSON instead of tables");
    app->footer(
        "The numbers come from an analytical model of public specifications; they are not\n"
        "calibrated to a machine, and the 10 to 90 % intervals are wide.\n"
        "Examples:\n"
        "  horus predict resnet50.onnx --gpu V100-16GB,T4 --batch 32 --precision amp\n"
        "  horus predict zoo:resnet50 --gpu A100 --batch 32 --with zoo:bert-base@8");
    return app;
  }

  Result<Done> run(const Console& console) override {
    if (list_gpus_) return console.print(gpu_list(console.colour()));
    if (model_.empty() || gpus_.empty()) {
      return fail(Errc::InvalidArgument,
                  "expected a model and --gpu NAME, e.g. 'horus predict net.onnx --gpu V100-16GB'; "
                  "'horus predict --list-gpus' lists the GPUs");
    }
    HORUS_TRY(const std::vector<GpuSpec> gpus, find_gpus());
    HORUS_TRY(const std::vector<GraphFeatures> jobs, analyse_jobs());
    for (const GpuSpec& gpu : gpus) report_.predictions.push_back(predict_on(gpu, jobs));
    return console.print(json_ ? wire::to_json(report_) : report::page(report_, console.colour()));
  }

 private:
  Result<std::vector<GpuSpec>> find_gpus() {
    std::vector<GpuSpec> found;
    for (const std::string& name : gpus_) {
      auto choice = find_gpu(trim(name));
      if (!choice) return fail(Errc::InvalidArgument, choice.error().message, "--gpu");
      if (!choice->note.empty()) report_.warnings.push_back(choice->note);
      found.push_back(*choice->spec);
    }
    return found;
  }

  Result<std::vector<GraphFeatures>> analyse_jobs() {
    HORUS_TRY(report_.setup.precision, parse_precision(precision_));
    HORUS_TRY(report_.setup.optimizer, parse_optimizer(optimizer_));
    HORUS_TRY(report_.setup.attention, parse_attention(attention_));
    report_.setup.samples_per_second = samples_per_second_;
    graph::AnalysisOptions options{.batch = batch_, .dims = {}};
    HORUS_TRY(options.dims, parse_dims(dims_));
    std::vector<GraphFeatures> jobs;
    HORUS_TRY_DONE(add_job(jobs, model_, options));
    report_.batch = jobs.front().batch;
    for (const std::string& other : with_) {
      const SourceWithBatch source = split_batch(other);
      if (source.batch) options.batch = source.batch;
      HORUS_TRY_DONE(add_job(jobs, source.reference, options));
      options.batch = batch_;
    }
    return jobs;
  }

  Result<Done> add_job(std::vector<GraphFeatures>& jobs, const std::string& reference,
                       const graph::AnalysisOptions& options) {
    HORUS_TRY(graph::Analysis analysis, analyse_source(reference, options));
    for (const std::string& warning : analysis.warnings) {
      report_.warnings.push_back(reference + ": " + warning);
    }
    if (!analysis.gaps.empty()) {
      report_.warnings.push_back(
          fmt::format("{}: {} of {} nodes have no known cost; 'horus inspect' lists them",
                      reference, analysis.gaps.size(), analysis.nodes));
    }
    report_.jobs.push_back(
        with_.empty() ? reference : fmt::format("{}@{}", reference, analysis.features.batch));
    jobs.push_back(std::move(analysis.features));
    return Done{};
  }

  [[nodiscard]] wire::PredictionRow predict_on(const GpuSpec& gpu,
                                               const std::vector<GraphFeatures>& jobs) const {
    std::vector<Prediction> solo;
    for (const GraphFeatures& job : jobs) {
      solo.push_back(predict::predict(job, report_.setup, gpu));
    }
    wire::PredictionRow row{.prediction = solo.front()};
    if (solo.size() > 1) {
      predict::SharedPrediction shared = predict::predict_shared(solo, gpu);
      row.slowdowns = std::move(shared.slowdowns);
      row.shared_memory = shared.memory;
      row.fits_together = shared.fits;
      row.sharing_origin = shared.origin;
    }
    return row;
  }

  std::string model_;
  std::vector<std::string> gpus_;
  std::optional<std::int64_t> batch_;
  std::vector<std::string> dims_;
  std::string precision_{"fp32"};
  std::string optimizer_{"momentum"};
  std::string attention_{"eager"};
  std::optional<double> samples_per_second_;
  std::vector<std::string> with_;
  bool list_gpus_{false};
  bool json_{false};
  wire::PredictReport report_;
};

}  // namespace

std::unique_ptr<Command> make_predict_command() { return std::make_unique<PredictCommand>(); }

}  // namespace horus::apps
