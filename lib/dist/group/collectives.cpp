#include "dist/group/collectives.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <ranges>

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include "core/check.h"
#include "core/hash.h"

namespace vitrain::dist {
namespace {

// Number of int64 words in the first message: a header of 2 and up to 30
// values.
constexpr std::int64_t kSlabWords = 32;
constexpr std::int64_t kHeaderWords = 2;

// Returns a hash of the keys and their value types, in order.
std::int64_t signature(const Dict& dict) {
  std::string text;
  for (const auto& [key, value] : dict) {
    // The length prefix keeps a key from imitating another list of keys.
    text += std::holds_alternative<double>(value) ? 'f' : 'i';
    text += std::to_string(key.size()) + ':' + key;
  }
  return std::bit_cast<std::int64_t>(hash64(text));
}

std::vector<std::int64_t> packed_values(const Dict& dict) {
  std::vector<std::int64_t> words;
  for (const auto& [key, value] : dict) {
    const auto* integer = std::get_if<std::int64_t>(&value);
    words.push_back(
        integer != nullptr
            ? *integer
            : std::bit_cast<std::int64_t>(std::get<double>(value)));
  }
  return words;
}

at::Tensor to_tensor(const std::vector<std::int64_t>& words) {
  return at::tensor(at::ArrayRef<std::int64_t>(words), at::kLong);
}

// Throws an error that names the differing keys. Called on all ranks, which
// already know that some keys differ. Collective.
[[noreturn]] void refuse(Group& group, const Dict& dict) {
  std::vector<std::string> own;
  for (const auto& [key, value] : dict) {
    own.push_back(
        key + (std::holds_alternative<double>(value) ? " (float)" : " (int)"));
  }
  // set_difference() needs sorted ranges, and the suffixes may have changed the
  // order.
  std::ranges::sort(own);
  const auto keys = all_gather(group, own);
  std::string report;
  for (std::size_t rank = 1; rank < keys.size(); ++rank) {
    std::vector<std::string> missing;
    std::vector<std::string> extra;
    std::ranges::set_difference(
        keys[0], keys[rank], std::back_inserter(missing));
    std::ranges::set_difference(keys[rank], keys[0], std::back_inserter(extra));
    if (!missing.empty() || !extra.empty()) {
      report += fmt::format(
          "; rank {} lacks [{}] and has [{}] beyond rank 0",
          rank,
          fmt::join(missing, ", "),
          fmt::join(extra, ", "));
    }
  }
  fail(
      ExitCode::kInternal,
      "reduce_dict: the ranks passed different keys{}",
      report);
}

// Returns the sum over the ranks of entry `index`, as the type of `like`;
// `rows` holds each rank's values.
Number summed(
    const Number& like,
    const std::vector<const std::int64_t*>& rows,
    std::size_t index) {
  if (std::holds_alternative<double>(like)) {
    double sum = std::bit_cast<double>(rows.front()[index]);
    for (const std::int64_t* row : rows | std::views::drop(1)) {
      sum += std::bit_cast<double>(row[index]);
    }
    return sum;
  }
  std::uint64_t sum = 0; // unsigned: wraps instead of overflowing
  for (const std::int64_t* row : rows) {
    sum += static_cast<std::uint64_t>(row[index]);
  }
  return static_cast<std::int64_t>(sum);
}

} // namespace

double as_double(const Number& number) {
  return std::visit(
      [](auto value) { return static_cast<double>(value); }, number);
}

Dict reduce_dict(
    Group& group,
    const Dict& dict,
    bool average,
    const std::set<std::string>& largest) {
  std::vector<std::int64_t> words = packed_values(dict);
  const auto count = static_cast<std::int64_t>(words.size());
  std::vector<std::int64_t> slab{signature(dict), count};
  const std::int64_t first = std::min(count, kSlabWords - kHeaderWords);
  slab.insert(slab.end(), words.begin(), words.begin() + first);
  slab.resize(kSlabWords, 0);

  std::vector<at::Tensor> slabs = group.all_gather(to_tensor(slab));
  const bool same = std::ranges::all_of(slabs, [&](const at::Tensor& other) {
    return std::equal(
        slab.begin(),
        slab.begin() + kHeaderWords,
        other.const_data_ptr<std::int64_t>());
  });
  if (!same) {
    refuse(group, dict);
  }
  if (first < count) {
    slabs = group.all_gather(to_tensor(words));
  }
  std::vector<const std::int64_t*> rows;
  for (const at::Tensor& other : slabs) {
    rows.push_back(
        other.const_data_ptr<std::int64_t>() +
        (first < count ? 0 : kHeaderWords));
  }
  Dict reduced;
  std::size_t index = 0;
  for (const auto& [key, value] : dict) {
    if (largest.contains(key)) {
      reduced[key] = std::ranges::max(
          rows, {}, [&](const auto* row) { return row[index]; })[index];
      ++index;
      continue;
    }
    const Number sum = summed(value, rows, index++);
    reduced[key] = average ? Number(as_double(sum) / group.size()) : sum;
  }
  return reduced;
}

std::vector<std::string> all_gather_bytes(
    Group& group,
    const std::string& bytes) {
  const auto size = static_cast<std::int64_t>(bytes.size());
  const std::vector<at::Tensor> sizes = group.all_gather(to_tensor({size}));
  std::int64_t longest = 0;
  for (const at::Tensor& other : sizes) {
    longest = std::max(longest, other.item<std::int64_t>());
  }
  std::vector<std::string> all(sizes.size());
  if (longest == 0) {
    return all;
  }
  at::Tensor padded = at::zeros({longest}, at::kByte);
  std::memcpy(padded.mutable_data_ptr(), bytes.data(), bytes.size());
  const std::vector<at::Tensor> rows = group.all_gather(padded);
  for (std::size_t rank = 0; rank < rows.size(); ++rank) {
    all[rank].assign(
        static_cast<const char*>(rows[rank].const_data_ptr()),
        static_cast<std::size_t>(sizes[rank].item<std::int64_t>()));
  }
  return all;
}

} // namespace vitrain::dist
