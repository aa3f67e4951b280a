#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/sources/index.h"

namespace vitrain::data {

// A dataset split into two parts without common samples.
struct SplitData {
  Index train;
  Index held_out;
};

// Part k (from 1) of n parts, [k, n]; nullopt: a share is held out instead.
using Fold = std::optional<std::array<std::int64_t, 2>>;

// Splits a dataset and holds out a share (0 to 0.9) of the names of every class
// (vectors: of all rows). The total is rounded to the nearest number, the
// number of each class up or down; no class is held out as a whole, which can
// make the total smaller. The choice depends only on the samples' names (for
// vectors, row numbers) and the seed, not on the order in which samples are
// listed. Lines of a list that name the same image stay together. For lists
// with several labels per image, about this share of every label is held out,
// see stratify(). Supports the kinds of is_selectable() (select.h). Throws
// Error(kData) if no sample would be held out.
// `fold`: [k, n] holds out part k (from 1) of n parts without common samples,
// instead of `share`, of data with one label for each sample. Then a class with
// a single name can be held out as a whole.
SplitData split_data(
    const Index& index,
    double share,
    std::uint64_t seed,
    const Fold& fold = {});

// Returns the dataset with `share` (0 to 1) of the names of every class,
// rounded up; if `most` is set, instead with at most that many of every class.
// Names and seed determine the choice, as in split_data(), which supports the
// same kinds. A list's names are chosen by their first label.
Index reduce(
    const Index& index,
    double share,
    std::optional<std::int64_t> most,
    std::uint64_t seed);

// Returns the names of all samples, one per line: for `list` and `tar` as in
// the index, for `folder` relative to the dataset's folder, for vectors a hash
// of each row.
std::string sample_names(const Index& index);

} // namespace vitrain::data
