#!/usr/bin/env python3
"""Trains one recipe in several modes of dist.sync and compares the curves.

usage: bench/convergence.py [--cfg FILE] [--data FOLDER] [--devices cpu:2]
                            [MODE ...] [-- options of vitrain ...]

Trains configs/cifar10_vit_short.yaml once in each MODE (default: all that are
missing in the table), with the settings below and the same number of samples.
Adds the evaluation accuracy after each epoch to docs/measurements/convergence.csv
and draws all modes in docs/images/convergence.svg. Prints a table; exits with 1 if
a mode ends more than 2 points below allreduce (except hogwild, whose staleness has
no bound). Takes about 10 minutes per mode on two cores. Standard library only.
"""

import argparse
import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from draw_pictures import FAINT, INK, path, svg  # noqa: E402

TABLE = ROOT / "docs" / "measurements" / "convergence.csv"
PICTURE = ROOT / "docs" / "images" / "convergence.svg"
LARGEST_LOSS = 2.0  # points of top-1 below allreduce

# Settings per mode: keys of dist.sync, or full keys if they contain a dot. The learning
# rate is the recipe's, except for
# - modes that average weights (LONGER): AdamW divides by a root mean square in which the
#   noise of half the batch is sqrt(2) times as large, so its steps may be too short;
# - async_ps (HALF_BATCH), which makes an update from each worker's half of the batch:
#   scaled as the rule `sqrt` of schedule.scale does.
LONGER = 1.4e-3
HALF_BATCH = 7.0e-4
SETTINGS = {
    "allreduce": {},
    "delayed_allreduce": {"predict": "true"},
    "local_sgd": {"period": 4, "start": "1ep", "optim.lr": LONGER},
    "post_local_sgd": {"period": 4, "start": "2ep", "group_size": 1,
                       "optim.lr": LONGER},
    "hierarchical_sgd": {"periods": "[2, 4]", "group_sizes": "[1, -1]",
                         "optim.lr": LONGER},
    "diloco": {"period": 4, "outer_lr": 0.9, "outer_momentum": 0.1,
               "optim.lr": LONGER},
    "overlap_average": {"period": 2, "delay": 1, "optim.lr": LONGER},
    "async_ps": {"max_staleness": 2, "predict": "true",
                 "optim.lr": HALF_BATCH},
    "hogwild": {},
}
COLOURS = ["#5aa9e6", "#7bc47f", "#e6a15a", "#d66ba0", "#c9c94f", "#9b8cf2",
           "#5fd3c7", "#e06c5a", "#aab4bf"]


def parse_arguments():
    own, _, rest = " ".join(sys.argv[1:]).partition(" -- ")
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cfg", default=str(ROOT / "configs/cifar10_vit_short.yaml"))
    parser.add_argument("--data", required=True, help="folder with train/ and test/")
    parser.add_argument("--devices", default="cpu:2")
    parser.add_argument("--binary", default=str(ROOT / "build/release/vitrain"))
    parser.add_argument("modes", nargs="*", metavar="MODE")
    return parser.parse_args(own.split()), rest.split()


def read_table():
    """Returns {mode: [(epoch, top1), ...]}."""
    curves = {}
    if TABLE.exists():
        with open(TABLE, newline="") as file:
            for row in csv.DictReader(file):
                curves.setdefault(row["mode"], []).append(
                    (int(row["epoch"]), float(row["top1"])))
    return curves


def write_table(curves):
    TABLE.parent.mkdir(exist_ok=True)
    with open(TABLE, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["mode", "epoch", "top1"])
        for mode in SETTINGS:
            for epoch, top1 in curves.get(mode, []):
                writer.writerow([mode, epoch, f"{top1:.2f}"])


