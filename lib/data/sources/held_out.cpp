#include "data/sources/held_out.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/check.h"
#include "core/hash.h"
#include "core/text.h"
#include "data/sources/sample_labels.h"
#include "data/sources/select.h"
#include "data/sources/stratify.h"

namespace vitrain::data {
namespace {

// Samples with the same name, which are never separated.
struct Named {
  std::uint64_t rank = 0; // position in the order of holding out; lowest first
  std::string name;
  std::vector<std::int64_t> samples;
};
using NamedOfClass = std::vector<Named>;

bool has_names(const Index& index) {
  return index.options().kind != SourceKind::kVectors;
}

std::string name_of_sample(const Index& index, std::int64_t sample) {
  return has_names(index) ? std::string(index.name(sample))
                          : std::to_string(sample);
}

// Groups all samples by name, sorted by rank.
std::vector<Named> by_rank(const Index& index, std::uint64_t seed) {
  std::vector<Named> all;
  for (std::int64_t i = 0; i < index.size(); ++i) {
    std::string name = name_of_sample(index, i);
    const std::uint64_t rank = hash64(fmt::format("{} {}", seed, name));
    all.push_back({rank, std::move(name), {i}});
  }
  std::ranges::stable_sort(all, [](const Named& a, const Named& b) {
    return std::tie(a.rank, a.name) < std::tie(b.rank, b.name);
  });
  std::vector<Named> named;
  for (Named& one : all) {
    if (!named.empty() && named.back().name == one.name) {
      named.back().samples.push_back(one.samples.front());
    } else {
      named.push_back(std::move(one));
    }
  }
  return named;
}

// Groups the samples by class (vectors have a single class), sorted by rank. A
// name listed with several labels belongs to the class of the first one.
std::vector<NamedOfClass> by_class(
    const Index& index,
    std::vector<Named> named) {
  std::vector<NamedOfClass> classes(
      std::max<std::size_t>(1, index.classes().size()));
  for (Named& one : named) {
    const std::int64_t label =
        has_names(index) ? index.label(one.samples.front()) : 0;
    classes[static_cast<std::size_t>(label)].push_back(std::move(one));
  }
  return classes;
}

// Returns the number to hold out of each class: the rounded total is
// distributed by largest remainders, as far as no class loses its last name;
// ties go to the earlier class.
std::vector<std::size_t> quotas(
    const std::vector<NamedOfClass>& classes,
    double share) {
  std::vector<std::size_t> quotas;
  std::vector<std::pair<double, std::size_t>> remainders;
  std::size_t all = 0;
  std::size_t given = 0;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const double wanted = share * static_cast<double>(classes[c].size());
    const auto whole = static_cast<std::size_t>(wanted);
    quotas.push_back(whole);
    remainders.emplace_back(static_cast<double>(whole) - wanted, c);
    all += classes[c].size();
    given += whole;
  }
  const auto wanted =
      static_cast<std::size_t>(std::llround(share * static_cast<double>(all)));
  std::ranges::sort(remainders);
  for (const auto& [negative, c] : remainders) {
    if (given < wanted && quotas[c] + 1 < classes[c].size()) {
      ++quotas[c];
      ++given;
    }
  }
  return quotas;
}

// Samples of the two parts, and the number of classes of which nothing is held
// out.
struct Parts {
  std::vector<std::int64_t> train;
  std::vector<std::int64_t> held_out;
  std::int64_t untested = 0;

  void add(const Named& named, bool is_held_out) {
    std::vector<std::int64_t>& part = is_held_out ? held_out : train;
    part.insert(part.end(), named.samples.begin(), named.samples.end());
  }
};

Parts parts_of_classes(const std::vector<NamedOfClass>& classes, double share) {
  const std::vector<std::size_t> counts = quotas(classes, share);
  Parts parts;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    for (std::size_t i = 0; i < classes[c].size(); ++i) {
      parts.add(classes[c][i], i < counts[c]);
    }
    parts.untested += counts[c] == 0 && !classes[c].empty() ? 1 : 0;
  }
  return parts;
}

