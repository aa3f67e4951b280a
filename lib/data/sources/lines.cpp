#include "data/sources/lines.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/ascii.h"
#include "core/check.h"
#include "core/text.h"
#include "data/sources/data_file.h"

namespace vitrain::data {
namespace {

// Maximum length of a line in bytes: a name has at most 4,096 (PATH_MAX), a
// label a few.
constexpr std::size_t kLongestLine = 8192;
constexpr std::size_t kMostProblems = 5;

} // namespace

ReadBytes open_text(const std::filesystem::path& path, const char* use) {
  const auto file = std::make_shared<const DataFile>(
      path, /*before_reason=*/"cannot read the file: ", use);
  return [file, at = std::int64_t{0}](std::span<char> into) mutable {
    const std::size_t got = file->read_at(at, into);
    at += static_cast<std::int64_t>(got);
    return got;
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
    VITRAIN_CHECK_DATA(
        c != '\0' && line.size() < kLongestLine,
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

std::string separator_name(char separator) {
  return separator == ',' ? "a comma"
      : separator == ';'  ? "a semicolon"
      : separator == '\t' ? "a tab"
                          : fmt::format("'{}'", separator);
}

std::optional<char> separator_in(std::string_view first_line) {
  constexpr std::string_view kSep = "sep=";
  std::string_view text = first_line;
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    text = text.substr(1, text.size() - 2);
  }
  const bool names_one = text.size() == kSep.size() + 1 &&
      ascii_lower(std::string(text.substr(0, kSep.size()))) == kSep;
  const char separator = names_one ? text.back() : '\0';
  const bool is_plain = separator == '\t' ||
      (separator > ' ' && separator < '\x7F' && separator != '"' &&
       !is_digit(separator) && !is_letter(separator));
  return is_plain ? std::optional(separator) : std::nullopt;
}

CsvRecords::CsvRecords(
    ReadBytes read,
    std::string name,
    char separator,
    std::size_t most_fields)
    : characters_(std::move(read)),
      name_(std::move(name)),
      separator_(separator),
      most_fields_(most_fields) {
  characters_.skip_byte_order_mark();
}

bool CsvRecords::next(std::vector<std::string>& fields) {
  while (characters_.peek() != Characters::kEnd) {
    number_ = line_;
    fields.clear();
    bool more = true;
    while (more) {
      VITRAIN_CHECK_DATA(
          fields.size() < most_fields_,
          "{}:{}: has more than {} fields",
          name_,
          number_,
          most_fields_);
      more = read_field(fields.emplace_back());
    }
    if (number_ == 1 &&
        separator_in(join(fields, std::string(1, separator_))) == separator_) {
      continue;
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
    VITRAIN_CHECK_DATA(
        c != Characters::kEnd,
        "{}:{}: a quote (\") is opened here and never closed",
        name_,
        number_);
    if (c == '"') {
      if (characters_.peek() != '"') {
        return;
      }
      characters_.next();
    } else if (c == '\n' || (c == '\r' && characters_.peek() != '\n')) {
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
  VITRAIN_CHECK_DATA(
      c == '\n' || c == '\r' || c == Characters::kEnd,
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
  VITRAIN_CHECK_DATA(
      c != '\0' && field.size() < kLongestLine,
      "{}:{}: is no line of text (zero bytes, or a field longer than {} bytes)",
      name_,
      line_,
      kLongestLine);
  field.push_back(static_cast<char>(c));
}

void LineProblems::add(std::int64_t line, const std::string& text) {
  ++count_;
  const auto place = std::ranges::upper_bound(
      first_, line, {}, &std::pair<std::int64_t, std::string>::first);
  first_.emplace(place, line, text);
  if (first_.size() > kMostProblems) {
    first_.pop_back();
  }
}

void LineProblems::throw_if_any() const {
  if (count_ == 0) {
    return;
  }
  std::vector<std::string> lines;
  for (const auto& [line, text] : first_) {
    lines.push_back(fmt::format("{}:{}: {}", name_, line, text));
  }
  const auto more = count_ - std::ssize(lines);
  fail_data(
      "{}{}",
      join(lines, "\n"),
      more > 0 ? fmt::format("\n... and {} lines more", with_commas(more))
               : "");
}

} // namespace vitrain::data
