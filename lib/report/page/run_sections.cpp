#include <cmath>

#include <fmt/format.h>

#include "core/json_values.h"
#include "core/text.h"
#include "report/page/html_document.h"
#include "report/page/markup.h"
#include "report/page/sections.h"
#include "report/runs/commands.h"
#include "report/runs/compare.h"
#include "report/runs/texts.h"

namespace vitrain::report {
namespace {

constexpr std::size_t kMostEvaluations = 500; // rows on a page

std::string field_text(const Json& record, std::string_view key) {
  const auto found = record.find(key);
  if (found == record.end() || found->is_null()) {
    return "";
  }
  if (found->is_number_integer()) {
    return with_commas(found->get<std::int64_t>());
  }
  return found->is_string() ? found->get<std::string>() : to_line(*found);
}

std::string tile(
    std::string_view label,
    const std::string& value,
    const std::string& note) {
  return value.empty()
      ? ""
      : fmt::format(
            "<div class=\"tile\"><span>{}</span><b>{}</b><small>{}</small>"
            "</div>\n",
            html(label),
            html(value),
            html(note));
}

// Returns "1,978 of 2,000"; "" if the correct samples were not counted.
std::string hits_of(const Json& evaluation) {
  const std::string hits = field_text(evaluation, "correct1");
  return hits.empty()
      ? ""
      : fmt::format("{} of {}", hits, field_text(evaluation, "count"));
}

// Returns the note below a value: its position in the run, and for top-1 the
// number of correct samples.
std::string
note_of(const Run& run, const Json& evaluation, const MetricInfo& metric) {
  const auto step =
      static_cast<std::int64_t>(json_number(evaluation, "step").value_or(0.0));
  std::vector<std::string> parts;
  if (metric.value == Metric::kTop1) {
    parts.push_back(hits_of(evaluation));
  }
  if (!run.timeline().empty()) {
    parts.push_back(fmt::format(
        "epoch {}, step {}", run.epoch_of(step), with_commas(step)));
  }
  std::erase(parts, "");
  return join(parts, " \u00b7 ");
}

std::string metric_tiles(const Run& run) {
  const MetricInfo& metric = run.metric();
  // Returns "last top1"; for a run that only evaluated, "top1".
  const auto named = [&](std::string_view word, const MetricInfo& of) {
    return run.trains() ? fmt::format("{} {}", word, of.name)
                        : std::string(of.name);
  };
  const auto tile_of = [&](std::string_view word, const Json& evaluation) {
    return tile(
        named(word, metric),
        metric_value(
            metric, json_number(evaluation, metric.name).value_or(NAN)),
        note_of(run, evaluation, metric));
  };
  const Json* best = run.best();
  const Json* last = run.last();
  if (best == nullptr || last == nullptr) {
    return "";
  }
  std::string out;
  if (run.trains()) {
    out += tile_of("best", *best);
  }
  out += tile_of("last", *last);
  for (const MetricInfo& other : kMetrics) {
    const auto value = json_number(*last, other.name);
    if (value && other.value != metric.value && run.shows(other)) {
      const bool hits = other.value == Metric::kTop1;
      out += tile(
          named("last", other),
          metric_value(other, *value),
          hits ? hits_of(*last) : "");
    }
  }
  return out;
}

} // namespace

std::string badge(RunStatus state) {
  return fmt::format("<span class=\"badge {0}\">{0}</span>", name_of(state));
}

void PairTable::add(const std::string& name, const std::string& value) {
  if (!value.empty()) {
    rows_ += fmt::format(
        "<tr><th>{}</th><td>{}</td></tr>\n", html(name), html(value));
  }
}

std::string PairTable::text() const {
  return rows_.empty() ? ""
                       : fmt::format(
                             "<div class=\"wide\"><table class=\"pairs\">\n{}"
                             "</table></div>\n",
                             rows_);
}

std::string run_header(const Run& run) {
  const Json& start = run.records.start;
  std::vector<std::string> facts;
  const auto add = [&](const char* key, std::string_view noun) {
    const std::string text = field_text(start, key);
    if (!text.empty()) {
      facts.push_back(noun.empty() ? text : fmt::format("{} {}", text, noun));
    }
  };
  add("model", "");
  add("parameters", "parameters");
  add("classes", "classes");
  add("subset", "of them evaluated");
  add("train_samples", "training samples");
  add("held_out", "held out");
  add("devices", "");
  add("precision", "");
  const std::string why = run.reason.empty()
      ? ""
      : fmt::format("<p class=\"why\">{}</p>\n", html(run.reason));
  return fmt::format(
      "<header>\n<h1>{} {}</h1>\n<p>{}</p>\n{}</header>\n",
      html(run.name),
      badge(run.state),
      html(join(facts, " \u00b7 ")),
      why);
}

std::string result_tiles(const Run& run) {
  std::string out = metric_tiles(run);
  out += tile(
      "epoch",
      epochs_text(run, " of "),
      run.total_steps() > 0 ? fmt::format(
                                  "{} of {} steps",
                                  with_commas(run.records.step),
                                  with_commas(run.total_steps()))
                            : "");
  out += tile("images per second", rate_text(run.images_per_second()), "mean");
  out += tile(
      "time",
      run.records.seconds > 0.0 ? human_seconds(run.records.seconds) : "",
      run.records.starts > 1
          ? fmt::format("started {} times", run.records.starts)
          : "");
  return "<section class=\"tiles\">\n" + out + "</section>\n";
}

std::string evaluation_table(const Run& run) {
  const std::vector<Json>& all = run.judged();
  if (all.size() < 2) {
    return "";
  }
  std::string rows;
  const Json* best = run.best();
  for (std::size_t i = 0; i < std::min(all.size(), kMostEvaluations); ++i) {
    const Json& record = all[all.size() - 1 - i];
    const auto step =
        static_cast<std::int64_t>(json_number(record, "step").value_or(0.0));
    std::string cells = fmt::format(
        "<td>{}</td><td>{}</td>", run.epoch_of(step), with_commas(step));
    for (const MetricInfo& metric : metrics_of({&run, 1})) {
      const auto value = json_number(record, metric.name);
      cells +=
          fmt::format("<td>{}</td>", value ? metric_value(metric, *value) : "");
    }
    rows += fmt::format(
        "<tr{}>{}</tr>\n", &record == best ? " class=\"best\"" : "", cells);
  }
  std::string names;
  for (const MetricInfo& metric : metrics_of({&run, 1})) {
    names += fmt::format("<th>{}</th>", metric.name);
  }
  return fmt::format(
      "<details><summary>{} evaluations</summary><div class=\"wide\"><table "
      "class=\"numbers\">\n<tr><th>epoch</th><th>step</th>{}</tr>\n{}"
      "</table></div></details>\n",
      all.size(),
      names,
      rows);
}

std::string curves_section() {
  return "<section>\n<h2>Curves</h2>\n"
         "<noscript><p>Curves need JavaScript.</p></noscript>\n"
         "<div id=\"tools\"></div>\n<div id=\"charts\"></div>\n";
}

std::string recipe_section(const Run& run) {
  std::string rows;
  for (const SettingRow& row : settings_of(run)) {
    rows += fmt::format(
        "<tr><th>{}</th><td>{}</td><td>{}</td></tr>\n",
        html(row.name),
        html(row.values[0]),
        html(row.values[1]));
  }
  std::string out;
  if (!rows.empty()) {
    out = fmt::format(
        "<div class=\"wide\"><table class=\"pairs\">\n<tr><th>key</th><th>"
        "value</th><th>default</th></tr>\n{}</table></div>\n",
        rows);
  }
  if (!run.recipe_text.empty()) {
    out += fmt::format(
        "<details><summary>config.yaml, all keys</summary><pre>{}</pre>"
        "</details>\n",
        html(run.recipe_text));
  }
  return section("Recipe", out);
}

namespace {

// Converts "24684092 kB", which older versions wrote for the machine's memory,
// to "23.5 GiB"; returns other texts unchanged.
std::string memory_text(const std::string& text) {
  constexpr std::string_view kUnit = " kB";
  std::int64_t kibibytes = 0;
  return text.ends_with(kUnit) &&
          parse_int(
              std::string_view(text).substr(0, text.size() - kUnit.size()),
              kibibytes)
      ? human_bytes(1024.0 * static_cast<double>(kibibytes))
      : text;
}

} // namespace

std::string system_section(const Run& run) {
  PairTable table;
  for (const auto& [key, value] : run.environment.items()) {
    if (value.is_object()) {
      for (const auto& [name, inner] : value.items()) {
        table.add(
            name,
            inner.is_string() ? inner.get<std::string>() : to_line(inner));
      }
    } else {
      table.add(key, memory_text(field_text(run.environment, key)));
    }
  }
  return section("System", table.text());
}

std::string commands_section(const Run& run, const std::string& program) {
  std::string out;
  for (const Command& command : commands_for(run, program)) {
    out += fmt::format(
        "<p>{}</p><pre class=\"command\">{}</pre>\n",
        html(command.what),
        html(command.line));
  }
  if (run.recipe && run.recipe->devices.nodes > 1) {
    out += "<p>On each machine, with its own -node_rank and the -master of the "
           "run.</p>\n";
  }
  return section("Go on", out);
}

std::string problems_section(const Run& run) {
  std::string items;
  for (const std::string& problem : run.problems) {
    items += fmt::format("<li>{}</li>\n", html(problem));
  }
  return items.empty() ? "" : section("Problems", "<ul>\n" + items + "</ul>\n");
}

} // namespace vitrain::report
