#include "results/multi_label.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "core/text.h"
#include "results/csv.h"
#include "results/result_folder.h"
#include "results/shares.h"

namespace vitrain::results {
namespace {

using Labels = std::vector<std::int32_t>;

constexpr std::size_t kMostShown = 3; // items of a type in the summary

Labels both(const Labels& a, const Labels& b) {
  Labels found;
  std::ranges::set_intersection(a, b, std::back_inserter(found));
  return found;
}

Labels without(const Labels& all, const Labels& those) {
  Labels found;
  std::ranges::set_difference(all, those, std::back_inserter(found));
  return found;
}

std::string names_of(
    const LabelListEvaluation& evaluation,
    const Labels& labels) {
  std::vector<std::string> names;
  for (const std::int32_t label : labels) {
    names.push_back(evaluation.names[static_cast<std::size_t>(label)]);
  }
  return join(names, ";");
}

double mean_average_precision(const LabelListEvaluation& evaluation) {
  double sum = 0.0;
  for (const LabelListClass& one : evaluation.classes) {
    sum += one.average_precision;
  }
  return sum /
      static_cast<double>(std::max<std::size_t>(1, evaluation.classes.size()));
}

// Returns, as text, the kMostShown classes with the lowest average precision,
// among classes with samples.
std::string worst_of(const LabelListEvaluation& evaluation) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < evaluation.classes.size(); ++i) {
    if (evaluation.classes[i].count > 0) {
      order.push_back(i);
    }
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    return evaluation.classes[i].average_precision;
  });
  order.resize(std::min(order.size(), kMostShown));
  std::vector<std::string> texts;
  for (const std::size_t i : order) {
    texts.push_back(fmt::format(
        "{} {}",
        printable(evaluation.names[i]),
        percent_text(evaluation.classes[i].average_precision)));
  }
  return join(texts, ", ");
}

} // namespace

double LabelListClass::precision() const {
  return share_of(correct, predicted);
}

double LabelListClass::recall() const {
  return share_of(correct, count);
}

double LabelListClass::f1() const {
  return share_of(2 * correct, count + predicted);
}

void count_classes(LabelListEvaluation& evaluation) {
  evaluation.classes.resize(evaluation.names.size());
  const auto add = [&](const Labels& labels, auto member) {
    for (const std::int32_t label : labels) {
      ++(evaluation.classes[static_cast<std::size_t>(label)].*member);
    }
  };
  for (const LabelListOutcome& one : evaluation.outcomes) {
    add(one.labels, &LabelListClass::count);
    add(one.predicted, &LabelListClass::predicted);
    add(both(one.labels, one.predicted), &LabelListClass::correct);
  }
}

std::string label_lists_csv(const LabelListEvaluation& evaluation) {
  std::string table = "path,labels,predicted,missed,wrong,loss\n";
  for (const LabelListOutcome& one : evaluation.outcomes) {
    const std::string fields[] = {
        evaluation.path(one.sample),
        names_of(evaluation, one.labels),
        names_of(evaluation, one.predicted),
        names_of(evaluation, without(one.labels, one.predicted)),
        names_of(evaluation, without(one.predicted, one.labels)),
        std::isfinite(one.loss) ? fmt::format("{}", one.loss) : ""};
    table += csv_line(fields);
  }
  return table;
}

std::string label_list_classes_csv(const LabelListEvaluation& evaluation) {
  std::string table =
      "class,count,average_precision,predicted,correct,precision,recall,f1\n";
  for (std::size_t i = 0; i < evaluation.classes.size(); ++i) {
    const LabelListClass& one = evaluation.classes[i];
    const std::string fields[] = {
        evaluation.names[i],
        std::to_string(one.count),
        fmt::format("{}", one.average_precision),
        std::to_string(one.predicted),
        std::to_string(one.correct),
        fmt::format("{}", one.precision()),
        fmt::format("{}", one.recall()),
        fmt::format("{}", one.f1())};
    table += csv_line(fields);
  }
  return table;
}

void write_label_lists(
    const std::filesystem::path& folder,
    const LabelListEvaluation& evaluation) {
  const ResultFolder files(folder);
  files.write("predictions.csv", label_lists_csv(evaluation));
  files.write("per_class.csv", label_list_classes_csv(evaluation));
  files.finish();
}

SummaryLines summary_of(const LabelListEvaluation& evaluation) {
  LabelListClass all;
  for (const LabelListClass& one : evaluation.classes) {
    all.count += one.count;
    all.predicted += one.predicted;
    all.correct += one.correct;
  }
  return {
      {"map",
       fmt::format(
           "{} over {} classes",
           percent_text(mean_average_precision(evaluation)),
           with_commas(std::ssize(evaluation.classes)))},
      {"worst", worst_of(evaluation)},
      {"labels",
       fmt::format(
           "{} of {} found, {} of {} predictions right",
           with_commas(all.correct),
           with_commas(all.count),
           with_commas(all.correct),
           with_commas(all.predicted))}};
}

} // namespace vitrain::results
