#include "config/command_line/command_line.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/rules/validate.h"
#include "core/ascii.h"
#include "core/enum_names.h"
#include "core/text.h"
#include "core/url.h"

namespace vitrain::config {

namespace fs = std::filesystem;

namespace {

// Returns a hint for -output with a verb that does not accept it: the verb's
// own output option, if it has one. "" for other options.
std::string instead_of(const Option& option, Verb verb) {
  if (option.name != "output") {
    return "";
  }
  for (const Option& other : options()) {
    if ((other.name == "out" || other.name == "csv") &&
        contains(other.verbs, verb)) {
      return fmt::format(
          ": it writes no run folder; what it writes is -{} {}",
          other.name,
          other.label);
    }
  }
  return ": it writes no run folder";
}

} // namespace

void CommandLine::read_options() {
  if (has("eval") && arguments.verb == Verb::kTrain) {
    arguments.verb = Verb::kEval;
  }
  const std::string verb = verb_name(arguments.verb);
  for (const Given& one : given) {
    const Option& option = *one.option;
    value = one.value;
    shown = one.shown;
    if (contains(option.ignored, arguments.verb)) {
      note(fmt::format("has no effect with {}", verb));
    } else if (!contains(option.verbs, arguments.verb)) {
      problem(fmt::format(
          "has no meaning with {}{}",
          verb,
          instead_of(option, arguments.verb)));
    } else if (option.name != "set" && has_user_info(value)) {
      // Refuses it before `read` splits the value and quotes a part of it.
      problem("a URL with user information (USER:PASSWORD@), which records "
              "would show: leave it out");
    } else if (option.read != nullptr) {
      option.read(*this);
    } else if (!option.key.empty()) {
      set(option.key, value);
    }
  }
}

std::int64_t CommandLine::count(int least, int most) {
  std::int64_t count = 0;
  if (!parse_int(value, count) || count < least || count > most) {
    const bool open =
        most == std::numeric_limits<std::int32_t>::max() && count <= most;
    problem(fmt::format(
        "expected integer {}, got {}",
        open ? fmt::format(">= {}", least)
             : fmt::format("in [{}, {}]", least, most),
        printable(value)));
    return least;
  }
  return count;
}

std::optional<std::string> CommandLine::value_of_given(
    std::string_view option) const {
  const auto found = std::ranges::find(
      given, option, [](const Given& one) { return one.option->name; });
  return found == given.end() ? std::nullopt : std::optional(found->value);
}

void CommandLine::set(
    std::string_view key,
    std::string_view text,
    Override::Form form) {
  arguments.overrides.push_back(
      {std::string(key), std::string(text), shown, form});
}

void CommandLine::set_devices(
    std::string_view kind,
    std::string_view count,
    std::string_view ids) {
  set("devices.kind", kind);
  set("devices.count", count);
  set("devices.ids", ids, Override::Form::kList);
}

void read_batch_size(CommandLine& option) {
  if (option.arguments.verb == Verb::kPredict) {
    option.arguments.predict.batch = option.count(1);
    return;
  }
  option.set("data.batch_mode", "per_device");
  option.set("data.batch_size", option.value);
  if (!option.has("batch_size_eval")) {
    option.set("data.eval_batch_size", option.value);
  }
}

namespace {

// Name of a dataset or its reader in other programs (in lower case with _ for
// -), and the kind of source that reads it; "" for ImageNet, which several
// kinds can read.
struct DatasetName {
  std::string_view name;
  std::string_view kind;
};
constexpr std::array kDatasetNames{
    DatasetName{"cifar10", "cifar"},
    DatasetName{"cifar100", "cifar"},
    DatasetName{"fashion_mnist", "mnist"},
    DatasetName{"fashionmnist", "mnist"},
    DatasetName{"image_folder", "folder"},
    DatasetName{"imagefolder", "folder"},
    DatasetName{"imagenet", ""},
    DatasetName{"imagenet1k", ""},
    DatasetName{"imagenet2012", ""},
    DatasetName{"wds", "tar"},
    DatasetName{"webdataset", "tar"}};

const DatasetName* find_dataset_name(const std::string& name) {
  std::string plain = ascii_lower(name);
  std::ranges::replace(plain, '-', '_');
  const auto found =
      std::ranges::find(kDatasetNames, plain, &DatasetName::name);
  return found == kDatasetNames.end() ? nullptr : &*found;
}

// Returns the kind of source for ImageNet in a folder, by the first that it
// has: lists, archives, or folders of splits (or if its own name is `train`).
// `list` if it has none of these, or if no folder is given.
std::string imagenet_kind(const std::optional<std::string>& folder) {
  const auto has = [&](std::initializer_list<const char*> names) {
    std::error_code error;
    return folder && std::ranges::any_of(names, [&](const char* name) {
             return fs::exists(fs::path(*folder) / name, error);
           });
  };
  if (has({"train_list.txt", "val_list.txt", "train.csv", "val.csv"})) {
    return "list";
  }
  std::error_code error;
  const fs::path path = fs::path(folder.value_or("")).lexically_normal();
  const bool is_training =
      (path.has_filename() ? path : path.parent_path()).filename() == "train" &&
      fs::is_directory(path, error);
  return has({"train.tar", "val.tar"})       ? "tar"
      : is_training || has({"train", "val"}) ? "folder"
                                             : "list";
}

} // namespace

void read_dataset(CommandLine& option) {
  const DatasetName* known = find_dataset_name(option.value);
  std::string kind = option.value;
  if (known != nullptr) {
    kind = known->kind.empty()
        ? imagenet_kind(option.value_of_given("data_path"))
        : known->kind;
  }
  option.set("data.train.kind", kind);
  option.set("data.eval.kind", kind);
}

// Accepts "0,2", "cpu", "cpu:2", "cuda", "cuda:4", "gpu"; refuses "gpu:4" and
// "cuda:0".
void read_devices(CommandLine& option) {
  const std::string& value = option.value;
  if (!value.empty() &&
      value.find_first_not_of("0123456789,") == std::string::npos) {
    option.set_devices("cuda", "-1", value);
    return;
  }
  const std::size_t colon = value.find(':');
  const std::string kind = value.substr(0, colon);
  const std::string count =
      colon == std::string::npos ? "-1" : value.substr(colon + 1);
  if ((kind == "gpu" && colon != std::string::npos) || value == "cuda:0") {
    // In other programs these name a single device; here the number is a count.
    option.problem(fmt::format(
        "{}: the device of that number is -gpus {}, and cuda:N takes N of them",
        printable(value),
        printable(count)));
    return;
  }
  option.set_devices(kind == "gpu" ? "cuda" : kind, count);
}

void read_names(CommandLine& option) {
  if (option.arguments.verb != Verb::kExport) {
    option.arguments.weights.names = option.value;
    return;
  }
  const std::vector<std::string> names = split(option.value, ',');
  const auto is_name = [](const std::string& name) {
    return !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
      return std::isalnum(c) != 0 || std::strchr("._-/:", c) != nullptr;
    });
  };
  if (names.size() != 2 || !std::ranges::all_of(names, is_name) ||
      names[0] == names[1]) {
    option.problem(fmt::format(
        "expected two different names of letters, digits and . _ - / : with a "
        "comma between them, got {}; try: input0,output0",
        printable(option.value)));
    return;
  }
  option.arguments.exports.names = {names[0], names[1]};
}

