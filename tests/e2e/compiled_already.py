#!/usr/bin/env python3
"""Lets a second build of the same sources take the objects of a first one.

usage: compiled_already.py depends BUILD FOLDER     writes FOLDER/OBJECT.d for each object of BUILD
       compiled_already.py compare BUILD SECOND     fails unless SECOND compiles the same texts of
                                                    lib/ and app/ with the same commands
"""

import json
import pathlib
import subprocess
import sys


def write_depends(build, folder):
    listed = subprocess.run(
        ["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    for entry in listed.split("\n\n"):
        # "OBJECT: #deps 2, deps mtime 5 (VALID)", and a file on each line below
        head, *names = [line.strip() for line in entry.strip().splitlines()] or [""]
        target = head.partition(": ")[0]
        if not names or "(VALID)" not in head:
            continue
        path = folder / f"{target}.d"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(" \\\n ".join([target + ":", *(str(build / name) for name in names)]) + "\n")


def commands(build):
    """{object: command and, of a file that CMake wrote, its text}, the folder left out."""
    result = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        # (The option is for ccache, and changes no object.)
        command = entry["command"].replace(str(build), "BUILD").replace(" -fpch-preprocess", "")
        name = command.split(" -o ")[1].split()[0]
        if name.startswith(("lib/", "app/")):
            source = pathlib.Path(entry["file"])
            written = source.is_relative_to(build)
            result[name] = command, source.read_text().replace(str(build), "BUILD") if written else ""
    return result


def compare(build, second):
    first, other = commands(build), commands(second)
    assert first.keys() == other.keys(), first.keys() ^ other.keys()
    # Not vacuously: files are compiled six at a time, or each by itself.
    assert len(other) > 50, len(other)
    for name, compiled in other.items():
        assert first[name] == compiled, f"{name} is compiled in two ways:\n{first[name]}\n{compiled}"
    print(f"all {len(other)} objects are those of {build}")


if __name__ == "__main__":
    {"depends": write_depends, "compare": compare}[sys.argv[1]](
        pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]).resolve())
