#include "models/families/cait.h"

#include <cmath>
#include <utility>
#include <vector>

#include <ATen/ATen.h>

#include "networks/image_model.h"
#include "networks/layers/blocks.h"
#include "networks/layers/init.h"
#include "networks/layers/layers.h"
#include "networks/layers/recompute.h"
#include "networks/networks.h"

// Tokens are [N, T, C].
namespace vitrain::networks {
namespace {

using models::CaitSpec;

constexpr double kCaitNormEps = 1e-6;
constexpr double kCaitInitStd = 0.02;

// Talking heads: attention that mixes its heads before and after the softmax
// (Shazeer et al., "Talking-heads attention", 2020).
class TalkingHeads : public torch::nn::Module {
 public:
  TalkingHeads(
      std::int64_t width,
      std::int64_t heads,
      const at::Generator& generator)
      : heads_(heads),
        qkv_(add_layer<Linear>(*this, "qkv", width, 3 * width, generator)),
        proj_(add_layer<Linear>(*this, "proj", width, width, generator)),
        proj_l_(add_layer<Linear>(*this, "proj_l", heads, heads, generator)),
        proj_w_(add_layer<Linear>(*this, "proj_w", heads, heads, generator)) {}

  // [N, T, C] -> [N, T, C]
  at::Tensor operator()(const at::Tensor& x) const {
    const auto parts = split_parts((*qkv_)(x), 3, heads_);
    const double scale = 1.0 / std::sqrt(static_cast<double>(parts[0].size(3)));
    const at::Tensor scores =
        at::matmul(parts[0] * scale, parts[1].transpose(-2, -1));
    const at::Tensor weights = at::softmax(mixed(scores, *proj_l_), /*dim=*/-1)
                                   .to(parts[2].scalar_type());
    return (*proj_)(at::matmul(mixed(weights, *proj_w_), parts[2])
                        .transpose(1, 2)
                        .reshape(x.sizes()));
  }

 private:
  // Applies the linear layer `by` to the head dimension of x [N, heads, T, T],
  // as a matrix product from the left, without transposing x.
  at::Tensor mixed(const at::Tensor& x, const Linear& by) const {
    return by.over_tokens(x.flatten(2)).view(x.sizes());
  }

  std::int64_t heads_;
  std::shared_ptr<Linear> qkv_;
  std::shared_ptr<Linear> proj_;
  std::shared_ptr<Linear> proj_l_;
  std::shared_ptr<Linear> proj_w_;
};

class Cait : public ImageModel {
 public:
  Cait(const models::ModelSpec& spec, const at::Generator& generator)
      : ImageModel(spec) {
    const auto& net = spec.get<CaitSpec>();
    const std::int64_t width = net.embed_dim;
    const std::int64_t patches = models::patch_grid<CaitSpec>(spec).area();
    cls_token_ =
        register_parameter("cls_token", new_weights({1, 1, width}, generator));
    pos_embed_ = register_parameter(
        "pos_embed", new_weights({1, patches, width}, generator));
    patch_embed_ = add_layer<PatchEmbed>(
        *this, "patch_embed", spec.channels, net.patch_size, width, generator);
    add_equal_blocks<CaitSpec>(
        "blocks", blocks_, net.depth, spec.drop_path, generator);
    add_equal_blocks<CaitSpec>(
        "blocks_token_only", class_blocks_, net.class_depth, 0.0, generator);
    norm_ = add_layer<LayerNorm>(*this, "norm", width, kCaitNormEps);
    head_ =
        add_layer<Linear>(*this, "head", width, spec.num_classes, generator);
    init_weights(generator);
  }

  at::Tensor logits(const at::Tensor& images, const at::Tensor& drop) override {
    at::Tensor x = patch_embed_->forward(images) + pos_embed_;
    for (const auto& block : blocks_) {
      x = run_block(x, {}, [block, drop](const at::Tensor& in) {
        return block->forward(in, in, drop);
      });
    }
    at::Tensor token = cls_token_.expand({images.size(0), -1, -1});
    for (const auto& block : class_blocks_) {
      token = block->forward(token, at::cat({token, x}, 1), drop);
    }
    return (*head_)((*norm_)(token.select(1, 0)));
  }

 private:
  // Samples the weights in timm's order.
  void init_weights(const at::Generator& generator) {
    truncated_normal(pos_embed_, kCaitInitStd, generator);
    truncated_normal(cls_token_, kCaitInitStd, generator);
    init_linear_layers(*this, kCaitInitStd, generator);
  }

  at::Tensor cls_token_; // [1, 1, C]
  at::Tensor pos_embed_; // [1, patches, C]
  std::shared_ptr<PatchEmbed> patch_embed_;
  std::vector<std::shared_ptr<ScaledBlock<TalkingHeads>>> blocks_;
  std::vector<std::shared_ptr<ScaledBlock<ClassAttention>>> class_blocks_;
  std::shared_ptr<LayerNorm> norm_;
  std::shared_ptr<Linear> head_;
};

} // namespace

const MakeNetwork make_cait = construct<Cait>;

} // namespace vitrain::networks
