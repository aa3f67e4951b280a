#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include "models/families/family.h"
#include "networks/model.h"
#include "networks/tensors.h"
#include "states/load_tensors.h"
#include "states/safetensors.h"
#include "weights/archive.h"
#include "weights/names/timm_names.h"

// usage: parity MODEL FOLDER
// Compares our network with the results of another implementation, which
// bench/peers/parity.py wrote to FOLDER: state.safetensors (weights),
// results.safetensors (images; logits in training mode; eval: logits in
// evaluation mode afterwards), and NAME.gradient for each parameter (gradient
// of the mean cross entropy with labels 0, 1, 2, ...). Prints the number of
// parameters, the largest difference of logits in each mode relative to the
// largest logit, and the largest difference of a gradient relative to its
// largest value, with the parameter's name.
namespace {

using namespace vitrain;

// Returns the largest difference, relative to the largest expected value.
double difference(const at::Tensor& value, const at::Tensor& expected) {
  return (value - expected).abs().max().item<double>() /
      std::max(expected.abs().max().item<double>(), 1e-30);
}

// Difference of a parameter's gradient from the other implementation's.
struct GradientDifference {
  std::string name;
  double difference = 0.0; // largest over the elements
  double largest = 0.0; // largest value of the other implementation's gradient
};

// Compares a gradient as soon as it is computed and frees it, so that the
// gradients are never all in memory.
class CompareGradient : public torch::autograd::PostAccumulateGradHook {
 public:
  CompareGradient(
      std::filesystem::path file,
      std::string name,
      std::vector<GradientDifference>& differences)
      : file_(std::move(file)),
        name_(std::move(name)),
        differences_(differences) {}

  void operator()(const torch::autograd::Variable& parameter) override {
    const at::Tensor expected =
        states::read_safetensors(file_).tensors.at("gradient");
    at::Tensor& gradient = parameter.mutable_grad();
    differences_.push_back(
        {name_,
         (gradient - expected).abs_().max().item<double>(),
         expected.abs().max().item<double>()});
    gradient.reset();
  }

 private:
  std::filesystem::path file_;
  std::string name_;
  std::vector<GradientDifference>& differences_;
};

// Returns the gradient with the largest difference relative to its largest
// value. Gradients that are zero except for rounding errors, such as of a bias
// before a norm, are compared with the largest gradient of all parameters
// instead.
GradientDifference worst(const std::vector<GradientDifference>& all) {
  constexpr double kRounding = 1e-4;
  double largest = 0.0;
  for (const auto& one : all) {
    largest = std::max(largest, one.largest);
  }
  GradientDifference worst;
  for (const auto& one : all) {
    const double relative =
        one.difference / std::max({one.largest, kRounding * largest, 1e-30});
    if (!(relative <= worst.difference)) { // also true for NaN
      worst = {one.name, relative, one.largest};
    }
  }
  return worst;
}

int compare(const std::string& name, const std::filesystem::path& folder) {
  auto spec = models::find_model(name);
  if (!spec) {
    std::fprintf(stderr, "no model is called '%s'\n", name.c_str());
    return 2;
  }
  const auto results =
      states::read_safetensors(folder / "results.safetensors").tensors;
  const at::Tensor& images = results.at("images");
  spec->num_classes = 1000;
  spec->image_size = {images.size(2), images.size(3)};
  const auto model = networks::make_model(*spec, /*seed=*/0);
  const auto state = folder / "state.safetensors";
  const auto archive = weights::open_archive(state);
  weights::to_timm_names(*archive, "auto");
  states::load_weights(
      *model, *archive, {.head = weights::HeadPolicy::kLoad}, state.native());
  model->to(images.scalar_type());

  std::vector<GradientDifference> gradients;
  const auto parameters = model->named_parameters();
  for (const auto& item : parameters) {
    torch::autograd::impl::set_post_acc_grad_hooks(
        item.value(),
        std::make_unique<CompareGradient>(
            folder / (item.key() + ".gradient"), item.key(), gradients));
  }
  const at::Tensor logits = model->forward(images, {});
  const at::Tensor labels = at::arange(images.size(0), at::kLong);
  at::cross_entropy_loss(logits, labels).backward();
  if (gradients.size() != parameters.size()) {
    std::fprintf(
        stderr,
        "%zu of %zu parameters have a gradient\n",
        gradients.size(),
        parameters.size());
    return 1;
  }
  const GradientDifference gradient = worst(gradients);

  const at::NoGradGuard no_grad;
  model->eval();
  const double evaluated =
      difference(model->forward(images, {}), results.at("eval"));
  std::printf(
      "%lld %.1e %.1e %.1e %s\n",
      static_cast<long long>(networks::parameter_count(*spec)),
      difference(logits.detach(), results.at("logits")),
      evaluated,
      gradient.difference,
      gradient.name.c_str());
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
