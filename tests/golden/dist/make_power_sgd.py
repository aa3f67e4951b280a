#!/usr/bin/env python3
"""Writes power_sgd.json beside this file.

Needs torch 2.11 and numpy:  python3 make_power_sgd.py

Two Gloo ranks run DistributedDataParallel with torch's powerSGD_hook on
parameters whose gradients are given; what the hook makes of them, step by step,
is what vitrain has to make of the same gradients. The first right factors are
given too, since torch draws them inside the hook.
"""

import json
import pathlib
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.distributed.algorithms.ddp_comm_hooks import powerSGD_hook as power
from torch.nn.parallel import DistributedDataParallel

HERE = pathlib.Path(__file__).resolve().parent
RANKS = 2
STEPS = 7
START = 2
# Distinct shapes: the hook keeps its factors by shape.
SHAPES = {
    "wide.weight": [4, 10],
    "conv.weight": [5, 3, 2, 2],
    "small.weight": [3, 2],
    "bias": [7],
}


class Given(torch.nn.Module):
    """A loss whose gradient is the given one."""

    def __init__(self):
        super().__init__()
        for name, shape in SHAPES.items():
            parameter = torch.nn.Parameter(torch.zeros(shape))
            self.register_parameter(name.replace(".", "_"), parameter)

    def forward(self, gradients):
        return sum(
            (getattr(self, name.replace(".", "_")) * gradients[name]).sum()
            for name in SHAPES)


def gradients_of(rank, step):
    generator = torch.Generator().manual_seed(100 * step + rank)
    common = torch.Generator().manual_seed(7)
    gradients = {}
    for name, shape in SHAPES.items():
        matrix = torch.randn(shape[0], 1, generator=common) @ torch.randn(
            1, torch.Size(shape).numel() // shape[0], generator=common)
        noise = torch.randn(shape, generator=generator)
        gradients[name] = matrix.view(shape) + 0.5 * noise
    return gradients


def matrix_of(shape):
    return shape[0], torch.Size(shape).numel() // shape[0]


def is_compressed(shape, rank):
    rows, columns = matrix_of(shape)
    factors = (rows + columns) * min(rank, rows, columns)
    return factors * 1.0 < rows * columns


def first_right(name, shape, rank):
    columns = matrix_of(shape)[1]
    generator = torch.Generator().manual_seed(len(name))
    return torch.randn(columns, rank, generator=generator)


def worker(index, path, rank, out):
    store = dist.FileStore(path, RANKS)
    dist.init_process_group("gloo", store=store, rank=index, world_size=RANKS)
    state = power.PowerSGDState(
        None,
        matrix_approximation_rank=rank,
        start_powerSGD_iter=START,
        min_compression_rate=1,
        warm_start=True)
    model = DistributedDataParallel(Given())

    def hook(state, bucket):
        key = bucket.index()
        if state.iter >= START and key not in state.q_memory_dict:
            shapes = [list(p.shape) for p in bucket.parameters()]
            names = [n for s in shapes for n, t in SHAPES.items() if t == s]
            names = [n for n in names if is_compressed(SHAPES[n], rank)]
            rows = sum(matrix_of(SHAPES[n])[0] for n in names)
            state.p_memory_dict[key] = torch.zeros(rows * rank)
            state.q_memory_dict[key] = torch.cat(
                [first_right(n, SHAPES[n], rank).view(-1) for n in names])
        return power.powerSGD_hook(state, bucket)

    model.register_comm_hook(state, hook)
    steps = []
    for step in range(STEPS):
        model.zero_grad()
        model(gradients_of(index, step)).backward()
        steps.append({
            name: getattr(model.module, name.replace(".", "_")).grad.view(
                -1).tolist()
            for name in SHAPES})
    if index == 0:
        pathlib.Path(out).write_text(json.dumps(steps))
    dist.barrier()
    dist.destroy_process_group()


def case_of(rank):
    with tempfile.TemporaryDirectory() as folder:
        out = f"{folder}/out.json"
        mp.spawn(worker, (f"{folder}/store", rank, out), nprocs=RANKS)
        reduced = json.loads(pathlib.Path(out).read_text())
    return {
        "rank": rank,
        "start": START,
        "right": {
            name: first_right(name, shape, rank).view(-1).tolist()
            for name, shape in SHAPES.items() if is_compressed(shape, rank)},
        "reduced": reduced,
    }


def main():
    given = [[{
        name: gradient.view(-1).tolist()
        for name, gradient in gradients_of(index, step).items()
    } for index in range(RANKS)] for step in range(STEPS)]
    record = {
        "shapes": SHAPES,
        "given": given,
        "cases": [case_of(rank) for rank in (1, 2, 3)],
    }
    text = json.dumps(record, separators=(",", ":"))
    (HERE / "power_sgd.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
