#include "data/kinds/webdataset.h"

#include <algorithm>
#include <utility>

#include "core/ascii.h"
#include "core/check.h"
#include "core/json.h"
#include "core/text.h"
#include "data/kinds/kinds.h"
#include "data/kinds/tar_files.h"

namespace vitrain::data {
namespace {

constexpr std::int64_t kMostLabelBytes = 1 << 20;
constexpr std::string_view kJson = "json:";

// Returns true if the text after the first dot of an image's name is only its
// format: "jpg", "jpg.vjc". "seg.png" is an additional image of the sample.
bool is_plain(std::string_view extension) {
  if (extension.ends_with(detail::kPackedSuffix)) {
    extension.remove_suffix(detail::kPackedSuffix.size());
  }
  return extension.find('.') == extension.npos;
}

// Returns true if the text after the first dot marks the image to classify:
// "image.png", "img.jpg".
bool is_named_image(std::string_view extension) {
  const std::string_view name = extension.substr(0, extension.find('.'));
  return (name == "image" || name == "img") &&
      is_plain(extension.substr(std::min(name.size() + 1, extension.size())));
}

LabelTexts make_texts(const SourceOptions& options) {
  return {
      read_class_map(options),
      printable(options.class_map),
      options.classes,
      options.class_order,
      options.trained_labels};
}

} // namespace

WebDataset::WebDataset(const SourceOptions& options)
    : texts_(make_texts(options)) {
  const std::string& label = options.label;
  if (label.starts_with(kJson) && label.size() > kJson.size()) {
    extension_ = "json";
    fields_ = split(std::string_view(label).substr(kJson.size()), '.');
    return;
  }
  VITRAIN_CHECK_DATA(
      label.empty() || label == "cls",
      "label '{}' is none that shards have: expected cls, or json:FIELD, such "
      "as json:class_id",
      printable(label));
}

std::pair<std::string_view, std::string_view> WebDataset::parts_of(
    std::string_view name) {
  const std::size_t base = name.rfind('/') + 1; // npos + 1 is 0
  const std::size_t dot = name.find('.', base);
  if (dot == name.npos || dot == base) {
    return {};
  }
  return {name.substr(0, dot), name.substr(dot + 1)};
}

std::string WebDataset::read_label(
    const TarReader& reader,
    const TarMember& member,
    const std::string& archive) const {
  const std::string bytes = reader.contents(member, kMostLabelBytes);
  if (fields_.empty()) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    return std::string(trim(without_prefix(bytes, kByteOrderMark)));
  }
  const auto where = [&] {
    return fmt::format(
        "{}: {} (byte {})", archive, printable(member.name), member.offset);
  };
  Json value = Json::parse(bytes, nullptr, /*allow_exceptions=*/false);
  VITRAIN_CHECK_DATA(!value.is_discarded(), "{}: is no JSON", where());
  for (const std::string& field : fields_) {
    VITRAIN_CHECK_DATA(
        value.is_object() && value.contains(field),
        "{}: has no field {}",
        where(),
        printable(join(fields_, ".")));
    value = Json(value[field]);
  }
  VITRAIN_CHECK_DATA(
      value.is_number_integer() || value.is_string(),
      "{}: field {} is neither a whole number nor a text",
      where(),
      printable(join(fields_, ".")));
  return value.is_string() ? std::string(trim(value.get<std::string>()))
                           : value.dump();
}

void WebDataset::begin_sample(
    std::string_view key,
    const TarMember& member,
    std::uint32_t file) {
  end_sample();
  sample_.key = key;
  sample_.archive = member.archive;
  sample_.file = file;
}

void WebDataset::check_is_new(
    const TarMember& member,
    const std::string& extension) {
  const auto [before, is_new] =
      sample_.members.emplace(extension, member.offset);
  VITRAIN_CHECK_DATA(
      is_new,
      "{}: {} (byte {}): the sample '{}' has this member already, at byte {}; "
      "samples that follow one another need keys of their own",
      files_[sample_.file],
      printable(member.name),
      member.offset,
      printable(sample_.key),
      before->second);
}

void WebDataset::add_image(
    const TarMember& member,
    std::string_view extension,
    std::uint32_t file) {
  const bool plain = is_plain(extension);
  Image& image = plain ? sample_.plain : sample_.named;
  if (!plain && !is_named_image(extension)) { // such as a mask
    return;
  }
  if (!image.name.empty()) {
    ++further_images_;
    return;
  }
  image = {member.name, place_of(member, file, files_[file])};
}

void WebDataset::add(
    const TarReader& reader,
    const TarMember& member,
    std::uint32_t file,
    const std::string& archive) {
  files_.resize(std::max<std::size_t>(files_.size(), file + 1));
  files_[file] = archive;
  const auto [key, suffix] = parts_of(member.name);
  if (key.empty()) {
    ++without_key_;
    return;
  }
  if (key != sample_.key || member.archive != sample_.archive) {
    begin_sample(key, member, file);
  }
  const std::string extension = ascii_lower(std::string(suffix));
  check_is_new(member, extension);
  if (extension == extension_) {
    sample_.label = read_label(reader, member, archive);
  } else if (detail::has_image_name(member.name)) {
    add_image(member, extension, file);
  }
}

void WebDataset::end_sample() {
  const Sample sample = std::exchange(sample_, {});
  const Image& image = sample.plain.name.empty() ? sample.named : sample.plain;
  if (image.name.empty()) {
    without_image_ += sample.key.empty() ? 0 : 1;
    for (const auto& [extension, offset] : sample.members) {
      if (other_image_.empty() && detail::has_image_name("." + extension)) {
        other_image_ = extension;
      }
    }
    return;
  }
  const std::string wrong = sample.label
      ? texts_.add(*sample.label, found_.labels)
      : fmt::format("no {} member stands beside it", extension_);
  VITRAIN_CHECK_DATA(
      wrong.empty(),
      "{}: {} (byte {}): {}",
      files_[sample.file],
      printable(image.name),
      image.place.offset,
      wrong);
  found_.add_name(image.name);
  found_.places.push_back(image.place);
}

void WebDataset::fill(Index::Contents& contents) && {
  found_.options = std::move(contents.options);
  contents = std::move(found_);
  contents.samples = std::ssize(contents.labels);
  texts_.finish(contents, [&](std::size_t at, const std::string& wrong) {
    fail_data(
        "{}: {} (byte {}): {}",
        files_[contents.places[at].file],
        printable(contents.names.c_str() + contents.name_starts[at]),
        contents.places[at].offset,
        wrong);
  });
  add_note(
      contents.notes,
      other_image_.empty()
          ? "samples without an image"
          : fmt::format(
                "samples without an image KEY.png or KEY.image.png (they have "
                "KEY.{})",
                printable(other_image_)),
      without_image_);
  add_note(
      contents.notes,
      "skipped images beside the first one of their sample",
      further_images_);
  add_note(contents.notes, "members whose name has no dot", without_key_);
  note_empty_classes(contents.labels, contents);
}

} // namespace vitrain::data
