#include "core/random.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "core/check.h"
#include "data/kinds/kinds.h"
#include "data/sources/class_names.h"
#include "image/operations/channels.h"

namespace vitrain::data::detail {
namespace {

// Images of random noise, for timing and for examples from guides of other
// frameworks.
class RandomSource final : public Source {
 public:
  using Source::Source;

  image::Image load(std::int64_t sample) const override {
    return std::move(load_channels(sample, 3).front());
  }

  std::vector<image::Image> load_channels(std::int64_t sample, int channels)
      const override {
    const SourceOptions& options = index().options();
    const auto side = static_cast<int>(options.size);
    std::vector<image::Image> pictures(
        static_cast<std::size_t>(image::pictures_of(channels)),
        image::Image(side, side));
    Random random =
        generated(options, Purpose::kRandomImage, options.size, sample);
    for (image::Image& picture : pictures) {
      fill(picture.pixels, random);
    }
    return pictures;
  }

  std::string describe(std::int64_t sample) const override {
    return fmt::format(
        "random image {} of seed {}", sample, index().options().seed);
  }

 private:
  static void fill(std::vector<std::uint8_t>& pixels, Random& random) {
    std::size_t done = 0;
    while (done < pixels.size()) {
      const std::uint32_t word = random.next_u32();
      const std::size_t part = std::min(sizeof(word), pixels.size() - done);
      std::memcpy(pixels.data() + done, &word, part);
      done += part;
    }
  }
};

} // namespace

Index list_random(const SourceOptions& options) {
  VITRAIN_CHECK_DATA(
      options.count >= 1 && options.size >= 1 && options.size <= 4096 &&
          options.classes >= 1,
      "random: count and classes have to be at least 1 and size between 1 and "
      "4096; got {}, {} and {}",
      options.count,
      options.classes,
      options.size);
  Index::Contents contents;
  contents.options = options;
  contents.options.path.clear();
  contents.samples = options.count;
  contents.classes = numbered_classes(options.classes);
  for (std::int64_t i = 0; i < options.count; ++i) {
    // Pixels use the image size, which is above 0, as `a`: labels and pixels
    // have separate random streams.
    Random random = generated(options, Purpose::kRandomImage, /*a=*/0, i);
    contents.labels.push_back(static_cast<std::int32_t>(
        random.below(static_cast<std::uint64_t>(options.classes))));
  }
  return Index(std::move(contents));
}

std::unique_ptr<Source> open_random(std::shared_ptr<const Index> index) {
  return std::make_unique<RandomSource>(std::move(index));
}

} // namespace vitrain::data::detail
