#include "models/families/mae.h"

#include <array>
#include <vector>

#include <ATen/ATen.h>
#include <torch/nn/modules/container/modulelist.h>

#include "core/check.h"
#include "networks/families/vit.h"
#include "networks/layers/init.h"
#include "networks/layers/recompute.h"
#include "networks/model.h"
#include "networks/networks.h"

namespace vitrain::networks {
namespace {

using models::MaeSpec;
using models::VitSpec;

constexpr double kInitStd = 0.02; // of the class token and the mask token
constexpr double kPixelEps = 1e-6; // added to the variance of a patch

// Returns sines, then cosines, of positions [P] with frequencies from 1 down to
// almost 1/10000 (Vaswani et al., "Attention is all you need", NeurIPS 2017):
// [P, width].
at::Tensor waves(const at::Tensor& places, std::int64_t width) {
  const std::int64_t count = width / 2;
  const at::Tensor frequencies =
      at::pow(10000.0, at::arange(count, places.options()) / count)
          .reciprocal();
  const at::Tensor angles = at::outer(places, frequencies);
  return at::cat({angles.sin(), angles.cos()}, 1);
}

// Returns fixed position embeddings [1, 1 + rows * columns, width]: zeros for
// the class token, then the grid, row by row. The first half of the width
// encodes the column, as in the authors' published weights (their
// util/pos_embed.py).
at::Tensor fixed_positions(
    std::int64_t rows,
    std::int64_t columns,
    std::int64_t width,
    bool meta) {
  if (meta) {
    return at::empty({1, 1 + rows * columns, width}, at::device(at::kMeta));
  }
  const at::Tensor x = at::arange(columns, at::kDouble).repeat({rows});
  const at::Tensor y = at::arange(rows, at::kDouble).repeat_interleave(columns);
  const at::Tensor grid =
      at::cat({waves(x, width / 2), waves(y, width / 2)}, 1);
  return at::cat({at::zeros({1, width}, at::kDouble), grid}, 0)
      .unsqueeze(0)
      .to(at::kFloat);
}

// Gathers the tokens of x [N, T, D] at `index` [N, K]: [N, K, D].
at::Tensor pick(const at::Tensor& x, const at::Tensor& index) {
  return x.gather(1, index.unsqueeze(2).expand({-1, -1, x.size(2)}));
}

class Mae : public Model {
 public:
  Mae(const models::ModelSpec& spec, const at::Generator& generator)
      : spec_(spec),
        mae_(spec.get<MaeSpec>()),
        rows_(spec.image_size.height / mae_.encoder.patch_size),
        columns_(spec.image_size.width / mae_.encoder.patch_size) {
    const VitSpec& encoder = mae_.encoder;
    const VitSpec& decoder = mae_.decoder;
    const std::int64_t pixels =
        encoder.patch_size * encoder.patch_size * spec.channels;
    patch_embed_ = add_layer<PatchEmbed>(
        *this,
        "patch_embed",
        spec.channels,
        encoder.patch_size,
        encoder.embed_dim,
        generator);
    cls_token_ = add_token("cls_token", encoder, generator);
    pos_embed_ = add_positions("pos_embed", encoder, generator);
    blocks_ = add_blocks("blocks", encoder, generator);
    norm_ = add_layer<LayerNorm>(
        *this, "norm", encoder.embed_dim, encoder.norm_eps);
    decoder_embed_ = add_layer<Linear>(
        *this,
        "decoder_embed",
        encoder.embed_dim,
        decoder.embed_dim,
        generator);
    mask_token_ = add_token("mask_token", decoder, generator);
    decoder_pos_embed_ = add_positions("decoder_pos_embed", decoder, generator);
    decoder_blocks_ = add_blocks("decoder_blocks", decoder, generator);
    decoder_norm_ = add_layer<LayerNorm>(
        *this, "decoder_norm", decoder.embed_dim, decoder.norm_eps);
    decoder_pred_ = add_layer<Linear>(
        *this, "decoder_pred", decoder.embed_dim, pixels, generator);
    init_weights(generator);
  }

  // Returns the mean squared error over the hidden patches of each image: [N].
  at::Tensor forward(
      const at::Tensor& images,
      const at::Tensor& drop,
      const at::Generator& /*dropout*/) override {
    check_images(images, spec_);
    const at::Tensor order = order_of(images, drop);
    const std::int64_t seen = mae_.seen(patches());
    const at::Tensor hidden = order.narrow(1, seen, patches() - seen);
    const at::Tensor given =
        decode(encode(images, order.narrow(1, 0, seen)), order);
    const at::Tensor wanted = targets(images, hidden);
    return (given.to(wanted.scalar_type()) - wanted)
        .square()
        .flatten(1)
        .mean(1);
  }

  std::int64_t masked_patches() const override { return patches(); }

 private:
  std::int64_t patches() const { return rows_ * columns_; }

  at::Tensor add_token(
      const char* name,
      const VitSpec& net,
      const at::Generator& generator) {
    return register_parameter(
        name, new_weights({1, 1, net.embed_dim}, generator));
  }

  // Registers fixed position embeddings as a buffer: they are not trained.
  at::Tensor add_positions(
      const char* name,
      const VitSpec& net,
      const at::Generator& generator) {
    return register_buffer(
        name,
        fixed_positions(
            rows_, columns_, net.embed_dim, /*meta=*/!generator.defined()));
  }

  std::vector<std::shared_ptr<VitBlock>> add_blocks(
      const char* name,
      const VitSpec& net,
      const at::Generator& generator) {
    const auto list = add_layer<torch::nn::ModuleListImpl>(*this, name);
    std::vector<std::shared_ptr<VitBlock>> blocks;
    for (std::int64_t i = 0; i < net.depth; ++i) {
      blocks.push_back(append_layer<VitBlock>(*list, net, i, generator));
    }
    return blocks;
  }

