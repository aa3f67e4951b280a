#!/usr/bin/env python3
"""Predicts how a run scales to many devices, from its step time on one device.

usage: scaling.py METRICS.jsonl [--skip N] [--bytes_per_gradient 4]
                  [--bucket_mb 25] [--devices 8,64,1024] [--period 1]

Reads the run of ONE device: parameters and batch from its `start` record, the
median step time from its `train` records (log.every: 1) after the first --skip.

The model (alpha-beta; Hockney 1994, and the ring of Thakur et al. 2005), for n
devices in nodes of 8, S bytes of gradients in k buckets, bandwidth B per device:
  T_comm    = k alpha + 2 (n - 1) / n S / B
  alpha     = 15 us in a node, 20 us x ceil(log2 nodes) more across nodes
  T_exposed = max(last bucket, T_comm - 0.9 T_backward), T_backward = 2/3 T_1
  T_n       = T_1 (1 + 0.02 x 2/3) + T_exposed / period + 0.01 T_1 sqrt(2 ln n)
The 2 % is the slowdown of backward by collectives; the last term is the delay of
the slowest of n devices with 1 % jitter. Assumed, not measured: 0.9, 2 %, 1 %,
alpha, and the networks' bandwidths. Weak scaling: the batch per device is fixed.
Standard library only.
"""

import argparse
import json
import math
import statistics
import sys

DEVICES_PER_NODE = 8
NETWORKS = [  # name, bytes/s per all-reduce within a node and across nodes
    ("NVSwitch, 8 x 400 Gb/s", 450e9, 340e9),
    ("NVSwitch, 4 x 100 Gb/s", 450e9, 42e9),
    ("PCIe, 1 x 25 Gb/s", 40e9, 2.7e9),
]


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("metrics")
    parser.add_argument("--skip", type=int, default=5)
    parser.add_argument("--bytes_per_gradient", type=float, default=4)
    parser.add_argument("--bucket_mb", type=float, default=25)
    parser.add_argument("--devices", default="8,64,1024")
    parser.add_argument("--period", type=int, default=1,
                        help="steps between exchanges (local_sgd)")
    return parser.parse_args()


def read_run(path, skip):
    """Returns (parameters, batch, median seconds of a step) of one device."""
    with open(path) as lines:
        records = [json.loads(line) for line in lines]
    start = next((r for r in records if r["kind"] == "start"), None)
    steps = [r["step_seconds"] for r in records if r["kind"] == "train"][skip:]
    if start is None or not steps:
        sys.exit(f"{path}: expected a start record and steps after the first {skip}")
    if start["workers"] != 1:
        sys.exit(f"{path}: of {start['workers']} workers; expected a run of one")
    return start["parameters"], start["global_batch"], statistics.median(steps)


def seconds_of_exchange(count, size, buckets, network):
    """Returns (all buckets, last bucket): seconds of an all-reduce over `count` devices."""
    _, inside, across = network
    nodes = math.ceil(count / DEVICES_PER_NODE)
    alpha = 15e-6 + 20e-6 * math.ceil(math.log2(nodes))
    whole = 2 * (count - 1) / count * size / (inside if nodes == 1 else across)
    return buckets * alpha + whole, alpha + whole / buckets


def predicted_step(count, step, size, buckets, network, period):
    if count == 1:
        return step
    exchange, last = seconds_of_exchange(count, size, buckets, network)
    exposed = max(last, exchange - 0.9 * step * 2 / 3)
    jitter = 0.01 * step * math.sqrt(2 * math.log(count))
    return step * (1 + 0.02 * 2 / 3) + exposed / period + jitter


def main():
    args = parse_arguments()
    parameters, batch, step = read_run(args.metrics, args.skip)
    size = parameters * args.bytes_per_gradient
    buckets = max(1, math.ceil(size / (args.bucket_mb * 2**20)))
    counts = [int(count) for count in args.devices.split(",")]
    print(f"measured, 1 device: {step * 1e3:.1f} ms a step of {batch} images "
          f"({batch / step:.1f} images/s), {parameters:,} parameters, "
          f"{size / 1e6:.1f} MB of gradients in {buckets} buckets")
    print("PREDICTED, not measured (efficiency = images/s beside n times one device):")
    print("| network | " + " | ".join(f"{n} devices" for n in counts) + " |")
    print("| --- |" + " --- |" * len(counts))
    for network in NETWORKS:
        cells = []
        for count in counts:
            seconds = predicted_step(
                count, step, size, buckets, network, args.period)
            cells.append(f"{100 * step / seconds:.1f} %, "
                         f"{count * batch / seconds:,.0f} images/s")
        print(f"| {network[0]} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
