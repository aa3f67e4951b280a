#include "data/sources/index.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <tuple>

#include "core/check.h"
#include "core/system/files.h"
#include "core/text.h"

namespace vitrain::data {
namespace {

constexpr std::uint64_t kMagic = 0x3558444E49525456; // "VTRINDX5"

enum Section : int {
  kNameStarts,
  kFileStarts,
  kLabels,
  kNames,
  kClasses,
  kNotes,
  kPath,
  kPayload,
  kPlaces,
  kSetStarts,
  kSetLabels,
  kSubset,
};
constexpr std::size_t kSections = 12;

// IndexHeader at the start of the block; the sections follow in the order of
// Section.
struct IndexHeader {
  std::uint64_t magic = kMagic;
  std::int32_t kind = 0;
  std::int32_t train = 0;
  std::int64_t count = 0;
  std::int64_t size = 0;
  std::int64_t seed = 0;
  std::int64_t features = 0;
  std::int64_t targets = 0;
  std::int64_t samples = 0;
  std::int64_t label_form = 0;
  std::array<std::uint64_t, kSections> section_bytes{};
};
static_assert(std::is_trivially_copyable_v<IndexHeader>);

// Rounds up to a multiple of 8: sections start there, so that their numbers are
// aligned.
std::size_t padded(std::size_t bytes) {
  return (bytes + 7) / 8 * 8;
}

// Joins texts as zero-terminated strings.
std::string pack(const std::vector<std::string>& texts) {
  std::string packed;
  for (const std::string& text : texts) {
    packed.append(text.c_str(), text.size() + 1);
  }
  return packed;
}

std::vector<std::string> unpack(std::string_view packed) {
  std::vector<std::string> texts;
  while (!packed.empty()) {
    const std::size_t end = packed.find('\0');
    texts.emplace_back(packed.substr(0, end));
    packed.remove_prefix(end + 1);
  }
  return texts;
}

std::string_view raw(const std::string& text) {
  return text;
}

template <typename T>
std::string_view raw(const std::vector<T>& values) {
  return {
      reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

template <typename T>
std::span<const T> numbers(std::string_view bytes) {
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

void require(bool condition, const char* what) {
  VITRAIN_CHECK(
      condition, ExitCode::kInternal, "the dataset index is damaged: {}", what);
}

// Returns the sections of a block. Throws if they do not fill it exactly.
std::array<std::string_view, kSections> sections_of(
    const IndexHeader& header,
    std::span<const char> bytes) {
  std::array<std::string_view, kSections> sections;
  std::size_t offset = sizeof(IndexHeader);
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const std::size_t size = header.section_bytes[i];
    require(size <= bytes.size() - offset, "a section is too long");
    sections[i] = {bytes.data() + offset, size};
    offset += padded(size);
    require(offset <= bytes.size(), "a section is too long");
  }
  require(offset == bytes.size(), "wrong length");
  for (const Section section : {kNames, kClasses, kNotes}) {
    require(
        sections[section].empty() || sections[section].back() == '\0',
        "a name has no end");
  }
  return sections;
}

void check_header(const IndexHeader& header) {
  require(header.magic == kMagic, "wrong magic number");
  require(
      header.kind >= 0 &&
          static_cast<std::size_t>(header.kind) < names_of(SourceKind{}).size(),
      "unknown kind");
  require(header.samples >= 0, "negative size");
  require(
      header.label_form >= 0 &&
          header.label_form <= static_cast<std::int64_t>(LabelForm::kNames),
      "unknown form of labels");
}

// Checks the payload's size against the header; for kinds whose rows have no
// fixed size, only that it is divisible by the number of samples.
void check_payload(const IndexHeader& header, std::string_view payload) {
  constexpr std::int64_t kMost = std::int64_t{1} << 20;
  std::int64_t each = 0;
  if (header.kind == static_cast<std::int32_t>(SourceKind::kMnist)) {
    require(header.size >= 1 && header.size <= kMost, "an image's size");
    each = header.size * header.size;
  } else if (header.kind == static_cast<std::int32_t>(SourceKind::kVectors)) {
    require(
        header.features >= 1 && header.features <= kMost &&
            header.targets >= 1 && header.targets <= kMost,
        "a row's size");
    each = (header.features + header.targets) *
        static_cast<std::int64_t>(sizeof(float));
  }
  const auto bytes = static_cast<std::int64_t>(payload.size());
  const bool fits = each > 0
      ? bytes % each == 0 && bytes / each == header.samples
      : bytes == 0 || (header.samples > 0 && bytes % header.samples == 0);
  require(fits, "the payload's size");
}

} // namespace

void add_note(
    std::vector<std::string>& notes,
    std::string_view what,
    std::int64_t count) {
  if (count > 0) {
    notes.push_back(fmt::format("{}: {}", what, with_commas(count)));
  }
}

void Index::Contents::add_name(std::string_view name) {
  name_starts.push_back(names.size());
  names.append(name).push_back('\0');
}

Index::Index(Contents contents) {
  const SourceOptions& options = contents.options;
  IndexHeader header;
  header.kind = static_cast<std::int32_t>(options.kind);
  header.train = options.train ? 1 : 0;
  header.count = options.count;
  header.size = options.size;
  header.seed = options.seed;
  header.features = options.features;
  header.targets = options.targets;
  header.samples = contents.samples;
  header.label_form = static_cast<std::int64_t>(contents.label_form);
  std::string classes = pack(contents.classes);
  std::string notes = pack(contents.notes);
  // In the order of Section.
  const auto sections = std::tie(
      contents.name_starts,
      contents.file_starts,
      contents.labels,
      contents.names,
      classes,
      notes,
      contents.options.path,
      contents.payload,
      contents.places,
      contents.set_starts,
      contents.set_labels,
      contents.subset);
  std::size_t total = sizeof(IndexHeader);
  std::size_t next = 0;
  const auto count = [&](const auto& section) {
    header.section_bytes[next++] = raw(section).size();
    total += padded(raw(section).size());
  };
  std::apply([&](const auto&... section) { (count(section), ...); }, sections);
  auto block = std::make_shared<std::string>();
  block->reserve(total);
  block->append(reinterpret_cast<const char*>(&header), sizeof(header));
  // Frees each section after copying it, so that a large dataset is never in
  // memory twice.
  const auto move = [&](auto& section) {
    block->append(raw(section));
    block->append(padded(block->size()) - block->size(), '\0');
    section = {};
  };
  std::apply([&](auto&... section) { (move(section), ...); }, sections);
  bytes_ = {block->data(), block->size()};
  owner_ = std::move(block);
  attach();
}

Index::Index(std::span<const char> bytes, std::shared_ptr<const void> owner)
    : owner_(std::move(owner)), bytes_(bytes) {
  attach();
}

Index Index::map(int fd) {
  struct stat status {};
  VITRAIN_CHECK(
      ::fstat(fd, &status) == 0 && status.st_size > 0,
      ExitCode::kInternal,
      "cannot map the dataset index: it is empty or not a file");
  const auto size = static_cast<std::size_t>(status.st_size);
  void* start = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
  VITRAIN_CHECK(
      start != MAP_FAILED,
      ExitCode::kInternal,
      "cannot map the dataset index: {}",
      error_text(errno));
  std::shared_ptr<const void> owner(
      start, [size](void* pages) { ::munmap(pages, size); });
  return Index({static_cast<const char*>(start), size}, std::move(owner));
}

void Index::attach() {
  IndexHeader header;
  require(bytes_.size() >= sizeof(header), "too short");
  require(
      reinterpret_cast<std::uintptr_t>(bytes_.data()) % alignof(IndexHeader) ==
          0,
      "not aligned");
  std::memcpy(&header, bytes_.data(), sizeof(header));
  check_header(header);
  const auto sections = sections_of(header, bytes_);
  options_ = {
      static_cast<SourceKind>(header.kind),
      std::string(sections[kPath]),
      header.train != 0,
      header.count,
      header.size,
      header.seed,
      SourceOptions{}.classes,
      header.features,
      header.targets,
      /*class_order=*/{},
      /*class_map=*/{},
      /*label=*/{},
      /*multi_label=*/false,
      /*trained_labels=*/{}};
  samples_ = header.samples;
  label_form_ = static_cast<LabelForm>(header.label_form);
  name_starts_ = numbers<std::uint64_t>(sections[kNameStarts]);
  file_starts_ = numbers<std::int64_t>(sections[kFileStarts]);
  labels_ = numbers<std::int32_t>(sections[kLabels]);
  names_ = sections[kNames];
  classes_ = unpack(sections[kClasses]);
  notes_ = unpack(sections[kNotes]);
  payload_ = sections[kPayload];
  places_ = numbers<Place>(sections[kPlaces]);
  set_starts_ = numbers<std::uint64_t>(sections[kSetStarts]);
  set_labels_ = numbers<std::int32_t>(sections[kSetLabels]);
  subset_ = numbers<std::int32_t>(sections[kSubset]);
  const bool vectors = options_.kind == SourceKind::kVectors;
  require(classes_.empty() == vectors, "no classes");
  check_payload(header, payload_);
  require(
      labels_.empty() || labels_.size() == static_cast<std::size_t>(samples_),
      "wrong number of labels");
  for (const auto labels : {labels_, set_labels_, subset_}) {
    for (const std::int32_t label : labels) {
      require(
          label >= 0 && static_cast<std::size_t>(label) < classes_.size(),
          "a label is out of range");
    }
  }
  for (const std::uint64_t start : name_starts_) {
    require(start < names_.size(), "a name is out of range");
  }
  check_places();
  check_sets();
}

// Checks that, if there are places, each sample has one and a name, and that
// the names of the files follow the names of the samples.
void Index::check_places() const {
  const std::int64_t files = names_count() - samples_;
  require(
      places_.empty() || (std::ssize(places_) == samples_ && files > 0),
      "wrong number of places");
  for (const Place& place : places_) {
    require(place.offset >= 0 && place.file < files, "a place is out of range");
  }
}

// Checks that each sample's further labels end where the next sample's begin.
void Index::check_sets() const {
  require(
      set_starts_.empty() ? set_labels_.empty()
                          : std::ssize(set_starts_) == samples_ + 1 &&
              set_starts_.back() == set_labels_.size() &&
              std::ranges::is_sorted(set_starts_),
      "the labels of a sample are out of range");
}

std::span<const std::int32_t> Index::label_set(std::int64_t sample) const {
  const auto i = static_cast<std::size_t>(sample);
  return set_labels_.subspan(
      set_starts_[i], set_starts_[i + 1] - set_starts_[i]);
}

std::int64_t Index::label(std::int64_t sample) const {
  return labels_.empty() ? sample % static_cast<std::int64_t>(classes_.size())
                         : labels_[static_cast<std::size_t>(sample)];
}

const char* Index::name(std::int64_t i) const {
  return names_.data() + name_starts_[static_cast<std::size_t>(i)];
}

std::string_view Index::payload(std::int64_t sample) const {
  const std::size_t each = payload_.size() / static_cast<std::size_t>(samples_);
  return payload_.substr(static_cast<std::size_t>(sample) * each, each);
}

} // namespace vitrain::data
