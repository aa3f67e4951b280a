// Implements list_runs() and runs_json() of listing.h.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/json_values.h"
#include "core/text.h"
#include "report/runs/compare.h"
#include "report/terminal/listing.h"

namespace vitrain::report {
namespace {

std::optional<Json> copy_of(const Json* record) {
  return record == nullptr ? std::nullopt : std::optional(*record);
}

ListedRun listed(const std::filesystem::path& folder) {
  ListedRun one;
  one.run = open_run(folder);
  one.metric = &one.run.metric();
  one.best = copy_of(one.run.best());
  one.last = copy_of(one.run.last());
  // Saves memory: a list of many runs would hold all points.
  one.run.records.curves.clear();
  one.run.records.evaluations.clear();
  one.run.records.ema_evaluations.clear();
  return one;
}

// Returns the value that more than half of the runs have; null if there is
// none.
const std::string* usual(const std::vector<std::string>& values) {
  std::map<std::string, std::size_t> counts;
  for (const std::string& value : values) {
    if (2 * ++counts[value] > values.size()) {
      return &value;
    }
  }
  return nullptr;
}

void add_settings(std::vector<ListedRun>& list) {
  std::vector<Run> runs;
  runs.reserve(list.size());
  for (const ListedRun& one : list) {
    runs.push_back(one.run);
  }
  for (const SettingRow& row : different_settings(runs)) {
    const std::string* most = usual(row.values);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string& value = row.values[i];
      if (!value.empty() && (most == nullptr || value != *most)) {
        list[i].settings.emplace_back(row.name, value);
      }
    }
  }
}

constexpr double kLast = std::numeric_limits<double>::infinity();

// Returns a sort key that puts the best result first, for metrics of either
// direction.
double result_key(const ListedRun& one) {
  const auto value = one.result();
  return !value || !std::isfinite(*value) ? kLast
      : one.metric->larger_is_better      ? -*value
                                          : *value;
}

void sort_runs(std::vector<ListedRun>& list, config::RunOrder sort) {
  const auto by = [&](auto key) { std::ranges::stable_sort(list, {}, key); };
  switch (sort) {
    case config::RunOrder::kName: // unchanged order
      break;
    case config::RunOrder::kStarted:
      by([](const ListedRun& one) { return one.started(); });
      break;
    case config::RunOrder::kState:
      by([](const ListedRun& one) { return one.run.state; });
      break;
    case config::RunOrder::kResult:
      by(result_key);
      break;
    case config::RunOrder::kLoss:
      by([](const ListedRun& one) { return one.loss().value_or(kLast); });
      break;
    case config::RunOrder::kSpeed:
      by([](const ListedRun& one) { return -one.run.images_per_second(); });
      break;
    case config::RunOrder::kTime:
      by([](const ListedRun& one) { return -one.run.records.seconds; });
      break;
  }
}

Json json_of(const ListedRun& one) {
  const Run& run = one.run;
  Json settings = Json::object();
  for (const auto& [name, value] : one.settings) {
    settings[name] = value;
  }
  Json model = nullptr;
  if (const auto found = run.records.start.find("model");
      found != run.records.start.end()) {
    model = *found;
  }
  return {
      {"name", run.name},
      {"folder", run.folder.path.native()},
      {"state", name_of(run.state)},
      {"reason", run.reason},
      {"started", one.started()},
      {"seconds", run.records.seconds},
      {"model", model},
      {"step", run.records.step},
      {"total_steps", run.total_steps()},
      {"epoch", run.records.step == 0 ? 0 : run.epoch_of(run.records.step)},
      {"images_per_second", run.images_per_second()},
      {"metric", one.metric->name},
      {"best", one.best ? *one.best : Json(nullptr)},
      {"last", one.last ? *one.last : Json(nullptr)},
      {"settings", settings},
      {"problems", run.problems}};
}

} // namespace

std::optional<double> ListedRun::result() const {
  return best ? json_number(*best, metric->name) : std::nullopt;
}

std::optional<double> ListedRun::loss() const {
  return last ? json_number(*last, info_of(Metric::kLoss).name) : std::nullopt;
}

std::string ListedRun::started() const {
  return json_text(run.environment, "started");
}

std::vector<ListedRun> list_runs(
    const std::filesystem::path& folder,
    config::RunOrder sort) {
  std::vector<ListedRun> list;
  if (is_run(folder)) {
    list.push_back(listed(run_folder(folder)));
  } else {
    for (const std::filesystem::path& path : runs_in(folder)) {
      list.push_back(listed(path));
    }
  }
  add_settings(list);
  sort_runs(list, sort);
  return list;
}

Json runs_json(const std::vector<ListedRun>& runs) {
  Json list = Json::array();
  for (const ListedRun& one : runs) {
    list.push_back(json_of(one));
  }
  return list;
}

} // namespace vitrain::report
