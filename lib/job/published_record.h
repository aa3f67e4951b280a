#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "config/load/loaded.h"
#include "config/sections/recipe.h"
#include "job/preprocess_record.h"

// Preprocessing of weights of other programs.
namespace vitrain::job {

// Returns what the config.json next to the weights says, or else the table of
// published weights, if the file or its folder has the name of some; nullopt if
// neither does. `evaluates`: with the image size and crop for evaluation.
std::optional<PreprocessRecord> published_record(
    const std::filesystem::path& weights,
    bool evaluates);

// Returns a note for weights without a record: the values of the recipe that
// the user has not set, and those of published weights of the network that
// differ; "" if none differ.
std::string unknown_images_note(
    const std::string& weights,
    const config::Recipe& recipe,
    const config::Origins& origins);

} // namespace vitrain::job
