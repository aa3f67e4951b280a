#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>

#include "core/check.h"
#include "core/files.h"
#include "core/hash.h"
#include "core/text.h"
#include "data/sources.h"

// Lists of images as PaddleViT, PaddleClas and Caffe have them: a text file
// with the name of an image and its label on each line.
namespace vitrain::data::detail {
namespace {

namespace fs = std::filesystem;

// A name has at most 4,096 bytes (PATH_MAX), a label seven.
constexpr std::size_t kLongestLine = 8192;
constexpr std::int64_t kMostClasses = std::int64_t{1} << 20;
constexpr std::size_t kMostProblems = 5;
// So many names are looked up when listing; a million on a network disk would
// take minutes. The others are found missing when they are read.
constexpr std::int64_t kMostLookups = 20000;
constexpr const char* kClassNames = "classes.txt";

// The lines of a text file, one after the other, whatever its length.
class Lines {
 public:
  explicit Lines(const fs::path& path) : path_(path) {
    fd_ = Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    VITRAIN_CHECK(
        fd_,
        ExitCode::kData,
        "{}: cannot read the list: {}",
        shown(path),
        error_text(errno));
    struct stat status {};
    VITRAIN_CHECK(
        ::fstat(fd_.get(), &status) == 0 && S_ISREG(status.st_mode),
        ExitCode::kData,
        "{}: is not a regular file; kind list takes a text file with one image "
        "and its label on each line",
        shown(path));
  }

  // The next line without its end, or false. Throws Error(kData) for what is no
  // text.
  bool next(std::string& line) {
    line.clear();
    bool any = false;
    while (position_ < filled_ || fill()) {
      any = true;
      const char* begin = buffer_.data() + position_;
      const char* end = buffer_.data() + filled_;
      const char* stop = std::find(begin, end, '\n');
      line.append(begin, stop);
      position_ += static_cast<std::size_t>(stop - begin);
      check(line);
      if (stop != end) {
        ++position_;
        break;
      }
    }
    number_ += any ? 1 : 0;
    return any;
  }

  // Of the last line, from 1.
  std::int64_t number() const { return number_; }

 private:
  bool fill() {
    ssize_t got = 0;
    do {
      got = ::read(fd_.get(), buffer_.data(), buffer_.size());
    } while (got < 0 && errno == EINTR);
    VITRAIN_CHECK(
        got >= 0, ExitCode::kData, "{}: {}", shown(path_), error_text(errno));
    position_ = 0;
    filled_ = static_cast<std::size_t>(got);
    return filled_ > 0;
  }

  void check(const std::string& line) const {
    VITRAIN_CHECK(
        line.size() <= kLongestLine && line.find('\0') == std::string::npos,
        ExitCode::kData,
        "{}:{}: is no line of text (zero bytes, or longer than {} bytes); kind "
        "list takes a UTF-8 text file with one image and its label on each "
        "line",
        shown(path_),
        number_ + 1,
        kLongestLine);
  }

  fs::path path_;
  Fd fd_;
  std::array<char, std::size_t{64} << 10> buffer_{};
  std::size_t position_ = 0;
  std::size_t filled_ = 0;
  std::int64_t number_ = 0;
};

// What is wrong with single lines: the first ones in full, the others counted.
class LineProblems {
 public:
  explicit LineProblems(const fs::path& path) : path_(path) {}

  void add(std::int64_t line, const std::string& text) {
    ++count_;
    if (lines_.size() < kMostProblems) {
      lines_.push_back(fmt::format("{}:{}: {}", shown(path_), line, text));
    }
  }

  void throw_if_any() const {
    if (count_ == 0) {
      return;
    }
    const auto more = count_ - std::ssize(lines_);
    fail(
        ExitCode::kData,
        "{}{}",
        join(lines_, "\n"),
        more > 0 ? fmt::format("\n... and {} lines more", with_commas(more))
                 : "");
  }

