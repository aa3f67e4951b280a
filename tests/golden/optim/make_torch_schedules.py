#!/usr/bin/env python3
"""Writes torch_schedules.json, plateau.json and strengths.json beside this file.

Needs torch 2.11 and nothing else:  python3 make_torch_schedules.py

The rate of each step under torch.optim.lr_scheduler, and what ReduceLROnPlateau
makes of given evaluations. Strengths: weight decay by CosineAnnealingLR, drop
path by torch.linspace, as the published code has them.
"""

import json
import pathlib

import torch
from torch.optim import lr_scheduler

HERE = pathlib.Path(__file__).resolve().parent
WARMUP = 6


def optimizer(lr):
    return torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=lr)


def rates(made, schedule, steps):
    listed = []
    for _ in range(steps):
        listed.append(made.param_groups[0]["lr"])
        made.step()
        schedule.step()
    return listed


def after_warmup(made, schedule, lr, warmup_lr):
    rise = lr_scheduler.LinearLR(
        made, start_factor=warmup_lr / lr, total_iters=WARMUP)
    return lr_scheduler.SequentialLR(made, [rise, schedule], [WARMUP])


def one_cycle(total, share, lr, div, final):
    made = optimizer(lr)
    schedule = lr_scheduler.OneCycleLR(
        made, max_lr=lr, total_steps=total, pct_start=share, div_factor=div,
        final_div_factor=final, cycle_momentum=False)
    listed = []
    for step in range(total):
        listed.append(made.param_groups[0]["lr"])
        made.step()
        if step + 1 < total:
            schedule.step()
    return {
        "name": "one_cycle",
        "total_steps": total,
        "warmup_steps": round(share * total),
        "lr": lr,
        "warmup_lr": lr / div,
        "min_lr": lr / div / final,
        "rates": listed,
    }


def behind_warmup(name, make, lr, total, **fields):
    made = optimizer(lr)
    schedule = after_warmup(made, make(made), lr, 0.01)
    return {
        "name": name,
        "total_steps": total,
        "warmup_steps": WARMUP,
        "lr": lr,
        "warmup_lr": 0.01,
        "min_lr": 0.0,
        "rates": rates(made, schedule, total),
        **fields,
    }


def schedules():
    total = 40
    rest = total - WARMUP
    return [
        one_cycle(40, 0.25, 0.3, 25.0, 1e4),
        one_cycle(100, 0.4, 1.0, 10.0, 50.0),
        behind_warmup(
            "polynomial",
            lambda made: lr_scheduler.PolynomialLR(made, rest, power=2.0),
            0.2, total, power=2.0),
        behind_warmup(
            "linear",
            lambda made: lr_scheduler.LinearLR(made, 1.0, 0.0, rest),
            0.2, total),
        behind_warmup(
            "exponential",
            lambda made: lr_scheduler.ExponentialLR(made, 0.9),
            0.2, total, step_factor=0.9),
        behind_warmup(
            "constant",
            lambda made: lr_scheduler.ConstantLR(made, 1.0, 1),
            0.2, total),
    ]


def plateau(mode, metrics, patience, threshold, factor, min_lr):
    made = optimizer(0.5)
    schedule = lr_scheduler.ReduceLROnPlateau(
        made, mode=mode, factor=factor, patience=patience, threshold=threshold,
        min_lr=min_lr)
    listed = []
    for metric in metrics:
        schedule.step(metric)
        listed.append(made.param_groups[0]["lr"])
    return {
        "larger_is_better": mode == "max",
        "metrics": metrics,
        "patience": patience,
        "threshold": threshold,
        "factor": factor,
        "min_lr": min_lr,
        "lr": 0.5,
        "rates": listed,
    }


def plateaus():
    losses = [2.0, 1.5, 1.5, 1.49999, 1.6, 1.2, 1.3, 1.25, 1.21, 1.2, 1.1,
              1.1, 1.1, 1.1, 1.1, 1.1, 1.1, 1.1, 1.1, 0.9, 1.0]
    top1 = [10.0, 20.0, 20.0, 20.001, 19.0, 30.0, 29.0, 31.0, 31.0, 31.0, 31.0]
    return [
        plateau("min", losses, 2, 1e-4, 0.1, 1e-3),
        plateau("min", losses, 0, 0.05, 0.5, 0.0),
        plateau("max", top1, 1, 1e-4, 0.3, 0.0),
    ]


def weight_decay(start, end, total):
    made = optimizer(start)
    schedule = lr_scheduler.CosineAnnealingLR(made, total, eta_min=end)
    return {"start": start, "end": end, "total_steps": total,
            "values": rates(made, schedule, total)}


def drop_path(shape, cutoff, total):
    part = torch.linspace(0, 1, cutoff, dtype=torch.float64)
    rest = total - cutoff
    values = {
        "rising": torch.linspace(0, 1, total, dtype=torch.float64),
        "early": torch.cat([torch.ones(cutoff), torch.zeros(rest)]),
        "early_linear": torch.cat([part.flip(0), torch.zeros(rest)]),
        "late": torch.cat([torch.zeros(cutoff), torch.ones(rest)]),
        "constant": torch.ones(total),
    }[shape]
    return {"shape": shape, "cutoff": cutoff, "total_steps": total,
            "values": values.tolist()}


def strengths():
    shapes = ["constant", "rising", "early", "early_linear", "late"]
    return {
        "weight_decay": [weight_decay(0.04, 0.4, 57), weight_decay(0.3, 0.0, 20)],
        "drop_path": [drop_path(shape, cutoff, 23)
                      for shape in shapes for cutoff in (7, 2, 23)],
    }


def main():
    (HERE / "strengths.json").write_text(json.dumps(strengths()) + "\n")
    (HERE / "torch_schedules.json").write_text(json.dumps(schedules()) + "\n")
    (HERE / "plateau.json").write_text(json.dumps(plateaus()) + "\n")


if __name__ == "__main__":
    main()
