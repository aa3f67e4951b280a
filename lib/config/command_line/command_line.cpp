#include "config/command_line/command_line.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "config/foreign/words.h"
#include "config/rules/unsupported_keys.h"
#include "core/text.h"

namespace vitrain::config {
namespace {

using foreign::is_option;

// Names of verbs in other programs, and vitrain's names for them.
constexpr std::pair<std::string_view, std::string_view> kOtherVerbs[] = {
    {"test", "eval"},
    {"evaluate", "eval"},
    {"validate", "eval"},
    {"infer", "predict"},
    {"inference", "predict"},
};

// First byte of every value and file name that CLI11 gets, so that it never
// takes one for an option, and an empty value differs from none. No argument of
// a program contains it.
constexpr char kMark = '\0';

// Returns "batch_size" for "--batch-size=8", and "help" for "-h".
std::string name_in(const std::string& word) {
  const std::string name = foreign::option_name(word.substr(0, word.find('=')));
  return name == "h" ? "help" : name;
}

bool is_yaml(std::string_view word) {
  return word.ends_with(".yaml") || word.ends_with(".yml");
}

// Returns a word as CLI11 gets it. An option: "--batch_size" for "-batch-size",
// with kMark before the value if there is one ("--batch_size=" + kMark + "8").
// Another word, and with `is_file` any word: kMark and the word.
std::string normalized(const std::string& word, bool is_file) {
  if (is_file || !is_option(word)) {
    return kMark + word;
  }
  const std::size_t equals = word.find('=');
  return "--" + name_in(word) +
      (equals == word.npos ? "" : "=" + (kMark + word.substr(equals + 1)));
}

// Adds an option for each name of each row. CLI11's sub-commands, messages and
// config files are not used: see docs/decisions/024-cli11.md.
std::map<const CLI::Option*, const Option*> add_options(CLI::App& app) {
  app.set_help_flag(); // the table of options has -help
  app.allow_extras();
  std::map<const CLI::Option*, const Option*> rows;
  for (const Option& row : options()) {
    for (const std::string_view name : {row.name, row.alias}) {
      if (!name.empty()) {
        const CLI::Option* added =
            app.add_option("--" + std::string(name))
                ->expected(0, row.label.empty() ? 0 : 1)
                ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
        rows[added] = &row;
      }
    }
  }
  return rows;
}

} // namespace

CommandLine::CommandLine(std::span<const std::string> words, Problems& problems)
    : problems_(problems) {
  launch.shared.assign(words.begin(), words.end());
  words = words.subspan(read_verb(words));
  const auto end = std::ranges::find(words, "--"); // end of options
  std::vector<std::string> reversed;
  for (auto word = end; word != words.begin();) {
    --word;
    // A file's name, or a whole command in quotes.
    const bool is_file = takes_files() && word->find(' ') != word->npos;
    reversed.push_back(normalized(*word, is_file));
  }
  CLI::App app;
  const auto rows = add_options(app);
  app.parse(std::move(reversed));

  read_rest(app.remaining());
  if (end != words.end() && takes_files()) {
    data.files.insert(data.files.end(), end + 1, words.end());
  } else if (end != words.end()) {
    refuse("", {});
  }
  std::map<const CLI::Option*, std::size_t> results;
  for (const CLI::Option* parsed : app.parse_order()) {
    shown = "-" + parsed->get_lnames().front();
    read_given(*rows.at(parsed), parsed->results().at(results[parsed]++));
  }
  for (const Given& one : given) {
    if (one.option->local) { // not for other hosts
      const auto word =
          std::ranges::find_if(launch.shared, [&](const std::string& other) {
            return is_option(other) && "-" + name_in(other) == one.shown;
          });
      const bool apart =
          !one.value.empty() && word->find('=') == std::string::npos;
      launch.shared.erase(word, word + (apart ? 2 : 1));
    }
  }
  arguments.help |= has("help");
  arguments.version = has("version");
}

bool CommandLine::takes_files() const {
  return arguments.verb_given && !info_of(arguments.verb).files.empty();
}

// Takes the verb: the first word if it is neither an option nor a YAML file,
// and the second word if the verb has two. "help" before them requests help.
// Adds a problem for an unknown verb. Returns the number of words taken.
std::size_t CommandLine::read_verb(std::span<const std::string> words) {
  arguments.help = !words.empty() && words[0] == "help";
  const std::size_t start = arguments.help ? 1 : 0;
  if (words.size() <= start || is_option(words[start]) ||
      is_yaml(words[start])) {
    return start;
  }
  std::vector<std::string> parts{words[start]};
  for (const auto& [other, here] : kOtherVerbs) {
    parts[0] = parts[0] == other ? here : parts[0];
  }
  if (words.size() > start + 1 && !is_option(words[start + 1])) {
    parts.push_back(words[start + 1]);
  }
  if (const VerbInfo* verb = find_verb(parts)) {
    arguments.verb = verb->verb;
    arguments.verb_given = true;
    return start + split(verb->words, ' ').size();
  }
  verb_unknown = true;
  shown = printable(parts[0]);
  std::vector<std::string> known = verb_words(parts[0]);
  if (known.empty() || parts[0].empty()) {
    known = verb_words("");
    problem(fmt::format(
        "unknown verb; there are {}.{}",
        join(known, ", "),
        did_you_mean(parts[0], known)));
    return start + 1;
  }
  if (parts.size() == 1) {
    arguments.verb_group = parts[0];
    problem(fmt::format("expected one of {} behind it", join(known, ", ")));
  } else {
    problem(fmt::format(
        "has no verb '{}'; there are {}.{}",
        printable(parts[1]),
        join(known, ", "),
        did_you_mean(parts[1], known)));
  }
  return start + parts.size();
}

// Records an option that CLI11 found, and adds a problem if its value is wrong.
// `result`: kMark and the value, "" without a value.
void CommandLine::read_given(const Option& option, const std::string& result) {
  if (option.name != "set" && has(option.name)) {
    problem("given twice");
  }
  if (option.label.empty() && !result.empty()) {
    problem("takes no value");
    return;
  }
  value = result.empty() ? std::string(option.implied) : result.substr(1);
  if (!option.label.empty() && value.empty()) {
    problem(fmt::format(
        "{}: {} {}",
        result.empty() ? "needs a value" : "its value is empty",
        shown,
        option.label));
  }
  // Recorded even without a value, so that it is not reported as missing too.
  given.push_back({&option, value, shown});
}

// Takes the words that are neither known options nor their values: as file
// names if the verb takes files. Adds a problem for every other word.
void CommandLine::read_rest(const std::vector<std::string>& rest) {
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const std::string& word = rest[i];
    if (!word.starts_with(kMark)) {
      // Takes the words after an unknown option as its values, not as mistakes.
      std::vector<std::string> values;
      if (const std::size_t equals = word.find('='); equals != word.npos) {
        values.push_back(word.substr(equals + 2));
      } else {
        std::size_t count =
            foreign::values_of(name_in(word), std::span(rest).subspan(i + 1));
        while (count-- > 0) {
          values.push_back(rest[++i].substr(1));
        }
      }
      refuse(name_in(word), values);
    } else if (takes_files()) {
      data.files.push_back(word.substr(1));
    } else {
      shown = printable(word.substr(1));
      problem(
          is_yaml(shown)
              ? fmt::format("a config file is given as -cfg {}", shown)
              : "unexpected: a value stands behind the option it is for");
    }
  }
}

void CommandLine::refuse(
    const std::string& name,
    const std::vector<std::string>& values) {
  shown = "-" + printable(name);
  if (const auto reason = refusal_of(name); !reason.empty()) {
    problem(fmt::format("not offered: {}", reason));
    return;
  }
  if (std::string said = foreign::answer(name, values); !said.empty()) {
    problem(std::move(said));
    return;
  }
  std::vector<std::string> names;
  for (const Option& option : options()) {
    names.emplace_back(option.name);
  }
  const std::string near = nearest(name, names);
  problem(
      near.empty() ? "unknown option; vitrain --help lists them all"
                   : fmt::format("unknown option. Did you mean -{}?", near));
}

} // namespace vitrain::config
