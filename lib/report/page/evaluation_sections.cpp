#include <algorithm>

#include <fmt/format.h>

#include "core/files/files.h"
#include "core/text/base64.h"
#include "core/text/text.h"
#include "report/page/html_document.h"
#include "report/page/markup.h"
#include "report/page/sections.h"
#include "report/runs/read_evaluation.h"

namespace vitrain::report {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostCells =
    40; // classes of a confusion matrix as a table
constexpr std::size_t kMostPairs = 20;
constexpr std::size_t kMostClasses = 1000; // rows of accuracy by class
constexpr std::size_t kLargestPicture = std::size_t{6} << 20; // bytes
constexpr std::string_view kPngBegins = "\x89PNG\r\n\x1a\n";

// A PNG file in the page; "" where there is none. One that is too large for a
// page is named instead.
std::string picture(const fs::path& file, std::string_view text) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) {
    return "";
  }
  std::string bytes;
  try {
    bytes = read_file(file, kLargestPicture, ExitCode::kStorage);
  } catch (const Error&) {
    return fmt::format(
        "<p>{}: {}, which is too large for this page</p>\n",
        html(text),
        html(file.native()));
  }
  if (!bytes.starts_with(kPngBegins)) {
    return "";
  }
  std::string out = fmt::format(
      "<figure><img alt=\"{0}\" src=\"data:image/png;base64,", html(text));
  append_base64(out, bytes);
  return out +
      fmt::format("\"><figcaption>{}</figcaption></figure>\n", html(text));
}

std::string cell(std::int64_t count, std::int64_t all, bool right) {
  const double share =
      all > 0 ? static_cast<double>(count) / static_cast<double>(all) : 0.0;
  return count == 0 ? "<td></td>"
                    : fmt::format(
                          "<td class=\"{}\" style=\"--share:{:.3f}\">{}</td>",
                          right ? "right" : "wrong",
                          share,
                          count);
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

std::string mistaken_pairs(const NamedConfusion& table) {
  std::string rows;
  for (const auto& pair : table.counts.most_confused(kMostPairs)) {
    rows += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n",
        html(table.classes[static_cast<std::size_t>(pair.label)]),
        html(table.classes[static_cast<std::size_t>(pair.prediction)]),
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
  std::string rows;
  for (std::size_t i = 0; i < std::min(classes.size(), kMostClasses); ++i) {
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
      "<details{}><summary>{} by class, worst first</summary>"
      "<div class=\"wide\"><table "
      "class=\"bars\">\n{}</table></div></details>\n",
      open ? " open" : "",
      lists ? "Average precision" : "Accuracy",
      rows);
}

// What an evaluation's tables say; what is wrong with them is said, too.
std::string tables(const fs::path& folder) {
  try {
    const NamedConfusion confusion = read_confusion(folder / "confusion.csv");
    std::string out =
        confusion.classes.size() <= kMostCells && !confusion.classes.empty()
        ? confusion_table(confusion)
        : picture(folder / "confusion.png", "Confusion matrix");
    const std::string beside = mistaken_pairs(confusion);
    if (!out.empty() && !beside.empty()) {
      out = fmt::format(
          "<div class=\"columns\"><div>{}</div><div>{}</div></div>\n",
          out,
          beside);
    } else {
      out += beside;
    }
    return out + class_bars(read_per_class(folder / "per_class.csv"));
  } catch (const Error& error) {
    return fmt::format("<p class=\"why\">{}</p>\n", html(error.what()));
  }
}

} // namespace

std::string evaluation_section(const Run& run) {
  const fs::path folder = run.folder.path / "evaluation";
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    return "";
  }
  return section(
      "Last evaluation",
      tables(folder) +
          picture(
              folder / "mistakes.png", "The mistakes with the largest loss") +
          picture(
              folder / "reliability.png",
              "Reliability: how often it is right, by how sure it is"));
}

std::string samples_section(const Run& run) {
  return section(
      "Training images",
      picture(
          run.folder.path / "samples.png",
          "Augmented, as the first batch of training saw them"));
}

} // namespace vitrain::report
