#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "checkpoint/manifest.h"
#include "core/check.h"
#include "core/text/print_lines.h"
#include "core/text/text.h"
#include "job/prepare/find_weights.h"
#include "program/torch_verbs.h"
#include "states/weights_files.h"
#include "weights/names/timm_names.h"

namespace vitrain::program {
namespace {

// The files as -pretrained would find them: without extension, timm:NAME; of a
// checkpoint or a run the weights that are trained.
std::vector<std::filesystem::path> resolved(
    const std::vector<std::string>& names) {
  std::vector<std::filesystem::path> paths;
  for (const std::string& name : names) {
    std::filesystem::path path = job::resolve_weights(name);
    if (job::is_checkpoint_path(path)) {
      path = job::find_checkpoint(path, /*best=*/true) / checkpoint::kModelFile;
    }
    paths.push_back(std::move(path));
  }
  return paths;
}

void show(
    const std::vector<std::string>& files,
    const states::WeightsChoice& choice) {
  for (const std::filesystem::path& path : resolved(files)) {
    std::fputs(states::describe_weights(path, choice).c_str(), stdout);
  }
}

int compare(
    const std::vector<std::string>& files,
    const states::WeightsChoice& choice) {
  const auto paths = resolved(files);
  const states::WeightsDifference difference =
      states::compare_weights(paths.at(0), paths.at(1), choice);
  for (const std::string& line : difference.lines) {
    std::printf("%s\n", line.c_str());
  }
  std::printf(
      "%s\n",
      fmt::format(
          "{} the same, {} not",
          counted(difference.same, "tensor"),
          with_commas(std::ssize(difference.lines)))
          .c_str());
  return difference.lines.empty() ? 0 : 1;
}

void write(
    const std::string& out,
    const states::TensorFile& file,
    const std::vector<std::string>& notes) {
  states::write_new_weights(out, file);
  print_lines(stdout, notes);
  std::printf(
      "%s: %s\n",
      printable(out).c_str(),
      counted(std::ssize(file.tensors), "tensor").c_str());
}

} // namespace

int weights(const config::Arguments& arguments) {
  const std::vector<std::string>& files = arguments.data.files;
  const states::WeightsChoice choice{
      .part = arguments.weights.part, .names = arguments.weights.names};
  VITRAIN_CHECK(
      vitrain::weights::is_program(choice.names),
      ExitCode::kUsage,
      "-names: '{}' is not one of {}",
      printable(choice.names),
      vitrain::weights::known_programs());
  switch (arguments.verb) {
    case config::Verb::kWeightsDiff:
      return compare(files, choice);
    case config::Verb::kWeightsConvert: {
      states::check_new_weights(files.at(1)); // before the work
      std::vector<std::string> notes;
      states::TensorFile file =
          states::read_weights(resolved({files.at(0)}).at(0), choice, notes);
      file.metadata.try_emplace("format", "pt"); // as transformers asks for
      write(files.at(1), file, notes);
      return 0;
    }
    case config::Verb::kWeightsAverage:
      states::check_new_weights(*arguments.data.out);
      write(
          *arguments.data.out,
          states::average_weights(resolved(files), choice),
          {});
      return 0;
    default:
      show(files, choice);
      return 0;
  }
}

} // namespace vitrain::program
