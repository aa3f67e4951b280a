// Also implements list_data() of prepared_job.h.

#include "job/list_data.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/ascii.h"
#include "core/check.h"
#include "core/system/files.h"
#include "core/system/missing_path.h"
#include "core/text.h"
#include "data/kinds/datasets.h"
#include "data/sources/held_out.h"
#include "data/sources/missing_path.h"
#include "data/sources/real_labels.h"
#include "data/subset.h"
#include "job/data_options.h"
#include "job/find_weights.h"
#include "job/prepared_job.h"
#include "job/run/run_directory.h"

namespace vitrain::job {
namespace {

// Limit for held_out.txt, in bytes.
constexpr std::size_t kMostNames = std::size_t{4} << 30;

// Facts about the classes that are known before a dataset is listed.
struct Known {
  std::int64_t classes = 0; // 0: the labels determine the number
  // Form of the training data's labels.
  data::LabelForm labels = data::LabelForm::kNone;
};

// Lists data.train or data.eval.
data::Index list_source(
    const config::SourceConfig& source,
    bool train,
    const Known& known) {
  data::SourceOptions options = source_options(source, train);
  if (options.kind != SourceKind::kRandom) {
    options.classes = known.classes;
  }
  options.trained_labels = known.labels;
  return data::list(options);
}

// Throws Error(kData) if the weights' run held samples out of its training data
// and `eval` does not consist of exactly these: any other sample may have been
// trained on.
void check_held_out(const std::string& weights, const data::Index& eval) {
  const std::filesystem::path list =
      RunDirectory{run_of_weights(weights)}.held_out();
  std::error_code error;
  VITRAIN_CHECK_DATA(
      !std::filesystem::exists(list, error) ||
          read_file(list, kMostNames, ExitCode::kData) ==
              data::sample_names(eval),
      "data.split holds out other samples than those in {}: the weights were "
      "trained with some of them. Take the data, data.split and "
      "data.split_seed of that run (-cfg its config.yaml)",
      printable(list.native()));
}

std::uint64_t seed_of_split(const config::Recipe& recipe) {
  return static_cast<std::uint64_t>(
      recipe.data.split_seed.value_or(recipe.run.seed));
}

// Returns the part of the training data that data.fraction or data.per_class
// takes.
data::Index reduced(data::Index train, const config::Recipe& recipe) {
  const config::DataConfig& data = recipe.data;
  return data.fraction || data.per_class ? data::reduce(
                                               train,
                                               data.fraction.value_or(1.0),
                                               data.per_class,
                                               seed_of_split(recipe))
                                         : std::move(train);
}

// Splits data.train into training samples, which it also reduces, and held-out
// samples, by data.split.
data::SplitData split_training_data(
    const config::Recipe& recipe,
    const Known& known) {
  data::SplitData parts = data::split_data(
      list_source(recipe.data.train, /*train=*/true, known),
      *recipe.data.split,
      seed_of_split(recipe),
      recipe.data.fold);
  parts.train = reduced(std::move(parts.train), recipe);
  return parts;
}

void list_split(PreparedJob& prepared, const Known& known) {
  const config::Recipe& recipe = prepared.job.recipe;
  data::SplitData parts = split_training_data(recipe, known);
  prepared.eval = std::make_unique<data::Index>(std::move(parts.held_out));
  if (prepared.job.mode == JobMode::kTrain) {
    prepared.held_out = data::sample_names(*prepared.eval);
    prepared.train = std::make_unique<data::Index>(std::move(parts.train));
    data::check_for_training(*prepared.train);
  } else if (recipe.model.pretrained) {
    check_held_out(*recipe.model.pretrained, *prepared.eval);
  }
}

// Joins the errors of both datasets; a message that is the same for both paths
// appears once.
Error joined(
    const config::DataConfig& data,
    const Error& train,
    const Error& eval) {
  const std::string train_path = data.train.path.value_or("");
  const std::string eval_path = data.eval.path.value_or("");
  std::string first = train.what();
  std::string second = eval.what();
  const auto cut = [](std::string& text, const std::string& end) {
    const bool ends = !end.empty() && text.ends_with(end);
    text.resize(text.size() - (ends ? end.size() : 0));
    return ends;
  };
  const auto part = find_missing_part(train_path);
  const std::string advice = data::advise_on_missing(eval_path);
  if ((part && part == find_missing_part(eval_path)) ||
      advice == data::advise_on_missing(train_path)) {
    cut(second, advice);
  } else if (second.ends_with(data::describe_place(eval_path))) {
    cut(first, data::describe_place(train_path));
  }
  return {train.code(), fmt::format("{}\n{}", first, second)};
}

// Lists data.eval and, in training, data.train. Throws their errors as one.
void list_each(PreparedJob& prepared, Known known) {
  const config::DataConfig& data = prepared.job.recipe.data;
  std::optional<Error> failure;
  const auto attempt = [&](const config::SourceConfig& source,
                           bool train,
                           std::unique_ptr<data::Index>& index) {
    try {
      index = std::make_unique<data::Index>(list_source(source, train, known));
      if (train) {
        *index = reduced(std::move(*index), prepared.job.recipe);
        data::check_for_training(*index);
        known = {std::ssize(index->classes()), index->label_form()};
      }
    } catch (const Error& error) {
      failure = failure ? joined(data, *failure, error) : error;
    }
  };
  if (prepared.job.mode == JobMode::kTrain) {
    attempt(data.train, /*train=*/true, prepared.train);
  }
  attempt(data.eval, /*train=*/false, prepared.eval);
  if (failure) {
    throw *failure;
  }
}

// Returns the names of the model's classes and the form of the labels that it
// was trained with, if training data or weights provide them.
data::ModelClasses model_classes(
    const PreparedJob& prepared,
    std::int64_t classes) {
  if (prepared.train) {
    const data::Index& train = *prepared.train;
    return {train.classes(), std::ssize(train.classes()), train.label_form()};
  }
  const bool named = prepared.record &&
      !have_other_names(*prepared.record, prepared.eval->classes());
  return {
      named ? prepared.record->classes : std::vector<std::string>(),
      classes,
      prepared.record ? prepared.record->labels : data::LabelForm::kNone};
}

// Adds to `notes` the warnings among index.notes(), and one if the names of two
// classes differ in capital letters only.
void add_warnings(const data::Index& index, std::vector<std::string>& notes) {
  const std::string path = printable(index.options().path);
  for (const std::string& note : index.notes()) {
    if (note.starts_with("warning: ")) {
      notes.push_back(fmt::format(
          "warning: {}: {}", path, without_prefix(note, "warning: ")));
    }
  }
  std::map<std::string, std::string> seen; // names, by their lower case
  for (const std::string& name : index.classes()) {
    const auto [other, is_new] = seen.emplace(ascii_lower(name), name);
    if (!is_new) {
      notes.push_back(fmt::format(
          "warning: {}: the names of classes '{}' and '{}' differ in capital "
          "letters only",
          path,
          printable(other->second),
          printable(name)));
      return;
    }
  }
}

} // namespace

data::Index list_training_data(
    const config::Recipe& recipe,
    std::int64_t classes) {
  return recipe.data.split
      ? split_training_data(recipe, {.classes = classes}).train
      : reduced(
            list_source(
                recipe.data.train, /*train=*/true, {.classes = classes}),
            recipe);
}

void list_data(PreparedJob& prepared) {
  const config::Recipe& recipe = prepared.job.recipe;
  const bool evaluates = prepared.job.mode == JobMode::kEval;
  const std::int64_t classes = recipe.model.num_classes.value_or(
      evaluates && prepared.record ? std::ssize(prepared.record->classes) : 0);
  const Known known{
      .classes = classes,
      .labels = evaluates && prepared.record ? prepared.record->labels
                                             : data::LabelForm::kNone};
  if (recipe.data.split) {
    list_split(prepared, known);
  } else {
    list_each(prepared, known);
  }
  if (recipe.eval.subset) {
    *prepared.eval = data::restrict_to_subset(
        *prepared.eval, *recipe.eval.subset, model_classes(prepared, classes));
  }
  if (recipe.eval.real_labels) {
    *prepared.eval =
        data::with_real_labels(*prepared.eval, *recipe.eval.real_labels);
  }
  if (prepared.train) {
    add_warnings(*prepared.train, prepared.notes);
    data::check_same_classes(*prepared.train, *prepared.eval);
  }
}

} // namespace vitrain::job
