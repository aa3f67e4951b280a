#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "config/schema/field.h"
#include "core/enum_names.h"
#include "options/image_size.h"

namespace vitrain::config {

// The visit() of each section declares its keys once. SchemaVisitor turns the
// declarations into a flat table of Fields, which all other code uses: reading,
// overriding, writing, hashing, the reference.

struct Section {
  std::string path;
  std::string help;
};

struct Schema {
  std::vector<Section> sections; // parents before children
  std::vector<Field> fields; // in the order of declaration
};

namespace detail {

template <typename T>
constexpr ScalarType scalar_type() {
  if constexpr (std::is_same_v<T, bool>) {
    return ScalarType::kBool;
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return ScalarType::kInteger;
  } else if constexpr (std::is_same_v<T, double>) {
    return ScalarType::kNumber;
  } else if constexpr (std::is_same_v<T, Duration>) {
    return ScalarType::kDuration;
  } else {
    static_assert(std::is_same_v<T, std::string> || std::is_enum_v<T>);
    return ScalarType::kText;
  }
}

template <typename T>
Scalar to_scalar(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return name_of(value);
  } else {
    return value;
  }
}

template <typename T>
T from_scalar(const Scalar& scalar) {
  if constexpr (std::is_enum_v<T>) {
    return value_of<T>(std::get<std::string>(scalar)).value();
  } else {
    return std::get<T>(scalar);
  }
}

// For scalars, lists of scalars, and image sizes: describe() sets the type of a
// field, its length and choices; to_setting() converts a value to a Setting,
// and assign() sets a value from the items of one that is not null.

template <typename T>
void describe(Field& field, const T& /*value*/) {
  field.type = scalar_type<T>();
  if constexpr (std::is_enum_v<T>) {
    field.choices = all_names<T>();
  }
}

template <typename T>
Setting to_setting(const T& value) {
  return Setting{{to_scalar(value)}};
}

template <typename T>
void assign(T& value, const std::vector<Scalar>& items) {
  value = from_scalar<T>(items.front());
}

template <typename List>
Setting list_setting(const List& list) {
  Setting setting(std::in_place);
  for (const auto& item : list) {
    setting->push_back(to_scalar(item));
  }
  return setting;
}

template <typename T>
void describe(Field& field, const std::vector<T>& /*list*/) {
  describe(field, T{});
  field.list = true;
}

template <typename T>
Setting to_setting(const std::vector<T>& list) {
  return list_setting(list);
}

template <typename T>
void assign(std::vector<T>& list, const std::vector<Scalar>& items) {
  list.clear();
  for (const Scalar& item : items) {
    list.push_back(from_scalar<T>(item));
  }
}

template <typename T, std::size_t kLength>
void describe(Field& field, const std::array<T, kLength>& /*list*/) {
  describe(field, T{});
  field.list = true;
  field.length = kLength;
}

template <typename T, std::size_t kLength>
Setting to_setting(const std::array<T, kLength>& list) {
  return list_setting(list);
}

template <typename T, std::size_t kLength>
void assign(std::array<T, kLength>& list, const std::vector<Scalar>& items) {
  for (std::size_t i = 0; i < kLength; ++i) {
    list[i] = from_scalar<T>(items[i]);
  }
}

// Written as [height, width], or one number for both.
inline void describe(Field& field, const ImageSize& /*size*/) {
  describe(field, std::array<std::int64_t, 2>{});
  field.one_or_list = true;
}

inline Setting to_setting(const ImageSize& size) {
  return size.square() ? Setting{{size.height}}
                       : Setting{{size.height, size.width}};
}

inline void assign(ImageSize& size, const std::vector<Scalar>& items) {
  size = ImageSize(
      std::get<std::int64_t>(items.front()),
      std::get<std::int64_t>(items.back()));
}

template <typename T>
void bind(Field& field, T& member) {
  describe(field, member);
  field.get = [&member] { return to_setting(member); };
  field.set = [&member](const Setting& setting) { assign(member, *setting); };
}

template <typename T>
void bind(Field& field, std::optional<T>& member) {
  describe(field, T{});
  field.optional = true;
  field.get = [&member] { return member ? to_setting(*member) : Setting{}; };
  field.set = [&member](const Setting& setting) {
    member.reset();
    if (setting) {
      assign(member.emplace(), *setting);
    }
  };
}

} // namespace detail

// Visitor for the sections' visit() functions.
class SchemaVisitor {
 public:
  // Adds the key `key` of the current section. The returned Rules refer to the
  // new field: chain them before the next call.
  template <typename T>
  Rules field(const char* key, T& member, const char* help) {
    Field& field = schema_.fields.emplace_back();
    field.path = prefix_ + key;
    field.help = help;
    detail::bind(field, member);
    return Rules(field);
  }

  // Adds the section `key` and its keys. The returned SectionRules are valid
  // until the next call.
  template <typename SectionStruct>
  SectionRules
  section(const char* key, SectionStruct& section, const char* help) {
    schema_.sections.push_back({prefix_ + key, help});
    const std::size_t length = prefix_.size();
    const std::size_t first = schema_.fields.size();
    prefix_ += std::string(key) + ".";
    section.visit(*this);
    prefix_.resize(length);
    return SectionRules(std::span(schema_.fields).subspan(first));
  }

  Schema take() { return std::move(schema_); }

 private:
  std::string prefix_;
  Schema schema_;
};

} // namespace vitrain::config
