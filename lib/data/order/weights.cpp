#include "data/order/weights.h"

#include <cmath>
#include <numeric>

#include "core/check.h"
#include "core/files/files.h"
#include "core/text/text.h"

namespace vitrain::data {
namespace {

// 2^26 samples with 16 characters each.
constexpr std::size_t kMostWeightBytes = std::size_t{1} << 30;

std::vector<double> spread(
    const std::vector<double>& by_class,
    const Index& index) {
  std::vector<double> weights(static_cast<std::size_t>(index.size()));
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::int64_t label = index.label(static_cast<std::int64_t>(i));
    weights[i] = by_class[static_cast<std::size_t>(label)];
  }
  return weights;
}

std::vector<double> read_numbers(const std::string& path) {
  const std::string text = read_file(path, kMostWeightBytes, ExitCode::kData);
  std::vector<double> numbers;
  std::size_t line_number = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line =
        trim(std::string_view(text).substr(start, end - start));
    start = end + 1;
    ++line_number;
    if (line.empty() || line.front() == '#') {
      continue;
    }
    double value = 0.0;
    VITRAIN_CHECK_DATA(
        parse_double(line, value) && std::isfinite(value) && value >= 0.0,
        "{}:{}: expected a weight, a number that is not negative, got {}",
        printable(path),
        line_number,
        printable(line.substr(0, 40)));
    numbers.push_back(value);
  }
  return numbers;
}

} // namespace

std::vector<double> balanced_weights(const Index& index) {
  std::vector<double> by_class(index.classes().size(), 0.0);
  for (std::int64_t i = 0; i < index.size(); ++i) {
    by_class[static_cast<std::size_t>(index.label(i))] += 1.0;
  }
  for (double& weight : by_class) {
    weight = weight > 0.0 ? 1.0 / weight : 0.0;
  }
  return spread(by_class, index);
}

std::vector<double> read_weights(const std::string& path, const Index& index) {
  std::vector<double> numbers = read_numbers(path);
  const std::int64_t classes = std::ssize(index.classes());
  const std::int64_t count = std::ssize(numbers);
  VITRAIN_CHECK_DATA(
      count == classes || count == index.size(),
      "{} has {} weights: expected one for each of the {} classes, or one for "
      "each of the {} samples",
      printable(path),
      count,
      classes,
      index.size());
  if (count == classes) {
    numbers = spread(numbers, index);
  }
  VITRAIN_CHECK_DATA(
      std::accumulate(numbers.begin(), numbers.end(), 0.0) > 0.0,
      "{}: all weights of the samples are 0, so that none can be drawn",
      printable(path));
  return numbers;
}

} // namespace vitrain::data