// Accepts 224 or [224, 160].
void read_image_size(CommandLine& option) {
  option.set("model.image_size", option.value, Override::Form::kYaml);
}

void read_last_epoch(CommandLine& option) {
  if (option.count(0) == 0) {
    option.note("has no effect: a new run begins with epoch 1");
  } else if (option.has("resume")) {
    option.note("has no effect: the checkpoint knows its epoch");
  } else {
    option.problem("a run cannot begin in the middle, without the state of its "
                   "optimizer: give -resume PATH");
  }
}

void read_nnodes(CommandLine& option) {
  if (option.value.find(':') != std::string::npos) {
    option.problem(fmt::format(
        "{}: a range of machines is not offered; -max_restarts starts again on "
        "the same ones",
        printable(option.value)));
  } else {
    option.set("devices.nodes", option.value);
  }
}

void read_np(CommandLine& option) {
  option.launch.workers = option.count(1);
  if (!option.has("hosts")) { // with -hosts, -np is the sum over the hosts
    option.set_devices("auto", option.value);
  }
}

void read_output(CommandLine& option) {
  if (option.arguments.verb == Verb::kExport) {
    option.arguments.exports.output = option.value;
  } else if (contains(kForeignVerbs, option.arguments.verb)) {
    option.arguments.output = option.value;
  } else if (option.arguments.verb == Verb::kReport) {
    option.arguments.runs.output = option.value;
  } else {
    option.set("run.output", option.value);
  }
}

void read_resume(CommandLine& option) {
  option.arguments.resume = option.value;
  constexpr std::string_view kOthers[] = {
      ".pdparams",
      ".pdopt",
      ".pdema",
      ".pth",
      ".pth.tar",
      ".pt",
      ".bin",
      ".ckpt",
      ".npz",
      ".safetensors"};
  if (std::ranges::any_of(kOthers, [&](std::string_view extension) {
        return option.value.ends_with(extension);
      })) {
    option.problem(
        "a file of weights is not a run to go on with; -pretrained starts a "
        "new run from it");
  }
}

} // namespace vitrain::config
