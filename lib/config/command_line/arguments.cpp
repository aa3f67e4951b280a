#include "config/command_line/arguments.h"

#include <algorithm>

#include <fmt/format.h>

#include "config/command_line/argument_scanner.h"
#include "config/command_line/options.h"
#include "config/rules/validate.h"
#include "core/text.h"

namespace vitrain::config {
namespace {

// What the options say, as overrides of keys and as fields of Arguments.
class Interpreter {
 public:
  Interpreter(const ScannedArguments& words, Problems& problems)
      : scanned_(words), problems_(problems) {}

  Arguments interpret() {
    arguments_.verb = scanned_.verb;
    arguments_.verb_given = scanned_.verb_given;
    arguments_.help = scanned_.has(OptionId::kHelp);
    arguments_.version = scanned_.has(OptionId::kVersion);
    // What the options mean depends on the verb.
    if (arguments_.help || arguments_.version || scanned_.verb_unknown) {
      return std::move(arguments_);
    }
    if (scanned_.has(OptionId::kEval) && scanned_.verb == Verb::kTrain) {
      arguments_.verb = Verb::kEval;
    }
    for (const ScannedArguments::Given& given : scanned_.given) {
      apply(given);
    }
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      add_set(sets_[i], fmt::format("-set #{}", i + 1));
    }
    check_together();
    return std::move(arguments_);
  }

 private:
  void problem(const std::string& where, std::string text) {
    problems_.add({where}, "", std::move(text));
  }

  void apply(const ScannedArguments::Given& given) {
    const Option& option = *given.option;
    const std::string& shown = given.shown;
    const std::string verb = verb_name(arguments_.verb);
    if (contains(option.ignored, arguments_.verb)) {
      arguments_.notes.push_back(
          fmt::format("{}: has no effect with {}", shown, verb));
    } else if (!contains(option.verbs, arguments_.verb)) {
      problem(shown, fmt::format("has no meaning with {}", verb));
    } else if (option.group == "Devices") {
      choose_devices(option.id, shown, given.value);
    } else if (option.group == "Several machines") {
      launch(option.id, shown, given.value);
    } else if (option.group == "Looking at data") {
      read_data_option(
          option.id, shown, given.value, arguments_.data, report());
    } else {
      act(option.id, shown, given.value);
    }
  }

  void act(OptionId id, const std::string& shown, const std::string& value) {
    switch (id) {
      case OptionId::kCfg:
        arguments_.cfg = value;
        break;
      case OptionId::kSet:
        sets_.push_back(value);
        break;
      case OptionId::kDryRun:
        arguments_.dry_run = true;
        break;
      case OptionId::kPrintConfig:
        arguments_.print_config = true;
        break;
      case OptionId::kOrigin:
        arguments_.origin = true;
        break;
      case OptionId::kDataPath:
        arguments_.data_path = value;
        break;
      case OptionId::kResume:
        arguments_.resume = value;
        if (const std::string_view foreign = foreign_weights(value);
            !foreign.empty()) {
          problem(shown, std::string(foreign));
        }
        break;
      case OptionId::kLastEpoch:
        skip_epochs(shown, value);
        break;
      default:
        override_keys(id, shown, value);
    }
  }

  void skip_epochs(const std::string& shown, const std::string& value) {
    const bool begins = read_count(shown, value, 0).value_or(0) == 0;
    if (begins || scanned_.has(OptionId::kResume)) {
      arguments_.notes.push_back(fmt::format(
          "{}: has no effect: {}",
          shown,
          begins ? "a new run begins with epoch 1"
                 : "the checkpoint knows its epoch"));
    } else {
      problem(
          shown,
          "a run cannot begin in the middle, without the state of its "
          "optimizer: give -resume PATH");
    }
  }

