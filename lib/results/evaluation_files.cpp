#include "results/evaluation_files.h"

#include <fmt/format.h>

#include "core/text.h"
#include "image/formats/png_write.h"
#include "results/calibration.h"
#include "results/confusion.h"
#include "results/evaluation_pictures.h"
#include "results/result_folder.h"
#include "results/shares.h"

namespace vitrain::results {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostTabulated = 2000; // classes in confusion.csv
constexpr std::size_t kMostShown = 3; // items of a type in the summary

std::string printable_class(const Evaluation& evaluation, std::int32_t index) {
  return printable(evaluation.classes[static_cast<std::size_t>(index)]);
}

std::string accuracy_text(const Confusion& confusion, std::int64_t of_classes) {
  const std::int64_t met = confusion.classes_with_samples();
  return fmt::format(
      "{} ({} of {}), {} on average over {}{}, macro F1 {}",
      percent_text(confusion.accuracy()),
      with_commas(confusion.correct()),
      with_commas(confusion.count()),
      percent_text(confusion.mean_accuracy()),
      met == 1 ? "1 class" : fmt::format("{} classes", with_commas(met)),
      of_classes > met
          ? fmt::format(" of the {} of the network", with_commas(of_classes))
          : "",
      percent_text(confusion.macro_f1()));
}

std::string calibration_text(const Calibration& calibration) {
  return fmt::format(
      "error {}: {}, {} sure on average",
      percent_text(calibration.error()),
      calibration.tendency(),
      percent_text(calibration.confidence()));
}

} // namespace

void write_evaluation(const fs::path& folder, const Evaluation& evaluation) {
  const ResultFolder files(folder);
  const std::int64_t classes = std::ssize(evaluation.classes);
  const Confusion confusion(classes, evaluation.outcomes);
  const Calibration calibration(evaluation.outcomes);
  files.write("predictions.csv", predictions_csv(evaluation));
  files.write("per_class.csv", per_class_csv(evaluation));
  files.write("reliability.csv", reliability_csv(evaluation));
  if (classes <= kMostTabulated) {
    files.write("confusion.csv", confusion_csv(evaluation));
  } else {
    files.write("confusion_pairs.csv", confusion_pairs_csv(evaluation));
  }
  files.write(
      "confusion.png",
      image::encode_png(draw_confusion(confusion, evaluation.classes)));
  files.write(
      "reliability.png", image::encode_png(draw_reliability(calibration)));
  if (const auto mistakes = draw_mistakes(evaluation)) {
    files.write("mistakes.png", mistakes->png());
  }
  files.finish();
}

SummaryLines summary_of(const Evaluation& evaluation) {
  const Confusion confusion(
      std::ssize(evaluation.classes), evaluation.outcomes);
  std::vector<std::string> worst;
  for (const std::int32_t index : confusion.worst_classes(kMostShown)) {
    worst.push_back(fmt::format(
        "{} {}",
        printable_class(evaluation, index),
        percent_text(
            confusion.results()[static_cast<std::size_t>(index)].accuracy())));
  }
  std::vector<std::string> confused;
  for (const Confusion::Pair& pair : confusion.most_confused(kMostShown)) {
    confused.push_back(fmt::format(
        "{} taken for {} ({})",
        printable_class(evaluation, pair.label),
        printable_class(evaluation, pair.prediction),
        counted(pair.count, "time")));
  }
  std::vector<std::string> mistakes;
  for (const Outcome& one : mistakes_of(evaluation.outcomes, kMostShown)) {
    mistakes.push_back(fmt::format(
        "{}: {}, taken for {} ({:.1f} % sure)",
        evaluation.path(one.sample),
        printable_class(evaluation, one.label),
        printable_class(evaluation, one.prediction),
        100.0 * static_cast<double>(one.probability)));
  }
  return {
      {"accuracy", accuracy_text(confusion, evaluation.of_classes)},
      {"worst", join(worst, ", ")},
      {"confused", join(confused, "\n")},
      {"mistakes", join(mistakes, "\n")},
      {"calibration", calibration_text(Calibration(evaluation.outcomes))}};
}

} // namespace vitrain::results
