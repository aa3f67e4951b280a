#include "results/evaluation_files.h"

#include <cerrno>
#include <cmath>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "core/check.h"
#include "core/files.h"
#include "core/text.h"
#include "image/formats/png_write.h"
#include "results/calibration.h"
#include "results/confusion.h"
#include "results/evaluation_pictures.h"

namespace vitrain::results {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostTabulated = 2000; // classes
constexpr std::size_t kMostShown = 3; // of a kind in the summary

// Not synced: a crash loses what can be evaluated again.
void write_file(const fs::path& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  VITRAIN_CHECK(
      file.good(),
      ExitCode::kStorage,
      "{}: cannot write it: {}",
      printable(path.native()),
      error_text(errno));
}

std::string percent(double share) {
  return fmt::format("{:.2f} %", 100 * share);
}

std::string name_of_class(const Evaluation& evaluation, std::int32_t index) {
  return printable(evaluation.classes[static_cast<std::size_t>(index)]);
}

std::string accuracy_text(const Confusion& confusion, std::int64_t of_classes) {
  return fmt::format(
      "{} ({} of {}), {} on average over {}{}, macro F1 {}",
      percent(confusion.accuracy()),
      with_commas(confusion.correct()),
      with_commas(confusion.count()),
      percent(confusion.mean_accuracy()),
      confusion.classes() == 1
          ? "1 class"
          : fmt::format("{} classes", with_commas(confusion.classes())),
      of_classes > confusion.classes()
          ? fmt::format(" of the {} of the network", with_commas(of_classes))
          : "",
      percent(confusion.macro_f1()));
}

std::string calibration_text(const Calibration& calibration) {
  const double more = calibration.confidence() - calibration.accuracy();
  return fmt::format(
      "error {}: {}, {} sure on average",
      percent(calibration.error()),
      more > 0 ? "overconfident" : "underconfident",
      percent(calibration.confidence()));
}

} // namespace

void write_evaluation(const fs::path& folder, const Evaluation& evaluation) {
  const fs::path part = folder.native() + ".part";
  std::error_code ignored;
  fs::remove_all(part, ignored);
  make_folders(part);
  const std::int64_t classes = std::ssize(evaluation.classes);
  const Confusion confusion(classes, evaluation.outcomes);
  const Calibration calibration(evaluation.outcomes);
  write_file(part / "predictions.csv", predictions_csv(evaluation));
  write_file(part / "per_class.csv", per_class_csv(evaluation));
  write_file(part / "reliability.csv", reliability_csv(evaluation));
  if (classes <= kMostTabulated) {
    write_file(part / "confusion.csv", confusion_csv(evaluation));
  }
  write_file(
      part / "confusion.png",
      image::encode_png(draw_confusion(confusion, evaluation.classes)));
  write_file(
      part / "reliability.png",
      image::encode_png(draw_reliability(calibration)));
  if (const auto mistakes = draw_mistakes(evaluation)) {
    write_file(part / "mistakes.png", image::encode_png(*mistakes));
  }
  std::error_code error;
  fs::remove_all(folder, error);
  fs::rename(part, folder, error);
  VITRAIN_CHECK(
      !error,
      ExitCode::kStorage,
      "{}: cannot name it: {}",
      printable(folder.native()),
      error.message());
}

SummaryLines summary_of(const Evaluation& evaluation) {
  const Confusion confusion(
      std::ssize(evaluation.classes), evaluation.outcomes);
  std::vector<std::string> worst;
  for (const std::int32_t index : confusion.worst_classes(kMostShown)) {
    worst.push_back(fmt::format(
        "{} {}",
        name_of_class(evaluation, index),
        percent(
            confusion.results()[static_cast<std::size_t>(index)].accuracy())));
  }
  std::vector<std::string> confused;
  for (const Confusion::Pair& pair : confusion.most_confused(kMostShown)) {
    confused.push_back(fmt::format(
        "{} taken for {} ({})",
        name_of_class(evaluation, pair.label),
        name_of_class(evaluation, pair.prediction),
        counted(pair.count, "time")));
  }
  std::vector<std::string> mistakes;
  for (const Outcome& one : mistakes_of(evaluation.outcomes, kMostShown)) {
    mistakes.push_back(fmt::format(
        "{}: {}, taken for {} ({:.1f} % sure)",
        evaluation.path(one.sample),
        name_of_class(evaluation, one.label),
        name_of_class(evaluation, one.prediction),
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
