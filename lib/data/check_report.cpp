#include "data/check_report.h"

#include <algorithm>
#include <ranges>

#include <fmt/format.h>

#include "core/text.h"

namespace vitrain::data {
namespace {

std::string row(const char* label, const std::string& text) {
  return fmt::format("  {:<12}{}\n", label, text);
}

std::string
count_of(std::int64_t count, const char* singular, const char* plural) {
  return fmt::format(
      "{} {}", with_commas(count), count == 1 ? singular : plural);
}

std::vector<std::string> empty_classes(const SplitReport& split) {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < split.classes.size(); ++c) {
    if (split.class_counts[c] == 0) {
      names.push_back(split.classes[c]);
    }
  }
  return names;
}

std::string classes_text(const SplitReport& split) {
  if (split.classes.empty()) {
    return "none";
  }
  const auto [least, most] = std::ranges::minmax_element(split.class_counts);
  const auto name = [&](auto place) {
    return printable(split.classes[static_cast<std::size_t>(
        place - split.class_counts.begin())]);
  };
  return fmt::format(
      "{}, {} ({}) to {} ({}) samples each{}",
      with_commas(std::ssize(split.classes)),
      with_commas(*least),
      name(least),
      with_commas(*most),
      name(most),
      split.label_lists ? ", by all labels" : "");
}

std::string formats_text(const SplitReport& split) {
  std::vector<std::string> parts;
  for (const auto& [format, count] : split.formats) {
    parts.push_back(format + " " + with_commas(count));
  }
  return join(parts, ", ");
}

// Formats the histogram of the shorter sides, in powers of two.
std::string sizes_text(const SplitReport& split) {
  constexpr std::int64_t kWidth = 30;
  std::int64_t most = 1;
  for (const auto& [power, count] : split.sizes) {
    most = std::max(most, count);
  }
  std::string text =
      row("sizes",
          fmt::format(
              "{} x {} to {} x {} pixels; shorter sides:",
              split.smallest.width,
              split.smallest.height,
              split.largest.width,
              split.largest.height));
  for (const auto& [power, count] : split.sizes) {
    const std::int64_t from = std::int64_t{1} << power;
    text += fmt::format(
        "    {:>13} {:>9} {}\n",
        fmt::format("{}-{}", from, 2 * from - 1),
        with_commas(count),
        std::string(
            static_cast<std::size_t>(
                std::max<std::int64_t>(1, kWidth * count / most)),
            '#'));
  }
  return text;
}

// Formats one line for each of the first `examples` items, and the number of
// the others.
template <typename List, typename Line>
std::string examples_of(const List& list, std::size_t examples, Line line) {
  std::string text;
  for (const auto& item : list | std::views::take(examples)) {
    text += fmt::format("    {}\n", line(item));
  }
  const auto more = std::ssize(list) - static_cast<std::int64_t>(examples);
  return more > 0
      ? text + fmt::format("    ... and {} more\n", with_commas(more))
      : text;
}

std::string findings(
    const char* label,
    const std::vector<SampleDefect>& list,
    std::size_t examples) {
  return row(label, list.empty() ? "none" : with_commas(std::ssize(list))) +
      examples_of(list, examples, [](const SampleDefect& finding) {
           return finding.where + ": " + finding.reason;
         });
}

std::string split_text(const SplitReport& split, std::size_t examples) {
  std::string text = fmt::format(
      "{}{}{}\n", split.name, split.path.empty() ? "" : "  ", split.path);
  text += row(
      "samples",
      with_commas(split.samples) +
          (split.bytes > 0
               ? fmt::format(
                     " in {}", human_bytes(static_cast<double>(split.bytes)))
               : ""));
  text += row("classes", classes_text(split));
  const std::vector<std::string> empty = empty_classes(split);
  if (!empty.empty()) {
    text +=
        row("empty",
            count_of(
                std::ssize(empty),
                "class without a sample",
                "classes without a sample"));
    text += examples_of(empty, examples, printable);
  }
  for (const std::string& note : split.notes) {
    text += row("note", note);
  }
  if (!split.formats.empty()) {
    text += row("formats", formats_text(split));
  }
  if (!split.sizes.empty()) {
    text += sizes_text(split);
  }
  text += findings("defects", split.warned, examples);
  text += findings("bad", split.bad, examples);
  return text;
}

std::string duplicates_text(const CheckReport& report, std::size_t examples) {
  std::string text = "duplicates (equal content)\n";
  const int splits = static_cast<int>(report.splits.size());
  for (int of = 0; of < splits; ++of) {
    for (int in = 0; in <= of; ++in) {
      const std::string& name =
          report.splits[static_cast<std::size_t>(of)].name;
      const std::string& other =
          report.splits[static_cast<std::size_t>(in)].name;
      const std::string samples = count_of(
          report.repeated(of, in),
          of == in ? "sample that another one equals" : "sample that is in ",
          of == in ? "samples that another one equals"
                   : "samples that are in ");
      text +=
          row(name.c_str(), of == in ? samples : samples + other + " as well");
    }
  }
  const auto contradictions = std::ranges::count_if(
      report.duplicates,
      [](const auto& group) { return group.across_labels(); });
  if (contradictions > 0) {
    text += row(
        "labels",
        count_of(contradictions, "group", "groups") + " with different ones");
  }
  const auto line = [](const Duplicates& group) {
    const auto& occurrences = group.occurrences;
    return fmt::format(
        "{} = {}{}",
        occurrences[0].where,
        occurrences[1].where,
        occurrences.size() > 2
            ? fmt::format(
                  " = {} more", with_commas(std::ssize(occurrences) - 2))
            : "");
  };
  return text + examples_of(report.duplicates, examples, line);
}

Json findings_json(const std::vector<SampleDefect>& list) {
  Json all = Json::array();
  for (const SampleDefect& finding : list) {
    all.push_back(
        {{"sample", finding.sample},
         {"path", finding.where},
         {"reason", finding.reason}});
  }
  return all;
}

Json split_json(const SplitReport& split) {
  Json classes = Json::array();
  for (std::size_t c = 0; c < split.classes.size(); ++c) {
    classes.push_back(
        {{"name", valid_utf8(split.classes[c])},
         {"samples", split.class_counts[c]}});
  }
  Json sizes = Json::array();
  for (const auto& [power, count] : split.sizes) {
    const std::int64_t from = std::int64_t{1} << power;
    sizes.push_back({{"from", from}, {"to", 2 * from - 1}, {"images", count}});
  }
  const auto extent = [](const Extent& size) {
    return Json{{"width", size.width}, {"height", size.height}};
  };
  return {
      {"path", split.path},
      {"samples", split.samples},
      {"bytes", split.bytes},
      {"classes", classes},
      {"empty_classes", std::ssize(empty_classes(split))},
      {"notes", split.notes},
      {"formats", split.formats},
      {"shorter_sides", sizes},
      {"smallest", extent(split.smallest)},
      {"largest", extent(split.largest)},
      {"bad", findings_json(split.bad)},
      {"defects", findings_json(split.warned)}};
}

// "label" is -1 without classes; datasets with several labels per sample have
// "labels" instead.
Json occurrence_json(
    const Duplicates::Occurrence& occurrence,
    const SplitReport& split) {
  Json json{
      {"split", split.name},
      {"sample", occurrence.sample},
      {"path", occurrence.where}};
  if (split.label_lists) {
    json["labels"] = occurrence.labels;
  } else {
    json["label"] = occurrence.labels.empty() ? -1 : occurrence.labels.front();
  }
  return json;
}

} // namespace

