#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "program/run.h"

int main(int argc, char** argv) {
  const int code = vitrain::program::run(argc, argv);
#if !defined(__SANITIZE_ADDRESS__) // which looks for leaks on the usual way
  // torch's tables of operators take 0.1 s to be freed one by one, and no verb
  // has more to do. A worker ends its devices on the usual way.
  if (argc < 2 || std::string_view(argv[1]) != "--worker") {
    std::fflush(nullptr);
    ::_exit(code);
  }
#endif
  return code;
}
