#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>

#include <ATen/ATen.h>

#include "models/families/family.h"
#include "networks/model.h"
#include "networks/tensors.h"
#include "states/load.h"
#include "states/safetensors.h"
#include "weights/archive.h"
#include "weights/names/timm_names.h"

// usage: parity MODEL FOLDER
// Compares our network with what bench/peers/parity.py left in FOLDER of
// another implementation: state.safetensors, its weights; results.safetensors:
// images, logits (of training mode), grad/NAME of the mean cross entropy with
// labels 0, 1, 2, ..., and eval, the logits of evaluation mode afterwards.
// Prints parameters, the largest difference of logits in both modes over the
// largest logit, that of a gradient over its largest value, and whose it is.
namespace {

using namespace vitrain;

// Over the largest value of `expected`, but not less than `least`.
double difference(
    const at::Tensor& value,
    const at::Tensor& expected,
    double least = 0.0) {
  const double largest = expected.abs().max().item<double>();
  return (value - expected).abs().max().item<double>() /
      std::max({largest, least, 1e-30});
}

int compare(const std::string& name, const std::filesystem::path& folder) {
  auto spec = models::find_model(name);
  if (!spec) {
    std::fprintf(stderr, "no model is called '%s'\n", name.c_str());
    return 2;
  }
  spec->num_classes = 1000;
  const auto model = networks::make_model(*spec, /*seed=*/0);
  const auto state = folder / "state.safetensors";
  const auto archive = weights::open_archive(state);
  weights::to_timm_names(*archive, "auto");
  states::load_weights(
      *model, *archive, {.head = weights::HeadPolicy::kLoad}, state.native());
  const auto results =
      states::read_safetensors(folder / "results.safetensors").tensors;
  const at::Tensor& images = results.at("images");
  model->to(images.scalar_type());
  const at::Tensor logits = model->forward(images, {});
  const at::Tensor labels = at::arange(images.size(0), at::kLong);
  at::cross_entropy_loss(logits, labels).backward();

  // Gradients that are zero but for roundings, as of a bias in front of a norm,
  // are measured by what all of them come to.
  constexpr double kRounding = 1e-4;
  double largest = 0.0;
  for (const auto& [key, value] : results) {
    if (key.starts_with("grad/")) {
      largest = std::max(largest, value.abs().max().item<double>());
    }
  }
  double gradient = 0.0;
  std::string whose;
  for (const auto& item : model->named_parameters()) {
    const double one = difference(
        item.value().grad(),
        results.at("grad/" + item.key()),
        kRounding * largest);
    if (!(one <= gradient)) { // NaN as well
      gradient = one;
      whose = item.key();
    }
  }
  const at::NoGradGuard no_grad;
  model->eval();
  const double evaluated =
      difference(model->forward(images, {}), results.at("eval"));
  std::printf(
      "%lld %.1e %.1e %.1e %s\n",
      static_cast<long long>(networks::parameter_count(*spec)),
      difference(logits.detach(), results.at("logits")),
      evaluated,
      gradient,
      whose.c_str());
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: parity MODEL FOLDER\n");
    return 2;
  }
  try {
    return compare(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[1], error.what());
    return 1;
  }
}
