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
  // Devices of all machines: workers, or replicas with dist.mode
  // single_process; or kWorkersUnknown.
  std::int64_t workers = 1;
  bool cuda = false; // the workers run on CUDA devices
  bool training = true; // false: evaluation only
  // PartialRecipe::unread: rules that read one of these keys are skipped.
  std::set<std::string> unread{};

  // Returns true if `unread` has the key, a section that contains it or, for a
  // section, one of its keys.
  bool is_unread(std::string_view key) const;
};

// Adds findings to `problems`, each at the position that set its key (an empty
// one for defaults), except for findings whose key or Finding::others are
// unread.
void add_findings(
    const std::vector<Finding>& findings,
    const Origins& origins,
    const CheckContext& context,
    Problems& problems);

// Returns a problem for every broken rule between keys, and between keys and
// the machine. `context.training` false: only the rules of evaluation.
// make_plan() has the rules that need the number of samples, models::check()
// the network's rules.
Problems validate(
    const Recipe& recipe,
    const CheckContext& context,
    const Origins& origins = {});
// Adds to `problems` what validate() without it returns.
void validate(
    const Recipe& recipe,
    const CheckContext& context,
    const Origins& origins,
    Problems& problems);

} // namespace vitrain::config
