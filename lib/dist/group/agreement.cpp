#include "dist/group/agreement.h"

#include <algorithm>
#include <vector>

#include <fmt/ranges.h>

#include "core/check.h"
#include "core/hash.h"
#include "core/text.h"
#include "dist/group/collectives.h"

namespace vitrain::dist {
namespace {

using Facts = std::map<std::string, std::string>;

// Limits that keep the message readable.
constexpr std::size_t kMostDifferences = 20;
constexpr std::size_t kLongestValue = 100;

std::uint64_t fingerprint(const Facts& facts) {
  std::string text;
  for (const auto& [name, value] : facts) {
    // The length prefixes keep a value from imitating other facts.
    text += fmt::format("{}:{}{}:{}", name.size(), name, value.size(), value);
  }
  return hash64(text);
}

// Returns, for example, "25 on rank 0, 1; 10 on rank 2"; "" if all ranks have
// the same value. A rank without a value has the value "nothing".
std::string difference(const std::vector<Facts>& all, const std::string& name) {
  std::map<std::string, std::vector<std::size_t>> ranks;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const auto found = all[rank].find(name);
    ranks[found == all[rank].end() ? "nothing" : found->second].push_back(rank);
  }
  if (ranks.size() == 1) {
    return "";
  }
  std::vector<std::pair<std::vector<std::size_t>, std::string>> values;
  for (const auto& [value, owners] : ranks) {
    values.emplace_back(owners, printable(value.substr(0, kLongestValue)));
  }
  std::ranges::sort(values); // by first rank
  std::vector<std::string> texts;
  for (const auto& [owners, value] : values) {
    texts.push_back(
        fmt::format("{} on rank {}", value, fmt::join(owners, ", ")));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

} // namespace

void check_agreement(Group& control, const Facts& facts) {
  const auto prints = all_gather(control, fingerprint(facts));
  if (std::ranges::adjacent_find(prints, std::not_equal_to()) == prints.end()) {
    return;
  }
  const std::vector<Facts> all = all_gather(control, facts);
  Facts names;
  for (const Facts& other : all) {
    names.insert(other.begin(), other.end());
  }
  std::string report;
  std::size_t differences = 0;
  for (const auto& [name, value] : names) {
    const std::string text = difference(all, name);
    if (!text.empty() && ++differences <= kMostDifferences) {
      report += fmt::format("\n  {}: {}", printable(name), text);
    }
  }
  if (differences > kMostDifferences) {
    report += fmt::format("\n  and {} more", differences - kMostDifferences);
  }
  fail(
      ExitCode::kUsage,
      "the workers do not agree on what to train, and nothing was started:{}\n"
      "Start all of them with the same config, data and version",
      report);
}

} // namespace vitrain::dist
