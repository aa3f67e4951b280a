#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/ranges.h>

#include "core/check.h"
#include "core/files/files.h"
#include "core/hash.h"
#include "core/text/text.h"
#include "data/sources/kinds/kinds.h"
#include "data/sources/kinds/list_columns.h"
#include "data/sources/labels/class_names.h"
#include "data/sources/labels/label_lists.h"
#include "data/sources/lines.h"

// Lists of images: text files with the name of an image and its label on each
// line, as PaddleViT, PaddleClas and Caffe have them, and .csv files.
namespace vitrain::data::detail {
namespace {

namespace fs = std::filesystem;

// So many names are looked up when listing; a million on a network disk would
// take minutes. The others are found missing when they are read.
constexpr std::int64_t kMostLookups = 20000;
constexpr const char* kClassNames = "classes.txt";
constexpr const char* kUse =
    "kind list takes a text file with one image and its label on each line";

// Names of classes, and the file that has them.
struct KnownClasses {
  std::vector<std::string> names;
  std::string source;
};

// From the class map that was asked for, or from the file beside the list.
KnownClasses known_classes(const SourceOptions& options) {
  const fs::path folder = fs::path(options.path).parent_path();
  if (!options.class_map.empty()) {
    return {read_class_map(options), printable(options.class_map)};
  }
  std::error_code error;
  if (fs::exists(folder / kClassNames, error)) {
    return {read_class_names(folder / kClassNames), kClassNames};
  }
  return {};
}

// Added to what is wrong with a first line that may have been meant to name
// columns.
std::string header_hint() {
  return fmt::format(
      " (a first line that names columns has one of {} and one of {})",
      fmt::join(kPathColumns, ", "),
      fmt::join(kLabelColumns, ", "));
}

// Where a .csv file has what; the first line may name its columns.
struct Columns {
  std::size_t path = 0;
  std::size_t label = 1;
  std::size_t count = 2; // of the first record
  bool named = false;

  static bool are_named(const std::vector<std::string>& first) {
    return !columns_named(first, kPathColumns).empty() &&
        !columns_named(first, kLabelColumns).empty();
  }

  // Throws Error(kData) with `where` for columns of which two could be meant.
  Columns(const std::vector<std::string>& first, const std::string& where)
      : count(first.size()) {
    const std::vector<std::size_t> paths = columns_named(first, kPathColumns);
    const std::vector<std::size_t> labels = columns_named(first, kLabelColumns);
    named = !paths.empty() && !labels.empty();
    if (named) {
      path = only(paths, first, "the path of the image", where);
      label = only(labels, first, "the label", where);
    }
  }

 private:
  static std::size_t only(
      const std::vector<std::size_t>& found,
      const std::vector<std::string>& names,
      const char* what,
      const std::string& where) {
    VITRAIN_CHECK_DATA(
        found.size() == 1,
        "{}: both column '{}' and column '{}' could be {}: rename one of them",
        where,
        printable(trim(names[found[0]])),
        printable(trim(names[found[1]])),
        what);
    return found[0];
  }
};

// Reads a list into the contents of an index.
class ListReader {
 public:
  ListReader(const SourceOptions& options, Index::Contents& contents)
      : path_(options.path),
        csv_(is_csv(path_)),
        multi_label_(options.multi_label),
        contents_(contents),
        problems_(shown(path_)),
        labels_(make_labels(options)) {}

  void read() {
    csv_ ? read_records() : read_lines();
    problems_.throw_if_any();
    contents_.samples = std::ssize(contents_.labels);
    VITRAIN_CHECK_DATA(
        contents_.samples > 0,
        "{}: names no image; expected an image and its label on each line, as "
        "in `train/n01440764/x.JPEG{}0`",
        shown(path_),
        csv_ ? separator_ : ' ');
    labels_.finish(contents_);
    unlabelled_ = multi_label_ ? finish_label_sets(contents_) : 0;
    look_up_files();
    find_repeated();
    problems_.throw_if_any();
    make_notes();
  }

 private:
  static LabelTexts make_labels(const SourceOptions& options) {
    KnownClasses known = known_classes(options);
    return {
        std::move(known.names),
        std::move(known.source),
        options.classes,
        options.class_order};
  }

