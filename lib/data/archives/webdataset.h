#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/archives/tar_reader.h"
#include "data/sources/index.h"
#include "data/sources/labels/class_names.h"

namespace vitrain::data {

// The samples of WebDataset's shards: members that follow one another and have
// one name up to the first dot behind the folders (a/7.jpg, a/7.cls) are one.
// Its image is the first one whose name has only that dot (and .vjc's).
// Its label is the text of the .cls member, or a field of the .json member.
class WebDataset {
 public:
  // Throws Error(kData) for a label that is neither "", "cls" nor "json:FIELD".
  explicit WebDataset(const SourceOptions& options);

  // The name that members of a sample share, and what is behind its dot; both
  // empty for a name that is of no sample.
  static std::pair<std::string_view, std::string_view> parts_of(
      std::string_view name);

  // Takes the next member of archive number `file`, called `archive`. Throws
  // Error(kData) that names the member when a label is missing or wrong.
  void add(
      const TarReader& reader,
      const TarMember& member,
      std::uint32_t file,
      const std::string& archive);
  // After the last member of each archive: what follows is another sample.
  void end_sample();

  // Fills samples, classes, labels, names, their starts and places; adds notes.
  void fill(Index::Contents& contents) &&;

 private:
  // The members of a sample that came so far.
  struct Sample {
    std::string key;
    std::string image; // the member's name, or "" for none
    Index::Place place;
    std::optional<std::string> label;
    std::string archive;
  };
  std::string read_label(
      const TarReader& reader,
      const TarMember& member,
      const std::string& archive) const;

  std::string extension_ = "cls"; // of the member with the label
  std::vector<std::string> fields_; // json: where it is in there
  LabelTexts texts_;
  Sample sample_;
  Index::Contents found_; // samples, as far as they are known
  std::int64_t without_image_ = 0;
  std::int64_t further_images_ = 0;
  std::int64_t without_key_ = 0;
};

} // namespace vitrain::data
