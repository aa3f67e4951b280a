#include "data/sources/select.h"

#include <numeric>
#include <vector>

#include "core/check.h"

namespace vitrain::data {

Index::Contents select(
    const Index& index,
    std::span<const std::int64_t> samples) {
  const SourceKind kind = index.options().kind;
  VITRAIN_CHECK(
      is_selectable(kind),
      ExitCode::kInternal,
      "samples of this kind cannot be left out");
  const bool vectors = kind == SourceKind::kVectors;
  const bool placed = kind == SourceKind::kTar;
  Index::Contents contents;
  contents.options = index.options();
  contents.classes = index.classes();
  contents.notes = index.notes();
  contents.label_form = index.label_form();
  contents.samples = std::ssize(samples);
  contents.subset.assign(index.subset().begin(), index.subset().end());
  const auto start_set = [&] {
    if (index.has_label_sets()) {
      contents.set_starts.push_back(contents.set_labels.size());
    }
  };
  start_set();
  for (const std::int64_t sample : samples) {
    if (vectors) {
      contents.payload += index.payload(sample);
      continue;
    }
    contents.add_name(index.name(sample));
    contents.labels.push_back(static_cast<std::int32_t>(index.label(sample)));
    if (placed) {
      contents.places.push_back(index.place(sample));
    }
    if (index.has_label_sets()) {
      const auto labels = index.label_set(sample);
      contents.set_labels.insert(
          contents.set_labels.end(), labels.begin(), labels.end());
    }
    start_set();
  }
  // Copies the names of the archives, which follow the names of the samples.
  for (auto i = index.size(); placed && i < index.names_count(); ++i) {
    contents.add_name(index.name(i));
  }
  return contents;
}

Index::Contents select_all(const Index& index) {
  std::vector<std::int64_t> samples(static_cast<std::size_t>(index.size()));
  std::iota(samples.begin(), samples.end(), 0);
  return select(index, samples);
}

} // namespace vitrain::data
