#include "weights/names/layout.h"

#include <initializer_list>
#include <utility>

namespace vitrain::weights {
namespace {

void permute(StridedPart& part, std::initializer_list<std::size_t> order) {
  const StridedPart old = part;
  for (std::size_t i = 0; i < order.size(); ++i) {
    part.shape[i] = old.shape[order.begin()[i]];
    part.strides[i] = old.strides[order.begin()[i]];
  }
}

// Reorders the columns of a patch merging layer from nn.Unfold's [C, row,
// column] to timm's [column, row, C].
void refold(StoredTensor& tensor) {
  StridedPart& part = tensor.parts.front();
  const std::int64_t stride = part.strides.back();
  const std::int64_t channels = part.shape.back() / 4;
  part.shape.pop_back();
  part.strides.pop_back();
  part.shape.insert(part.shape.end(), {2, 2, channels});
  part.strides.insert(part.strides.end(), {stride, 2 * stride, 4 * stride});
}

// Converts kHeadsOut to timm's linear layer [out, in].
void heads_to_rows(StoredTensor& tensor) {
  StridedPart& part = tensor.parts.front();
  const std::size_t rank = part.shape.size();
  if (rank == 3) { // [in, heads, width]
    permute(part, {1, 2, 0});
    tensor.shape = {part.shape[0] * part.shape[1], part.shape[2]};
  } else if (rank == 2) { // bias [heads, width]
    tensor.shape = {part.shape[0] * part.shape[1]};
  }
}

void heads_to_columns(StoredTensor& tensor) {
  StridedPart& part = tensor.parts.front();
  if (part.shape.size() == 3) { // [heads, width, out]
    permute(part, {2, 0, 1});
    tensor.shape = {part.shape[0], part.shape[1] * part.shape[2]};
  }
}

// Reverses the colours of a convolution [out, 3, H, W]: each plane [H, W]
// becomes a part of its own. Other shapes are left unchanged.
void turn_colours(StoredTensor& tensor) {
  constexpr std::int64_t kColours = 3;
  constexpr std::int64_t kMostOut = 4096;
  const StridedPart whole = tensor.parts.front();
  // A tensor without kernels would have no parts.
  if (whole.shape.size() != 4 || whole.shape[1] != kColours ||
      whole.shape[0] == 0 || whole.shape[0] > kMostOut) {
    return;
  }
  tensor.parts.clear();
  for (std::int64_t out = 0; out < whole.shape[0]; ++out) {
    for (std::int64_t colour = kColours; colour-- > 0;) {
      StridedPart part = whole;
      part.offset += out * whole.strides[0] + colour * whole.strides[1];
      part.shape = {1, whole.shape[2], whole.shape[3]};
      part.strides.erase(part.strides.begin());
      tensor.parts.push_back(std::move(part));
    }
  }
}

// Turns a linear layer [out, in] into a convolution over `side` x `side`
// pixels.
void over_pixels(StoredTensor& tensor, std::int64_t side) {
  const std::int64_t area = side * side;
  if (tensor.shape.size() == 2 && tensor.shape[1] % area == 0) {
    tensor.shape = {tensor.shape[0], tensor.shape[1] / area, side, side};
  }
}

} // namespace

StoredTensor arranged(StoredTensor tensor, Layout layout) {
  StridedPart& part = tensor.parts.front();
  const std::size_t rank = part.shape.size();
  switch (layout) {
    case Layout::kSame:
      break;
    case Layout::kTransposed:
      if (rank == 2) {
        permute(part, {1, 0});
        tensor.shape = part.shape;
      }
      break;
    case Layout::kHwio:
      if (rank == 4) {
        permute(part, {3, 2, 0, 1});
        tensor.shape = part.shape;
      }
      break;
    case Layout::kHeadsOut:
      heads_to_rows(tensor);
      break;
    case Layout::kHeadsIn:
      heads_to_columns(tensor);
      break;
    case Layout::kFlat:
      std::erase(tensor.shape, 1);
      break;
    case Layout::kUnfolded:
      // The stride of an empty dimension is arbitrary and could overflow.
      if (rank >= 1 && part.shape.back() > 0 && part.shape.back() % 4 == 0) {
        refold(tensor);
      }
      break;
    case Layout::kOtherColours:
      turn_colours(tensor);
      break;
    case Layout::kOneOfBatch:
      if (rank == 2) {
        tensor.shape.insert(tensor.shape.begin(), 1);
      }
      break;
    case Layout::kOver1x1:
    case Layout::kOver7x7:
      over_pixels(tensor, layout == Layout::kOver1x1 ? 1 : 7);
      break;
  }
  return tensor;
}

StoredTensor element(const StoredTensor& tensor, std::int64_t index) {
  StoredTensor one = tensor;
  StridedPart& part = one.parts.front();
  part.offset += index * part.strides.front();
  part.shape.erase(part.shape.begin());
  part.strides.erase(part.strides.begin());
  one.shape = part.shape;
  return one;
}

StoredTensor
thirds(StoredTensor tensor, std::int64_t first, std::int64_t count) {
  StridedPart& part = tensor.parts.front();
  if (!tensor.shape.empty() && tensor.shape == part.shape &&
      tensor.shape[0] % 3 == 0) {
    const std::int64_t rows = tensor.shape[0] / 3;
    tensor.shape[0] = part.shape[0] = count * rows;
    part.offset += first * rows * part.strides[0];
  }
  return tensor;
}

} // namespace vitrain::weights
