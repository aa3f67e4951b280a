#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include "dist/sync/bucket_exchange.h"

namespace vitrain::dist {

using Shapes = std::map<std::string, std::vector<std::int64_t>>;

// A bucket of gradients and its exchange, on one rank.
struct Trial {
  Trial(const Shapes& shapes, const PowerSgdOptions& options) : Trial(shapes) {
    exchange = make_power_sgd(gradients, parts, options);
  }
  Trial(const Shapes& shapes, const TopKOptions& options) : Trial(shapes) {
    exchange = make_top_k(gradients, parts, options);
  }
  explicit Trial(const Shapes& shapes) {
    std::int64_t size = 0;
    for (const auto& [name, shape] : shapes) {
      size += c10::multiply_integers(shape) + 1; // with a gap
    }
    gradients = at::zeros({size});
    std::int64_t offset = 0;
    for (const auto& [name, shape] : shapes) {
      const std::int64_t numel = c10::multiply_integers(shape);
      parts.push_back({name, gradients.narrow(0, offset, numel).view(shape)});
      offset += numel + 1;
    }
  }

  at::Tensor& gradient(const std::string& name) {
    for (BucketPart& part : parts) {
      if (part.name == name) {
        return part.gradient;
      }
    }
    throw std::out_of_range(name);
  }

  // The gradients have been written; afterwards they are the sums.
  void reduce(Group& group, std::int64_t step) {
    exchange->begin(step);
    exchange->launch(group);
    exchange->advance(group);
    exchange->complete(group);
  }

  at::Tensor gradients;
  std::vector<BucketPart> parts;
  std::unique_ptr<BucketExchange> exchange;
};

inline at::Tensor random(
    const std::vector<std::int64_t>& shape,
    std::uint64_t seed) {
  return at::randn(shape, at::make_generator<at::CPUGeneratorImpl>(seed));
}

} // namespace vitrain::dist
