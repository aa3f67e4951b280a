#!/usr/bin/env python3
"""Writes jensen_shannon.json beside this file.

Needs timm 1.0.31 and torch 2.11:  python3 make_jensen_shannon.py

timm's JsdCrossEntropy in single precision: the loss, and its gradient at the
outputs. In the last case the mean probability of a class is below the limit
at which it is cut.
"""

import json
import pathlib

import torch
from timm.loss import JsdCrossEntropy

HERE = pathlib.Path(__file__).resolve().parent


def case(splits, alpha, smoothing, samples, classes, scale):
    count = splits * samples * classes
    outputs = torch.arange(count).mul(37).remainder(101).float() / 64 - 0.75
    outputs = (outputs.view(splits * samples, classes) * scale).requires_grad_()
    labels = torch.arange(samples).mul(2).remainder(classes)
    loss = JsdCrossEntropy(splits, alpha, smoothing)(
        outputs, labels.repeat(splits)
    )
    loss.backward()
    return {
        "splits": splits,
        "alpha": alpha,
        "smoothing": smoothing,
        "shape": list(outputs.shape),
        "outputs": outputs.detach().flatten().tolist(),
        "labels": labels.tolist(),
        "loss": loss.item(),
        "gradient": outputs.grad.flatten().tolist(),
    }


def main():
    cases = [
        case(3, 12, 0.1, 4, 5, 3.0),
        case(3, 12, 0.0, 2, 7, 1.0),
        case(2, 4.5, 0.1, 3, 4, 2.0),
        case(5, 12, 0.0, 1, 3, 30.0),
    ]
    text = json.dumps(cases).replace("}, {", "},\n{")
    (HERE / "jensen_shannon.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