 private:
  const fs::path& path_;
  std::vector<std::string> lines_;
  std::int64_t count_ = 0;
};

// One name a line beside the list, or nothing.
std::vector<std::string> read_class_names(const fs::path& path) {
  std::vector<std::string> names;
  std::error_code error;
  if (!fs::exists(path, error)) {
    return names;
  }
  Lines lines(path);
  for (std::string line; lines.next(line);) {
    const std::string_view name = trim(line);
    VITRAIN_CHECK(
        !name.empty() && std::ssize(names) < kMostClasses,
        ExitCode::kData,
        "{}:{}: expected the name of class {}, got {}; this file has one name "
        "per line, in the order of the labels",
        shown(path),
        lines.number(),
        names.size(),
        name.empty() ? "an empty line" : "too many of them");
    names.emplace_back(name);
  }
  return names;
}

// Reads a list into the contents of an index.
class ListReader {
 public:
  ListReader(const SourceOptions& options, Index::Contents& contents)
      : path_(options.path),
        contents_(contents),
        problems_(path_),
        limit_(options.classes) {
    contents_.classes = read_class_names(folder() / kClassNames);
    named_ = !contents_.classes.empty();
    if (named_) {
      limit_ = std::ssize(contents_.classes);
    }
  }

  void read() {
    Lines lines(path_);
    for (std::string line; lines.next(line);) {
      std::string_view text = line;
      constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
      if (lines.number() == 1 && text.starts_with(kByteOrderMark)) {
        text.remove_prefix(kByteOrderMark.size());
      }
      read_line(trim(text), lines.number());
    }
    problems_.throw_if_any();
    contents_.samples = std::ssize(contents_.labels);
    VITRAIN_CHECK(
        contents_.samples > 0,
        ExitCode::kData,
        "{}: names no image; expected an image and its label on each line, as "
        "in `train/n01440764/x.JPEG 0`",
        shown(path_));
    name_classes();
    look_up_files();
    problems_.throw_if_any();
    make_notes();
  }

 private:
  fs::path folder() const { return path_.parent_path(); }

  void read_line(std::string_view text, std::int64_t number) {
    if (text.empty()) {
      ++blank_;
      return;
    }
    const std::size_t gap = text.find_last_of(" \t");
    const std::string_view last =
        gap == std::string_view::npos ? text : text.substr(gap + 1);
    std::int64_t label = 0;
    if (gap == std::string_view::npos || !parse_int(last, label)) {
      problems_.add(
          number,
          fmt::format(
              "expected the name of an image, a blank and its label (a whole "
              "number), got {}",
              printable(text.substr(0, 200))));
      return;
    }
    const std::int64_t most = limit_ > 0 ? limit_ : kMostClasses;
    if (label < 0 || label >= most) {
      problems_.add(
          number,
          fmt::format(
              "label {} is not one of the {} classes, 0 to {}{}",
              label,
              with_commas(most),
              most - 1,
              named_ ? fmt::format(", that {} names", kClassNames) : ""));
      return;
    }
    add(trim(text.substr(0, gap)), label, number);
  }

  void add(std::string_view name, std::int64_t label, std::int64_t number) {
    contents_.name_starts.push_back(contents_.names.size());
    contents_.names.append(name).push_back('\0');
    contents_.labels.push_back(static_cast<std::int32_t>(label));
    lines_.push_back(number);
    const fs::path path(name);
    const bool above = std::ranges::find(path, fs::path("..")) != path.end();
    outside_ += path.is_absolute() || above ? 1 : 0;
  }

  // Numbers, where there are no names.
  void name_classes() {
    const std::int64_t largest = *std::ranges::max_element(contents_.labels);
    const std::int64_t count = limit_ > 0 ? limit_ : largest + 1;
    for (auto c = std::ssize(contents_.classes); c < count; ++c) {
      contents_.classes.push_back(std::to_string(c));
    }
  }

  std::string name(std::int64_t i) const {
    return contents_.names.c_str() +
        contents_.name_starts[static_cast<std::size_t>(i)];
  }