  // Returns the patches of each image in ascending order of `drop` [L, N],
  // visible ones first: [N, L]. Without `drop` they keep their order.
  at::Tensor order_of(const at::Tensor& images, const at::Tensor& drop) const {
    if (!drop.defined()) {
      return at::arange(patches(), images.options().dtype(at::kLong))
          .expand({images.size(0), -1});
    }
    VITRAIN_CHECK(
        drop.dim() == 2 && drop.size(0) == patches() &&
            drop.size(1) == images.size(0),
        ExitCode::kInternal,
        "masks of another shape than [{}, {}]",
        patches(),
        images.size(0));
    return at::argsort(
        drop.t(), /*stable=*/true, /*dim=*/1, /*descending=*/false);
  }

  // Encodes the visible patches: [N * (1 + seen), D], the class token first.
  at::Tensor encode(const at::Tensor& images, const at::Tensor& seen) const {
    const std::int64_t count = images.size(0);
    const at::Tensor embedded =
        patch_embed_->forward(images) + pos_embed_.narrow(1, 1, patches());
    const at::Tensor token = cls_token_ + pos_embed_.narrow(1, 0, 1);
    const std::array<at::Tensor, 2> tokens{
        token.expand({count, -1, -1}), pick(embedded, seen)};
    at::Tensor x = at::cat(tokens, 1).view({-1, mae_.encoder.embed_dim});
    x = run_blocks(x, {}, blocks_, count, VitDrops(), kAllTokens);
    return (*norm_)(x);
  }

  // Predicts the pixels of the hidden patches: [N, hidden, patch * patch *
  // channels]. Tokens keep their random order: attention identifies them by
  // their position embeddings, so that no unshuffling is needed.
  at::Tensor decode(const at::Tensor& latent, const at::Tensor& order) const {
    const std::int64_t count = order.size(0);
    const std::int64_t width = mae_.decoder.embed_dim;
    const at::Tensor known = (*decoder_embed_)(latent).view({count, -1, width});
    const std::int64_t hidden = 1 + patches() - known.size(1);
    const auto all = [&](const at::Tensor& x) {
      return x.expand({count, -1, -1});
    };
    const at::Tensor places =
        pick(all(decoder_pos_embed_.narrow(1, 1, patches())), order);
    const std::array<at::Tensor, 2> tokens{
        known, mask_token_.expand({count, hidden, -1})};
    const std::array<at::Tensor, 2> positions{
        all(decoder_pos_embed_.narrow(1, 0, 1)), places};
    at::Tensor x =
        (at::cat(tokens, 1) + at::cat(positions, 1)).view({-1, width});
    x = run_blocks(x, {}, decoder_blocks_, count, VitDrops(), kAllTokens);
    const at::Tensor masked =
        x.view({count, -1, width}).narrow(1, known.size(1), hidden);
    return (*decoder_pred_)((*decoder_norm_)(masked));
  }

  // Returns the pixels of the hidden patches [N, K], each patch normalised if
  // the recipe asks for that (section 3 of the paper): [N, K, patch * patch *
  // channels], channels innermost.
  at::Tensor targets(const at::Tensor& images, const at::Tensor& hidden) const {
    const std::int64_t patch = mae_.encoder.patch_size;
    const at::Tensor all =
        images.view({-1, spec_.channels, rows_, patch, columns_, patch})
            .permute({0, 2, 4, 3, 5, 1})
            .reshape({images.size(0), patches(), -1});
    const at::Tensor pixels = pick(all, hidden);
    if (!mae_.norm_pix_loss) {
      return pixels;
    }
    const at::Tensor centred = pixels - pixels.mean(2, /*keepdim=*/true);
    const at::Tensor variance = centred.square().sum(2, /*keepdim=*/true) /
        static_cast<double>(pixels.size(2) - 1);
    return centred / (variance + kPixelEps).sqrt();
  }

  // Samples weights in the authors' order (models_mae.py): the patch embedding
  // as a linear layer, the tokens, then every linear layer.
  void init_weights(const at::Generator& generator) {
    if (!generator.defined()) {
      return;
    }
    xavier_uniform(patch_embed_->proj().weight.detach().flatten(1), generator);
    normal(cls_token_, kInitStd, generator);
    normal(mask_token_, kInitStd, generator);
    for (const auto& module : modules(/*include_self=*/false)) {
      if (auto* linear = module->as<Linear>()) {
        xavier_uniform(linear->weight, generator);
        constant(linear->bias, 0.0);
      }
    }
  }

  models::ModelSpec spec_;
  MaeSpec mae_;
  std::int64_t rows_; // rows of the patch grid
  std::int64_t columns_;
  std::shared_ptr<PatchEmbed> patch_embed_;
  at::Tensor cls_token_; // [1, 1, D]
  at::Tensor pos_embed_; // [1, 1 + L, D], buffer
  std::vector<std::shared_ptr<VitBlock>> blocks_;
  std::shared_ptr<LayerNorm> norm_;
  std::shared_ptr<Linear> decoder_embed_;
  at::Tensor mask_token_; // [1, 1, decoder's D]
  at::Tensor decoder_pos_embed_; // [1, 1 + L, decoder's D], buffer
  std::vector<std::shared_ptr<VitBlock>> decoder_blocks_;
  std::shared_ptr<LayerNorm> decoder_norm_;
  std::shared_ptr<Linear> decoder_pred_;
};

} // namespace

const MakeNetwork make_mae = construct<Mae>;

} // namespace vitrain::networks
