#pragma once

namespace vitrain::program {

// The program, from the words of its command line to its exit code: every verb,
// and the part of a worker, which the program starts itself as. Reports errors
// on the standard error stream and throws nothing. Another program that calls
// it has the same command line; families of its own (networks/add_network.h)
// are added before.
int run(int argc, char** argv);

} // namespace vitrain::program
