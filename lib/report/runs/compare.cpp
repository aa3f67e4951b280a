#include "report/runs/compare.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "config/load/writer.h"

namespace vitrain::report {
namespace {

bool is_about_files(std::string_view key) {
  return key == "run.name" || key == "run.output" || key.starts_with("log.");
}

// Returns a fact of a start record or environment.json; "" if it is absent.
std::string fact_of(const Json& record, std::string_view key) {
  const auto found = record.find(key);
  if (found == record.end()) {
    return "";
  }
  return found->is_string() ? found->get<std::string>() : to_line(*found);
}

struct Fact {
  const char* name; // name of the row
  const char* key;
  // In environment.json; false: in the start record.
  bool of_environment = false;
};
constexpr std::array kFacts{
    Fact{"workers", "workers"},
    Fact{"global batch", "global_batch"},
    Fact{"precision", "precision"},
    Fact{"devices", "devices"},
    Fact{"parameters", "parameters"},
    Fact{"training samples", "train_samples"},
    Fact{"vitrain", "version"},
    Fact{"torch", "torch", true},
    Fact{"processor", "processor", true}};

bool all_equal(const std::vector<std::string>& values) {
  return std::ranges::all_of(values, [&](const std::string& value) {
    return value == values.front();
  });
}

// Returns rows of the keys in which recipes differ from the first run's that
// has one, except those of is_about_files().
std::vector<SettingRow> different_keys(std::span<const Run> runs) {
  const auto first = std::ranges::find_if(
      runs, [](const Run& run) { return run.recipe.has_value(); });
  if (first == runs.end()) {
    return {};
  }
  // For each key, the differing values by run, and the first run's value.
  std::map<std::string, std::map<std::size_t, std::string>> others;
  std::map<std::string, std::string> before;
  std::vector<std::string> order;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!runs[i].recipe) {
      continue;
    }
    for (const config::Difference& difference :
         config::differences(*first->recipe, *runs[i].recipe)) {
      if (is_about_files(difference.key)) {
        continue;
      }
      if (before.emplace(difference.key, difference.before).second) {
        order.push_back(difference.key);
      }
      others[difference.key][i] = difference.after;
    }
  }
  std::vector<SettingRow> rows;
  for (const std::string& key : order) {
    SettingRow row{.name = key, .values = {}};
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto other = others[key].find(i);
      const bool same = other == others[key].end();
      const std::string& value = same ? before[key] : other->second;
      row.values.push_back(runs[i].recipe ? value : "");
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

} // namespace

std::vector<SettingRow> different_settings(std::span<const Run> runs) {
  std::vector<SettingRow> rows = different_keys(runs);
  for (const Fact& fact : kFacts) {
    SettingRow row{.name = fact.name, .values = {}};
    for (const Run& run : runs) {
      row.values.push_back(fact_of(
          fact.of_environment ? run.environment : run.records.start, fact.key));
    }
    if (!runs.empty() && !all_equal(row.values)) {
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::vector<SettingRow> settings_of(const Run& run) {
  std::vector<SettingRow> rows;
  if (run.recipe) {
    for (const config::Difference& difference :
         config::differences(config::Recipe{}, *run.recipe)) {
      rows.push_back({difference.key, {difference.after, difference.before}});
    }
  }
  return rows;
}

} // namespace vitrain::report
