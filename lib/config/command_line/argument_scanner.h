#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/command_line/options.h"
#include "config/schema/problems.h"

namespace vitrain::config {

// Command line split into its verb, options and values. parse_arguments()
// checks whether they fit together.
struct ScannedArguments {
  struct Given {
    const Option* option = nullptr;
    std::string value;
    std::string shown{}; // spelling on the command line: "-nproc_per_node"
  };

  Verb verb = Verb::kTrain;
  bool verb_given = false;
  bool verb_unknown = false; // and a problem was added
  // First word of a two-word verb whose second word is missing.
  std::string verb_group;
  std::vector<Given> given; // in order; only -set may be repeated
  std::vector<std::string> files; // file names, for verbs that take them
  // The original words, without -hosts, -ssh, -np, -master and their values.
  std::vector<std::string> shared;

  // Returns true if the option with this name in the table was given.
  bool has(std::string_view name) const;
};

// Adds a problem for every word that is not a verb, option, value or file name.
ScannedArguments scan_arguments(
    std::span<const std::string> words,
    Problems& problems);

} // namespace vitrain::config
