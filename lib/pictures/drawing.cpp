#include "pictures/drawing.h"

#include <algorithm>
#include <cmath>

#include "pictures/font.h"

namespace vitrain::pictures {
namespace {

std::uint8_t mixed(std::uint8_t from, std::uint8_t to, double share) {
  return static_cast<std::uint8_t>(
      std::lround(from + share * (static_cast<double>(to) - from)));
}

// Returns the fraction of pixel `at` that is between two edges.
double covered(int at, double low, double high) {
  return std::clamp(
      std::min(high, at + 1.0) - std::max<double>(low, at), 0.0, 1.0);
}

// Range of pixels that are between two edges and in [0, size).
struct Pixels {
  int first;
  int end;

  Pixels(double low, double high, int size)
      : first(static_cast<int>(
            std::clamp(std::floor(low), 0.0, static_cast<double>(size)))),
        end(static_cast<int>(
            std::clamp(std::ceil(high), 0.0, static_cast<double>(size)))) {}
};

} // namespace

Colour between(const Colour& from, const Colour& to, double share) {
  const double part = std::clamp(share, 0.0, 1.0);
  return {
      mixed(from.red, to.red, part),
      mixed(from.green, to.green, part),
      mixed(from.blue, to.blue, part)};
}

Drawing::Drawing(int width, int height, const Colour& paper)
    : image_(width, height) {
  image::fill_with(image_.pixels, {paper.red, paper.green, paper.blue});
}

void Drawing::blend(int x, int y, const Colour& colour, double share) {
  if (x < 0 || y < 0 || x >= image_.width || y >= image_.height) {
    return;
  }
  std::uint8_t* pixel = image_.pixels.data() +
      (static_cast<std::size_t>(y) * static_cast<std::size_t>(image_.width) +
       static_cast<std::size_t>(x)) *
          3;
  pixel[0] = mixed(pixel[0], colour.red, share);
  pixel[1] = mixed(pixel[1], colour.green, share);
  pixel[2] = mixed(pixel[2], colour.blue, share);
}

void Drawing::fill(const Area& box, const Colour& colour, double opacity) {
  const Pixels rows(box.top, box.bottom(), image_.height);
  const Pixels columns(box.left, box.right(), image_.width);
  for (int y = rows.first; y < rows.end; ++y) {
    const double down = opacity * covered(y, box.top, box.bottom());
    for (int x = columns.first; x < columns.end; ++x) {
      blend(x, y, colour, down * covered(x, box.left, box.right()));
    }
  }
}

void Drawing::frame(const Area& box, const Colour& colour) {
  fill({box.left, box.top, box.width, 1}, colour);
  fill({box.left, box.bottom() - 1, box.width, 1}, colour);
  fill({box.left, box.top + 1, 1, box.height - 2}, colour);
  fill({box.right() - 1, box.top + 1, 1, box.height - 2}, colour);
}

void Drawing::line(
    const Point& from,
    const Point& to,
    double width,
    const Colour& colour) {
  const double x = to.x - from.x;
  const double y = to.y - from.y;
  const double length = std::hypot(x, y);
  const double reach = width / 2 + 1;
  const Pixels rows(
      std::min(from.y, to.y) - reach,
      std::max(from.y, to.y) + reach,
      image_.height);
  const Pixels columns(
      std::min(from.x, to.x) - reach,
      std::max(from.x, to.x) + reach,
      image_.width);
  for (int row = rows.first; row < rows.end; ++row) {
    for (int column = columns.first; column < columns.end; ++column) {
      // Distance from the pixel's centre to the nearest point of the line.
      const double right = column + 0.5 - from.x;
      const double down = row + 0.5 - from.y;
      const double along = length > 0
          ? std::clamp((right * x + down * y) / (length * length), 0.0, 1.0)
          : 0.0;
      const double away = std::hypot(right - along * x, down - along * y);
      blend(
          column,
          row,
          colour,
          std::clamp(width / 2 + 0.5 - away, 0.0, std::min(width, 1.0)));
    }
  }
}

void Drawing::picture(int left, int top, const image::View& view) {
  for (int y = std::max(0, -top);
       y < std::min(view.height, image_.height - top);
       ++y) {
    for (int x = std::max(0, -left);
         x < std::min(view.width, image_.width - left);
         ++x) {
      const std::uint8_t* pixel = view.row(y) + static_cast<std::size_t>(x) * 3;
      blend(left + x, top + y, {pixel[0], pixel[1], pixel[2]}, 1);
    }
  }
}

void Drawing::text(
    const Point& at,
    std::string_view text,
    const TextStyle& style) {
  const double width = text_width(text, style.size);
  const double before = style.align == Align::kLeft ? 0
      : style.align == Align::kCentre               ? width / 2
                                                    : width;
  const auto left = static_cast<int>(
      std::lround(style.turned ? at.y + before : at.x - before));
  const auto line = static_cast<int>(std::lround(style.turned ? at.x : at.y));
  for (const PlacedGlyph& placed : place_glyphs(text, style.size)) {
    const Glyph& glyph = *placed.glyph;
    for (int y = 0; y < glyph.height; ++y) {
      for (int x = 0; x < glyph.width; ++x) {
        const double share = glyph.coverage
                                 [static_cast<std::size_t>(y) *
                                      static_cast<std::size_t>(glyph.width) +
                                  static_cast<std::size_t>(x)] /
            255.0;
        const int along = placed.pen + glyph.left + x;
        const int down = line + glyph.top + y;
        if (style.turned) {
          blend(down, left - 1 - along, style.colour, share);
        } else {
          blend(left + along, down, style.colour, share);
        }
      }
    }
  }
}

} // namespace vitrain::pictures
