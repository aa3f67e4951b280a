#include "data/load/weights.h"

#include <cmath>
#include <numeric>

#include "core/check.h"
#include "core/text.h"
#include "data/sources/lines.h"

namespace vitrain::data {
namespace {

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
  Lines lines(
      open_text(
          path,
          "data.sampler.weights is a text file with a number on "
          "each line"),
      printable(path));
  std::vector<double> numbers;
  for (std::string line; lines.next(line);) {
    const std::string_view text = trim(line);
    if (text.empty() || text.front() == '#') {
      continue;
    }
    double value = 0.0;
    VITRAIN_CHECK_DATA(
        parse_double(text, value) && std::isfinite(value) && value >= 0.0,
        "{}:{}: expected a weight, a number that is not negative, got {}",
        printable(path),
        lines.number(),
        printable(text.substr(0, 40)));
    numbers.push_back(value);
  }
  return numbers;
}

} // namespace

std::vector<double> balanced_sample_weights(const Index& index) {
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
  const bool lists = index.has_label_sets();
  VITRAIN_CHECK_DATA(
      !lists || count == index.size(),
      "{} has {} weights: images have any number of labels "
      "(data.train.multi_label), so expected one for each of the {} samples",
      printable(path),
      count,
      index.size());
  VITRAIN_CHECK_DATA(
      count == classes || count == index.size(),
      "{} has {} weights: expected one for each of the {} classes, or one for "
      "each of the {} samples",
      printable(path),
      with_commas(count),
      with_commas(classes),
      with_commas(index.size()));
  if (count == classes && !lists) {
    numbers = spread(numbers, index);
  }
  VITRAIN_CHECK_DATA(
      std::accumulate(numbers.begin(), numbers.end(), 0.0) > 0.0,
      "{}: all weights of the samples are 0, so that none can be drawn",
      printable(path));
  return numbers;
}

} // namespace vitrain::data
