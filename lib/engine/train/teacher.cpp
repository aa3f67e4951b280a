#include "engine/train/teacher.h"

#include "core/check.h"
#include "dist/group/replicas.h"
#include "engine/run/named_state.h"
#include "engine/run/pretrained.h"
#include "job/find_weights.h"
#include "job/options/data_options.h"
#include "models/families/family.h"
#include "models/spec.h"

namespace vitrain::engine {
namespace {

// Throws Error(kUsage) unless it can see the images of every stage.
void check_sizes(const config::Recipe& recipe, const models::ModelSpec& spec) {
  const ImageSize widest =
      models::in_training(models::widest_stage(recipe).data.augment, spec)
          .image_size;
  VITRAIN_CHECK(
      recipe.data.augment.stages.empty() || widest == spec.image_size ||
          spec.family->identity == models::channels_identity,
      ExitCode::kUsage,
      "train.distill.teacher: {} is for images of one size, and those of "
      "data.augment.stages grow from {} to {} px: take a convolutional network",
      spec.name,
      spec.image_size.text(),
      widest.text());
}

} // namespace

std::shared_ptr<networks::Model> make_teacher(Session& session) {
  const config::DistillConfig& distill = session.job.recipe.train.distill;
  if (!distill.active()) {
    return nullptr;
  }
  const config::Recipe& recipe = session.job.recipe;
  config::ModelConfig config = models::teacher_model(
      distill, models::in_training(recipe.data.augment, session.spec));
  config.pretrained = job::resolve_weights(*distill.pretrained);
  config.pretrained_part = distill.pretrained_part;
  config.pretrained_names = distill.pretrained_names;
  const models::ModelSpec spec =
      models::resolve(config, job::data_shape(*session.eval_index));
  check_sizes(recipe, spec);
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