// Holds out every n-th name of each class. Classes start at different parts, so
// that the parts have equal sizes, also with many small classes.
Parts parts_of_folds(
    const std::vector<NamedOfClass>& classes,
    std::int64_t number,
    std::int64_t count) {
  Parts parts;
  std::int64_t position = 0;
  for (const NamedOfClass& named : classes) {
    const std::size_t before = parts.held_out.size();
    for (const Named& one : named) {
      parts.add(one, position++ % count == number - 1);
    }
    parts.untested += parts.held_out.size() == before && !named.empty() ? 1 : 0;
  }
  return parts;
}

// Splits a list with several labels per image; a name has the labels of all its
// lines.
Parts parts_of_label_lists(
    const Index& index,
    const std::vector<Named>& named,
    double share) {
  std::vector<std::vector<std::int32_t>> labels;
  for (const Named& one : named) {
    std::set<std::int32_t> all;
    for (const std::int64_t sample : one.samples) {
      for_each_label(index, sample, [&](std::int64_t label) {
        all.insert(static_cast<std::int32_t>(label));
      });
    }
    labels.emplace_back(all.begin(), all.end());
  }
  const auto classes = static_cast<std::int64_t>(index.classes().size());
  const std::vector<bool> held_out = stratify(labels, classes, share);
  std::set<std::int32_t> known;
  std::set<std::int32_t> tested;
  Parts parts;
  for (std::size_t i = 0; i < named.size(); ++i) {
    parts.add(named[i], held_out[i]);
    known.insert(labels[i].begin(), labels[i].end());
    if (held_out[i]) {
      tested.insert(labels[i].begin(), labels[i].end());
    }
  }
  parts.untested = std::ssize(known) - std::ssize(tested);
  return parts;
}

} // namespace

SplitData split_data(
    const Index& index,
    double share,
    std::uint64_t seed,
    const Fold& fold) {
  std::vector<Named> named = by_rank(index, seed);
  auto [train, held_out, untested] = index.has_label_sets()
      ? parts_of_label_lists(index, named, share)
      : fold ? parts_of_folds(
                   by_class(index, std::move(named)), (*fold)[0], (*fold)[1])
             : parts_of_classes(by_class(index, std::move(named)), share);
  VITRAIN_CHECK_DATA(
      !held_out.empty(),
      "{}: data.split: {} of {} is none: hold out a larger share",
      printable(index.options().path),
      shortest(share),
      counted(index.size(), "sample"));
  std::ranges::sort(train);
  std::ranges::sort(held_out);
  Index::Contents rest = select(index, held_out);
  rest.notes.clear(); // the notes on the listing stay with the training part
  add_note(rest.notes, "classes of which nothing is held out", untested);
  return {Index(select(index, train)), Index(std::move(rest))};
}

Index reduce(
    const Index& index,
    double share,
    std::optional<std::int64_t> most,
    std::uint64_t seed) {
  std::vector<std::int64_t> samples;
  for (const NamedOfClass& named : by_class(index, by_rank(index, seed))) {
    const auto part = std::ceil(share * static_cast<double>(named.size()));
    const std::size_t count =
        std::min(named.size(), static_cast<std::size_t>(most.value_or(part)));
    for (std::size_t i = 0; i < count; ++i) {
      samples.insert(
          samples.end(), named[i].samples.begin(), named[i].samples.end());
    }
  }
  std::ranges::sort(samples);
  return Index(select(index, samples));
}

std::string sample_names(const Index& index) {
  std::string names;
  for (std::int64_t i = 0; i < index.size(); ++i) {
    names += has_names(index) ? printable(index.name(i))
                              : to_hex(hash64(index.payload(i)));
    names += '\n';
  }
  return names;
}

} // namespace vitrain::data
