#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "results/outcome.h"

namespace vitrain::results {

// Files of an evaluation: results of each sample and class, as tables and
// pictures. predictions.csv path,label,prediction,probability,loss of each
// sample, in the dataset's order; names of classes per_class.csv
// class,count,correct,accuracy,predicted,precision,f1, confused_with,confused
// of each class; shares from 0 to 1 confusion.csv rows of classes, columns of
// predictions, both named in the first ones; of at most 2,000 classes
// confusion_pairs.csv of more: label,prediction,count,class,predicted_class of
// each pair that was met; numbers, then names reliability.csv
// low,high,count,confidence,accuracy of each bin confusion.png,
// reliability.png, mistakes.png They replace a folder of this name all at once.
// Throws Error(kStorage).
void write_evaluation(
    const std::filesystem::path& folder,
    const Evaluation& evaluation);

// Summary of an evaluation: about ten lines with labels.
using SummaryLines = std::vector<std::pair<std::string, std::string>>;
SummaryLines summary_of(const Evaluation& evaluation);

// The tables as texts.
std::string predictions_csv(const Evaluation& evaluation);
std::string per_class_csv(const Evaluation& evaluation);
std::string confusion_csv(const Evaluation& evaluation);
std::string confusion_pairs_csv(const Evaluation& evaluation);
std::string reliability_csv(const Evaluation& evaluation);

} // namespace vitrain::results
