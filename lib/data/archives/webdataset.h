#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/archives/tar_reader.h"
#include "data/sources/index.h"
#include "data/sources/labels/class_names.h"

namespace vitrain::data {

// The samples of WebDataset's shards. A sample consists of members that follow
// one another in one archive and share the key: the name up to the first dot
// after the folders (a/7.jpg, a/7.cls). The suffix after that dot may be in
// capital letters. The image of a sample is the first one whose name has only
// that dot (and .vjc's) or, without such a one, the one called `image`
// (a/7.image.jpg). The label is the text of the .cls member, or a field of the
// .json member.
class WebDataset {
 public:
  // Throws Error(kData) for a label that is neither "", "cls" nor "json:FIELD".
  explicit WebDataset(const SourceOptions& options);

  // Splits a member's name into the sample's name and the extension after its
  // first dot; both empty if it belongs to no sample.
  static std::pair<std::string_view, std::string_view> parts_of(
      std::string_view name);

  // Takes the next member of file number `file`, called `archive`. Throws
  // Error(kData) that names the member when a label is missing or no text, and
  // for a second member of one name in a sample.
  void add(
      const TarReader& reader,
      const TarMember& member,
      std::uint32_t file,
      const std::string& archive);
  // After the last member of each file: what follows is another sample.
  void end_sample();

  // Fills samples, classes, labels, names, their starts and places; adds notes.
  // Throws Error(kData) that names the image whose label is no class.
  void fill(Index::Contents& contents) &&;

 private:
  // The members of a sample that came so far.
  struct Image {
    std::string name; // of the member, or "" for none
    Index::Place place;
  };
  struct Sample {
    std::string key;
    std::int64_t archive = 0; // in the file
    Image plain; // KEY.png
    Image named; // KEY.image.png
    std::optional<std::string> label;
    std::uint32_t file = 0;
    // Suffix after the first dot, in small letters, and offset of each member.
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

  std::string extension_ = "cls"; // of the member with the label
  std::vector<std::string> fields_; // json: path of the field
  LabelTexts texts_;
  Sample sample_;
  Index::Contents found_; // samples, as far as they are known
  std::vector<std::string> files_; // their names, printable
  std::int64_t without_image_ = 0;
  std::string other_image_; // suffix of an image in such a sample
  std::int64_t further_images_ = 0;
  std::int64_t without_key_ = 0;
};

} // namespace vitrain::data
