#include "data/sources/held_out.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/check.h"
#include "core/hash.h"
#include "core/text/text.h"
#include "data/sources/select.h"

namespace vitrain::data {
namespace {

// Samples of one name, which stay together.
struct Named {
  std::uint64_t rank = 0; // in the order in which they are held out
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

// Of each class (vectors have one), in the order of their ranks. A name that is
// listed with several labels is of the first one's class.
std::vector<NamedOfClass> by_class(const Index& index, std::uint64_t seed) {
  std::vector<Named> all;
  for (std::int64_t i = 0; i < index.size(); ++i) {
    std::string name = name_of_sample(index, i);
    const std::uint64_t rank = hash64(fmt::format("{} {}", seed, name));
    all.push_back({rank, std::move(name), {i}});
  }
  std::ranges::stable_sort(all, [](const Named& a, const Named& b) {
    return std::tie(a.rank, a.name) < std::tie(b.rank, b.name);
  });
  std::vector<NamedOfClass> classes(
      std::max<std::size_t>(1, index.classes().size()));
  Named* last = nullptr;
  for (Named& one : all) {
    if (last != nullptr && last->name == one.name) {
      last->samples.push_back(one.samples.front());
      continue;
    }
    const std::int64_t label =
        has_names(index) ? index.label(one.samples.front()) : 0;
    NamedOfClass& of_class = classes[static_cast<std::size_t>(label)];
    of_class.push_back(std::move(one));
    last = &of_class.back();
  }
  return classes;
}

// How many of each class: the whole share rounded, handed out by the largest
// remainders, of equal ones to the earlier class.
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

} // namespace

SplitData split_data(const Index& index, double share, std::uint64_t seed) {
  const std::vector<NamedOfClass> classes = by_class(index, seed);
  const std::vector<std::size_t> counts = quotas(classes, share);
  std::vector<std::int64_t> train;
  std::vector<std::int64_t> held_out;
  std::int64_t untested = 0;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    for (std::size_t i = 0; i < classes[c].size(); ++i) {
      std::vector<std::int64_t>& part = i < counts[c] ? held_out : train;
      const std::vector<std::int64_t>& samples = classes[c][i].samples;
      part.insert(part.end(), samples.begin(), samples.end());
    }
    untested += counts[c] == 0 && !classes[c].empty() ? 1 : 0;
  }
  VITRAIN_CHECK_DATA(
      !held_out.empty(),
      "{}: data.split: {} of {} is none: hold out a larger share",
      printable(index.options().path),
      shortest(share),
      counted(index.size(), "sample"));
  std::ranges::sort(train);
  std::ranges::sort(held_out);
  Index::Contents rest = select(index, held_out);
  rest.notes.clear(); // those of the listing are told of the other part
  add_note(rest.notes, "classes of which nothing is held out", untested);
  return {Index(select(index, train)), Index(std::move(rest))};
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
