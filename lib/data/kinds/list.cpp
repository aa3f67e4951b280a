#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "core/check.h"
#include "core/hash.h"
#include "core/system/files.h"
#include "core/text.h"
#include "data/kinds/kinds.h"
#include "data/kinds/list_columns.h"
#include "data/kinds/list_hints.h"
#include "data/kinds/list_labels.h"
#include "data/sources/class_names.h"
#include "data/sources/label_lists.h"
#include "data/sources/lines.h"

// Lists of images: text files with the name and the label of an image on each
// line, as in PaddleViT, PaddleClas and Caffe, and .csv files.
namespace vitrain::data::detail {
namespace {

namespace fs = std::filesystem;

// Maximum number of files whose existence is checked during listing, since a
// million look-ups on a network disk would take minutes. Other missing files
// are reported when they are read.
constexpr std::int64_t kMostLookups = 20000;
constexpr const char* kUse =
    "kind list takes a text file with one image and its label on each line";

// Reads a list into the contents of an index.
class ListReader {
 public:
  ListReader(const SourceOptions& options, Index::Contents& contents)
      : path_(options.path),
        csv_(is_csv(path_)),
        multi_label_(options.multi_label),
        contents_(contents),
        problems_(shown(path_)),
        labels_(make_list_labels(options)) {}

  void read() {
    csv_ ? read_records() : read_lines();
    add_label_fields();
    finish_labels();
    look_up_files();
    problems_.throw_if_any();
    contents_.samples = std::ssize(contents_.labels);
    VITRAIN_CHECK_DATA(
        contents_.samples > 0,
        "{}: names no image; expected an image and its label on each line, as "
        "in `train/n01440764/x.JPEG{}0`",
        shown(path_),
        csv_ ? separator_ : ' ');
    VITRAIN_CHECK_DATA(
        !contents_.classes.empty(), "{}: no image has a label", shown(path_));
    unlabelled_ = multi_label_ ? finish_label_sets(contents_) : 0;
    find_repeated();
    problems_.throw_if_any();
    make_notes();
  }

