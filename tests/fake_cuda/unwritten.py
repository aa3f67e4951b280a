#!/usr/bin/env python3
"""usage: unwritten.py OUTPUT LIBRARY...

Writes a C++ file with a weak function for each call of CUDA's libraries that the
given libraries import: it ends the program with the call's name. What the fake
has itself goes before it. So a path that needs another call says which, instead
of going on with a library that has no device.
"""

import re
import subprocess
import sys

CALL = re.compile(r"(__cuda[A-Z]|cuda[A-Z]|cu(blas|blasLt|dnn|fft|sparse|solver|rand)[A-Z]|nccl[A-Z])\w*$")

HEAD = """#include <cstdio>
#include <cstdlib>

#define UNWRITTEN(name) \\
  extern "C" __attribute__((weak)) int name(...) { \\
    std::fprintf(stderr, "fake CUDA: " #name " is not written\\n"); \\
    std::abort(); \\
  }

"""


def imports(library):
    text = subprocess.run(
        ["nm", "-D", "--undefined-only", library],
        check=True, capture_output=True, text=True).stdout
    names = {line.split()[-1].split("@")[0] for line in text.splitlines()}
    return {name for name in names if CALL.match(name)}


def main():
    output, *libraries = sys.argv[1:]
    names = sorted(set().union(*map(imports, libraries)))
    with open(output, "w", encoding="utf-8") as file:
        file.write(HEAD)
        file.writelines(f"UNWRITTEN({name})\n" for name in names)


main()
