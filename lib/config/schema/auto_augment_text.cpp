#include "config/schema/auto_augment_text.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "core/ascii.h"
#include "core/text.h"

namespace vitrain::config {
namespace {

using Source = PolicySource;
using Kind = PolicyKind;

// A letter followed by a value, such as m9; numbers must be in [low, high].
struct Letter {
  std::string_view name;
  std::variant<
      std::int64_t AutoAugment::*,
      double AutoAugment::*,
      bool AutoAugment::*,
      std::string AutoAugment::*>
      member;
  double low = 0;
  double high = 0;
};

constexpr double kNoEnd = std::numeric_limits<double>::infinity();
constexpr Letter kLayers{"n", &AutoAugment::layers, 1, 32};
constexpr Letter kMagnitude{"m", &AutoAugment::magnitude, 0, 100};
constexpr Letter kDeviation{"mstd", &AutoAugment::deviation, 0, kNoEnd};
constexpr Letter kWidth{"w", &AutoAugment::width, 1, 16};
constexpr Letter kDepth{"d", &AutoAugment::depth, 1, 16};
constexpr Letter kAlpha{"a", &AutoAugment::alpha, 0.01, 1000};
constexpr Letter kBins{"b", &AutoAugment::bins, 2, 1000};

constexpr std::array kTimmRand{
    kMagnitude,
    kLayers,
    Letter{"p", &AutoAugment::probability, 0, 1},
    kDeviation,
    Letter{"mmax", &AutoAugment::most, 1, 100},
    Letter{"inc", &AutoAugment::increasing},
    Letter{"t", &AutoAugment::table}};
constexpr std::array kTimmAuto{kDeviation};
constexpr std::array kTimmMix{
    kMagnitude,
    kWidth,
    kDepth,
    kAlpha,
    Letter{"b", &AutoAugment::blended},
    kDeviation};
constexpr std::array kTorchvisionRand{kLayers, kMagnitude, kBins};
constexpr std::array kTorchvisionTrivial{kBins};
constexpr std::array kTorchvisionMix{
    Letter{"s", &AutoAugment::magnitude, 1, 10},
    kWidth,
    kDepth,
    kAlpha,
    Letter{"o", &AutoAugment::all_ops}};
constexpr std::array kPaddleVitRand{kLayers, kMagnitude};

constexpr std::array<std::string_view, 3> kOperationSets{
    "weights",
    "3a",
    "3aw"};

// Prefix of a text, and the values that it selects.
struct Head {
  std::string_view name;
  AutoAugment value;
  std::span<const Letter> letters;
};

const std::vector<Head>& heads() {
  const auto timm = [](const char* table) {
    return AutoAugment{.kind = Kind::kAuto, .table = table};
  };
  const auto torchvision = [](const char* table) {
    return AutoAugment{
        .source = Source::kTorchvision, .kind = Kind::kAuto, .table = table};
  };
  static const std::vector<Head> all{
      {"rand", {}, kTimmRand},
      {"augmix",
       {.kind = Kind::kMix, .magnitude = 3, .deviation = kNoEnd},
       kTimmMix},
      {"v0", timm("v0"), kTimmAuto},
      {"v0r", timm("v0r"), kTimmAuto},
      {"original", timm("original"), kTimmAuto},
      {"originalr", timm("originalr"), kTimmAuto},
      {"3a", timm("3a"), kTimmAuto},
      {"torchvision:randaugment",
       {.source = Source::kTorchvision, .magnitude = 9},
       kTorchvisionRand},
      {"torchvision:autoaugment-imagenet", torchvision("imagenet"), {}},
      {"torchvision:autoaugment-cifar10", torchvision("cifar10"), {}},
      {"torchvision:autoaugment-svhn", torchvision("svhn"), {}},
      {"torchvision:trivialaugment",
       {.source = Source::kTorchvision, .kind = Kind::kTrivial},
       kTorchvisionTrivial},
      {"torchvision:augmix",
       {.source = Source::kTorchvision, .kind = Kind::kMix, .magnitude = 3},
       kTorchvisionMix},
      {"paddlevit:randaugment",
       {.source = Source::kPaddleVit,
        .magnitude = 9,
        .deviation = 0.5,
        .increasing = true},
       kPaddleVitRand},
      {"paddlevit:autoaugment",
       {.source = Source::kPaddleVit,
        .kind = Kind::kAuto,
        .table = "original",
        .deviation = 0.5},
       {}}};
  return all;
}

// Returns the longest head that ends at a dash or the end of `text`; null if
// there is none.
const Head* head_of(std::string_view text) {
  const Head* found = nullptr;
  for (const Head& head : heads()) {
    const std::size_t length = head.name.size();
    const bool begins = text.starts_with(head.name) &&
        (text.size() == length || text[length] == '-');
    if (begins && (found == nullptr || length > found->name.size())) {
      found = &head;
    }
  }
  return found;
}

template <typename Items, typename NameOf>
std::string names_of_all(const Items& items, NameOf name_of) {
  std::vector<std::string> names;
  for (const auto& item : items) {
    names.emplace_back(name_of(item));
  }
  return join(names, ", ");
}

bool starts_with_digit(std::string_view text) {
  return !text.empty() && is_digit(text.front());
}

// Sets the letter's value. Returns "" on success, otherwise the expected
// values.
std::string
set(const Letter& letter, std::string_view value, AutoAugment& read) {
  const auto in_range = [&](double number) {
    return number >= letter.low && number <= letter.high;
  };
  const auto range = [&](const char* kind) {
    return letter.high == kNoEnd
        ? fmt::format("{} >= {}", kind, letter.low)
        : fmt::format("{} in [{}, {}]", kind, letter.low, letter.high);
  };
  if (const auto* whole =
          std::get_if<std::int64_t AutoAugment::*>(&letter.member)) {
    std::int64_t number = 0;
    if (!starts_with_digit(value) || !parse_int(value, number) ||
        !in_range(static_cast<double>(number))) {
      return range("an integer");
    }
    read.** whole = number;
  } else if (
      const auto* real = std::get_if<double AutoAugment::*>(&letter.member)) {
    double number = 0;
    if (!starts_with_digit(value) || !parse_double(value, number) ||
        !in_range(number)) {
      return range("a number");
    }
    read.** real = number;
  } else if (
      const auto* flag = std::get_if<bool AutoAugment::*>(&letter.member)) {
    if (value != "0" && value != "1") {
      return "0 or 1";
    }
    read.** flag = value == "1";
  } else {
    if (std::ranges::find(kOperationSets, value) == kOperationSets.end()) {
      return "one of " + names_of_all(kOperationSets, [](auto name) {
               return std::string(name);
             });
    }
    read.table = value;
  }
  return "";
}

// Returns the letter at the beginning of a part; null if it is unknown. Its
// name ends before the first digit; but a set of operations may begin with a
// digit.
const Letter* letter_of(
    std::string_view part,
    std::span<const Letter> letters) {
  const std::size_t digit = part.find_first_of("0123456789");
  const std::string_view name = part.substr(0, digit);
  const auto exact = std::ranges::find(letters, name, &Letter::name);
  if (exact != letters.end()) {
    return &*exact;
  }
  const auto set = std::ranges::find(letters, "t", &Letter::name);
  return set != letters.end() && part.starts_with('t') ? &*set : nullptr;
}

std::string
at(std::size_t position, std::string_view part, const std::string& text) {
  return fmt::format(
      "at character {}, \"{}\": {}", position + 1, printable(part), text);
}

// Returns the first broken rule about several letters; "" if there is none.
std::string check(const AutoAugment& read) {
  if (read.source == Source::kTorchvision && read.kind == Kind::kRand &&
      read.magnitude >= read.bins) {
    return fmt::format(
        "m{} must be less than the number of magnitudes, b{}",
        read.magnitude,
        read.bins);
  }
  const std::int64_t weighted = read.table == "weights" ? 15
      : read.table == "3aw"                             ? 14
                                                        : 32;
  if (read.kind == Kind::kRand && read.layers > weighted) {
    return fmt::format(
        "n{} is more than the {} operations of t{}, of which none is taken "
        "twice",
        read.layers,
        weighted,
        read.table);
  }
  return "";
}

} // namespace

std::string parse_auto_augment(std::string_view text, AutoAugment& read) {
  const Head* head = head_of(text);
  if (head == nullptr) {
    return at(
        0,
        text.substr(0, text.find('-')),
        "expected one of " + names_of_all(heads(), [](const Head& known) {
          return std::string(known.name);
        }));
  }
  AutoAugment parsed = head->value;
  std::vector<std::string_view> seen;
  // After the dash that follows the head.
  std::size_t begin = head->name.size() + 1;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find('-', begin), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    const Letter* letter = letter_of(part, head->letters);
    if (letter == nullptr) {
      return at(
          begin,
          part,
          head->letters.empty() ? fmt::format("nothing follows {}", head->name)
                                : "expected a value behind one of " +
                  names_of_all(head->letters, [](const Letter& known) {
                                    return std::string(known.name);
                                  }));
    }
    if (std::ranges::find(seen, letter->name) != seen.end()) {
      return at(begin, part, fmt::format("{} is there twice", letter->name));
    }
    seen.push_back(letter->name);
    const std::string expected =
        set(*letter, part.substr(letter->name.size()), parsed);
    if (!expected.empty()) {
      return at(
          begin,
          part,
          fmt::format("{} is followed by {}", letter->name, expected));
    }
    begin = end + 1;
  }
  // In timm, a deviation above 100 means magnitudes that are uniform between 0
  // and m.
  if (parsed.source == Source::kTimm && parsed.kind == Kind::kRand &&
      parsed.deviation > 100.0) {
    parsed.deviation = kNoEnd;
  }
  std::string fault = check(parsed);
  if (fault.empty()) {
    read = parsed;
  }
  return fault;
}

std::string validate_auto_augment(const std::string& text) {
  AutoAugment ignored;
  return parse_auto_augment(text, ignored);
}

bool keeps_color_jitter(std::string_view auto_augment) {
  return auto_augment.find("3a") != std::string_view::npos;
}

} // namespace vitrain::config
