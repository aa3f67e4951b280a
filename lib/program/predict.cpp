#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/check.h"
#include "core/system/cuda_plugin.h"
#include "core/system/files.h"
#include "core/system/print_lines.h"
#include "core/text.h"
#include "data/image_inputs.h"
#include "data/load/image_rows.h"
#include "data/load/row_picture.h"
#include "data/load/tolerant_rows.h"
#include "engine/device/cpu_setup.h"
#include "engine/device/pinned_slots.h"
#include "engine/eval/predictor.h"
#include "engine/state/pretrained.h"
#include "image/formats/png_write.h"
#include "job/data_options.h"
#include "job/display_names.h"
#include "job/precision.h"
#include "job/resolve_devices.h"
#include "job/weights_job.h"
#include "launch/devices/cores.h"
#include "launch/processes/environment.h"
#include "models/families/family.h"
#include "networks/uninitialized_model.h"
#include "program/torch_verbs.h"
#include "results/feature_file.h"
#include "results/output_file.h"
#include "results/prediction_output.h"
#include "results/prediction_sheet.h"

namespace vitrain::program {
namespace {

// Reads standard input, which has names of images. Returns the number of bytes;
// 0 at the end.
std::size_t read_standard_input(std::span<char> into) {
  ssize_t got = 0;
  do {
    got = ::read(STDIN_FILENO, into.data(), into.size());
  } while (got < 0 && errno == EINTR);
  VITRAIN_CHECK_DATA(got >= 0, "standard input: {}", error_text(errno));
  return static_cast<std::size_t>(got);
}

// Keeps freed tensor memory in the process for the next batch, as the
// environment of workers does (launch/processes/environment.cpp).
void keep_memory() {
  ::mallopt(M_MMAP_MAX, 0);
  ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  ::mallopt(M_TOP_PAD, 64 << 20);
}

// Devices of the network, and the degree of parallelism.
struct DevicePlan {
  std::vector<c10::Device> devices;
  int threads = 1; // threads that decode images
  int lanes = 1; // batches that a device computes in parallel
  std::int64_t batch = 1;
  const CudaPlugin* cuda = nullptr;
  job::Processors processors;
};

// Chooses devices and batch size. On the CPU, each core computes a batch of its
// own; small batches keep all cores busy until the end.
DevicePlan plan_devices(
    const config::Arguments& arguments,
    const config::DevicesConfig& asked) {
  const int cores = launch::available_cores();
  const auto slots = launch::choose_devices(
      job::device_request(asked), launch::visible_cuda_devices(), cores);
  DevicePlan plan;
  plan.processors = job::processors_of(slots);
  if (slots.front().kind == DeviceKind::kCpu) {
    const auto workers = static_cast<int>(slots.size());
    const int threads =
        launch::worker_threads(launch::current_environment(), cores, workers);
    plan.devices = {c10::kCPU};
    // More lanes than cores would only wait for each other.
    plan.lanes = static_cast<int>(
        std::min<std::int64_t>(std::int64_t{workers} * threads, cores));
    plan.threads = plan.lanes;
    plan.batch = arguments.predict.batch.value_or(8);
    return plan;
  }
  plan.cuda = &load_cuda_plugin(); // must precede the first torch call
  for (const launch::DeviceSlot& slot : slots) {
    plan.devices.emplace_back(
        c10::kCUDA, static_cast<c10::DeviceIndex>(slot.ordinal));
  }
  plan.threads = cores;
  plan.lanes = 2; // one batch is uploaded while the other is computed
  plan.batch = arguments.predict.batch.value_or(64);
  return plan;
}

// Returns the recipe's devices if the user gave devices or a file with -cfg,
// otherwise the defaults: the recipe that comes with weights is of a run that
// may have had other devices.
config::DevicesConfig devices_of(
    const config::Arguments& arguments,
    const config::Recipe& recipe) {
  const bool asked = std::ranges::any_of(
      arguments.overrides,
      [](const auto& one) { return one.key.starts_with("devices."); });
  return asked || arguments.cfg ? recipe.devices : config::DevicesConfig();
}

void check_sheet_name(const std::optional<std::string>& file) {
  VITRAIN_CHECK(
      !file || file->ends_with(".png"),
      ExitCode::kUsage,
      "-sheet {}: a sheet is a PNG file; give a name that ends in .png",
      printable(*file));
}

// Throws if `file` is one of the input images or contains some of them, under
// any name.
void check_no_input(
    const char* option,
    const std::string& file,
    std::span<const std::string> inputs,
    const data::Index& images) {
  const auto replaced = results::replaced_file(file);
  if (!replaced) {
    return;
  }
  std::error_code error;
  const auto is_it = [&](const std::filesystem::path& other) {
    return std::filesystem::equivalent(other, *replaced, error);
  };
  bool is_input = std::ranges::any_of(inputs, [&](const std::string& name) {
    return is_it(name) || (name.starts_with('@') && is_it(name.substr(1)));
  });
  for (std::int64_t i = 0; i < images.size() && !is_input; ++i) {
    is_input = is_it(images.name(i));
  }
  VITRAIN_CHECK(
      !is_input,
      ExitCode::kUsage,
      "{} {}: that is one of the images, or has some, and would be replaced; "
      "give another name",
      option,
      printable(file));
}

// Throws if writing a table would destroy another file. Tables are recognised
// by their beginning (`is_one`). If the user forgets the file name after an
// option, the option takes the next image as its file.
void check_table(
    const char* option,
    const std::optional<std::string>& file,
    std::span<const std::string> inputs,
    const data::Index& images,
    bool (*is_one)(std::string_view start)) {
  if (!file) {
    return;
  }
  VITRAIN_CHECK(
      !data::is_image_name(*file),
      ExitCode::kUsage,
      "{} {}: that is the name of an image; give the name of the table",
      option,
      printable(*file));
  check_no_input(option, *file, inputs, images);
  results::check_replaceable(option, *file, "such a table", is_one);
}

// Throws if writing a contact sheet would destroy another file.
void check_sheet(
    const std::optional<std::string>& file,
    std::span<const std::string> inputs,
    const data::Index& images) {
  if (file) {
    check_no_input("-sheet", *file, inputs, images);
    results::check_replaceable(
        "-sheet", *file, results::kDrawn, image::is_drawn_png);
  }
}

// An option and the file that it names; nullopt if it was not given.
using NamedOutput = std::pair<const char*, std::optional<std::string>>;

void check_differ(const NamedOutput& one, const NamedOutput& other) {
  VITRAIN_CHECK(
      !one.second || !other.second ||
          !results::is_same_output(*one.second, *other.second),
      ExitCode::kUsage,
      "{} and {} {}: give them different names",
      one.first,
      other.first,
      printable(*one.second));
}

void check_outputs(
    const config::Arguments& arguments,
    const data::Index& images) {
  const config::PredictArguments& outputs = arguments.predict;
  const std::vector<std::string>& inputs = arguments.data.files;
  std::vector<NamedOutput> others;
  for (NamedOutput one :
       {NamedOutput{"-csv", outputs.csv},
        {"-jsonl", outputs.jsonl},
        {"-features", outputs.features},
        {"-sheet", outputs.sheet}}) {
    for (const NamedOutput& other : others) {
      check_differ(other, one);
    }
    others.push_back(std::move(one));
  }
  check_table(
      "-features", outputs.features, inputs, images, results::is_features);
  check_table("-csv", outputs.csv, inputs, images, results::is_predictions_csv);
  check_table(
      "-jsonl", outputs.jsonl, inputs, images, results::is_predictions_jsonl);
  check_sheet(outputs.sheet, inputs, images);
}

void check_classifies(const job::WeightsJob& job) {
  VITRAIN_CHECK(
      job.spec.features == 0 && config::has_classes(job.recipe.train.loss) &&
          !job.spec.family->learns_pixels && job.spec.num_classes > 0,
      ExitCode::kUsage,
      "predict: {} is no classifier of images",
      job.spec.name);
}

job::WeightsJob prepare(const config::Arguments& arguments) {
  check_sheet_name(arguments.predict.sheet);
  job::WeightsJob job =
      job::prepare_weights(arguments.load_request(), "to predict with");
  check_classifies(job);
  VITRAIN_CHECK(
      !arguments.predict.features || !job.spec.family->has_conv_classifier,
      ExitCode::kUsage,
      "-features: {} has no linear classifier",
      job.spec.name);
  print_lines(stderr, job.notes);
  return job;
}

std::shared_ptr<networks::Model> load_model(const job::WeightsJob& job) {
  auto model = networks::make_uninitialized_model(job.spec);
  const std::vector<std::string> lines = engine::load_pretrained(
      *model, job.spec, job.recipe.model, engine::PretrainedUse::kEvaluate);
  // Omits the first line, which says that weights were loaded.
  print_lines(stderr, std::span(lines).subspan(1));
  return model;
}

std::vector<std::string> class_names(
    const job::WeightsJob& job,
    const std::optional<std::string>& file) {
  return file ? job::display_names(job.classes, job.spec.num_classes, *file)
              : job::display_names(job.classes, job.spec.num_classes);
}

void write_sheet(
    results::OutputFile& file,
    std::vector<results::PicturedPrediction>& shown,
    const std::vector<std::string>& classes,
    const data::Rows& rows,
    const models::ModelSpec& spec) {
  const image::Size size{
      static_cast<int>(spec.image_size.width),
      static_cast<int>(spec.image_size.height)};
  for (std::size_t i = 0; i < shown.size(); ++i) {
    shown[i].picture = data::picture_of(
        rows, static_cast<std::int64_t>(i), size, spec.channels);
  }
  file.write(image::encode_png(
      results::draw_predictions(shown, classes, size, rows.index().size())));
  file.finish();
}

// Prints how many images had values clipped, and the name of the first one.
void print_clipped(const data::TolerantRows& rows) {
  const std::set<std::int64_t> clipped = rows.clipped();
  if (!clipped.empty()) {
    fmt::print(
        stderr,
        "warning: {} of {} images have values outside 0 to 255, which are "
        "clipped to black and white, as {}; try: -set "
        "data.preprocess.range='[0, 65535]' for 16 bits\n",
        with_commas(std::ssize(clipped)),
        with_commas(rows.index().size()),
        rows.describe(*clipped.begin()));
  }
}

// Returns the batch size that divides the images into the fewest batches of at
// most `most`, of nearly equal size.
std::int64_t batch_size(std::int64_t images, std::int64_t most) {
  const std::int64_t batches = (images + most - 1) / most;
  return (images + batches - 1) / batches;
}

engine::Predictor make_predictor(
    const config::Arguments& arguments,
    const job::WeightsJob& job,
    std::int64_t images,
    std::int64_t top) {
  keep_memory();
  engine::set_up_mkl(job.recipe.train.mkl);
  const DevicePlan plan =
      plan_devices(arguments, devices_of(arguments, job.recipe));
  const job::PrecisionChoice precision =
      job::resolve_eval_precision(job.recipe, plan.processors);
  return {
      load_model(job),
      job.spec,
      job.recipe,
      plan.devices,
      {.batch = batch_size(images, plan.batch),
       .top = top,
       .threads = plan.threads,
       .lanes = plan.lanes,
       .multi_label = job.multi_label,
       .features = arguments.predict.features.has_value(),
       .precision = precision.precision,
       .allocate = engine::slot_allocator(plan.cuda, "-batch_size")}};
}

} // namespace

int predict(const config::Arguments& arguments) {
  const job::WeightsJob job = prepare(arguments);
  const std::vector<std::string> classes =
      class_names(job, arguments.predict.classes);
  const auto images =
      data::image_inputs(arguments.data.files, &read_standard_input);
  print_lines(stderr, images->index().notes());
  check_outputs(arguments, images->index());
  const std::int64_t top =
      std::min(arguments.predict.top, job.spec.num_classes);
  results::PredictionOutput output(
      {.csv = arguments.predict.csv,
       .jsonl = arguments.predict.jsonl,
       .features = arguments.predict.features,
       .classes = classes,
       .top = top,
       .images = images->size(),
       .path = [&](std::int64_t image) {
         return std::string_view(images->index().name(image));
       }});
  // Open the files first, so that an unwritable one is reported before the
  // work.
  std::optional<results::OutputFile> sheet;
  if (arguments.predict.sheet) {
    sheet.emplace(*arguments.predict.sheet);
  }
  const engine::Predictor predictor =
      make_predictor(arguments, job, images->size(), top);
  const data::ImageRows rows(
      images, job::transform_options(job.recipe, job.spec, /*train=*/false));
  const data::TolerantRows tolerant(
      rows,
      job::bad_sample_policy(job.recipe, /*train=*/false).reject_warnings);
  std::vector<results::PicturedPrediction> shown;
  predictor.run(tolerant, [&](std::int64_t first, const auto& predictions) {
    output.add(predictions);
    for (const results::Prediction& prediction : predictions) {
      if (sheet && first < results::kMostPictured) {
        shown.push_back(
            {.path = rows.describe(first++), .prediction = prediction});
      }
    }
  });
  output.finish();
  print_clipped(tolerant);
  std::vector<std::string> others;
  if (sheet) {
    write_sheet(*sheet, shown, classes, rows, job.spec);
    others.push_back(printable(*arguments.predict.sheet));
  }
  output.report(others);
  return static_cast<int>(
      output.problems() == 0 ? ExitCode::kDone : ExitCode::kData);
}

} // namespace vitrain::program
