#include "weights/load.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <ATen/ATen.h>
#include <torch/nn/module.h>

#include "core/check.h"
#include "core/text.h"
#include "weights/dtype.h"

namespace vitrain::weights {
namespace {

using Tensors = std::map<std::string, at::Tensor>;

constexpr const char* kPositions = "pos_embed";
constexpr std::string_view kCounter = "num_batches_tracked";

Tensors own_tensors(torch::nn::Module& module) {
  Tensors own;
  for (const auto& item : module.named_parameters()) {
    own[item.key()] = item.value().detach();
  }
  for (const auto& item : module.named_buffers()) {
    own[item.key()] = item.value().detach();
  }
  return own;
}

// Wrappers of modules in Python put their name in front of every key.
Tensors without_wrappers(Tensors tensors) {
  for (const std::string_view prefix : {"module.", "_orig_mod."}) {
    bool everywhere = !tensors.empty();
    for (const auto& [name, tensor] : tensors) {
      everywhere = everywhere && name.starts_with(prefix);
    }
    if (everywhere) {
      Tensors shorter;
      for (auto& [name, tensor] : tensors) {
        shorter[name.substr(prefix.size())] = std::move(tensor);
      }
      return without_wrappers(std::move(shorter));
    }
  }
  return tensors;
}

std::string shape_text(const at::Tensor& tensor) {
  std::vector<std::string> sizes;
  for (const std::int64_t size : tensor.sizes()) {
    sizes.push_back(std::to_string(size));
  }
  return fmt::format("[{}]", join(sizes, ", "));
}

std::string type_text(at::ScalarType type) {
  const std::optional<DType> known = find_dtype(type);
  return known ? known->name : c10::toString(type);
}

// Whether values of one type can stand for the other's.
bool convertible(at::ScalarType from, at::ScalarType to) {
  return (at::isFloatingType(from) && at::isFloatingType(to)) ||
      (at::isIntegralType(from, /*includeBool=*/false) &&
       at::isIntegralType(to, /*includeBool=*/false)) ||
      from == to;
}

// Side of the square grid of a [1, 1 + side * side, D] embedding, or 0.
std::int64_t grid_side(const at::Tensor& positions) {
  if (positions.dim() != 3 || positions.size(0) != 1 || positions.size(1) < 2) {
    return 0;
  }
  const std::int64_t patches = positions.size(1) - 1;
  const auto side = static_cast<std::int64_t>(
      std::llround(std::sqrt(static_cast<double>(patches))));
  return side * side == patches ? side : 0;
}

at::Tensor
resample(const at::Tensor& positions, std::int64_t from, std::int64_t to) {
  const std::int64_t width = positions.size(2);
  const at::Tensor prefix = positions.narrow(1, 0, 1).to(at::kFloat);
  const at::Tensor grid = positions.narrow(1, 1, from * from)
                              .to(at::kFloat)
                              .reshape({1, from, from, width})
                              .permute({0, 3, 1, 2});
  const at::Tensor resized =
      at::_upsample_bicubic2d_aa(grid, {to, to}, /*align_corners=*/false)
          .permute({0, 2, 3, 1})
          .reshape({1, to * to, width});
  return at::cat({prefix, resized}, 1);
}

// Matches a file with a module; nothing is copied before apply().
class Loader {
 public:
  Loader(Tensors own, Tensors given, const LoadOptions& options)
      : own_(std::move(own)), given_(std::move(given)), options_(options) {
    const bool keep_head = !loads_head();
    for (const auto& [name, tensor] : own_) {
      if (keep_head && is_head(name)) {
        report_.fresh.push_back(name);
      } else {
        match(name, tensor);
      }
    }
    for (const auto& [name, tensor] : given_) {
      if (!own_.contains(name) && !(keep_head && is_head(name))) {
        problems_.push_back(fmt::format(
            "unexpected '{}' {}", printable(name), shape_text(tensor)));
      }
    }
  }

  void check(const std::string& source) const {
    constexpr std::size_t kShown = 40;
    if (problems_.empty()) {
      return;
    }
    std::string list;
    for (std::size_t i = 0; i < problems_.size() && i < kShown; ++i) {
      list += "\n  " + problems_[i];
    }
    if (problems_.size() > kShown) {
      list += fmt::format("\n  and {} more", problems_.size() - kShown);
    }
    fail(
        ExitCode::kWeights,
        "{}: does not fit the model ({} of its {} tensors loadable):{}\nThe "
        "weights must be of the same architecture with timm's names; is "
        "model.name right?",
        source,
        copies_.size(),
        own_.size(),
        list);
  }

