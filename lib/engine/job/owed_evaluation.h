#pragma once

namespace vitrain::engine {

// In a checkpoint's state: a stop request came while the evaluation of its step
// ran, which was left and comes before the next step.
inline constexpr const char* kOwesEvaluation = "owes_evaluation";

} // namespace vitrain::engine
