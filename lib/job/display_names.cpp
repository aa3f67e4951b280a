#include "job/display_names.h"

#include <map>

#include "core/check.h"
#include "core/text.h"
#include "data/kinds/list_columns.h"
#include "data/sources/lines.h"

namespace vitrain::job {
namespace {

constexpr const char* kUse = "the names of classes are a text file";

// A line of a file of display names, and its parts before (`key`) and after
// (`name`) the first separator.
struct Line {
  std::string text; // the name if lines are in the order of the classes
  std::string key;
  std::string name;
};

std::vector<Line> lines_of_csv(const std::filesystem::path& file) {
  data::CsvRecords records(
      data::open_text(file, kUse),
      printable(file.native()),
      data::find_separator(file, kUse, [](const auto&) { return false; }));
  std::vector<Line> lines;
  for (std::vector<std::string> fields; records.next(fields);) {
    const std::string name = fields.size() > 1 ? fields[1] : "";
    lines.push_back({name.empty() ? fields[0] : name, fields[0], name});
  }
  return lines;
}

std::vector<Line> lines_of(const std::filesystem::path& file) {
  if (data::is_csv(file)) {
    return lines_of_csv(file);
  }
  data::Lines texts(data::open_text(file, kUse), printable(file.native()));
  std::vector<Line> lines;
  for (std::string text; texts.next(text);) {
    const std::string line(trim(text));
    if (line.empty()) {
      continue;
    }
    const std::size_t end = line.find_first_of(" \t,");
    lines.push_back(
        {line,
         line.substr(0, end),
         end == line.npos ? "" : std::string(trim(line.substr(end + 1)))});
  }
  return lines;
}

} // namespace

std::vector<std::string> display_names(
    const std::vector<std::string>& known,
    std::int64_t count) {
  std::vector<std::string> names = known;
  for (std::int64_t i = std::ssize(names); i < count; ++i) {
    names.push_back(std::to_string(i));
  }
  return names;
}

std::vector<std::string> display_names(
    const std::vector<std::string>& known,
    std::int64_t count,
    const std::filesystem::path& file) {
  const std::vector<Line> lines = lines_of(file);
  std::map<std::string, std::string> by_key;
  for (const Line& line : lines) {
    if (!line.name.empty()) {
      by_key.emplace(line.key, line.name);
    }
  }
  std::vector<std::string> names;
  for (const std::string& name : display_names(known, count)) {
    const auto found = by_key.find(name);
    if (found != by_key.end()) {
      names.push_back(found->second);
    }
  }
  if (std::ssize(names) == count) {
    return names;
  }
  VITRAIN_CHECK_DATA(
      std::ssize(lines) == count,
      "{}: has {}, and the network {}: give a name on each line, in the order "
      "of the classes' numbers, or each behind the name that its class has in "
      "the weights ({} of them are there)",
      printable(file.native()),
      counted(std::ssize(lines), "line"),
      count == 1 ? "1 class" : fmt::format("{} classes", with_commas(count)),
      names.size());
  names.clear();
  for (const Line& line : lines) {
    names.push_back(line.text);
  }
  return names;
}

} // namespace vitrain::job
