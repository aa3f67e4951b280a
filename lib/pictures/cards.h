#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "image/image.h"
#include "image/operations/crop_math.h"
#include "pictures/drawing.h"

namespace vitrain::pictures {

// A line below a picture: a text on a bar whose length is proportional to
// `share`, with `share` in percent at the right; if `share` is negative, on a
// bar of full length without a number.
struct CardLine {
  std::string text;
  double share = -1; // 0 to 1
  Colour colour = kBlue;
};

// A picture with a title and lines of text.
struct Card {
  image::Image picture;
  std::string title; // a path; if too long, shortened at its start
  std::vector<CardLine> lines;
};

// A sheet of cards in rows, whose pictures have one size, with a heading above
// them. Small pictures are enlarged by a whole factor, large ones reduced.
class CardSheet {
 public:
  struct Layout {
    std::int64_t count = 0; // number of cards
    int lines = 1; // lines per card
    bool titles = true; // cards have room for a title
    image::Size size; // size of the pictures
    std::string heading; // "": none
    std::string note; // text below the heading; "": none
  };
  explicit CardSheet(const Layout& layout);

  // Adds the next card; at most Layout::count cards, each with at most
  // Layout::lines lines.
  void add(const Card& card);

  const image::Image& image() const { return drawing_.image(); }
  // Returns a PNG file of the sheet, with a description of its cards for
  // read_cards().
  std::string png() const;

 private:
  image::Size tile_; // size of a picture on the sheet
  int columns_;
  int card_width_;
  int card_height_;
  int top_; // y coordinate of the first card
  int title_height_;
  std::int64_t added_ = 0;
  Json described_ = Json::array();
  Drawing drawing_;
};

// Returns the cards of a sheet that CardSheet::png() has written. Each has its
// original picture or, if that was reduced for the sheet, the reduced one.
// Returns no cards for a file without a readable description. Throws
// Error(kData) if the description is malformed or the picture is damaged.
std::vector<Card> read_cards(std::string_view png);

} // namespace vitrain::pictures