  void override_keys(
      OptionId id,
      const std::string& shown,
      const std::string& value) {
    switch (id) {
      case OptionId::kDataset: {
        const std::string kind = value == "imagenet2012" ? "list" : value;
        add(shown, "data.train.kind", kind);
        add(shown, "data.eval.kind", kind);
        break;
      }
      case OptionId::kBatchSize:
        add(shown, "data.batch_mode", "per_device");
        add(shown, "data.batch_size", value);
        if (!scanned_.has(OptionId::kBatchSizeEval)) {
          add(shown, "data.eval_batch_size", value);
        }
        break;
      case OptionId::kBatchSizeEval:
        add(shown, "data.eval_batch_size", value);
        break;
      case OptionId::kImageSize:
        add(shown, "model.image_size", value);
        break;
      case OptionId::kAccumIter:
        add(shown, "train.accumulate", value);
        break;
      case OptionId::kAmp:
        add(shown, "train.precision", "bf16");
        break;
      case OptionId::kOutput:
        add(shown, "run.output", value);
        break;
      case OptionId::kPretrained:
        add(shown, "model.pretrained", value);
        break;
      default:
        break; // -eval, -help and -version have been looked at already
    }
  }

  void launch(OptionId id, const std::string& shown, const std::string& value) {
    LaunchArguments& launch = arguments_.launch;
    switch (id) {
      case OptionId::kNnodes:
        if (value.find(':') != std::string::npos) {
          problem(
              shown,
              fmt::format(
                  "{}: a range of machines is not offered; -max_restarts "
                  "starts again on the same ones",
                  printable(value)));
        } else {
          add(shown, "devices.nodes", value);
        }
        break;
      case OptionId::kNodeRank:
        launch.node_rank = read_count(shown, value, 0);
        break;
      case OptionId::kMaster:
        launch.master = value;
        break;
      case OptionId::kHosts:
        launch.hosts = value;
        break;
      case OptionId::kSsh:
        launch.ssh = true;
        break;
      case OptionId::kLauncher:
        launch.launcher = value;
        break;
      case OptionId::kMaxRestarts:
        add(shown, "run.max_restarts", value);
        break;
      case OptionId::kLogDir:
        add(shown, "log.folder", value);
        break;
      default:
        break;
    }
  }

  void choose_devices(
      OptionId id,
      const std::string& shown,
      const std::string& value) {
    std::string kind = "cuda";
    std::string count = "-1";
    std::string ids;
    const bool list = id == OptionId::kDevices && !value.empty() &&
        value.find_first_not_of("0123456789,") == std::string::npos;
    if (id == OptionId::kNp) {
      arguments_.launch.workers = read_count(shown, value, 1);
      if (scanned_.has(OptionId::kHosts)) {
        return; // the sum over the hosts
      }
      kind = "auto";
      count = value;
    } else if (id == OptionId::kGpus || list) {
      ids = value;
    } else if (id == OptionId::kNgpus) {
      kind = value == "-1" ? "auto" : "cuda";
      count = value;
    } else {
      // cpu, cpu:2, cuda:4
      const std::size_t colon = value.find(':');
      kind = value.substr(0, colon);
      count = colon == std::string::npos ? "-1" : value.substr(colon + 1);
      if ((kind == "gpu" && colon != std::string::npos) || value == "cuda:0") {
        // Others' names of one device; here it is a number of them.
        const std::string number = printable(count);
        problem(
            shown,
            fmt::format(
                "{}: the device of that number is -gpus {}, and cuda:N takes N "
                "of them",
                printable(value),
                number));
        return;
      }
      kind = kind == "gpu" ? "cuda" : kind;
    }
    add(shown, "devices.kind", kind);
    add(shown, "devices.count", count);
    add(shown, "devices.ids", ids, Override::Form::kList);
  }

  void add(
      const std::string& source,
      const char* key,
      const std::string& value,
      Override::Form form = Override::Form::kPlain) {
    arguments_.overrides.push_back({key, value, source, form});
  }

  ReportProblem report() {
    return [this](const std::string& shown, std::string text) {
      problem(shown, std::move(text));
    };
  }

  std::optional<std::int64_t>
  read_count(const std::string& shown, const std::string& value, int least) {
    return config::read_count(shown, value, least, report());
  }

