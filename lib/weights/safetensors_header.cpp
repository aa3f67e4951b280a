#include "weights/safetensors_header.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/text.h"
#include "weights/dtype.h"
#include "weights/weights_check.h"

namespace vitrain::weights {
namespace {

constexpr std::size_t kMaxDimensions = 32;
constexpr std::uint64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();

// Entry of a tensor as parsed: unchecked numbers, members that may be missing.
struct RawEntry {
  std::string name;
  std::optional<std::string> dtype;
  std::optional<std::vector<std::uint64_t>> shape;
  std::optional<std::vector<std::uint64_t>> offsets;
};

// SAX handler for {name: {dtype, shape, data_offsets}, "__metadata__": {string:
// string}}. Stops at the first element that does not belong there; so deep
// nesting cannot use up memory or stack.
class Handler : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::vector<RawEntry> entries;
  std::map<std::string, std::string> metadata;
  std::string problem;

  bool null() override { return unexpected("null"); }
  bool boolean(bool) override { return unexpected("a boolean"); }
  bool number_integer(number_integer_t) override {
    return unexpected("a negative number");
  }
  bool number_float(number_float_t, const string_t& text) override {
    return unexpected("the number " + printable(text));
  }
  bool binary(binary_t&) override { return unexpected("binary data"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (state_ != ParseState::kNumbers) {
      return unexpected("a number");
    }
    if (numbers_->size() == kMaxDimensions) {
      return stop(
          fmt::format("{} has more than {} numbers", where(), kMaxDimensions));
    }
    numbers_->push_back(value);
    return true;
  }

  bool string(string_t& value) override {
    if (state_ == ParseState::kMetadata) {
      metadata[key_] = value;
      return true;
    }
    if (state_ == ParseState::kEntry && key_ == "dtype") {
      entries.back().dtype = value;
      return true;
    }
    return unexpected("a string");
  }

  bool start_object(std::size_t) override {
    if (state_ == ParseState::kOutside) {
      state_ = ParseState::kTop;
      return true;
    }
    if (state_ != ParseState::kTop) {
      return unexpected("an object");
    }
    members_.clear();
    if (key_ == "__metadata__") {
      state_ = ParseState::kMetadata;
    } else {
      state_ = ParseState::kEntry;
      entries.push_back({.name = key_});
    }
    return true;
  }

  bool key(string_t& name) override {
    key_ = name;
    std::set<std::string>& names =
        state_ == ParseState::kTop ? names_ : members_;
    if (names.size() == kMostNames) {
      return stop(fmt::format(
          "the header has more than {} names", with_commas(kMostNames)));
    }
    if (!names.insert(name).second) {
      return stop(fmt::format("the header has '{}' twice", printable(name)));
    }
    return state_ != ParseState::kEntry || name == "dtype" || name == "shape" ||
        name == "data_offsets" ||
        stop(fmt::format(
            "tensor '{}' has an unknown member '{}'",
            printable(entries.back().name),
            printable(name)));
  }

  bool end_object() override {
    state_ =
        state_ == ParseState::kTop ? ParseState::kOutside : ParseState::kTop;
    return true;
  }

  bool start_array(std::size_t) override {
    if (state_ != ParseState::kEntry || key_ == "dtype") {
      return unexpected("an array");
    }
    auto& list =
        key_ == "shape" ? entries.back().shape : entries.back().offsets;
    numbers_ = &list.emplace();
    state_ = ParseState::kNumbers;
    return true;
  }

  bool end_array() override {
    state_ = ParseState::kEntry;
    return true;
  }

  bool parse_error(
      std::size_t position,
      const std::string&,
      const nlohmann::detail::exception& error) override {
    return stop(fmt::format(
        "the header is not valid JSON at byte {} ({})",
        position,
        printable(error.what())));
  }

 private:
  enum class ParseState { kOutside, kTop, kEntry, kNumbers, kMetadata };

  bool stop(std::string text) {
    problem = std::move(text);
    return false;
  }

  std::string where() const {
    switch (state_) {
      case ParseState::kEntry:
      case ParseState::kNumbers:
        return fmt::format(
            "'{}' of tensor '{}'", key_, printable(entries.back().name));
      case ParseState::kMetadata:
        return fmt::format("metadata '{}'", printable(key_));
      default:
        return fmt::format("'{}'", printable(key_));
    }
  }

  bool unexpected(const std::string& what) {
    return stop(fmt::format("the header's {} is {}", where(), what));
  }

  ParseState state_ = ParseState::kOutside;
  std::string key_;
  std::set<std::string> names_;
  std::set<std::string> members_; // members of the inner object so far
  std::vector<std::uint64_t>* numbers_ = nullptr;
};

// Returns the size of a tensor in bytes; throws Error(kWeights) if it, or
// torch's strides, overflow.
std::uint64_t
tensor_bytes(const RawEntry& entry, const DType& type, const std::string& at) {
  std::uint64_t elements = 1;
  // Number of elements, with dimensions of 0 counted as 1.
  std::uint64_t reach = 1;
  for (const std::uint64_t size : *entry.shape) {
    const bool overflow = __builtin_mul_overflow(elements, size, &elements) ||
        __builtin_mul_overflow(reach, std::max<std::uint64_t>(size, 1), &reach);
    VITRAIN_CHECK_WEIGHTS(
        !overflow && reach <= kMaxInt64,
        "{}: the number of its elements overflows",
        at);
  }
  std::uint64_t bytes = 0;
  VITRAIN_CHECK_WEIGHTS(
      !__builtin_mul_overflow(
          elements, static_cast<std::uint64_t>(type.bytes), &bytes) &&
          bytes <= kMaxInt64,
      "{}: the number of its bytes overflows",
      at);
  return bytes;
}

TensorEntry check_entry(const RawEntry& entry, const std::string& source) {
  const std::string at =
      fmt::format("{}: tensor '{}'", source, printable(entry.name));
  VITRAIN_CHECK_WEIGHTS(
      entry.dtype && entry.shape && entry.offsets,
      "{} lacks {}",
      at,
      !entry.dtype ? "dtype" : (!entry.shape ? "shape" : "data_offsets"));
  const DType* type = find_dtype(*entry.dtype);
  VITRAIN_CHECK_WEIGHTS(
      type != nullptr,
      "{} has the type '{}', which is not one of {}",
      at,
      printable(*entry.dtype),
      known_dtypes());
  const std::uint64_t bytes = tensor_bytes(entry, *type, at);
  const std::vector<std::uint64_t>& offsets = *entry.offsets;
  VITRAIN_CHECK_WEIGHTS(
      offsets.size() == 2 && offsets[0] <= offsets[1] &&
          offsets[1] <= kMaxInt64,
      "{}: its data_offsets are not [begin, end]",
      at);
  VITRAIN_CHECK_WEIGHTS(
      offsets[1] - offsets[0] == bytes,
      "{}: its shape needs {} bytes, its data_offsets span {}",
      at,
      bytes,
      offsets[1] - offsets[0]);
  return {
      .name = entry.name,
      .dtype = type->name,
      .shape = {entry.shape->begin(), entry.shape->end()},
      .begin = static_cast<std::int64_t>(offsets[0]),
      .end = static_cast<std::int64_t>(offsets[1])};
}

// Throws Error(kWeights) unless every byte of the data belongs to exactly one
// tensor.
void check_cover(
    const std::vector<TensorEntry>& tensors,
    std::int64_t data_bytes,
    const std::string& source) {
  std::int64_t end = 0;
  for (const TensorEntry& tensor : tensors) {
    VITRAIN_CHECK_WEIGHTS(
        tensor.begin == end,
        "{}: tensor '{}' starts at byte {} of the data, where {} is expected "
        "({})",
        source,
        printable(tensor.name),
        tensor.begin,
        end,
        tensor.begin < end ? "tensors overlap" : "there is a hole");
    end = tensor.end;
  }
  VITRAIN_CHECK_WEIGHTS(
      end == data_bytes,
      "{}: its tensors have {} bytes, the file has {} after the header: it is "
      "{}",
      source,
      end,
      data_bytes,
      end > data_bytes ? "truncated (an incomplete download?)"
                       : "followed by something else");
}

} // namespace

SafetensorsHeader parse_header(
    std::string_view json,
    std::int64_t data_bytes,
    const std::string& source) {
  VITRAIN_CHECK_WEIGHTS(
      json.starts_with('{'),
      "{}: not a safetensors file: the header does not start with '{{'",
      source);
  Handler handler;
  const bool parsed =
      nlohmann::json::sax_parse(json.begin(), json.end(), &handler);
  VITRAIN_CHECK_WEIGHTS(parsed, "{}: {}", source, handler.problem);
  SafetensorsHeader header;
  header.metadata = std::move(handler.metadata);
  header.tensors.reserve(handler.entries.size());
  for (const RawEntry& entry : handler.entries) {
    header.tensors.push_back(check_entry(entry, source));
  }
  std::ranges::sort(header.tensors, {}, [](const TensorEntry& entry) {
    return std::pair(entry.begin, entry.end);
  });
  check_cover(header.tensors, data_bytes, source);
  return header;
}

} // namespace vitrain::weights
