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

struct Recipe;

// The visit() of each section declares its keys once. SchemaVisitor turns the
// declarations into a flat table of Fields, and everything else works on that
// table: reading, overriding, writing, hashing, the reference.

struct Section {
  std::string path;
  std::string help;
};

struct Schema {
  std::vector<Section> sections; // parents before children
  std::vector<Field> fields; // those of a section stand together
};

// The table of a recipe. The fields refer to `recipe`, which must outlive them.
Schema schema_of(Recipe& recipe);

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

template <typename T>
void describe(Field& field) {
  field.type = scalar_type<T>();
  if constexpr (std::is_enum_v<T>) {
    field.choices = all_names<T>();
  }
}

template <typename T>
void bind(Field& field, T& member) {
  describe<T>(field);
  field.get = [&member] { return Setting{{to_scalar(member)}}; };
  field.set = [&member](const Setting& setting) {
    member = from_scalar<T>(setting->front());
  };
}

template <typename T>
void bind(Field& field, std::optional<T>& member) {
  describe<T>(field);
  field.optional = true;
  field.get = [&member] {
    return member ? Setting{{to_scalar(*member)}} : Setting{};
  };
  field.set = [&member](const Setting& setting) {
    member.reset();
    if (setting) {
      member = from_scalar<T>(setting->front());
    }
  };
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
void bind(Field& field, std::vector<T>& member) {
  describe<T>(field);
  field.list = true;
  field.get = [&member] { return list_setting(member); };
  field.set = [&member](const Setting& setting) {
    member.clear();
    for (const Scalar& item : *setting) {
      member.push_back(from_scalar<T>(item));
    }
  };
}

template <typename T>
void bind(Field& field, std::optional<std::vector<T>>& member) {
  describe<T>(field);
  field.list = true;
  field.optional = true;
  field.get = [&member] { return member ? list_setting(*member) : Setting{}; };
  field.set = [&member](const Setting& setting) {
    member.reset();
    if (setting) {
      member.emplace();
      for (const Scalar& item : *setting) {
        member->push_back(from_scalar<T>(item));
      }
    }
  };
}

template <typename T, std::size_t kLength>
void bind(Field& field, std::array<T, kLength>& member) {
  describe<T>(field);
  field.list = true;
  field.length = kLength;
  field.get = [&member] { return list_setting(member); };
  field.set = [&member](const Setting& setting) {
    for (std::size_t i = 0; i < kLength; ++i) {
      member[i] = from_scalar<T>((*setting)[i]);
    }
  };
}

template <typename T, std::size_t kLength>
void bind(Field& field, std::optional<std::array<T, kLength>>& member) {
  describe<T>(field);
  field.list = true;
  field.length = kLength;
  field.optional = true;
  field.get = [&member] { return member ? list_setting(*member) : Setting{}; };
  field.set = [&member](const Setting& setting) {
    member.reset();
    if (setting) {
      member.emplace();
      for (std::size_t i = 0; i < kLength; ++i) {
        (*member)[i] = from_scalar<T>((*setting)[i]);
      }
    }
  };
}

// Height and width, or one number for both.
inline void bind(Field& field, std::optional<ImageSize>& member) {
  describe<std::int64_t>(field);
  field.list = true;
  field.length = 2;
  field.one_or_list = true;
  field.optional = true;
  field.get = [&member] {
    if (!member) {
      return Setting{};
    }
    return member->square() ? Setting{{member->height}}
                            : Setting{{member->height, member->width}};
  };
  field.set = [&member](const Setting& setting) {
    member.reset();
    if (setting) {
      member = ImageSize(
          std::get<std::int64_t>(setting->front()),
          std::get<std::int64_t>(setting->back()));
    }
  };
}

} // namespace detail

// The visitor that the sections' visit() functions are written for.
class SchemaVisitor {
 public:
  // The rules refer to the new fields: chain them before the next call.
  template <typename T>
  Rules field(const char* key, T& member, const char* help) {
    Field& field = schema_.fields.emplace_back();
    field.path = prefix_ + key;
    field.help = help;
    detail::bind(field, member);
    return Rules(field);
  }

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
