#include "models/families/byob.h"

#include <string>
#include <vector>

#include <ATen/ATen.h>

#include "networks/families/byob_blocks.h"
#include "networks/image_model.h"
#include "networks/layers/init.h"
#include "networks/networks.h"

namespace vitrain::networks {
namespace {

using models::ByobBlocks;
using models::ByobSpec;

constexpr double kByobHeadStd = 0.01;

// Convolutions "conv1", "conv2", ..., followed by an optional pooling.
class ByobStem : public torch::nn::Module {
 public:
  ByobStem(
      const ByobSpec& net,
      std::int64_t channels,
      const at::Generator& generator)
      : pool_(net.pool) {
    const std::int64_t width = net.stem_width;
    const bool tiered = net.stem == ByobSpec::Stem::kTiered;
    const std::vector<std::int64_t> widths = tiered
        ? std::vector<std::int64_t>{3 * width / 8, width / 2, width}
        : std::vector<std::int64_t>{width};
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const bool last = i > 0 && i + 1 == widths.size();
      const std::int64_t stride = i == 0 || (last && !pool_) ? 2 : 1;
      convs_.push_back(add_layer<ByobConv>(
          *this,
          "conv" + std::to_string(i + 1),
          padded_shape(channels, widths[i], tiered ? 3 : 7, stride),
          byob_activation(net),
          generator));
      channels = widths[i];
    }
  }

  at::Tensor operator()(at::Tensor x) const {
    for (const auto& conv : convs_) {
      x = (*conv)(x).trunk;
    }
    return pool_
        ? at::max_pool2d(x, /*kernel_size=*/3, /*stride=*/2, /*padding=*/1)
        : x;
  }

 private:
  bool pool_;
  std::vector<std::shared_ptr<ByobConv>> convs_;
};

class Byob : public ImageModel {
 public:
  Byob(const models::ModelSpec& spec, const at::Generator& generator)
      : ImageModel(spec), net_(spec.get<ByobSpec>()) {
    add_stem(generator);
    const std::int64_t width = add_stages(generator);
    const std::int64_t features = net_.features > 0 ? net_.features : width;
    if (net_.features > 0) {
      final_conv_ = add_layer<ByobConv>(
          *this,
          "final_conv",
          padded_shape(width, features),
          byob_activation(net_),
          generator);
    }
    const auto head = add_layer<torch::nn::Module>(*this, "head");
    fc_ = add_layer<Linear>(*head, "fc", features, spec.num_classes, generator);
    init_weights(generator);
  }

  at::Tensor logits(const at::Tensor& images, const at::Tensor& drop) override {
    Fork x = through_stem(images.contiguous(at::MemoryFormat::ChannelsLast));
    for (const auto& block : blocks_) {
      x = block->forward(x, drop);
    }
    const at::Tensor last =
        final_conv_ ? (*final_conv_)(x.trunk).trunk : x.trunk;
    // mean_over_pixels() is fast here: in channels_last, pixels are rows in
    // memory.
    return (*fc_)(mean_over_pixels(last));
  }

 private:
  void add_stem(const at::Generator& generator) {
    const std::int64_t channels = spec_.channels;
    switch (net_.stem) {
      case ByobSpec::Stem::kMobileOne:
        stem_block_ = register_module(
            "stem",
            make_byob_block(
                net_,
                {.kind = ByobBlocks::Kind::kMobileOne,
                 .width = static_cast<double>(net_.stem_width)},
                {.in = channels, .stride = 2},
                paths_,
                generator));
        break;
      case ByobSpec::Stem::k3x3:
        stem_conv_ = add_layer<ByobConv>(
            *this,
            "stem",
            padded_shape(channels, net_.stem_width, 3, 2),
            byob_activation(net_),
            generator);
        break;
      case ByobSpec::Stem::k7x7:
      case ByobSpec::Stem::kTiered:
        stem_ = add_layer<ByobStem>(*this, "stem", net_, channels, generator);
        break;
    }
  }

  Fork through_stem(const at::Tensor& images) const {
    if (stem_block_) {
      return stem_block_->forward({images, images}, {});
    }
    const at::Tensor x =
        stem_conv_ ? (*stem_conv_)(images).trunk : (*stem_)(images);
    return {x, x};
  }

  // Returns the width of the last stage.
  std::int64_t add_stages(const at::Generator& generator) {
    std::int64_t count = 0;
    for (const auto& stage : net_.stages) {
      for (const ByobBlocks& blocks : stage) {
        count += blocks.depth;
      }
    }
    const std::vector<double> rates = rising_rates(spec_.drop_path, count);
    const std::int64_t reduction = stem_ ? 4 : 2;
    ByobPlace place{
        .in = net_.stem_width,
        .size = {
            spec_.image_size.height / reduction,
            spec_.image_size.width / reduction}};
    const auto list = add_layer<torch::nn::Module>(*this, "stages");
    for (const auto& stage : net_.stages) {
      const auto blocks = add_layer<torch::nn::Module>(
          *list, std::to_string(list->children().size()));
      place.stride = stage.front().stride;
      for (const ByobBlocks& row : stage) {
        for (std::int64_t i = 0; i < row.depth; ++i) {
          place.drop_rate = rates[blocks_.size()];
          blocks_.push_back(
              make_byob_block(net_, row, place, paths_, generator));
          blocks->register_module(
              std::to_string(blocks->children().size()), blocks_.back());
          place.in = models::multiple_of_8(row.width);
          place.size = {
              place.size.height / place.stride,
              place.size.width / place.stride};
          place.stride = 1;
        }
      }
    }
    return place.in;
  }

  // Samples in timm's order: the layers in the order of registration, and a
  // block's own values after its layers.
  void init_weights(const at::Generator& generator) {
    init_layers(*this, generator);
    for (const auto& module : modules(/*include_self=*/false)) {
      if (auto* conv = module->as<Conv2d>()) {
        conv->use_channels_last();
      }
    }
  }

  static void init_layers(
      torch::nn::Module& part,
      const at::Generator& generator) {
    if (auto* conv = part.as<Conv2d>()) {
      normal_by_group_fan_out(*conv, generator);
    } else if (auto* linear = part.as<Linear>()) {
      normal(linear->weight, kByobHeadStd, generator);
      constant(linear->bias, 0.0);
    } else {
      for (const auto& child : part.children()) {
        init_layers(*child, generator);
      }
    }
    if (auto* block = dynamic_cast<ByobBlock*>(&part)) {
      block->init_weights(generator);
    }
  }

  ByobSpec net_;
  std::shared_ptr<ByobBlock> stem_block_;
  std::shared_ptr<ByobConv> stem_conv_;
  std::shared_ptr<ByobStem> stem_;
  std::vector<std::shared_ptr<ByobBlock>> blocks_;
  std::shared_ptr<ByobConv> final_conv_;
  std::shared_ptr<Linear> fc_;
};

} // namespace

const MakeNetwork make_byob = construct<Byob>;

} // namespace vitrain::networks
