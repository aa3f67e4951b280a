#include <array>
#include <numeric>

#include <ATen/ATen.h>

#include "exports/onnx_rows.h"

// Translations of sliding windows over images, and their inverse.
namespace vitrain::exports {
namespace {

// Parameters of aten's im2col and col2im, for rows and columns.
struct Sliding {
  std::vector<std::int64_t> kernel;
  std::vector<std::int64_t> dilation;
  std::vector<std::int64_t> padding;
  std::vector<std::int64_t> stride;

  explicit Sliding(const Call& call)
      : kernel(call.integers("kernel_size")),
        dilation(call.integers("dilation")),
        padding(call.integers("padding")),
        stride(call.integers("stride")) {}

  // Returns the number of windows along a side of `pixels` pixels.
  std::int64_t count(std::size_t side, std::int64_t pixels) const {
    return (pixels + 2 * padding[side] - dilation[side] * (kernel[side] - 1) -
            1) /
        stride[side] +
        1;
  }
};

// [N, C, H, W] -> [N, C kernel^2, windows]: the pixels at the same position in
// all windows are one slice of the image.
void image_to_columns(const Call& call) {
  Emitter& e = call.emitter;
  const Sliding way(call);
  const auto [top, left] = std::pair(way.padding[0], way.padding[1]);
  const std::string image = e.add(
      "Pad",
      {call.in("self"),
       e.integers({0, 0, top, left, 0, 0, top, left}),
       e.number(0.0)});
  const auto along = [&](const std::string& x, std::size_t side, auto place) {
    const std::int64_t axis = static_cast<std::int64_t>(side) + 2;
    const std::int64_t start = place * way.dilation[side];
    const std::int64_t last =
        (way.count(side, call.size("self", axis)) - 1) * way.stride[side];
    return sliced(e, x, axis, start, start + last + 1, way.stride[side]);
  };
  Names places;
  for (std::int64_t i = 0; i < way.kernel[0]; ++i) {
    const std::string rows = along(image, 0, i);
    for (std::int64_t j = 0; j < way.kernel[1]; ++j) {
      places.push_back(
          e.add("Unsqueeze", {along(rows, 1, j), e.integers({2})}));
    }
  }
  give_reshaped(call, e.add("Concat", places, {{"axis", std::int64_t{2}}}));
}

void columns_to_image(const Call& call) {
  const Sliding way(call);
  std::vector<std::int64_t> pads = way.padding;
  pads.insert(pads.end(), way.padding.begin(), way.padding.end());
  call.give(
      "Col2Im",
      {call.in("self"),
       call.emitter.integers(call.integers("output_size")),
       call.emitter.integers(way.kernel)},
      {{"dilations", way.dilation}, {"pads", pads}, {"strides", way.stride}});
}

// Tensor.unfold: windows along one dimension; the position within a window is
// the last dimension.
void unfold(const Call& call) {
  Emitter& e = call.emitter;
  const std::int64_t axis = call.axis("dimension", "self");
  const std::int64_t size = call.integer("size");
  const std::int64_t step = call.integer("step");
  const std::int64_t windows = (call.size("self", axis) - size) / step + 1;
  const at::Tensor places =
      at::arange(windows, at::kLong).mul(step).unsqueeze(1) +
      at::arange(size, at::kLong);
  const std::string gathered =
      e.add("Gather", {call.in("self"), e.constant(places)}, {{"axis", axis}});
  std::vector<std::int64_t> order(
      static_cast<std::size_t>(call.rank("self") + 1));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  order.erase(order.begin() + axis + 1);
  order.push_back(axis + 1);
  call.give("Transpose", {gathered}, {{"perm", order}});
}

constexpr auto kWindowRows = std::to_array<OnnxRow>({
    {"col2im", columns_to_image},
    {"im2col", image_to_columns},
    {"unfold", unfold},
});

} // namespace

std::span<const OnnxRow> window_rows() {
  return kWindowRows;
}

} // namespace vitrain::exports
