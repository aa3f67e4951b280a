#include "report/runs/commands.h"

#include <filesystem>

#include <fmt/format.h>

#include "checkpoint/find.h"
#include "core/text/json_values.h"
#include "report/page/markup.h"

namespace vitrain::report {
namespace {

// The run's path as a command in `from` gives it.
std::string path_from(const Run& run, const std::string& from) {
  const std::filesystem::path& path = run.folder.path;
  if (from.empty()) {
    return path.native();
  }
  const std::filesystem::path relative = path.lexically_relative(from);
  return relative.empty() || relative.native().starts_with("..")
      ? path.native()
      : relative.native();
}

} // namespace

std::vector<Command> commands_for(const Run& run, const std::string& program) {
  // "" for those of versions that did not write it.
  const std::string from = json_text(run.environment, "working_folder");
  const std::string start =
      (from.empty() ? "" : fmt::format("cd {} && ", shell_word(from))) +
      shell_word(program);
  const std::string path = path_from(run, from);
  const std::string folder = shell_word(path);
  const std::string config = shell_word(path + "/config.yaml");
  const bool saved = !checkpoint::list_steps(run.folder.checkpoints()).empty();
  std::vector<Command> commands;
  if (!run.trains()) {
    return {{"Evaluate again", fmt::format("{} -cfg {} -eval", start, config)}};
  }
  if (!saved) {
    commands.push_back(
        {"Start again: it has no checkpoint",
         fmt::format("{} -cfg {}", start, config)});
  } else if (run.state != RunState::kDone) {
    commands.push_back(
        {"Continue from its last checkpoint",
         fmt::format("{} -resume {}", start, folder)});
  } else if (run.recipe && !run.recipe->run.max_steps) {
    commands.push_back(
        {"Train longer (twice the epochs; another end of the learning rate's "
         "schedule)",
         fmt::format(
             "{} -resume {} -set run.epochs={}",
             start,
             folder,
             2 * run.recipe->run.epochs)});
  }
  if (saved) {
    commands.push_back(
        {"Evaluate its best checkpoint",
         fmt::format("{} -eval -pretrained {}", start, folder)});
  }
  commands.push_back(
      {"Start another run of this recipe, with a change",
       fmt::format("{} -cfg {} -set run.seed=1", start, config)});
  if (saved) {
    commands.push_back(
        {"Export the network",
         fmt::format(
             "{} export -pretrained {} -format onnx -output model.onnx",
             start,
             folder)});
  }
  return commands;
}

} // namespace vitrain::report
