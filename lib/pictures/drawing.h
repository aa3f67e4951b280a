#pragma once

#include <string_view>

#include "image/image.h"
#include "pictures/colour.h"

namespace vitrain::pictures {

// A position in pixels from the top left corner; fractions are positions inside
// a pixel.
struct Point {
  double x = 0;
  double y = 0;
};
struct Area {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;

  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

enum class Align { kLeft, kCentre, kRight };

struct TextStyle {
  double size = 12; // pixels per em
  Colour colour = kInk;
  Align align = Align::kLeft; // which part of the text is at the point
  bool turned = false; // rotated: runs from bottom to top
};

// A picture to draw on; everything outside it is clipped.
class Drawing {
 public:
  Drawing(int width, int height, const Colour& paper = kPaper);

  // Fills a box; blends pixels that are partly covered. `opacity`: 0 to 1.
  void fill(const Area& box, const Colour& colour, double opacity = 1);
  // Draws an outline, one pixel wide, inside the box.
  void frame(const Area& box, const Colour& colour);
  // Draws a line `width` pixels wide with round ends.
  void
  line(const Point& from, const Point& to, double width, const Colour& colour);
  // Copies the pixels of a view to (left, top).
  void picture(int left, int top, const image::View& view);
  // Draws one line of UTF-8 text with its baseline at `at`.
  void text(const Point& at, std::string_view text, const TextStyle& style);

  const image::Image& image() const { return image_; }

 private:
  void blend(int x, int y, const Colour& colour, double share);

  image::Image image_;
};

} // namespace vitrain::pictures
