#include "weights/numpy.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "core/text.h"
#include "weights/weights_check.h"

namespace vitrain::weights {
namespace {

constexpr std::size_t kMostDimensions = 32;

// Parses the Python literal of a .npy header:
// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& what)
      : text_(text), what_(what) {}

  ArrayHeader parse() {
    expect('{');
    while (!accept('}')) {
      const std::string_view key = quoted();
      expect(':');
      value(key);
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    check(trim(text_).empty(), "something follows it");
    check(seen_ == 7, "it lacks one of descr, fortran_order and shape");
    return header_;
  }

 private:
  void check(bool condition, std::string_view problem) const {
    VITRAIN_CHECK_WEIGHTS(
        condition, "{}: its .npy header cannot be read: {}", what_, problem);
  }
  void skip_blanks() {
    while (!text_.empty() && text_.front() == ' ') {
      text_.remove_prefix(1);
    }
  }
  bool accept(char wanted) {
    skip_blanks();
    const bool there = text_.starts_with(wanted);
    text_.remove_prefix(there ? 1 : 0);
    return there;
  }
  void expect(char wanted) {
    check(accept(wanted), fmt::format("there is no '{}'", wanted));
  }
  std::string_view quoted() {
    expect('\'');
    const std::size_t end = text_.find('\'');
    check(end != text_.npos, "a text does not end");
    const std::string_view inside = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return inside;
  }
  bool boolean() {
    skip_blanks();
    const bool yes = text_.starts_with("True");
    check(yes || text_.starts_with("False"), "no True or False");
    text_.remove_prefix(yes ? 4 : 5);
    return yes;
  }
  std::int64_t number() {
    skip_blanks();
    std::int64_t value = 0;
    const auto [end, error] =
        std::from_chars(text_.data(), text_.data() + text_.size(), value);
    check(error == std::errc() && value >= 0, "a size is not a whole number");
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    // Long integers of Python 2.
    text_.remove_prefix(text_.starts_with('L') ? 1 : 0);
    return value;
  }
  void shape() {
    expect('(');
    while (!accept(')')) {
      check(
          header_.shape.size() < kMostDimensions, "it has too many dimensions");
      header_.shape.push_back(number());
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
  }
  void value(std::string_view key) {
    if (key == "descr") {
      seen_ |= 1;
      skip_blanks();
      const bool plain = text_.starts_with('\'');
      const std::string_view type = plain ? quoted() : "a record";
      VITRAIN_CHECK_WEIGHTS(
          parse_array_type(type, header_),
          "{}: holds {}, not numbers",
          what_,
          type.ends_with('O') ? "Python objects" : printable(type));
    } else if (key == "fortran_order") {
      seen_ |= 2;
      header_.fortran = boolean();
    } else {
      check(key == "shape", "it has an unknown key");
      seen_ |= 4;
      shape();
    }
  }

  std::string_view text_;
  const std::string& what_;
  ArrayHeader header_;
  int seen_ = 0;
};

} // namespace

bool parse_array_type(std::string_view text, ArrayHeader& header) {
  struct Row {
    std::string_view numpy;
    const char* ours;
  };
  constexpr Row kRows[] = {
      {"f2", "F16"},
      {"f4", "F32"},
      {"f8", "F64"},
      {"i1", "I8"},
      {"i2", "I16"},
      {"i4", "I32"},
      {"i8", "I64"},
      {"u1", "U8"},
      {"u2", "U16"},
      {"u4", "U32"},
      {"u8", "U64"},
      {"b1", "BOOL"},
      {"c8", "C64"},
      {"V2", "BF16"}};
  bool big = false;
  if (!text.empty() &&
      std::string_view("<>=|").find(text.front()) != text.npos) {
    big = text.front() == '>';
    text.remove_prefix(1);
  }
  const auto* row = std::ranges::find(kRows, text, &Row::numpy);
  if (row == std::end(kRows)) {
    return false;
  }
  header.type = find_dtype(row->ours);
  header.swapped = !big || header.type->bytes == 1 ? 0
      : header.type->kind == DType::Kind::kComplex ? header.type->bytes / 2
                                                   : header.type->bytes;
  return true;
}

bool count_array_bytes(ArrayHeader& header) {
  // Size in bytes, with dimensions of 0 counted as 1.
  std::int64_t reach = header.type->bytes;
  bool empty = false;
  for (const std::int64_t size : header.shape) {
    if (size < 0 ||
        __builtin_mul_overflow(
            reach, std::max<std::int64_t>(size, 1), &reach)) {
      return false;
    }
    empty = empty || size == 0;
  }
  header.bytes = empty ? 0 : reach;
  return header.shape.size() <= kMostDimensions;
}

ArrayHeader parse_npy_header(std::string_view start, const std::string& what) {
  using namespace std::string_view_literals;
  VITRAIN_CHECK_WEIGHTS(
      start.size() >= 12 && start.starts_with("\x93NUMPY"sv),
      "{}: is not a .npy file",
      what);
  const int version = static_cast<unsigned char>(start[6]);
  std::uint32_t length = 0;
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  std::memcpy(&length, start.data() + 8, length_bytes);
  const std::size_t text_start = 8 + length_bytes;
  VITRAIN_CHECK_WEIGHTS(
      version >= 1 && version <= 3 && length <= start.size() - text_start,
      "{}: its .npy header has version {} and {} bytes, of which {} are there "
      "or read",
      what,
      version,
      length,
      start.size() - text_start);
  ArrayHeader header =
      HeaderParser(trim(start.substr(text_start, length)), what).parse();
  VITRAIN_CHECK_WEIGHTS(
      count_array_bytes(header), "{}: the number of its bytes overflows", what);
  header.start = static_cast<std::int64_t>(text_start + length);
  return header;
}

StoredTensor stored_array(const ArrayHeader& header, std::size_t storage) {
  std::vector<std::int64_t> strides = contiguous_strides(header.shape);
  if (header.fortran) {
    std::int64_t stride = 1;
    for (std::size_t i = 0; i < strides.size(); ++i) {
      strides[i] = stride;
      stride *= std::max<std::int64_t>(header.shape[i], 1);
    }
  }
  return {
      .type = header.type,
      .shape = header.shape,
      .parts = {
          {.storage = storage,
           .shape = header.shape,
           .strides = std::move(strides)}}};
}

void swap_bytes(void* bytes, std::int64_t size, std::int64_t width) {
  auto* next = static_cast<char*>(bytes);
  for (std::int64_t i = 0; width > 1 && i + width <= size; i += width) {
    std::reverse(next + i, next + i + width);
  }
}

} // namespace vitrain::weights
