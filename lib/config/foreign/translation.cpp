#include "config/foreign/translation.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "config/load/recipe_layers.h"
#include "config/load/writer.h"
#include "config/schema/schema.h"
#include "config/schema/values.h"
#include "core/check.h"
#include "core/system/files.h"
#include "core/text.h"
#include "core/url.h"

namespace vitrain::config::foreign {
namespace {

constexpr std::size_t kLargestArguments = std::size_t{1} << 20; // bytes

// Keys that are always written, even with default values.
constexpr auto kAlwaysWritten = std::to_array<std::string_view>({
    "run.epochs",
    "model.name",
    "data.batch_size",
    "optim.name",
    "optim.lr",
    "schedule.name",
});

// Returns the given words that set a key, separated by commas; "" if there are
// none.
std::string said_by(const Words& words, const std::string& key) {
  std::vector<std::string> given;
  for (const Word& word : words.program().words) {
    const std::vector<std::string> keys = split(word.sets, ' ');
    if (words.changed(word.name) &&
        std::ranges::find(keys, key) != keys.end()) {
      given.emplace_back(word.name);
    }
  }
  return join(given, ", ");
}

// Wraps the parts of a comment to lines of at most 80 columns.
std::string wrapped(const std::vector<std::string>& parts) {
  std::string text;
  std::string line = "#  ";
  for (const std::string& part : parts) {
    if (line.size() + part.size() > 78) {
      text += line + "\n";
      line = "#  ";
    }
    line += " " + part;
  }
  return text + line + "\n";
}

std::string comment(
    std::string_view heading,
    const std::vector<Remark>& remarks) {
  std::string text;
  for (const Remark& remark : remarks) {
    text += fmt::format("#   {} ({})\n", remark.word, remark.text);
  }
  return text.empty() ? "" : fmt::format("# {}\n{}", heading, text);
}

// Returns the message for a word that the program does not have, such as
// "--data-path /d" or "data_path: /d".
std::string what_is_unknown(const std::string& word, const Program& program) {
  const std::string key = word.substr(0, word.find_first_of(": "));
  const std::string name = is_option(word) ? option_name(key) : key;
  const std::string other = is_option(word) ? answer(name, {}) : "";
  std::vector<std::string> names;
  for (const Word& known : program.words) {
    names.emplace_back(known.name);
  }
  std::string advice = did_you_mean(name, names);
  advice.insert(0, advice.empty() ? "" : ".");
  if (!other.empty()) {
    advice = "; " + other;
  }
  return fmt::format("not known of {}{}", program.title, advice);
}

// Throws Error(kUsage) if the file has words and the program knows none of
// them: it must be of another program.
void check_known(
    const Node& root,
    const std::string& source,
    const Program& program) {
  const bool known = std::ranges::any_of(root.entries, [&](const auto& entry) {
    return program.find(entry.key) != nullptr;
  });
  VITRAIN_CHECK(
      known || root.entries.empty(),
      ExitCode::kUsage,
      "{}: has no argument of {}: give the args.yaml of a run, or a file with "
      "its command",
      source,
      program.title);
}

// Returns the words of a file that contains a command. Throws Error(kUsage) if
// it does not.
std::vector<std::string> command_of_file(
    const std::string& text,
    const std::string& source) {
  constexpr const char* kAdvice =
      "give the args.yaml of a run, or a file with its command";
  VITRAIN_CHECK(
      text.find('\0') == std::string::npos,
      ExitCode::kUsage,
      "{}: is no text; {}",
      source,
      kAdvice);
  std::vector<std::string> words = split_command(text);
  VITRAIN_CHECK(
      !words.empty(),
      ExitCode::kUsage,
      "{}: no command is in it; {}",
      source,
      kAdvice);
  return words;
}

// Copies the values of words that need no translation; adds a remark for a
// value that its key does not accept.
void copy_values(const Words& words, Translation& to) {
  const Schema schema = schema_of(to.recipe);
  for (const Word& word : words.program().words) {
    if (!word.copied || !words.has(word.name)) {
      continue;
    }
    for (const std::string& key : split(word.sets, ' ')) {
      const auto field = std::ranges::find(schema.fields, key, &Field::path);
      Node value = words.at(word.name);
      value.quoted = field->type == ScalarType::kText;
      if (const auto problem = read_value(*field, value)) {
        to.missing.push_back({words.shown(word.name), *problem});
        break;
      }
    }
  }
}

} // namespace

Words read_words(const Program& program, const std::string& given) {
  Problems problems;
  Words words(program);
  const bool command =
      given.starts_with('-') || given.find(' ') != std::string::npos;
  if (command) {
    words.read_command(split_command(given), "the command", problems);
  } else {
    const std::string text =
        read_file(given, kLargestArguments, ExitCode::kUsage);
    const std::string source = printable(given);
    if (given.ends_with(".yaml") || given.ends_with(".yml")) {
      const auto root = parse_document(text, source, problems);
      if (root && is_recipe(*root, source, problems)) {
        check_known(*root, source, program);
        words.read_yaml(*root, source, problems);
      }
    } else {
      words.read_command(command_of_file(text, source), source, problems);
    }
  }
  problems.throw_if_any();
  return words;
}

Words read_words(
    const Program& program,
    const std::vector<std::string>& command) {
  Problems problems;
  Words words(program);
  words.read_command(command, "the command", problems);
  problems.throw_if_any();
  return words;
}

Translation translate(const Words& words) {
  Translation translation;
  copy_values(words, translation);
  words.program().translate(words, translation);
  for (const Word& word : words.program().words) {
    if (!word.sets.empty() || !words.changed(word.name)) {
      continue;
    }
    if (word.without == Without::kMissing) {
      translation.missing.push_back(
          {words.shown(word.name), std::string(word.note)});
    } else if (word.without == Without::kIdle) {
      translation.idle.emplace_back(word.name);
    }
  }
  for (const std::string& word : words.unknown()) {
    translation.missing.push_back(
        {word, what_is_unknown(word, words.program())});
  }
  return translation;
}

std::string to_file(const Words& words, const Translation& translation) {
  Recipe recipe = translation.recipe;
  Recipe defaults;
  const Schema here = schema_of(recipe);
  const Schema before = schema_of(defaults);
  std::map<std::string, std::string> comments;
  for (std::size_t i = 0; i < here.fields.size(); ++i) {
    const Field& field = here.fields[i];
    const bool idle = field.needs_met && !field.needs_met();
    const std::string given = said_by(words, field.path);
    const bool differs = write_value(field) != write_value(before.fields[i]);
    const bool always =
        std::ranges::find(kAlwaysWritten, field.path) != kAlwaysWritten.end();
    if (!idle && (differs || always || !given.empty())) {
      comments[field.path] = given.empty()
          ? fmt::format("{}'s default", words.program().name)
          : given;
    }
  }
  std::string text = fmt::format(
      "# Arguments of {}, translated by\n"
      "# `vitrain config from-{}`; behind each value the words that say it.\n",
      words.program().title,
      words.program().name);
  text += comment("Left out, because it is not there:", translation.missing);
  text += comment("Done in another way:", translation.differs);
  if (!translation.idle.empty()) {
    text +=
        "# Without an effect on what is trained:\n" + wrapped(translation.idle);
  }
  return hide_user_info(text) + to_yaml(recipe, comments);
}

std::string left_out(const Translation& translation) {
  std::string text;
  for (const Remark& remark : translation.missing) {
    text += fmt::format("left out: {} ({})\n", remark.word, remark.text);
  }
  for (const Remark& remark : translation.differs) {
    text += fmt::format("another way: {} ({})\n", remark.word, remark.text);
  }
  if (!translation.idle.empty()) {
    text += "no effect: " + join(translation.idle, ", ") + "\n";
  }
  return text;
}

} // namespace vitrain::config::foreign
