#include "engine/run/run_agreement.h"

#include <algorithm>
#include <array>

#include <ATen/core/Tensor.h>
#include <fmt/ranges.h>

#include "config/load/writer.h"
#include "core/hash.h"
#include "core/text.h"
#include "data/sources/index.h"
#include "engine/state/named_state.h"
#include "job/run/job.h"
#include "job/run/run_state.h"
#include "networks/model.h"

namespace vitrain::engine {
namespace {

using Facts = std::map<std::string, std::string>;

// Keys that may differ between nodes: devices and paths. The content of
// datasets is compared; weights are read, and files written, by rank 0.
bool may_differ(const std::string& key) {
  constexpr std::array<std::string_view, 5> kPaths{
      "data.train.path",
      "data.eval.path",
      "model.pretrained",
      "run.output",
      "log.folder"};
  return key.starts_with("devices.") ||
      std::ranges::find(kPaths, key) != kPaths.end();
}

void add_data(Facts& facts, const std::string& name, const data::Index& index) {
  facts[name] = fmt::format(
      "{} samples, fingerprint {}",
      with_commas(index.size()),
      to_hex(index.fingerprint()));
  for (std::size_t i = 0; i < index.classes().size(); ++i) {
    facts[fmt::format("{}, class {}", name, i)] = index.classes()[i];
  }
}

} // namespace

Facts facts_to_agree_on(const Session& session) {
  Facts facts{
      {"vitrain version", session.job.version},
      {"workers", std::to_string(session.world)},
      {"evaluation batch", std::to_string(session.plan.eval_batch)},
      {"model", session.spec.name},
      {"checkpoint to continue, step",
       session.job.resume.empty() ? "none"
                                  : std::to_string(session.job.resumed_step)}};
  for (const auto& [key, value] : config::recipe_values(session.job.recipe)) {
    if (!may_differ(key)) {
      facts[key] = value;
    }
  }
  if (session.train_index) {
    facts["batch"] = session.plan.batch_text;
    add_data(facts, "training data", *session.train_index);
  }
  add_data(facts, "evaluation data", *session.eval_index);
  for (const auto& [name, tensor] : named_state(*session.model)) {
    facts["tensor " + name] = fmt::format(
        "{} [{}]",
        c10::toString(tensor.scalar_type()),
        fmt::join(tensor.sizes(), ", "));
  }
  return facts;
}

} // namespace vitrain::engine
