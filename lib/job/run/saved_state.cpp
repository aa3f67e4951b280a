#include "job/run/saved_state.h"

#include <cmath>
#include <limits>

#include "core/json_reader.h"

namespace vitrain::job {
namespace {

LogIntervalState read_interval(const JsonReader& json) {
  return {
      .steps = json.integer("steps"),
      // JSON cannot represent NaN.
      .loss = json.is_null("loss") ? std::numeric_limits<double>::quiet_NaN()
                                   : json.number("loss"),
      .correct1 = json.integer("correct1"),
      .correct5 = json.integer("correct5"),
      .count = json.integer("count"),
      .hash = json.integer("hash"),
      .bytes = json.integer("bytes"),
      .dropped = json.integer("dropped"),
      .replaced = json.integer("replaced"),
      .warnings = json.integer("warnings"),
      // Not recorded by older versions.
      .clipped = json.has("clipped") ? json.integer("clipped") : 0};
}

std::int64_t wrapping_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(
      static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

} // namespace

Json LogIntervalState::to_json() const {
  return {
      {"steps", steps},
      {"loss", std::isfinite(loss) ? Json(loss) : Json(nullptr)},
      {"correct1", correct1},
      {"correct5", correct5},
      {"count", count},
      {"hash", hash},
      {"bytes", bytes},
      {"dropped", dropped},
      {"replaced", replaced},
      {"warnings", warnings},
      {"clipped", clipped}};
}

LogIntervalState SavedState::interval_of(int rank, int world) const {
  if (interval.empty()) {
    return {};
  }
  if (std::ssize(interval) == world) {
    return interval[static_cast<std::size_t>(rank)];
  }
  LogIntervalState part{.steps = interval.front().steps};
  if (rank != 0) {
    return part;
  }
  for (const LogIntervalState& one : interval) {
    part.loss += one.loss;
    part.correct1 += one.correct1;
    part.correct5 += one.correct5;
    part.count += one.count;
    part.hash = wrapping_sum(part.hash, one.hash);
    part.bytes += one.bytes;
    part.dropped += one.dropped;
    part.replaced += one.replaced;
    part.warnings += one.warnings;
    part.clipped += one.clipped;
  }
  return part;
}

SavedState read_saved_state(const Json& state, const std::string& source) {
  const JsonReader reader(state, source, ExitCode::kWeights, "state");
  const JsonReader run = reader.object("run");
  const JsonReader best = run.object("best");
  SavedState saved{
      .run =
          {.step = run.integer("step"),
           .best =
               {.value = best.number("value"),
                .step = best.integer("step"),
                .worse = best.has("worse") ? best.integer("worse") : 0,
                .metric_name =
                    best.has("metric_name") ? best.text("metric_name") : ""}},
      .identity = reader.object("identity").json()};
  saved.owes_evaluation = state.value(kOwesEvaluation, Json(false)) == true;
  if (reader.has(kAveragings)) {
    saved.averagings = reader.integer(kAveragings);
  }
  if (reader.has(kGradientNorm)) {
    saved.gradient_norm = reader.number(kGradientNorm);
  }
  if (reader.has(kSpikes)) {
    const JsonReader spikes = reader.object(kSpikes);
    saved.spike_losses = spikes.numbers("losses");
    saved.spikes_in_a_row = spikes.integer("in_a_row");
  }
  if (run.has("plateau")) {
    const JsonReader plateau = run.object("plateau");
    saved.run.plateau = {
        .best = plateau.is_null("best") ? std::nullopt
                                        : std::optional(plateau.number("best")),
        .bad = plateau.integer("bad"),
        .drops = plateau.integer("drops")};
  }
  if (run.has("non_finite")) {
    const JsonReader steps = run.object("non_finite");
    saved.run.non_finite = {
        .in_a_row = steps.integer("in_a_row"),
        .in_all = steps.integer("in_all")};
  }
  if (reader.has("bad_samples")) {
    saved.bad_samples = reader.integers("bad_samples");
  }
  if (reader.has("interval")) {
    for (const JsonReader& rank : reader.objects("interval")) {
      saved.interval.push_back(read_interval(rank));
    }
  }
  return saved;
}

} // namespace vitrain::job
