#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/command_line/argument_scanner.h"
#include "config/command_line/arguments.h"

namespace vitrain::config {

// State of the functions in the table of options: the current option, and the
// result of parsing so far.
class OptionReader {
 public:
  OptionReader(
      const ScannedArguments& scanned,
      Problems& problems,
      Arguments& result)
      : arguments(result), scanned_(scanned), problems_(problems) {}

  // Applies the option's row of the table.
  void read(const ScannedArguments::Given& given);

  // The option being read.
  std::string value;
  std::string shown; // as it was given: "-nproc_per_node"

  Arguments& arguments;
  DataArguments& data = arguments.data;
  LaunchArguments& launch = arguments.launch;

  std::vector<std::string> sets; // the values of -set

  // Whether an option was given, whatever its value.
  bool has(std::string_view option) const { return scanned_.has(option); }
  // The value of an option, if it was given.
  std::optional<std::string> given(std::string_view option) const;

  // The value as a number; `least`, and a problem, when it is none or outside.
  std::int64_t count(
      int least,
      int most = std::numeric_limits<std::int32_t>::max());

  // Sets a key of the recipe, in the name of this option.
  void set(
      std::string_view key,
      std::string_view text,
      Override::Form form = Override::Form::kPlain);
  void set_devices(
      std::string_view kind,
      std::string_view count,
      std::string_view ids = "");

  // Something is wrong with this option, or to be said about it.
  void problem(std::string text) {
    problems_.add({shown}, "", std::move(text));
  }
  void note(const std::string& text) {
    arguments.notes.push_back(shown + ": " + text);
  }

 private:
  const ScannedArguments& scanned_;
  Problems& problems_;
};

// Options that do more than to set one key or field.
void read_batch_size(OptionReader& option);
void read_dataset(OptionReader& option);
void read_devices(OptionReader& option);
void read_filter(OptionReader& option);
void read_format(OptionReader& option);
void read_names(OptionReader& option);
void read_image_size(OptionReader& option);
void read_last_epoch(OptionReader& option);
void read_nnodes(OptionReader& option);
void read_np(OptionReader& option);
void read_output(OptionReader& option);
void read_resume(OptionReader& option);
void read_sort(OptionReader& option);

} // namespace vitrain::config
