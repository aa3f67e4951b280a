#include <algorithm>

#include "data/sources/class_names.h"
#include "data/sources/lines.h"
#include "data/sources/natural_order.h"
#include "fuzz/fuzz.h"

namespace vitrain::fuzz {
namespace {

// The input in pieces of `piece` bytes.
data::ReadBytes pieces(std::span<const std::uint8_t> input, std::size_t piece) {
  return [input, piece](std::span<char> into) mutable {
    const std::size_t got = std::min({input.size(), into.size(), piece});
    std::copy_n(input.begin(), got, into.begin());
    input = input.subspan(got);
    return got;
  };
}

// Every record gets the label of a class.
void read_table(std::span<const std::uint8_t> input, ClassOrder order) {
  accepts([&] {
    data::CsvRecords records(pieces(input, input.size()), "x.csv");
    data::LabelTexts labels({}, "", /*classes=*/0, order);
    data::Index::Contents contents;
    std::size_t lines = 0;
    for (std::vector<std::string> fields; records.next(fields);) {
      expect(!fields.empty(), "a record has fields");
      expect(
          records.number() > static_cast<std::int64_t>(lines),
          "lines are counted");
      lines = static_cast<std::size_t>(records.number());
      labels.add(fields.back(), contents.labels);
    }
    labels.finish(contents);
    for (const std::int32_t label : contents.labels) {
      expect(
          label >= 0 &&
              static_cast<std::size_t>(label) < contents.classes.size(),
          "a label is that of a class");
    }
    if (contents.classes.size() > 1 && contents.classes.front() != "0") {
      expect(
          std::ranges::is_sorted(
              contents.classes,
              [&](const std::string& a, const std::string& b) {
                return data::class_less(order, a, b);
              }),
          "classes are in order");
    }
  });
}

std::vector<std::string> lines_of(
    std::span<const std::uint8_t> input,
    std::size_t piece) {
  std::vector<std::string> all;
  accepts([&] {
    data::Lines lines(pieces(input, piece), "x.txt");
    for (std::string line; lines.next(line);) {
      all.push_back(line);
    }
  });
  return all;
}

} // namespace

void fuzz(std::span<const std::uint8_t> input) {
  read_table(input, ClassOrder::kTorchvision);
  read_table(input, ClassOrder::kTimm);
  // Beyond the mark at the start, lines do not depend on how they come in.
  expect(
      lines_of(input, std::max<std::size_t>(input.size(), 1)) ==
          lines_of(input, 7),
      "lines do not depend on the pieces that they come in");
  const std::string_view text(
      reinterpret_cast<const char*>(input.data()), input.size());
  const std::string_view left = text.substr(0, text.size() / 2);
  const std::string_view right = text.substr(text.size() / 2);
  expect(
      data::natural_less(left, right) + data::natural_less(right, left) ==
          (left == right ? 0 : 1),
      "the natural order is one");
}

} // namespace vitrain::fuzz
