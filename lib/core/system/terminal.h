#pragma once

namespace vitrain {

// Columns of the terminal that a descriptor leads to; without a size of its
// own, what COLUMNS says, or 80. 0 if it is no terminal.
int terminal_columns(int fd);

} // namespace vitrain
