#include "weights/weights_index.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "core/text.h"
#include "weights/archive.h"
#include "weights/weights_check.h"

namespace vitrain::weights {
namespace {

constexpr std::string_view kWeightMap = "weight_map";
// Limit for quoting an invalid text, in bytes.
constexpr std::size_t kQuoted = 80;

// True if `name` can only mean a file directly in a folder, not in another one.
bool is_name_in_folder(std::string_view name) {
  constexpr std::size_t kLongestFileName = 255; // limit of Linux
  return !name.empty() && name.size() <= kLongestFileName && name != "." &&
      name != ".." && name.find('/') == name.npos &&
      name.find('\0') == name.npos;
}

// Collects 'weight_map' during parsing, so that memory and stack do not depend
// on the rest of the file.
class IndexHandler : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit IndexHandler(const std::string& source) : source_(source) {}

  WeightsIndex index;
  bool has_map = false;

  bool null() override { return other("null"); }
  bool boolean(bool) override { return other("true or false"); }
  bool number_integer(number_integer_t) override { return other("a number"); }
  bool number_unsigned(number_unsigned_t) override { return other("a number"); }
  bool number_float(number_float_t, const string_t&) override {
    return other("a number");
  }
  bool binary(binary_t&) override { return other("binary data"); }

  bool string(string_t& value) override {
    if (!in_map_) {
      return other("a text");
    }
    check_tensor_name(key_, source_);
    VITRAIN_CHECK_WEIGHTS(
        is_name_in_folder(value),
        "{}: '{}' has '{}' for the tensor '{}', which is no name of a file "
        "beside it",
        source_,
        kWeightMap,
        printable(value.substr(0, kQuoted)),
        printable(key_));
    VITRAIN_CHECK_WEIGHTS(
        index.tensors.emplace(key_, number_of(value)).second,
        "{}: '{}' has the tensor '{}' twice",
        source_,
        kWeightMap,
        printable(key_));
    return true;
  }

  bool start_object(std::size_t) override {
    if (depth_ == 1 && key_ == kWeightMap) {
      VITRAIN_CHECK_WEIGHTS(
          !has_map, "{}: has '{}' twice", source_, kWeightMap);
      has_map = true;
      in_map_ = true;
    } else if (depth_ > 0) {
      other("an object");
    }
    ++depth_;
    return true;
  }

  bool key(string_t& name) override {
    if (depth_ == 1 || in_map_) {
      key_ = name;
    }
    return true;
  }

  bool end_object() override {
    in_map_ = false; // the map contains no objects
    --depth_;
    return true;
  }

  bool start_array(std::size_t) override {
    other("a list");
    ++depth_;
    return true;
  }

  bool end_array() override {
    --depth_;
    return true;
  }

  bool parse_error(
      std::size_t position,
      const std::string&,
      const nlohmann::detail::exception& error) override {
    constexpr std::size_t kReason = 200; // errors may quote long texts
    fail(
        ExitCode::kWeights,
        "{}: is not valid JSON at byte {} ({}): an incomplete download?",
        source_,
        position,
        printable(std::string_view(error.what()).substr(0, kReason)));
  }

 private:
  // Handles a value that is not a text, which is allowed anywhere except in the
  // map.
  bool other(const char* what) const {
    VITRAIN_CHECK_WEIGHTS(
        depth_ > 0,
        "{}: is {}, not an object with '{}'",
        source_,
        what,
        kWeightMap);
    VITRAIN_CHECK_WEIGHTS(
        depth_ > 1 || key_ != kWeightMap,
        "{}: '{}' is {}, not an object",
        source_,
        kWeightMap,
        what);
    VITRAIN_CHECK_WEIGHTS(
        !in_map_,
        "{}: '{}' has {} for the tensor '{}', not the name of a file",
        source_,
        kWeightMap,
        what,
        printable(key_.substr(0, kQuoted)));
    return true;
  }

  std::size_t number_of(const std::string& file) {
    const auto [found, is_new] = numbers_.emplace(file, index.files.size());
    if (is_new) {
      VITRAIN_CHECK_WEIGHTS(
          index.files.size() < kMostFiles,
          "{}: lists more than {} files; write larger ones (max_shard_size)",
          source_,
          kMostFiles);
      index.files.push_back(file);
    }
    return found->second;
  }

  const std::string& source_;
  std::map<std::string, std::size_t> numbers_; // index of each file
  std::string key_;
  std::size_t depth_ = 0; // nesting depth of objects and lists
  bool in_map_ = false;
};

} // namespace

std::vector<std::filesystem::path> WeightsIndex::paths(
    const std::filesystem::path& index) const {
  std::vector<std::filesystem::path> paths;
  for (const std::string& file : files) {
    paths.push_back(index.parent_path() / file);
  }
  return paths;
}

WeightsIndex parse_index(std::string_view json, const std::string& source) {
  IndexHandler handler(source);
  nlohmann::json::sax_parse(json.begin(), json.end(), &handler);
  VITRAIN_CHECK_WEIGHTS(
      handler.has_map && !handler.index.tensors.empty(),
      "{}: {}, which says in which file each tensor is: it is no index of "
      "weights",
      source,
      handler.has_map ? fmt::format("nothing is in its '{}'", kWeightMap)
                      : fmt::format("is JSON without '{}'", kWeightMap));
  return std::move(handler.index);
}

WeightsIndex read_index(const InputFile& file) {
  VITRAIN_CHECK_WEIGHTS(
      file.size() <= kIndexLimit,
      "{}: has {} bytes, and an index of weights at most {}",
      file.source(),
      with_commas(file.size()),
      with_commas(kIndexLimit));
  return parse_index(file.read(file.size(), /*offset=*/0), file.source());
}

} // namespace vitrain::weights
