#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "config/foreign/translator.h"

namespace vitrain::config::foreign {

// Translates the arguments of timm's train.py into a recipe.
class TimmTranslator : private Translator {
 public:
  using Translator::Translator;

  // Translates the words about data, network and preprocessing. Call it first.
  void translate_inputs();
  // Translates the words about training.
  void translate_training();

 private:
  // Returns the three numbers of a word that has a value; of a list of another
  // length the first number, three times.
  std::array<double, 3> three(std::string_view word) const {
    const std::vector<double> given = words_.numbers(word);
    std::array<double, 3> values{};
    for (std::size_t i = 0; i < 3; ++i) {
      values[i] = given[given.size() == 3 ? i : 0];
    }
    return values;
  }
  // Returns the two numbers of a word; a single number twice. Of a list of
  // another length, nullopt; adds the word to `missing` then.
  std::optional<std::array<double, 2>> two(std::string_view word) {
    const std::vector<double> given = words_.numbers(word);
    if (given.size() == 1) { // a single value, as cutmix_minmax may have
      return std::array{given[0], given[0]};
    }
    if (given.size() != 2) {
      left_out(word, "two numbers");
      return std::nullopt;
    }
    return std::array{given[0], given[1]};
  }
  // Adds words with non-default values to `idle`: they have no effect in timm
  // either.
  void without_effect(std::initializer_list<std::string_view> words) {
    for (const std::string_view word : words) {
      if (words_.changed(word)) {
        to_.idle.emplace_back(word);
      }
    }
  }

  void translate_data();
  void translate_dataset();
  // Translates the words about the network. The name "resnet50.a1_in1k" is
  // resnet50, with --pretrained with the weights of that name.
  void translate_model();
  // Translates the preprocessing; unset words get timm's values for the model.
  void translate_preprocess();
  void translate_crops();
  void translate_colours();
  void translate_mixing();
  // In timm, `sgd` has Nesterov momentum, and `momentum` is SGD without it.
  void translate_optimizer();
  void translate_optimizer_numbers();
  void translate_clipping();
  void translate_decay();
  void translate_rate();
  void translate_schedule();
  // Translates the cycles and the cooldown of cosine and poly. `epochs`: length
  // of the first cycle.
  void translate_cycles(std::int64_t epochs);
  // Translates wsd and rsqrt. `length`: number of epochs after the warm-up.
  void translate_stable(std::string_view name, std::int64_t length);
  // Sets the milestones of multistep (`listed`), or of step if `offset` is
  // above 0. `offset`: epochs of warm-up that the schedule does not count.
  void set_milestones(bool listed, std::int64_t offset);
  // Translates loss, accumulation and precision. --loss bce is always binary
  // cross entropy, --bce-loss only with mixing or smoothing, as in timm before
  // 1.0.30.
  void translate_loss();
  // Translates words of binary cross entropy, which timm ignores for other
  // losses.
  void translate_binary();
  void translate_average();
  void translate_splits();
  void translate_statistics();
  void translate_rest();
};

} // namespace vitrain::config::foreign
