#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "results/evaluation_files.h"

// Evaluations of samples with any number of labels. A class is predicted if its
// probability, the sigmoid of its output, exceeds 0.5.
namespace vitrain::results {

// Result of one sample.
struct LabelListOutcome {
  std::int64_t sample = 0;
  std::vector<std::int32_t> labels; // ascending, like `predicted`
  std::vector<std::int32_t> predicted;
  float loss = 0; // binary cross entropy, averaged over the classes
};

// Result for one class.
struct LabelListClass {
  std::int64_t count = 0; // samples with this label
  std::int64_t predicted = 0; // samples for which it is predicted
  std::int64_t correct = 0; // samples with this label for which it is predicted
  double average_precision = 0.0; // in [0, 1]; 0 if no sample has the label

  // Fractions in [0, 1]; 0 if the denominator is 0.
  double precision() const;
  double recall() const;
  double f1() const;
};

struct LabelListEvaluation {
  std::vector<LabelListOutcome> outcomes; // in the dataset's order
  std::vector<std::string> names; // names of the classes
  std::vector<LabelListClass> classes;
  // Returns the printable path of a sample.
  std::function<std::string(std::int64_t sample)> path;
};

// Adds the outcomes to the counts of `classes`, which it resizes to `names`;
// they must be 0 before. Does not compute the average precision.
void count_classes(LabelListEvaluation& evaluation);

// Writes a multi-label evaluation, replacing a folder of this name:
//   predictions.csv  path,labels,predicted,missed,wrong,loss of each sample, in
//                    the dataset's order; class names separated by semicolons
//   per_class.csv    class,count,average_precision,predicted,correct,precision,
//                    recall,f1 of each class; fractions in [0, 1]
// A loss that is not finite is an empty field. Throws Error(kStorage).
void write_label_lists(
    const std::filesystem::path& folder,
    const LabelListEvaluation& evaluation);

// Return the tables as texts.
std::string label_lists_csv(const LabelListEvaluation& evaluation);
std::string label_list_classes_csv(const LabelListEvaluation& evaluation);

// Returns "map" (mean average precision), "worst" classes and "labels" (found,
// predicted).
SummaryLines summary_of(const LabelListEvaluation& evaluation);

} // namespace vitrain::results
