#include "models/families/efficientnet.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <torch/nn/modules/container/modulelist.h>

#include "networks/image_model.h"
#include "networks/layers/blocks.h"
#include "networks/layers/init.h"
#include "networks/layers/layers.h"
#include "networks/layers/norm_relu.h"
#include "networks/layers/squeeze_excite.h"
#include "networks/networks.h"

namespace vitrain::networks {
namespace {

using Spec = models::EfficientNetSpec;

Nonlinearity nonlinearity(Spec::Activation activation) {
  switch (activation) {
    case Spec::Activation::kRelu:
      return Nonlinearity::kRelu;
    case Spec::Activation::kRelu6:
      return Nonlinearity::kRelu6;
    case Spec::Activation::kSilu:
      return Nonlinearity::kSilu;
    case Spec::Activation::kHardSwish:
      return Nonlinearity::kHardSwish;
    case Spec::Activation::kGelu:
      return Nonlinearity::kGelu;
  }
  return Nonlinearity::kNone;
}

// A padded convolution, which keeps the size at stride 1.
class PaddedConv {
 public:
  // `same`: TensorFlow's "SAME" padding.
  PaddedConv(
      torch::nn::Module& owner,
      const std::string& name,
      Conv2d::Shape shape,
      bool same,
      const at::Generator& generator)
      : pads_(same && shape.stride > 1),
        kernel_(shape.kernel),
        stride_(shape.stride) {
    shape.padding = pads_ ? 0 : shape.padding;
    conv_ = add_layer<Conv2d>(owner, name, shape, generator);
  }

  at::Tensor operator()(const at::Tensor& x) const {
    return (*conv_)(pads_ ? padded(x) : x);
  }

 private:
  // Applies TensorFlow's "SAME" padding, for ceil(side / stride) outputs per
  // side; if the number of zeros is odd, the extra one is at the end.
  at::Tensor padded(const at::Tensor& x) const {
    const auto zeros = [&](std::int64_t side) {
      const std::int64_t results = (side + stride_ - 1) / stride_;
      return std::max<std::int64_t>(
          (results - 1) * stride_ + kernel_ - side, 0);
    };
    const std::int64_t rows = zeros(x.size(2));
    const std::int64_t columns = zeros(x.size(3));
    return at::constant_pad_nd(
        x, {columns / 2, columns - columns / 2, rows / 2, rows - rows / 2});
  }

  bool pads_;
  std::int64_t kernel_;
  std::int64_t stride_;
  std::shared_ptr<Conv2d> conv_;
};

// Splits channels into equal parts; the first one has the remainder.
std::vector<std::int64_t> split_evenly(
    std::int64_t channels,
    std::size_t parts) {
  const auto count = static_cast<std::int64_t>(parts);
  std::vector<std::int64_t> sizes(parts, channels / count);
  sizes.front() += channels % count;
  return sizes;
}

// A padded convolution, a BatchNorm and an optional nonlinearity. The first two
// are registered in `owner`.
class ConvNorm {
 public:
  struct Shape {
    std::int64_t in = 0;
    std::int64_t out = 0;
    std::int64_t kernel = 1;
    std::int64_t stride = 1;
    std::int64_t groups = 1;
    bool average = false; // average pooling at the end instead of the stride
    // Kernels of convolutions of parts of the channels, which replace `kernel`;
    // one or none: all channels are one part.
    std::vector<std::int64_t> kernels{};
  };
  struct Names {
    std::string conv = "conv";
    std::string norm = "bn";
  };

  ConvNorm(
      torch::nn::Module& owner,
      const Names& names,
      const Shape& shape,
      Nonlinearity after,
      const Spec& net,
      const at::Generator& generator)
      : shape_(shape),
        pools_(shape.average && shape.stride > 1),
        after_(after) {
    const std::int64_t stride = pools_ ? 1 : shape.stride;
    const std::size_t parts = shape.kernels.size();
    if (parts <= 1) {
      add(owner,
          names.conv,
          padded_shape(shape.in, shape.out, shape.kernel, stride, shape.groups),
          net,
          generator);
    } else {
      const auto mixed = add_layer<torch::nn::Module>(owner, names.conv);
      inputs_ = split_evenly(shape.in, parts);
      const auto outputs = split_evenly(shape.out, parts);
      for (std::size_t i = 0; i < parts; ++i) {
        add(*mixed,
            std::to_string(i),
            padded_shape(
                inputs_[i],
                outputs[i],
                shape.kernels[i],
                stride,
                shape.groups > 1 ? inputs_[i] : 1),
            net,
            generator);
      }
    }
    norm_ = add_layer<BatchNorm2d>(owner, names.norm, shape.out, net.norm_eps);
  }

