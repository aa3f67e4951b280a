#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "config/command_line/arguments.h"
#include "config/command_line/options.h"
#include "core/columns.h"
#include "core/enum_names.h"
#include "core/text.h"

namespace vitrain::config {
namespace {

constexpr int kNarrowestText = 20;
constexpr std::size_t kLabelColumns = 26; // including the indentation

// Wraps `text` to lines that start at column `indent` and end before `columns`,
// but have room for kNarrowestText. Does not indent the first line.
std::string wrap(std::string_view text, std::size_t indent, int columns) {
  const int room = std::max(kNarrowestText, columns - static_cast<int>(indent));
  return join(
      wrap_words(std::string(text), room), "\n" + std::string(indent, ' '));
}

std::string row(const std::string& label, std::string_view text, int columns) {
  return fmt::format(
      "  {:<{}}{}\n",
      label,
      kLabelColumns - 2,
      wrap(text, kLabelColumns, columns));
}

std::string option_rows(VerbSet wanted, int columns) {
  std::string text;
  std::optional<OptionGroup> group;
  for (const Option& option : options()) {
    if ((option.verbs & wanted) == 0) {
      continue;
    }
    if (option.group != group) {
      group = option.group;
      text += fmt::format("\n{}\n", name_of(option.group));
    }
    text +=
        row(fmt::format(
                "-{}{}{}",
                option.name,
                option.label.empty() ? "" : " ",
                option.label),
            option.help,
            columns);
  }
  return text;
}

constexpr const char* kSpelling =
    "\nOne dash or two, _ or - in names, `-name value` or `-name=value`.\n";

std::string verb_rows(std::string_view group, int columns) {
  std::string text;
  for (const VerbInfo& info : verbs()) {
    if (group.empty() || split(info.words, ' ').front() == group) {
      text += row(std::string(info.words), info.summary, columns);
    }
  }
  return text;
}

} // namespace

std::string help(int columns) {
  std::string text = wrap(
      "vitrain trains and evaluates image classifiers from one YAML file, on "
      "every device it sees.",
      0,
      columns);
  text += "\n\nUsage\n"
          "  vitrain -cfg FILE [options]                     train\n"
          "  vitrain -cfg FILE -eval -pretrained WEIGHTS     evaluate\n"
          "  vitrain VERB [options]\n"
          "\nVerbs (vitrain VERB --help says more)\n";
  text += verb_rows("", columns);
  text += "\n";
  text += wrap(
      "`vitrain help VERB` is its help, too; `test` is eval, `infer` predict.",
      0,
      columns);
  text += "\n";
  text += fmt::format(
      "\nExamples\n{}{}",
      info_of(Verb::kTrain).examples,
      info_of(Verb::kEval).examples);
  text += option_rows(verb_set({Verb::kTrain, Verb::kEval}), columns);
  text += kSpelling;
  text += wrap(
      "CUDA_VISIBLE_DEVICES selects the devices; without any, workers run on "
      "the CPU.",
      0,
      columns);
  text += "\n";
  text += wrap(
      "Exit codes: 0 done, 2 usage or config, 3 data, 4 weights, 5 "
      "non-finite, 6 out of memory, 7 a worker died, 8 storage, 75 stopped "
      "with a complete checkpoint (run again to continue).",
      0,
      columns);
  text += "\n";
  return text;
}

std::string help(Verb verb, int columns) {
  const VerbInfo& info = info_of(verb);
  const bool needs_cfg =
      info.files.empty() && contains(options().front().verbs, verb);
  return fmt::format(
      "{}\n\nUsage\n  vitrain {}{}{} [options]\n\nExamples\n{}{}{}",
      wrap(info.summary, 0, columns),
      info.words,
      info.files.empty() ? "" : " " + std::string(info.files),
      needs_cfg ? " -cfg FILE" : "",
      info.examples,
      option_rows(verb_set({verb}), columns),
      kSpelling);
}

std::string help(std::string_view group, int columns) {
  return fmt::format(
      "Verbs of {} (vitrain VERB --help says more)\n{}",
      group,
      verb_rows(group, columns));
}

} // namespace vitrain::config
