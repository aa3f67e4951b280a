#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <sys/resource.h>

#include "models/families/family.h"
#include "networks/model.h"
#include "states/load_tensors.h"
#include "weights/archive.h"
#include "weights/names/timm_names.h"

// usage: load_weights MODEL FILE COUNT
// Loads the file into the model COUNT times. Prints the median seconds from
// opening the file to the last parameter, and the growth of the process's peak
// memory beyond the model, in MB.
int main(int argc, char** argv) {
  using namespace vitrain;
  if (argc != 4) {
    std::fprintf(stderr, "usage: load_weights MODEL FILE COUNT\n");
    return 2;
  }
  const auto largest = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
  };
  auto spec = models::find_model(argv[1]);
  if (!spec) {
    std::fprintf(stderr, "no model is called '%s'\n", argv[1]);
    return 2;
  }
  spec->num_classes = 1000;
  const auto model = networks::make_model(*spec, /*seed=*/0);
  const double before = largest();
  std::vector<double> seconds;
  for (int i = std::max(1, std::atoi(argv[3])); i > 0; --i) {
    const auto start = std::chrono::steady_clock::now();
    const auto archive = weights::open_archive(argv[2]);
    weights::to_timm_names(*archive, "auto");
    states::load_weights(
        *model, *archive, {.head = weights::HeadPolicy::kLoad}, argv[2]);
    const std::chrono::duration<double> taken =
        std::chrono::steady_clock::now() - start;
    seconds.push_back(taken.count());
  }
  std::ranges::sort(seconds);
  std::printf("%.4f %.0f\n", seconds[seconds.size() / 2], largest() - before);
  return 0;
}