  Nonlinearity after() const { return after_; }

  Fork operator()(const at::Tensor& x, const at::Tensor& residual = {}) const {
    const Fork y = norm_act(*norm_, convolved(x), after_, residual);
    if (!pools_) {
      return y;
    }
    const at::Tensor pooled = at::avg_pool2d(y.trunk, shape_.stride);
    return {pooled, pooled};
  }

 private:
  void add(
      torch::nn::Module& owner,
      const std::string& name,
      const Conv2d::Shape& shape,
      const Spec& net,
      const at::Generator& generator) {
    convs_.emplace_back(owner, name, shape, net.same_padding, generator);
  }

  at::Tensor convolved(const at::Tensor& x) const {
    if (convs_.size() == 1) {
      return convs_.front()(x);
    }
    const std::vector<at::Tensor> parts = x.split_with_sizes(inputs_, 1);
    std::vector<at::Tensor> outputs;
    for (std::size_t i = 0; i < convs_.size(); ++i) {
      outputs.push_back(convs_[i](parts[i]));
    }
    return at::cat(outputs, /*dim=*/1);
  }

  Shape shape_;
  bool pools_;
  Nonlinearity after_;
  std::vector<PaddedConv> convs_; // of all channels, or one for each part
  std::vector<std::int64_t> inputs_; // input channels of each part
  std::shared_ptr<BatchNorm2d> norm_;
};

// Block with an optional skip connection and LayerScale.
class MobileBlock : public torch::nn::Module {
 public:
  MobileBlock(const Spec& net, const Spec::Block& block)
      : net_(net), block_(block) {}

  // True if the block's input is added to its output, so that stochastic depth
  // can drop the block.
  bool has_skip() const { return block_.skip; }
  void set_row(std::int64_t row) { row_ = row; }

  virtual Fork forward(const Fork& x, const at::Tensor& drop) const = 0;
  // Samples weights that have another distribution than the network's.
  virtual void init_weights(const at::Generator& /*generator*/) {}

 protected:
  // Registers the LayerScale, if the network has one. Called at the end of
  // constructors, because it is the block's last layer.
  void add_scale(const at::Generator& generator) {
    if (net_.layer_scale > 0.0) {
      const auto layer = add_layer<torch::nn::Module>(*this, "layer_scale");
      scale_ = add_constant(
          *layer, "gamma", {block_.out}, net_.layer_scale, generator);
    }
  }
  bool has_scale() const { return scale_.defined(); }

  // Scales the branch and adds the skip connection.
  Fork close(const Fork& x, const at::Tensor& branch, const at::Tensor& drop)
      const {
    const at::Tensor scale =
        has_scale() ? scale_.view({-1, 1, 1}) : at::Tensor();
    at::Tensor y = branch;
    if (has_skip()) {
      y = add_branch(x.branch, branch, drop, row_, scale);
    } else if (has_scale()) {
      y = branch * scale;
    }
    return {y, y};
  }

  Spec net_;
  Spec::Block block_;

