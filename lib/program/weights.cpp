#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "checkpoint/find.h"
#include "checkpoint/manifest.h"
#include "core/check.h"
#include "core/system/print_lines.h"
#include "core/text.h"
#include "job/checkpoint_weights.h"
#include "job/find_weights.h"
#include "program/torch_verbs.h"
#include "states/weights_files.h"
#include "weights/names/timm_names.h"

namespace vitrain::program {
namespace {

// Weight files and how to read them.
struct Found {
  std::vector<std::filesystem::path> paths;
  states::WeightsChoice choice;
};

// Returns the file to read; for a checkpoint or run, the file of the averaged
// weights if there are any, or of the part `part`. Verifies it if there is a
// manifest.
std::filesystem::path resolved(
    const std::filesystem::path& path,
    const std::string& part) {
  if (job::is_checkpoint_path(path)) {
    const auto checkpoint = job::find_checkpoint(path, /*best=*/true);
    return job::weights_in(checkpoint, part, "-part").file;
  }
  checkpoint::verify_named(path);
  return path;
}

// Resolves names as -pretrained does: also without extension, and timm:NAME.
// `choice.part` is the value of -part: a part of a checkpoint or file.
Found find(
    const std::vector<std::string>& names,
    states::WeightsChoice choice) {
  Found found;
  std::ptrdiff_t checkpoints = 0;
  for (const std::string& name : names) {
    const std::filesystem::path path = job::resolve_weights(name);
    checkpoints += job::is_checkpoint_path(path) ? 1 : 0;
    found.paths.push_back(resolved(path, choice.part));
  }
  VITRAIN_CHECK(
      choice.part.empty() || checkpoints == 0 ||
          checkpoints == std::ssize(names),
      ExitCode::kUsage,
      "-part: it would choose of a checkpoint and in a file at once: name the "
      "checkpoint's file itself, as {}",
      printable(fmt::format("STEP/{}", checkpoint::kEmaFile)));
  if (checkpoints > 0) {
    choice.part.clear(); // the file has only that part
  }
  found.choice = std::move(choice);
  return found;
}

void show(
    const std::vector<std::string>& files,
    const states::WeightsChoice& choice) {
  const Found found = find(files, choice);
  for (const std::filesystem::path& path : found.paths) {
    std::fputs(states::describe_weights(path, found.choice).c_str(), stdout);
  }
}

int compare(
    const std::vector<std::string>& files,
    const states::WeightsChoice& choice) {
  const Found found = find(files, choice);
  const states::WeightsDifference difference = states::compare_weights(
      found.paths.at(0), found.paths.at(1), found.choice);
  print_lines(stderr, difference.notes);
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

void convert(
    const std::string& from,
    const std::string& to,
    const states::WeightsChoice& choice) {
  states::check_new_weights(to); // before the long work
  const Found found = find({from}, choice);
  std::vector<std::string> notes;
  states::TensorFile file =
      states::read_weights(found.paths.at(0), found.choice, notes);
  file.metadata.try_emplace("format", "pt"); // required by transformers
  write(to, file, notes);
}

void average(
    const std::vector<std::string>& files,
    const std::string& out,
    const states::WeightsChoice& choice) {
  states::check_new_weights(out);
  const Found found = find(files, choice);
  std::vector<std::string> notes;
  const states::TensorFile mean =
      states::average_weights(found.paths, found.choice, &notes);
  write(out, mean, notes);
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
    case config::Verb::kWeightsConvert:
      convert(files.at(0), files.at(1), choice);
      return 0;
    case config::Verb::kWeightsAverage:
      average(files, *arguments.data.out, choice);
      return 0;
    default:
      show(files, choice);
      return 0;
  }
}

} // namespace vitrain::program