  LoadReport apply() {
    const at::NoGradGuard no_grad;
    for (auto& [name, value] : copies_) {
      at::Tensor target = own_.at(name);
      target.copy_(value);
      if (at::isFloatingType(target.scalar_type()) &&
          !at::isfinite(target).all().item<bool>()) {
        report_.non_finite.push_back(name);
      }
    }
    report_.loaded = static_cast<std::int64_t>(copies_.size());
    return std::move(report_);
  }

 private:
  bool is_head(const std::string& name) const {
    for (const std::string& prefix : options_.head_prefixes) {
      if (name.starts_with(prefix)) {
        return true;
      }
    }
    return false;
  }

  bool loads_head() const {
    if (options_.head != HeadPolicy::kAuto) {
      return options_.head == HeadPolicy::kLoad;
    }
    for (const auto& [name, tensor] : own_) {
      const auto found = given_.find(name);
      if (is_head(name) &&
          (found == given_.end() || found->second.sizes() != tensor.sizes())) {
        return false;
      }
    }
    return true;
  }

  void match(const std::string& name, const at::Tensor& own) {
    const auto found = given_.find(name);
    if (found == given_.end()) {
      if (!name.ends_with(kCounter)) {
        problems_.push_back(
            fmt::format("missing '{}' {}", name, shape_text(own)));
      }
      return;
    }
    at::Tensor value = found->second;
    if (!convertible(value.scalar_type(), own.scalar_type())) {
      problems_.push_back(fmt::format(
          "'{}' is {}, the model's is {}",
          name,
          type_text(value.scalar_type()),
          type_text(own.scalar_type())));
      return;
    }
    if (value.sizes() != own.sizes()) {
      value = resized(name, value, own);
      if (!value.defined()) {
        problems_.push_back(fmt::format(
            "'{}' is {}, the model's is {}",
            name,
            shape_text(found->second),
            shape_text(own)));
        return;
      }
    }
    if (found->second.scalar_type() != own.scalar_type()) {
      report_.converted.push_back(fmt::format(
          "{}: {} -> {}",
          name,
          type_text(found->second.scalar_type()),
          type_text(own.scalar_type())));
    }
    copies_.emplace_back(name, value);
  }

  // Positions of another grid in the model's; undefined for anything else.
  at::Tensor resized(
      const std::string& name,
      const at::Tensor& value,
      const at::Tensor& own) {
    const std::int64_t from = grid_side(value);
    const std::int64_t to = grid_side(own);
    if (name != kPositions || from == 0 || to == 0 ||
        value.size(2) != own.size(2)) {
      return {};
    }
    report_.resized.push_back(
        fmt::format("{0}: {1}x{1} -> {2}x{2}", name, from, to));
    return resample(value, from, to);
  }

  Tensors own_;
  Tensors given_;
  const LoadOptions& options_;
  std::vector<std::pair<std::string, at::Tensor>> copies_;
  std::vector<std::string> problems_;
  LoadReport report_;
};

void add_line(
    std::vector<std::string>& lines,
    const char* what,
    const std::vector<std::string>& items) {
  constexpr std::size_t kShown = 4;
  if (items.empty()) {
    return;
  }
  const std::vector<std::string> shown(
      items.begin(),
      items.begin() +
          static_cast<std::ptrdiff_t>(std::min(items.size(), kShown)));
  lines.push_back(fmt::format(
      "{}: {}{}",
      what,
      join(shown, ", "),
      items.size() > kShown ? fmt::format(" and {} more", items.size() - kShown)
                            : ""));
}

} // namespace

std::vector<std::string> LoadReport::lines() const {
  std::vector<std::string> lines;
  add_line(lines, "classifier not loaded, freshly initialised", fresh);
  add_line(lines, "resampled to the model's grid", resized);
  add_line(lines, "converted", converted);
  add_line(lines, "warning: NaN or Inf in", non_finite);
  return lines;
}

LoadReport load_weights(
    torch::nn::Module& module,
    const TensorFile& file,
    const LoadOptions& options,
    const std::string& source) {
  Loader loader(own_tensors(module), without_wrappers(file.tensors), options);
  loader.check(source);
  return loader.apply();
}

} // namespace vitrain::weights
