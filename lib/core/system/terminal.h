#pragma once

namespace vitrain {

// Returns the width, in columns, of the terminal that a descriptor is open on:
// its own size, or if it has none, the value of COLUMNS, or 80; at least 20.
// Returns 0 if the descriptor is not a terminal.
int terminal_columns(int fd);

} // namespace vitrain
