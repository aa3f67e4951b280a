#include <cmath>

#include <fmt/format.h>

#include "core/text.h"
#include "results/calibration.h"
#include "results/confusion.h"
#include "results/csv.h"
#include "results/evaluation_files.h"

namespace vitrain::results {
namespace {

// Returns the shortest text that parses to the same number; "" if it is not
// finite.
template <typename Number>
std::string number_field(Number value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "";
}

std::string class_field(const Evaluation& evaluation, std::int32_t index) {
  return index < 0 ? "" : evaluation.classes[static_cast<std::size_t>(index)];
}

} // namespace

std::string predictions_csv(const Evaluation& evaluation) {
  std::string table = "path,label,prediction,probability,loss\n";
  for (const Outcome& one : evaluation.outcomes) {
    const std::string fields[] = {
        evaluation.path(one.sample),
        class_field(evaluation, one.label),
        class_field(evaluation, one.prediction),
        one.finite() ? number_field(one.probability) : "",
        number_field(one.loss)};
    table += csv_line(fields);
  }
  return table;
}

std::string per_class_csv(const Evaluation& evaluation) {
  const Confusion confusion(
      std::ssize(evaluation.classes), evaluation.outcomes);
  std::string table =
      "class,count,correct,accuracy,predicted,precision,f1,confused_with,"
      "confused\n";
  for (std::size_t i = 0; i < evaluation.classes.size(); ++i) {
    const ClassResult& one = confusion.results()[i];
    const std::string fields[] = {
        evaluation.classes[i],
        std::to_string(one.count),
        std::to_string(one.correct),
        number_field(one.accuracy()),
        std::to_string(one.predicted),
        number_field(one.precision()),
        number_field(one.f1()),
        class_field(evaluation, one.confused_with),
        std::to_string(one.confused)};
    table += csv_line(fields);
  }
  return table;
}

std::string confusion_csv(const Evaluation& evaluation) {
  const std::int64_t classes = std::ssize(evaluation.classes);
  const Confusion confusion(classes, evaluation.outcomes);
  std::vector<std::string> fields = evaluation.classes;
  fields.insert(fields.begin(), "label");
  std::string table = csv_line(fields);
  auto cell = confusion.cells().begin(); // cells are in the table's order
  for (std::int32_t label = 0; label < classes; ++label) {
    table += csv_field(evaluation.classes[static_cast<std::size_t>(label)]);
    for (std::int32_t prediction = 0; prediction < classes; ++prediction) {
      const bool some = cell != confusion.cells().end() &&
          cell->first == std::pair(label, prediction);
      table += some ? fmt::format(",{}", cell->second) : ",0";
      cell = some ? std::next(cell) : cell;
    }
    table += '\n';
  }
  return table;
}

std::string confusion_pairs_csv(const Evaluation& evaluation) {
  const Confusion confusion(
      std::ssize(evaluation.classes), evaluation.outcomes);
  std::string table = "label,prediction,count,class,predicted_class\n";
  for (const auto& [pair, count] : confusion.cells()) {
    const std::string fields[] = {
        std::to_string(pair.first),
        std::to_string(pair.second),
        std::to_string(count),
        class_field(evaluation, pair.first),
        class_field(evaluation, pair.second)};
    table += csv_line(fields);
  }
  return table;
}

std::string reliability_csv(const Evaluation& evaluation) {
  const Calibration calibration(evaluation.outcomes);
  std::string table = "low,high,count,confidence,accuracy\n";
  for (std::size_t i = 0; i < Calibration::kBins; ++i) {
    const Calibration::Bin& bin = calibration.bins()[i];
    const auto edge = [](std::size_t place) {
      return static_cast<double>(place) / Calibration::kBins;
    };
    table += fmt::format(
        "{:.6g},{:.6g},{},{},{}\n",
        edge(i),
        edge(i + 1),
        bin.count,
        bin.count == 0 ? "" : number_field(bin.confidence()),
        bin.count == 0 ? "" : number_field(bin.accuracy()));
  }
  return table;
}

} // namespace vitrain::results