def train(args, mode, options):
    """Returns the top-1 accuracy (%) after each epoch."""
    with tempfile.TemporaryDirectory(prefix="vitrain-convergence-") as folder:
        command = [args.binary, "-cfg", args.cfg, "-data_path", args.data,
                   "-devices", args.devices, "-output", folder,
                   "-set", f"dist.sync.mode={mode}", *options]
        for key, value in SETTINGS[mode].items():
            command += ["-set", f"{key if '.' in key else 'dist.sync.' + key}={value}"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{mode}: exit {done.returncode}\n{done.stderr[-2000:]}")
        metrics = next(pathlib.Path(folder).glob("*/metrics.jsonl"))
        records = [json.loads(line) for line in metrics.read_text().splitlines()]
    return [(r["epoch"], r["top1"]) for r in records if r["kind"] == "eval"]


def draw(curves):
    width, height, left, top, right, bottom = 760, 380, 50, 46, 190, 44
    points = [point for curve in curves.values() for point in curve]
    first, last = min(points)[0], max(points)[0]
    # The axis covers the range of the curves, rounded to tens.
    low = 10 * math.floor(min(top1 for _, top1 in points) / 10)
    high = 10 * math.ceil(max(top1 for _, top1 in points) / 10)
    across = lambda epoch: left + (width - left - right) * (
        (epoch - first) / max(1, last - first))
    down = lambda top1: top + (height - top - bottom) * (high - top1) / (high - low)
    body = [f'<text x="{left}" y="26" font-size="14" fill="{INK}">'
            "CIFAR-10, short recipe: top-1 after each epoch, by mode</text>"]
    for percent in range(low, high + 1, 10):
        y = down(percent)
        body.append(f'<line x1="{left}" x2="{width - right}" y1="{y}" y2="{y}" '
                    f'stroke="#2a323b"/><text x="{left - 8}" y="{y + 4}" '
                    f'font-size="12" fill="{FAINT}" text-anchor="end">{percent} %</text>')
    for epoch in range(first, last + 1):
        body.append(f'<text x="{across(epoch)}" y="{height - 18}" font-size="12" '
                    f'fill="{FAINT}" text-anchor="middle">{epoch}</text>')
    for i, (mode, curve) in enumerate(curves.items()):
        colour = COLOURS[list(SETTINGS).index(mode)]
        line = [(across(epoch), down(top1)) for epoch, top1 in curve]
        y = top + 20 * i
        body.append(f'<path d="{path(line)}" fill="none" stroke="{colour}" '
                    f'stroke-width="2"/><path d="M{width - right + 16},{y} h20" '
                    f'stroke="{colour}" stroke-width="2"/>'
                    f'<text x="{width - right + 42}" y="{y + 4}" font-size="12" '
                    f'fill="{INK}">{mode}</text>')
    PICTURE.write_text(svg(width, height, "".join(body)))


def report(curves):
    """Prints the table; returns true if all modes are close enough to allreduce."""
    base = curves["allreduce"][-1][1] if "allreduce" in curves else None
    near = True
    print("| mode | settings | top-1 after the last epoch | beside allreduce |")
    print("| --- | --- | --- | --- |")
    for mode, curve in curves.items():
        settings = ", ".join(f"`{k}: {v}`" for k, v in SETTINGS[mode].items())
        difference = "" if base is None else f"{curve[-1][1] - base:+.2f}"
        print(f"| `{mode}` | {settings} | {curve[-1][1]:.2f} % | {difference} |")
        if base is not None and mode != "hogwild":
            near = near and curve[-1][1] >= base - LARGEST_LOSS
    return near


def main():
    args, options = parse_arguments()
    curves = read_table()
    for mode in args.modes or [m for m in SETTINGS if m not in curves]:
        if mode not in SETTINGS:
            sys.exit(f"{mode}: expected one of {', '.join(SETTINGS)}")
        curves[mode] = train(args, mode, options)
        curves = {m: curves[m] for m in SETTINGS if m in curves}
        write_table(curves)
        print(f"{mode}: {curves[mode][-1][1]:.2f} %", file=sys.stderr)
    draw(curves)
    if not report(curves):
        sys.exit(1)


if __name__ == "__main__":
    main()
