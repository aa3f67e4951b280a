#!/usr/bin/env python3
"""Writes prune.json beside this file.

Needs torch 2.11:  python3 make_prune.py

Weights of awkward sizes, with many ties among them, pruned in three rounds by
torch.nn.utils.prune; before each round the weights that are left change, as
given. Kept are the masks after each round, 1 where a weight is pruned.
"""

import json
import pathlib

import torch
from torch.nn.utils import prune

HERE = pathlib.Path(__file__).resolve().parent
SHAPES = {"a.weight": [7, 3], "b.weight": [5, 3, 2, 2], "c.weight": [1, 13],
          "d.weight": [9, 1]}
SHARES = [0.1, 0.335, 0.75]


def values(name, number):
    """Multiples of 1/4: about a third of the magnitudes have an equal."""
    generator = torch.Generator().manual_seed(100 * number + ord(name[0]))
    return (torch.randn(SHAPES[name], generator=generator) * 4).round() / 4


class Net(torch.nn.Module):

    def __init__(self):
        super().__init__()
        for name in SHAPES:
            module = torch.nn.Module()
            module.weight = torch.nn.Parameter(values(name, 0))
            self.add_module(name[0], module)

    def weights(self):
        return [(module, "weight") for module in self.children()]

    def set_to(self, number):
        for name, module in self.named_children():
            parameter = getattr(module, "weight_orig", module.weight)
            parameter.data.copy_(values(name + ".weight", number))
            if hasattr(module, "weight_mask"):
                module.weight = parameter * module.weight_mask


def pruned(module):
    if not hasattr(module, "weight_mask"):
        return torch.zeros_like(module.weight)
    return 1 - module.weight_mask


def more(count, share, zeros):
    """How many are pruned now, as torch rounds a share of all."""
    return max(0, round(share * count) - int(zeros))


def once(net, kind, share):
    modules = [module for module, _ in net.weights()]
    if kind == "global":
        count = sum(m.weight.numel() for m in modules)
        zeros = sum(pruned(m).sum() for m in modules)
        amount = more(count, share, zeros)
        if amount > 0:
            prune.global_unstructured(
                net.weights(), prune.L1Unstructured, amount=amount)
        return
    for module in modules:
        mask = pruned(module)
        if kind == "layer":
            amount = more(mask.numel(), share, mask.sum())
            if amount > 0:
                prune.l1_unstructured(module, "weight", amount)
        else:
            rows = mask.flatten(1).all(1)
            amount = more(len(rows), share, rows.sum())
            if amount > 0:
                prune.ln_structured(module, "weight", amount, n=2, dim=0)


def run(kind):
    net, masks = Net(), []
    for number, share in enumerate(SHARES):
        net.set_to(number)
        once(net, kind, share)
        masks.append({
            f"{name}.weight": pruned(module).flatten().int().tolist()
            for name, module in net.named_children()})
    return masks


def main():
    record = {
        "shapes": SHAPES,
        "shares": SHARES,
        "values": [{n: values(n, k).flatten().tolist() for n in SHAPES}
                   for k in range(len(SHARES))],
        "masks": {kind: run(kind) for kind in ("global", "layer", "row")},
    }
    text = json.dumps(record, separators=(",", ":"))
    (HERE / "prune.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