  // Evenly spaced, the first and the last among them.
  void look_up_files() {
    const std::int64_t n = contents_.samples;
    const std::int64_t lookups = std::min(n, kMostLookups);
    for (std::int64_t k = 0; k < lookups; ++k) {
      const std::int64_t i = lookups == 1 ? 0 : k * (n - 1) / (lookups - 1);
      const fs::path file = folder() / name(i);
      struct stat status {};
      std::string reason;
      if (::stat(file.c_str(), &status) != 0) {
        reason = error_text(errno);
      } else if (!S_ISREG(status.st_mode)) {
        reason = "is not a regular file";
      }
      if (!reason.empty()) {
        problems_.add(
            lines_[static_cast<std::size_t>(i)],
            fmt::format("{}: {}", shown(file), reason));
      }
    }
  }

  // Samples whose name is in the list before, and those of them with another
  // label.
  std::pair<std::int64_t, std::int64_t> repeated() const {
    std::vector<std::pair<std::uint64_t, std::int32_t>> entries;
    for (std::int64_t i = 0; i < contents_.samples; ++i) {
      entries.emplace_back(
          hash64(name(i)), contents_.labels[static_cast<std::size_t>(i)]);
    }
    std::ranges::sort(entries);
    std::int64_t same = 0;
    std::int64_t other = 0;
    for (std::size_t i = 1; i < entries.size(); ++i) {
      if (entries[i].first == entries[i - 1].first) {
        ++(entries[i].second == entries[i - 1].second ? same : other);
      }
    }
    return {same, other};
  }

  void make_notes() {
    const auto note = [&](std::int64_t count, const char* what) {
      if (count > 0) {
        contents_.notes.push_back(
            fmt::format("{}: {}", what, with_commas(count)));
      }
    };
    std::vector<bool> seen(contents_.classes.size());
    for (const std::int32_t label : contents_.labels) {
      seen[static_cast<std::size_t>(label)] = true;
    }
    const auto [same, other] = repeated();
    note(blank_, "skipped empty lines");
    note(same, "lines that repeat another one (they count again)");
    note(other, "images that are listed again with another label");
    note(outside_, "images outside the list's folder (absolute, or with ..)");
    note(std::ranges::count(seen, false), "classes without an image");
  }

  fs::path path_;
  Index::Contents& contents_;
  LineProblems problems_;
  std::int64_t limit_ = 0; // classes; 0: as many as the labels need
  bool named_ = false;
  std::vector<std::int64_t> lines_; // of each sample
  std::int64_t blank_ = 0;
  std::int64_t outside_ = 0;
};

class ListSource : public Source {
 public:
  explicit ListSource(std::shared_ptr<const Index> shared)
      : Source(std::move(shared)),
        folder_(fs::path(index().options().path).parent_path()) {}

  bool read(std::int64_t sample, std::string& bytes) const override {
    read_image_file(path(sample), bytes);
    return true;
  }

  std::string describe(std::int64_t sample) const override {
    return shown(path(sample));
  }

 private:
  fs::path path(std::int64_t sample) const {
    return folder_ / index().name(sample);
  }

  fs::path folder_;
};

} // namespace

Index list_list(const SourceOptions& options) {
  VITRAIN_CHECK(
      !options.path.empty(),
      ExitCode::kData,
      "the dataset has no path; give the text file that lists its images");
  VITRAIN_CHECK(
      !fs::is_directory(options.path),
      ExitCode::kData,
      "{}: is a folder; kind list takes the text file itself, such as "
      "train_list.txt (or -data_path FOLDER, for train_list.txt and "
      "val_list.txt in it)",
      shown(options.path));
  Index::Contents contents;
  contents.options = options;
  ListReader(options, contents).read();
  return Index(contents);
}

std::unique_ptr<Source> open_list(std::shared_ptr<const Index> index) {
  return std::make_unique<ListSource>(std::move(index));
}

} // namespace vitrain::data::detail
