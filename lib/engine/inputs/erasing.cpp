#include "engine/inputs/erasing.h"

#include <algorithm>

#include <ATen/ATen.h>

namespace vitrain::engine {
namespace {

// Number of positions at which an image's numbers may start.
constexpr std::int64_t kPlaces = std::int64_t{1} << 20;

// Indices in the last dimension of the edges.
enum Edge : std::int64_t { kBoxTop, kBoxBottom, kBoxLeft, kBoxRight, kEdges };

// Returns the edges of the boxes, [N, most, 4]. Unused boxes have no area.
at::Tensor edges_of(const std::vector<data::Erasing>& rows, std::int64_t most) {
  at::Tensor edges = at::zeros({std::ssize(rows), most, kEdges}, at::kFloat);
  auto table = edges.accessor<float, 3>();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::vector<image::Rect>& boxes = rows[i].boxes;
    for (std::size_t k = 0; k < boxes.size(); ++k) {
      auto edge =
          table[static_cast<std::int64_t>(i)][static_cast<std::int64_t>(k)];
      edge[kBoxTop] = static_cast<float>(boxes[k].top);
      edge[kBoxBottom] = static_cast<float>(boxes[k].top + boxes[k].height);
      edge[kBoxLeft] = static_cast<float>(boxes[k].left);
      edge[kBoxRight] = static_cast<float>(boxes[k].left + boxes[k].width);
    }
  }
  return edges;
}

at::Tensor colours_of(
    const std::vector<data::Erasing>& rows,
    std::int64_t most,
    std::int64_t channels) {
  at::Tensor colours =
      at::zeros({std::ssize(rows), most, channels}, at::kFloat);
  auto* const first = colours.mutable_data_ptr<float>();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t k = 0; k < rows[i].boxes.size(); ++k) {
      const std::int64_t box =
          static_cast<std::int64_t>(i) * most + static_cast<std::int64_t>(k);
      std::ranges::copy(
          data::erase_colour(rows[i], k, channels), first + box * channels);
    }
  }
  return colours;
}

at::Tensor places_of(const std::vector<data::Erasing>& rows) {
  at::Tensor places = at::empty({std::ssize(rows)}, at::kLong);
  std::ranges::transform(
      rows, places.mutable_data_ptr<std::int64_t>(), &EraseNumbers::place);
  return places;
}

} // namespace

EraseNumbers::EraseNumbers(
    std::uint64_t seed,
    const models::ModelSpec& spec,
    c10::Device device)
    : image_{spec.channels, spec.image_size.height, spec.image_size.width} {
  const std::vector<float> numbers = data::erase_numbers(
      seed,
      static_cast<std::size_t>(kPlaces + image_[0] * image_[1] * image_[2]));
  numbers_ = at::tensor(numbers).to(device);
}

std::int64_t EraseNumbers::place(const data::Erasing& erasing) {
  return static_cast<std::int64_t>(erasing.noise % kPlaces);
}

at::Tensor EraseNumbers::from(const at::Tensor& places) const {
  // Row i of this view is the image that starts at number i; rows overlap.
  const std::int64_t image = image_[0] * image_[1] * image_[2];
  return numbers_.as_strided({kPlaces, image}, {1, 1})
      .index_select(0, places)
      .view({places.size(0), image_[0], image_[1], image_[2]});
}

at::Tensor EraseNumbers::of(const data::Erasing& erasing) const {
  const std::int64_t image = image_[0] * image_[1] * image_[2];
  return numbers_.narrow(0, place(erasing), image).view(image_);
}

void erase_boxes(
    const at::Tensor& image,
    const data::Erasing& erasing,
    config::EraseMode mode,
    const EraseNumbers& numbers) {
  for (std::size_t i = 0; i < erasing.boxes.size(); ++i) {
    const image::Rect& box = erasing.boxes[i];
    const auto inside = [&](const at::Tensor& all) {
      return all.narrow(1, box.top, box.height).narrow(2, box.left, box.width);
    };
    const at::Tensor part = inside(image);
    switch (mode) {
      case config::EraseMode::kConst:
        part.zero_();
        break;
      case config::EraseMode::kRand:
        part.copy_(at::tensor(data::erase_colour(erasing, i, image.size(0)))
                       .view({-1, 1, 1}));
        break;
      case config::EraseMode::kPixel:
        part.copy_(inside(numbers.of(erasing)));
        break;
    }
  }
}

EraseTable::EraseTable(
    const std::vector<data::Erasing>& rows,
    const config::EraseConfig& erase,
    std::int64_t channels,
    const std::function<at::Tensor(const at::Tensor&)>& upload)
    : mode_(erase.erasing_mode),
      edges_(upload(edges_of(rows, erase.erasing_count))) {
  switch (mode_) {
    case config::EraseMode::kConst:
      break;
    case config::EraseMode::kRand:
      filling_ = upload(colours_of(rows, erase.erasing_count, channels));
      break;
    case config::EraseMode::kPixel:
      filling_ = upload(places_of(rows));
      break;
  }
}

std::int64_t EraseTable::row_bytes(
    const config::EraseConfig& erase,
    std::int64_t channels) {
  constexpr std::int64_t kPlace = sizeof(std::int64_t);
  constexpr std::int64_t kNumber = sizeof(float);
  return kPlace + erase.erasing_count * (kEdges + channels) * kNumber;
}

void EraseTable::fill(at::Tensor images, const EraseNumbers& numbers) const {
  // Returns an edge of all boxes, [N, boxes, 1, 1].
  const auto edge = [this](Edge which) {
    return edges_.narrow(2, which, 1).unsqueeze(3);
  };
  const at::Tensor y =
      at::arange(images.size(2), edges_.options()).view({-1, 1});
  const at::Tensor x = at::arange(images.size(3), edges_.options());
  const at::Tensor rows =
      y.ge(edge(kBoxTop)).logical_and_(y.lt(edge(kBoxBottom)));
  const at::Tensor columns =
      x.ge(edge(kBoxLeft)).logical_and_(x.lt(edge(kBoxRight)));
  // Returns a mask of the pixels in each image's k-th box, [N, 1, H, W].
  const auto inside = [&](std::int64_t k) {
    return rows.narrow(1, k, 1).logical_and(columns.narrow(1, k, 1));
  };
  at::Tensor pixels;
  for (std::int64_t k = 0; k < edges_.size(1); ++k) {
    switch (mode_) {
      case config::EraseMode::kConst:
        images.masked_fill_(inside(k), 0.0);
        break;
      case config::EraseMode::kRand:
        at::where_out(
            images,
            inside(k),
            filling_.select(1, k).unsqueeze(2).unsqueeze(3),
            images);
        break;
      case config::EraseMode::kPixel:
        pixels = k == 0 ? inside(k) : pixels.logical_or_(inside(k));
        break;
    }
  }
  if (pixels.defined()) {
    at::where_out(images, pixels, numbers.from(filling_), images);
  }
}

} // namespace vitrain::engine
