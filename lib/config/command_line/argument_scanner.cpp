#include "config/command_line/argument_scanner.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "config/foreign/words.h"
#include "config/rules/unsupported_keys.h"
#include "core/text.h"

namespace vitrain::config {
namespace {

// Names of verbs in other programs, and vitrain's names for them.
constexpr std::pair<std::string_view, std::string_view> kOtherVerbs[] = {
    {"test", "eval"},
    {"evaluate", "eval"},
    {"validate", "eval"},
    {"infer", "predict"},
    {"inference", "predict"},
};

using foreign::is_option;

// Returns "batch_size" for "-batch-size", and "help" for "-h".
std::string normal_name(const std::string& word) {
  const std::string name = foreign::option_name(word);
  return name == "h" ? "help" : name;
}

// Hand-written instead of a library for the reasons in
// docs/decisions/017-own-command-line.md.
class Scanner {
 public:
  Scanner(std::span<const std::string> words, Problems& problems)
      : words_(words), problems_(problems) {}

  ScannedArguments scan() {
    read_verb();
    keep_shared(0);
    while (next_ < words_.size()) {
      const std::size_t first = next_;
      const std::string& word = words_[next_++];
      if (takes_files_ && word == "--") { // no option follows
        result_.files.insert(
            result_.files.end(), words_.begin() + next_, words_.end());
        next_ = words_.size();
      } else if (
          takes_files_ &&
          (!is_option(word) || // or a whole command:
           word.find(' ') != word.npos)) {
        result_.files.push_back(word);
      } else if (is_option(word)) {
        read_option(word);
      } else {
        unexpected(word);
      }
      keep_shared(first);
    }
    return std::move(result_);
  }

 private:
  void problem(const std::string& where, std::string text) {
    problems_.add({where}, "", std::move(text));
  }

  // Adds the words from `first` on to the shared arguments, unless the last
  // option applies to this machine only.
  void keep_shared(std::size_t first) {
    if (first > 0 && !result_.given.empty() &&
        result_.given.back().option->local) {
      return;
    }
    for (std::size_t i = first; i < next_; ++i) {
      result_.shared.push_back(words_[i]);
    }
  }

  // Takes the first word if it is not an option, and the second word if the
  // verb has two; "help" before them requests help.
  void read_verb() {
    if (!words_.empty() && words_[0] == "help") {
      give_help();
      next_ = 1;
    }
    const std::size_t start = next_;
    if (words_.size() <= start || is_option(words_[start])) {
      return;
    }
    std::string first = words_[start];
    for (const auto& [other, here] : kOtherVerbs) {
      first = first == other ? here : first;
    }
    const bool has_second =
        words_.size() > start + 1 && !is_option(words_[start + 1]);
    const std::string second = has_second ? words_[start + 1] : "";
    std::vector<std::string> seconds;
    for (const VerbInfo& info : verbs()) {
      const std::vector<std::string> parts = split(info.words, ' ');
      if (parts[0] != first) {
        continue;
      }
      if (parts.size() == 1 || parts[1] == second) {
        result_.verb = info.verb;
        result_.verb_given = true;
        takes_files_ = !info.files.empty();
        next_ = start + parts.size();
        return;
      }
      seconds.push_back(parts[1]);
    }
    if (!seconds.empty()) {
      next_ = start + (second.empty() ? 1 : 2);
      refuse_second(first, second, seconds);
    }
  }

  void give_help() {
    const auto help = std::ranges::find(options(), "help", &Option::name);
    result_.given.push_back({&*help, "", "help"});
  }

  void refuse_second(
      const std::string& first,
      const std::string& second,
      const std::vector<std::string>& known) {
    result_.verb_unknown = true;
    result_.verb_group = second.empty() ? first : "";
    const std::string all = join(known, ", ");
    problem(
        first,
        second.empty() ? fmt::format("expected one of {} behind it", all)
                       : fmt::format(
                             "has no verb '{}'; there are {}.{}",
                             printable(second),
                             all,
                             did_you_mean(second, known)));
  }

