#include "core/json_reader.h"

#include <limits>
#include <set>
#include <utility>

#include "core/check.h"
#include "core/text.h"

namespace vitrain {
namespace {

constexpr int kDeepest = 64;

const char* kind_of(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::object:
      return "an object";
    case Json::value_t::array:
      return "a list";
    case Json::value_t::string:
      return "a string";
    case Json::value_t::boolean:
      return "true or false";
    case Json::value_t::number_float:
      return "a number with a fraction";
    default:
      return "an integer";
  }
}

bool is_int64(const Json& value) {
  return value.is_number_integer() &&
      (!value.is_number_unsigned() ||
       value.get<std::uint64_t>() <=
           std::uint64_t{std::numeric_limits<std::int64_t>::max()});
}

} // namespace

Json parse_json(
    const std::string& text,
    const std::string& source,
    ExitCode code) {
  // Keys of each object that is still open.
  std::vector<std::set<std::string>> keys;
  std::string problem;
  const auto watch = [&](int depth, Json::parse_event_t event, Json& value) {
    if (depth > kDeepest) {
      problem = fmt::format("is nested deeper than {} levels", kDeepest);
    }
    if (event == Json::parse_event_t::object_start) {
      keys.emplace_back();
    } else if (event == Json::parse_event_t::object_end) {
      keys.pop_back();
    } else if (event == Json::parse_event_t::key && problem.empty()) {
      const std::string key = value.get<std::string>();
      if (!keys.back().insert(key).second) {
        problem = fmt::format("has '{}' twice in one object", printable(key));
      }
    }
    return problem.empty(); // false: the parser discards the refused value
  };
  Json json = Json::parse(text, watch, /*allow_exceptions=*/false);
  VITRAIN_CHECK(problem.empty(), code, "{}: {}", source, problem);
  VITRAIN_CHECK(
      !json.is_discarded(),
      code,
      "{}: is not valid JSON: damaged or cut off",
      source);
  return json;
}

JsonReader::JsonReader(
    const Json& json,
    std::string source,
    ExitCode code,
    std::string name)
    : json_(json),
      source_(std::move(source)),
      code_(code),
      name_(std::move(name)) {
  require(json_.is_object(), name_, json_, "an object");
}

std::string JsonReader::path(const std::string& key) const {
  return name_.empty() ? key : name_ + "." + key;
}

void JsonReader::require(
    bool right,
    const std::string& name,
    const Json& value,
    std::string_view wanted) const {
  if (!right) {
    fail(
        code_,
        "{}: {} is {}, not {}",
        source_,
        name.empty() ? "its content" : "'" + printable(name) + "'",
        kind_of(value),
        wanted);
  }
}

const Json& JsonReader::member(const std::string& key) const {
  const auto found = json_.find(key);
  VITRAIN_CHECK(
      found != json_.end(),
      code_,
      "{}: '{}' is missing",
      source_,
      printable(path(key)));
  return *found;
}

bool JsonReader::is_null(const std::string& key) const {
  return member(key).is_null();
}

std::int64_t JsonReader::integer_of(const Json& value, const std::string& name)
    const {
  require(is_int64(value), name, value, "an integer of 64 bits");
  return value.get<std::int64_t>();
}

std::string JsonReader::text_of(const Json& value, const std::string& name)
    const {
  require(value.is_string(), name, value, "a string");
  return value.get<std::string>();
}

JsonReader JsonReader::object_of(const Json& value, const std::string& name)
    const {
  return {value, source_, code_, name};
}

std::int64_t JsonReader::integer(const std::string& key) const {
  return integer_of(member(key), path(key));
}

double JsonReader::number(const std::string& key) const {
  return number_of(member(key), path(key));
}

double JsonReader::number_of(const Json& value, const std::string& name) const {
  require(value.is_number(), name, value, "a number");
  return value.get<double>();
}

std::string JsonReader::text(const std::string& key) const {
  return text_of(member(key), path(key));
}

JsonReader JsonReader::object(const std::string& key) const {
  return object_of(member(key), path(key));
}

template <typename Value>
std::vector<Value> JsonReader::list(const std::string& key, Of<Value> read)
    const {
  const Json& values = member(key);
  require(values.is_array(), path(key), values, "a list");
  std::vector<Value> result;
  for (std::size_t i = 0; i < values.size(); ++i) {
    result.push_back(
        (this->*read)(values[i], fmt::format("{}[{}]", path(key), i)));
  }
  return result;
}

std::vector<JsonReader> JsonReader::objects(const std::string& key) const {
  return list(key, &JsonReader::object_of);
}

std::vector<std::int64_t> JsonReader::integers(const std::string& key) const {
  return list(key, &JsonReader::integer_of);
}

std::vector<double> JsonReader::numbers(const std::string& key) const {
  return list(key, &JsonReader::number_of);
}

std::vector<std::string> JsonReader::texts(const std::string& key) const {
  return list(key, &JsonReader::text_of);
}

} // namespace vitrain
