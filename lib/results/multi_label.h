#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "results/files/evaluation_files.h"

// Evaluations of samples that have any number of labels. A class is predicted
// where its probability, the sigmoid of its output, is more than a half.
namespace vitrain::results {

// Result of one sample.
struct LabelListOutcome {
  std::int64_t sample = 0;
  std::vector<std::int32_t> labels; // ascending, like `predicted`
  std::vector<std::int32_t> predicted;
  float loss = 0; // binary cross entropy, the mean over the classes
};

// And of one class.
struct LabelListClass {
  std::int64_t count = 0; // samples that have it
  std::int64_t predicted = 0; // samples of which it is predicted
  std::int64_t correct = 0; // of both
  double average_precision = 0.0; // from 0 to 1

  // In [0, 1]; 0 for a zero denominator.
  double precision() const;
  double recall() const;
  double f1() const;
};

struct LabelListEvaluation {
  std::vector<LabelListOutcome> outcomes; // in the dataset's order
  std::vector<std::string> names; // of the classes
  std::vector<LabelListClass> classes;
  // Where a sample is, printable.
  std::function<std::string(std::int64_t sample)> path;
};

// Computes all counts of the classes, not their average precision.
void count_classes(LabelListEvaluation& evaluation);

// Files of such an evaluation, in place of a folder of this name:
//   predictions.csv  path,labels,predicted,missed,wrong,loss of each sample, in
//                    the dataset's order; names of classes between semicolons
//   per_class.csv    class,count,average_precision,predicted,correct,precision,
//                    recall,f1 of each class; shares from 0 to 1
// Throws Error(kStorage).
void write_label_lists(
    const std::filesystem::path& folder,
    const LabelListEvaluation& evaluation);

// The tables as texts.
std::string label_lists_csv(const LabelListEvaluation& evaluation);
std::string label_list_classes_csv(const LabelListEvaluation& evaluation);

// Returns the summary of an evaluation.
SummaryLines summary_of(const LabelListEvaluation& evaluation);

} // namespace vitrain::results
