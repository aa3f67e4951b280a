#pragma once

#include <string>
#include <utility>
#include <vector>

namespace vitrain::config {

// Violation of a rule that reading a single value does not check.
struct Finding {
  std::string key;
  std::string text; // message without the key, printed as "key: text"
  // Other keys or sections that the rule reads. add_findings() drops the
  // finding if one of them could not be read.
  std::vector<std::string> others{};
};

// Collects findings about a recipe.
class Checker {
 public:
  // Adds a finding for `key` if `good` is false; `others`: see Finding::others.
  void require(
      bool good,
      const std::string& key,
      std::string text,
      std::vector<std::string> others = {}) {
    if (!good) {
      findings_.push_back({key, std::move(text), std::move(others)});
    }
  }
  // Adds findings from other checks.
  void add(const std::vector<Finding>& findings) {
    findings_.insert(findings_.end(), findings.begin(), findings.end());
  }
  // Returns all findings and clears them.
  std::vector<Finding> take() { return std::move(findings_); }

 private:
  std::vector<Finding> findings_;
};

} // namespace vitrain::config
