#!/usr/bin/env python3
"""Lists functions over 60 lines, sources over 400 (networks: 700) and headers
over 300 of lib/ and app/. Fails if one is longer than its row below allows, or
no longer needs its row.

usage: tools/check_sizes.py        (needs lizard 1.24 from PyPI on PYTHONPATH)
Exits with 1 on a failure, and with 2 without lizard.
"""

import csv
import importlib.util
import io
import os
import pathlib
import subprocess
import sys

FUNCTION_LINES = 60
SOURCE_LINES = 400
NETWORK_LINES = 700 # a network is one file, in the order of its paper
HEADER_LINES = 300

# Functions above the limit: their own limits, and the reasons. Functions that
# declare the keys of a section (visit) are tables and not counted.
FUNCTIONS = {
    "lib/engine/report/reporter_train.cpp engine::Reporter::train":
        (71, "one report: record, CSV row, live line"),
    "lib/engine/train/log_interval.cpp engine::LogInterval::report":
        (86, "one dictionary goes out and comes back"),
    "lib/image/operations/resample.cpp image::Resampler::resize":
        (71, "two passes over one set of buffers"),
    "lib/launch/supervise/node_link.cpp launch::NodeLink::share":
        (64, "both sides of one exchange"),
    "lib/launch/supervise/node_link_start.cpp launch::NodeLink::await_answer":
        (63, "one state machine"),
}
SOURCES = {
    "lib/launch/supervise/supervise.cpp": (463, "one watching loop and its decisions"),
    "lib/config/command_line/options.cpp": (457, "a row for each option"),
    "lib/launch/devices/devices.cpp": (405, "what CUDA_VISIBLE_DEVICES can say"),
}
HEADERS = {}


def functions():
    """(lines, name) of every function."""
    lizard = subprocess.run(
        [sys.executable, "-m", "lizard", "-l", "cpp", "--csv", "lib", "app"],
        capture_output=True, text=True, check=True)
    for row in csv.reader(io.StringIO(lizard.stdout)):
        yield int(row[4]), f"{row[6]} {row[7].removeprefix('vitrain::')}"


def files(ending):
    """(lines, name) of every file whose name ends so."""
    listed = subprocess.run(["git", "ls-files", "lib", "app"],
                            capture_output=True, text=True, check=True)
    for name in listed.stdout.splitlines():
        if name.endswith(ending):
            with open(name, encoding="utf-8") as file:
                yield sum(1 for _ in file), name


def judge(kind, found, limit, exceptions):
    """Prints what is over the limit; returns what is wrong, a sentence each."""
    wrong = []
    over = {name: lines for lines, name in sorted(found)
            if lines > limit and not name.split("::")[-1].startswith("visit")}
    print(f"{len(over)} {kind} of more than {limit} lines")
    for name, lines in sorted(over.items(), key=lambda item: -item[1]):
        allowed, reason = exceptions.get(name, (limit, "no reason given"))
        print(f"{lines:6} {name}: {reason}")
        if lines > allowed:
            wrong.append(f"{name} has {lines} lines; allowed are {allowed}")
    wrong += [f"{name} needs no exception any more: remove its row"
              for name in exceptions if name not in over]
    return wrong


def main():
    if importlib.util.find_spec("lizard") is None:
        print("tools/check_sizes.py: it needs the package lizard: "
              "pip install lizard==1.24.3", file=sys.stderr)
        return 2
    wrong = judge("functions", functions(), FUNCTION_LINES, FUNCTIONS)
    networks, sources = [], []
    for lines, name in files(".cpp"):
        (networks if name.startswith("lib/networks/") else sources).append((lines, name))
    wrong += judge("networks", networks, NETWORK_LINES, {})
    wrong += judge("sources", sources, SOURCE_LINES, SOURCES)
    wrong += judge("headers", files(".h"), HEADER_LINES, HEADERS)
    for sentence in wrong:
        print(f"tools/check_sizes.py: {sentence}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    os.chdir(pathlib.Path(__file__).resolve().parent.parent)
    sys.exit(main())