  void unexpected(const std::string& word) {
    const std::string shown = printable(word);
    if (word.ends_with(".yaml") || word.ends_with(".yml")) {
      problem(shown, fmt::format("a config file is given as -cfg {}", shown));
      return;
    }
    if (next_ > (words_[0] == "help" ? 2U : 1U)) {
      problem(shown, "unexpected: a value stands behind the option it is for");
      return;
    }
    result_.verb_unknown = true;
    std::vector<std::string> known;
    for (const VerbInfo& info : verbs()) {
      const std::string name = split(info.words, ' ').front();
      if (known.empty() || known.back() != name) {
        known.push_back(name);
      }
    }
    problem(
        shown,
        fmt::format(
            "unknown verb; there are {}.{}",
            join(known, ", "),
            did_you_mean(word, known)));
  }

  void read_option(const std::string& word) {
    std::string name = word;
    std::optional<std::string> value;
    if (const std::size_t equals = name.find('='); equals != name.npos) {
      value = name.substr(equals + 1);
      name.resize(equals);
    }
    name = normal_name(name);
    const std::string shown = "-" + printable(name);
    const auto option =
        std::ranges::find_if(options(), [&](const Option& known) {
          return name == known.name ||
              (name == known.alias && !known.alias.empty());
        });
    if (option == options().end()) {
      refuse(name, value);
      return;
    }
    if (option->name != "set" && result_.has(option->name)) {
      problem(shown, "given twice");
    }
    if (option->label.empty()) {
      read_flag(*option, shown, value.has_value());
    } else {
      read_value(*option, shown, std::move(value));
    }
  }

  void refuse(
      const std::string& name,
      const std::optional<std::string>& value) {
    // Skips the words after the option: they are its values, not further
    // mistakes.
    std::vector<std::string> values;
    if (value) {
      values.push_back(*value);
    } else {
      const auto rest = words_.subspan(next_);
      const std::size_t count = foreign::values_of(name, rest);
      values.assign(rest.begin(), rest.begin() + count);
      next_ += count;
    }
    const std::string shown = "-" + printable(name);
    if (const auto reason = refusal_of(name); !reason.empty()) {
      problem(shown, fmt::format("not offered: {}", reason));
      return;
    }
    if (std::string said = foreign::answer(name, values); !said.empty()) {
      problem(shown, std::move(said));
      return;
    }
    std::vector<std::string> names;
    for (const Option& option : options()) {
      names.emplace_back(option.name);
    }
    const std::string near = nearest(name, names);
    problem(
        shown,
        near.empty() ? "unknown option; vitrain --help lists them all"
                     : fmt::format("unknown option. Did you mean -{}?", near));
  }

  void read_flag(const Option& option, const std::string& shown, bool value) {
    if (value) {
      problem(shown, "takes no value");
    } else {
      result_.given.push_back({&option, std::string(option.implied), shown});
    }
  }

  void read_value(
      const Option& option,
      const std::string& shown,
      std::optional<std::string> value) {
    const bool follows = next_ < words_.size() && !is_option(words_[next_]);
    if (!value && follows) {
      value = words_[next_++];
    }
    if (!value && !option.implied.empty()) {
      value = option.implied;
    }
    if (!value || value->empty()) {
      problem(
          shown,
          fmt::format(
              "{}: {} {}",
              value ? "its value is empty" : "needs a value",
              shown,
              option.label));
    }
    // Recorded even without a value, so that it is not reported as missing too.
    result_.given.push_back({&option, value.value_or(""), shown});
  }

  std::span<const std::string> words_;
  Problems& problems_;
  std::size_t next_ = 0;
  bool takes_files_ = false;
  ScannedArguments result_;
};

} // namespace

bool ScannedArguments::has(std::string_view name) const {
  return std::ranges::any_of(
      given, [name](const Given& one) { return one.option->name == name; });
}

ScannedArguments scan_arguments(
    std::span<const std::string> words,
    Problems& problems) {
  return Scanner(words, problems).scan();
}

} // namespace vitrain::config
