#include "engine/state/teacher.h"

#include <string_view>
#include <utility>

#include "core/error.h"
#include "dist/group/connect.h"
#include "dist/group/replicas.h"
#include "engine/state/named_state.h"
#include "engine/state/pretrained.h"
#include "job/find_weights.h"
#include "job/run/job.h"
#include "job/teacher_weights.h"
#include "logging/console.h"
#include "models/teacher.h"

namespace vitrain::engine {
namespace {

// Replaces the student's keys in messages about weights by the teacher's.
std::string with_own_keys(std::string text) {
  for (const auto& [key, own] :
       {std::pair(job::kPretrained, job::kTeacherPretrained),
        std::pair<std::string_view, std::string_view>(
            "model.name", "train.distill.teacher")}) {
    for (std::size_t at = text.find(key); at != text.npos;
         at = text.find(key, at + own.size())) {
      text.replace(at, key.size(), own);
    }
  }
  return text;
}

// Returns the lines of `read` about a teacher's weights, prefixed with
// "teacher: ". Its errors name the teacher's keys.
template <typename Read>
std::vector<std::string> of_teacher(const Read& read) {
  try {
    std::vector<std::string> lines = read();
    for (std::string& line : lines) {
      line = "teacher: " + line;
    }
    return lines;
  } catch (const Error& error) {
    throw Error(error.code(), with_own_keys(error.what()));
  }
}

} // namespace

std::shared_ptr<networks::Model> make_teacher(Session& session) {
  const config::Recipe& recipe = session.job.recipe;
  if (!recipe.train.distill.active()) {
    return nullptr;
  }
  const models::ModelSpec spec = models::resolve_teacher(recipe, session.spec);
  std::shared_ptr<networks::Model> teacher =
      networks::make_model(spec, /*seed=*/0);
  if (session.rank == 0) {
    for (const std::string& line : of_teacher([&] {
           return load_pretrained(
               *teacher,
               spec,
               job::teacher_weights(recipe.train.distill),
               PretrainedUse::kTeach);
         })) {
      session.observer.console().info(line);
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

std::vector<std::string> match_teacher(
    const config::Recipe& recipe,
    const models::ModelSpec& student) {
  if (!recipe.train.distill.active()) {
    return {};
  }
  const models::ModelSpec spec = models::resolve_teacher(recipe, student);
  return of_teacher([&] {
    return match_pretrained(
        spec,
        job::teacher_weights(recipe.train.distill),
        PretrainedUse::kTeach);
  });
}

} // namespace vitrain::engine
