#include <optional>

#include <fmt/format.h>

#include "config/command_line/arguments.h"
#include "config/command_line/options.h"
#include "core/text/enum_names.h"
#include "core/text/text.h"

namespace vitrain::config {
namespace {

constexpr std::size_t kColumns = 100;
constexpr std::size_t kLabelColumns = 26; // with the indentation

// `text` in lines that fit behind `indent` columns.
std::string wrap(std::string_view text, std::size_t indent) {
  std::string wrapped;
  std::size_t column = indent;
  for (const std::string& word : split(text, ' ')) {
    if (column + word.size() + 1 > kColumns && column > indent) {
      wrapped += "\n" + std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) {
      wrapped += " ";
      ++column;
    }
    wrapped += word;
    column += word.size();
  }
  return wrapped;
}

std::string row(const std::string& label, std::string_view text) {
  return fmt::format(
      "  {:<{}}{}\n", label, kLabelColumns - 2, wrap(text, kLabelColumns));
}

std::string option_rows(VerbSet wanted) {
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
            option.help);
  }
  return text;
}

constexpr const char* kSpelling =
    "\nOne dash or two, _ or - in names, `-name value` or `-name=value`.\n";

std::string verb_rows(std::string_view group) {
  std::string text;
  for (const VerbInfo& info : verbs()) {
    if (group.empty() || split(info.words, ' ').front() == group) {
      text += row(std::string(info.words), info.summary);
    }
  }
  return text;
}

} // namespace

std::string help() {
  std::string text =
      "vitrain trains and evaluates image classifiers from one YAML file, on "
      "every device it sees.\n"
      "\nUsage\n"
      "  vitrain -cfg FILE [options]                     train\n"
      "  vitrain -cfg FILE -eval -pretrained WEIGHTS     evaluate\n"
      "  vitrain VERB [options]\n"
      "\nVerbs (vitrain VERB --help says more)\n";
  text += verb_rows("");
  text += "\n`vitrain help VERB` is its help, too; `test` is eval, `infer` "
          "predict.\n";
  text += fmt::format(
      "\nExamples\n{}{}",
      info_of(Verb::kTrain).examples,
      info_of(Verb::kEval).examples);
  text += option_rows(verb_set({Verb::kTrain, Verb::kEval}));
  text += kSpelling;
  text += "CUDA_VISIBLE_DEVICES selects the devices; without any, workers run "
          "on the CPU.\n"
          "Exit codes: 0 done, 2 usage or config, 3 data, 4 weights, 5 "
          "non-finite, 6 out of memory,\n"
          "7 a worker died, 8 storage, 75 stopped with a complete checkpoint "
          "(run again to continue).\n";
  return text;
}

std::string help(Verb verb) {
  const VerbInfo& info = info_of(verb);
  const bool needs_cfg =
      info.files.empty() && contains(options().front().verbs, verb);
  return fmt::format(
      "{}\n\nUsage\n  vitrain {}{}{} [options]\n\nExamples\n{}{}{}",
      info.summary,
      info.words,
      info.files.empty() ? "" : " " + std::string(info.files),
      needs_cfg ? " -cfg FILE" : "",
      info.examples,
      option_rows(verb_set({verb})),
      kSpelling);
}

std::string help(std::string_view group) {
  return fmt::format(
      "Verbs of {} (vitrain VERB --help says more)\n{}",
      group,
      verb_rows(group));
}

} // namespace vitrain::config
