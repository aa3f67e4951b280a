#include "config/command_line/man_page.h"

#include <optional>

#include <fmt/format.h>

#include "config/command_line/options.h"
#include "core/error.h"
#include "core/text.h"

namespace vitrain::config {
namespace {

// Escapes a text so that troff prints it unchanged.
std::string plain(std::string_view text) {
  std::string escaped;
  bool line_starts = true;
  for (const char c : text) {
    if (line_starts && (c == '.' || c == '\'')) {
      escaped += "\\&";
    }
    line_starts = c == '\n';
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string heading(std::string_view text) {
  return fmt::format(".SH {}\n", text);
}

// Returns a term and its explanation as a list item.
std::string item(const std::string& term, std::string_view text) {
  return fmt::format(".TP\n{}\n{}\n", term, plain(text));
}

std::string example(std::string_view lines) {
  return fmt::format(".PP\n.nf\n{}.fi\n", plain(lines));
}

std::string verb_items() {
  std::string text;
  for (const VerbInfo& info : verbs()) {
    text += item(
        fmt::format(
            "\\fB{}\\fR{}",
            plain(info.words),
            info.files.empty() ? "" : " \\fI" + plain(info.files) + "\\fR"),
        info.summary);
  }
  return text;
}

// Returns " (With a, b.)", the verbs that accept an option; "" if `train`
// accepts it.
std::string restriction(const Option& option) {
  std::string names;
  std::size_t count = 0;
  for (const VerbInfo& info : verbs()) {
    if (contains(option.verbs, info.verb)) {
      names += (count++ == 0 ? "" : ", ") + std::string(info.words);
    }
  }
  const bool usual = contains(option.verbs, Verb::kTrain);
  return usual ? "" : fmt::format(" (With {}.)", names);
}

std::string option_items() {
  std::string text;
  std::optional<OptionGroup> group;
  for (const Option& option : options()) {
    if (option.group != group) {
      group = option.group;
      text += fmt::format(".SS {}\n", name_of(option.group));
    }
    text += item(
        fmt::format(
            "\\fB\\-{}\\fR{}",
            plain(option.name),
            option.label.empty() ? "" : " \\fI" + plain(option.label) + "\\fR"),
        std::string(option.help) + restriction(option));
  }
  return text;
}

std::string verb_examples() {
  std::string text;
  for (const VerbInfo& info : verbs()) {
    text += (text.empty() ? "" : ".PP\n") + plain(info.summary) + "\n" +
        example(info.examples);
  }
  return text;
}

std::string exit_items() {
  std::string text;
  for (const EnumName<ExitCode>& code : names_of(ExitCode{})) {
    text += item(
        fmt::format("\\fB{}\\fR", static_cast<int>(code.value)), code.name);
  }
  return text;
}

} // namespace

std::string man_page(std::string_view version) {
  return fmt::format(
             ".TH VITRAIN 1 \"\" \"vitrain {}\" \"User Commands\"\n",
             plain(version)) +
      heading("NAME") + "vitrain \\- train and evaluate image classifiers\n" +
      heading("SYNOPSIS") +
      "\\fBvitrain\\fR \\fB\\-cfg\\fR \\fIFILE\\fR [\\fIoptions\\fR]\n.br\n"
      "\\fBvitrain\\fR \\fB\\-cfg\\fR \\fIFILE\\fR \\fB\\-eval\\fR "
      "\\fB\\-pretrained\\fR \\fIWEIGHTS\\fR [\\fIoptions\\fR]\n.br\n"
      "\\fBvitrain\\fR \\fIVERB\\fR [\\fIoptions\\fR]\n" +
      heading("DESCRIPTION") +
      plain("vitrain trains and evaluates image classifiers from one YAML "
            "file, "
            "on every device it sees. An option is written with one dash or "
            "two, "
            "with _ or - in its name, as -name value or -name=value. Keys of "
            "the "
            "YAML file and their values are printed by vitrain config "
            "reference.\n") +
      heading("VERBS") + verb_items() + heading("OPTIONS") + option_items() +
      heading("EXIT STATUS") + exit_items() + heading("ENVIRONMENT") +
      item("\\fBCUDA_VISIBLE_DEVICES\\fR",
           "The devices that may be used; without any, workers run on the "
           "CPU.") +
      item("\\fBOMP_NUM_THREADS\\fR", "Threads of each worker on the CPU.") +
      heading("EXAMPLES") + verb_examples();
}

} // namespace vitrain::config