 private:
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
              "expected the name of an image, a blank and its {}, got {}{}",
              multi_label_
                  ? "labels (whole numbers with commas between them, or a "
                    "hyphen)"
                  : "label (a whole number)",
              printable(text.substr(0, 200)),
              multi_label_ || text.find(',') == text.npos
                  ? ""
                  : "; a list with commas is a .csv file: rename it"));
      return;
    }
    add(trim(text.substr(0, gap)), last, number, kBetweenInText);
  }

  bool is_label(std::string_view text) const {
    std::int64_t label = 0;
    return multi_label_ ? are_label_numbers(text) : parse_int(text, label);
  }

  // Adds the labels of the next image. Returns a description of a problem with
  // them, or "".
  std::string add_labels(std::string_view text, std::string_view between) {
    if (!multi_label_) {
      return labels_.add(text, contents_.labels);
    }
    std::vector<std::int32_t> set;
    for (const std::string& one : labels_in(text, between)) {
      std::string wrong = labels_.add(one, set);
      if (csv_ && wrong.empty() && one.find(',') != std::string::npos &&
          are_label_numbers(one)) {
        wrong = fmt::format(
            "the labels {} have commas between them: expected semicolons, bars "
            "or blanks",
            one);
      }
      if (!wrong.empty()) {
        return wrong;
      }
      // Keeps a repeated label, because fingerprints of existing runs include
      // it; results count it once.
      repeated_labels_ +=
          std::ranges::count(set.begin(), std::prev(set.end()), set.back()) > 0
          ? 1
          : 0;
    }
    contents_.set_starts.push_back(contents_.set_labels.size());
    contents_.set_labels.insert(
        contents_.set_labels.end(), set.begin(), set.end());
    contents_.labels.push_back(0);
    return "";
  }

  // Adds the records of a .csv file whose images have any number of labels; the
  // label separator is chosen from all records.
  void add_label_fields() {
    const bool barred = std::ranges::any_of(fields_, [](const Field& field) {
      return field.labels.find_first_of(kBarsInCsv) != std::string::npos;
    });
    for (const Field& field : fields_) {
      add(field.name,
          field.labels,
          field.line,
          barred ? kBarsInCsv : kBetweenInCsv);
    }
    fields_ = {};
  }

  // Converts label texts to classes.
  void finish_labels() {
    labels_.finish(contents_, [&](std::size_t at, const std::string& wrong) {
      std::size_t sample = at;
      if (multi_label_) {
        sample = static_cast<std::size_t>(
            std::ranges::upper_bound(contents_.set_starts, at) -
            contents_.set_starts.begin() - 1);
      }
      add_problem(lines_[sample], wrong);
      wrong_.insert(sample);
    });
  }

  // Adds a problem; in a first line that may have been meant to name columns,
  // with a hint.
  void add_problem(std::int64_t line, const std::string& text) {
    problems_.add(line, text + (line == header_line_ ? header_hint() : ""));
  }

  void read_records() {
    separator_ = find_separator(path_, kUse, ListColumns::are_named);
    CsvRecords records(open_text(path_, kUse), shown(path_), separator_);
    std::vector<std::string> fields;
    if (!records.next(fields)) {
      return;
    }
    const ListColumns columns(
        fields, fmt::format("{}:{}", shown(path_), records.number()));
    header_line_ = may_be_header(fields, columns) ? records.number() : 0;
    bool more = !columns.named || records.next(fields);
    for (; more; more = records.next(fields)) {
      if (fields.size() == columns.count &&
          (columns.named || columns.count == 2) &&
          !fields[columns.path].empty()) {
        add_record(
            fields[columns.path],
            trim(fields[columns.label]),
            records.number());
      } else {
        add_problem(records.number(), wrong_record(fields, columns));
      }
    }
    blank_ = records.empty_lines();
  }

  // Returns true if the first record may have been meant to name columns: it
  // was not recognised as such, but its label is not a number.
  static bool may_be_header(
      const std::vector<std::string>& first,
      const ListColumns& columns) {
    double number = 0.0;
    return !columns.named &&
        !(first.size() > columns.label &&
          parse_double(trim(first[columns.label]), number));
  }

  std::string wrong_record(
      const std::vector<std::string>& fields,
      const ListColumns& columns) const {
    return fmt::format(
        "expected {}, got {}",
        columns.named
            ? fmt::format("{} fields, like the first line", columns.count)
            : fmt::format(
                  "the path of an image, {} and its label",
                  separator_name(separator_)),
        printable(join(fields, std::string(1, separator_)).substr(0, 200)));
  }

  void add_record(
      const std::string& name,
      std::string_view label,
      std::int64_t number) {
    if (multi_label_) {
      fields_.push_back({name, std::string(label), number});
    } else {
      add(name, label, number, "");
    }
  }

  void add(
      std::string_view name,
      std::string_view label,
      std::int64_t number,
      std::string_view between) {
    if (const std::string wrong = add_labels(label, between); !wrong.empty()) {
      add_problem(number, wrong);
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

  // Checks that files exist: at most kMostLookups, evenly spaced, including the
  // first and the last.
  void look_up_files() {
    const std::int64_t n = std::ssize(lines_);
    const std::int64_t lookups = std::min(n, kMostLookups);
    for (std::int64_t k = 0; k < lookups; ++k) {
      const auto i = static_cast<std::size_t>(
          lookups == 1 ? 0 : k * (n - 1) / (lookups - 1));
      const fs::path file = folder() / name(i);
      struct stat status {};
      std::string reason;
      if (::stat(file.c_str(), &status) != 0) {
        reason = error_text(errno);
        reason += hint_for_missing(i);
      } else if (!S_ISREG(status.st_mode)) {
        reason = "is not a regular file";
      }
      if (!reason.empty() && !wrong_.contains(i)) {
        add_problem(lines_[i], fmt::format("{}: {}", shown(file), reason));
      }
    }
  }

  // Returns a hint for an entry whose file is missing, or "". Looks for similar
  // files only a few times, and explains absolute names only once.
  std::string hint_for_missing(std::size_t i) {
    constexpr std::int64_t kMostHints = 8;
    if (!csv_ && name(i)[0] == '"') {
      return " (quotes have a meaning in .csv lists only)";
    }
    if (lines_[i] == header_line_) {
      return ""; // the hint about headers is enough
    }
    const bool again = fs::path(name(i)).is_absolute() && hints_ > 0;
    return again || ++hints_ > kMostHints
        ? ""
        : hint_for_missing_image(folder(), name(i));
  }

  // Counts names that are listed more than once. In a .csv file that is an
  // error; lists for PaddleViT repeat lines to show an image more often.
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
    note_empty_classes(
        multi_label_ ? contents_.set_labels : contents_.labels, contents_);
  }

  fs::path path_;
  bool csv_;
  bool multi_label_;
  char separator_ = ','; // field separator of a .csv file
  // Number of a first line that may have been meant to name columns but has no
  // known column names; 0: none.
  std::int64_t header_line_ = 0;
  Index::Contents& contents_;
  LineProblems problems_;
  LabelTexts labels_;
  std::vector<std::int64_t> lines_; // line number of each sample
  std::set<std::size_t> wrong_; // samples whose label is no class
  // A record of a .csv file, kept until add_label_fields().
  struct Field {
    std::string name;
    std::string labels;
    std::int64_t line = 0;
  };
  std::vector<Field> fields_;
  std::int64_t hints_ = 0;
  std::int64_t blank_ = 0;
  std::int64_t unlabelled_ = 0;
  std::int64_t repeated_labels_ = 0;
  std::int64_t outside_ = 0;
  std::int64_t same_ = 0; // repeated names with the same label
  std::int64_t other_ = 0; // repeated names with another label
};

} // namespace

Index list_list(const SourceOptions& options) {
  check_has_path(options, "the text file that lists its images");
  std::error_code unknown; // opening it reports the error
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
