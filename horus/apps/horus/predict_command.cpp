// SPDX-License-Identifier: Apache-2.0
// horus predict: what a training job will do to a GPU, alone and shared.
#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "horus/apps/horus/command.hpp"
#include "horus/apps/horus/model_options.hpp"
#include "horus/apps/horus/model_source.hpp"
#include "horus/apps/horus/predictor_source.hpp"
#include "horus/apps/horus/setup_options.hpp"
#include "horus/apps/horus/sharing_options.hpp"
#include "horus/base/text.hpp"
#include "horus/domain/gpu.hpp"
#include "horus/predict/mig_partition.hpp"
#include "horus/predict/predict.hpp"
#include "horus/predict/sharing_choice.hpp"
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

/// One of the jobs on the GPU. All share the setup but the rate of their input.
struct Job {
  GraphFeatures features;
  TrainingSetup setup;
};

/// The rate of the input as it is typed with a model, or "".
std::string rate_text(const TrainingSetup& setup) {
  return setup.samples_per_second ? fmt::format(":{:g}", *setup.samples_per_second) : "";
}

/// A job on one GPU and, where a mode needs them, on its instances.
std::vector<predict::InstancePredictions> predict_jobs(const GpuSpec& gpu,
                                                       const std::vector<Job>& jobs,
                                                       const predict::Model& model,
                                                       const SharingRequest& request) {
  const bool on_instances =
      std::ranges::find(request.modes, SharingMode::Mig) != request.modes.end();
  std::vector<predict::InstancePredictions> out;
  for (const Job& job : jobs) {
    if (on_instances) {
      out.push_back(predict::predict_on_instances(job.features, job.setup, gpu, model));
    } else {
      out.push_back(
          {.whole = predict::predict(job.features, job.setup, gpu, model), .by_profile = {}});
    }
  }
  return out;
}

/// Modes of which a job alone notices nothing.
bool meets_others(SharingMode mode) {
  return mode == SharingMode::TimeSlice || mode == SharingMode::Mps;
}

SharedPrediction share(SharingMode mode, const std::vector<predict::InstancePredictions>& jobs,
                       const GpuSpec& gpu, const predict::Model& model,
                       const SharingRequest& request) {
  if (mode == SharingMode::Mig) {
    return jobs.size() > 1 ? predict::partition(jobs, gpu)
                           : predict::smallest_instance(jobs.front(), gpu, request.tolerance);
  }
  std::vector<Prediction> solo;
  for (const predict::InstancePredictions& job : jobs) solo.push_back(job.whole);
  return predict::predict_shared(
      solo, gpu, model,
      {.mode = mode, .interference = request.interference, .tolerance = request.tolerance});
}

class PredictCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& parent) override {
    CLI::App* app = parent.add_subcommand(
        "predict", "Predict GPU utilization, memory and step time of training, without a GPU");
    model_.declare_several(*app);
    app->add_option("--gpu", gpus_,
                    "GPU or GPUs, e.g. V100-16GB,A100-40GB, or an instance: \"A100-40GB MIG "
                    "3g.20gb\"")
        ->delimiter(',');
    setup_.declare(*app);
    app->add_option("--with", with_,
                    "More jobs that share the GPU; the same as naming several models");
    sharing_.declare(*app);
    predictor_.declare(*app);
    app->add_flag("--list-gpus", list_gpus_, "List the GPUs that Horus knows");
    app->add_flag("--json", json_, "Print JSON instead of tables");
    app->footer(
        "Several models are jobs that share the GPU: MODEL, MODEL@BATCH or\n"
        "MODEL@BATCH:SAMPLES_PER_SECOND. All other options hold for every job; with PyTorch 2,\n"
        "--attention fused is the usual case. Intervals are 10 to 90 %.\n"
        "Examples:\n"
        "  horus predict resnet50.onnx --gpu V100-16GB,T4 --batch 32 --precision amp\n"
        "  horus predict zoo:resnet50@32 zoo:bert-base@8 --gpu A100-80GB --mode all\n"
        "  horus predict zoo:alexnet --gpu T4 --batch 128 --samples-per-second 400 \\\n"
        "      --with zoo:pointnet@32:100 --json");
    return app;
  }

  Result<Done> run(const Console& console) override {
    if (list_gpus_) {
      HORUS_TRY_DONE(check_list());
      return console.print(json_ ? wire::to_json(gpu_catalogue()) : gpu_list(console.colour()));
    }
    if (model_.references().empty() || gpus_.empty()) {
      return fail(Errc::InvalidArgument,
                  "expected a model and --gpu NAME, e.g. 'horus predict net.onnx --gpu V100-16GB'; "
                  "'horus predict --list-gpus' lists the GPUs");
    }
    HORUS_TRY(const SharingRequest request, sharing_.request());
    HORUS_TRY(const predict::Model model, predictor_.model());
    HORUS_TRY(const std::vector<GpuSpec> gpus, find_gpus());
    HORUS_TRY(const std::vector<Job> jobs, analyse_jobs());
    for (const GpuSpec& gpu : gpus) {
      report_.predictions.push_back(predict_on(gpu, jobs, model, request));
      add_note(precision_note(gpu, report_.setup.precision));
    }
    return console.print(json_ ? wire::to_json(report_) : report::page(report_, console.colour()));
  }

 private:
  [[nodiscard]] Result<Done> check_list() const {
    const bool asks_more = !model_.references().empty() || !gpus_.empty() || !with_.empty() ||
                           setup_.has_rate() || sharing_.has_mode();
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

  Result<std::vector<Job>> analyse_jobs() {
    HORUS_TRY(report_.setup, setup_.setup());
    HORUS_TRY(const graph::AnalysisOptions options, model_.analysis_options());
    HORUS_TRY(std::vector<JobSource> sources, job_sources(options));
    std::vector<Job> jobs;
    for (const JobSource& source : sources) HORUS_TRY_DONE(add_job(jobs, source, options.dims));
    name_jobs(sources, jobs);
    report_.batch = jobs.front().features.batch;
    report_.setup.samples_per_second = jobs.front().setup.samples_per_second;
    return jobs;
  }

  /// The jobs in order. What is typed with each wins over --batch and --samples-per-second, and the
  /// latter is that of the first job.
  Result<std::vector<JobSource>> job_sources(const graph::AnalysisOptions& options) const {
    const std::vector<std::string>& references = model_.references();
    // A file whose name only looks as if it had a batch is still a file.
    auto first = parse_job_source(references.front());
    std::vector<JobSource> sources{first ? *first : JobSource{.reference = references.front()}};
    if (!sources.front().samples_per_second) {
      sources.front().samples_per_second = report_.setup.samples_per_second;
    }
    std::vector<std::string> others(references.begin() + 1, references.end());
    others.insert(others.end(), with_.begin(), with_.end());
    for (const std::string& other : others) {
      HORUS_TRY(JobSource source, parse_job_source(other));
      sources.push_back(std::move(source));
    }
    for (JobSource& source : sources) {
      if (!source.batch) source.batch = options.batch;
    }
    return sources;
  }

  void name_jobs(const std::vector<JobSource>& sources, const std::vector<Job>& jobs) {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      report_.jobs.push_back(jobs.size() == 1
                                 ? sources[i].reference
                                 : fmt::format("{}@{}{}", sources[i].reference,
                                               jobs[i].features.batch, rate_text(jobs[i].setup)));
    }
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

  [[nodiscard]] wire::PredictionRow predict_on(const GpuSpec& gpu, const std::vector<Job>& jobs,
                                               const predict::Model& model,
                                               const SharingRequest& request) const {
    const bool shares = jobs.size() > 1 || sharing_.has_mode();
    const auto predicted = predict_jobs(gpu, jobs, model, request);
    wire::PredictionRow row{
        .prediction = predicted.front().whole, .others = {}, .modes = {}, .advice = {}};
    for (std::size_t i = 1; i < predicted.size(); ++i) row.others.push_back(predicted[i].whole);
    if (!shares) return row;
    for (const SharingMode mode : request.modes) {
      if (request.wants_advice && jobs.size() == 1 && meets_others(mode)) continue;
      row.modes.push_back(share(mode, predicted, gpu, model, request));
    }
    if (request.wants_advice) {
      predict::Recommendation best = predict::recommend(row.modes, request.tolerance);
      row.advice = wire::ModeAdvice{best.mode, std::move(best.reason)};
    }
    return row;
  }

  ModelOptions model_;
  SetupOptions setup_;
  SharingOptions sharing_;
  PredictorOption predictor_;
  std::vector<std::string> gpus_;
  std::vector<std::string> with_;
  bool list_gpus_{false};
  bool json_{false};
  wire::PredictReport report_;
};

}  // namespace

std::unique_ptr<Command> make_predict_command() { return std::make_unique<PredictCommand>(); }

}  // namespace horus::apps
