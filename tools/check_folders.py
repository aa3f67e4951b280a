#!/usr/bin/env python3
"""Checks the folders of lib/: arrows between them go one way.

Prints the number of folders, and of project headers that the trainer's header
reaches. Fails if a folder includes one that is below it in the tables of
lib/README.md, if a table lacks a folder or has one too many, or if a number is
above its limit.

  tools/check_folders.py
"""

import re
import sys
from pathlib import Path

LIB = Path(__file__).resolve().parent.parent / "lib"
MAX_FOLDERS = 60
HEADER, MAX_HEADERS = "engine/train/trainer.h", 60


def includes(file):
    """Returns the headers of lib/ that a file includes."""
    names = re.findall(r'^#include "([^"]+)"', file.read_text(), re.M)
    return [name for name in names if (LIB / name).exists()]


def reached(header, seen):
    """Adds all headers that `header` includes, directly or not, to `seen`."""
    for name in includes(LIB / header):
        if name not in seen:
            seen.add(name)
            reached(name, seen)
    return seen


def main():
    rows = re.findall(r"^\| `([a-z_/]+)/` \|", (LIB / "README.md").read_text(), re.M)
    order = {folder: place for place, folder in enumerate(rows)}
    files = sorted(file for file in LIB.rglob("*") if file.suffix in (".h", ".cpp", ".inc"))
    folders = {str(file.parent.relative_to(LIB)) for file in files}
    errors = [f"lib/README.md lacks {folder}/" for folder in sorted(folders - set(order))]
    errors += [f"lib/README.md has {folder}/, which has no files" for folder in rows if folder not in folders]
    for file in files:
        own = str(file.parent.relative_to(LIB))
        for name in includes(file):
            other = str(Path(name).parent)
            # Checks the order within a library; DEPENDS checks other libraries.
            same = own.split("/")[0] == other.split("/")[0]
            if same and own != other and order.get(other, 0) > order.get(own, len(order)):
                errors.append(f"{file.relative_to(LIB)} includes {name}, whose folder is above its own")
    headers = len(reached(HEADER, set()))
    if len(folders) + 1 > MAX_FOLDERS:
        errors.append(f"{len(folders) + 1} folders, more than {MAX_FOLDERS}")
    if headers > MAX_HEADERS:
        errors.append(f"{HEADER} reaches {headers} project headers, more than {MAX_HEADERS}")
    print(f"{len(folders) + 1} folders; {HEADER} reaches {headers} project headers")
    print("\n".join(errors), end="\n" if errors else "")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
