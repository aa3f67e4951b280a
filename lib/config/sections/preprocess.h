#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "options/crop.h"

namespace vitrain::config {

// Conversion of pixels to network input, for training and evaluation. Rows of
// numbers (kind: vectors) have no pixels and are passed unchanged.
struct PreprocessConfig {
  bool exif_orientation = false;
  std::optional<std::array<double, 2>> range;
  std::array<double, 3> mean{0.485, 0.456, 0.406};
  std::array<double, 3> std{0.229, 0.224, 0.225};
  Filter interpolation = Filter::kBicubic;
  CropMode crop_mode = CropMode::kCenter;
  double crop_pct = 0.875;
  std::optional<std::int64_t> resize;
  std::int64_t pillow = 12;

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field(
        "exif_orientation",
        exif_orientation,
        "Turn images as the orientation tag in their Exif or XMP data says; "
        "published accuracies were measured without.");
    v.field(
         "range",
         range,
         "Values that become black and white in PNG, TIFF and PGM files with "
         "more than 8 bits a sample, as [0, 65535] (of a PGM or PPM after its "
         "largest value has become 65535); values between are scaled. `auto`: "
         "as Pillow, which clips grey values at 255 (reported) and keeps the "
         "high byte of colours.")
        .auto_value()
        .ascending();
    v.field(
        "mean",
        mean,
        "Mean of red, green, blue, for pixels in [0, 1]; for a grey input, "
        "their average is used. Where images have other channels "
        "(model.in_chans), the three are taken in turn.");
    v.field(
         "std",
         std,
         "Standard deviation of red, green, blue, for pixels in [0, 1]; for a "
         "grey input, their average is used.")
        .each_more_than(0.0);
    v.field(
        "interpolation",
        interpolation,
        "Filter of resizes (Pillow's, with antialias but for `nearest`); of "
        "training crops see data.augment.interpolation.");
    v.field(
        "crop_mode",
        crop_mode,
        "Evaluation, before the centre is cut out: `center`: the shorter side "
        "is resized; `squash`: both sides are, to a square; `border`: the "
        "longer side is, and the mean's colour fills what remains. In "
        "proportion but for `squash`.");
    v.field(
         "crop_pct",
         crop_pct,
         "Evaluation: the side is resized to floor(image_size / crop_pct); 1 "
         "for images that have the right size already.")
        .more_than(0.0)
        .at_most(1.0);
    v.field(
         "resize",
         resize,
         "Evaluation: pixels that the side is resized to, `auto`: by crop_pct. "
         "Less than image_size: black (`border`: the mean) around the image.")
        .auto_value()
        .in_range(1, 8192);
    v.field(
         "pillow",
         pillow,
         "The major version of Pillow whose resizes are done, to the byte: "
         "from 13 on they differ. Published accuracies of models up to 2026 "
         "were measured with 12 or older.")
        .in_range(12, 13);
  }
};

} // namespace vitrain::config
