// SPDX-License-Identifier: Apache-2.0
// horus predict: what a training job will do to a GPU, alone and shared.
#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "horus/apps/horus/command.hpp"
#include "horus/apps/horus/model_options.hpp"
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

/// What a precision comes down to on a GPU without units for it, or "".
std::string precision_note(const GpuSpec& gpu, Precision precision) {
  if (precision == Precision::Tf32 && gpu.tf32_flops == 0.0) {
    return gpu.name + " has no TF32 units: fp32 is assumed";
  }
  if (precision == Precision::Bf16 && gpu.bf16_flops == 0.0) {
    return gpu.name + " has no BF16 units: emulation is assumed, at half the FP32 rate";
  }
  const bool is_half = precision == Precision::Amp || precision == Precision::Fp16;
  if (is_half && gpu.tensor_fp16_flops == 0.0) {
    return gpu.name + " has no tensor cores: half precision saves memory, hardly time";
  }
  return {};
}

bool has_attention(const GraphFeatures& features) {
  return std::ranges::any_of(features.ops,
                             [](const OpWork& op) { return op.attention != AttentionRole::None; });
}

class PredictCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& parent) override {
    CLI::App* app = parent.add_subcommand(
        "predict", "Predict GPU utilization, memory and step time of training, without a GPU");
    model_.declare(*app);
    app->add_option("--gpu", gpus_, "GPU or GPUs, e.g. V100-16GB,A100-40GB")->delimiter(',');
    app->add_option("--precision", precision_, "fp32, tf32, fp16, amp or bf16")
        ->capture_default_str();
    app->add_option("--optimizer", optimizer_, "none, sgd, momentum, adam or adamw")
        ->capture_default_str();
    app->add_option("--samples-per-second", samples_per_second_,
                    "What the input pipeline can deliver; default: never the bottleneck")
        ->check(number_between(1e-9, 1e12));
    app->add_option("--attention", attention_, "fused (flash attention) or eager")
        ->capture_default_str();
    app->add_option(
        "--with", with_,
        "Jobs that share the GPU: MODEL, MODEL@BATCH or MODEL@BATCH:SAMPLES_PER_SECOND");
    app->add_flag("--list-gpus", list_gpus_, "List the GPUs that Horus knows");
    app->add_flag("--json", json_, "Print JSON instead of tables");
    app->footer(
        "The numbers come from an analytical model of public specifications; they are not\n"
        "calibrated to a machine, and the 10 to 90 % intervals are wide. Precision, optimizer and\n"
        "attention hold for all jobs; with PyTorch 2, --attention fused is the usual case.\n"
        "Examples:\n"
        "  horus predict resnet50.onnx --gpu V100-16GB,T4 --batch 32 --precision amp\n"
        "  horus predict zoo:resnet50 --gpu A100 --batch 32 --with zoo:bert-base@8\n"
        "  horus predict zoo:alexnet --gpu T4 --batch 128 --samples-per-second 400 \\\n"
        "      --with zoo:pointnet@32:100 --json");
    return app;
  }

  Result<Done> run(const Console& console) override {
    if (list_gpus_) {
      HORUS_TRY_DONE(check_list());
      return console.print(json_ ? wire::to_json(gpu_catalogue()) : gpu_list(console.colour()));
    }
    if (model_.reference().empty() || gpus_.empty()) {
      return fail(Errc::InvalidArgument,
                  "expected a model and --gpu NAME, e.g. 'horus predict net.onnx --gpu V100-16GB'; "
                  "'horus predict --list-gpus' lists the GPUs");
    }
    HORUS_TRY(const std::vector<GpuSpec> gpus, find_gpus());
    HORUS_TRY(const std::vector<Job> jobs, analyse_jobs());
    for (const GpuSpec& gpu : gpus) {
      report_.predictions.push_back(predict_on(gpu, jobs));
      add_note(precision_note(gpu, report_.setup.precision));
    }
    return console.print(json_ ? wire::to_json(report_) : report::page(report_, console.colour()));
  }

 private:
  [[nodiscard]] Result<Done> check_list() const {
    const bool asks_more = !model_.reference().empty() || !gpus_.empty() || !with_.empty() ||
                           samples_per_second_.has_value();
    if (!asks_more) return Done{};
    return fail(Errc::InvalidArgument, "--list-gpus lists GPUs and predicts nothing: leave it out",
                "--list-gpus");
  }

  Result<std::vector<GpuSpec>> find_gpus() {
    std::vector<GpuSpec> found;
    for (const std::string& name : gpus_) {
      auto choice = find_gpu(trim(name));
      if (!choice) return fail(Errc::InvalidArgument, choice.error().message, "--gpu");
      if (!choice->note.empty()) report_.warnings.push_back(choice->note);
      const std::string& known = choice->spec->name;
      if (std::ranges::find(found, known, &GpuSpec::name) != found.end()) {
        return fail(Errc::InvalidArgument, known + " is given twice", "--gpu");
      }
      found.push_back(*choice->spec);
    }
    return found;
  }

  /// One of the jobs on the GPU. All share precision, optimizer and attention; each has its input.
  struct Job {
    GraphFeatures features;
    TrainingSetup setup;
  };

  Result<std::vector<Job>> analyse_jobs() {
    HORUS_TRY(report_.setup.precision, parse_precision(precision_));
    HORUS_TRY(report_.setup.optimizer, parse_optimizer(optimizer_));
    HORUS_TRY(report_.setup.attention, parse_attention(attention_));
    report_.setup.samples_per_second = samples_per_second_;
    HORUS_TRY(const graph::AnalysisOptions options, model_.analysis_options());
    std::vector<Job> jobs;
    HORUS_TRY_DONE(
        add_job(jobs, {model_.reference(), options.batch, samples_per_second_}, options.dims));
    report_.batch = jobs.front().features.batch;
    for (const std::string& other : with_) {
      HORUS_TRY(JobSource source, parse_job_source(other));
      if (!source.batch) source.batch = options.batch;
      HORUS_TRY_DONE(add_job(jobs, source, options.dims));
    }
    return jobs;
  }

  Result<Done> add_job(std::vector<Job>& jobs, const JobSource& source,
                       const std::map<std::string, std::int64_t>& dims) {
    const std::string& reference = source.reference;
    HORUS_TRY(graph::Analysis analysis,
              analyse_source(reference, {.batch = source.batch, .dims = dims}));
    for (const std::string& warning : analysis.warnings) add_note(reference + ": " + warning);
    report_.nodes += analysis.nodes;
    report_.nodes_without_cost += static_cast<std::int64_t>(analysis.gaps.size());
    HORUS_TRY_DONE(check_gaps(reference, analysis));
    if (report_.setup.attention == Attention::Eager && has_attention(analysis.features)) {
      add_note(reference +
               ": attention is taken as eager; frameworks that fuse it need less memory: "
               "--attention fused");
    }
    report_.jobs.push_back(
        with_.empty() ? reference : fmt::format("{}@{}", reference, analysis.features.batch));
    TrainingSetup setup = report_.setup;
    setup.samples_per_second = source.samples_per_second;
    jobs.push_back({.features = std::move(analysis.features), .setup = setup});
    return Done{};
  }

  /// What could not be costed is said; where nothing could be, there is nothing to predict from.
  Result<Done> check_gaps(const std::string& reference, const graph::Analysis& analysis) {
    if (analysis.gaps.empty()) return Done{};
    const graph::CostGap& first = analysis.gaps.front();
    const std::string text = fmt::format(
        "{} of {} nodes have no known cost, the first: {} ({}): {}", analysis.gaps.size(),
        analysis.nodes, printable(first.node), printable(first.op_type), first.reason);
    if (analysis.features.ops.empty()) return fail(Errc::Unsupported, text, reference);
    report_.warnings.push_back(reference + ": the prediction is too low, since " + text);
    return Done{};
  }

  void add_note(std::string note) {
    if (note.empty() || std::ranges::find(report_.warnings, note) != report_.warnings.end()) return;
    report_.warnings.push_back(std::move(note));
  }

  [[nodiscard]] static wire::PredictionRow predict_on(const GpuSpec& gpu,
                                                      const std::vector<Job>& jobs) {
    std::vector<Prediction> solo;
    for (const Job& job : jobs) {
      solo.push_back(predict::predict(job.features, job.setup, gpu));
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

  ModelOptions model_;
  std::vector<std::string> gpus_;
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
