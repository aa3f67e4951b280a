#include "config/paddlevit/paddle_family.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/ascii.h"
#include "core/text.h"

namespace vitrain::config::paddlevit {
namespace {

constexpr std::size_t kMostNearest = 3;

bool names_network(const FamilyKey& key) {
  return key.role == FamilyKey::Role::kNumber ||
      key.role == FamilyKey::Role::kStart;
}

// A key of a family, its given value and the value of a network.
struct Compared {
  std::string_view key;
  FamilyKey::Role role;
  std::string expected;
  std::string value;

  bool same() const {
    const bool off = expected == "none" && value == "false";
    return expected == "*" || expected == value || off;
  }
};

std::vector<Compared> compare(
    const PaddleFamily& family,
    const Network& network,
    const OwnValues& values) {
  std::vector<Compared> compared;
  const std::vector<std::string> numbers = split(network.numbers, ' ');
  std::size_t next = 0;
  for (const FamilyKey& key : family.keys) {
    if (names_network(key)) {
      const std::string& number = numbers.at(next++);
      compared.push_back(
          {key.key,
           key.role,
           number == "*" ? number : canonical(number),
           values.find(key.key)->second});
    }
  }
  return compared;
}

bool differs(const Compared& one) {
  return one.role == FamilyKey::Role::kNumber && !one.same();
}

std::string_view name_of_heads(const Network& network, bool distilled) {
  return distilled ? network.distilled : network.name;
}

} // namespace

const PaddleFamily* find_family(std::string_view type) {
  const std::string low = ascii_lower(std::string(trim(type)));
  for (const PaddleFamily& family : families()) {
    const std::vector<std::string> types = split(family.types, ' ');
    if (std::ranges::find(types, low) != types.end()) {
      return &family;
    }
  }
  return nullptr;
}

std::string canonical(std::string_view text) {
  std::string out;
  std::string atom;
  const auto finish = [&] {
    double number = 0.0;
    const bool digits = atom.find_first_of("0123456789") != std::string::npos;
    out +=
        digits && parse_double(atom, number) ? fmt::format("{}", number) : atom;
    atom.clear();
  };
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ',') {
      finish();
      out += c;
    } else if (c != ' ') {
      atom += c;
    }
  }
  finish();
  return out;
}

OwnValues own_defaults(const PaddleFamily& family) {
  OwnValues values;
  for (const FamilyKey& key : family.keys) {
    values[key.key] = canonical(key.value);
  }
  return values;
}

const Network* find_network(
    const PaddleFamily& family,
    const OwnValues& values,
    std::int64_t image_size,
    bool distilled) {
  const Network* found = nullptr;
  for (const Network& network : family.networks) {
    const bool same =
        std::ranges::none_of(compare(family, network, values), differs) &&
        !name_of_heads(network, distilled && family.two_heads).empty();
    if (same && (found == nullptr || network.image_size == image_size)) {
      found = &network;
    }
  }
  return found;
}

std::string no_network(
    const PaddleFamily& family,
    const OwnValues& values,
    bool distilled) {
  struct Near {
    std::ptrdiff_t count;
    std::string text;
  };
  std::vector<Near> near;
  for (const Network& network : family.networks) {
    const bool two = distilled && family.two_heads;
    std::vector<std::string> other;
    for (const Compared& one : compare(family, network, values)) {
      if (differs(one)) {
        other.push_back(fmt::format(
            "{}: {} instead of {}", one.key, one.expected, one.value));
      }
    }
    if (name_of_heads(network, two).empty()) {
      other.push_back(
          fmt::format("DISTILLATION_TYPE: {}", two ? "none" : "hard"));
    }
    near.push_back(
        {std::ssize(other),
         fmt::format(
             "{} ({})",
             network.name.empty() ? network.distilled : network.name,
             join(other, "; "))});
  }
  std::ranges::stable_sort(near, {}, &Near::count);
  std::vector<std::string> texts;
  for (const Near& one : near) {
    if (texts.size() < kMostNearest) {
      texts.push_back(one.text);
    }
  }
  return fmt::format(
      "no network of {} in this version has these numbers; the nearest: {}",
      family.name,
      join(texts, ", "));
}

std::vector<OtherStart> other_starts(
    const PaddleFamily& family,
    const Network& network,
    const OwnValues& values) {
  std::vector<OtherStart> starts;
  for (const Compared& one : compare(family, network, values)) {
    if (one.role == FamilyKey::Role::kStart && !one.same()) {
      starts.push_back(
          {std::string(one.key),
           fmt::format("starts at {}, as timm's network does", one.expected)});
    }
  }
  return starts;
}

} // namespace vitrain::config::paddlevit
