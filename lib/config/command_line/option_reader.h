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

// State for the functions that the table of options calls: the current option,
// and the result of parsing so far.
class OptionReader {
 public:
  OptionReader(
      const ScannedArguments& scanned,
      Problems& problems,
      Arguments& result)
      : arguments(result), scanned_(scanned), problems_(problems) {}

  // Applies the row of the table for this option.
  void read(const ScannedArguments::Given& given);

  // The option that is being read.
  std::string value;
  std::string shown; // spelling on the command line: "-nproc_per_node"

  Arguments& arguments;
  DataArguments& data = arguments.data;
  LaunchArguments& launch = arguments.launch;

  std::vector<std::string> sets; // the values of -set

  // Returns true if an option was given, with any value.
  bool has(std::string_view option) const { return scanned_.has(option); }
  // Returns the value of an option; nullopt if it was not given.
  std::optional<std::string> given(std::string_view option) const;

  // Returns the current option's value as an integer. If it is not an integer
  // in [least, most], adds a problem and returns `least`.
  std::int64_t count(
      int least,
      int most = std::numeric_limits<std::int32_t>::max());

  // Sets a key of the recipe; messages name this option as its source.
  void set(
      std::string_view key,
      std::string_view text,
      Override::Form form = Override::Form::kPlain);
  void set_devices(
      std::string_view kind,
      std::string_view count,
      std::string_view ids = "");

  // Add a problem with this option, or a note about it.
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

// Functions for options that do more than set one key or field.
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
