#include "job/teacher_weights.h"

#include <optional>

#include "config/load/preprocess_values.h"
#include "core/check.h"
#include "core/text.h"
#include "job/find_weights.h"
#include "job/preprocess_record.h"

namespace vitrain::job {
namespace {

// True for a sentence about normalisation, which changes the network's input
// for any image.
bool is_normalisation(const std::string& sentence) {
  return sentence.starts_with("data.preprocess.mean") ||
      sentence.starts_with("data.preprocess.std");
}

// Returns a sentence for each difference between the preprocessing of a recipe
// and of a record.
std::vector<std::string> other_images(
    PreprocessRecord record,
    config::Recipe recipe,
    config::Origins origins) {
  // The teacher uses the student's image size.
  record.values.erase("model.image_size");
  std::vector<std::string> notes;
  for (const std::string& sentence : config::use_preprocess_values(
           record.values,
           record.source,
           config::PreprocessUse::kCompare,
           recipe,
           origins)) {
    notes.push_back(
        is_normalisation(sentence)
            ? fmt::format(
                  "warning: the teacher of train.distill sees images of other "
                  "numbers than it has learned: {}",
                  sentence)
            : "teacher: " + sentence);
  }
  return notes;
}

} // namespace

config::ModelConfig teacher_weights(const config::DistillConfig& distill) {
  config::ModelConfig model;
  if (distill.pretrained) {
    model.pretrained = resolve_weights(*distill.pretrained, kTeacherPretrained);
  }
  model.pretrained_part = distill.pretrained_part;
  model.pretrained_names = distill.pretrained_names;
  return model;
}

std::vector<std::string> check_teacher(
    const config::Recipe& recipe,
    const config::Origins& origins,
    const std::vector<std::string>& classes) {
  if (!recipe.train.distill.active()) {
    return {};
  }
  config::ModelConfig weights = teacher_weights(recipe.train.distill);
  const std::optional<PreprocessRecord> record = pretrained_record(weights);
  if (!record) {
    return {};
  }
  std::vector<std::string> notes = other_images(*record, recipe, origins);
  const std::string other = class_difference(*record, "data.train", classes);
  if (other.empty()) {
    return notes;
  }
  VITRAIN_CHECK_DATA(
      !recipe.eval.check_classes,
      "{}: {}: what it answers would be taught as other classes. Take data "
      "with its classes in the same order (data.train.class_order), or a "
      "teacher that was trained with these, or set eval.check_classes: false "
      "where only the names differ",
      kTeacherPretrained,
      other);
  notes.insert(
      notes.begin(),
      fmt::format(
          "warning: {}: {}: a class of the teacher is taught as the student's "
          "of the same number, whatever its name",
          kTeacherPretrained,
          other));
  return notes;
}

} // namespace vitrain::job
