#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/command_line/options.h"
#include "config/schema/problems.h"
#include "core/ascii.h"
#include "core/text.h"

namespace vitrain::config {

// Command line split into its verb, options and file names, and the arguments
// that it sets. The functions in the table of options get it with the option
// that is being read.
class CommandLine {
 public:
  struct Given {
    const Option* option = nullptr;
    std::string value; // Option::implied if none was given
    std::string shown{}; // for messages, with the name given: "-nproc_per_node"
  };

  // Sets `given`, and of `arguments` the verb, help, version, file names and
  // words for other hosts. Adds a problem for every word that is not a verb,
  // option, value or file name, and for repeated options and missing or
  // unexpected values.
  CommandLine(std::span<const std::string> words, Problems& problems);

  // Applies the rows of the table for all options in `given`, in order. -eval
  // changes the verb train to eval.
  void read_options();

  // Value of the option that is being read, and its name for messages.
  std::string value;
  std::string shown;

  Arguments arguments;
  DataArguments& data = arguments.data;
  LaunchArguments& launch = arguments.launch;
  std::vector<std::string> sets; // values of -set

  std::vector<Given> given; // options in the order given
  bool verb_unknown = false; // the first words are no verb; a problem was added

  // Returns true if an option was given, with any value.
  bool has(std::string_view option) const {
    return value_of_given(option).has_value();
  }
  // Returns the value of an option; nullopt if it was not given.
  std::optional<std::string> value_of_given(std::string_view option) const;

  // Returns the current option's value as an integer. If it is not an integer
  // in [least, most], adds a problem and returns `least`.
  std::int64_t count(
      int least,
      int most = std::numeric_limits<std::int32_t>::max());
  // Returns the enumerator that the current option's value names, in capitals
  // or not. If none has the name, adds a problem and returns `otherwise`.
  template <typename Enum>
  Enum choice(Enum otherwise) {
    const std::optional<Enum> named = value_of<Enum>(ascii_lower(value));
    if (!named) {
      problem(fmt::format(
          "expected one of {}, got {}",
          fmt::join(all_names<Enum>(), ", "),
          printable(value)));
    }
    return named.value_or(otherwise);
  }

  // Adds an override of a key of the recipe, with the current option as its
  // source.
  void set(
      std::string_view key,
      std::string_view text,
      Override::Form form = Override::Form::kPlain);
  // Adds overrides of devices.kind, count and ids (separated by commas).
  void set_devices(
      std::string_view kind,
      std::string_view count,
      std::string_view ids = "");

  // Add a problem with the current option, a problem with the part `where` of
  // the command line, and a note about the current option.
  void problem(std::string text) { problem(shown, std::move(text)); }
  void problem(const std::string& where, std::string text) {
    problems_.add({where}, "", std::move(text));
  }
  void note(const std::string& text) {
    arguments.notes.push_back(shown + ": " + text);
  }

 private:
  // Returns true if the verb takes words besides options (VerbInfo::files).
  bool takes_files() const;
  std::size_t read_verb(std::span<const std::string> words);
  void read_given(const Option& option, const std::string& result);
  void read_rest(const std::vector<std::string>& rest);
  void refuse(const std::string& name, const std::vector<std::string>& values);

  Problems& problems_;
};

// Functions for options that do more than set one key or field.
void read_batch_size(CommandLine& option);
void read_dataset(CommandLine& option);
void read_devices(CommandLine& option);
void read_names(CommandLine& option);
void read_image_size(CommandLine& option);
void read_last_epoch(CommandLine& option);
void read_nnodes(CommandLine& option);
void read_np(CommandLine& option);
void read_output(CommandLine& option);
void read_resume(CommandLine& option);

} // namespace vitrain::config
