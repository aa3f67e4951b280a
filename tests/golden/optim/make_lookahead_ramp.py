"""Lookahead as "94% on CIFAR-10 in 3.29 seconds" (arXiv:2404.00498) has it.

Needs torch 2.11. Weights and a running mean wander: SGD on a quadratic bowl,
and a mean that follows the weights. In every fifth step, and with a share of 0
in the last one, the slow copies take over a share of both and give themselves
back. Writes lookahead_ramp.json.

    python3 tests/golden/optim/make_lookahead_ramp.py
"""

import json
import pathlib

import torch

HERE = pathlib.Path(__file__).resolve().parent
STEPS = 23
EVERY = 5
MOST = 0.95**5
SHOWN = (4, 5, 10, 22, 23)


def main():
    torch.manual_seed(0)
    steepness = torch.rand(6, dtype=torch.float64) + 0.5
    middle = torch.randn(6, dtype=torch.float64)
    weight = torch.nn.Parameter(torch.randn(6, dtype=torch.float64))
    mean = torch.randn(6, dtype=torch.float64)
    result = {
        "steps": STEPS, "every": EVERY, "alpha": 1 - MOST,
        "steepness": steepness.tolist(), "middle": middle.tolist(),
        "weight": weight.tolist(), "mean": mean.tolist(), "shown": {},
    }
    optimizer = torch.optim.SGD([weight], lr=0.05, momentum=0.85, nesterov=True)
    slow = [weight.detach().clone(), mean.clone()]
    for step in range(1, STEPS + 1):
        weight.grad = steepness * (weight.detach() - middle)
        mean.mul_(0.6).add_(weight.detach(), alpha=0.4)
        optimizer.step()
        kept = MOST * (step / STEPS) ** 3
        for last in (False, True):
            if (step == STEPS) if last else (step % EVERY == 0):
                for copy, fast in zip(slow, (weight.detach(), mean)):
                    copy.lerp_(fast, 0.0 if last else 1 - kept)
                    fast.copy_(copy)
        if step in SHOWN:
            result["shown"][str(step)] = {
                "weight": weight.tolist(), "mean": mean.tolist()}
    (HERE / "lookahead_ramp.json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