 private:
  std::int64_t row_ = 0; // row of drop factors
  at::Tensor scale_;
};

// Block of convolutions with BatchNorm, and optional squeeze-excitation before
// the last one.
class ConvBlock : public MobileBlock {
 public:
  ConvBlock(
      const Spec& net,
      const Spec::Block& block,
      const at::Generator& generator)
      : MobileBlock(net, block), after_(nonlinearity(block.activation)) {
    using enum Spec::Block::Kind;
    const std::int64_t in = block.in;
    const std::int64_t hidden = block.hidden;
    const std::int64_t out = block.out;
    const std::int64_t kernel = block.kernel;
    const std::int64_t stride = block.stride;
    const ConvNorm::Shape depthwise{
        .in = hidden,
        .out = hidden,
        .kernel = kernel,
        .stride = stride,
        .groups = hidden,
        .average = net.average_down,
        .kernels = block.kernels};
    switch (block.kind) {
      case kPlain:
        add("conv", {in, out, kernel, stride}, after_, generator);
        break;
      case kSeparable:
        add("conv_dw", depthwise, after_, generator);
        squeeze(generator);
        add("conv_pw", {in, out}, last(), generator);
        break;
      case kInverted:
        add("conv_pw",
            parts(in, hidden, block.expand_parts),
            after_,
            generator);
        add("conv_dw", depthwise, after_, generator);
        squeeze(generator);
        add("conv_pwl",
            parts(hidden, out, block.project_parts),
            last(),
            generator);
        break;
      case kFused:
        add("conv_exp",
            {in,
             hidden,
             kernel,
             stride,
             block.group > 0 ? hidden / block.group : 1,
             net.average_down},
            after_,
            generator);
        squeeze(generator);
        add("conv_pwl", {hidden, out}, last(), generator);
        break;
      case kUniversal:
        add_universal(depthwise, generator);
        break;
      case kQueryAttention:
        break;
    }
  }

  Fork forward(const Fork& x, const at::Tensor& drop) const override {
    at::Tensor y = x.trunk;
    for (std::size_t i = 0; i + 1 < convs_.size(); ++i) {
      y = convs_[i](y).trunk;
    }
    y = squeeze_ ? (*squeeze_)(y) : y;
    const ConvNorm& end = convs_.back();
    if (!has_scale() && !has_skip()) {
      return end(y);
    }
    if (!has_scale() && !drop.defined() && end.after() == Nonlinearity::kNone) {
      return end(y, x.branch);
    }
    return close(x, end(y).trunk, drop);
  }

 private:
  // Returns the shape of 1x1 convolutions of parts of the channels.
  static ConvNorm::Shape
  parts(std::int64_t in, std::int64_t out, std::size_t count) {
    return {
        .in = in, .out = out, .kernels = std::vector<std::int64_t>(count, 1)};
  }

  Nonlinearity last() const {
    return block_.activates_output ? after_ : Nonlinearity::kNone;
  }

  void add(
      const std::string& name,
      const ConvNorm::Shape& shape,
      Nonlinearity after,
      const at::Generator& generator) {
    const std::string norm = "bn" + std::to_string(convs_.size() + 1);
    convs_.emplace_back(
        *this, ConvNorm::Names{name, norm}, shape, after, net_, generator);
  }

  void add_part(
      const std::string& name,
      const ConvNorm::Shape& shape,
      Nonlinearity after,
      const at::Generator& generator) {
    const auto part = add_layer<torch::nn::Module>(*this, name);
    convs_.emplace_back(
        *part, ConvNorm::Names{}, shape, after, net_, generator);
  }

  void add_universal(
      const ConvNorm::Shape& depthwise,
      const at::Generator& generator) {
    const std::int64_t in = block_.in;
    const bool has_middle = block_.kernel > 0;
    if (block_.first_kernel > 0) {
      add_part(
          "dw_start",
          {in, in, block_.first_kernel, has_middle ? 1 : block_.stride, in},
          Nonlinearity::kNone,
          generator);
    }
    add_part("pw_exp", {in, block_.hidden}, after_, generator);
    if (has_middle) {
      add_part("dw_mid", depthwise, after_, generator);
    }
    add_part("pw_proj", {block_.hidden, block_.out}, last(), generator);
    add_scale(generator);
  }

  void squeeze(const at::Generator& generator) {
    if (block_.squeezed > 0) {
      squeeze_ = add_layer<SqueezeExcite>(
          *this,
          "se",
          block_.hidden,
          block_.squeezed,
          net_.relu_squeeze ? Nonlinearity::kRelu : after_,
          generator,
          "conv_reduce",
          "conv_expand",
          net_.hard_gate ? Gate::kHardSigmoid : Gate::kSigmoid);
    }
  }

