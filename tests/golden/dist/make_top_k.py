#!/usr/bin/env python3
"""Writes top_k.json beside this file.

Needs torch 2.11 (as arrays only):  python3 make_top_k.py

The formulas of Lin et al., "Deep Gradient Compression" (ICLR 2018), algorithm 4,
for two ranks and 20 steps, in double precision. Rank k, with gradient g:
  without momentum   v <- v + g
  momentum           u <- m u + g,  v <- v + u
  Nesterov           u <- m u + g,  v <- v + g + m u
The entries of v with the largest magnitudes, ceil(share n) of a parameter's n,
are sent; they become zero in v and, with factor masking, in u. What all apply is
the sum of what is sent. Parameters of one dimension, and those of which at least
half would be sent, are sent whole; u of these is not masked.
"""

import json
import math
import pathlib

import torch

HERE = pathlib.Path(__file__).resolve().parent
RANKS = 2
STEPS = 20
SHAPES = {"wide.weight": [4, 10], "conv.weight": [5, 3, 2, 2],
          "small.weight": [3, 1], "bias": [7]}
CASES = {
    "plain": {"momentum": 0.0, "nesterov": False, "masking": False},
    "momentum": {"momentum": 0.9, "nesterov": False, "masking": False},
    "masked": {"momentum": 0.9, "nesterov": False, "masking": True},
    "nesterov": {"momentum": 0.9, "nesterov": True, "masking": True},
}
SHARE = 0.05
START = 3
WARMUP = 8


def gradient_of(rank, step, shape):
    generator = torch.Generator().manual_seed(1000 * len(shape) + 10 * step + rank)
    return torch.randn(shape, generator=generator)


def share_at(step):
    """25 %, 6.25 %, ... of the paper, whose share is the fifth of them."""
    if step < START:
        return 1.0
    stage = (step - START) * 4 // WARMUP
    return SHARE if stage >= 4 else SHARE**((stage + 1) / 5)


class Rank:

    def __init__(self, rank, case):
        self.rank, self.case = rank, case
        self.u = {n: torch.zeros(s).double() for n, s in SHAPES.items()}
        self.v = {n: torch.zeros(s).double() for n, s in SHAPES.items()}

    def send(self, name, step):
        gradient = gradient_of(self.rank, step, SHAPES[name]).double()
        m, u, v = self.case["momentum"], self.u[name], self.v[name]
        u.mul_(m).add_(gradient)
        v.add_(gradient + m * u if self.case["nesterov"] else u)
        count = math.ceil(share_at(step) * v.numel())
        if v.dim() < 2 or 2 * count >= v.numel():
            sent = v.clone()
            v.zero_()
            return sent
        chosen = v.abs().view(-1).argsort(descending=True)[:count]
        sent = torch.zeros_like(v)
        sent.view(-1)[chosen] = v.view(-1)[chosen]
        v.view(-1)[chosen] = 0
        if self.case["masking"]:
            u.view(-1)[chosen] = 0
        return sent


def run(case):
    ranks = [Rank(r, case) for r in range(RANKS)]
    return [{
        name: sum(rank.send(name, step) for rank in ranks).view(-1).tolist()
        for name in SHAPES
    } for step in range(STEPS)]


def main():
    given = [[{
        name: gradient_of(rank, step, shape).view(-1).tolist()
        for name, shape in SHAPES.items()
    } for rank in range(RANKS)] for step in range(STEPS)]
    record = {
        "shapes": SHAPES, "share": SHARE, "start": START, "warmup": WARMUP,
        "given": given,
        "cases": [{**case, "applied": run(case)} for case in CASES.values()],
    }
    text = json.dumps(record, separators=(",", ":"))
    (HERE / "top_k.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
