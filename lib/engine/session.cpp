#include "engine/session.h"

#include <algorithm>

namespace vitrain::engine {

int Session::loader_threads() const {
  if (job.recipe.data.threads) {
    return static_cast<int>(*job.recipe.data.threads);
  }
  return cuda != nullptr ? std::max(1, job.cores_per_worker - 1) : 1;
}

} // namespace vitrain::engine
