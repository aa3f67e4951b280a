#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "config/load/problems.h"
#include "config/rules/checker.h"
#include "config/sections/recipe.h"

namespace vitrain::config {

// As a number of workers: not known yet, and rules that need it wait.
inline constexpr std::int64_t kWorkersUnknown = 0;

// Environment in which a recipe is checked.
struct Circumstances {
  std::int64_t workers = 1; // of all machines
  bool cuda = false; // the workers run on CUDA devices
  bool training = true; // false: evaluation only
  // Reading::unread: rules that read one of these say nothing.
  std::set<std::string> unread{};

  // Whether a key, or one of a section's, is among them.
  bool is_unread(std::string_view key) const;
};

// Adds the findings of rules that could read all that they needed, each at the
// place where its key was set.
void add_findings(
    const std::vector<Finding>& findings,
    const Origins& origins,
    const Circumstances& circumstances,
    Problems& problems);

// Returns a problem for every broken rule between keys, and between keys and
// the machine. make_plan() has the rules that need the number of samples,
// models::check() the network's rules.
Problems validate(
    const Recipe& recipe,
    const Circumstances& circumstances,
    const Origins& origins = {});
// Adds the problems to `problems`.
void validate(
    const Recipe& recipe,
    const Circumstances& circumstances,
    const Origins& origins,
    Problems& problems);

} // namespace vitrain::config
