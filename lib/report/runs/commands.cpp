#include "report/runs/commands.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "checkpoint/find.h"
#include "core/json_values.h"
#include "core/system/files.h"
#include "core/system/system.h"
#include "core/text.h"

namespace vitrain::report {
namespace {

namespace fs = std::filesystem;

// Returns a path for a command that runs in the folder `from`: relative if the
// path is inside it.
std::string path_from(const fs::path& path, const fs::path& from) {
  const fs::path relative =
      from.empty() ? fs::path() : path.lexically_relative(from);
  return relative.empty() || relative.native().starts_with("..")
      ? path.native()
      : relative.native();
}

// Returns the name by which a shell in this working folder finds this program.
std::string program_here() {
  const fs::path program = program_path();
  std::error_code error;
  for (const std::string& folder : split(environment_variable("PATH"), ':')) {
    if (!folder.empty() &&
        fs::equivalent(fs::path(folder) / "vitrain", program, error)) {
      return "vitrain";
    }
  }
  const std::string path = path_from(program, fs::current_path(error));
  return path.find('/') == std::string::npos ? "./" + path : path;
}

// Returns the value of -set, with further options, that doubles the length of a
// completed run.
std::string more_steps(const config::Recipe& recipe) {
  const std::string more = recipe.run.max_steps
      ? fmt::format("run.max_steps={}", 2 * *recipe.run.max_steps)
      : fmt::format("run.epochs={}", 2 * recipe.run.epochs);
  // A run that run.patience has ended would end again at once.
  return recipe.run.patience ? more + " -set run.patience=null" : more;
}

// Returns the commands for a run. `path`: the run folder. `start`: the program;
// if `path` is relative to another folder than the working folder, preceded by
// a change to that.
std::vector<Command>
list_commands(const Run& run, const std::string& start, const fs::path& path) {
  const std::string folder = shell_word(path.native());
  const std::string config = shell_word((path / "config.yaml").native());
  const bool saved = !checkpoint::list_steps(run.folder.checkpoints()).empty();
  const Command look{
      "look",
      "Look at it in the terminal",
      fmt::format("{} show {}", start, folder)};
  if (!run.trains()) {
    return {
        {"evaluate",
         "Evaluate again",
         fmt::format("{} -cfg {} -eval", start, config)},
        look};
  }
  std::vector<Command> commands;
  if (!saved) {
    commands.push_back(
        {"start again",
         "Start again: it has no checkpoint",
         fmt::format("{} -cfg {}", start, config)});
  } else if (run.state != RunStatus::kDone) {
    commands.push_back(
        {"continue",
         "Continue from its last checkpoint",
         fmt::format("{} -resume {}", start, folder)});
  } else if (run.recipe) {
    commands.push_back(
        {"continue",
         "Train longer (twice as long; another end of the learning rate's "
         "schedule)",
         fmt::format(
             "{} -resume {} -set {}", start, folder, more_steps(*run.recipe))});
  }
  if (saved) {
    commands.push_back(
        {"evaluate",
         "Evaluate its best checkpoint",
         fmt::format("{} -eval -pretrained {}", start, folder)});
  }
  commands.push_back(look);
  commands.push_back(
      {"",
       "Start another run of this recipe, with a change",
       fmt::format("{} -cfg {} -set run.seed=1", start, config)});
  if (saved) {
    commands.push_back(
        {"",
         "Export the network",
         fmt::format(
             "{} export -pretrained {} -format onnx -output model.onnx",
             start,
             folder)});
  }
  return commands;
}

} // namespace

std::vector<Command> commands_for(const Run& run, const std::string& program) {
  // "" in runs of older versions.
  const std::string from = json_text(run.environment, "working_folder");
  const std::string start =
      (from.empty() ? "" : fmt::format("cd {} && ", shell_word(from))) +
      shell_word(program);
  return list_commands(run, start, path_from(run.folder.path, from));
}

std::string path_here(const fs::path& path) {
  std::error_code error;
  return path_from(path, fs::current_path(error));
}

std::vector<Command> commands_here(const Run& run) {
  std::vector<Command> commands = list_commands(
      run, shell_word(program_here()), path_here(run.folder.path));
  std::erase_if(
      commands, [](const Command& command) { return command.label.empty(); });
  return commands;
}

} // namespace vitrain::report
