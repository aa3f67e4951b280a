#pragma once

#include <string>
#include <vector>

#include "config/rules/plan.h"
#include "core/text/json.h"
#include "data/order/samplers.h"
#include "data/sources/index.h"
#include "job/job.h"
#include "job/options/precision.h"
#include "logging/terminal/banner.h"
#include "networks/model.h"

namespace vitrain::engine {

// Facts about a run for the start banner and `-dry_run`.
struct RunFacts {
  const job::Job& job;
  const config::Plan& plan;
  const models::ModelSpec& spec;
  std::int64_t parameters = 0;
  job::PrecisionChoice precision; // of training; of an evaluation only, its own
  job::PrecisionChoice eval_precision;
  const data::Index* train = nullptr; // null: evaluation only
  const data::Samplers* samplers = nullptr; // of train
  const data::Index* eval = nullptr;
  int workers = 1;
};

// "vitrain 0.1.0 · shapes_vit_tiny".
std::string describe_title(const RunFacts& facts);
// Devices, global batch arithmetic, learning rate arithmetic, model, data, run
// folder.
std::vector<logging::BannerSection> describe_run(const RunFacts& facts);
// The `start` record of metrics.jsonl.
Json start_record(const RunFacts& facts);

} // namespace vitrain::engine
