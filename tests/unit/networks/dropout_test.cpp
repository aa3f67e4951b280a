#include <cmath>

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>

#include "models/resolve.h"
#include "networks/layers/layers.h"
#include "networks/model.h"

namespace vitrain::networks {
namespace {

at::Generator masks(std::uint64_t seed) {
  return at::detail::createCPUGenerator(seed);
}

at::Tensor
dropout(const at::Tensor& x, double rate, const at::Generator& generator) {
  return Dropout{rate, generator}(x);
}

TEST(Dropout, WithoutRateOrGeneratorIsTheSameTensor) {
  const at::Tensor x = at::ones({3});
  EXPECT_TRUE(dropout(x, 0.0, masks(1)).is_same(x));
  EXPECT_TRUE(dropout(x, 0.5, {}).is_same(x));
}

// bf16: 1 / (1 - rate) must not be rounded before it is multiplied.
TEST(Dropout, DropsAtItsRateAndScalesTheRest) {
  constexpr std::int64_t kCount = 200000;
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {
    for (const double rate : {0.1, 0.5, 0.9}) {
      const at::Tensor x = at::full({kCount}, 3.0, type);
      const at::Tensor y = dropout(x, rate, masks(5));
      ASSERT_EQ(y.scalar_type(), type);
      const double dropped = y.eq(0).to(at::kDouble).mean().item<double>();
      // Five standard errors of a Bernoulli mean.
      EXPECT_NEAR(dropped, rate, 5 * std::sqrt(rate * (1 - rate) / kCount));
      const at::Tensor kept = y.masked_select(y.ne(0));
      const at::Tensor scaled =
          at::full({}, 3.0F * static_cast<float>(1.0 / (1.0 - rate))).to(type);
      EXPECT_TRUE(kept.eq(scaled).all().item<bool>()) << kept[0];
    }
  }
}

TEST(Dropout, IsAFunctionOfTheGenerator) {
  const at::Tensor x = at::ones({1000});
  EXPECT_TRUE(at::equal(dropout(x, 0.3, masks(1)), dropout(x, 0.3, masks(1))));
  EXPECT_FALSE(at::equal(dropout(x, 0.3, masks(1)), dropout(x, 0.3, masks(2))));
}

TEST(Dropout, GradientsPassWhereValuesDo) {
  const at::Tensor x = at::ones({1000}).requires_grad_();
  const at::Tensor y = dropout(x, 0.25, masks(3));
  y.sum().backward();
  EXPECT_TRUE(at::equal(x.grad(), y.detach()));
}

TEST(Dropout, OfAttentionDropsWeightsAndKeepsTheMean) {
  const at::NoGradGuard no_grad;
  const at::Tensor query =
      at::linspace(-1, 1, 2 * 3 * 5 * 8).view({2, 3, 5, 8});
  const at::Tensor key = query.sin();
  // The identity as values makes the output the attention weights themselves.
  const at::Tensor value = at::eye(5).expand({2, 3, 5, 5});
  const at::Tensor exact = attention(query, key, value);
  const Dropout none{0.0, masks(1)};
  EXPECT_TRUE(
      at::allclose(attention_with_dropout(query, key, value, none), exact));
  at::Tensor sum = at::zeros_like(exact);
  constexpr int kDraws = 2000;
  const Dropout dropped{0.4, masks(1)};
  for (int i = 0; i < kDraws; ++i) {
    const at::Tensor drawn = attention_with_dropout(query, key, value, dropped);
    const at::Tensor whole = drawn.eq(0).logical_or(
        at::isclose(drawn, exact / 0.6, /*rtol=*/1e-5, /*atol=*/1e-6));
    ASSERT_TRUE(whole.all().item<bool>());
    sum.add_(drawn);
  }
  // A weight w has standard error w sqrt(0.4 / 0.6 / draws): 5 of them.
  const double error = 5 * std::sqrt(0.4 / 0.6 / kDraws);
  EXPECT_TRUE(at::allclose(sum / kDraws, exact, /*rtol=*/error, /*atol=*/1e-6));
}

std::shared_ptr<Model> vit(double rate, double attention_rate) {
  config::ModelConfig config;
  config.name = "vit_tiny_patch8_16";
  config.embed_dim = 16;
  config.num_heads = 2;
  config.depth = 2;
  config.dropout = rate;
  config.attention_dropout = attention_rate;
  return make_model(models::resolve(config, {3}), /*seed=*/1);
}

TEST(Dropout, OfAModelNeedsAGenerator) {
  const at::NoGradGuard no_grad;
  const at::Tensor images =
      at::linspace(-1, 1, 2 * 3 * 256).view({2, 3, 16, 16});
  const at::Tensor plain = vit(0.0, 0.0)->forward(images, {}, masks(1));
  for (const auto& [rate, attention_rate] :
       {std::pair(0.2, 0.0), std::pair(0.0, 0.2)}) {
    const auto model = vit(rate, attention_rate);
    EXPECT_TRUE(at::equal(model->forward(images, {}), plain));
    const at::Tensor dropped = model->forward(images, {}, masks(1));
    EXPECT_FALSE(at::equal(dropped, plain));
    EXPECT_TRUE(at::equal(model->forward(images, {}, masks(1)), dropped));
    EXPECT_FALSE(at::equal(model->forward(images, {}, masks(2)), dropped));
  }
}

} // namespace
} // namespace vitrain::networks
