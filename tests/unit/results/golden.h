#pragma once

#include <fstream>

#include "core/json.h"
#include "results/outcome.h"

namespace vitrain::results {

// Returns the output of tests/golden/results/make_evaluation.py.
inline Json golden() {
  return Json::parse(std::ifstream(VITRAIN_SOURCE_DIR
                                   "/tests/golden/results/evaluation.json"));
}

inline std::vector<Outcome> golden_outcomes() {
  const Json json = golden();
  std::vector<Outcome> outcomes;
  for (std::size_t i = 0; i < json.at("labels").size(); ++i) {
    outcomes.push_back(
        {.sample = static_cast<std::int64_t>(i),
         .label = json.at("labels")[i],
         .prediction = json.at("predictions")[i],
         .probability = json.at("probabilities")[i],
         .loss = json.at("losses")[i]});
  }
  return outcomes;
}

} // namespace vitrain::results