std::string to_text(const CheckReport& report, std::size_t examples) {
  std::string text;
  std::int64_t bad = 0;
  std::int64_t samples = 0;
  for (const SplitReport& split : report.splits) {
    text += split_text(split, examples) + "\n";
    bad += std::ssize(split.bad);
    samples += split.samples;
  }
  text += duplicates_text(report, examples) + "\n";
  return text +
      fmt::format(
             "{} of {} samples {} bad (read in {})\n",
             bad == 0 ? "none" : with_commas(bad),
             with_commas(samples),
             bad == 1 ? "is" : "are",
             human_seconds(report.seconds));
}

Json to_json(const CheckReport& report) {
  Json splits;
  for (const SplitReport& split : report.splits) {
    splits[split.name] = split_json(split);
  }
  Json duplicates = Json::array();
  for (const Duplicates& group : report.duplicates) {
    Json occurrences = Json::array();
    for (const Duplicates::Occurrence& occurrence : group.occurrences) {
      occurrences.push_back(occurrence_json(
          occurrence,
          report.splits[static_cast<std::size_t>(occurrence.split)]));
    }
    duplicates.push_back(occurrences);
  }
  return {
      {"clean", report.clean()},
      {"seconds", report.seconds},
      {"splits", splits},
      {"duplicates", duplicates}};
}

} // namespace vitrain::data
