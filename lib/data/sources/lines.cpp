#include "data/sources/lines.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <utility>

#include "core/check.h"
#include "core/files.h"
#include "core/text.h"

namespace vitrain::data {
namespace {

// A name has at most 4,096 bytes (PATH_MAX), a label a few.
constexpr std::size_t kLongestLine = 8192;
constexpr std::size_t kMostFields = 1000;
constexpr std::size_t kMostProblems = 5;

} // namespace

ReadBytes open_text(const std::filesystem::path& path, const char* use) {
  const std::string name = printable(path.native());
  // O_NONBLOCK: opening a FIFO without a writer must not hang.
  auto fd = std::make_shared<Fd>(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  VITRAIN_CHECK(
      *fd,
      ExitCode::kData,
      "{}: cannot read the file: {}",
      name,
      error_text(errno));
  struct stat status {};
  VITRAIN_CHECK(
      ::fstat(fd->get(), &status) == 0 && S_ISREG(status.st_mode),
      ExitCode::kData,
      "{}: is not a regular file; {}",
      name,
      use);
  return [fd = std::move(fd), name](std::span<char> into) {
    ssize_t got = 0;
    do {
      got = ::read(fd->get(), into.data(), into.size());
    } while (got < 0 && errno == EINTR);
    VITRAIN_CHECK(got >= 0, ExitCode::kData, "{}: {}", name, error_text(errno));
    return static_cast<std::size_t>(got);
  };
}

bool Characters::fill() {
  position_ = 0;
  filled_ = read_(buffer_);
  return filled_ > 0;
}

void Characters::skip_byte_order_mark() {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (peek() != kEnd &&
      std::string_view(buffer_.data(), filled_).starts_with(kMark)) {
    position_ += kMark.size();
  }
}

Lines::Lines(ReadBytes read, std::string name)
    : characters_(std::move(read)), name_(std::move(name)) {
  characters_.skip_byte_order_mark();
}

bool Lines::next(std::string& line) {
  line.clear();
  int c = characters_.next();
  if (c == Characters::kEnd) {
    return false;
  }
  ++number_;
  for (; c != Characters::kEnd && c != '\n' && c != '\r';
       c = characters_.next()) {
    VITRAIN_CHECK(
        c != '\0' && line.size() < kLongestLine,
        ExitCode::kData,
        "{}:{}: is no line of text (zero bytes, or longer than {} bytes)",
        name_,
        number_,
        kLongestLine);
    line.push_back(static_cast<char>(c));
  }
  if (c == '\r' && characters_.peek() == '\n') {
    characters_.next();
  }
  return true;
}

const char* separator_name(char separator) {
  return separator == ';' ? "a semicolon"
      : separator == '\t' ? "a tab"
                          : "a comma";
}

CsvRecords::CsvRecords(ReadBytes read, std::string name, char separator)
    : characters_(std::move(read)),
      name_(std::move(name)),
      separator_(separator) {
  characters_.skip_byte_order_mark();
}

bool CsvRecords::next(std::vector<std::string>& fields) {
  while (characters_.peek() != Characters::kEnd) {
    number_ = line_;
    fields.clear();
    bool more = true;
    while (more) {
      VITRAIN_CHECK(
          fields.size() < kMostFields,
          ExitCode::kData,
          "{}:{}: has more than {} fields",
          name_,
          number_,
          kMostFields);
      more = read_field(fields.emplace_back());
    }
    if (fields.size() > 1 || !trim(fields.front()).empty()) {
      return true;
    }
    ++empty_lines_;
  }
  return false;
}

bool CsvRecords::read_field(std::string& field) {
  if (characters_.peek() == '"') {
    characters_.next();
    read_quoted(field);
    return end_of_field();
  }
  for (int c = characters_.peek();
       c != separator_ && c != '\n' && c != '\r' && c != Characters::kEnd;
       c = characters_.peek()) {
    append(field, characters_.next());
  }
  return end_of_field();
}

void CsvRecords::read_quoted(std::string& field) {
  while (true) {
    const int c = characters_.next();
    VITRAIN_CHECK(
        c != Characters::kEnd,
        ExitCode::kData,
        "{}:{}: a quote (\") is opened here and never closed",
        name_,
        number_);
    if (c == '"') {
      if (characters_.peek() != '"') {
        return;
      }
      characters_.next();
    } else if (c == '\n') {
      ++line_;
    }
    append(field, c);
  }
}

bool CsvRecords::end_of_field() {
  const int c = characters_.next();
  if (c == separator_) {
    return true;
  }
  VITRAIN_CHECK(
      c == '\n' || c == '\r' || c == Characters::kEnd,
      ExitCode::kData,
      "{}:{}: expected {} or the line's end after a closing quote (a quote "
      "inside quotes is written twice)",
      name_,
      line_,
      separator_name(separator_));
  if (c == '\r' && characters_.peek() == '\n') {
    characters_.next();
  }
  ++line_;
  return false;
}

void CsvRecords::append(std::string& field, int c) {
  VITRAIN_CHECK(
      c != '\0' && field.size() < kLongestLine,
      ExitCode::kData,
      "{}:{}: is no line of text (zero bytes, or a field longer than {} bytes)",
      name_,
      line_,
      kLongestLine);
  field.push_back(static_cast<char>(c));
}

void LineProblems::add(std::int64_t line, const std::string& text) {
  ++count_;
  if (lines_.size() < kMostProblems) {
    lines_.push_back(fmt::format("{}:{}: {}", name_, line, text));
  }
}

void LineProblems::throw_if_any() const {
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

} // namespace vitrain::data
