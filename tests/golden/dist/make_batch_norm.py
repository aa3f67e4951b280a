#!/usr/bin/env python3
"""Writes batch_norm.json beside this file.

Needs timm 1.0.31 and torch 2.15:  python3 make_batch_norm.py

Running statistics of a BatchNorm layer on two ranks of torch's
DistributedDataParallel in two epochs of three steps, after each step, and at
the end of each epoch after timm's distribute_bn, where there is one.
"""

import json
import os
import pathlib
import socket

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from timm.utils import distribute_bn
from torch.nn.parallel import DistributedDataParallel

HERE = pathlib.Path(__file__).resolve().parent
RANKS, EPOCHS, STEPS, ROWS = 2, 2, 3, 4
MODES = {
    # --dist-bn reduce, timm's default, and --dist-bn ''.
    "broadcast_average": {"broadcast": True, "dist_bn": "reduce"},
    "broadcast": {"broadcast": True, "dist_bn": ""},
    # --no-ddp-bb --dist-bn reduce.
    "local": {"broadcast": False, "dist_bn": "reduce"},
}


def inputs(step):
    """The global batch: samples differ in mean and deviation."""
    grid = torch.linspace(0, 9, 8 * 3 * 4 * 4).view(8, 3, 4, 4)
    scale = torch.linspace(0.5, 4, 8).view(8, 1, 1, 1)
    return ((grid * 5).sin() * scale + scale) * (1 + step / 2)


def statistics(norm):
    own = torch.cat([norm.running_mean, norm.running_var])
    ranks = [torch.empty_like(own) for _ in range(RANKS)]
    dist.all_gather(ranks, own)
    return [rank.tolist() for rank in ranks]


def train(rank, broadcast, dist_bn):
    norm = torch.nn.BatchNorm2d(3)
    model = DistributedDataParallel(norm, broadcast_buffers=broadcast)
    found = []
    for step in range(EPOCHS * STEPS):
        batch = inputs(step)[rank * ROWS:(rank + 1) * ROWS]
        model(batch).mean().backward()
        found.append(statistics(norm))
        if (step + 1) % STEPS == 0:
            if dist_bn:
                distribute_bn(model, RANKS, dist_bn == "reduce")
            elif broadcast:
                # The first forward of an evaluation.
                model.eval()
                model(batch)
                model.train()
            found.append(statistics(norm))
    return found


def work(rank, port):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    dist.init_process_group("gloo", rank=rank, world_size=RANKS)
    content = {
        "steps_per_epoch": STEPS,
        "epochs": EPOCHS,
        "modes": {name: train(rank, **mode) for name, mode in MODES.items()},
    }
    if rank == 0:
        (HERE / "batch_norm.json").write_text(json.dumps(content) + "\n")
    dist.destroy_process_group()


def main():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    mp.spawn(work, args=(port,), nprocs=RANKS)


if __name__ == "__main__":
    main()
