#pragma once

#include <string>
#include <vector>

#include "config/rules/validate.h"
#include "config/schema/read.h"
#include "models/spec.h"

// A recipe read and checked as a whole: what is wrong in its files, between its
// keys, with its network and its paths is told at once. Makes no torch call.
namespace vitrain::job {

// config::load(), and keys that a network chosen by a higher layer does not
// have are set back, with a note.
config::Reading load_recipe(const config::LoadRequest& request);
config::Reading load_recipe(
    const config::LoadRequest& request,
    config::Problems& problems);

// What the recipe is checked against when it is to run on machines like this
// one.
config::Circumstances circumstances_here(
    const config::Reading& loaded,
    bool training);

// Throws Error(kUsage) with `problems` and every rule that the recipe breaks:
// of config::validate() and of its network, with what it alone tells about the
// data. Rules about keys that could not be read are left out, and the last line
// says so. Beside problems, paths that lead nowhere are some, too.
void check_rules(
    const config::Recipe& recipe,
    const config::Origins& origins,
    const config::Circumstances& circumstances,
    config::Problems problems = {});

// Throws Error(kUsage) with the rules of the network that `data` decide.
void check_network(
    const config::Recipe& recipe,
    const config::Origins& origins,
    const models::DataShape& data);

// Sentences on data and weights of the recipe that are not on this machine.
std::vector<std::string> missing_paths(
    const config::Recipe& recipe,
    const config::Origins& origins,
    bool training);

} // namespace vitrain::job
