#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "config/sections/preprocess.h"

namespace vitrain::config {

enum class OptionId;

// What the verbs that look at data are asked for.
struct DataArguments {
  std::int64_t epoch = 0;
  std::optional<std::int64_t> world; // order: of how many workers ...
  std::optional<std::int64_t> rank; // ... and which one; none: all
  std::int64_t count = 64; // show
  std::optional<std::string> out;
  std::int64_t shard_mb = 1024; // pack
  // dump, unpack
  std::vector<std::string> files;
  // dump
  bool train = false;
  std::int64_t index = 0;
  std::optional<std::int64_t> resize;
  std::optional<std::int64_t> crop;
  Filter filter = Filter::kBicubic;
  std::int64_t pillow = 12;
};

// Takes what is wrong with an option.
using ReportProblem =
    std::function<void(const std::string& shown, std::string text)>;

// A number from `least` to `most`.
std::optional<std::int64_t> read_count(
    const std::string& shown,
    const std::string& value,
    int least,
    const ReportProblem& report,
    int most = std::numeric_limits<std::int32_t>::max());

// Reads an option of the group "Looking at data".
void read_data_option(
    OptionId id,
    const std::string& shown,
    const std::string& value,
    DataArguments& arguments,
    const ReportProblem& report);

} // namespace vitrain::config
