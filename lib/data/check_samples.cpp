#include "data/check_samples.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <future>
#include <limits>
#include <utility>

#include "core/check.h"
#include "core/hash.h"
#include "core/system/clock.h"
#include "core/text.h"
#include "data/kinds/datasets.h"
#include "data/load/bad_samples.h"
#include "data/load/image_rows.h"
#include "data/load/rows.h"
#include "data/sources/sample_labels.h"
#include "image/formats/decode.h"
#include "image/formats/decode_room.h"
#include "options/channels.h"

namespace vitrain::data {
namespace {

// Content hash of a sample, for finding duplicates.
struct Content {
  Hash128 hash{};
  std::int32_t split = 0;
  std::int64_t sample = 0;

  auto operator<=>(const Content&) const = default;
};

// A dataset with access to its samples.
struct Split {
  std::shared_ptr<const Index> index;
  std::unique_ptr<const Source> source; // null: vectors

  std::string describe(std::int64_t sample) const {
    return source ? source->describe(sample)
                  : VectorRows(index).describe(sample);
  }
};

// Results of one thread, merged at the end.
struct Part {
  std::vector<SplitReport> splits;
  std::vector<Content> contents;
};

void widen(SplitReport& report, const Extent& size) {
  Extent& least = report.smallest;
  Extent& most = report.largest;
  least.width = std::min(least.width, size.width);
  least.height = std::min(least.height, size.height);
  most.width = std::max(most.width, size.width);
  most.height = std::max(most.height, size.height);
}

constexpr Extent kNoneYet{
    std::numeric_limits<std::int64_t>::max(),
    std::numeric_limits<std::int64_t>::max()};

// Reads samples in one thread, and adds what it finds to that thread's results.
class Reader {
 public:
  Reader(
      const std::vector<Split>& splits,
      const CheckOptions& options,
      Part& part)
      : splits_(splits),
        options_(options.decode),
        channels_(options.channels),
        part_(part) {
    part_.splits.resize(splits.size());
    for (SplitReport& report : part_.splits) {
      report.smallest = kNoneYet;
    }
  }

  void read(std::size_t split, std::int64_t sample) {
    const Split& from = splits_[split];
    SplitReport& report = part_.splits[split];
    Content content{
        .split = static_cast<std::int32_t>(split), .sample = sample};
    if (!from.source) {
      content.hash = hash128(from.index->payload(sample));
      part_.contents.push_back(content);
      return;
    }
    image::DecodeRoom room; // releases its memory after the image is freed
    try {
      const image::Image image =
          decode(*from.source, sample, report, content, room);
      ++report.sizes
            [std::bit_width(
                 static_cast<unsigned>(std::min(image.width, image.height))) -
             1];
      widen(report, {image.width, image.height});
      std::string problem = describe_defects(
          RowDefects{.warnings = image.warnings, .clipped = image.clipped});
      if (!problem.empty()) {
        report.warned.push_back(
            {sample, from.describe(sample), std::move(problem)});
      }
      part_.contents.push_back(content);
    } catch (const Error& error) {
      if (error.code() != ExitCode::kData) {
        throw;
      }
      report.bad.push_back(
          {sample,
           from.describe(sample),
           without_prefix(error.what(), from.describe(sample) + ": ")});
    }
  }

 private:
  image::Image decode(
      const Source& source,
      std::int64_t sample,
      SplitReport& report,
      Content& content,
      image::DecodeRoom& room) {
    const bool colours = are_colours(channels_);
    if (!source.read(sample, bytes_)) {
      image::Image image = colours
          ? source.load(sample)
          : std::move(source.load_channels(sample, channels_).front());
      content.hash = hash128(image::text_of(image.pixels));
      return image;
    }
    content.hash = hash128(bytes_);
    room = image::DecodeRoom(
        image::decode_bytes(image::bytes_of(bytes_), options_, channels_),
        options_.memory);
    image::Image image = colours
        ? image::decode(image::bytes_of(bytes_), options_)
        : std::move(image::decode_channels(
                        image::bytes_of(bytes_), channels_, options_)
                        .front());
    report.bytes += std::ssize(bytes_);
    ++report.formats[image::describe_content(image::bytes_of(bytes_))];
    return image;
  }

