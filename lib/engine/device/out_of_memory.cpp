#include "engine/device/out_of_memory.h"

#include <algorithm>
#include <string_view>

#include <c10/util/Exception.h>

#include "config/rules/stages.h"
#include "core/check.h"
#include "core/text.h"
#include "job/run/job.h"
#include "models/resolve.h"

namespace vitrain::engine {
namespace {

// Returns ", which asked for 12.3 GiB more" for torch's "tried to allocate
// 13206908928 bytes"; "" if `message` has no such number.
std::string request_of(const std::string& message) {
  constexpr std::string_view kBefore = "tried to allocate ";
  const std::size_t at = message.find(kBefore);
  if (at == std::string::npos) {
    return "";
  }
  const std::string number = message.substr(at + kBefore.size());
  std::int64_t bytes = 0;
  const std::size_t end =
      std::min(number.find_first_not_of("0123456789"), number.size());
  if (!number.substr(end).starts_with(" bytes") ||
      !parse_int(number.substr(0, end), bytes)) {
    return "";
  }
  return fmt::format(
      ", which asked for {} more", human_bytes(static_cast<double>(bytes)));
}

std::string batch_text(const Session& session, bool evaluates) {
  models::ModelSpec spec = session.spec;
  std::int64_t rows = session.plan.eval_batch;
  if (!evaluates && !session.plan.timeline.empty()) {
    const config::Recipe stage = config::recipe_in_epoch(
        session.job.recipe, session.plan.epoch_of(session.finished_steps) + 1);
    spec = models::in_training(stage.data.augment, session.spec);
    rows = config::plan_batch(stage, session.plan.devices()).worker_batch();
  }
  return spec.features > 0
      ? fmt::format("{} rows of {} features", with_commas(rows), spec.features)
      : fmt::format(
            "{} images of {}x{}x{}",
            with_commas(rows),
            spec.channels,
            spec.image_size.height,
            spec.image_size.width);
}

} // namespace

std::string first_words(const std::exception& error) {
  if (const auto* torch = dynamic_cast<const c10::Error*>(&error)) {
    return torch->what_without_backtrace();
  }
  return error.what();
}

void rethrow_in(const char* part) {
  try {
    throw;
  } catch (const OutOfMemory&) {
    throw;
  } catch (const std::exception& error) {
    if (!is_out_of_memory(error)) {
      throw;
    }
    throw OutOfMemory(part, first_words(error));
  }
}

Error explain_out_of_memory(
    const Session& session,
    const std::exception& error,
    const char* part) {
  const auto* known = dynamic_cast<const OutOfMemory*>(&error);
  const std::string where = known != nullptr ? known->part() : part;
  const bool evaluates = session.job.mode == job::JobMode::kEval ||
      where == "evaluation"; // part name that Trainer uses
  std::string words = first_words(error);
  // Drops CUDA's advice in the following lines.
  words.resize(std::min(words.find('\n'), words.size()));
  const std::string request = request_of(words);
  return Error(
      ExitCode::kOutOfMemory,
      fmt::format(
          "rank {} is out of memory in {} (after step {}){}{}. Its batch is "
          "{}. Lower {}, or use fewer workers on this machine; vitrain "
          "-dry_run estimates what a worker needs",
          session.rank,
          where,
          with_commas(session.finished_steps),
          request,
          request.empty() && words != std::bad_alloc().what()
              ? fmt::format(" ({})", printable(words))
              : "",
          batch_text(session, evaluates),
          evaluates ? "data.eval_batch_size"
                    : "data.batch_size (train.accumulate: N makes a step of N "
                      "such batches), model.image_size"));
}

} // namespace vitrain::engine
