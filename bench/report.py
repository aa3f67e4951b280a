#!/usr/bin/env python3
"""Reads metrics.jsonl files and prints what the comparison scripts need.

usage: report.py speed METRICS SKIP    images/s over the steps after SKIP, which
                                       must have a record itself
       report.py start METRICS         seconds to begin and end of step 1
       report.py bytes METRICS         comm_bytes of a step
       report.py exposed METRICS SKIP  fraction of step time spent waiting for the exchange
       report.py pairs FILE            lines "A B": medians, spread, ratio
       report.py losses OURS THEIRS T  table; exit 1 if they differ by > T

Standard library only.
"""

import json
import statistics
import sys


def all_records(path):
    with open(path) as lines:
        records = [json.loads(line) for line in lines]
    return [r for r in records if r["kind"] == "train"]


def train_records(path):
    """Returns the records of kind train, which must cover every step from 1."""
    records = all_records(path)
    steps = [r["step"] for r in records]
    if not steps or steps != list(range(1, len(steps) + 1)):
        sys.exit(f"{path}: expected a record of every step from 1, got {steps}")
    return records


def records_after(path, skip):
    """Returns (record, number of steps) for the records after step `skip`; a record
    is the mean over the steps since the previous record."""
    records = all_records(path)
    steps = [0] + [r["step"] for r in records]
    counted = [(r, r["step"] - before)
               for before, r in zip(steps, records) if before >= int(skip)]
    if not counted or int(skip) not in steps:
        sys.exit(f"{path}: expected records of step {skip} and later ones, "
                 f"got {steps[1:]}")
    return counted


def speed(path, skip):
    """Returns images / seconds, not a mean of rates, so that slow steps count in full."""
    images = seconds = 0
    for record, steps in records_after(path, skip):
        images += steps * record["images_per_second"] * record["step_seconds"]
        seconds += steps * record["step_seconds"]
    return images / seconds


def start(path):
    first = train_records(path)[0]
    return first["start_begin_seconds"], first["start_end_seconds"]


def comm_bytes(path):
    """Returns the bytes of the last step; all steps send the same."""
    return train_records(path)[-1]["comm_bytes"]


def exposed(path, skip):
    records = records_after(path, skip)
    waited = sum(steps * r["comm_seconds"] for r, steps in records)
    return waited / sum(steps * r["step_seconds"] for r, steps in records)


def describe(name, values):
    low, middle, high = min(values), statistics.median(values), max(values)
    print(f"{name}: median {middle:.4g}, {low:.4g} to {high:.4g} "
          f"(spread {100 * (high - low) / middle:.1f} %)")
    return middle


def pairs(path):
    """Each line is one pair (ours, theirs), measured one after the other. The
    ratio is the median of the pairs' ratios, because a slow minute of the machine
    affects both sides of a pair."""
    with open(path) as lines:
        rows = [tuple(map(float, line.split())) for line in lines]
    describe("ours  ", [ours for ours, _ in rows])
    describe("theirs", [theirs for _, theirs in rows])
    ratio = describe("ours / theirs", [ours / theirs for ours, theirs in rows])
    print(f"ratio {ratio:.3f}")


def losses(ours_path, theirs_path, tolerance):
    ours, theirs = train_records(ours_path), train_records(theirs_path)
    if len(ours) != len(theirs):
        sys.exit(f"{len(ours)} steps of ours, {len(theirs)} of theirs")
    print("step        ours      theirs  relative difference        lr")
    differences = []
    for a, b in zip(ours, theirs):
        difference = abs(a["loss"] - b["loss"]) / abs(b["loss"])
        differences.append(difference)
        print(f"{a['step']:4d}  {a['loss']:10.6f}  {b['loss']:10.6f}  "
              f"{difference:19.2e}  {a['lr']:.2e}")
        if abs(a["lr"] - b["lr"]) > 1e-6 * b["lr"]:
            sys.exit(f"learning rates differ: {a['lr']} and {b['lr']}")
    print(f"largest relative difference {max(differences):.2e}, "
          f"allowed {tolerance}")
    # Written so that a NaN fails.
    if not all(d <= float(tolerance) for d in differences):
        sys.exit(1)


def main():
    arguments = sys.argv[1:]
    counts = {"speed": 2, "start": 1, "bytes": 1,
              "exposed": 2, "pairs": 1, "losses": 3}
    if not arguments or counts.get(arguments[0]) != len(arguments) - 1:
        sys.exit(__doc__)
    verb, rest = arguments[0], arguments[1:]
    if verb == "speed":
        print(f"{speed(*rest):.4f}")
    elif verb == "start":
        print("%.4f %.4f" % start(*rest))
    elif verb == "bytes":
        print(f"{comm_bytes(*rest):,}")
    elif verb == "exposed":
        print(f"{100 * exposed(*rest):.0f} %")
    elif verb == "pairs":
        pairs(*rest)
    else:
        losses(*rest)


if __name__ == "__main__":
    main()