  fs::path folder() const { return path_.parent_path(); }

  void read_lines() {
    Lines lines(open_text(path_, kUse), shown(path_));
    for (std::string line; lines.next(line);) {
      read_line(trim(line), lines.number());
    }
  }

  void read_line(std::string_view text, std::int64_t number) {
    if (text.empty()) {
      ++blank_;
      return;
    }
    const std::size_t gap = text.find_last_of(" \t");
    const std::string_view last =
        gap == std::string_view::npos ? text : text.substr(gap + 1);
    if (gap == std::string_view::npos || !is_label(last)) {
      problems_.add(
          number,
          fmt::format(
              "expected the name of an image, a blank and its {}, got {}",
              multi_label_
                  ? "labels (whole numbers with commas between them, or a "
                    "hyphen)"
                  : "label (a whole number)",
              printable(text.substr(0, 200))));
      return;
    }
    add(trim(text.substr(0, gap)), last, number);
  }

  bool is_label(std::string_view text) const {
    std::int64_t label = 0;
    return multi_label_ ? are_label_numbers(text) : parse_int(text, label);
  }

  // Returns what is wrong with it.
  std::string add_labels(std::string_view text) {
    if (!multi_label_) {
      return labels_.add(text, contents_.labels);
    }
    contents_.set_starts.push_back(contents_.set_labels.size());
    for (const std::string& one : labels_in(text, csv_)) {
      if (std::string wrong = labels_.add(one, contents_.set_labels);
          !wrong.empty()) {
        return wrong;
      }
      count_repeated_label();
    }
    contents_.labels.push_back(0);
    return "";
  }

  // It stays, since runs know their data by it; results count it once.
  void count_repeated_label() {
    const std::vector<std::int32_t>& labels = contents_.set_labels;
    const auto first = labels.begin() +
        static_cast<std::ptrdiff_t>(contents_.set_starts.back());
    const auto last = std::prev(labels.end());
    if (std::find(first, last, *last) != last) {
      ++repeated_labels_;
    }
  }

  void read_records() {
    separator_ = find_separator(path_, kUse, Columns::are_named);
    CsvRecords records(open_text(path_, kUse), shown(path_), separator_);
    std::vector<std::string> fields;
    if (!records.next(fields)) {
      return;
    }
    const Columns columns(
        fields, fmt::format("{}:{}", shown(path_), records.number()));
    named_columns_ = columns.named;
    const std::int64_t first_line = records.number();
    bool more = !columns.named || records.next(fields);
    for (; more; more = records.next(fields)) {
      if (fields.size() == columns.count &&
          (columns.named || columns.count == 2) &&
          !fields[columns.path].empty()) {
        add(fields[columns.path],
            trim(fields[columns.label]),
            records.number());
      } else {
        const bool first = !columns.named && records.number() == first_line;
        problems_.add(
            records.number(),
            wrong_record(fields, columns) + (first ? header_hint() : ""));
      }
    }
    blank_ = records.empty_lines();
  }

  std::string wrong_record(
      const std::vector<std::string>& fields,
      const Columns& columns) const {
    return fmt::format(
        "expected {}, got {}",
        columns.named
            ? fmt::format("{} fields, like the first line", columns.count)
            : fmt::format(
                  "the path of an image, {} and its label",
                  separator_name(separator_)),
        printable(join(fields, std::string(1, separator_)).substr(0, 200)));
  }

  void add(std::string_view name, std::string_view label, std::int64_t number) {
    if (const std::string wrong = add_labels(label); !wrong.empty()) {
      problems_.add(number, wrong);
      return;
    }
    contents_.add_name(name);
    lines_.push_back(number);
    const fs::path path(name);
    const bool above = std::ranges::find(path, fs::path("..")) != path.end();
    outside_ += path.is_absolute() || above ? 1 : 0;
  }

  const char* name(std::size_t i) const {
    return contents_.names.c_str() + contents_.name_starts[i];
  }

