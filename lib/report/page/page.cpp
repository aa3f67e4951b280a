#include "report/page/page.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/json_values.h"
#include "core/text.h"
#include "report/page/charts.h"
#include "report/page/html_document.h"
#include "report/page/markup.h"
#include "report/page/sections.h"
#include "report/runs/compare.h"
#include "report/runs/texts.h"

namespace vitrain::report {
namespace {

// Returns a run's name with a mark in its colour, which page/report.js sets for
// elements with data-run.
std::string run_mark(std::span<const Run> runs, std::size_t i) {
  return fmt::format(
      "<span class=\"mark\" data-run=\"{}\"></span>{}", i, html(runs[i].name));
}

// Marks the runs with the best evaluation, if all runs use the same metric:
// several if they are equal, none if fewer than two have a result.
std::vector<bool> winners_of(std::span<const Run> runs) {
  std::vector<std::optional<double>> values;
  for (const Run& run : runs) {
    const Json* best = run.best();
    values.push_back(
        best == nullptr ? std::nullopt : json_number(*best, run.metric().name));
  }
  std::vector<bool> wins(runs.size(), false);
  const MetricInfo& metric = runs.front().metric();
  const bool comparable = std::ranges::all_of(runs, [&](const Run& run) {
    return run.best() == nullptr || run.metric().value == metric.value;
  });
  std::optional<double> best;
  std::int64_t known = 0;
  for (const auto& value : values) {
    if (!value || !std::isfinite(*value)) {
      continue;
    }
    ++known;
    best = !best                  ? *value
        : metric.larger_is_better ? std::max(*best, *value)
                                  : std::min(*best, *value);
  }
  for (std::size_t i = 0; comparable && known > 1 && i < runs.size(); ++i) {
    wins[i] = values[i] == best;
  }
  return wins;
}

// Returns the settings shown next to the results: the first kMost of
// different_settings().
std::vector<SettingRow> settings_beside(std::span<const Run> runs) {
  constexpr std::size_t kMost = 6; // the section below shows all
  std::vector<SettingRow> rows = different_settings(runs);
  rows.resize(std::min(rows.size(), kMost));
  return rows;
}

struct ResultColumns {
  std::vector<MetricInfo> metrics;
  std::vector<SettingRow> settings;
  std::vector<bool> winners;
};

std::string result_row(
    std::span<const Run> runs,
    std::size_t i,
    const ResultColumns& columns) {
  const Run& run = runs[i];
  const Json* last = run.last();
  std::string differs;
  for (const SettingRow& row : columns.settings) {
    differs +=
        fmt::format("<td class=\"setting\">{}</td>", html(row.values[i]));
  }
  std::string metrics;
  for (const MetricInfo& metric : columns.metrics) {
    const auto value =
        last == nullptr ? std::nullopt : json_number(*last, metric.name);
    metrics +=
        fmt::format("<td>{}</td>", value ? metric_value(metric, *value) : "");
  }
  const bool wins = columns.winners[i];
  return fmt::format(
      "<tr{}><th>{}</th><td>{}{}</td><td>{}</td>{}{}<td>{}</td><td>{}</td>"
      "<td>{}</td></tr>\n",
      wins ? " class=\"winner\"" : "",
      run_mark(runs, i),
      badge(run.state),
      wins ? " <span class=\"badge best\">best</span>" : "",
      html(evaluation_text(run, run.best())),
      differs,
      metrics,
      epochs_text(run, "/"),
      rate_text(run.images_per_second()),
      run.records.seconds > 0 ? human_seconds(run.records.seconds) : "");
}

std::string results(std::span<const Run> runs) {
  const ResultColumns columns{
      .metrics = metrics_of(runs),
      .settings = settings_beside(runs),
      .winners = winners_of(runs)};
  std::string rows;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    rows += result_row(runs, i, columns);
  }
  std::string names;
  for (const SettingRow& row : columns.settings) {
    names += fmt::format("<th class=\"setting\">{}</th>", html(row.name));
  }
  for (const MetricInfo& metric : columns.metrics) {
    names += fmt::format("<th>last {}</th>", metric.name);
  }
  return fmt::format(
      "<div class=\"wide\"><table class=\"results\">\n<tr><th>run</th><th>"
      "state</th><th>best</th>{}<th>epoch</th><th>images/s</th><th>time</th>"
      "</tr>\n{}</table></div>\n",
      names,
      rows);
}

std::string settings(std::span<const Run> runs) {
  const std::vector<SettingRow> different = different_settings(runs);
  if (different.empty()) {
    return "<p>None: recipes and machines are the same.</p>\n";
  }
  std::string head;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    head += fmt::format("<th>{}</th>", run_mark(runs, i));
  }
  std::string rows;
  for (const SettingRow& row : different) {
    rows += fmt::format("<tr><th>{}</th>", html(row.name));
    for (const std::string& value : row.values) {
      rows += fmt::format("<td>{}</td>", html(value));
    }
    rows += "</tr>\n";
  }
  return fmt::format(
      "<div class=\"wide\"><table class=\"settings\">\n<tr><th></th>{}</tr>\n{}"
      "</table></div>\n",
      head,
      rows);
}

std::string folders(std::span<const Run> runs, const std::string& program) {
  std::string out;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    out += fmt::format(
        "<details><summary>{}</summary>\n<p>{}</p>\n{}{}</details>\n",
        run_mark(runs, i),
        html(runs[i].folder.path.native()),
        commands_section(runs[i], program),
        problems_section(runs[i]));
  }
  return out;
}

} // namespace

std::string run_page(const Run& run, const PageOptions& options) {
  const std::span<const Run> one(&run, 1);
  return document(
      run.name,
      run_header(run) + result_tiles(run) + curves_section() +
          evaluation_table(run) + "</section>\n" + evaluation_section(run) +
          samples_section(run) + recipe_section(run) +
          commands_section(run, options.program) + system_section(run) +
          problems_section(run),
      chart_data(one),
      options);
}

std::string comparison_page(
    std::span<const Run> runs,
    const PageOptions& options) {
  const std::string title = counted(std::ssize(runs), "run");
  return document(
      title,
      fmt::format("<header>\n<h1>{}</h1>\n</header>\n", html(title)) +
          section("Results", results(runs)) + curves_section() +
          "</section>\n" + section("Settings that differ", settings(runs)) +
          section("Runs", folders(runs, options.program)),
      chart_data(runs),
      options);
}

} // namespace vitrain::report