  Nonlinearity after_;
  std::vector<ConvNorm> convs_;
  std::shared_ptr<SqueezeExcite> squeeze_;
};

// Attention over pixels whose heads share keys and values. These can be those
// of a smaller image: the result of a depthwise convolution with a stride.
class QueryAttention : public MobileBlock {
 public:
  QueryAttention(
      const Spec& net,
      const Spec::Block& block,
      const at::Generator& generator)
      : MobileBlock(net, block) {
    norm_ = add_layer<BatchNorm2d>(*this, "norm", block.in, net.norm_eps);
    const auto owner = add_layer<torch::nn::Module>(*this, "attn");
    const std::int64_t queries = block.heads * block.head_width;
    query_ = Projection(*owner, "query", net, block, queries, 1, generator);
    const std::int64_t stride = block.key_stride;
    key_ = Projection(
        *owner, "key", net, block, block.head_width, stride, generator);
    value_ = Projection(
        *owner, "value", net, block, block.head_width, stride, generator);
    const auto output = add_layer<torch::nn::Module>(*owner, "output");
    output_ = add_layer<Conv2d>(
        *output,
        "proj",
        Conv2d::Shape{.in = queries, .out = block.out},
        generator);
    // timm samples these weights here and, again, at the end.
    QueryAttention::init_weights(generator);
    add_scale(generator);
  }

  Fork forward(const Fork& x, const at::Tensor& drop) const override {
    const at::Tensor y = norm_only(*norm_, x.trunk);
    const std::int64_t width = block_.head_width;
    // One head with the queries of all heads of all pixels: [N, 1, HW * heads,
    // d].
    const auto tokens = [&](const Projection& projection) {
      return projection(y)
          .permute({0, 2, 3, 1})
          .reshape({y.size(0), 1, -1, width});
    };
    const at::Tensor seen =
        attention(tokens(query_), tokens(key_), tokens(value_))
            .reshape({y.size(0), y.size(2), y.size(3), block_.heads * width})
            .permute({0, 3, 1, 2});
    return close(x, (*output_)(seen), drop);
  }

  void init_weights(const at::Generator& generator) override {
    for (const Projection* projection : {&query_, &key_, &value_}) {
      xavier_uniform(projection->proj->weight, generator);
    }
    for (const Projection* projection : {&key_, &value_}) {
      if (projection->down) {
        xavier_uniform(projection->down->weight, generator);
      }
    }
    xavier_uniform(output_->weight, generator);
  }

 private:
  // A 1x1 convolution, after a depthwise one with BatchNorm if stride > 1.
  struct Projection {
    Projection() = default;
    Projection(
        torch::nn::Module& owner,
        const char* name,
        const Spec& net,
        const Spec::Block& block,
        std::int64_t out,
        std::int64_t stride,
        const at::Generator& generator) {
      const auto part = add_layer<torch::nn::Module>(owner, name);
      if (stride > 1) {
        down = add_layer<Conv2d>(
            *part,
            "down_conv",
            padded_shape(block.in, block.in, block.kernel, stride, block.in),
            generator);
        norm = add_layer<BatchNorm2d>(*part, "norm", block.in, net.norm_eps);
      }
      proj = add_layer<Conv2d>(
          *part, "proj", Conv2d::Shape{.in = block.in, .out = out}, generator);
    }

    at::Tensor operator()(const at::Tensor& x) const {
      return (*proj)(down ? norm_only(*norm, (*down)(x)) : x);
    }

    std::shared_ptr<Conv2d> down;
    std::shared_ptr<BatchNorm2d> norm;
    std::shared_ptr<Conv2d> proj;
  };

  std::shared_ptr<BatchNorm2d> norm_;
  Projection query_;
  Projection key_;
  Projection value_;
  std::shared_ptr<Conv2d> output_;
};

class EfficientNet : public ImageModel {
 public:
  EfficientNet(const models::ModelSpec& spec, const at::Generator& generator)
      : ImageModel(spec),
        head_(spec.get<Spec>().head),
        after_(nonlinearity(spec.get<Spec>().activation)) {
    const auto& net = spec.get<Spec>();
    stem_.emplace(
        *this,
        ConvNorm::Names{"conv_stem", "bn1"},
        ConvNorm::Shape{spec.channels, net.stem, net.stem_kernel, 2},
        after_,
        net,
        generator);
    // timm's builder creates a layer only to inspect its arguments, which uses
    // random numbers.
    const SqueezeExcite probe(
        8, 8, Nonlinearity::kRelu, generator, "conv_reduce", "conv_expand");
    add_blocks(net, generator);
    add_head(net, generator);
    classifier_ = add_layer<Linear>(
        *this, "classifier", net.features, spec.num_classes, generator);
    init_weights(generator);
  }

