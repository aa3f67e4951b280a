#include "exports/batch_size.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include "core/check.h"
#include "exports/value_types.h"

namespace vitrain::exports {
namespace {

namespace jit = torch::jit;

class BatchFreedom {
 public:
  BatchFreedom(jit::Graph& graph, const std::string& name)
      : graph_(graph), name_(name), images_(graph.inputs().at(1)) {}

  void compare(const jit::Graph& other) {
    auto theirs = other.nodes().begin();
    std::vector<std::pair<jit::Node*, Size>> sizes;
    for (jit::Node* ours : graph_.nodes()) {
      check(theirs != other.nodes().end(), "has steps that depend");
      if (const auto size = compare(*ours, **theirs)) {
        sizes.emplace_back(ours, *size);
      }
      ++theirs;
    }
    check(theirs == other.nodes().end(), "has steps that depend");
    widen(*images_, *other.inputs().at(1));
    for (const auto& [node, size] : sizes) {
      node->output()->replaceAllUsesWith(computed(size));
    }
  }

 private:
  struct Size { // slope * n + constant for a batch of n images
    std::int64_t slope = 0;
    std::int64_t constant = 0;

    auto operator<=>(const Size&) const = default;
  };

  void check(bool good, const char* what) const {
    VITRAIN_CHECK(
        good,
        ExitCode::kInternal,
        "{}: cannot be exported: its network {} on the number of images",
        name_,
        what);
  }

  // Compares two nodes. Returns a constant that depends on the batch as a Size;
  // nullopt for all other nodes.
  std::optional<Size> compare(jit::Node& ours, const jit::Node& theirs) {
    check(
        ours.kind() == theirs.kind() &&
            ours.inputs().size() == theirs.inputs().size() &&
            ours.outputs().size() == theirs.outputs().size() &&
            ours.blocks().empty(),
        "has steps that depend");
    if (ours.kind() == c10::prim::Constant) {
      return compare_constants(
          jit::toIValue(ours.output()), jit::toIValue(theirs.output()));
    }
    for (std::size_t i = 0; i < ours.outputs().size(); ++i) {
      widen(*ours.outputs()[i], *theirs.outputs()[i]);
    }
    return std::nullopt;
  }

  std::optional<Size> compare_constants(
      const std::optional<c10::IValue>& ours,
      const std::optional<c10::IValue>& theirs) const {
    check(ours && theirs, "has constants that depend");
    if (ours->isInt() && theirs->isInt()) {
      const std::int64_t slope =
          (theirs->toInt() - ours->toInt()) / (kBatches[1] - kBatches[0]);
      return slope == 0
          ? std::nullopt
          : std::optional<Size>({slope, ours->toInt() - slope * kBatches[0]});
    }
    if (ours->isTensor() && theirs->isTensor()) {
      check(
          is_same_tensor(ours->toTensor(), theirs->toTensor()),
          "has constants that depend");
    } else {
      check(*ours == *theirs, "has constants that depend");
    }
    return std::nullopt;
  }

  // Returns a value of the graph that computes this size.
  jit::Value* computed(const Size& size) {
    const auto found = computed_.find(size);
    if (found != computed_.end()) {
      return found->second;
    }
    if (start_ == nullptr) {
      start_ = *graph_.nodes().begin();
    }
    jit::WithInsertPoint before(start_);
    if (images_count_ == nullptr) {
      images_count_ =
          graph_.insert(c10::aten::size, {images_, std::int64_t{0}});
    }
    jit::Value* value = images_count_;
    if (size.slope != 1) {
      value = graph_.insert(c10::aten::mul, {value, size.slope});
    }
    if (size.constant != 0) {
      value = graph_.insert(c10::aten::add, {value, size.constant});
    }
    computed_[size] = value;
    return value;
  }

  jit::Graph& graph_;
  const std::string& name_;
  jit::Value* images_;
  jit::Node* start_ = nullptr; // first node of the network
  jit::Value* images_count_ = nullptr;
  std::map<Size, jit::Value*> computed_;
};

} // namespace

void free_batch_size(
    jit::Graph& graph,
    const jit::Graph& other,
    const std::string& name) {
  BatchFreedom(graph, name).compare(other);
}

} // namespace vitrain::exports
