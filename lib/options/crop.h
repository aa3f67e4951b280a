#pragma once

namespace vitrain {

// Pillow's filters; all but kNearest widen with the reduction (antialias).
enum class Filter { kNearest, kBox, kBilinear, kHamming, kBicubic, kLanczos };

// How the whole image is brought near the square's size (timm's crop modes).
//   kCenter: the shorter side to `resize`, the longer one in proportion;
//   kSquash: both sides to `resize`;
//   kBorder: the longer side to `resize`, the shorter one in proportion.
enum class CropMode { kCenter, kSquash, kBorder };

// How a training image is cut. kResized: a random resized crop; kPad: a random
// crop after padding; kRkrr, kRkrc: timm's resize in proportion with random
// zoom and aspect, then a random or the centre crop; kNone: as in evaluation.
enum class TrainCrop { kNone, kPad, kResized, kRkrr, kRkrc };

} // namespace vitrain
