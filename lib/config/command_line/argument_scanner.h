#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/command_line/options.h"
#include "config/load/problems.h"

namespace vitrain::config {

// A command line taken apart: which verb, which options with which values. What
// they mean together is parse_arguments()' business.
struct ScannedArguments {
  struct Given {
    const Option* option = nullptr;
    std::string value;
    std::string shown{}; // as it was given: "-nproc_per_node"
  };

  Verb verb = Verb::kTrain;
  bool verb_given = false;
  bool verb_unknown = false; // a problem says so
  std::string verb_group; // the first word of several verbs, without a second
  std::vector<Given> given; // in order; only -set more than once
  std::vector<std::string> files; // of a verb that takes them
  // The original words, without -hosts, -ssh, -np, -master and their values.
  std::vector<std::string> shared;

  // Whether an option was given, by its name in the table.
  bool has(std::string_view name) const;
};

// Adds every word that fits nothing to `problems`.
ScannedArguments scan_arguments(
    std::span<const std::string> words,
    Problems& problems);

} // namespace vitrain::config
