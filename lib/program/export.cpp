#include <cstdio>

#include "core/system/new_file.h"
#include "core/system/print_lines.h"
#include "core/text.h"
#include "engine/state/pretrained.h"
#include "exports/onnx.h"
#include "exports/trace.h"
#include "exports/write_files.h"
#include "job/preprocess_record.h"
#include "job/weights_job.h"
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

} // namespace

int export_verb(const config::Arguments& arguments) {
  const std::string& output = arguments.exports.output;
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
