#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "core/check.h"
#include "core/random.h"
#include "data/kinds/kinds.h"

// Generated images of one shape with random position, size and angle, in front
// of a textured background with thin strokes. Both colours of an image have the
// same distribution, so light on dark is as frequent as dark on light. The mean
// image is therefore the same for all classes, and of an image and its copy
// with swapped colours a linear classifier can be right about only one, except
// for a single favoured class.
namespace vitrain::data::detail {
namespace {

constexpr std::array<const char*, 10> kClasses = {
    "bars",
    "circle",
    "dots",
    "frame",
    "moon",
    "plus",
    "ring",
    "square",
    "star",
    "triangle"};

struct Point {
  float x = 0;
  float y = 0;
};

float length(Point p) {
  return std::sqrt(p.x * p.x + p.y * p.y);
}

float box_distance(float x, float y) {
  return std::max(std::abs(x), std::abs(y));
}

// Signed distance to a star with five points; negative inside. Mirrors at
// multiples of 36 degrees fold the plane into half of one point, where the
// outline is a straight line.
float star_distance(Point p) {
  constexpr float kCos = 0.809016994f; // cos 36 degrees
  constexpr float kSin = 0.587785252f;
  constexpr float kInner = 0.45f; // radius of the inner corners
  p.x = std::abs(p.x);
  for (const float side : {1.0f, -1.0f}) {
    const Point mirror{side * kCos, -kSin};
    const float behind = std::max(0.0f, p.x * mirror.x + p.y * mirror.y);
    p.x -= 2 * behind * mirror.x;
    p.y -= 2 * behind * mirror.y;
  }
  p.x = std::abs(p.x);
  // From the tip (0, 1) to the inner corner at 36 degrees.
  const Point edge{kInner * kSin, kInner * kCos - 1};
  return (p.x * -edge.y + (p.y - 1) * edge.x) / length(edge);
}

// Signed distance to the outline of a shape with radius about 1 around the
// origin; negative inside, approximate far from the outline.
float distance(std::size_t shape, Point p) {
  switch (shape) {
    case 0: { // bars
      const float middle = std::abs(p.y);
      const float outer = std::abs(middle - 0.66f);
      return std::max(std::abs(p.x) - 0.85f, std::min(middle, outer) - 0.18f);
    }
    case 1: // circle
      return length(p) - 0.9f;
    case 2: // dots
      return length({std::abs(p.x) - 0.55f, std::abs(p.y) - 0.55f}) - 0.36f;
    case 3: // frame
      return std::abs(box_distance(p.x, p.y) - 0.64f) - 0.17f;
    case 4: // moon
      return std::max(length(p) - 0.95f, 0.75f - length({p.x - 0.5f, p.y}));
    case 5: // plus
      return std::min(
          std::max(std::abs(p.x) - 0.28f, std::abs(p.y) - 0.95f),
          std::max(std::abs(p.x) - 0.95f, std::abs(p.y) - 0.28f));
    case 6: // ring
      return std::abs(length(p) - 0.75f) - 0.2f;
    case 7: // square
      return box_distance(p.x, p.y) - 0.78f;
    case 8: // star
      return star_distance(p);
    default: // triangle
      return std::max(p.y, 0.866025404f * std::abs(p.x) - 0.5f * p.y) - 0.5f;
  }
}

using Colour = std::array<float, 3>;

Colour draw_colour(Random& random) {
  Colour colour;
  for (float& channel : colour) {
    channel = static_cast<float>(random.uniform(0.0, 255.0));
  }
  return colour;
}

// Returns the covered fraction of a pixel whose centre is `distance` pixels
// outside an edge.
float coverage(float distance) {
  return std::clamp(0.5f - distance, 0.0f, 1.0f);
}

void blend(Colour& colour, const Colour& over, float alpha) {
  for (std::size_t c = 0; c < 3; ++c) {
    colour[c] += (over[c] - colour[c]) * alpha;
  }
}

// A straight line through the image, about one pixel wide.
struct Stroke {
  Point normal;
  float offset = 0;
  Colour colour{};

