#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "config/load/loaded.h"
#include "config/sections/recipe.h"
#include "job/preprocess_record.h"

// Preprocessing of weights of other programs.
namespace vitrain::job {

// Returns the record in the config.json next to the weights, or else from the
// settings that a training program stored in them, or else from the table of
// published weights, if the file, its folder or its repository in the Hugging
// Face cache has the name of some; nullopt if none exists. `evaluates`: with
// the image size and crop for evaluation, else with those for training.
std::optional<PreprocessRecord> published_record(
    const std::filesystem::path& weights,
    bool evaluates);

// Returns a note for weights without a record: the preprocessing values that
// the user has not set, and how published weights of the network differ from
// them; "" if none differ.
std::string unknown_images_note(
    const std::string& weights,
    const config::Recipe& recipe,
    const config::Origins& origins);

} // namespace vitrain::job