  const std::vector<Split>& splits_;
  const image::DecodeOptions& options_;
  int channels_;
  Part& part_;
  std::string bytes_;
};

// Reads all samples on several threads; returns the results of each thread.
std::vector<Part> scan(
    const std::vector<Split>& splits,
    const CheckOptions& options) {
  std::int64_t all = 0;
  for (const Split& split : splits) {
    all += split.index->size();
  }
  std::atomic<std::int64_t> next = 0;
  std::atomic<std::int64_t> done = 0;
  const auto work = [&] {
    // Threads take samples in small lots, so that none is idle for long at the
    // end.
    constexpr std::int64_t kLot = 16;
    Part part;
    try {
      Reader reader(splits, options, part);
      for (std::int64_t first = 0; (first = next.fetch_add(kLot)) < all;) {
        for (std::int64_t i = first; i < std::min(first + kLot, all); ++i) {
          std::size_t split = 0;
          std::int64_t sample = i;
          while (sample >= splits[split].index->size()) {
            sample -= splits[split++].index->size();
          }
          reader.read(split, sample);
          done.fetch_add(1, std::memory_order_relaxed);
        }
      }
    } catch (...) {
      next = all; // stops the other threads
      throw;
    }
    return part;
  };
  const auto tell = [&] {
    if (options.progress) {
      options.progress(done, all);
    }
  };
  std::vector<std::future<Part>> threads;
  for (int i = 0; i < options.threads; ++i) {
    threads.push_back(std::async(std::launch::async, work));
  }
  std::vector<Part> parts;
  for (std::future<Part>& thread : threads) {
    while (thread.wait_for(std::chrono::milliseconds(100)) !=
           std::future_status::ready) {
      tell();
    }
    parts.push_back(thread.get());
  }
  tell();
  return parts;
}

void add(SplitReport& to, SplitReport& from) {
  to.bytes += from.bytes;
  for (const auto& [format, count] : from.formats) {
    to.formats[format] += count;
  }
  for (const auto& [power, count] : from.sizes) {
    to.sizes[power] += count;
  }
  if (!from.sizes.empty()) {
    widen(to, from.smallest);
    widen(to, from.largest);
  }
  std::ranges::move(from.bad, std::back_inserter(to.bad));
  std::ranges::move(from.warned, std::back_inserter(to.warned));
}

SplitReport describe(const std::string& name, const Index& index) {
  SplitReport report{
      .name = name,
      .path = printable(index.options().path),
      .samples = index.size(),
      .classes = index.classes(),
      .class_counts = std::vector<std::int64_t>(index.classes().size()),
      .label_lists = index.has_label_sets(),
      .notes = index.notes()};
  for (std::int64_t i = 0; !report.classes.empty() && i < index.size(); ++i) {
    for_each_label(index, i, [&](std::int64_t label) {
      ++report.class_counts[static_cast<std::size_t>(label)];
    });
  }
  report.smallest = kNoneYet;
  return report;
}

std::vector<Duplicates> find_duplicates(
    std::vector<Content>& contents,
    const std::vector<Split>& splits) {
  std::ranges::sort(contents);
  std::vector<Duplicates> found;
  for (std::size_t i = 0; i < contents.size();) {
    std::size_t end = i + 1;
    while (end < contents.size() && contents[end].hash == contents[i].hash) {
      ++end;
    }
    if (end - i > 1) {
      Duplicates& group = found.emplace_back();
      for (; i < end; ++i) {
        const Split& split =
            splits[static_cast<std::size_t>(contents[i].split)];
        group.occurrences.push_back(
            {contents[i].split,
             contents[i].sample,
             split.describe(contents[i].sample),
             split.index->classes().empty()
                 ? std::vector<std::int32_t>()
                 : sorted_labels(*split.index, contents[i].sample)});
      }
    }
    i = end;
  }
  std::ranges::sort(found, {}, [](const Duplicates& group) {
    return group.occurrences.front();
  });
  return found;
}

} // namespace

bool Duplicates::across_labels() const {
  return std::ranges::any_of(occurrences, [&](const Occurrence& occurrence) {
    return occurrence.labels != occurrences.front().labels;
  });
}

bool CheckReport::clean() const {
  return std::ranges::all_of(
      splits, [](const SplitReport& split) { return split.bad.empty(); });
}

std::int64_t CheckReport::repeated(int of, int in) const {
  std::int64_t count = 0;
  for (const Duplicates& group : duplicates) {
    const auto here = std::ranges::count(
        group.occurrences, of, &Duplicates::Occurrence::split);
    const auto there = std::ranges::count(
        group.occurrences, in, &Duplicates::Occurrence::split);
    count += of == in ? std::max<std::int64_t>(here - 1, 0)
        : there > 0   ? here
                      : 0;
  }
  return count;
}

CheckReport check(
    const std::vector<std::pair<std::string, std::shared_ptr<const Index>>>&
        splits,
    const CheckOptions& options) {
  const Stopwatch watch;
  CheckReport report;
  std::vector<Split> open_splits;
  for (const auto& [name, index] : splits) {
    report.splits.push_back(describe(name, *index));
    const bool vectors = index->options().kind == SourceKind::kVectors;
    open_splits.push_back({index, vectors ? nullptr : open(index)});
  }
  std::vector<Content> contents;
  for (Part& part : scan(open_splits, options)) {
    contents.insert(contents.end(), part.contents.begin(), part.contents.end());
    for (std::size_t i = 0; i < part.splits.size(); ++i) {
      add(report.splits[i], part.splits[i]);
    }
  }
  for (SplitReport& split : report.splits) {
    std::ranges::sort(split.bad, {}, &SampleDefect::sample);
    std::ranges::sort(split.warned, {}, &SampleDefect::sample);
    if (split.sizes.empty()) {
      split.smallest = {};
    }
  }
  report.duplicates = find_duplicates(contents, open_splits);
  report.seconds = watch.seconds();
  return report;
}

} // namespace vitrain::data
