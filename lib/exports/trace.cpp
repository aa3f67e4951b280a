#include "exports/trace.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <c10/util/Exception.h>
#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include "core/check.h"
#include "core/text.h"
#include "exports/batch_size.h"
#include "exports/image_size.h"

namespace vitrain::exports {
namespace {

namespace jit = torch::jit;

// Relative tolerance: fused kernels sum in another order than the module's
// plain operators.
constexpr double kSame = 1e-5;

// Returns a TorchScript module with the tensors of `module` and its children.
jit::Module mirror(
    const torch::nn::Module& module,
    const std::string& type,
    const std::shared_ptr<jit::CompilationUnit>& unit) {
  jit::Module result(
      c10::QualifiedName("__torch__.vitrain." + type),
      unit,
      /*shouldMangle=*/true);
  result.register_attribute("training", c10::BoolType::get(), false);
  for (const auto& item : module.named_parameters(/*recurse=*/false)) {
    result.register_parameter(item.key(), item.value(), /*is_buffer=*/false);
  }
  for (const auto& item : module.named_buffers(/*recurse=*/false)) {
    result.register_buffer(item.key(), item.value());
  }
  for (const auto& item : module.named_children()) {
    result.register_module(item.key(), mirror(*item.value(), "Layer", unit));
  }
  return result;
}

// Ignores the tracer's warning about each in-place operation that other views
// of the memory might see; check_same_outputs() detects such errors.
class NoWarnings : public c10::WarningHandler {
 public:
  void process(const c10::Warning& /*warning*/) override {}
};

// Records the network's forward pass for `inputs`.
std::shared_ptr<jit::Graph>
record(networks::Model& model, jit::Module& module, const at::Tensor& inputs) {
  NoWarnings none;
  const c10::WarningUtils::WarningHandlerGuard quiet(&none);
  const auto forward = [&](jit::Stack stack) {
    return jit::Stack{model.forward(stack.at(0).toTensor(), {})};
  };
  return jit::tracer::trace(
             {inputs},
             forward,
             [](const at::Tensor& /*tensor*/) { return std::string(); },
             /*strict=*/true,
             /*force_outplace=*/true,
             &module,
             {"images"})
      .first->graph;
}

// Makes the images contiguous: views would fail for another memory layout than
// the recorded one.
void make_contiguous(jit::Graph& graph) {
  jit::Value* images = graph.inputs().at(1);
  jit::WithInsertPoint at_start(*graph.nodes().begin());
  jit::Value* format = graph.insertConstant(
      static_cast<std::int64_t>(at::MemoryFormat::Contiguous));
  jit::Node* contiguous = graph.insertNode(
      graph.create(c10::Symbol::fromQualString("aten::contiguous"), {images}));
  contiguous->addInput(format);
  contiguous->output()->setType(images->type());
  images->replaceAllUsesAfterNodeWith(contiguous, contiguous->output());
}

// Returns the name of a parameter or buffer that contains NaN or Inf; "" if all
// are finite.
std::string not_finite(const networks::Model& model) {
  const auto is_wrong = [](const at::Tensor& tensor) {
    return at::isFloatingType(tensor.scalar_type()) &&
        !tensor.isfinite().all().item<bool>();
  };
  for (const auto& item : model.named_parameters()) {
    if (is_wrong(item.value())) {
      return item.key();
    }
  }
  for (const auto& item : model.named_buffers()) {
    if (is_wrong(item.value())) {
      return item.key();
    }
  }
  return "";
}

// Throws Error(kWeights) if the outputs are not finite, because they cannot be
// compared.
void check_finite(
    const at::Tensor& outputs,
    const networks::Model& model,
    const models::ModelSpec& spec) {
  if (outputs.isfinite().all().item<bool>()) {
    return;
  }
  const std::string name = not_finite(model);
  fail(
      ExitCode::kWeights,
      "{}: cannot be exported: its outputs for random inputs are not finite; "
      "{}. Take the weights of an earlier checkpoint",
      spec.name,
      name.empty()
          ? "its weights are, so they are too large, or a variance is negative"
          : fmt::format(
                "'{}' of its weights has values that are not finite",
                printable(name)));
}

// Returns recordings with other image sizes; nullopt if the network rejects one
// of them.
std::optional<std::vector<std::shared_ptr<jit::Graph>>> record_other_sizes(
    networks::Model& model,
    jit::Module& module,
    const models::ModelSpec& spec) {
  std::vector<std::shared_ptr<jit::Graph>> graphs;
  try {
    for (const models::ModelSpec& other : other_image_sizes(spec)) {
      graphs.push_back(
          record(model, module, random_inputs(other, kBatches[0])));
    }
  } catch (const std::exception&) {
    return std::nullopt;
  }
  return graphs;
}

// Throws Error(kInternal) unless network and module have the same outputs for
// these inputs, up to kSame; Error(kWeights) if they are not finite.
void check_same_outputs(
    networks::Model& model,
    jit::Module& module,
    const models::ModelSpec& spec,
    const at::Tensor& inputs) {
  const std::int64_t count = inputs.size(0);
  const at::Tensor expected = model.forward(inputs, {});
  check_finite(expected, model, spec);
  at::Tensor given;
  try {
    given = module.forward({inputs}).toTensor();
  } catch (const std::exception& error) {
    fail(
        ExitCode::kInternal,
        "{}: what is exported cannot compute a batch of {}: {}",
        spec.name,
        count,
        printable(error.what()));
  }
  VITRAIN_CHECK(
      given.sizes() == expected.sizes(),
      ExitCode::kInternal,
      "{}: what is exported gives outputs of another shape for a batch of {}",
      spec.name,
      count);
  const auto difference = (given - expected).abs().max().item<double>();
  const auto largest = expected.abs().max().item<double>();
  VITRAIN_CHECK(
      difference <= kSame * largest,
      ExitCode::kInternal,
      "{}: for a batch of {}, what is exported differs from the network by "
      "{} (largest output: {})",
      spec.name,
      count,
      shortest(difference),
      shortest(largest));
}

} // namespace

jit::Module
trace(networks::Model& model, const models::ModelSpec& spec, bool any_size) {
  const at::NoGradGuard no_grad;
  model.eval();
  // Some networks convert tables when they first see the weights' type; do it
  // before both recordings.
  model.forward(random_inputs(spec, 1), {});
  jit::Module module =
      mirror(model, "Network", std::make_shared<jit::CompilationUnit>());
  const auto graph = record(model, module, random_inputs(spec, kBatches[0]));
  if (any_size && spec.features == 0) {
    if (const auto others = record_other_sizes(model, module, spec)) {
      free_image_size(*graph, *others);
    }
  }
  free_batch_size(
      *graph,
      *record(model, module, random_inputs(spec, kBatches[1])),
      spec.name);
  make_contiguous(*graph);
  jit::Function* forward =
      module._ivalue()->compilation_unit()->create_function(
          c10::QualifiedName(*module.type()->name(), "forward"), graph);
  module.type()->addMethod(forward);
  return module;
}

at::Tensor random_inputs(const models::ModelSpec& spec, std::int64_t count) {
  std::vector<std::int64_t> shape{count, spec.features};
  if (spec.features == 0) {
    shape = {
        count, spec.channels, spec.image_size.height, spec.image_size.width};
  }
  return at::randn(
      shape,
      at::detail::createCPUGenerator(static_cast<std::uint64_t>(count)),
      at::TensorOptions(at::kFloat));
}

void check_same_outputs(
    networks::Model& model,
    jit::Module module,
    const models::ModelSpec& spec) {
  const at::NoGradGuard no_grad;
  const jit::GraphOptimizerEnabledGuard as_it_is(false);
  model.eval();
  for (const std::int64_t count : {1, 2, 5}) {
    check_same_outputs(model, module, spec, random_inputs(spec, count));
  }
  if (takes_any_image_size(module)) {
    for (const models::ModelSpec& other : other_image_sizes(spec)) {
      check_same_outputs(model, module, spec, random_inputs(other, 1));
    }
  }
}

} // namespace vitrain::exports
