#pragma once

#include <memory>
#include <optional>

#include "config/sections/recipe.h"
#include "data/augment/erase.h"
#include "data/augment/mix.h"
#include "data/load/bad_samples.h"
#include "data/load/pipeline.h"
#include "data/load/samplers.h"
#include "data/sources/index.h"
#include "models/families/spec.h"

namespace vitrain::job {

// Returns the options of data.train or data.eval. `train`: true reads the
// training files of cifar and mnist, false their test files.
data::SourceOptions source_options(
    const config::SourceConfig& source,
    bool train);
// Returns the options of the evaluation data, with the form of labels of the
// training data `train` and, except for random data, its number of classes.
data::SourceOptions evaluation_options(
    const config::SourceConfig& source,
    const data::Index& train);
// Returns how files are decoded to pixels, in training, evaluation and the
// `data` verbs.
image::DecodeOptions decode_options(const config::DataConfig& data);
// Converts a value of data.preprocess.pillow: k13 from 13 on, else k12.
image::Pillow pillow(std::int64_t version);
// `train`: with the augmentation and image size of training.
data::TransformOptions transform_options(
    const config::Recipe& recipe,
    const models::ModelSpec& spec,
    bool train);
// Returns the treatment of unreadable samples. Evaluation (`train` false) never
// replaces a sample by another.
data::BadSamplePolicy bad_sample_policy(
    const config::Recipe& recipe,
    bool train);
data::MixOptions mix_options(const config::Recipe& recipe);
data::EraseOptions erase_options(const config::Recipe& recipe);
// Returns the number of a dataset's classes or, for vectors, of its features
// and targets.
models::DataShape data_shape(const data::Index& index);

// Returns the samplers of the training samples in `index` for `devices`
// devices; they resume the partial epoch `begun`, if given. Returns null if
// `index` is null. Throws Error(kUsage) if there are too few samples for one
// step, or if the partial epoch cannot be resumed with these workers;
// Error(kData) if the file of sample weights cannot be used.
std::unique_ptr<const data::Samplers> make_samplers(
    const config::Recipe& recipe,
    const data::Index* index,
    std::int64_t devices,
    const std::optional<data::PartialEpoch>& begun = {});

} // namespace vitrain::job
