#include "config/command_line/arguments.h"

#include <algorithm>

#include <fmt/format.h>

#include "config/command_line/command_line.h"
#include "config/command_line/options.h"
#include "core/text.h"

namespace vitrain::config {
namespace {

bool is_named(
    std::string_view name,
    std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

// Checks that the options fit together and fit the verb, and adds a problem for
// each that does not. Also stores -set and the file names in the arguments.
class Checks {
 public:
  explicit Checks(CommandLine& line) : line_(line) {}

  void check_all() {
    for (std::size_t i = 0; i < line_.sets.size(); ++i) {
      add_set(line_.sets[i], fmt::format("-set #{}", i + 1));
    }
    check_together();
    check_files();
  }

 private:
  void problem(const std::string& where, std::string text) {
    line_.problem(where, std::move(text));
  }
  bool has(std::string_view option) const { return line_.has(option); }

  void add_set(const std::string& text, const std::string& source) {
    if (text.empty()) {
      return; // a problem was added
    }
    const std::size_t equals = text.find('=');
    const std::string key = text.substr(0, equals);
    if (equals == std::string::npos || key.empty()) {
      problem(
          source,
          fmt::format(
              "expected KEY=VALUE, as in optim.lr=5e-4, got {}",
              printable(text)));
    } else if (equals + 1 == text.size()) {
      problem(source, fmt::format("{} has no value", printable(key)));
    } else {
      arguments_.overrides.push_back(
          {.key = key,
           .value = text.substr(equals + 1),
           .source = source,
           .origin = Origin::kSet});
    }
  }

  void check_together() {
    std::vector<const Option*> chosen;
    std::vector<std::string> choices;
    for (const auto& [option, value, shown] : line_.given) {
      const bool of_hosts = option->name == "np" && has("hosts");
      // A repeated option is a problem of its own.
      const bool again = std::ranges::find(chosen, option) != chosen.end();
      if (option->group == OptionGroup::kDevices && !of_hosts && !again) {
        chosen.push_back(option);
        choices.push_back(shown);
      }
    }
    if (choices.size() > 1) {
      problem(
          join(choices, ", "), "each chooses the devices: give one of them");
    }
    if (has("ssh") && !has("hosts")) {
      problem("-ssh", "runs the commands of -hosts H1:N,H2:N: give that too");
    }
    if (has("hosts") && (has("nnodes") || has("node_rank"))) {
      problem("-hosts", "sets -nnodes and -node_rank itself: leave them out");
    }
    const bool needs_cfg = contains(kRecipeVerbs, arguments_.verb) &&
        arguments_.verb != Verb::kConfigShow &&
        arguments_.verb != Verb::kDataDump;
    // True if the recipe comes from the run that is resumed, or from the
    // weights.
    const bool of_run = arguments_.verb == Verb::kTrain
        ? has("resume") && arguments_.resume != "auto"
        : arguments_.verb == Verb::kEval && has("pretrained");
    if (needs_cfg && !of_run && !has("cfg")) {
      problem(
          "-cfg",
          "no config file: give -cfg FILE, for example "
          "-cfg configs/shapes_vit_tiny.yaml; vitrain --help says more");
    }
    if (arguments_.take_over && !arguments_.resume) {
      problem(
          "-take_over", "is for a run that is continued: give -resume as well");
    }
    if (arguments_.trial.is_wanted() && arguments_.resume) {
      problem("-resume", "has no meaning beside -try or -find_lr");
    }
    if (arguments_.trial.is_wanted() && arguments_.dry_run) {
      problem(
          "-dry_run",
          "starts nothing, but -try and -find_lr train: give "
          "one of them");
    }
  }

  // Checks the requirements of verbs that take file names.
  void check_files() {
    if (arguments_.verb == Verb::kDataDump) {
      check_dump();
    }
    const bool packs = arguments_.verb == Verb::kDataPack ||
        arguments_.verb == Verb::kDataUnpack;
    if (packs && !has("out")) {
      problem("-out", "give the folder to write to: -out FOLDER");
    }
    if (arguments_.verb == Verb::kDataUnpack) {
      if (files_.empty()) {
        problem("FILES", "no archive: name those that 'data pack' wrote");
      }
    }
    if (contains(kWeightsVerbs, arguments_.verb) ||
        arguments_.verb == Verb::kWeightsFetch) {
      check_weights();
    }
    if (arguments_.verb == Verb::kExport) {
      check_export();
    }
    if (arguments_.verb == Verb::kCompletion) {
      read_shell();
    }
    if (contains(kForeignVerbs, arguments_.verb)) {
      arguments_.foreign = files_;
      if (files_.empty() || files_.front().empty()) {
        problem(
            "ARGS",
            fmt::format(
                "name the file with the arguments (a run's args.yaml), or give "
                "them after --, as in: vitrain {} -- --model resnet50 ...",
                verb_name(arguments_.verb)));
      }
    }
    if (arguments_.verb == Verb::kPredict) {
      check_predict();
    }
    if (contains(kRunsVerbs, arguments_.verb)) {
      check_runs();
    }
  }

  void read_shell() {
    const std::optional<Shell> shell =
        files_.size() == 1 ? value_of<Shell>(files_.front()) : std::nullopt;
    if (!shell) {
      problem(
          "SHELL",
          fmt::format(
              "name one of {}, as in: vitrain completion bash",
              join(all_names<Shell>(), ", ")));
    }
    arguments_.shell = shell.value_or(Shell::kBash);
  }

  void check_weights() {
    const bool two = arguments_.verb == Verb::kWeightsDiff ||
        arguments_.verb == Verb::kWeightsConvert;
    const std::size_t count = files_.size();
    if (two && count != 2) {
      problem(
          "FILES",
          fmt::format(
              "give two files, {} (there {} {})",
              arguments_.verb == Verb::kWeightsDiff
                  ? "those to compare"
                  : "the one to read and the one to write",
              count == 1 ? "is" : "are",
              count));
    } else if (count == 0) {
      problem("FILES", "no weights are named");
    }
    if (arguments_.verb == Verb::kWeightsAverage && !has("out")) {
      problem("-out", "give the file to write: -out FILE.safetensors");
    }
  }

  // Reads the weights of `export`, which may be given without -pretrained.
  void read_exported() {
    const std::size_t count = files_.size();
    if (count > 1) {
      problem("RUN", fmt::format("give one run (there are {})", count));
    } else if (count == 1 && has("pretrained")) {
      problem(
          printable(files_.front()),
          "-pretrained names the weights already: give one of them");
    } else if (count == 1) {
      arguments_.overrides.push_back(
          {.key = "model.pretrained",
           .value = files_.front(),
           .source = "RUN",
           .form = Override::Form::kPlain});
    }
  }

  void check_export() {
    read_exported();
    if (!has("format")) {
      problem(
          "-format",
          fmt::format(
              "say what to write: one of {}",
              join(all_names<ExportFormat>(), ", ")));
    }
    if (!has("output")) {
      problem("-output", "give the file to write: -output FILE");
    }
    if (has("names") && arguments_.exports.format != ExportFormat::kOnnx) {
      problem("-names", "is for -format onnx: other files have no such names");
    }
  }

  void check_predict() {
    if (files_.empty()) {
      problem(
          "IMAGES",
          "no image: name files, folders, archives, lists (@FILE) or - for "
          "names on standard input");
    }
    const PredictArguments& predict = arguments_.predict;
    if (predict.csv == "-" && predict.jsonl == "-") {
      problem("-csv, -jsonl", "one of them can go to standard output");
    }
  }

  void check_runs() {
    const std::size_t count = files_.size();
    if (arguments_.verb == Verb::kRuns) {
      if (count > 1) {
        problem("FOLDER", fmt::format("give one folder (there are {})", count));
      }
    } else if (count == 0) {
      problem("RUNS", "no run is named: give its folder, as runs/NAME");
    }
    const std::string& output = arguments_.runs.output.value_or(".html");
    if (!output.ends_with(".html") && !output.ends_with(".htm")) {
      problem("-output", "the page is HTML: give a name that ends in .html");
    }
  }

  void check_dump() {
    if (files_.empty()) {
      problem("FILES", "no image: name those whose pixels are wanted");
    }
    if (!has("out")) {
      problem("-out", "give -out FILE.npy");
    }
    const bool cfg = has("cfg");
    if (!cfg && !has("resize") && (has("filter") || has("pillow"))) {
      problem("-resize", "-filter and -pillow belong to it: give -resize N");
    }
    if (!cfg && has("train")) {
      problem("-train", "what training does is in the recipe: give -cfg FILE");
    }
    if (!cfg && !arguments_.overrides.empty()) {
      problem(
          arguments_.overrides[0].source,
          "changes a recipe, and none is given: give -cfg FILE");
    }
    for (const auto& [option, value, shown] : line_.given) {
      if (cfg &&
          is_named(option->name, {"resize", "crop", "filter", "pillow"})) {
        problem(shown, "the recipe says this: leave it or -cfg out");
      } else if (!has("train") && is_named(option->name, {"index", "epoch"})) {
        problem(shown, "has a meaning with -train only");
      }
    }
  }

  CommandLine& line_;
  Arguments& arguments_ = line_.arguments;
  const std::vector<std::string>& files_ = line_.data.files;
};

} // namespace

std::string verb_name(Verb verb) {
  return std::string(info_of(verb).words);
}

LoadRequest Arguments::load_request() const {
  LoadRequest request;
  if (cfg) {
    request.file = *cfg;
  }
  request.overrides = overrides;
  request.data_path = data_path;
  request.use = verb == Verb::kEval ? RecipeUse::kEvaluation
      : verb == Verb::kTrain || verb == Verb::kConfigCheck
      ? RecipeUse::kTraining
      : RecipeUse::kLook;
  return request;
}

Arguments parse_arguments(std::span<const std::string> arguments) {
  if (!arguments.empty() && arguments.front() == "__complete") {
    Arguments result{.verb = Verb::kCompletion};
    result.typed.emplace(arguments.begin() + 1, arguments.end());
    return result;
  }
  Problems problems;
  CommandLine line(arguments, problems);
  const bool unknown = line.verb_unknown && line.arguments.verb_group.empty();
  if (!line.arguments.version && (unknown || !line.arguments.help)) {
    if (!line.verb_unknown) { // otherwise options have no meaning
      line.read_options();
      Checks(line).check_all();
    }
    problems.throw_if_any();
  }
  return std::move(line.arguments);
}

Arguments parse_arguments(int argc, const char* const* argv) {
  const std::vector<std::string> words(argv, argv + argc);
  return parse_arguments(words);
}

} // namespace vitrain::config
