#include "results/prediction.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "core/json.h"
#include "results/csv.h"

namespace vitrain::results {

std::vector<ClassScore> top_classes(
    std::span<const float> probabilities,
    std::int64_t most) {
  if (std::ranges::any_of(
          probabilities, [](float value) { return !std::isfinite(value); })) {
    return {};
  }
  std::vector<std::int32_t> order(probabilities.size());
  std::iota(order.begin(), order.end(), 0);
  const auto last =
      order.begin() + std::min<std::int64_t>(most, std::ssize(order));
  std::ranges::partial_sort(order, last, [&](std::int32_t a, std::int32_t b) {
    const float left = probabilities[static_cast<std::size_t>(a)];
    const float right = probabilities[static_cast<std::size_t>(b)];
    return left == right ? a < b : left > right;
  });
  std::vector<ClassScore> top;
  for (auto i = order.begin(); i != last; ++i) {
    top.push_back({*i, probabilities[static_cast<std::size_t>(*i)]});
  }
  return top;
}

std::string PredictionLines::csv_header() const {
  std::vector<std::string> fields{"path", "prediction", "probability"};
  for (std::int64_t rank = 2; rank <= top_; ++rank) {
    fields.push_back(fmt::format("prediction_{}", rank));
    fields.push_back(fmt::format("probability_{}", rank));
  }
  fields.emplace_back("problem");
  return csv_line(fields);
}

std::string PredictionLines::csv(
    std::string_view path,
    const Prediction& prediction) const {
  std::vector<std::string> fields{std::string(path)};
  for (std::size_t i = 0; i < static_cast<std::size_t>(top_); ++i) {
    const bool some = i < prediction.top.size();
    const ClassScore score = some ? prediction.top[i] : ClassScore();
    fields.push_back(
        some ? classes_[static_cast<std::size_t>(score.index)] : "");
    // The shortest text that parses to the same fp32 number.
    fields.push_back(some ? fmt::format("{}", score.probability) : "");
  }
  fields.push_back(prediction.problem);
  return csv_line(fields);
}

std::string PredictionLines::json(
    std::string_view path,
    const Prediction& prediction) const {
  Json object{{"path", path}};
  if (!prediction.problem.empty()) {
    object["problem"] = prediction.problem;
    return to_line(object) + "\n";
  }
  Json top = Json::array();
  const auto count = std::min<std::size_t>(
      static_cast<std::size_t>(top_), prediction.top.size());
  for (std::size_t i = 0; i < count; ++i) {
    const ClassScore& score = prediction.top[i];
    top.push_back(
        {{"class", classes_[static_cast<std::size_t>(score.index)]},
         {"index", score.index},
         // Same digits as in the CSV, fewer than the double has.
         {"probability", Json::parse(fmt::format("{}", score.probability))}});
  }
  object["top"] = std::move(top);
  return to_line(object) + "\n";
}

} // namespace vitrain::results
