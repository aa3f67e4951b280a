#pragma once

#include <string>
#include <utility>
#include <vector>

namespace vitrain::config {

// A key whose value does not go with others.
struct Finding {
  std::string key;
  std::string text;
  // Other keys, or sections, that the rule reads: it says nothing where one of
  // them could not be read.
  std::vector<std::string> others{};
};

// Collects what is wrong with a recipe: rules are sentences in code.
class Checker {
 public:
  // Unless `good`: adds a finding at `key`; `others` as in Finding.
  void require(
      bool good,
      const std::string& key,
      std::string text,
      std::vector<std::string> others = {}) {
    if (!good) {
      findings_.push_back({key, std::move(text), std::move(others)});
    }
  }
  // What other rules have found.
  void add(const std::vector<Finding>& findings) {
    findings_.insert(findings_.end(), findings.begin(), findings.end());
  }
  // Everything; the checker is empty then.
  std::vector<Finding> take() { return std::move(findings_); }

 private:
  std::vector<Finding> findings_;
};

} // namespace vitrain::config