  // Evenly spaced, the first and the last among them.
  void look_up_files() {
    const std::int64_t n = contents_.samples;
    const std::int64_t lookups = std::min(n, kMostLookups);
    for (std::int64_t k = 0; k < lookups; ++k) {
      const auto i = static_cast<std::size_t>(
          lookups == 1 ? 0 : k * (n - 1) / (lookups - 1));
      const fs::path file = folder() / name(i);
      struct stat status {};
      std::string reason;
      if (::stat(file.c_str(), &status) != 0) {
        reason = error_text(errno);
      } else if (!S_ISREG(status.st_mode)) {
        reason = "is not a regular file";
      }
      if (!reason.empty()) {
        reason += hint_for_missing(i);
        problems_.add(lines_[i], fmt::format("{}: {}", shown(file), reason));
      }
    }
  }

  // What may have been meant by a name that is no file's.
  std::string hint_for_missing(std::size_t i) const {
    if (csv_) {
      return i == 0 && !named_columns_ ? header_hint() : "";
    }
    return name(i)[0] == '"' ? " (quotes have a meaning in .csv lists only)"
                             : "";
  }

  // Names that come again: a mistake in a table. Lists for PaddleViT repeat
  // lines to show an image more often.
  void find_repeated() {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> entries;
    entries.reserve(lines_.size());
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      entries.emplace_back(hash64(name(i)), static_cast<std::uint32_t>(i));
    }
    std::ranges::sort(entries);
    for (std::size_t i = 1; i < entries.size(); ++i) {
      if (entries[i].first != entries[i - 1].first) {
        continue;
      }
      const std::size_t first = entries[i - 1].second;
      const std::size_t again = entries[i].second;
      ++(contents_.labels[first] == contents_.labels[again] ? same_ : other_);
      if (csv_) {
        problems_.add(
            lines_[again],
            fmt::format(
                "{} is listed already, in line {}",
                printable(name(again)),
                lines_[first]));
      }
    }
  }

  void make_notes() {
    const auto note = [&](std::int64_t count, const char* what) {
      add_note(contents_.notes, what, count);
    };
    std::vector<bool> seen(contents_.classes.size());
    const auto& labels = multi_label_ ? contents_.set_labels : contents_.labels;
    for (const std::int32_t label : labels) {
      seen[static_cast<std::size_t>(label)] = true;
    }
    if (separator_ != ',') {
      contents_.notes.push_back(fmt::format(
          "fields are read with {} between them, as in the first line",
          separator_name(separator_)));
    }
    note(unlabelled_, "images without a label");
    note(repeated_labels_, "labels that an image has twice (they count once)");
    note(blank_, "skipped empty lines");
    note(same_, "lines that repeat another one (they count again)");
    note(other_, "images that are listed again with another label");
    note(outside_, "images outside the list's folder (absolute, or with ..)");
    note(std::ranges::count(seen, false), "classes without an image");
  }

  fs::path path_;
  bool csv_;
  bool multi_label_;
  char separator_ = ','; // of the fields of a .csv file
  bool named_columns_ = false; // by the first line of a .csv file
  Index::Contents& contents_;
  LineProblems problems_;
  LabelTexts labels_;
  std::vector<std::int64_t> lines_; // of each sample
  std::int64_t blank_ = 0;
  std::int64_t unlabelled_ = 0;
  std::int64_t repeated_labels_ = 0;
  std::int64_t outside_ = 0;
  std::int64_t same_ = 0; // repeated with the label from before
  std::int64_t other_ = 0; // ... with another one
};

} // namespace

Index list_list(const SourceOptions& options) {
  check_has_path(options, "the text file that lists its images");
  std::error_code unknown; // opening it tells
  VITRAIN_CHECK_DATA(
      !fs::is_directory(options.path, unknown),
      "{}: is a folder; kind list takes the text file itself, such as "
      "train_list.txt (or -data_path FOLDER, for train_list.txt and "
      "val_list.txt in it)",
      shown(options.path));
  Index::Contents contents;
  contents.options = options;
  ListReader(options, contents).read();
  return Index(std::move(contents));
}

std::unique_ptr<Source> open_list(std::shared_ptr<const Index> index) {
  fs::path folder = fs::path(index->options().path).parent_path();
  return std::make_unique<FileSource>(std::move(index), std::move(folder));
}

} // namespace vitrain::data::detail
