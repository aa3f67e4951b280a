#pragma once

#include <string_view>

#include "image/image.h"
#include "pictures/colour.h"

namespace vitrain::pictures {

// Places in pixels from the top left corner; edges may lie within pixels.
struct Point {
  double x = 0;
  double y = 0;
};
struct Box {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;

  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

enum class Align { kLeft, kCentre, kRight };

struct TextStyle {
  double size = 12; // of an em
  Colour colour = kInk;
  Align align = Align::kLeft; // where of the text the point is
  bool turned = false; // read from the bottom to the top
};

// A picture to draw on; drawing outside of it is clipped.
class Drawing {
 public:
  Drawing(int width, int height, const Colour& paper = kPaper);

  void fill(const Box& box, const Colour& colour, double opacity = 1);
  // Four lines of a pixel inside the box.
  void frame(const Box& box, const Colour& colour);
  void
  line(const Point& from, const Point& to, double width, const Colour& colour);
  // From `from` on; pixels are copied.
  void picture(int left, int top, const image::View& view);
  // One line in UTF-8; it stands on `at`.
  void text(const Point& at, std::string_view text, const TextStyle& style);

  const image::Image& image() const { return image_; }

 private:
  void blend(int x, int y, const Colour& colour, double share);

  image::Image image_;
};

} // namespace vitrain::pictures
