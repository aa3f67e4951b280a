#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/kinds/tar_reader.h"
#include "data/sources/class_names.h"
#include "data/sources/index.h"

namespace vitrain::data {

// Collects the samples of WebDataset's shards. A sample consists of consecutive
// members of one archive with the same key: the name up to the first dot after
// the folders (a/7.jpg and a/7.cls). The suffix after that dot is
// case-insensitive. The image of a sample is its first image with no further
// dot in the name (except that of .vjc) or, if there is none, the image called
// `image` or `img` (a/7.image.jpg). The label is the text of the .cls member,
// or a field of the .json member.
class WebDataset {
 public:
  // Throws Error(kData) if options.label is neither "", "cls" nor "json:FIELD".
  explicit WebDataset(const SourceOptions& options);

  // Splits a member's name into the sample's key and the extension after its
  // first dot; both are empty if the member belongs to no sample.
  static std::pair<std::string_view, std::string_view> parts_of(
      std::string_view name);

  // Adds the next member of archive number `file`; `reader` has read it, and
  // `archive` is the archive's name for messages. Throws Error(kData) naming
  // the member if a label is missing or not text, or if a sample has two
  // members of the same name.
  void add(
      const TarReader& reader,
      const TarMember& member,
      std::uint32_t file,
      const std::string& archive);
  // Must be called after the last member of each file: later members belong to
  // another sample. Throws Error(kData) naming the image if the sample's label
  // is missing or invalid.
  void end_sample();

  // Fills samples, classes, labels, names, name_starts and places; adds notes.
  // Throws Error(kData) naming an image whose label is not a class.
  void fill(Index::Contents& contents) &&;

 private:
  // Image of the current sample.
  struct Image {
    std::string name; // name of the member; "": no image yet
    Index::Place place;
  };
  struct Sample {
    std::string key;
    // Index of its archive, if several are concatenated in the file.
    std::int64_t archive = 0;
    Image plain; // from KEY.png
    Image named; // from KEY.image.png
    std::optional<std::string> label;
    std::uint32_t file = 0;
    // Members so far: suffix after the first dot, in lower case, and offset.
    std::map<std::string, std::int64_t> members;
  };
  void begin_sample(
      std::string_view key,
      const TarMember& member,
      std::uint32_t file);
  void check_is_new(const TarMember& member, const std::string& extension);
  void add_image(
      const TarMember& member,
      std::string_view extension,
      std::uint32_t file);
  std::string read_label(
      const TarReader& reader,
      const TarMember& member,
      const std::string& archive) const;

  std::string extension_ = "cls"; // extension of the member with the label
  std::vector<std::string> fields_; // for json: path of the field
  LabelTexts texts_;
  Sample sample_;
  Index::Contents found_; // the samples collected so far
  std::vector<std::string> files_; // names of the archives, printable
  std::int64_t without_image_ = 0;
  // Suffix of an image in a sample without a usable image.
  std::string other_image_;
  std::int64_t further_images_ = 0;
  std::int64_t without_key_ = 0;
};

} // namespace vitrain::data
