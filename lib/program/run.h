#pragma once

namespace vitrain::program {

// Runs the program for a command line and returns its exit code. Covers all
// verbs, and the worker's part in the processes that the program starts from
// its own executable. Prints errors to standard error and throws nothing. A
// program of your own that calls run() has the same command line; it adds its
// own networks before the call (networks/add_network.h).
int run(int argc, char** argv);

} // namespace vitrain::program
