#include "engine/loss/teacher.h"

#include "config/rules/stages.h"
#include "core/check.h"
#include "dist/group/replicas.h"
#include "engine/state/named_state.h"
#include "engine/state/pretrained.h"
#include "job/options/data_options.h"
#include "job/prepare/find_weights.h"
#include "models/families/family.h"
#include "models/spec.h"

namespace vitrain::engine {
namespace {

// The images that are trained with from an epoch on.
models::ModelSpec student_from(const Session& session, std::int64_t epoch) {
  return models::in_training(
      config::recipe_in_epoch(session.job.recipe, epoch).data.augment,
      session.spec);
}

// The largest images that are trained with.
models::ModelSpec largest_student(const Session& session) {
  models::ModelSpec largest = student_from(session, 1);
  for (const std::int64_t epoch : config::stage_epochs(session.job.recipe)) {
    const models::ModelSpec student = student_from(session, epoch);
    if (student.image_size.area() > largest.image_size.area()) {
      largest = student;
    }
  }
  return largest;
}

// Throws Error(kUsage) unless it can see the images of every stage.
void check_sizes(const Session& session, const models::ModelSpec& teacher) {
  const config::Recipe& recipe = session.job.recipe;
  for (const std::int64_t epoch : config::stage_epochs(recipe)) {
    const models::ModelSpec seen = models::resolve(
        models::teacher_model(
            recipe.train.distill, student_from(session, epoch)),
        job::data_shape(*session.eval_index));
    VITRAIN_CHECK(
        teacher.family->any_image_size || seen.image_size == teacher.image_size,
        ExitCode::kUsage,
        "train.distill.teacher: {} is for images of one size, and those of "
        "data.augment.stages have {} px and {} px: take a convolutional "
        "network, or one of the families vit and deit",
        teacher.name,
        seen.image_size.text(),
        teacher.image_size.text());
  }
}

} // namespace

std::shared_ptr<networks::Model> make_teacher(Session& session) {
  const config::DistillConfig& distill = session.job.recipe.train.distill;
  if (!distill.active()) {
    return nullptr;
  }
  // Its weights are for the largest images: from there positions are resampled.
  config::ModelConfig config =
      models::teacher_model(distill, largest_student(session));
  config.pretrained = job::resolve_weights(*distill.pretrained);
  config.pretrained_part = distill.pretrained_part;
  config.pretrained_names = distill.pretrained_names;
  const models::ModelSpec spec =
      models::resolve(config, job::data_shape(*session.eval_index));
  check_sizes(session, spec);
  std::shared_ptr<networks::Model> teacher =
      networks::make_model(spec, /*seed=*/0);
  if (session.rank == 0) {
    for (const std::string& line :
         load_pretrained(*teacher, spec, config, Purpose::kEvaluate)) {
      session.reporter.console().info("teacher: " + line);
    }
  }
  teacher->to(session.device);
  teacher->eval();
  for (at::Tensor& parameter : teacher->parameters()) {
    parameter.set_requires_grad(false);
  }
  dist::broadcast_state(
      *session.groups.control, *session.groups.data, named_state(*teacher));
  return teacher;
}

} // namespace vitrain::engine
