#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "engine/device/on_threads.h"
#include "models/families/family.h"
#include "networks/tensors.h"
#include "program/torch_verbs.h"

namespace vitrain::program {

// Uses all cores: a large network takes 20 ms.
std::vector<models::ModelCounts> count_models(
    const std::vector<std::string>& names) {
  std::vector<models::ModelCounts> counts(names.size());
  std::atomic<std::size_t> next = 0;
  const std::size_t threads = std::max(
      std::size_t{1},
      std::min<std::size_t>(names.size(), std::thread::hardware_concurrency()));
  engine::on_threads(threads, [&](std::size_t) {
    for (std::size_t i = next++; i < names.size(); i = next++) {
      counts[i] = networks::counts_of(*models::find_model(names[i]));
    }
  });
  return counts;
}

} // namespace vitrain::program
