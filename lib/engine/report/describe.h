#pragma once

#include <string>
#include <vector>

#include "config/rules/plan.h"
#include "core/json.h"
#include "data/load/samplers.h"
#include "data/sources/index.h"
#include "job/precision.h"
#include "job/run/job.h"
#include "logging/banner.h"
#include "networks/model.h"

namespace vitrain::engine {

// Facts about a run for the start banner and `-dry_run`.
struct RunFacts {
  const job::Job& job;
  const config::Plan& plan;
  const models::ModelSpec& spec;
  std::int64_t parameters = 0; // number of values in all parameters
  // Precision of training; without training, same as eval_precision.
  job::PrecisionChoice precision;
  job::PrecisionChoice eval_precision;
  const data::Index* train = nullptr; // null: evaluation only
  const data::Samplers* samplers = nullptr; // samplers of `train`
  const data::Index* eval = nullptr;
  int workers = 1;
};

// Returns, for example, "vitrain 0.1.0  shapes_vit_tiny".
std::string describe_title(const RunFacts& facts);
// Returns the banner's sections: devices, model, data, training (from the
// global batch to the stages; empty in an evaluation), run folder.
std::vector<logging::BannerSection> describe_run(const RunFacts& facts);
// Returns the `start` record of metrics.jsonl.
Json start_record(const RunFacts& facts);

} // namespace vitrain::engine
