#include "engine/state/named_state.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace vitrain::engine {
namespace {

// Values were copied up to the first tensor that did not fit.
TEST(NamedState, AnErrorLeavesTheModelAsItWas) {
  torch::nn::Module module;
  const at::Tensor first =
      module.register_parameter("a", at::zeros({2}), /*requires_grad=*/false);
  module.register_buffer("b", at::zeros({3}));
  for (const auto& bad : std::vector<std::map<std::string, at::Tensor>>{
           {{"a", at::ones({2})}, {"b", at::ones({4})}},
           {{"a", at::ones({2})}},
           {{"a", at::ones({2})},
            {"b", at::ones({3})},
            {"c", at::ones({1})}}}) {
    EXPECT_THROW(load_named_state(module, bad), Error);
    EXPECT_TRUE(at::equal(first, at::zeros({2})));
  }
  load_named_state(module, {{"a", at::ones({2})}, {"b", at::ones({3})}});
  EXPECT_TRUE(at::equal(first, at::ones({2})));
}

} // namespace
} // namespace vitrain::engine