  float distance(Point p) const {
    return std::abs(p.x * normal.x + p.y * normal.y - offset) - 0.5f;
  }
};

Point draw_direction(Random& random) {
  const double angle = random.uniform(0.0, 2.0 * std::numbers::pi);
  return {
      static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
}

// Description of one image except its noise. Coordinates are pixels from the
// image's centre.
struct Scene {
  static constexpr float kNoise = 10.0f;
  static constexpr float kGradient = 20.0f; // from the centre to an edge
  static constexpr double kMaxAngle = 0.30; // radians

  Scene(std::size_t shape_class, int side, Random& random)
      : shape(shape_class) {
    const double sign = random.below(2) == 0 ? -1.0 : 1.0;
    const double contrast = sign * random.uniform(50.0, 80.0);
    for (std::size_t c = 0; c < 3; ++c) {
      const double middle = random.uniform(80.0, 175.0);
      const double half_step = contrast + random.uniform(-20.0, 20.0);
      foreground[c] = static_cast<float>(middle + half_step);
      background[c] = static_cast<float>(middle - half_step);
    }
    const auto half = static_cast<float>(side) / 2;
    radius = half * static_cast<float>(random.uniform(0.60, 0.80));
    const double room = 0.5 * (half - radius);
    centre.x = static_cast<float>(random.uniform(-room, room));
    centre.y = static_cast<float>(random.uniform(-room, room));
    const double angle = random.uniform(-kMaxAngle, kMaxAngle);
    turn = {
        static_cast<float>(std::cos(angle)),
        static_cast<float>(std::sin(angle))};
    gradient = draw_direction(random);
    gradient.x *= kGradient / half;
    gradient.y *= kGradient / half;
    for (Stroke& stroke : strokes) {
      stroke.normal = draw_direction(random);
      stroke.offset = static_cast<float>(random.uniform(-half, half));
      stroke.colour = draw_colour(random);
    }
  }

  Colour colour_at(Point p) const {
    Colour colour = background;
    for (const Stroke& stroke : strokes) {
      blend(colour, stroke.colour, coverage(stroke.distance(p)));
    }
    const Point local{(p.x - centre.x) / radius, (p.y - centre.y) / radius};
    const Point turned{
        local.x * turn.x + local.y * turn.y,
        local.y * turn.x - local.x * turn.y};
    blend(colour, foreground, coverage(distance(shape, turned) * radius));
    const float shade = p.x * gradient.x + p.y * gradient.y;
    for (float& channel : colour) {
      channel += shade;
    }
    return colour;
  }

  std::size_t shape;
  Colour foreground{};
  Colour background{};
  float radius = 1;
  Point centre;
  Point turn;
  Point gradient;
  std::array<Stroke, 2> strokes;
};

image::Image draw(std::size_t shape, int side, Random& random) {
  const Scene scene(shape, side, random);
  image::Image image(side, side);
  std::uint8_t* pixel = image.pixels.data();
  const float middle = static_cast<float>(side - 1) / 2;
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x, pixel += 3) {
      const Colour colour = scene.colour_at(
          {static_cast<float>(x) - middle, static_cast<float>(y) - middle});
      std::uint32_t bits = random.next_u32();
      for (std::size_t c = 0; c < 3; ++c, bits >>= 8) {
        const float noise = (static_cast<float>(bits & 255) - 127.5f) *
            (Scene::kNoise / 127.5f);
        pixel[c] = static_cast<std::uint8_t>(
            std::clamp(colour[c] + noise, 0.0f, 255.0f));
      }
    }
  }
  return image;
}

class ShapesSource : public Source {
 public:
  using Source::Source;

  image::Image load(std::int64_t sample) const override {
    const SourceOptions& options = index().options();
    Random random = generated(options, Purpose::kShapes, options.size, sample);
    return draw(
        static_cast<std::size_t>(label(sample)),
        static_cast<int>(options.size),
        random);
  }

  std::string describe(std::int64_t sample) const override {
    return fmt::format(
        "shapes image {} of seed {}", sample, index().options().seed);
  }
};

} // namespace

Index list_shapes(const SourceOptions& options) {
  VITRAIN_CHECK_DATA(
      options.count >= 1 && options.size >= 8 && options.size <= 4096,
      "shapes: count has to be at least 1 and size between 8 and 4096; got {} "
      "and {}",
      options.count,
      options.size);
  Index::Contents contents;
  contents.options = options;
  contents.options.path.clear();
  contents.classes.assign(kClasses.begin(), kClasses.end());
  // No labels are stored: sample i has class i % 10, exactly balanced.
  contents.samples = options.count;
  return Index(std::move(contents));
}

std::unique_ptr<Source> open_shapes(std::shared_ptr<const Index> index) {
  return std::make_unique<ShapesSource>(std::move(index));
}

} // namespace vitrain::data::detail
