#pragma once

#include <span>

#include "config/command_line/options.h"

// The two halves of the table of options, for options() only.
namespace vitrain::config::detail {

constexpr VerbSet kRuns = verb_set({Verb::kTrain, Verb::kEval});
// Training, and the verbs that look at what it would do.
constexpr VerbSet kTraining = verb_set(
    {Verb::kTrain,
     Verb::kConfigCheck,
     Verb::kConfigShow,
     Verb::kDataOrder,
     Verb::kDataCheck,
     Verb::kDataShow,
     Verb::kDataDump,
     Verb::kDataPack});
constexpr VerbSet kEval = verb_set({Verb::kEval});
constexpr VerbSet kRecipes = kTraining | kEval;
constexpr VerbSet kAll = ~VerbSet{0};
constexpr VerbSet kNobody = 0;

constexpr auto kNone = Option::Value::kNone;
constexpr auto kRequired = Option::Value::kRequired;
constexpr auto kOptional = Option::Value::kOptional;

// What to run or to look at: config, data, model.
std::span<const Option> recipe_options();
// How: training, devices, machines, and the rest.
std::span<const Option> run_options();

} // namespace vitrain::config::detail
