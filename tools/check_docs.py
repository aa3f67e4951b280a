#!/usr/bin/env python3
"""Checks what the documents say about the tree.

usage: check_docs.py [VITRAIN]

- Every relative link in a Markdown file leads to a file or folder.
- lib/README.md names every folder of lib/, bench/README.md every script of
  bench/, docs/decisions/README.md every decision.
- docs/config.md is what `VITRAIN config reference` prints.

Prints each problem on a line and exits 1 when there is one.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def markdown_files():
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "-z", "*.md"],
        check=True, capture_output=True, text=True).stdout
    return [ROOT / name for name in listed.split("\0") if name]


def broken_links(path):
    fenced = False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        for target in [] if fenced else LINK.findall(line):
            target = target.split("#")[0]
            if not target or "://" in target or target.startswith("mailto:"):
                continue
            if not (path.parent / target).exists():
                yield f"{path.relative_to(ROOT)}:{number}: no such file: {target}"


def unnamed(document, names):
    if not document.exists():
        yield f"{document.relative_to(ROOT)} is missing"
        return
    text = document.read_text()
    for name in sorted(names):
        if name not in text:
            yield f"{document.relative_to(ROOT)} does not name {name}"


def stale_reference(vitrain):
    document = ROOT / "docs" / "config.md"
    printed = subprocess.run(
        [vitrain, "config", "reference"], capture_output=True, text=True)
    if printed.returncode != 0:
        yield f"{vitrain} config reference: exit {printed.returncode}"
    elif not document.exists() or document.read_text() != printed.stdout:
        yield ("docs/config.md is not what `vitrain config reference` prints: "
               "run build/release/vitrain config reference > docs/config.md")


def problems(arguments):
    for path in markdown_files():
        yield from broken_links(path)
    folders = {p.name + "/" for p in (ROOT / "lib").iterdir() if p.is_dir()}
    yield from unnamed(ROOT / "lib" / "README.md", folders)
    scripts = {p.name for p in (ROOT / "bench").iterdir()
               if p.suffix in (".sh", ".py", ".cpp")}
    yield from unnamed(ROOT / "bench" / "README.md", scripts)
    decisions = ROOT / "docs" / "decisions"
    notes = {p.name for p in decisions.glob("[0-9]*.md")}
    yield from unnamed(decisions / "README.md", notes)
    if arguments:
        yield from stale_reference(arguments[0])


def main():
    found = list(problems(sys.argv[1:]))
    for problem in found:
        print(problem)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
