#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "results/outcome.h"

namespace vitrain::results {

// Writes the files of an evaluation, tables and pictures:
//   predictions.csv       path,label,prediction,probability,loss of each
//                         sample, in the dataset's order, with class names
//   per_class.csv         class,count,correct,accuracy,predicted,precision,f1,
//                         confused_with,confused of each class; fractions in
//                         [0, 1]
//   confusion.csv         rows are classes, columns predictions; the first row
//                         and column have their names; for up to 2,000
//                         classes
//   confusion_pairs.csv   for more classes: label,prediction,count,class,
//                         predicted_class of each pair that occurred; numbers,
//                         then names
//   reliability.csv       low,high,count,confidence,accuracy of each bin
//   confusion.png, reliability.png
//   mistakes.png          only if draw_mistakes() returns a sheet
// Numbers that are unknown or not finite are empty fields. When all files are
// complete, they replace a folder of this name. Throws Error(kStorage).
void write_evaluation(
    const std::filesystem::path& folder,
    const Evaluation& evaluation);

// Labels and texts of a summary; a text may have several lines or be empty.
using SummaryLines = std::vector<std::pair<std::string, std::string>>;
// Returns "accuracy", "worst" classes, "confused" classes, "mistakes" and
// "calibration".
SummaryLines summary_of(const Evaluation& evaluation);

// Return the tables as texts.
std::string predictions_csv(const Evaluation& evaluation);
std::string per_class_csv(const Evaluation& evaluation);
std::string confusion_csv(const Evaluation& evaluation);
std::string confusion_pairs_csv(const Evaluation& evaluation);
std::string reliability_csv(const Evaluation& evaluation);

} // namespace vitrain::results
