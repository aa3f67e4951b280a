#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "config/sections/train_safety.h"
#include "models/families/family.h"
#include "networks/layers/recompute.h"
#include "networks/model.h"
#include "support/counting_allocator.h"

// usage: recompute THREADS BATCH STEPS MODEL RECOMPUTE...
// Measures forward and backward in fp32 with each value RECOMPUTE of
// train.recompute. Prints the smallest milliseconds of STEPS passes, and the
// peak memory of tensors, including weights and gradients.
namespace {

using namespace vitrain;

struct Measured {
  double milliseconds = 1e30;
  double mebibytes = 0.0;
};

Measured
measure(networks::Model& model, const at::Tensor& images, std::int64_t every) {
  vitrain::CountingAllocator memory;
  const auto start = std::chrono::steady_clock::now();
  {
    const networks::RecomputeScope scope(every);
    const at::Tensor outputs = model.forward(images, /*drop=*/{});
    at::cross_entropy_loss(outputs, at::zeros({images.size(0)}, at::kLong))
        .backward();
  }
  const std::chrono::duration<double, std::milli> time =
      std::chrono::steady_clock::now() - start;
  return {time.count(), static_cast<double>(memory.peak()) / (1 << 20)};
}

double weights_of(const networks::Model& model) {
  double bytes = 0.0;
  for (const at::Tensor& tensor : model.parameters()) {
    // Weights and gradients.
    bytes += 2.0 * static_cast<double>(tensor.nbytes());
  }
  return bytes / (1 << 20);
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 6) {
    std::fprintf(
        stderr, "usage: recompute THREADS BATCH STEPS MODEL RECOMPUTE...\n");
    return 2;
  }
  at::set_num_threads(std::max(1, std::atoi(argv[1])));
  auto spec = models::find_model(argv[4]).value();
  spec.num_classes = 1000;
  const auto model = networks::make_model(spec, /*seed=*/0);
  const at::Tensor images = at::randn(
      {std::atoi(argv[2]),
       spec.channels,
       spec.image_size.height,
       spec.image_size.width});
  // Measures the values in turns, so that other load on the machine affects all
  // of them.
  std::map<std::string, Measured> found;
  measure(*model, images, 0); // allocates the gradients
  for (int step = 0; step < std::max(1, std::atoi(argv[3])); ++step) {
    for (int i = 5; i < argc; ++i) {
      const Measured now =
          measure(*model, images, config::recompute_every(argv[i]));
      Measured& best = found[argv[i]];
      best.milliseconds = std::min(best.milliseconds, now.milliseconds);
      best.mebibytes = now.mebibytes + weights_of(*model);
    }
  }
  for (int i = 5; i < argc; ++i) {
    const Measured& best = found[argv[i]];
    std::printf(
        "%s: %.0f ms, %.0f MiB\n", argv[i], best.milliseconds, best.mebibytes);
  }
  return 0;
}
