#include "data/sources/real_labels.h"

#include <optional>
#include <string_view>
#include <utility>

#include "core/check.h"
#include "core/json_reader.h"
#include "core/system/files.h"
#include "core/text.h"
#include "data/sources/select.h"

namespace vitrain::data {
namespace {

constexpr std::size_t kMostLabelBytes = std::size_t{256} << 20;
constexpr std::string_view kPrefix = "ILSVRC2012_val_";

// Returns N of ILSVRC2012_val_N, an image's name; nullopt for any other name.
std::optional<std::int64_t> place_of_image(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  std::string_view name = slash == path.npos ? path : path.substr(slash + 1);
  name = name.substr(0, name.find('.'));
  std::int64_t number = 0;
  const bool is_one = name.starts_with(kPrefix) &&
      parse_int(name.substr(kPrefix.size()), number) && number > 0;
  return is_one ? std::optional(number) : std::nullopt;
}

Json read_real(const std::string& file) {
  const std::string shown = printable(file);
  Json json = parse_json(
      read_file(file, kMostLabelBytes, ExitCode::kData),
      shown,
      ExitCode::kData);
  VITRAIN_CHECK_DATA(
      json.is_array() && !json.empty(),
      "{}: is no list; eval.real_labels is real.json, a list with a list of "
      "classes for each validation image of ImageNet",
      shown);
  return json;
}

// Adds the classes of entry `i` as further labels.
void add_entry(
    const Json& entries,
    std::size_t i,
    const std::string& file,
    Index::Contents& contents) {
  const auto classes = std::ssize(contents.classes);
  const Json& entry = entries[i];
  VITRAIN_CHECK_DATA(
      entry.is_array(),
      "{}: entry {} is {}; expected a list of classes",
      printable(file),
      i,
      printable(entry.dump().substr(0, 200)));
  for (const Json& label : entry) {
    VITRAIN_CHECK_DATA(
        label.is_number_integer() && label >= 0 && label < classes,
        "{}: entry {} has the label {}, which is not one of the {} classes of "
        "the evaluation data, 0 to {}",
        printable(file),
        i,
        printable(label.dump().substr(0, 200)),
        with_commas(classes),
        classes - 1);
    contents.set_labels.push_back(label.get<std::int32_t>());
  }
}

} // namespace

Index with_real_labels(const Index& data, const std::string& file) {
  const Json entries = read_real(file);
  Index::Contents contents = select_all(data);
  contents.set_labels.clear();
  contents.set_starts = {0};
  std::int64_t empty = 0;
  for (std::int64_t i = 0; i < data.size(); ++i) {
    const auto place = place_of_image(data.name(i));
    VITRAIN_CHECK_DATA(
        place && *place <= std::ssize(entries),
        "{} has no entry in {}: eval.real_labels is for the validation images "
        "of ImageNet, which have names from {}00000001.JPEG to {}{:08}.JPEG",
        printable(data.name(i)),
        printable(file),
        kPrefix,
        kPrefix,
        entries.size());
    add_entry(entries, static_cast<std::size_t>(*place - 1), file, contents);
    empty += contents.set_labels.size() == contents.set_starts.back() ? 1 : 0;
    contents.set_starts.push_back(contents.set_labels.size());
  }
  add_note(contents.notes, "images without a label in eval.real_labels", empty);
  return Index(std::move(contents));
}

} // namespace vitrain::data
