#!/usr/bin/env python3
"""Writes ema.json beside this file.

Needs timm 1.0.31 and torch 2.11:  python3 make_ema.py

A module whose weights and buffers change in each of 50 steps, as given, and what
timm's ModelEmaV3 makes of them, or torch's AveragedModel (equal).
"""

import json
import pathlib

import torch
from timm.utils import ModelEmaV3
from torch.optim.swa_utils import AveragedModel

HERE = pathlib.Path(__file__).resolve().parent
STEPS = 50
KEPT = [1, 2, 3, 8, 9, 10, 25, 49, 50]
CASES = {
    "plain": {"decay": 0.9},
    "long": {"decay": 0.9998},
    "warm_up": {"decay": 0.95, "use_warmup": True},
    "slow_warm_up": {
        "decay": 0.999,
        "use_warmup": True,
        "warmup_gamma": 2.5,
        "warmup_power": 0.75,
    },
    "late": {"decay": 0.9, "update_after_step": 7},
    "late_warm_up": {"decay": 0.9, "update_after_step": 7, "use_warmup": True},
    "equal": {"equal": True},
    "late_equal": {"equal": True, "update_after_step": 7},
    "without_buffers": {"decay": 0.9, "exclude_buffers": True},
}


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(4, 3))
        self.bias = torch.nn.Parameter(torch.zeros(5))
        self.register_buffer("mean", torch.zeros(5))
        self.register_buffer("count", torch.zeros((), dtype=torch.long))


def values(step, shape, seed):
    """Numbers that wander, exact in single precision."""
    generator = torch.Generator().manual_seed(seed)
    size = shape.numel()
    first = torch.randn(size, generator=generator)
    ways = torch.randn(STEPS + 1, size, generator=generator).cumsum(0) * 0.1
    return (first + ways[step]).view(shape)


def set_to(net, step):
    with torch.no_grad():
        for seed, tensor in enumerate([net.weight, net.bias, net.mean]):
            tensor.copy_(values(step, tensor.shape, seed))
        net.count.fill_(step)


def flat(module):
    return {
        name: tensor.flatten().tolist()
        for name, tensor in module.state_dict().items()
    }


class Equal:
    """torch's mean, which is a copy until it begins."""

    def __init__(self, net, equal, update_after_step=0):
        self.start = update_after_step
        self.mean = AveragedModel(net, use_buffers=True)

    def update(self, net, step):
        if step <= self.start:
            self.module.load_state_dict(net.state_dict())
        else:
            self.mean.update_parameters(net)
            self.module.count.copy_(net.count)  # the mean of counters is none

    @property
    def module(self):
        return self.mean.module


def run(options):
    net = Net()
    set_to(net, 0)
    ema = (Equal if "equal" in options else ModelEmaV3)(net, **options)
    kept = {}
    for step in range(1, STEPS + 1):
        set_to(net, step)
        ema.update(net, step=step)
        if step in KEPT:
            kept[str(step)] = flat(ema.module)
    return kept


def weights():
    net = Net()
    steps = []
    for step in range(STEPS + 1):
        set_to(net, step)
        steps.append(flat(net))
    return steps


def main():
    content = {
        "steps": weights(),
        "cases": {
            name: {"options": options, "averages": run(options)}
            for name, options in CASES.items()
        },
    }
    (HERE / "ema.json").write_text(json.dumps(content) + "\n")


if __name__ == "__main__":
    main()
