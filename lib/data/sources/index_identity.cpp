// Identity of a dataset in the records of a run: fingerprints of an Index, and
// the folder of absolute names.

#include <algorithm>
#include <array>

#include "core/hash.h"
#include "data/sources/index.h"

namespace vitrain::data {
namespace {

std::string_view as_text(auto span) {
  return {reinterpret_cast<const char*>(span.data()), span.size_bytes()};
}

std::uint64_t hash_of(const std::vector<std::string>& texts) {
  std::string packed;
  for (const std::string& text : texts) {
    packed.append(text.c_str(), text.size() + 1);
  }
  return hash64(packed);
}

} // namespace

std::uint64_t Index::label_fingerprint() const {
  const std::array<std::uint64_t, 4> parts = {
      hash_of(classes_),
      hash64(as_text(labels_)),
      hash64(as_text(set_starts_)),
      hash64(as_text(set_labels_))};
  return hash64(as_text(std::span(parts)));
}

std::string Index::absolute_folder() const {
  if (options_.kind != SourceKind::kList || names_count() == 0) {
    return "";
  }
  std::string_view common = name(0);
  for (std::int64_t i = 0; i < names_count() && !common.empty(); ++i) {
    const std::string_view other = name(i);
    const auto differs = std::ranges::mismatch(common, other);
    common = common.substr(
        0, static_cast<std::size_t>(differs.in1 - common.begin()));
  }
  // Names with a common prefix may be in different folders; cuts it after the
  // last '/'.
  common = common.substr(0, common.rfind('/') + 1);
  return common.starts_with('/')
      ? std::string(
            common.substr(0, std::max<std::size_t>(1, common.size() - 1)))
      : "";
}

std::uint64_t Index::fingerprint() const {
  const bool generated = is_generated(options_.kind);
  // Excludes the names of archives, which depend on the dataset's location.
  const std::string_view names = places_.empty()
      ? names_
      : names_.substr(0, name_starts_[static_cast<std::size_t>(samples_)]);
  const std::array<std::uint64_t, 8> parts = {
      static_cast<std::uint64_t>(options_.kind),
      generated ? static_cast<std::uint64_t>(options_.size) : 0,
      generated ? static_cast<std::uint64_t>(options_.seed) : 0,
      static_cast<std::uint64_t>(samples_),
      hash_of(classes_),
      hash64(names),
      hash64(as_text(labels_)),
      hash64(as_text(file_starts_))};
  std::uint64_t listed = hash64(as_text(std::span(parts)));
  if (!subset_.empty() || has_label_sets()) {
    const std::array<std::uint64_t, 4> with = {
        listed,
        hash64(as_text(subset_)),
        hash64(as_text(set_starts_)),
        hash64(as_text(set_labels_))};
    listed = hash64(as_text(std::span(with)));
  }
  if (payload_.empty()) {
    return listed;
  }
  const std::array<std::uint64_t, 3> all = {
      listed, static_cast<std::uint64_t>(options_.targets), hash64(payload_)};
  return hash64(as_text(std::span(all)));
}

} // namespace vitrain::data
