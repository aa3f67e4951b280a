#pragma once

#include <array>

namespace vitrain::config {

enum class Interpolation { kBilinear, kBicubic };

// Pixels to network input, for training and evaluation alike. Vectors are given
// to the network as they are.
struct PreprocessConfig {
  bool exif_orientation = false;
  std::array<double, 3> mean{0.485, 0.456, 0.406};
  std::array<double, 3> std{0.229, 0.224, 0.225};
  Interpolation interpolation = Interpolation::kBicubic;
  double crop_pct = 0.875;

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field(
        "exif_orientation",
        exif_orientation,
        "Turn images as the orientation tag in their Exif or XMP data says; "
        "published accuracies were measured without.");
    v.field(
        "mean",
        mean,
        "Mean of red, green, blue, for pixels in [0, 1]; all three the same "
        "for a grey input.");
    v.field(
         "std",
         std,
         "Standard deviation of red, green, blue, for pixels in [0, 1].")
        .each_more_than(0.0);
    v.field(
        "interpolation",
        interpolation,
        "Filter of every resize (Pillow's, with antialias).");
    v.field(
         "crop_pct",
         crop_pct,
         "Evaluation: the shorter side is resized to floor(image_size / "
         "crop_pct) and the centre is cut out; 1 for images that have the "
         "right size already.")
        .more_than(0.0)
        .at_most(1.0);
  }
};

} // namespace vitrain::config