  void add_set(const std::string& text, const std::string& source) {
    if (text.empty()) {
      return; // the scanner has said so
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
    std::vector<const ScannedArguments::Given*> chosen;
    std::vector<std::string> choices;
    for (const ScannedArguments::Given& given : scanned_.given) {
      const bool of_hosts =
          given.option->id == OptionId::kNp && scanned_.has(OptionId::kHosts);
      // One that is given twice is a problem of its own.
      const bool again = std::ranges::any_of(
          chosen, [&](const ScannedArguments::Given* other) {
            return other->option == given.option;
          });
      if (given.option->group == "Devices" && !of_hosts && !again) {
        chosen.push_back(&given);
        choices.push_back(given.shown);
      }
    }
    if (choices.size() > 1) {
      problem(
          join(choices, ", "), "each chooses the devices: give one of them");
    }
    if (scanned_.has(OptionId::kSsh) && !scanned_.has(OptionId::kHosts)) {
      problem("-ssh", "runs the commands of -hosts H1:N,H2:N: give that too");
    }
    if (scanned_.has(OptionId::kHosts) &&
        (scanned_.has(OptionId::kNnodes) ||
         scanned_.has(OptionId::kNodeRank))) {
      problem("-hosts", "sets -nnodes and -node_rank itself: leave them out");
    }
    const bool needs_cfg = contains(
        verb_set(
            {Verb::kTrain,
             Verb::kEval,
             Verb::kConfigCheck,
             Verb::kDataOrder,
             Verb::kDataCheck,
             Verb::kDataShow,
             Verb::kDataPack}),
        arguments_.verb);
    if (needs_cfg && !scanned_.has(OptionId::kCfg)) {
      problem(
          "-cfg",
          "no config file: give -cfg FILE, for example "
          "-cfg configs/shapes_vit_tiny.yaml; vitrain --help says more");
    }
    if (arguments_.verb == Verb::kDataDump) {
      check_dump();
    }
    const bool packs = arguments_.verb == Verb::kDataPack ||
        arguments_.verb == Verb::kDataUnpack;
    if (packs && !scanned_.has(OptionId::kOut)) {
      problem("-out", "give the folder to write to: -out FOLDER");
    }
    if (arguments_.verb == Verb::kDataUnpack) {
      if (scanned_.files.empty()) {
        problem("FILES", "no archive: name those that 'data pack' wrote");
      }
      arguments_.data.files = scanned_.files;
    }
  }

  void check_dump() {
    if (scanned_.files.empty()) {
      problem("FILES", "no image: name those whose pixels are wanted");
    }
    if (!scanned_.has(OptionId::kOut)) {
      problem("-out", "give -out FILE.npy");
    }
    const bool cfg = scanned_.has(OptionId::kCfg);
    if (!cfg && !scanned_.has(OptionId::kResizeTo) &&
        (scanned_.has(OptionId::kFilter) || scanned_.has(OptionId::kPillow))) {
      problem("-resize", "-filter and -pillow belong to it: give -resize N");
    }
    if (!cfg && scanned_.has(OptionId::kTrainPixels)) {
      problem("-train", "what training does is in the recipe: give -cfg FILE");
    }
    for (const ScannedArguments::Given& given : scanned_.given) {
      const OptionId id = given.option->id;
      const std::string& shown = given.shown;
      if (cfg &&
          (id == OptionId::kResizeTo || id == OptionId::kCropTo ||
           id == OptionId::kFilter || id == OptionId::kPillow)) {
        problem(shown, "the recipe says this: leave it or -cfg out");
      } else if (
          !scanned_.has(OptionId::kTrainPixels) &&
          (id == OptionId::kIndex || id == OptionId::kEpoch)) {
        problem(shown, "has a meaning with -train only");
      }
    }
    arguments_.data.files = scanned_.files;
  }

  const ScannedArguments& scanned_;
  Problems& problems_;
  Arguments arguments_;
  std::vector<std::string> sets_;
};

} // namespace

std::string verb_name(Verb verb) {
  return std::string(std::ranges::find(verbs(), verb, &VerbInfo::verb)->words);
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
  Problems problems;
  const ScannedArguments scanned = scan_arguments(arguments, problems);
  Arguments result = Interpreter(scanned, problems).interpret();
  result.launch.shared = scanned.shared;
  if (!result.help && !result.version) {
    problems.throw_if_any();
  }
  return result;
}

Arguments parse_arguments(int argc, const char* const* argv) {
  const std::vector<std::string> words(argv, argv + argc);
  return parse_arguments(words);
}

} // namespace vitrain::config
