#pragma once

#include <cstdint>
#include <string_view>

#include "config/problems.h"
#include "config/recipe.h"

namespace vitrain::config {

// As a number of workers: not known yet, and rules that need it wait.
inline constexpr std::int64_t kWorkersUnknown = 0;

// What a recipe is checked against.
struct Circumstances {
  std::int64_t workers = 1; // of all machines
  bool cuda = false; // the workers run on CUDA devices
  bool training = true; // false: evaluation only
};

// True for the names of PaddlePaddle's weights and checkpoints (.pdparams,
// ...), and what to say about them.
bool is_paddle_file(std::string_view path);
extern const std::string_view kPaddleFile;

// Every rule between keys, and between keys and the machine, that the recipe
// breaks. Rules that need the number of samples are make_plan()'s, those of one
// model family are models'.
Problems validate(
    const Recipe& recipe,
    const Circumstances& circumstances,
    const Origins& origins = {});

} // namespace vitrain::config
