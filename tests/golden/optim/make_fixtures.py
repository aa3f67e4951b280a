#!/usr/bin/env python3
"""Writes trajectories.json, clip.json and schedules.json beside this file.

Needs torch 2.11 and nothing else:  python3 make_fixtures.py

The numbers come from torch.optim, torch.nn.utils and
torch.optim.lr_scheduler in double precision, started from values that are
exact in single precision, so that the tests bound vitrain's own rounding only.
"""

import json
import math
import pathlib

import torch

HERE = pathlib.Path(__file__).resolve().parent
STEPS = 24
# Name, shape; parameters of one dimension go without weight decay.
PARAMETERS = [
    ("embed.weight", [3, 2, 2, 1]),
    ("blocks.0.norm.weight", [7]),
    ("blocks.0.norm.bias", [7]),
    ("blocks.0.fc.weight", [5, 4]),
    ("blocks.0.fc.bias", [5]),
    ("head.weight", [1, 17]),
]
VARIANTS = {
    "adamw": {"name": "adamw", "weight_decay": 0.05},
    "adamw_other_betas": {
        "name": "adamw",
        "weight_decay": 0.3,
        "betas": [0.8, 0.95],
        "eps": 1e-3,
    },
    "adamw_no_decay": {"name": "adamw", "weight_decay": 0.0},
    "sgd_plain": {"name": "sgd", "weight_decay": 0.0, "momentum": 0.0},
    "sgd_l2": {"name": "sgd", "weight_decay": 0.1, "momentum": 0.0},
    "sgd_momentum": {"name": "sgd", "weight_decay": 0.05, "momentum": 0.9},
    "sgd_nesterov": {
        "name": "sgd",
        "weight_decay": 0.05,
        "momentum": 0.9,
        "nesterov": True,
    },
}


def exact_in_float(shape, generator, scale):
    values = torch.randn(shape, generator=generator, dtype=torch.float32)
    return (values * scale).double()


def learning_rate(step):
    """Up, down and once to zero: no two steps alike."""
    return 0.0 if step == 11 else 0.02 * (1 + (step * 7) % 13) / 13


def make_optimizer(options, parameters):
    decayed = [p for p in parameters if p.dim() > 1]
    others = [p for p in parameters if p.dim() <= 1]
    groups = [
        {"params": decayed, "weight_decay": options["weight_decay"]},
        {"params": others, "weight_decay": 0.0},
    ]
    if options["name"] == "adamw":
        return torch.optim.AdamW(
            groups,
            betas=tuple(options.get("betas", (0.9, 0.999))),
            eps=options.get("eps", 1e-8),
            foreach=False,
        )
    return torch.optim.SGD(
        groups,
        lr=1.0,
        momentum=options["momentum"],
        nesterov=options.get("nesterov", False),
        foreach=False,
    )


def run(options, start, gradients):
    """Weights after every sixth step, by name."""
    parameters = [torch.nn.Parameter(value.clone()) for value in start]
    optimizer = make_optimizer(options, parameters)
    weights = {}
    for step in range(STEPS):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step)
        for parameter, gradient in zip(parameters, gradients[step]):
            parameter.grad = gradient.clone()
        optimizer.step()
        if step % 6 == 5 or step == 0:
            weights[str(step)] = flat(parameters)
    return weights


def flat(tensors):
    return {
        name: tensor.detach().flatten().tolist()
        for (name, _), tensor in zip(PARAMETERS, tensors)
    }


def trajectories(start, gradients):
    return {
        "parameters": [{"name": n, "shape": s} for n, s in PARAMETERS],
        "start": flat(start),
        "lr": [learning_rate(step) for step in range(STEPS)],
        "gradients": [flat(row) for row in gradients],
        "variants": {
            name: {"options": options, "weights": run(options, start, gradients)}
            for name, options in VARIANTS.items()
        },
    }


def clipped(gradients, max_norm):
    parameters = [torch.nn.Parameter(torch.zeros_like(g)) for g in gradients]
    for parameter, gradient in zip(parameters, gradients):
        parameter.grad = gradient.clone()
    norm = torch.nn.utils.clip_grad_norm_(parameters, max_norm)
    return {
        "max_norm": max_norm,
        "norm": norm.item(),
        "gradients": flat([p.grad for p in parameters]),
    }


def clip(gradients):
    norm = clipped(gradients, 1.0)["norm"]
    limits = [0.01, 1.0, norm * 0.999, norm * 1.001, 1e9]
    return [clipped(gradients, limit) for limit in limits]


def closed_form(total, warmup, lr, warmup_lr, min_lr, step):
    """Definition in design section 6 and docs/config.md, in plain math."""
    if step < warmup:
        return warmup_lr + (lr - warmup_lr) * step / warmup
    share = min(1.0, (step - warmup) / max(1, total - warmup))
    return min_lr + (lr - min_lr) * (1 + math.cos(math.pi * share)) / 2


def torch_schedule(total, warmup, lr, warmup_lr, min_lr):
    """LinearLR over the warm-up, then CosineAnnealingLR over the rest."""
    rates = []
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=lr)
    if warmup > 0:
        scheduler = torch.optim.lr_scheduler.LinearLR(
            optimizer, warmup_lr / lr, 1.0, total_iters=warmup
        )
        for _ in range(warmup):
            rates.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            scheduler.step()
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=lr)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(
        optimizer, T_max=total - warmup, eta_min=min_lr
    )
    for _ in range(total - warmup):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    return rates


def schedules():
    cases = [
        (40, 10, 1e-3, 1e-6, 1e-5),
        (33, 0, 0.5, 0.25, 0.0),
        (17, 1, 2e-4, 1e-7, 1e-6),
        (97, 96, 1e-3, 1e-4, 1e-5),
    ]
    keys = ("total_steps", "warmup_steps", "lr", "warmup_lr", "min_lr")
    return [
        {
            **dict(zip(keys, case)),
            "closed_form": [closed_form(*case, s) for s in range(case[0] + 3)],
            "torch": torch_schedule(*case),
        }
        for case in cases
    ]


def write(name, value):
    text = json.dumps(value, separators=(",", ":"))
    (HERE / name).write_text(text + "\n", encoding="utf-8")


def main():
    generator = torch.Generator().manual_seed(20)
    start = [exact_in_float(shape, generator, 0.5) for _, shape in PARAMETERS]
    gradients = [
        [exact_in_float(shape, generator, 0.3) for _, shape in PARAMETERS]
        for _ in range(STEPS)
    ]
    write("trajectories.json", trajectories(start, gradients))
    write("clip.json", clip(gradients[0]))
    write("schedules.json", schedules())


if __name__ == "__main__":
    main()
