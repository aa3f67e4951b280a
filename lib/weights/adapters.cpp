#include "weights/adapters.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "core/text.h"
#include "weights/weights_check.h"

namespace vitrain::weights {
namespace {

constexpr std::string_view kAlpha = ".lora_alpha";
constexpr std::string_view kDown = ".lora_A.weight";
constexpr std::string_view kUp = ".lora_B.weight";

// An archive with adapters: the products of their matrices are storages of
// their own, after those of the file.
class WithAdapters : public Archive {
 public:
  explicit WithAdapters(std::unique_ptr<Archive> file)
      : Archive(*file), file_(std::move(file)) {
    std::vector<std::string> layers;
    for (const auto& [name, tensor] : tensors) {
      if (name.ends_with(kAlpha)) {
        layers.push_back(name.substr(0, name.size() - kAlpha.size()));
      }
    }
    for (const std::string& layer : layers) {
      merge(layer);
    }
    notes.push_back(
        fmt::format("merged {}", counted(std::ssize(layers), "adapter")));
  }

  void read(std::size_t storage, void* bytes) const override {
    const std::size_t stored = file_->storages.size();
    if (storage < stored) {
      file_->read(storage, bytes);
      return;
    }
    const Product& product = products_.at(storage - stored);
    const auto [down, in] = values(product.down);
    const auto [up, rank] = values(product.up);
    std::vector<float> sums(storages[storage] / sizeof(float));
    for (std::size_t i = 0; i < sums.size() / in; ++i) {
      for (std::size_t k = 0; k < rank; ++k) {
        const float factor = product.scale * up[i * rank + k];
        for (std::size_t j = 0; j < in; ++j) {
          sums[i * in + j] += factor * down[k * in + j];
        }
      }
    }
    std::memcpy(bytes, sums.data(), sums.size() * sizeof(float));
  }

 private:
  // Product scale * up * down of an adapter's matrices.
  struct Product {
    StridedPart up;
    StridedPart down;
    float scale = 0.0F;
  };

  // Removes the tensor `name` and returns it. Throws Error(kWeights) unless it
  // exists, has `type` and `dimensions` and is contiguous.
  StridedPart
  take(const std::string& name, const char* type, std::size_t dimensions) {
    const auto found = tensors.find(name);
    VITRAIN_CHECK_WEIGHTS(
        found != tensors.end() && found->second.type == find_dtype(type) &&
            found->second.shape.size() == dimensions &&
            found->second.parts.size() == 1 &&
            found->second.parts[0].strides ==
                contiguous_strides(found->second.parts[0].shape),
        "{}: the adapter's tensor '{}' is missing or no {} of {} dimensions",
        source,
        printable(name),
        type,
        dimensions);
    StridedPart part = found->second.parts[0];
    tensors.erase(found);
    return part;
  }

  void merge(const std::string& layer) {
    const StridedPart alpha = take(layer + std::string(kAlpha), "I64", 0);
    Product product{
        .up = take(layer + std::string(kUp), "F32", 2),
        .down = take(layer + std::string(kDown), "F32", 2)};
    const std::int64_t rank = product.down.shape[0];
    const std::vector<std::int64_t> shape{
        product.up.shape[0], product.down.shape[1]};
    const auto found = tensors.find(layer + ".weight");
    VITRAIN_CHECK_WEIGHTS(
        found != tensors.end() && found->second.type == find_dtype("F32") &&
            !found->second.added && rank > 0 && product.up.shape[1] == rank &&
            found->second.shape == shape,
        "{}: the adapter of '{}' does not fit its weight",
        source,
        printable(layer));
    std::vector<char> bytes(
        static_cast<std::size_t>(storages.at(alpha.storage)));
    file_->read(alpha.storage, bytes.data());
    std::int64_t value = 0;
    std::memcpy(
        &value, bytes.data() + alpha.offset * sizeof(value), sizeof(value));
    product.scale = static_cast<float>(
        static_cast<double>(value) / static_cast<double>(rank));
    StoredTensor& weight = found->second;
    weight.added = StridedPart{
        .storage = storages.size(),
        .shape = weight.shape,
        .strides = contiguous_strides(weight.shape)};
    storages.push_back(
        weight.shape[0] * weight.shape[1] *
        static_cast<std::int64_t>(sizeof(float)));
    products_.push_back(std::move(product));
  }

  // Returns the values of a matrix and the number of its columns.
  std::pair<std::vector<float>, std::size_t> values(
      const StridedPart& part) const {
    const auto columns = static_cast<std::size_t>(part.shape[1]);
    std::vector<char> bytes(static_cast<std::size_t>(storages[part.storage]));
    file_->read(part.storage, bytes.data());
    std::vector<float> matrix(
        static_cast<std::size_t>(part.shape[0]) * columns);
    std::memcpy(
        matrix.data(),
        bytes.data() + part.offset * sizeof(float),
        matrix.size() * sizeof(float));
    return {std::move(matrix), columns};
  }

  std::unique_ptr<Archive> file_;
  std::vector<Product> products_;
};

} // namespace

bool is_adapter(std::string_view name) {
  return name.ends_with(kAlpha) || name.ends_with(kDown) || name.ends_with(kUp);
}

std::unique_ptr<Archive> merge_adapters(std::unique_ptr<Archive> archive) {
  const bool any = std::ranges::any_of(archive->tensors, [](const auto& item) {
    return item.first.ends_with(kAlpha);
  });
  return any ? std::make_unique<WithAdapters>(std::move(archive))
             : std::move(archive);
}

} // namespace vitrain::weights
