#pragma once

namespace vitrain::program {

// Runs the program for a command line and returns its exit code. Covers all
// verbs, and the worker's part in the processes that the program starts from
// its own executable. Prints errors to standard error and throws nothing. A
// program of your own that calls it has the same command line; add its families
// before (networks/add_network.h).
int run(int argc, char** argv);

} // namespace vitrain::program
