#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "program/run.h"

int main(int argc, char** argv) {
  const int code = vitrain::program::run(argc, argv);
#if !defined(__SANITIZE_ADDRESS__) // at a normal exit, it checks for leaks
  // torch takes 0.1 s to free its tables of operators one by one. These two
  // verbs skip that; a verb that may have used a GPU must not.
  const std::string_view verb = argc > 1 ? argv[1] : "";
  if (verb == "models" || verb == "weights") {
    std::fflush(nullptr);
    ::_exit(code);
  }
#endif
  return code;
}
