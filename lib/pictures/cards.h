#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "image/image.h"
#include "image/resample/crop_math.h"
#include "pictures/drawing.h"

namespace vitrain::pictures {

// A line below a picture: a text, and behind it a bar that is as long as the
// share with a number at its end; a share below 0 has neither.
struct CardLine {
  std::string text;
  double share = -1; // 0 to 1
  Colour colour = kBlue;
};

// A picture with what is said about it.
struct Card {
  image::Image picture;
  std::string title; // a path: where it is too long its start is cut off
  std::vector<CardLine> lines;
};

// Cards of pictures of one size side by side, with a heading above them.
class CardSheet {
 public:
  struct Layout {
    std::int64_t count = 0; // of cards
    int lines = 1; // of a card
    image::Size size; // of the pictures
    std::string heading;
    std::string note; // below the heading; "": none
  };
  explicit CardSheet(const Layout& layout);

  // The next card.
  void add(const Card& card);

  const image::Image& image() const { return drawing_.image(); }

 private:
  image::Size tile_; // of a picture on the sheet
  int columns_;
  int card_width_;
  int card_height_;
  int top_; // of the first card
  std::int64_t added_ = 0;
  Drawing drawing_;
};

} // namespace vitrain::pictures
