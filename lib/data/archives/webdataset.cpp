#include "data/archives/webdataset.h"

#include <utility>

#include "core/check.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "data/archives/tar_files.h"
#include "data/sources/kinds/kinds.h"
#include "data/tools/pack.h"

namespace vitrain::data {
namespace {

constexpr std::int64_t kMostLabelBytes = 1 << 20;
constexpr std::string_view kJson = "json:";

// Whether what is behind the first dot of an image's name is no more than its
// format: "jpg", "jpg.vjc". "seg.png" is another image that belongs to it.
bool is_plain(std::string_view extension) {
  if (extension.ends_with(kPackedSuffix)) {
    extension.remove_suffix(kPackedSuffix.size());
  }
  return extension.find('.') == extension.npos;
}

LabelTexts make_texts(const SourceOptions& options) {
  return {
      read_class_map(options),
      printable(options.class_map),
      options.classes,
      options.class_order};
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
    return std::string(trim(bytes));
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
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void WebDataset::add(
    const TarReader& reader,
    const TarMember& member,
    std::uint32_t file,
    const std::string& archive) {
  const auto [key, extension] = parts_of(member.name);
  if (key.empty()) {
    ++without_key_;
    return;
  }
  if (key != sample_.key) {
    end_sample();
    sample_.key = key;
    sample_.archive = archive;
  }
  if (extension == extension_) {
    sample_.label = read_label(reader, member, archive);
  } else if (!detail::has_image_name(member.name) || !is_plain(extension)) {
    return; // a text, a mask, ...
  } else if (!sample_.image.empty()) {
    ++further_images_;
  } else {
    sample_.place = place_of(member, file, archive);
    sample_.image = member.name;
  }
}

void WebDataset::end_sample() {
  const Sample sample = std::exchange(sample_, {});
  if (sample.image.empty()) {
    without_image_ += sample.key.empty() ? 0 : 1;
    return;
  }
  const std::string wrong = sample.label
      ? texts_.add(*sample.label, found_.labels)
      : fmt::format("no {} member stands beside it", extension_);
  VITRAIN_CHECK_DATA(
      wrong.empty(),
      "{}: {} (byte {}): {}",
      sample.archive,
      printable(sample.image),
      sample.place.offset,
      wrong);
  found_.add_name(sample.image);
  found_.places.push_back(sample.place);
}

void WebDataset::fill(Index::Contents& contents) && {
  found_.options = std::move(contents.options);
  contents = std::move(found_);
  contents.samples = std::ssize(contents.labels);
  texts_.finish(contents);
  add_note(contents.notes, "samples without an image", without_image_);
  add_note(
      contents.notes,
      "skipped images beside the first one of their sample",
      further_images_);
  add_note(contents.notes, "members whose name has no dot", without_key_);
}

} // namespace vitrain::data
