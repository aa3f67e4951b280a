#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "program/run.h"

int main(int argc, char** argv) {
  const int code = vitrain::program::run(argc, argv);
#if !defined(__SANITIZE_ADDRESS__) // which looks for leaks on the usual way
  // torch's tables of operators take 0.1 s to be freed one by one. A verb that
  // may have used a GPU ends on the usual way.
  const std::string_view verb = argc > 1 ? argv[1] : "";
  if (verb == "models" || verb == "weights") {
    std::fflush(nullptr);
    ::_exit(code);
  }
#endif
  return code;
}
