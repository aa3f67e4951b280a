#include "dist/group/replicas.h"

#include <algorithm>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/ranges.h>

#include "core/check.h"
#include "dist/group/collectives.h"

namespace vitrain::dist {
namespace {

using Layout = std::map<std::string, std::string>; // name -> dtype and shape

Layout layout_of(const NamedTensors& tensors) {
  Layout layout;
  for (const auto& [name, tensor] : tensors) {
    layout[name] = fmt::format(
        "{} [{}]",
        c10::toString(tensor.scalar_type()),
        fmt::join(tensor.sizes(), ", "));
  }
  return layout;
}

void compare(const Layout& first, const Layout& other, std::size_t rank) {
  for (const auto& [name, shape] : first) {
    const auto found = other.find(name);
    VITRAIN_CHECK(
        found != other.end(),
        ExitCode::kInternal,
        "rank {} does not have the tensor '{}' that rank 0 has",
        rank,
        name);
    VITRAIN_CHECK(
        found->second == shape,
        ExitCode::kInternal,
        "tensor '{}' is {} on rank 0 and {} on rank {}",
        name,
        shape,
        found->second,
        rank);
  }
  for (const auto& [name, shape] : other) {
    VITRAIN_CHECK(
        first.contains(name),
        ExitCode::kInternal,
        "rank {} has a tensor '{}' that rank 0 does not have",
        rank,
        name);
  }
}

// Packs all floating-point tensors of `buffers` into one tensor, applies the
// collective `exchange` to it, and copies the result back. Does nothing in a
// group of one rank or without such tensors.
template <typename Exchange>
void together(Group& group, const NamedTensors& buffers, Exchange&& exchange) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> floating;
  for (const auto& [name, tensor] : buffers) {
    if (tensor.is_floating_point()) {
      floating.push_back(tensor.detach());
    }
  }
  if (floating.empty() || group.size() == 1) {
    return;
  }
  const at::Tensor all = at::flatten_dense_tensors(floating);
  exchange(all);
  const auto parts = at::unflatten_dense_tensors(all, floating);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    floating[i].copy_(parts[i]);
  }
}

} // namespace

void broadcast_state(Group& control, Group& data, const NamedTensors& tensors) {
  const std::vector<Layout> layouts = all_gather(control, layout_of(tensors));
  for (std::size_t rank = 1; rank < layouts.size(); ++rank) {
    compare(layouts[0], layouts[rank], rank);
  }
  const at::NoGradGuard no_grad;
  for (const auto& [name, tensor] : tensors) {
    at::Tensor contiguous = tensor.detach().contiguous();
    data.broadcast(contiguous);
    if (!contiguous.is_same(tensor) &&
        contiguous.data_ptr() != tensor.data_ptr()) {
      tensor.detach().copy_(contiguous);
    }
  }
}

void check_equal(
    Group& control,
    const std::vector<at::Tensor>& tensors,
    const std::string& when) {
  if (control.size() == 1) {
    return;
  }
  std::vector<std::int64_t> own;
  for (const at::Tensor& tensor : tensors) {
    const at::Tensor bits = tensor.detach().view(at::kInt);
    own.push_back(at::sum(bits, at::kLong).item<std::int64_t>());
  }
  const auto sums = all_gather(control, own);
  // What most ranks have is right.
  const auto usual = std::ranges::max_element(
      sums, {}, [&](const auto& sum) { return std::ranges::count(sums, sum); });
  std::vector<std::size_t> others;
  for (std::size_t rank = 0; rank < sums.size(); ++rank) {
    if (sums[rank] != *usual) {
      others.push_back(rank);
    }
  }
  VITRAIN_CHECK(
      others.empty(),
      ExitCode::kWorkerDied,
      "{} the parameters of rank {} differ from those of rank {} (checksums {} "
      "and {}): the replicas have come apart, which no recipe can cause. "
      "Suspect the memory or the driver of these devices",
      when,
      fmt::join(others, ", "),
      usual - sums.begin(),
      fmt::join(sums[others.empty() ? 0 : others[0]], " "),
      fmt::join(*usual, " "));
}

void average_buffers(Group& data, const NamedTensors& buffers) {
  together(data, buffers, [&](at::Tensor all) {
    data.all_reduce(all);
    all.div_(data.size());
  });
}

std::int64_t broadcast_buffers(Group& data, const NamedTensors& buffers) {
  std::int64_t bytes = 0;
  together(data, buffers, [&](at::Tensor all) {
    data.broadcast(all);
    bytes = static_cast<std::int64_t>(all.nbytes());
  });
  return bytes;
}

} // namespace vitrain::dist
