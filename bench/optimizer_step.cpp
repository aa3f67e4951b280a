#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "bench/cuda_device.h"
#include "core/enum_names.h"
#include "job/precision.h"
#include "models/families/family.h"
#include "networks/model.h"
#include "optim/grouping.h"
#include "optim/rules/optimizers.h"

// usage: optimizer_step THREADS|cuda STEPS RULE...
// Prints the milliseconds of an update (median of STEPS) of the 25.6 million
// parameters of a ResNet-50, one line per rule. "+" after a rule: cautious.
// cuda: on the first GPU.
int main(int argc, char** argv) {
  using namespace vitrain;
  if (argc < 4) {
    std::fprintf(stderr, "usage: optimizer_step THREADS|cuda STEPS RULE...\n");
    return 2;
  }
  const bool on_gpu = std::string(argv[1]) == "cuda";
  const c10::Device device =
      on_gpu ? bench::begin_cuda() : c10::Device(c10::kCPU);
  at::set_num_threads(std::max(1, std::atoi(argv[1])));
  const int steps = std::max(1, std::atoi(argv[2]));
  const job::CpuFeatures cpu = job::cpu_features();
  for (int i = 3; i < argc; ++i) {
    std::string rule = argv[i];
    config::OptimConfig options;
    options.cautious = rule.ends_with('+');
    rule.resize(rule.size() - (options.cautious ? 1 : 0));
    const auto kind = value_of<config::OptimKind>(rule);
    if (!kind) {
      std::fprintf(stderr, "no rule is called '%s'\n", rule.c_str());
      return 2;
    }
    options.name = *kind;
    auto spec = models::find_model("resnet50").value();
    spec.num_classes = 1000;
    const auto model = networks::make_model(spec, /*seed=*/0);
    model->to(device);
    optim::FlatState state(*model, optim::grouping_of(options));
    const auto optimizer = optim::make_optimizer(state, options);
    if (cpu.avx512_bf16 || cpu.amx_bf16) { // as with train.precision: auto
      optimizer->multiply_in(at::kBFloat16);
    }
    for (optim::FlatGroup& group : state.groups()) {
      const at::NoGradGuard no_grad;
      for (const optim::Segment& segment : group.segments) {
        segment.in(group.gradients).normal_(0.0, 0.01);
      }
    }
    std::vector<double> taken;
    for (int step = 0; step < steps + 2; ++step) {
      const double time = bench::milliseconds(
          device, [&] { optimizer->step(1e-4, at::zeros({}, device)); });
      if (step >= 2) {
        taken.push_back(time);
      }
    }
    std::ranges::sort(taken);
    std::printf("%s %.2f\n", argv[i], taken[taken.size() / 2]);
    std::fflush(stdout);
  }
  return 0;
}
