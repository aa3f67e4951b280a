#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "config/rules/checker.h"
#include "config/schema/problems.h"
#include "config/sections/recipe.h"

namespace vitrain::config {

// Value for an unknown number of workers: rules that need the number are
// skipped.
inline constexpr std::int64_t kWorkersUnknown = 0;

// Environment for which a recipe is checked.
struct CheckContext {
  std::int64_t workers = 1; // of all machines
  bool cuda = false; // the workers run on CUDA devices
  bool training = true; // false: evaluation only
  // PartialRecipe::unread: rules that read one of these keys are skipped.
  std::set<std::string> unread{};

  // Returns true if `unread` has the key or, for a section, one of its keys.
  bool is_unread(std::string_view key) const;
};

// Adds findings to `problems`, each at the position that set its key, except
// for findings that depend on an unread key.
void add_findings(
    const std::vector<Finding>& findings,
    const Origins& origins,
    const CheckContext& context,
    Problems& problems);

// Returns a problem for every broken rule between keys, and between keys and
// the machine. make_plan() has the rules that need the number of samples,
// models::check() the network's rules.
Problems validate(
    const Recipe& recipe,
    const CheckContext& context,
    const Origins& origins = {});
// Adds the problems to `problems`.
void validate(
    const Recipe& recipe,
    const CheckContext& context,
    const Origins& origins,
    Problems& problems);

} // namespace vitrain::config
