#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/json.h"
#include "image/image.h"
#include "image/resample/crop_math.h"
#include "pictures/drawing.h"

namespace vitrain::pictures {

// A line below a picture: a text, then a bar of length `share` with a number at
// its end; without a bar if `share` is negative.
struct CardLine {
  std::string text;
  double share = -1; // 0 to 1
  Colour colour = kBlue;
};

// A picture with a title and lines of text.
struct Card {
  image::Image picture;
  std::string title; // a path: if it is too long, its start is cut off
  std::vector<CardLine> lines;
};

// Cards of pictures of one size side by side, with a heading above them.
class CardSheet {
 public:
  struct Layout {
    std::int64_t count = 0; // of cards
    int lines = 1; // of a card
    bool titles = true; // cards have a title
    image::Size size; // of the pictures
    std::string heading;
    std::string note; // below the heading; "": none
  };
  explicit CardSheet(const Layout& layout);

  // The next card.
  void add(const Card& card);

  const image::Image& image() const { return drawing_.image(); }
  // A PNG file of the sheet that describes its cards, for read_cards().
  std::string png() const;

 private:
  image::Size tile_; // of a picture on the sheet
  int columns_;
  int card_width_;
  int card_height_;
  int top_; // of the first card
  int title_height_;
  std::int64_t added_ = 0;
  Json described_ = Json::array();
  Drawing drawing_;
};

// The cards of a sheet that CardSheet::png() has written, each with its picture
// as it was given, or as the sheet has it if it was reduced for that. Empty for
// another file. Throws Error(kData) for a damaged one.
std::vector<Card> read_cards(std::string_view png);

} // namespace vitrain::pictures
