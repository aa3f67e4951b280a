#include "image/operations/tones.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "image/operations/blend.h"
#include "image/operations/grey.h"

namespace vitrain::image {
namespace {

// Maps each old value to a new one.
using Table = std::array<std::uint8_t, 256>;
using Tables = std::array<Table, 3>; // red, green, blue
using Histogram = std::array<std::int64_t, 256>;
using Histograms = std::array<Histogram, 3>;

template <typename Rule>
Table table_of(Rule rule) {
  Table table{};
  for (int value = 0; value < 256; ++value) {
    table[static_cast<std::size_t>(value)] =
        static_cast<std::uint8_t>(rule(value));
  }
  return table;
}

void apply_tables(const Canvas& canvas, const Table& table) {
  for (std::uint8_t& value : canvas.pixels) {
    value = table[value];
  }
}

void apply_tables(const Canvas& canvas, const Tables& tables) {
  std::uint8_t* pixel = canvas.pixels.data();
  const std::uint8_t* end = pixel + canvas.pixels.size();
  for (; pixel < end; pixel += 3) {
    pixel[0] = tables[0][pixel[0]];
    pixel[1] = tables[1][pixel[1]];
    pixel[2] = tables[2][pixel[2]];
  }
}

Histograms histograms_of(const Canvas& canvas) {
  // Adjacent pixels are often equal; two sets of counters avoid that an
  // increment waits for the previous one.
  std::array<std::array<std::array<std::uint32_t, 256>, 3>, 2> counts{};
  const std::uint8_t* pixel = canvas.pixels.data();
  const std::size_t pixels = canvas.pixels.size() / 3;
  for (std::size_t i = 0; i < pixels; ++i, pixel += 3) {
    auto& set = counts[i & 1];
    ++set[0][pixel[0]];
    ++set[1][pixel[1]];
    ++set[2][pixel[2]];
  }
  Histograms histograms{};
  for (std::size_t channel = 0; channel < 3; ++channel) {
    for (std::size_t value = 0; value < 256; ++value) {
      histograms[channel][value] =
          std::int64_t{counts[0][channel][value]} + counts[1][channel][value];
    }
  }
  return histograms;
}

// Returns the table of autocontrast(); the identity if there is only one value.
Table stretched(const Histogram& histogram) {
  int low = 0;
  int high = 255;
  while (low < 255 && histogram[static_cast<std::size_t>(low)] == 0) {
    ++low;
  }
  while (high > 0 && histogram[static_cast<std::size_t>(high)] == 0) {
    --high;
  }
  if (high <= low) {
    return table_of([](int value) { return value; });
  }
  const double scale = 255.0 / (high - low);
  const double offset = -low * scale;
  return table_of([&](int value) {
    return std::clamp(static_cast<int>(value * scale + offset), 0, 255);
  });
}

Table flattened(const Histogram& histogram) {
  std::int64_t sum = 0;
  std::int64_t last = 0; // count of the largest value that occurs
  int values = 0;
  for (const std::int64_t count : histogram) {
    sum += count;
    last = count > 0 ? count : last;
    values += count > 0 ? 1 : 0;
  }
  const std::int64_t step = (sum - last) / 255;
  if (values <= 1 || step == 0) {
    return table_of([](int value) { return value; });
  }
  Table table{};
  std::int64_t below = step / 2;
  for (std::size_t value = 0; value < 256; ++value) {
    table[value] =
        static_cast<std::uint8_t>(std::min(below / step, std::int64_t{255}));
    below += histogram[value];
  }
  return table;
}

template <typename Rule>
void apply_to_histograms(const Canvas& canvas, Rule rule) {
  const Histograms histograms = histograms_of(canvas);
  Tables tables{};
  std::ranges::transform(histograms, tables.begin(), rule);
  apply_tables(canvas, tables);
}

// Returns the mean luma, rounded.
std::uint8_t mean_grey(const Canvas& canvas) {
  std::array<std::uint8_t, 1024> grey{};
  const std::size_t pixels = canvas.pixels.size() / 3;
  std::int64_t sum = 0;
  for (std::size_t first = 0; first < pixels; first += grey.size()) {
    const std::span part(grey.data(), std::min(grey.size(), pixels - first));
    to_grey(canvas.pixels.subspan(3 * first, 3 * part.size()), part);
    std::uint32_t part_sum = 0;
    for (const std::uint8_t value : part) {
      part_sum += value;
    }
    sum += part_sum;
  }
  return static_cast<std::uint8_t>(
      std::floor(static_cast<double>(sum) / static_cast<double>(pixels) + 0.5));
}

void blend_from(const Canvas& canvas, std::uint8_t level, double factor) {
  apply_tables(canvas, table_of([&](int value) {
                 return blended(
                     level,
                     static_cast<std::uint8_t>(value),
                     static_cast<float>(factor));
               }));
}

} // namespace

void invert(const Canvas& canvas) {
  for (std::uint8_t& value : canvas.pixels) {
    value = static_cast<std::uint8_t>(255 - value);
  }
}

void solarize(const Canvas& canvas, double threshold) {
  apply_tables(canvas, table_of([&](int value) {
                 return value < threshold ? value : 255 - value;
               }));
}

void solarize_add(const Canvas& canvas, int amount) {
  apply_tables(canvas, table_of([&](int value) {
                 return value < 128 ? std::min(value + amount, 255) : value;
               }));
}

void posterize(const Canvas& canvas, int bits) {
  const int dropped = 8 - bits;
  apply_tables(
      canvas, table_of([&](int value) { return value >> dropped << dropped; }));
}

void autocontrast(const Canvas& canvas) {
  apply_to_histograms(canvas, stretched);
}

void equalize(const Canvas& canvas) {
  apply_to_histograms(canvas, flattened);
}

void brightness(const Canvas& canvas, double factor) {
  blend_from(canvas, 0, factor);
}

void contrast(const Canvas& canvas, double factor) {
  blend_from(canvas, mean_grey(canvas), factor);
}

} // namespace vitrain::image
