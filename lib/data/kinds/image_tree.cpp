#include "data/kinds/image_tree.h"

#include <algorithm>
#include <tuple>

#include "core/check.h"
#include "core/text.h"
#include "data/sources/class_names.h"
#include "data/sources/natural_order.h"

namespace vitrain::data {
namespace {

// Returns the folders of a path without the final '/': "a/b" for "a/b/c.jpg".
std::string_view folders_of(std::string_view path) {
  const std::size_t end = path.rfind('/');
  return end == path.npos ? std::string_view() : path.substr(0, end);
}

// Returns the class folder of an image: for kTimm its innermost folder, else
// the outermost; "" if it is in no folder.
std::string_view class_of(ClassOrder order, std::string_view path) {
  const std::string_view folders = folders_of(path);
  return order == ClassOrder::kTimm
      ? folders.substr(folders.rfind('/') + 1) // npos + 1 is 0
      : folders.substr(0, folders.find('/'));
}

} // namespace

void ImageTree::add(std::string_view path, Index::Place place) {
  images_.push_back({names_.size(), place, /*label=*/0});
  names_.append(path).push_back('\0');
}

void ImageTree::strip_common_folders() {
  if (images_.empty()) {
    return;
  }
  std::string_view common = folders_of(path(images_.front()));
  bool lies_in_it = false; // true if an image is directly in the common folder
  for (const Image& image : images_) {
    const std::string_view folders = folders_of(path(image));
    const auto both = std::ranges::mismatch(common, folders);
    const bool whole = (both.in1 == common.end() &&
                        (both.in2 == folders.end() || *both.in2 == '/')) ||
        (both.in2 == folders.end() && *both.in1 == '/');
    std::string_view same(common.begin(), both.in1);
    if (!whole) {
      same = folders_of(same);
    }
    lies_in_it = (lies_in_it && same == common) || folders == same;
    common = same;
  }
  if (lies_in_it) {
    common = folders_of(common);
  }
  if (!common.empty()) {
    for (Image& image : images_) {
      image.name += common.size() + 1;
    }
  }
}

// Assigns classes to the images; removes and counts images without one.
void ImageTree::label_images(
    ClassOrder order,
    const std::vector<std::string>& class_map,
    Index::Contents& contents) {
  NumberedNames found;
  std::int64_t outside = 0;
  std::erase_if(images_, [&](Image& image) {
    const std::string_view name = class_of(order, path(image));
    outside += name.empty() ? 1 : 0;
    if (!name.empty()) {
      const auto number = found.find(name);
      image.label = number ? *number : found.add(name);
    }
    return name.empty();
  });
  VITRAIN_CHECK_DATA(
      found.size() <= kMostClasses,
      "the dataset has more than {} class folders",
      with_commas(kMostClasses));
  contents.classes = class_map.empty() ? found.sorted(order) : class_map;
  const std::vector<std::int32_t> places = found.places_in(contents.classes);
  std::vector<bool> seen(contents.classes.size());
  const std::size_t unnamed = std::erase_if(images_, [&](Image& image) {
    image.label = places[static_cast<std::size_t>(image.label)];
    if (image.label >= 0) {
      seen[static_cast<std::size_t>(image.label)] = true;
    }
    return image.label < 0;
  });
  add_note(contents.notes, "skipped images outside the class folders", outside);
  add_note(
      contents.notes,
      "skipped images of classes that the class map does not name",
      static_cast<std::int64_t>(unnamed));
  add_note(
      contents.notes,
      "classes without an image",
      std::ranges::count(seen, false));
}

// Sorts the images. torchvision visits the folders of a class in the order of
// their paths, and the files of each folder; timm sorts complete paths.
void ImageTree::sort(ClassOrder order) {
  const auto later = [](const Image& a, const Image& b) {
    return std::tie(a.place.file, a.place.offset) <
        std::tie(b.place.file, b.place.offset);
  };
  if (order == ClassOrder::kTimm) {
    std::ranges::sort(images_, [&](const Image& a, const Image& b) {
      const std::string_view left = path(a);
      const std::string_view right = path(b);
      return left == right ? later(a, b) : natural_less(left, right);
    });
    return;
  }
  std::ranges::sort(images_, [&](const Image& a, const Image& b) {
    if (a.label != b.label) {
      return a.label < b.label;
    }
    const std::string_view left = path(a);
    const std::string_view right = path(b);
    const int folders = folders_of(left).compare(folders_of(right));
    return folders != 0 ? folders < 0
        : left == right ? later(a, b)
                        : left < right;
  });
}

std::int64_t ImageTree::drop_replaced() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < images_.size(); ++i) {
    const bool replaces =
        i > 0 && std::string_view(path(images_[i])) == path(images_[kept - 1]);
    VITRAIN_CHECK_DATA(
        !replaces || images_[i].place.file == images_[kept - 1].place.file,
        "{} is in two archives, the {}th and the {}th of the dataset; give "
        "every image a name of its own",
        printable(path(images_[i])),
        images_[kept - 1].place.file + 1,
        images_[i].place.file + 1);
    kept -= replaces ? 1 : 0;
    images_[kept++] = images_[i];
  }
  const auto dropped = static_cast<std::int64_t>(images_.size() - kept);
  images_.resize(kept);
  return dropped;
}

void ImageTree::fill(
    ClassOrder order,
    const std::vector<std::string>& class_map,
    Index::Contents& contents) && {
  label_images(order, class_map, contents);
  VITRAIN_CHECK_DATA(
      !images_.empty(),
      "{}: no image lies in the folder of a class{}; expected CLASS/IMAGE{}",
      printable(contents.options.path),
      class_map.empty() ? "" : " that the class map names",
      contents.notes.empty() ? "" : " (" + join(contents.notes, "; ") + ")");
  sort(order);
  add_note(
      contents.notes,
      "skipped images that a later one of the same name replaces",
      drop_replaced());
  contents.samples = size();
  const bool placed = contents.options.kind == SourceKind::kTar;
  std::size_t bytes = 0;
  for (const Image& image : images_) {
    bytes += std::string_view(path(image)).size() + 1;
  }
  contents.names.reserve(contents.names.size() + bytes);
  contents.name_starts.reserve(images_.size());
  contents.labels.reserve(images_.size());
  contents.places.reserve(placed ? images_.size() : 0);
  for (const Image& image : images_) {
    contents.add_name(path(image));
    contents.labels.push_back(image.label);
    if (placed) {
      contents.places.push_back(image.place);
    }
  }
  images_ = {};
  names_ = {};
}

} // namespace vitrain::data
