#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "config/foreign/foreign_args.h"
#include "config/foreign/words.h"
#include "core/text.h"

namespace vitrain::config::foreign {

inline Duration in_epochs(double count) {
  return {count, Duration::Unit::kEpochs};
}

// Base class of the translations of all programs.
class Translator {
 public:
  Translator(const Words& words, Translation& to)
      : words_(words), to_(to), recipe_(to.recipe) {}

 protected:
  // Add a word with its value to `missing` or `differs`. `text`: what there is
  // instead.
  void left_out(std::string_view word, std::string text) {
    to_.missing.push_back({words_.shown(word), std::move(text)});
  }
  void differs(std::string_view word, std::string text) {
    to_.differs.push_back({words_.shown(word), std::move(text)});
  }
  // Sets `member` to the enumerator that has the word's value as its name. If
  // there is none, leaves `member` unchanged and adds the word to `missing`,
  // with the known names.
  template <typename Enum>
  void choose(std::string_view word, Enum& member) {
    const std::optional<Enum> value = value_of<Enum>(words_.text(word));
    if (value) {
      member = *value;
    } else {
      left_out(word, fmt::format("there is {}", join(all_names<Enum>(), ", ")));
    }
  }
  // Translates the words workers, device and sync_bn, and the word `interval`,
  // the number of steps between log lines.
  void translate_machine(std::string_view interval) {
    if (words_.changed("workers") && words_.integer("workers") > 0) {
      recipe_.data.threads = words_.integer("workers");
    }
    if (words_.text("device") == "cpu") {
      recipe_.devices.kind = DeviceKind::kCpu;
    }
    if (words_.flag("sync_bn")) {
      recipe_.dist.batchnorm = BatchNormStatistics::kSync;
    }
    recipe_.log.every = words_.integer(interval);
    recipe_.log.count = LogCount::kEpoch;
  }

  const Words& words_;
  Translation& to_;
  Recipe& recipe_;
};

} // namespace vitrain::config::foreign
