#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "report/page/html_document.h"
#include "report/page/markup.h"
#include "report/page/pictures.h"
#include "report/page/sections.h"
#include "report/runs/read_evaluation.h"

namespace vitrain::report {
namespace {

namespace fs = std::filesystem;

// Largest number of classes for a confusion matrix as a table.
constexpr std::size_t kMostCells = 40;
constexpr std::size_t kMostPairs = 20; // rows of mistaken pairs
constexpr std::size_t kMostClasses = 1000; // rows of accuracy per class

// Returns a part of the section; if its file is invalid, the error message
// instead, so that the other parts are still shown.
std::string part(const std::function<std::string()>& make) {
  try {
    return make();
  } catch (const Error& error) {
    return fmt::format("<p class=\"why\">{}</p>\n", html(error.what()));
  }
}

std::string cell(std::int64_t count, std::int64_t all, bool right) {
  if (count == 0) {
    return "<td></td>";
  }
  constexpr double kDeep = 0.55; // from this share on, text is light
  const double share =
      all > 0 ? static_cast<double>(count) / static_cast<double>(all) : 0.0;
  return fmt::format(
      "<td class=\"{}{}\" style=\"--share:{:.3f}\">{}</td>",
      right ? "right" : "wrong",
      (right ? share : std::sqrt(share)) > kDeep ? " deep" : "",
      share,
      with_commas(count));
}

std::string confusion_table(const NamedConfusion& table) {
  std::string head;
  std::string rows;
  const auto classes = static_cast<std::int32_t>(table.counts.classes());
  for (std::int32_t i = 0; i < classes; ++i) {
    const auto place = static_cast<std::size_t>(i);
    const std::string name = html(table.classes[place]);
    const std::int64_t all = table.counts.results()[place].count;
    std::string cells;
    for (std::int32_t k = 0; k < classes; ++k) {
      cells += cell(table.counts.at(i, k), all, i == k);
    }
    head += fmt::format("<th><span>{}</span></th>", name);
    rows += fmt::format("<tr><th>{}</th>{}</tr>\n", name, cells);
  }
  return fmt::format(
      "<h3>Confusion: rows are true classes, columns predictions</h3>\n"
      "<div class=\"wide\"><table "
      "class=\"confusion\">\n<tr><th></th>{}</tr>\n{}"
      "</table></div>\n",
      head,
      rows);
}

// Samples of one class that were predicted as another.
struct MistakenPair {
  std::string label;
  std::string prediction;
  std::int64_t count = 0;
};

std::vector<MistakenPair> pairs_of(const NamedConfusion& table) {
  std::vector<MistakenPair> pairs;
  for (const auto& pair : table.counts.most_confused(kMostPairs)) {
    pairs.push_back(
        {table.classes[static_cast<std::size_t>(pair.label)],
         table.classes[static_cast<std::size_t>(pair.prediction)],
         pair.count});
  }
  return pairs;
}

// Returns the pairs that the per-class table contains: each class with its most
// frequent wrong prediction; the kMostPairs most frequent ones.
std::vector<MistakenPair> pairs_of(const std::vector<NamedClass>& classes) {
  std::vector<MistakenPair> pairs;
  for (const NamedClass& one : classes) {
    if (!one.confused_with.empty() && one.result.confused > 0) {
      pairs.push_back({one.name, one.confused_with, one.result.confused});
    }
  }
  std::ranges::stable_sort(pairs, std::greater<>(), &MistakenPair::count);
  pairs.resize(std::min(pairs.size(), kMostPairs));
  return pairs;
}

std::string mistaken_pairs(const std::vector<MistakenPair>& pairs) {
  std::string rows;
  for (const MistakenPair& pair : pairs) {
    rows += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n",
        html(pair.label),
        html(pair.prediction),
        with_commas(pair.count));
  }
  return rows.empty()
      ? ""
      : fmt::format(
            "<h3>Mistaken most often</h3>\n<div class=\"wide\"><table "
            "class=\"pairs\">\n<tr><th>class</th><th>taken for</th><th>times"
            "</th></tr>\n{}</table></div>\n",
            rows);
}

std::string class_bars(std::vector<NamedClass> classes) {
  if (classes.empty()) {
    return "";
  }
  const bool lists = classes.front().average_precision.has_value();
  std::ranges::stable_sort(classes, {}, &NamedClass::share);
  const std::size_t shown = std::min(classes.size(), kMostClasses);
  std::string rows;
  for (std::size_t i = 0; i < shown; ++i) {
    const NamedClass& one = classes[i];
    rows += fmt::format(
        "<tr><th>{}</th><td class=\"bar\" style=\"--share:{:.4f}\">{:.2f} %"
        "</td><td>{} of {}</td></tr>\n",
        html(one.name),
        one.share(),
        100.0 * one.share(),
        with_commas(one.result.correct),
        with_commas(one.result.count));
  }
  const bool open = classes.size() <= kMostCells;
  return fmt::format(
      "<details{}><summary>{} by class, worst first{}</summary>"
      "<div class=\"wide\"><table "
      "class=\"bars\">\n{}</table></div></details>\n",
      open ? " open" : "",
      lists ? "Average precision" : "Accuracy",
      shown < classes.size()
          ? fmt::format(
                ": {} of {} classes; evaluation/per_class.csv has all",
                with_commas(static_cast<std::int64_t>(shown)),
                with_commas(std::ssize(classes)))
          : "",
      rows);
}

// Returns the confusion from the full matrix, or, for many classes, from the
// table of pairs; without classes if there is neither.
NamedConfusion confusion_of(
    const fs::path& folder,
    const std::vector<NamedClass>& classes) {
  NamedConfusion table = read_confusion(folder / "confusion.csv");
  const fs::path pairs = folder / "confusion_pairs.csv";
  std::error_code error;
  if (table.classes.empty() && fs::exists(pairs, error)) {
    for (const NamedClass& one : classes) {
      table.classes.push_back(one.name);
    }
    table.counts = results::Confusion(
        std::ssize(classes), read_confusion_pairs(pairs, std::ssize(classes)));
  }
  return table;
}

std::string confusion_part(
    const fs::path& folder,
    const std::vector<NamedClass>& classes) {
  const NamedConfusion table = confusion_of(folder, classes);
  const bool known = !table.classes.empty();
  const std::string matrix = !known
      ? picture(folder / "confusion.png", "Confusion matrix", Paper::kWhite)
      : table.classes.size() <= kMostCells ? confusion_table(table)
                                           : heat_map(table);
  const std::string pairs =
      mistaken_pairs(known ? pairs_of(table) : pairs_of(classes));
  return matrix.empty() || pairs.empty()
      ? matrix + pairs
      : fmt::format(
            "<div class=\"columns\"><div>{}</div><div>{}</div></div>\n",
            matrix,
            pairs);
}

std::string reliability_part(const fs::path& folder) {
  const std::string chart =
      reliability(read_reliability(folder / "reliability.csv"));
  return chart.empty()
      ? picture(
            folder / "reliability.png",
            "Reliability: how often it is right, by how sure it is",
            Paper::kWhite)
      : chart;
}

} // namespace

std::string evaluation_section(const Run& run) {
  const fs::path folder = run.folder.path / "evaluation";
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    return "";
  }
  std::vector<NamedClass> classes;
  const std::string problem = part([&] {
    classes = read_per_class(folder / "per_class.csv");
    return std::string();
  });
  return section(
      "Last evaluation",
      part([&] { return confusion_part(folder, classes); }) + problem +
          class_bars(classes) + part([&] {
            return cards(
                folder / "mistakes.png", "The mistakes with the largest loss");
          }) +
          part([&] { return reliability_part(folder); }));
}

std::string samples_section(const Run& run) {
  return section("Training images", part([&] {
                   return cards(
                       run.folder.path / "samples.png",
                       "Augmented, as the first batch of training saw them");
                 }));
}

} // namespace vitrain::report
