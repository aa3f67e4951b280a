#include "models/tensors.h"

#include <utility>

#include <fmt/format.h>

namespace vitrain::models {
namespace {

using Kind = TensorInfo::Kind;

// Lists layers under their names.
class Lister {
 public:
  void add(
      std::string name,
      std::vector<std::int64_t> shape,
      Kind kind = Kind::kParameter) {
    tensors.push_back({std::move(name), std::move(shape), kind});
  }

  void linear(const std::string& name, std::int64_t in, std::int64_t out) {
    add(name + ".weight", {out, in});
    add(name + ".bias", {out});
  }

  void norm(const std::string& name, std::int64_t width) {
    add(name + ".weight", {width});
    add(name + ".bias", {width});
  }

  void batch_norm(const std::string& name, std::int64_t channels) {
    norm(name, channels);
    add(name + ".running_mean", {channels}, Kind::kBuffer);
    add(name + ".running_var", {channels}, Kind::kBuffer);
    add(name + ".num_batches_tracked", {}, Kind::kCounter);
  }

  void conv(
      const std::string& name,
      std::int64_t in,
      std::int64_t out,
      std::int64_t kernel,
      bool bias = false) {
    add(name + ".weight", {out, in, kernel, kernel});
    if (bias) {
      add(name + ".bias", {out});
    }
  }

  std::vector<TensorInfo> tensors;
};

void list_vit(const ModelSpec& spec, Lister& list) {
  const VitSpec& vit = spec.vit;
  const std::int64_t width = vit.embed_dim;
  const std::int64_t grid = spec.image_size / vit.patch_size;
  list.add("cls_token", {1, 1, width});
  list.add("pos_embed", {1, grid * grid + 1, width});
  list.conv(
      "patch_embed.proj", spec.channels, width, vit.patch_size, /*bias=*/true);
  for (std::int64_t i = 0; i < vit.depth; ++i) {
    const std::string block = fmt::format("blocks.{}.", i);
    list.norm(block + "norm1", width);
    list.linear(block + "attn.qkv", width, 3 * width);
    list.linear(block + "attn.proj", width, width);
    list.norm(block + "norm2", width);
    list.linear(block + "mlp.fc1", width, vit.mlp_dim);
    list.linear(block + "mlp.fc2", vit.mlp_dim, width);
  }
  list.norm("norm", width);
  list.linear("head", width, spec.num_classes);
}

// A block's convolutions, each with its BatchNorm.
void list_block(
    const std::string& block,
    std::int64_t in,
    std::int64_t width,
    bool bottleneck,
    Lister& list) {
  const auto unit =
      [&](int number, std::int64_t from, std::int64_t to, std::int64_t kernel) {
        list.conv(fmt::format("{}conv{}", block, number), from, to, kernel);
        list.batch_norm(fmt::format("{}bn{}", block, number), to);
      };
  if (bottleneck) {
    unit(1, in, width, 1);
    unit(2, width, width, 3);
    unit(3, width, 4 * width, 1);
  } else {
    unit(1, in, width, 3);
    unit(2, width, width, 3);
  }
}

void list_resnet(const ModelSpec& spec, Lister& list) {
  std::int64_t channels = 64;
  list.conv("conv1", spec.channels, channels, 7);
  list.batch_norm("bn1", channels);
  for (std::size_t stage = 0; stage < spec.resnet.blocks.size(); ++stage) {
    const std::int64_t width = std::int64_t{64} << stage;
    const std::int64_t out = spec.resnet.bottleneck ? 4 * width : width;
    for (std::int64_t i = 0; i < spec.resnet.blocks[stage]; ++i) {
      const std::string block = fmt::format("layer{}.{}.", stage + 1, i);
      list_block(block, channels, width, spec.resnet.bottleneck, list);
      if (i == 0 && (stage > 0 || channels != out)) {
        list.conv(block + "downsample.0", channels, out, 1);
        list.batch_norm(block + "downsample.1", out);
      }
      channels = out;
    }
  }
  list.linear("fc", channels, spec.num_classes);
}

void list_convnet(const ModelSpec& spec, Lister& list) {
  const ConvNetSpec& net = spec.convnet;
  const std::int64_t grid = net.grid(spec.image_size);
  list.conv("conv1", spec.channels, net.widths[0], net.kernel, /*bias=*/true);
  list.conv("conv2", net.widths[0], net.widths[1], net.kernel, /*bias=*/true);
  list.linear("fc1", net.widths[1] * grid * grid, net.hidden);
  list.linear("fc2", net.hidden, spec.num_classes);
}

void list_mlp(const ModelSpec& spec, Lister& list) {
  std::int64_t in = spec.input_numbers();
  for (std::int64_t i = 0; i < spec.mlp.hidden; ++i) {
    list.linear(fmt::format("hidden.{}", i), in, spec.mlp.width);
    in = spec.mlp.width;
  }
  list.linear("fc", in, spec.num_classes);
}

} // namespace

std::int64_t TensorInfo::numel() const {
  std::int64_t product = 1;
  for (const std::int64_t size : shape) {
    product *= size;
  }
  return product;
}

std::vector<TensorInfo> tensors_of(const ModelSpec& spec) {
  Lister list;
  switch (spec.family) {
    case Family::kVit:
      list_vit(spec, list);
      break;
    case Family::kResNet:
      list_resnet(spec, list);
      break;
    case Family::kConvNet:
      list_convnet(spec, list);
      break;
    case Family::kMlp:
      list_mlp(spec, list);
      break;
  }
  return std::move(list.tensors);
}

std::int64_t parameter_count(const ModelSpec& spec) {
  std::int64_t count = 0;
  for (const TensorInfo& tensor : tensors_of(spec)) {
    count += tensor.kind == Kind::kParameter ? tensor.numel() : 0;
  }
  return count;
}

} // namespace vitrain::models
