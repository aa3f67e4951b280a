#include "models/teacher.h"

#include <optional>

#include "config/rules/stages.h"
#include "core/check.h"
#include "core/text.h"
#include "models/families/family.h"
#include "models/resolve.h"
#include "models/rules.h"

namespace vitrain::models {
namespace {

constexpr const char* kTeacher = "train.distill.teacher";

// Returns `student` with the image size it is trained with from `epoch` on.
ModelSpec student_from(
    const config::Recipe& recipe,
    const ModelSpec& student,
    std::int64_t epoch) {
  return in_training(
      config::recipe_in_epoch(recipe, epoch).data.augment, student);
}

// Returns the teacher as a recipe's `model` section, without its weights, for
// the images and classes of `student`.
config::ModelConfig teacher_model(
    const config::DistillConfig& distill,
    const ModelSpec& student) {
  config::ModelConfig model;
  model.name = distill.teacher;
  model.num_classes = student.num_classes;
  model.image_size = student.image_size;
  model.in_chans = student.channels;
  return model;
}

} // namespace

std::vector<config::Finding> check_teacher(const config::Recipe& recipe) {
  const config::DistillConfig& distill = recipe.train.distill;
  if (!distill.active() || distill.teacher.empty() ||
      find_model(distill.teacher)) {
    return {};
  }
  return {{kTeacher, unknown_model(distill.teacher), {"train.distill.type"}}};
}

ModelSpec resolve_teacher(
    const config::DistillConfig& distill,
    const ModelSpec& student) {
  VITRAIN_CHECK(
      find_model(distill.teacher).has_value(),
      ExitCode::kUsage,
      "{}: {}",
      kTeacher,
      unknown_model(distill.teacher));
  const config::ModelConfig model = teacher_model(distill, student);
  const DataShape data{
      .outputs = student.num_classes, .features = student.features};
  std::string wrong;
  for (const config::Finding& finding : check(model, data)) {
    wrong += fmt::format(
        "{}{}: {} sees what the student sees: {}",
        wrong.empty() ? "" : "\n",
        kTeacher,
        distill.teacher,
        finding.text);
  }
  VITRAIN_CHECK(wrong.empty(), ExitCode::kUsage, "{}", wrong);
  return resolve(model, data);
}

ModelSpec resolve_teacher(
    const config::Recipe& recipe,
    const ModelSpec& student) {
  std::vector<ModelSpec> teachers; // one per stage
  for (const std::int64_t epoch : config::stage_epochs(recipe)) {
    teachers.push_back(resolve_teacher(
        recipe.train.distill, student_from(recipe, student, epoch)));
  }
  ModelSpec largest = teachers.front();
  for (const ModelSpec& teacher : teachers) {
    if (teacher.image_size.area() > largest.image_size.area()) {
      largest = teacher;
    }
  }
  for (const ModelSpec& teacher : teachers) {
    VITRAIN_CHECK(
        largest.family->any_image_size ||
            teacher.image_size == largest.image_size,
        ExitCode::kUsage,
        "{}: {} is for images of one size, and those of data.augment.stages "
        "have {} px and {} px: take a convolutional network, or one of the "
        "families vit and deit",
        kTeacher,
        largest.name,
        teacher.image_size.text(),
        largest.image_size.text());
  }
  return largest;
}

} // namespace vitrain::models
