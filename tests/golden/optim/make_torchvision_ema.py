#!/usr/bin/env python3
"""Writes torchvision_ema.json beside this file.

Needs timm 1.0.31 and torch 2.15:  python3 make_torchvision_ema.py

The weights of make_ema.py and their average, as torchvision's
references/classification (train.py, utils.py) updates it in epochs of 12 steps.
"""

import json
import pathlib

import torch

from make_ema import Net, STEPS, flat, set_to

HERE = pathlib.Path(__file__).resolve().parent
STEPS_PER_EPOCH = 12
KEPT = [1, 5, 6, 11, 12, 13, 24, 25, 26, 30, 36, 37, 49, 50]
CASES = [
    {"decay": 0.9, "every": 5, "warmup_epochs": 0},
    {"decay": 0.9, "every": 5, "warmup_epochs": 2},
    {"decay": 0.75, "every": 12, "warmup_epochs": 1},
    {"decay": 0.75, "every": 32, "warmup_epochs": 1},
    {"decay": 0.99, "every": 1, "warmup_epochs": 1},
]


class ExponentialMovingAverage(torch.optim.swa_utils.AveragedModel):
    """torchvision's references/classification/utils.py."""

    def __init__(self, model, decay, device="cpu"):
        def ema_avg(avg_model_param, model_param, num_averaged):
            return decay * avg_model_param + (1 - decay) * model_param

        super().__init__(model, device, ema_avg, use_buffers=True)


def run(decay, every, warmup_epochs):
    net = Net()
    set_to(net, 0)
    ema = ExponentialMovingAverage(net, decay)
    averages = {}
    for step in range(STEPS):
        epoch, i = divmod(step, STEPS_PER_EPOCH)
        set_to(net, step + 1)
        # train_one_epoch, after optimizer.step():
        if i % every == 0:
            ema.update_parameters(net)
            if epoch < warmup_epochs:
                # Reset ema buffer to keep copying weights during warmup period
                ema.n_averaged.fill_(0)
        if step + 1 in KEPT:
            averages[str(step + 1)] = flat(ema.module)
            del averages[str(step + 1)]["count"]  # it has no average
    return averages


def main():
    content = {
        "steps_per_epoch": STEPS_PER_EPOCH,
        "cases": [
            {"options": options, "averages": run(**options)}
            for options in CASES
        ],
    }
    (HERE / "torchvision_ema.json").write_text(json.dumps(content) + "\n")


if __name__ == "__main__":
    main()
