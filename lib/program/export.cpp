#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "checkpoint/manifest.h"
#include "checkpoint/published_config.h"
#include "config/load/preprocess_values.h"
#include "core/check.h"
#include "core/system/files.h"
#include "core/system/new_file.h"
#include "core/system/print_lines.h"
#include "core/text.h"
#include "engine/state/pretrained.h"
#include "exports/onnx.h"
#include "exports/trace.h"
#include "exports/write_files.h"
#include "job/preprocess_record.h"
#include "job/weights_job.h"
#include "models/changed_numbers.h"
#include "models/families/family.h"
#include "models/families/vit.h"
#include "networks/uninitialized_model.h"
#include "program/torch_verbs.h"
#include "weights/format_name.h"

namespace vitrain::program {
namespace {

exports::Description describe(const job::WeightsJob& job) {
  const config::PreprocessConfig& preprocess = job.recipe.data.preprocess;
  std::vector<std::string> numbers; // names for classes that have none
  for (std::int64_t i = 0; i < job.spec.num_classes; ++i) {
    numbers.push_back(std::to_string(i));
  }
  return {
      .spec = job.spec,
      .classes = job.classes,
      .range = preprocess.range,
      .mean = preprocess.mean,
      .std = preprocess.std,
      .interpolation = name_of(preprocess.interpolation),
      .crop_mode = name_of(preprocess.crop_mode),
      .crop_pct = preprocess.crop_pct,
      .resize = preprocess.resize,
      .record = job::preprocess_record(
          job.recipe,
          job.spec,
          job.classes.empty() ? numbers : job.classes,
          job.labels)};
}

exports::OnnxNames onnx_names(const config::ExportArguments& arguments) {
  exports::OnnxNames names;
  if (arguments.names) {
    names.input = (*arguments.names)[0];
    names.output = (*arguments.names)[1];
  }
  return names;
}

void check_output(const std::string& output, config::ExportFormat format) {
  using enum weights::FileFormat;
  switch (format) {
    case config::ExportFormat::kSafetensors:
      weights::check_name(output, kSafetensors);
      break;
    case config::ExportFormat::kTorchScript:
      weights::check_name(output, kTorchScript);
      break;
    case config::ExportFormat::kOnnx:
      weights::check_name(output, kOnnx);
      break;
  }
  check_is_new(output);
}

// Writes timm's config.json next to the weights. Throws Error(kUsage) if the
// network has numbers that timm's does not have.
void write_timm_config(
    const std::filesystem::path& path,
    const job::WeightsJob& job) {
  const std::vector<std::string> changed =
      models::changed_numbers(job.recipe.model);
  VITRAIN_CHECK(
      changed.empty(),
      ExitCode::kUsage,
      "-output {}: timm has no network {} with {}: name a file instead of a "
      "folder",
      printable(path.parent_path().native()),
      job.spec.name,
      join(changed, ", "));
  checkpoint::PublishedConfig published{
      .architecture = job.spec.name,
      .keys = config::preprocess_values(job.recipe),
      .num_classes = job.spec.num_classes,
      .classes = job.classes};
  published.keys["model.image_size"] = job.spec.image_size.height;
  if (job.spec.image_size.height != job.spec.image_size.width) {
    published.keys["model.image_size"] = {
        job.spec.image_size.height, job.spec.image_size.width};
  }
  const bool fixed_size = !job.spec.family->any_image_size ||
      job.spec.family == &models::kVit || job.spec.family == &models::kDeit;
  const std::string text =
      checkpoint::timm_config(published, job.spec.channels, fixed_size)
          .dump(2) +
      "\n";
  write_new_file(
      path, [&](int fd) { return write_all(fd, text.data(), text.size()); });
}

} // namespace

int export_verb(const config::Arguments& arguments) {
  std::string output = arguments.exports.output;
  std::error_code error;
  const bool folder =
      arguments.exports.format == config::ExportFormat::kSafetensors &&
      (output.ends_with('/') || std::filesystem::is_directory(output, error));
  const std::filesystem::path timms =
      std::filesystem::path(output) / "config.json";
  if (folder) {
    output = (std::filesystem::path(output) / checkpoint::kModelFile).native();
    check_is_new(timms);
  }
  check_output(output, arguments.exports.format); // before the long work
  const job::WeightsJob job =
      job::prepare_weights(arguments.load_request(), "to export");
  if (!job.recipe_file.empty()) {
    std::printf("the recipe is %s\n", job.recipe_file.c_str());
  }
  print_lines(stdout, job.notes);
  const auto model = networks::make_uninitialized_model(job.spec);
  print_lines(
      stdout,
      engine::load_pretrained(
          *model,
          job.spec,
          job.recipe.model,
          engine::PretrainedUse::kEvaluate));
  const exports::Description description = describe(job);
  if (folder) {
    make_folders(timms.parent_path());
    write_timm_config(timms, job);
  }
  if (arguments.exports.format == config::ExportFormat::kSafetensors) {
    exports::write_safetensors_file(output, *model, description);
  } else if (arguments.exports.format == config::ExportFormat::kTorchScript) {
    const torch::jit::Module module = exports::trace(*model, job.spec);
    exports::check_same_outputs(*model, module, job.spec);
    exports::write_torchscript(output, module, description);
  } else {
    exports::record_onnx(*model, description, onnx_names(arguments.exports))
        .write(output);
  }
  std::printf(
      "%s: %s as %s\n",
      printable(output).c_str(),
      job.spec.name.c_str(),
      name_of(arguments.exports.format).c_str());
  return 0;
}

} // namespace vitrain::program
