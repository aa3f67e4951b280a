#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "dist/group/group.h"

namespace vitrain::dist {

// A value of a metrics dict: counts are exact integers, sums are doubles.
using Number = std::variant<std::int64_t, double>;
using Dict = std::map<std::string, Number>;

double as_double(const Number& number);

// Reduces a whole dict of numbers over the ranks (PaddleViT's reduce_dict):
// every value becomes its sum over the ranks or, with `average`, the sum
// divided by the world size. Integers are summed as integers; a double's sum is
// taken in rank order, so every rank has the same bits; averages are doubles.
// For the keys in `largest`, whose values must be integers, the result is the
// maximum over the ranks instead.
//
// One collective for a dict of up to 30 entries, two for more. Collective: all
// ranks must pass the same keys with the same types, otherwise every rank
// throws Error(kInternal) naming the keys that differ.
Dict reduce_dict(
    Group& group,
    const Dict& dict,
    bool average = true,
    const std::set<std::string>& largest = {});

// Returns every rank's bytes, in rank order; sizes may differ and may be 0.
// Collective.
std::vector<std::string> all_gather_bytes(
    Group& group,
    const std::string& bytes);

// Returns every rank's object, in rank order (PaddleViT's all_gather). T: any
// type that nlohmann::json converts: numbers, strings, vectors, maps, own types
// with to_json / from_json; strings may hold any bytes. Doubles arrive bit for
// bit, except that a NaN arrives as the default NaN. Collective.
template <typename T>
std::vector<T> all_gather(Group& group, const T& object) {
  const std::vector<std::uint8_t> packed =
      nlohmann::json::to_cbor(nlohmann::json(object));
  std::vector<T> objects;
  for (const std::string& bytes :
       all_gather_bytes(group, std::string(packed.begin(), packed.end()))) {
    objects.push_back(nlohmann::json::from_cbor(bytes).template get<T>());
  }
  return objects;
}

} // namespace vitrain::dist