  at::Tensor logits(const at::Tensor& images, const at::Tensor& drop) override {
    Fork fork = (*stem_)(images.contiguous(at::MemoryFormat::ChannelsLast));
    for (const auto& block : blocks_) {
      fork = block->forward(fork, drop);
    }
    return (*classifier_)(features(fork.trunk));
  }

 private:
  void add_blocks(const Spec& net, const at::Generator& generator) {
    const auto stages = add_layer<torch::nn::ModuleListImpl>(*this, "blocks");
    for (const auto& stage : net.stages) {
      const auto list = append_layer<torch::nn::ModuleListImpl>(*stages);
      for (const Spec::Block& row : stage) {
        std::shared_ptr<MobileBlock> block;
        if (row.kind == Spec::Block::Kind::kQueryAttention) {
          block = append_layer<QueryAttention>(*list, net, row, generator);
        } else {
          block = append_layer<ConvBlock>(*list, net, row, generator);
        }
        if (block->has_skip()) {
          // As in timm, the rate of block i of n is drop_path * i / n.
          block->set_row(paths_.add(
              spec_.drop_path * static_cast<double>(blocks_.size()) /
              static_cast<double>(net.blocks())));
        }
        blocks_.push_back(std::move(block));
      }
    }
  }

  void add_head(const Spec& net, const at::Generator& generator) {
    const std::int64_t channels = net.stages.back().back().out;
    switch (head_) {
      case Spec::Head::kNone:
        break;
      case Spec::Head::kConv:
      case Spec::Head::kMeanFirstNorm:
        last_.emplace(
            *this,
            ConvNorm::Names{
                "conv_head", head_ == Spec::Head::kConv ? "bn2" : "norm_head"},
            ConvNorm::Shape{channels, net.features},
            after_,
            net,
            generator);
        break;
      case Spec::Head::kMeanFirst:
      case Spec::Head::kMeanFirstBias:
        hidden_ = add_layer<Conv2d>(
            *this,
            "conv_head",
            Conv2d::Shape{
                .in = channels,
                .out = net.features,
                .bias = head_ == Spec::Head::kMeanFirstBias},
            generator);
        break;
    }
  }

  // [N, C, H, W] -> [N, inputs of the classifier]
  at::Tensor features(const at::Tensor& x) const {
    if (head_ == Spec::Head::kConv) {
      return mean_over_pixels((*last_)(x).trunk);
    }
    const at::Tensor means = mean_over_pixels(x);
    if (hidden_) {
      return apply_in_place(hidden_->pointwise(means), after_);
    }
    return last_ ? (*last_)(means.unsqueeze(-1).unsqueeze(-1)).trunk.flatten(1)
                 : means;
  }

  // Initialises weights as TensorFlow's networks
  // (timm/models/_efficientnet_builder.py, _init_weight_goog) and changes their
  // memory layout to channels_last.
  void init_weights(const at::Generator& generator) {
    // Samples in timm's order, the order of registration, into contiguous
    // weights.
    for (const auto& module : modules(/*include_self=*/false)) {
      if (auto* conv = module->as<Conv2d>()) {
        normal_by_group_fan_out(*conv, generator);
      } else if (auto* linear = module->as<Linear>()) {
        uniform(
            linear->weight,
            1.0 / std::sqrt(static_cast<double>(linear->weight.size(0))),
            generator);
        constant(linear->bias, 0.0);
      }
    }
    for (const auto& block : blocks_) {
      block->init_weights(generator);
    }
    for (const auto& module : modules(/*include_self=*/false)) {
      if (auto* conv = module->as<Conv2d>()) {
        conv->use_channels_last();
      }
    }
  }

  Spec::Head head_;
  Nonlinearity after_;
  std::optional<ConvNorm> stem_;
  std::vector<std::shared_ptr<MobileBlock>> blocks_;
  std::optional<ConvNorm> last_; // convolution of heads with BatchNorm
  std::shared_ptr<Conv2d> hidden_; // convolution of heads without BatchNorm
  std::shared_ptr<Linear> classifier_;
};

} // namespace

const MakeNetwork make_efficientnet = construct<EfficientNet>;

} // namespace vitrain::networks
