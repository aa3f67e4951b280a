#pragma once

namespace vitrain::launch {

// Whether a stop request ends this process at once, with 128 + its number,
// instead of setting StopRequest's flag: in set-up and in a mere evaluation
// there is nothing to save, and nobody polls. Off at first; switch it on before
// a StopRequest lets in what has arrived before.
void stop_at_once(bool on);

} // namespace vitrain::launch
